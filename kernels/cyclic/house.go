package cyclic

import "slices"

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

// houses counts houses.
func (r *run) houses() (sum, error) {
	g := r.g
	for v := range uint32(g.size()) {
		if len(g.row(v)) >= houseLimit {
			return sum{over: 1}, nil
		}
	}
	t, err := r.supports()
	if err != nil {
		return sum{}, err
	}
	return r.each(need{edges: true}, func(w *worker, u uint32) { w.roofs(t, u) })
}

// supports returns the number of triangles at each edge, by slot of either end.
func (r *run) supports() ([]uint32, error) {
	g := r.g
	n := g.size()
	if err := r.charge(24*int64(n) + 4*int64(len(g.target))); err != nil {
		return nil, err
	}
	by, slot, next := make([]uint32, len(g.target)), make([]uint64, n), slices.Clone(g.middle)
	for u := range uint32(n) { // u is the lowest vertex of the triangles found now
		first, last := g.middle[u], g.start[u+1]
		for i := first; i < last; i++ {
			slot[g.target[i]] = i + 1
		}
		for i := first; i < last; i++ {
			if r.stop.Load() {
				return nil, r.ctx.Err()
			}
			v := g.target[i]
			for j := g.middle[v]; j < g.start[v+1]; j++ {
				if s := slot[g.target[j]]; s > 0 {
					by[i]++
					by[j]++
					by[s-1]++
				}
			}
		}
		for _, v := range g.target[first:last] {
			slot[v] = 0
		}
	}
	for v := range uint32(n) { // from the lower ends to the higher ones
		for i := g.start[v]; i < g.middle[v]; i++ {
			x := g.target[i]
			by[i] = by[next[x]]
			next[x]++
		}
	}
	return by, r.ctx.Err()
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
