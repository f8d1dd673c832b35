package filter

import (
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// What the pattern around a query vertex u demands of the vertex matched to it: as many neighbours of a kind as u has.
//
// Demands count per scope, never over scopes:
//   - DIFFERENT NODES: u's neighbours in the pattern are matched to different vertices, so distinct neighbours count.
//     An AtLeastOne edge joins different vertices, too.
//   - DIFFERENT RELATIONSHIPS: u's edges are matched to different relationships, so relationships count. If no two vertices
//     have more than one relationship of the scope's types, these lead to different neighbours. AtLeastOne edges bind
//     no relationship and may fold onto others, so they demand nothing.
//   - REPEATABLE ELEMENTS: all edges may fold onto one. Arc consistency tests whether there is any.
//
// Only labels count that every vertex admitted by a neighbour's expression carries. A data vertex with several labels counts
// under each.

// incidence is an edge of one scope as seen from u.
type incidence struct {
	edge  int
	to    int
	types csr.TypeSet
	dir   csr.Direction
}

// vicinity holds what a pattern has around each of its vertices, scope by scope. A run makes it once and asks it often.
type vicinity struct {
	s        *csr.Snapshot
	p        *pattern.Pattern
	views    Views
	at       [][][]incidence // by scope and vertex: the edges that demand something of their own, loops among them
	distinct []bool          // by scope: distinct neighbours count, not relationships
	near     [][][]int       // by such a scope and vertex: its different neighbours
	labels   [][]csr.LabelID // by vertex: the labels that it certainly carries
	deep     [][]Depth       // what depths returns; nil before its first call
}

// newVicinity returns the vicinity of p in s. A repeatable one does not depend on what s knows of parallel relationships.
func newVicinity(s *csr.Snapshot, p *pattern.Pattern, repeatable bool) *vicinity {
	n := len(p.Vertices)
	x := &vicinity{s: s, p: p, views: Views{s: s}, at: make([][][]incidence, len(p.Scopes)), distinct: make([]bool, len(p.Scopes)),
		near: make([][][]int, len(p.Scopes)), labels: make([][]csr.LabelID, n)}
	names := make([]csr.LabelID, n) // room for single labels, which most vertices ask for
	for u := range p.Vertices {
		if l := p.Vertices[u].Labels; l != nil && l.Op == pattern.LabelName && !l.Unknown {
			names[u] = l.ID
			x.labels[u] = names[u : u+1 : u+1]
			continue
		}
		x.labels[u] = p.Vertices[u].Labels.Required()
	}
	for i := range p.Scopes {
		sc := &p.Scopes[i]
		nodes := differentNodes(sc)
		x.at[i] = make([][]incidence, len(p.Vertices))
		if !nodes && sc.Mode == pattern.RepeatableElements {
			continue
		}
		x.distinct[i] = nodes || !repeatable && simple(s, p, sc)
		x.scope(p, i, nodes)
	}
	return x
}

// scope fills in scope i, whose nodes all differ (nodes) or whose relationships do.
func (x *vicinity) scope(p *pattern.Pattern, i int, nodes bool) {
	sc := &p.Scopes[i]
	room := make([]incidence, 0, 2*len(sc.Edges))
	for _, u := range sc.Vertices {
		first := len(room)
		for _, k := range sc.Edges {
			e := &p.Edges[k]
			if e.From != u && e.To != u || e.AtLeastOne && !nodes {
				continue
			}
			room = append(room, incidence{k, e.From + e.To - u, e.Types, directionFrom(e, u)})
		}
		x.at[i][u] = room[first:len(room):len(room)]
	}
	if !x.distinct[i] {
		return
	}
	x.near[i] = make([][]int, len(p.Vertices))
	others := make([]int, 0, len(room))
	for _, u := range sc.Vertices {
		first := len(others)
		for _, y := range x.at[i][u] {
			if y.to != u && !slices.Contains(others[first:], y.to) {
				others = append(others, y.to)
			}
		}
		x.near[i][u] = others[first:len(others):len(others)]
	}
}

// directionFrom returns the direction of e as seen from its end u.
func directionFrom(e *pattern.Edge, u int) csr.Direction {
	switch {
	case e.Undirected:
		return csr.Both
	case e.From != u:
		return csr.In
	}
	return csr.Out
}

// differentNodes reports whether a scope matches its vertices to different ones.
func differentNodes(sc *pattern.Scope) bool {
	return sc.Mode == pattern.DifferentNodes || sc.Induced || sc.Distinct
}

// simple reports whether every two vertices have at most one relationship of a scope's types, and no vertex has a loop.
func simple(s *csr.Snapshot, p *pattern.Pattern, sc *pattern.Scope) bool {
	return s.Stats.SimpleUnion(scopeTypes(p, sc))
}

// demand asks for at least count neighbours, or relationships, of some types in a direction, with a label unless any.
type demand struct {
	view     *csr.Adjacency  // degrees alone, if any
	late     []*csr.RowsView // instead of view, if not nil: for few vertices
	types    csr.TypeSet     // of the view
	dir      csr.Direction
	distinct bool
	any      bool
	label    csr.LabelID
	count    int
}

// demands lists what the pattern around u asks of its vertex: by label, or whatever the labels. few says that only few vertices are tested.
func (x *vicinity) demands(u int, labelled, few bool) []demand {
	var out []demand
	for scope := range x.p.Scopes {
		at, distinct := x.at[scope][u], x.distinct[scope]
		for i, kind := range at {
			if slices.ContainsFunc(at[:i], func(y incidence) bool { return y.dir == kind.dir && sameTypes(y.types, kind.types) }) {
				continue
			}
			for _, l := range x.labelsAround(at, labelled) {
				d := demand{distinct: distinct, any: !labelled, label: l}
				d.count = x.countAround(u, at, kind, d)
				if few && d.count > 0 {
					d.late = x.views.Rows(kind.types, kind.dir)
				}
				// A single labelled neighbour is for arc consistency, and so is any single one where rows are decoded apart.
				if !labelled && d.count == 1 && d.late == nil || d.count > 1 {
					d.types, d.dir = kind.types, kind.dir
					switch {
					case d.late != nil:
					case labelled:
						d.view = x.views.Of(kind.types, kind.dir)
					default:
						d.view = x.views.Degrees(kind.types, kind.dir)
					}
					out = append(out, d)
				}
			}
		}
	}
	return out
}

// demanded reports whether u's edge makes a demand on the degree of u.
func (x *vicinity) demanded(edge, u int) bool {
	at := x.at[x.p.Edges[edge].Scope][u]
	return slices.ContainsFunc(at, func(y incidence) bool { return y.edge == edge && y.to != u })
}

// labelsAround returns the labels that neighbours must carry, or only csr.NoLabel if no label is asked for.
func (x *vicinity) labelsAround(at []incidence, labelled bool) []csr.LabelID {
	if !labelled {
		return anyLabel
	}
	var ls []csr.LabelID
	for _, y := range at {
		ls = append(ls, x.labels[y.to]...)
	}
	slices.Sort(ls)
	return slices.Compact(ls)
}

var anyLabel = []csr.LabelID{csr.NoLabel}

// countAround counts the neighbours, or relationships, of the given kind at u that d asks for.
func (x *vicinity) countAround(u int, at []incidence, kind incidence, d demand) int {
	n := 0
	counts := func(y incidence) bool {
		fits := (kind.dir == csr.Both || kind.dir == y.dir) && within(y.types, kind.types)
		loop := y.to == u
		return fits && (!loop || !d.distinct && d.any) && (d.any || slices.Contains(x.labels[y.to], d.label))
	}
	for i, y := range at {
		again := d.distinct && slices.ContainsFunc(at[:i], func(z incidence) bool { return z.to == y.to && counts(z) })
		if counts(y) && !again {
			n++
		}
	}
	return n
}

// sameTypes reports whether two type sets are equal.
func sameTypes(a, b csr.TypeSet) bool { return (a == nil) == (b == nil) && slices.Equal(a, b) }

// within reports whether every type of a is in b.
func within(a, b csr.TypeSet) bool {
	if a == nil {
		return b == nil
	}
	return !slices.ContainsFunc(a, func(t csr.TypeID) bool { return !b.Has(t) })
}

// loopTypes lists the types that the pattern's loops at u may have.
func (x *vicinity) loopTypes(u int) (types []csr.TypeSet) {
	for i := range x.p.Edges {
		if e := &x.p.Edges[i]; e.From == u && e.To == u {
			types = append(types, e.Types)
		}
	}
	return types
}

// maxRanges is over how many runs of classes a label may be spread for labelDemands to count its neighbours.
const maxRanges = 8

// labelDemands lists what the pattern asks of u's neighbours by label, and which vertices carry that label. few is as for demands.
func (x *vicinity) labelDemands(u int, few bool) ([]demand, [][]csr.Range) {
	demands, ranges := x.demands(u, true, few), [][]csr.Range{}
	demands = slices.DeleteFunc(demands, func(d demand) bool {
		r := labelRanges(x.s, d.label)
		if len(r) > maxRanges {
			return true
		}
		ranges = append(ranges, r)
		return false
	})
	return demands, ranges
}

// labelRanges returns the vertices that carry l, with neighbouring classes joined.
func labelRanges(s *csr.Snapshot, l csr.LabelID) []csr.Range {
	var out []csr.Range
	for i := range s.Classes {
		c := &s.Classes[i]
		if _, ok := slices.BinarySearch(c.Labels, l); !ok {
			continue
		}
		if n := len(out); n > 0 && out[n-1].Hi == c.Lo {
			out[n-1].Hi = c.Hi
		} else {
			out = append(out, c.Range)
		}
	}
	return out
}
