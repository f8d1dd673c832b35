package join

import (
	"math/bits"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// Exact weights. Given the vertices, the edges of the pattern choose relationships independently of each other, so
// the number of choices is a product of counts - except where edges of one scope that keeps relationships
// apart are matched to the same pair of vertices. Such a group of edges chooses together: its number is that
// of the ways to give each edge a relationship of its own. Steps notice (see clash) when a group comes about, and only
// then the weight of the whole partial embedding is found anew.

// pair is a closed edge with the vertices it joins; smaller one first.
type pair struct {
	edge  int
	scope int // -1 where relationships may repeat
	v, w  csr.VertexID
}

// way is a kind of relationship between two vertices: those that the same edges of a group admit.
type way struct {
	edges uint64 // as bits
	left  uint64 // how many are not chosen yet
}

// weigh returns in how many ways the edges closed up to step k can choose their relationships.
func (w *worker) weigh(k int) uint64 {
	w.pairs = w.pairs[:0]
	for _, i := range w.closed[:w.steps[k].last] {
		e := &w.p.Edges[i]
		from, to := w.match[e.From], w.match[e.To]
		scope := e.Scope
		if mode(&w.p.Scopes[scope]) == pattern.RepeatableElements {
			scope = -1
		}
		w.pairs = append(w.pairs, pair{i, scope, min(from, to), max(from, to)})
	}
	weight := uint64(1)
	for n := len(w.pairs); n > 0 && weight > 0; n = len(w.pairs) {
		// Gather the last pair's group at the end.
		last, at := w.pairs[n-1], n-1
		for i := n - 2; i >= 0 && last.scope >= 0; i-- {
			if p := w.pairs[i]; p.scope == last.scope && p.v == last.v && p.w == last.w {
				at--
				w.pairs[i], w.pairs[at] = w.pairs[at], w.pairs[i]
			}
		}
		hi, lo := bits.Mul64(weight, w.choicesOf(w.pairs[at:n]))
		if hi != 0 {
			w.fail(pattern.ErrOverflow)
		}
		weight, w.pairs = lo, w.pairs[:at]
	}
	return weight
}

// choicesOf returns in how many ways a group of edges between the same two vertices can choose.
func (w *worker) choicesOf(group []pair) uint64 {
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
	w.ways = w.ways[:0]
	types := w.p.Edges[group[0].edge].Types
	for _, p := range group {
		types = types.Union(w.p.Edges[p.edge].Types)
	}
	w.scanned = w.s.Relationships(w.scanned[:0], group[0].v, group[0].w, types, csr.Both)
	for _, r := range w.scanned {
		if w.given(group, r) {
			continue
		}
		admit := w.admitting(group, r)
		i := slices.IndexFunc(w.ways, func(x way) bool { return x.edges == admit })
		if i < 0 {
			i, w.ways = len(w.ways), append(w.ways, way{edges: admit})
		}
		w.ways[i].left++
	}
	open := uint64(0)
	for i, p := range group {
		if !w.p.Edges[p.edge].Bound {
			open |= 1 << i
		}
	}
	return w.assignments(open)
}

// given reports whether some bound edge of the group has relationship r.
func (w *worker) given(group []pair, r csr.EdgeID) bool {
	return slices.ContainsFunc(group, func(p pair) bool { return w.p.Edges[p.edge].Bound && w.job.Edges[p.edge] == r })
}

// admitting is the set of the group's edges that relationship r between their ends satisfies.
func (w *worker) admitting(group []pair, r csr.EdgeID) uint64 {
	set := uint64(0)
	src, t := w.source(r, group[0].v, group[0].w), w.s.TypeOf(r)
	for i, p := range group {
		e := &w.p.Edges[p.edge]
		if e.Types.Has(t) && (e.Undirected || w.match[e.From] == src) {
			set |= 1 << i
		}
	}
	return set
}

// source is the vertex that r, which joins v and w, starts from.
func (w *worker) source(r csr.EdgeID, v, u csr.VertexID) csr.VertexID {
	if !w.s.Flat() {
		src, _ := w.s.Endpoints(r)
		return src
	}
	rel := &w.s.Rels[w.s.TypeOf(r)]
	if lo, hi := rel.Row(v); rel.First+csr.EdgeID(lo) <= r && r < rel.First+csr.EdgeID(hi) {
		return v
	}
	return u
}

// assignments returns in how many ways the open edges can choose different relationships.
func (w *worker) assignments(open uint64) uint64 {
	if open == 0 {
		return 1
	}
	i := bits.TrailingZeros64(open)
	total := uint64(0)
	for k := range w.ways {
		x := &w.ways[k]
		if x.edges>>i&1 == 0 || x.left == 0 {
			continue
		}
		n := x.left
		x.left--
		hi, lo := bits.Mul64(n, w.assignments(open&^(1<<i)))
		x.left++
		if total = w.sum(total, lo); hi != 0 {
			w.fail(pattern.ErrOverflow)
		}
	}
	return total
}
