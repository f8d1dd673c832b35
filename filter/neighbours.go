package filter

import (
	"slices"
	"sort"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels"
)

// Degrees and neighbour-label frequency: a vertex matched to u needs as many neighbours of a kind as u has.
//
// What is counted, per scope, never over scopes:
//   - DIFFERENT NODES: u's neighbours in the pattern are matched to different vertices, so distinct neighbours count.
//     An edge of the AtLeastOne kind joins different vertices too.
//   - DIFFERENT RELATIONSHIPS: u's edges are matched to different relationships, so relationships count. Where every
//     two vertices have one relationship of the scope's types at most, these lead to different neighbours.
//     AtLeastOne edges bind none and may fold onto others: they demand nothing.
//   - REPEATABLE ELEMENTS: all edges may fold onto one. Whether there is any is left to arc consistency.
//
// Only labels that every vertex admitted by a neighbour's expression carries are counted. A data vertex with
// several labels counts under each.

// incidence is an edge of one scope as seen from u.
type incidence struct {
	edge  int
	to    int
	types csr.TypeSet
	dir   csr.Direction
}

// vicinity is what a pattern has around each of its vertices, scope by scope: found once, asked often.
type vicinity struct {
	at       [][][]incidence // by scope and vertex: the edges that demand something of their own, loops among them
	distinct []bool          // by scope: neighbours count rather than relationships
	near     [][][]int       // by such a scope and vertex: its different neighbours
	required [][]csr.LabelID // by vertex: the labels that it certainly carries
}

func newVicinity(s *csr.Snapshot, p *pattern.Pattern) *vicinity {
	x := &vicinity{at: make([][][]incidence, len(p.Scopes)), distinct: make([]bool, len(p.Scopes)),
		near: make([][][]int, len(p.Scopes)), required: make([][]csr.LabelID, len(p.Vertices))}
	for u := range p.Vertices {
		x.required[u] = p.Vertices[u].Labels.Required()
	}
	for i := range p.Scopes {
		sc := &p.Scopes[i]
		nodes := differentNodes(sc)
		x.at[i] = make([][]incidence, len(p.Vertices))
		if !nodes && sc.Mode == pattern.RepeatableElements {
			continue
		}
		x.distinct[i] = nodes || simple(s, p, sc)
		x.scope(p, i, nodes)
	}
	return x
}

// scope fills in scope i, of which all elements differ or, unless nodes, all relationships.
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

// directionFrom is the direction of e as seen from its end u.
func directionFrom(e *pattern.Edge, u int) csr.Direction {
	switch {
	case e.Undirected:
		return csr.Both
	case e.From != u:
		return csr.In
	}
	return csr.Out
}

func differentNodes(sc *pattern.Scope) bool {
	return sc.Mode == pattern.DifferentNodes || sc.Induced || sc.Distinct
}

// simple reports whether every two vertices have at most one relationship of a scope's types, and no vertex has a loop.
func simple(s *csr.Snapshot, p *pattern.Pattern, sc *pattern.Scope) bool {
	types := csr.TypeSet{}
	for _, i := range sc.Edges {
		types = types.Union(p.Edges[i].Types)
	}
	return s.Stats.SimpleUnion(types)
}

// demand asks for at least count neighbours, or relationships, of some types in a direction, with a label unless any.
type demand struct {
	view     *csr.Adjacency
	types    csr.TypeSet // of the view
	dir      csr.Direction
	distinct bool
	any      bool
	label    csr.LabelID
	count    int
}

// demands lists what the pattern around u asks of its vertex: with labels, or only without.
func (f *filter) demands(u int, labelled bool) []demand {
	var out []demand
	for scope := range f.p.Scopes {
		at, distinct := f.around.at[scope][u], f.around.distinct[scope]
		for i, kind := range at {
			if slices.ContainsFunc(at[:i], func(x incidence) bool { return x.dir == kind.dir && sameTypes(x.types, kind.types) }) {
				continue
			}
			for _, l := range f.labelsAround(at, labelled) {
				d := demand{distinct: distinct, any: !labelled, label: l}
				d.count = f.countAround(u, at, kind, d)
				if !labelled && d.count > 0 || d.count > 1 { // a single labelled neighbour is for arc consistency
					d.view, d.types, d.dir = f.views.Of(kind.types, kind.dir), kind.types, kind.dir
					out = append(out, d)
				}
			}
		}
	}
	return out
}

// labelsAround is the labels that neighbours must carry; one that stands for none if no label is asked for.
func (f *filter) labelsAround(at []incidence, labelled bool) []csr.LabelID {
	if !labelled {
		return []csr.LabelID{csr.NoLabel}
	}
	var ls []csr.LabelID
	for _, x := range at {
		ls = append(ls, f.around.required[x.to]...)
	}
	slices.Sort(ls)
	return slices.Compact(ls)
}

// countAround counts the neighbours, or relationships, that d speaks of among those at u that are of some kind.
func (f *filter) countAround(u int, at []incidence, kind incidence, d demand) int {
	n := 0
	counts := func(x incidence) bool {
		fits := (kind.dir == csr.Both || kind.dir == x.dir) && within(x.types, kind.types)
		loop := x.to == u
		return fits && (!loop || !d.distinct && d.any) && (d.any || slices.Contains(f.around.required[x.to], d.label))
	}
	for i, x := range at {
		again := d.distinct && slices.ContainsFunc(at[:i], func(y incidence) bool { return y.to == x.to && counts(y) })
		if counts(x) && !again {
			n++
		}
	}
	return n
}

func sameTypes(a, b csr.TypeSet) bool { return (a == nil) == (b == nil) && slices.Equal(a, b) }

// within reports whether every type of a is in b.
func within(a, b csr.TypeSet) bool {
	if a == nil {
		return b == nil
	}
	return !slices.ContainsFunc(a, func(t csr.TypeID) bool { return !b.Has(t) })
}

// degrees tests what the pattern asks of a vertex's degree, and pattern loops.
func (f *filter) degrees() error {
	for u := range f.p.Vertices {
		if !f.open(u) {
			continue
		}
		demands := f.demands(u, false)
		var loops []*csr.Adjacency
		for _, types := range f.loopTypes(u) {
			loops = append(loops, f.views.Of(types, csr.Out))
		}
		if len(demands)+len(loops) == 0 {
			continue
		}
		if len(loops) == 0 && len(demands) == 1 && f.falling(demands[0].view) {
			if err := f.replace(u, f.prefixes(f.out.Sets[u].List(), &demands[0])); err != nil {
				return err
			}
			continue
		}
		list, err := f.keep(f.out.Sets[u].List(), func() func(csr.VertexID) bool {
			return func(v csr.VertexID) bool {
				for i := range demands {
					if !demands[i].degree(v) {
						return false
					}
				}
				return !slices.ContainsFunc(loops, func(a *csr.Adjacency) bool { return !a.Has(v, v) })
			}
		})
		if err == nil {
			err = f.replace(u, list)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// loopTypes lists the types that the pattern's loops at u may have.
func (f *filter) loopTypes(u int) (types []csr.TypeSet) {
	for i := range f.p.Edges {
		if e := &f.p.Edges[i]; e.From == u && e.To == u {
			types = append(types, e.Types)
		}
	}
	return types
}

// falling reports whether degrees in a view fall inside every class, as total degrees do: those of a view that holds each
// relationship once at either end. New and changed vertices of an overlay stand in no order.
func (f *filter) falling(view *csr.Adjacency) bool {
	return f.s.Flat() && view.Counts == nil && view.Loops == 0 && view.Len() == 2*f.s.M()
}

// prefixes is the members of list whose degree is enough, where degrees fall inside every class.
func (f *filter) prefixes(list []csr.VertexID, d *demand) (out []csr.VertexID) {
	for rest := list; len(rest) > 0; {
		class := f.s.ClassOf(rest[0])
		n := kernels.LowerBound(rest, class.Hi)
		enough := sort.Search(n, func(i int) bool { return !d.degree(rest[i]) })
		if n == len(list) {
			return list[:enough:enough]
		}
		out = append(out, rest[:enough]...)
		rest = rest[n:]
	}
	return out
}

// degree reports whether v has neighbours or relationships enough, whatever their labels.
func (d *demand) degree(v csr.VertexID) bool {
	lo, hi := d.view.Row(v)
	return d.reached(lo, hi, d.count) == 0
}

// reached takes the neighbours, or relationships, at positions [lo, hi) of the view off what is wanted, down to 0.
func (d *demand) reached(lo, hi uint64, want int) int {
	if n := hi - lo; n >= uint64(want) {
		return 0
	}
	if d.distinct || d.view.Counts == nil {
		return want - int(hi-lo)
	}
	for _, n := range d.view.Counts[lo:hi] {
		if uint64(n) >= uint64(want) {
			return 0
		}
		want -= int(n)
	}
	return want
}

// maxRanges is over how many runs of classes a label may be spread for its neighbours to be counted.
const maxRanges = 8

// neighbours counts neighbours by label.
func (f *filter) neighbours() error {
	for u := range f.p.Vertices {
		if !f.open(u) {
			continue
		}
		demands, ranges := f.labelDemands(u)
		if len(demands) == 0 {
			continue
		}
		list, err := f.keep(f.out.Sets[u].List(), func() func(csr.VertexID) bool {
			return func(v csr.VertexID) bool {
				for i := range demands {
					if !demands[i].frequency(v, ranges[i]) {
						return false
					}
				}
				return true
			}
		})
		if err == nil {
			err = f.replace(u, list)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// labelDemands lists what the pattern asks of u's neighbours by label, and which vertices carry that label.
func (f *filter) labelDemands(u int) ([]demand, [][]csr.Range) {
	demands, ranges := f.demands(u, true), [][]csr.Range{}
	demands = slices.DeleteFunc(demands, func(d demand) bool {
		r := labelRanges(f.s, d.label)
		if len(r) > maxRanges {
			return true
		}
		ranges = append(ranges, r)
		return false
	})
	return demands, ranges
}

// labelRanges is the vertices that carry l, neighbouring classes joined.
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

// frequency reports whether v has neighbours or relationships enough that lead into the ranges.
func (d *demand) frequency(v csr.VertexID, ranges []csr.Range) bool {
	lo, hi := d.view.Row(v)
	row, want := d.view.Targets[lo:hi], d.count
	for _, r := range ranges {
		a := kernels.LowerBound(row, r.Lo)
		b := a + kernels.LowerBound(row[a:], r.Hi)
		if want = d.reached(lo+uint64(a), lo+uint64(b), want); want == 0 {
			return true
		}
	}
	return false
}
