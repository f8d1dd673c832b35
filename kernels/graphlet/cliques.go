package graphlet

import "github.com/motifql/motif/internal/hugepages"

// Cliques of four and wheels. The corners of the edges at a vertex are the lists of the graph among its neighbours. What makes it fast: that
// graph is never built, and each triangle is intersected once, on its two shorter lists with the top.

// quadruples fills the rows of cliques of four, of what holds one, and of wheels.
func (r *run) quadruples() error {
	if r.size < 5 {
		return nil
	}
	if err := r.charge(8 * int64(len(r.g.triangles))); err != nil {
		return err
	}
	r.edges.cliques = hugepages.Make[uint64](len(r.g.triangles))
	if err := r.each([]int{14, 66, 70, 71}, r.edges.cliques, (*searcher).cliquesOfFour); err != nil {
		return err
	}
	return r.each([]int{68, 69}, nil, (*searcher).wheels)
}

// enter notes the slots of u by rank.
func (w *searcher) enter(u int) {
	lo, hi := w.g.row(u)
	for i := lo; i < hi; i++ {
		w.slot[w.g.target[i]] = i + 1
	}
}

// leave forgets what enter noted.
func (w *searcher) leave(u int) {
	lo, hi := w.g.row(u)
	for _, x := range w.g.target[lo:hi] {
		w.slot[x] = 0
	}
}

// cliquesOfFour finds the cliques that hold a triangle whose top is u.
func (w *searcher) cliquesOfFour(u int) {
	g := w.g
	w.enter(u)
	lo, hi := g.row(u)
	for i := lo; i < hi && int(g.target[i]) < u && !w.stop.Load(); i++ {
		v, uv := g.target[i], g.edge[i]
		list := g.corners(uv)
		for _, c := range list {
			w.mark[c] = 1
		}
		for k, c := range list {
			if c >= v {
				break
			}
			uc, vc := g.edge[w.slot[c]-1], g.low[g.begin[uv]+uint64(k)]
			shorter := g.corners(uc)
			if g.triangles[vc] < g.triangles[uc] {
				shorter = g.corners(vc)
			}
			n := 0
			for _, x := range shorter {
				if w.mark[x] != 0 {
					w.ends[n] = x
					n++
				}
			}
			if n > 0 {
				w.triangle(u, uv, uc, vc, int(v), int(c), w.ends[:n])
			}
		}
		for _, c := range list {
			w.mark[c] = 0
		}
	}
	w.leave(u)
}

// triangle adds the cliques of a triangle, whose fourth vertices are tips, to all numbers.
func (w *searcher) triangle(u int, uv, uc, vc uint32, v, c int, tips []uint32) {
	for _, x := range tips {
		w.rows[14][x]++
	}
	t, n := w.g.triangles, uint64(len(tips))
	sides := 2 * (uint64(t[uv]) + uint64(t[uc]) + uint64(t[vc]))
	for _, x := range tips {
		w.rows[66][x] += sides
		w.rows[70][x] += n - 1
	}
	for _, e := range [3]uint32{uv, uc, vc} {
		w.edges[e] += n
	}
	for _, x := range [3]int{u, v, c} {
		w.rows[71][x] += n * (n - 1) / 2
	}
}

// wheels counts the cycles of four among the neighbours of the hub.
func (w *searcher) wheels(hub int) {
	g, all := w.g, uint64(0)
	w.enter(hub)
	lo, hi := g.row(hub)
	for i := lo; i < hi && !w.stop.Load(); i++ {
		u, k := g.target[i], 0
		spokes := g.corners(g.edge[i])
		for _, v := range spokes {
			if v >= u {
				break
			}
			for _, x := range g.corners(g.edge[w.slot[v]-1]) {
				if x >= u {
					break
				}
				if w.mark[x]++; w.mark[x] == 1 {
					w.ends[k] = x
					k++
				}
			}
		}
		for _, v := range spokes {
			if v >= u {
				break
			}
			sum := uint64(0)
			for _, x := range g.corners(g.edge[w.slot[v]-1]) {
				if x >= u {
					break
				}
				sum += uint64(w.mark[x] - 1)
			}
			w.rows[68][v] += sum
		}
		cycles := uint64(0)
		for _, x := range w.ends[:k] {
			c := uint64(w.mark[x])
			w.mark[x] = 0
			w.rows[68][x] += c * (c - 1) / 2
			cycles += c * (c - 1) / 2
		}
		w.rows[68][u] += cycles
		all += cycles
	}
	w.rows[69][hub] += all
	w.leave(hub)
}
