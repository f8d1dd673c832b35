package cyclic

import (
	"cmp"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/hugepages"
	"github.com/motifql/motif/internal/pattern"
)

// lists are the neighbours of every vertex, rising.
type lists struct {
	start  []uint64
	target []uint32
	weight []uint32 // of the pairs, by slot of target; nil: all 1
}

// weights returns the weights of the neighbours of v.
func (l *lists) weights(v uint32) []uint32 { return l.weight[l.start[v]:l.start[v+1]] }

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

// maxWeight is the largest weight of a pair. Sums of products are below 2^64 with it.
const maxWeight = 16

// neighbours calls fn for the neighbours of v in the set, with the weights of the pairs. It skips v itself and pairs that weigh nothing.
func (r *run) neighbours(v csr.VertexID, fn func(w csr.VertexID, weight uint32)) error {
	lo, hi := r.adj.Row(v)
	for i := lo; i < hi; i++ {
		w, weight := r.adj.Targets[i], uint64(1)
		if w == v || r.within != nil && !r.within.Has(w) {
			continue
		}
		if r.weigh != nil {
			m, err := uint64(1), error(nil)
			if r.adj.Counts != nil {
				m = uint64(r.adj.Counts[i])
			}
			if weight, err = r.weigh.Weight(m); err != nil || weight > maxWeight {
				return pattern.ErrOverflow // the arrays or a search count with larger numbers
			}
		}
		if weight > 0 {
			fn(w, uint32(weight))
		}
	}
	return nil
}

// rank ranks the vertices of the set that have neighbours there, and lists these.
func (r *run) rank(n uint64) error {
	if err := r.charge(12 * int64(n)); err != nil { // degrees, later numbers, and the order
		return err
	}
	degree := hugepages.Make[uint32](n)
	var order []csr.VertexID
	for v := range csr.VertexID(n) {
		if v&pollMask == 0 && r.stop.Load() {
			return r.ctx.Err()
		}
		if r.within != nil && !r.within.Has(v) {
			continue
		}
		if err := r.neighbours(v, func(csr.VertexID, uint32) { degree[v]++ }); err != nil {
			return err
		}
		if degree[v] > 0 {
			order = append(order, v)
		}
	}
	slices.SortFunc(order, func(a, b csr.VertexID) int { return cmp.Or(cmp.Compare(degree[a], degree[b]), cmp.Compare(b, a)) })
	return r.list(order, degree)
}

// list lists the neighbours of the vertices in order, which the call numbers by their places there. It writes over their degrees.
func (r *run) list(order []csr.VertexID, degree []uint32) error {
	g := &graph{middle: hugepages.Make[uint64](len(order))}
	g.start = hugepages.Make[uint64](len(order) + 1)
	for i, v := range order {
		g.start[i+1] = g.start[i] + uint64(degree[v])
	}
	slots := g.start[len(order)]
	size := int64(4)
	if r.weigh != nil {
		size = 8
	}
	if err := r.charge(24*int64(len(order)) + size*int64(slots)); err != nil {
		return err
	}
	number := degree // by vertex: its rank, from now on
	for i, v := range order {
		number[v] = uint32(i)
	}
	g.target = hugepages.Make[uint32](slots)
	if r.weigh != nil {
		g.weight = hugepages.Make[uint32](slots)
	}
	next := slices.Clone(g.start)
	for i, v := range order { // each vertex enters the lists of its neighbours in turn, so that lists rise
		if i&pollMask == 0 && r.stop.Load() {
			return r.ctx.Err()
		}
		g.middle[i] = next[i]
		err := r.neighbours(v, func(w csr.VertexID, weight uint32) {
			at := &next[number[w]]
			if g.target[*at] = uint32(i); g.weight != nil {
				g.weight[*at] = weight
			}
			*at++
		})
		if err != nil {
			return err
		}
	}
	r.g, r.order, r.number = g, order, number
	return nil
}
