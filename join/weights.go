package join

import (
	"math/bits"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// Exact weights, where edges compete. Several relationships may join the same two vertices. Usually each edge chooses among them
// independently, and worker.verify in search.go multiplies the counts. The exception is a group of edges that a scope keeps
// apart and whose ends are matched to the same pair of vertices. A group chooses together: its weight is the number of ways
// to give each edge a relationship of its own. A step notices a group by its clashes. Only then verify calls weigher.weigh, which
// computes the weight of the whole partial embedding anew.

// pair is a closed edge with the vertices it joins; smaller one first.
type pair struct {
	edge  int
	scope int // -1 where relationships may repeat
	v, w  csr.VertexID
}

// way is a kind of relationship between two vertices: all that the same edges of a group admit.
type way struct {
	edges  uint64 // as bits
	supply uint64 // how many the search may still choose
}

// weigher finds exact weights for one worker.
type weigher struct {
	w     *worker
	pairs []pair       // scratch of weigh
	rels  []csr.EdgeID // scratch: the relationships between two vertices
	ways  []way        // scratch: the kinds of those
}

// weigh returns in how many ways the edges closed up to step k can choose their relationships.
func (x *weigher) weigh(k int) uint64 {
	w := x.w
	x.pairs = x.pairs[:0]
	for _, i := range w.closeOrder[:w.steps[k].last] {
		e := &w.p.Edges[i]
		from, to := w.match[e.From], w.match[e.To]
		scope := e.Scope
		if mode(&w.p.Scopes[scope]) == pattern.RepeatableElements {
			scope = -1
		}
		x.pairs = append(x.pairs, pair{i, scope, min(from, to), max(from, to)})
	}
	weight := uint64(1)
	for n := len(x.pairs); n > 0 && weight > 0; n = len(x.pairs) {
		// Gather the last pair's group at the end.
		last, at := x.pairs[n-1], n-1
		for i := n - 2; i >= 0 && last.scope >= 0; i-- {
			if p := x.pairs[i]; p.scope == last.scope && p.v == last.v && p.w == last.w {
				at--
				x.pairs[i], x.pairs[at] = x.pairs[at], x.pairs[i]
			}
		}
		hi, lo := bits.Mul64(weight, x.choicesOf(x.pairs[at:n]))
		if hi != 0 {
			w.fail(pattern.ErrOverflow)
		}
		weight, x.pairs = lo, x.pairs[:at]
	}
	return weight
}

// choicesOf returns in how many ways a group of edges between the same two vertices can choose.
func (x *weigher) choicesOf(group []pair) uint64 {
	w := x.w
	if i := group[0].edge; len(group) == 1 {
		if w.p.Edges[i].Bound {
			return 1
		}
		return uint64(w.between(i, w.match))
	}
	if len(group) > 64 {
		w.fail(pattern.ErrOverflow)
		return 0
	}
	x.ways = x.ways[:0]
	types := w.p.Edges[group[0].edge].Types
	for _, p := range group {
		types = types.Union(w.p.Edges[p.edge].Types)
	}
	x.rels = w.s.Relationships(x.rels[:0], group[0].v, group[0].w, types, csr.Both)
	for _, r := range x.rels {
		if x.given(group, r) {
			continue
		}
		admit := x.admitting(group, r)
		i := slices.IndexFunc(x.ways, func(x way) bool { return x.edges == admit })
		if i < 0 {
			i, x.ways = len(x.ways), append(x.ways, way{edges: admit})
		}
		x.ways[i].supply++
	}
	open := uint64(0)
	for i, p := range group {
		if !w.p.Edges[p.edge].Bound {
			open |= 1 << i
		}
	}
	return x.assignments(open)
}

// given reports whether some bound edge of the group has relationship r.
func (x *weigher) given(group []pair, r csr.EdgeID) bool {
	w := x.w
	return slices.ContainsFunc(group, func(p pair) bool { return w.p.Edges[p.edge].Bound && w.job.Edges[p.edge] == r })
}

// admitting returns the edges of the group that relationship r between their ends satisfies, as bits.
func (x *weigher) admitting(group []pair, r csr.EdgeID) uint64 {
	w := x.w
	set := uint64(0)
	src, t := x.source(r, group[0].v, group[0].w), w.s.TypeOf(r)
	for i, p := range group {
		e := &w.p.Edges[p.edge]
		if e.Types.Has(t) && (e.Undirected || w.match[e.From] == src) {
			set |= 1 << i
		}
	}
	return set
}

// source returns the start of relationship r, which joins v and u.
func (x *weigher) source(r csr.EdgeID, v, u csr.VertexID) csr.VertexID {
	w := x.w
	if !w.s.Flat() {
		src, _ := w.s.Endpoints(r)
		return src
	}
	rel := w.s.Rels(w.s.TypeOf(r))
	if lo, hi := rel.Row(v); rel.First+csr.EdgeID(lo) <= r && r < rel.First+csr.EdgeID(hi) {
		return v
	}
	return u
}

// assignments returns in how many ways the open edges can choose different relationships.
func (x *weigher) assignments(open uint64) uint64 {
	if open == 0 {
		return 1
	}
	i := bits.TrailingZeros64(open)
	total := uint64(0)
	for k := range x.ways {
		kind := &x.ways[k]
		if kind.edges>>i&1 == 0 || kind.supply == 0 {
			continue
		}
		n := kind.supply
		kind.supply--
		hi, lo := bits.Mul64(n, x.assignments(open&^(1<<i)))
		kind.supply++
		if total = x.w.sum(total, lo); hi != 0 {
			x.w.fail(pattern.ErrOverflow)
		}
	}
	return total
}
