package hom

import (
	"cmp"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/hugepages"
)

// ranking is an order of the vertices by falling degree. A lower vertex has a larger rank number.
type ranking struct {
	of     []csr.VertexID // rank by vertex; nil where the vertices' own numbers serve
	vertex []csr.VertexID // vertex by rank
}

// ranking ranks the vertices by their degrees over all lists, once. The vertices of one class mostly are in this order already.
func (r *execution) ranking() (*ranking, error) {
	if r.ranks != nil {
		return r.ranks, nil
	}
	n := int(r.s.N())
	var views []*csr.Adjacency
	for _, rows := range r.rowsOf {
		for i := range rows.factors {
			if view := rows.factors[i].view; !slices.Contains(views, view) {
				views = append(views, view)
			}
		}
	}
	if err := r.charge(8 * n); err != nil {
		return nil, err
	}
	degree := hugepages.Make[uint64](n)
	for _, view := range views {
		for v := range degree {
			degree[v] += uint64(view.Degree(csr.VertexID(v)))
		}
	}
	r.ranks = &ranking{}
	if trustNumbers && nearlyFalling(degree) {
		return r.ranks, nil
	}
	if err := r.charge(12 * n); err != nil { // with the places of sortFalling
		return nil, err
	}
	x := r.ranks
	x.of, x.vertex = hugepages.Make[csr.VertexID](n), hugepages.Make[csr.VertexID](n)
	sortFalling(x.vertex, degree)
	for rank, v := range x.vertex {
		x.of[v] = csr.VertexID(rank)
	}
	return x, nil
}

// sortFalling writes the vertices to list, by falling degree and then by number. Degrees are small numbers: it counts how many vertices have
// each, which is one pass to find the places and one to fill them.
func sortFalling(list []csr.VertexID, degree []uint64) {
	most := uint64(0)
	for v, d := range degree {
		list[v], most = csr.VertexID(v), max(most, d)
	}
	if most > uint64(len(degree)) {
		slices.SortFunc(list, func(a, b csr.VertexID) int { return cmp.Or(cmp.Compare(degree[b], degree[a]), cmp.Compare(a, b)) })
		return
	}
	place := make([]uint32, most+2) // of the next vertex with the degree most-i
	for _, d := range degree {
		place[most-d+1]++
	}
	for i := range most {
		place[i+1] += place[i]
	}
	for v, d := range degree {
		list[place[most-d]] = csr.VertexID(v)
		place[most-d]++
	}
}

// trustNumbers is false in tests that want ranks on small graphs.
var trustNumbers = true

// nearlyFalling reports whether no degree is much more than twice an earlier one.
func nearlyFalling(degree []uint64) bool {
	const slack = 8
	least := ^uint64(0) / 4
	for _, d := range degree {
		if d > 2*least+slack {
			return false
		}
		least = min(least, d)
	}
	return true
}

// lists are neighbour lists by rank: list v holds the ranks of its vertices, rising, with the weights of the pairs.
type lists struct {
	lo      csr.VertexID
	offsets []uint64
	targets []csr.VertexID
	weights []uint64 // nil: all 1
	lengths []uint64 // sums of weights; nil with weights
}

// bounds returns where the list of v is in targets.
func (l *lists) bounds(v csr.VertexID) (lo, hi uint64) {
	i := uint64(v) - uint64(l.lo)
	if v < l.lo || i+1 >= uint64(len(l.offsets)) {
		return 0, 0
	}
	return l.offsets[i], l.offsets[i+1]
}

// length returns the sum of the weights in the list of v.
func (l *lists) length(v csr.VertexID) uint64 {
	if l.weights != nil && v >= l.lo && uint64(v)-uint64(l.lo) < uint64(len(l.lengths)) {
		return l.lengths[v-l.lo]
	}
	lo, hi := l.bounds(v)
	return hi - lo
}

// ranked returns the lists of rows by rank. back are the same pairs from their other end.
func (r *execution) ranked(rows, back *rowsPlan) (*lists, error) {
	if rows.byRank != nil {
		return rows.byRank, nil
	}
	for _, x := range []*rowsPlan{rows, back} {
		if err := r.build(x); err != nil {
			return nil, err
		}
	}
	x, err := r.ranking()
	if err != nil {
		return nil, err
	}
	if x.of == nil {
		rows.byRank = &lists{rows.lo, rows.offsets, rows.targets, rows.weights, rows.lengths}
		return rows.byRank, nil
	}
	n, size := int(r.s.N()), 4
	weighs := rows.weights != nil && back.weights != nil // both say the same pairs: if one knows that all weigh 1, they do
	if weighs {
		size = 12
	}
	if err := r.charge(8*(3*n+1) + size*len(rows.targets)); err != nil {
		return nil, err
	}
	out := &lists{offsets: hugepages.Make[uint64](n + 1), targets: hugepages.Make[csr.VertexID](len(rows.targets))}
	if weighs {
		out.weights, out.lengths = hugepages.Make[uint64](len(rows.weights)), hugepages.Make[uint64](n)
	}
	for rank, v := range x.vertex {
		lo, hi := rows.list(v)
		if !r.in(rows.from, v) {
			hi = lo
		}
		if out.offsets[rank+1] = out.offsets[rank] + hi - lo; weighs && hi > lo {
			out.lengths[rank] = rows.lengths[v-rows.lo]
		}
	}
	next := slices.Clone(out.offsets)
	for rank, w := range x.vertex { // the lists fill by rising rank
		if rank&1023 == 0 && r.stop.Load() {
			return nil, r.ctx.Err()
		}
		if !r.in(rows.to, w) {
			continue
		}
		lo, hi := back.list(w)
		for i := lo; i < hi; i++ {
			at := &next[x.of[back.targets[i]]]
			out.targets[*at] = csr.VertexID(rank)
			if weighs {
				out.weights[*at] = back.weights[i]
			}
			*at++
		}
	}
	rows.byRank = out
	return out, nil
}

// at returns the vertex of a rank.
func (x *ranking) at(rank csr.VertexID) csr.VertexID {
	if x.vertex == nil {
		return rank
	}
	return x.vertex[rank]
}

// in reports whether v is in a set.
func (h *Counter) in(set int, v csr.VertexID) bool { return h.sets[set] == nil || h.sets[set].Has(v) }
