package cyclic

import (
	"slices"

	"github.com/motifql/motif/internal/hugepages"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/parallel"
)

// Houses. A house is a closed walk of four steps with a roof: a triangle at its first step. The four walks that begin at different steps of
// one have their roofs on different steps, so together they have all its triangles. A closed walk is found at its highest vertex u, by
// walks of two steps to the vertex opposite. What makes it fast: one array has, for each end, the number of these walks and the sum
// of the triangles at their steps. It is written once for each walk.

// The parts of a number in edges: walks (high bits), and triangles at their steps.
const (
	triangleBits = 40
	triangleMask = 1<<triangleBits - 1
	houseLimit   = 1 << 19 // neighbours of a vertex
)

// houses is the step of houses.
func (r *run) houses() (need, func(w *worker, u uint32), error) {
	g := r.g
	for v := range uint32(g.size()) {
		if len(g.row(v)) >= houseLimit {
			return need{}, nil, pattern.ErrOverflow
		}
	}
	err := error(nil)
	if r.roofs == nil {
		r.roofs, err = r.supports()
	}
	t := r.roofs
	return need{edges: true}, func(w *worker, u uint32) { w.roofs(t, u) }, err
}

// supports returns the number of triangles at each edge, by slot of either end. It marks the list of the higher end and reads that of the lower
// one, which is not longer: an edge costs one number, not each of its triangles.
func (r *run) supports() ([]uint32, error) {
	g, n := r.g, r.g.size()
	if err := r.charge(4 * int64(len(g.target))); err != nil {
		return nil, err
	}
	by := hugepages.Make[uint32](len(g.target))
	marks := make([][]uint8, max(1, min(r.env.Workers, n/chunk)))
	scratch := int64(n) * int64(len(marks))
	defer func() {
		r.env.Memory.Release(scratch)
		r.charged.Add(-scratch)
	}()
	if err := r.charge(scratch); err != nil {
		return nil, err
	}
	parallel.For(len(marks), n, chunk, &r.stop, func(worker, lo, hi int) {
		if marks[worker] == nil {
			marks[worker] = make([]uint8, n)
		}
		for i := lo; i < hi && !r.stop.Load(); i++ {
			g.supportsBelow(uint32(n-1-i), marks[worker], by) // the highest vertices have most work
		}
	})
	return by, r.ctx.Err()
}

// supportsBelow sets the numbers of triangles at the edges from u to vertices below it. Nobody else writes to their slots.
func (g *graph) supportsBelow(u uint32, marked []uint8, by []uint32) {
	for _, x := range g.row(u) {
		marked[x] = 1
	}
	for i := g.start[u]; i < g.middle[u]; i++ {
		v := g.target[i]
		sum := uint32(0)
		for _, x := range g.row(v) {
			sum += uint32(marked[x])
		}
		at, _ := slices.BinarySearch(g.up(v), u)
		by[i], by[g.middle[v]+uint64(at)] = sum, sum
	}
	for _, x := range g.row(u) {
		marked[x] = 0
	}
}

// roofs adds the houses whose cycle has u as its highest vertex.
func (w *worker) roofs(t []uint32, u uint32) {
	g, cells, ends, k := w.g, w.edges, w.walks.ends, 0
	first, last := g.start[u], g.middle[u]
	limit, roofs := u+rules.cut, uint64(0)
	for i := first; i < last; i++ {
		if w.stop.Load() {
			break
		}
		own := uint64(t[i])
		roofs += own
		own += 1 << triangleBits
		lo, hi := g.start[g.target[i]], g.start[g.target[i]+1]
		triangles := t[lo:hi]
		for j, b := range g.target[lo:hi] {
			if b >= limit {
				break
			}
			ends[k] = b
			old := cells[b]
			if cells[b] = old + own + uint64(triangles[j]); old == 0 {
				k++
			}
		}
	}
	w.total.add(roofs, (last-first)*rules.house[1])
	for _, b := range ends[:k] {
		w.total.add(cells[b]>>triangleBits, cells[b]&triangleMask*rules.house[0])
		cells[b] = 0
	}
}
