package graphlet

import "github.com/motifql/motif/internal/hugepages"

// Homomorphisms that are sums along lists. The number of an orbit at a vertex is that of the maps of its graphlet that send the
// orbit to the vertex. Maps may send two vertices to one, so a tree below a vertex is a factor, and a triangle at an edge is one, too.

// pollMask tells the vertices at which a pass looks whether it has to stop.
const pollMask = 1<<10 - 1

// along stores the sum of f over the neighbours of each vertex.
func (r *run) along(f []uint64, into int) {
	g, sums := r.g, r.rows[into]
	for v := range sums {
		if v&pollMask == 0 && r.stop.Load() {
			return
		}
		lo, hi := g.row(v)
		sum := uint64(0)
		for _, w := range g.target[lo:hi] {
			sum += f[w]
		}
		sums[v] = sum
	}
}

// times stores the products of two rows.
func (r *run) times(a, b []uint64, into int) {
	for v := range r.rows[into] {
		r.rows[into][v] = a[v] * b[v]
	}
}

// at stores sums over the slots of each vertex.
func (r *run) at(into int, f func(slot uint64, w, e uint32) uint64) {
	g := r.g
	for v := range r.rows[into] {
		if v&pollMask == 0 && r.stop.Load() {
			return
		}
		sum := uint64(0)
		for i := g.start[v]; i < g.start[v+1]; i++ {
			sum += f(i, g.target[i], g.edge[i])
		}
		r.rows[into][v] = sum
	}
}

// facing stores sums over the edges that make a triangle with each vertex.
func (r *run) facing(into int, f func(e uint32) uint64) {
	g := r.g
	for v := range r.rows[into] {
		if v&pollMask == 0 && r.stop.Load() {
			return
		}
		sum := uint64(0)
		for _, e := range g.opposite[g.from[v]:g.from[v+1]] {
			sum += f(e)
		}
		r.rows[into][v] = sum
	}
}

// sums fills the rows that need degrees and triangles only.
func (r *run) sums() error {
	g, x, d := r.g, r.rows, r.g.degree
	t := func(e uint32) uint64 { return uint64(g.triangles[e]) }
	copy(x[0], d)
	r.along(d, 1)
	r.times(d, d, 2)
	r.at(3, func(_ uint64, _, e uint32) uint64 { return t(e) })
	if r.size == 3 {
		return nil
	}
	r.along(x[1], 4)
	r.times(d, x[1], 5)
	r.along(x[2], 6)
	r.times(d, x[2], 7)
	r.along(x[3], 9)
	r.at(10, func(_ uint64, w, e uint32) uint64 { return t(e) * d[w] })
	r.times(d, x[3], 11)
	r.at(13, func(_ uint64, _, e uint32) uint64 { return t(e) * t(e) })
	if r.size == 4 {
		r.faceTriangles(x[12])
		return nil
	}
	r.facing(12, func(e uint32) uint64 { return 2 * t(e) })
	r.trees()
	return r.fans()
}

// trees fills the rows of trees, and of a triangle with trees.
func (r *run) trees() {
	g, x, d := r.g, r.rows, r.g.degree
	t := func(e uint32) uint64 { return uint64(g.triangles[e]) }
	r.along(x[4], 15)
	r.times(d, x[4], 16)
	r.times(x[1], x[1], 17)
	r.along(x[6], 18)
	r.along(x[5], 19)
	r.times(d, x[6], 20)
	r.times(d, x[5], 21)
	r.along(x[7], 22)
	r.times(d, x[7], 23)
	r.along(x[10], 24)
	r.times(d, x[10], 26)
	r.along(x[9], 27)
	r.times(d, x[9], 28)
	r.at(29, func(_ uint64, w, e uint32) uint64 { return t(e) * x[1][w] })
	r.times(x[3], x[1], 30)
	r.along(x[11], 31)
	r.at(32, func(_ uint64, w, e uint32) uint64 { return t(e) * x[2][w] })
	r.times(x[3], x[2], 33)
}

// fans fills the rows of triangles that share an edge or a vertex.
func (r *run) fans() error {
	g, x, d := r.g, r.rows, r.g.degree
	t := func(e uint32) uint64 { return uint64(g.triangles[e]) }
	if err := r.charge(int64(8*len(g.triangles) + 8*len(g.target) + 8*len(d))); err != nil {
		return err
	}
	s := hugepages.Make[uint64](len(g.triangles)) // degrees of the corners
	for e := range s {
		for _, c := range g.corners(uint32(e)) {
			s[e] += d[c]
		}
	}
	r.edges.degrees = s
	next := r.besides()
	r.at(25, func(_ uint64, w, e uint32) uint64 { return d[w] * s[e] })
	r.along(x[13], 39)
	r.at(40, func(i uint64, w, _ uint32) uint64 { return d[w] * next[g.back[i]] })
	r.at(41, func(_ uint64, w, e uint32) uint64 { return t(e) * t(e) * d[w] })
	r.times(d, x[13], 42)
	r.at(43, func(_ uint64, w, e uint32) uint64 { return t(e) * x[3][w] })
	r.times(x[3], x[3], 44)
	r.along(x[12], 45)
	r.facing(46, func(e uint32) uint64 { return 2 * s[e] })
	r.times(d, x[12], 47)
	r.at(48, func(_ uint64, _, e uint32) uint64 { return t(e) * s[e] })
	r.facing(54, func(e uint32) uint64 { return 2 * t(e) * t(e) })
	r.at(55, func(_ uint64, _, e uint32) uint64 { return t(e) * t(e) * t(e) })
	r.at(60, func(i uint64, _, e uint32) uint64 { return t(e) * next[g.back[i]] })
	r.at(61, func(i uint64, _, e uint32) uint64 { return t(e) * next[i] })
	both := hugepages.Make[uint64](len(g.triangles))
	for i, e := range g.edge {
		both[e] += next[i]
	}
	r.facing(59, func(e uint32) uint64 { return both[e] })
	return nil
}

// besides returns by slot, for the vertex v and its neighbour w, the sum of the triangles at the edges from v to the corners of the slot's
// edge.
func (r *run) besides() []uint64 {
	g := r.g
	next := hugepages.Make[uint64](len(g.target))
	t := hugepages.Make[uint64](len(g.vertex)) // by rank: triangles at the edge from v
	for v := range g.vertex {
		lo, hi := g.row(v)
		for i := lo; i < hi; i++ {
			t[g.target[i]] = uint64(g.triangles[g.edge[i]])
		}
		for i := lo; i < hi; i++ {
			for _, c := range g.corners(g.edge[i]) {
				next[i] += t[c]
			}
		}
		if r.stop.Load() {
			break
		}
	}
	return next
}

// lateSums fills the rows that need walks and cliques at edges.
func (r *run) lateSums() error {
	if r.size < 5 {
		return nil
	}
	g, x, d := r.g, r.rows, r.g.degree
	q, k := r.edges.walks, r.edges.cliques
	t := func(e uint32) uint64 { return uint64(g.triangles[e]) }
	r.along(x[8], 35)
	r.at(37, func(_ uint64, w, e uint32) uint64 { return q[e] * d[w] })
	r.times(d, x[8], 38)
	r.facing(52, func(e uint32) uint64 { return 2 * q[e] })
	r.at(53, func(_ uint64, _, e uint32) uint64 { return t(e) * q[e] })
	r.along(x[14], 56)
	r.at(57, func(_ uint64, w, e uint32) uint64 { return k[e] * d[w] })
	r.times(d, x[14], 58)
	for v := range d { // a clique of four has six homomorphisms at a vertex
		x[56][v], x[58][v] = 6*x[56][v], 6*x[58][v]
	}
	r.facing(65, func(e uint32) uint64 { return 2 * k[e] })
	r.at(67, func(_ uint64, _, e uint32) uint64 { return t(e) * k[e] })
	return nil
}
