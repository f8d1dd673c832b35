package graphlet

import "github.com/motifql/motif/internal/hugepages"

// Pairs of vertices with common neighbours. From a vertex u, all vertices w below u at distance two are found with the number of
// paths between. That number is a factor of cycles of four and of what holds one. What makes it fast: a pair is found from one end only.

// cell is what a search from a vertex u knows of a vertex w. Numbers fit: fits has checked the degrees.
type cell struct {
	paths uint32 // common neighbours of u and w
	near  uint32 // triangles at the edges from u to these
	far   uint32 // triangles at the edges from w to these
	edges uint32 // among these, in both directions
}

// pairs fills the rows of cycles of four, and for size five the walks of three edges and the rows that need pairs.
func (r *run) pairs() error {
	d, x := r.g.degree, r.rows
	if r.size < 4 {
		return nil
	}
	if r.size == 4 {
		if err := r.each([]int{8}, nil, (*searcher).cyclesOfFour); err != nil {
			return err
		}
		for v, n := range x[8] { // a cycle has two directions, and walks may turn back
			x[8][v] = 2*n + x[2][v] + x[1][v] - d[v]
		}
		return nil
	}
	if err := r.charge(8 * int64(len(r.g.triangles))); err != nil {
		return err
	}
	r.edges.walks = hugepages.Make[uint64](len(r.g.triangles))
	if err := r.each([]int{8, 36, 49, 50, 51, 62, 63, 64}, r.edges.walks, (*searcher).pairsOf); err != nil {
		return err
	}
	for e, v := range r.g.high { // walks that turn back at once
		r.edges.walks[e] += d[v]
	}
	for o, back := range map[int]int{8: 2, 36: 7, 50: 7, 49: 6, 51: 11, 62: 9, 63: 11} { // a pair of a vertex with itself
		addTo(x[o], x[back])
	}
	for v := range d {
		for i := r.g.start[v]; i < r.g.start[v+1]; i++ {
			x[64][v] += r.edges.degrees[r.g.edge[i]]
		}
	}
	return nil
}

// cyclesOfFour adds the cycles of four whose highest vertex is u to the numbers of their vertices. It goes down only, and so visits fewer
// paths than the other passes.
func (w *searcher) cyclesOfFour(u int) {
	row, k, all, mark, ends := w.rows[8], 0, uint64(0), w.mark, w.ends
	near, _ := w.g.down(u)
	for _, v := range near {
		if w.stop.Load() {
			break
		}
		for _, x := range w.g.targets(v) {
			if int(x) >= u {
				break
			}
			if mark[x]++; mark[x] == 1 {
				ends[k] = x
				k++
			}
		}
	}
	for _, v := range near {
		sum := uint64(0)
		for _, x := range w.g.targets(v) {
			if int(x) >= u {
				break
			}
			sum += uint64(mark[x] - 1)
		}
		row[v] += sum
	}
	for _, x := range w.ends[:k] {
		c := uint64(w.mark[x])
		w.mark[x] = 0
		row[x] += c * (c - 1) / 2
		all += c * (c - 1) / 2
	}
	row[u] += all
}

// pairsOf adds the pairs of u to all numbers.
func (w *searcher) pairsOf(u int) {
	ends := w.ends[:w.findPairs(u)]
	w.facePairs(u)
	w.walkPairs(u)
	var n [73]uint64
	d := w.g.degree
	for _, x := range ends {
		p := &w.cells[x]
		c := uint64(p.paths)
		n[8] += c * c
		w.rows[8][x] += c * c
		n[36] += c * c * d[x]
		w.rows[36][x] += c * c * d[u]
		n[50] += c * c * c
		w.rows[50][x] += c * c * c
		n[51] += c * uint64(p.far)
		w.rows[51][x] += c * uint64(p.near)
		n[63] += c * uint64(p.edges)
		w.rows[63][x] += c * uint64(p.edges)
		*p = cell{}
	}
	for _, o := range []int{8, 36, 50, 51, 63} {
		w.rows[o][u] += n[o]
	}
}

// findPairs fills the cells of u, and returns how many are in use.
func (w *searcher) findPairs(u int) (k int) {
	g := w.g
	lo, hi := g.row(u)
	for i := lo; i < hi && !w.stop.Load(); i++ {
		near := g.triangles[g.edge[i]]
		from, to := g.row(int(g.target[i]))
		targets, edges := g.target[from:to], g.edge[from:to]
		for j, x := range targets {
			if int(x) >= u {
				break
			}
			p := &w.cells[x]
			if p.paths == 0 {
				w.ends[k] = x
				k++
			}
			p.paths++
			p.near += near
			p.far += g.triangles[edges[j]]
		}
	}
	return k
}

// facePairs counts, for each edge that makes a triangle with u, the vertices below u that make one with it as well.
func (w *searcher) facePairs(u int) {
	g := w.g
	for k, e := range g.opposite[g.from[u]:g.from[u+1]] {
		sum := uint64(0)
		for _, x := range g.corners(e) {
			if int(x) >= u {
				break
			}
			p := &w.cells[x]
			sum += uint64(p.paths)
			p.edges += 2
		}
		w.rows[64][g.high[e]] += 2 * sum
		w.rows[64][g.lower[e]] += 2 * sum
		if k&1023 == 0 && w.stop.Load() {
			return
		}
	}
}

// walkPairs goes over the paths from u again, now that the cells are full, and adds to the vertices and the edges in the middle.
func (w *searcher) walkPairs(u int) {
	g := w.g
	lo, hi := g.row(u)
	for i := lo; i < hi && !w.stop.Load(); i++ {
		v := g.target[i]
		from, to := g.row(int(v))
		j, squares, faces, down := from, uint64(0), uint64(0), uint64(0)
		for ; j < to && g.target[j] < v && int(g.target[j]) < u; j++ {
			p := &w.cells[g.target[j]]
			c := uint64(p.paths)
			down += c
			squares += c * c
			faces += uint64(p.edges)
		}
		for ; j < to && int(g.target[j]) < u; j++ { // the edge from v goes up: it is this walk's
			p := &w.cells[g.target[j]]
			c := uint64(p.paths)
			w.edges[g.edge[j]] += c
			down += c
			squares += c * c
			faces += uint64(p.edges)
		}
		if int(v) < u {
			w.edges[g.edge[i]] += down
		}
		w.rows[49][v] += 2 * squares
		w.rows[62][v] += 2 * faces
	}
}
