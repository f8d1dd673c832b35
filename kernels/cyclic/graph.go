package cyclic

import (
	"cmp"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// lists are the neighbours of every vertex, rising.
type lists struct {
	start  []uint64
	target []uint32
}

// row returns the neighbours of v.
func (l *lists) row(v uint32) []uint32 { return l.target[l.start[v]:l.start[v+1]] }

// graph is a simple graph. The number of a vertex is its rank, which rises with its degree.
type graph struct {
	lists
	middle []uint64 // by vertex: its first neighbour above it
}

// size returns the number of vertices.
func (g *graph) size() int { return len(g.middle) }

// down returns the neighbours of v below it.
func (g *graph) down(v uint32) []uint32 { return g.target[g.start[v]:g.middle[v]] }

// up returns the neighbours of v above it.
func (g *graph) up(v uint32) []uint32 { return g.target[g.middle[v]:g.start[v+1]] }

// pollMask tells the vertices at which a pass looks whether it has to stop.
const pollMask = 1<<10 - 1

// rank ranks the vertices of within that have neighbours there, and lists these.
func (r *run) rank(adj *csr.Adjacency, n uint64, within *pattern.CandidateSet) error {
	in := func(v csr.VertexID) bool { return within == nil || within.Has(v) }
	if err := r.charge(12 * int64(n)); err != nil {
		return err
	}
	degree := make([]uint32, n)
	var order []csr.VertexID
	for v := range csr.VertexID(n) {
		if v&pollMask == 0 && r.stop.Load() {
			return r.ctx.Err()
		}
		if !in(v) {
			continue
		}
		for _, w := range adj.Neighbours(v) {
			if w != v && in(w) {
				degree[v]++
			}
		}
		if degree[v] > 0 {
			order = append(order, v)
		}
	}
	slices.SortFunc(order, func(a, b csr.VertexID) int { return cmp.Or(cmp.Compare(degree[a], degree[b]), cmp.Compare(b, a)) })
	g := &graph{middle: make([]uint64, len(order))}
	g.start = make([]uint64, len(order)+1)
	for i, v := range order {
		g.start[i+1] = g.start[i] + uint64(degree[v])
	}
	slots := g.start[len(order)]
	if err := r.charge(24*int64(len(order)) + 4*int64(slots)); err != nil {
		return err
	}
	number := degree // by vertex: its rank, from now on
	for i, v := range order {
		number[v] = uint32(i)
	}
	g.target = make([]uint32, slots)
	next := slices.Clone(g.start)
	for i, v := range order { // each vertex enters the lists of its neighbours in turn, so that lists rise
		if i&pollMask == 0 && r.stop.Load() {
			return r.ctx.Err()
		}
		g.middle[i] = next[i]
		for _, w := range adj.Neighbours(v) {
			if w != v && in(w) {
				k := number[w]
				g.target[next[k]] = uint32(i)
				next[k]++
			}
		}
	}
	r.g = g
	return nil
}
