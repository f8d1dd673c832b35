package cyclic

import (
	"slices"

	"github.com/motifql/motif/internal/hugepages"
)

// Cliques of four with a subdivided edge. Let u and x be the ends of the subdivided edge. The path between them goes over a common neighbour,
// and the rest of the clique is an edge between common neighbours. So the number is the sum, over all pairs, of the common neighbours times
// the edges among them. What makes it fast: triangles are listed once, by edge and by vertex, and a pair is found from its higher end.

// triangles are the triangles of a graph, by edge and by vertex. The number of an edge is the place of its lower end among all neighbours
// below.
type triangles struct {
	edge     []uint64 // by vertex: the number of its first edge to a neighbour below
	begin    []uint64 // by edge: its first corner
	corner   []uint32 // third vertices, rising
	from     []uint64 // by vertex: its first opposite edge
	opposite []uint64 // edges that make a triangle with a vertex
}

// eachTriangle calls fn for every triangle u > v > x with the edges u v, u x and v x.
func (r *run) eachTriangle(t *triangles, slot []uint64, fn func(u, v, x uint32, uv, ux, vx uint64)) {
	for u := range uint32(r.g.size()) {
		if r.stop.Load() {
			return
		}
		down := r.g.down(u)
		for i, v := range down {
			slot[v] = t.edge[u] + uint64(i) + 1
		}
		for i, v := range down {
			for j, x := range r.g.down(v) {
				if ux := slot[x]; ux > 0 {
					fn(u, v, x, t.edge[u]+uint64(i), ux-1, t.edge[v]+uint64(j))
				}
			}
		}
		for _, v := range down {
			slot[v] = 0
		}
	}
}

// listTriangles lists the triangles.
func (r *run) listTriangles() (*triangles, error) {
	g := r.g
	n, edges := g.size(), len(g.target)/2
	if err := r.charge(32*int64(n) + 16*int64(edges)); err != nil {
		return nil, err
	}
	t := &triangles{edge: hugepages.Make[uint64](n + 1), begin: hugepages.Make[uint64](edges + 1), from: hugepages.Make[uint64](n + 1)}
	for v := range n {
		t.edge[v+1] = t.edge[v] + g.middle[v] - g.start[v]
	}
	slot := hugepages.Make[uint64](n)
	r.eachTriangle(t, slot, func(u, v, x uint32, uv, ux, vx uint64) {
		t.begin[uv+1]++
		t.begin[ux+1]++
		t.begin[vx+1]++
		t.from[u+1]++
		t.from[v+1]++
		t.from[x+1]++
	})
	for e := range edges {
		t.begin[e+1] += t.begin[e]
	}
	for v := range n {
		t.from[v+1] += t.from[v]
	}
	if err := r.charge(12*int64(t.begin[edges]) + 8*int64(n+edges)); err != nil {
		return nil, err
	}
	t.corner, t.opposite = hugepages.Make[uint32](t.begin[edges]), hugepages.Make[uint64](t.begin[edges])
	next, after := slices.Clone(t.begin), slices.Clone(t.from)
	put := func(e uint64, v uint32) {
		t.corner[next[e]], t.opposite[after[v]] = v, e
		next[e]++
		after[v]++
	}
	r.eachTriangle(t, slot, func(u, v, x uint32, uv, ux, vx uint64) {
		put(uv, x)
		put(ux, v)
		put(vx, u)
	})
	return t, r.ctx.Err()
}

// subdivided is the step of cliques of four with a subdivided edge.
func (r *run) subdivided() (need, func(w *worker, u uint32), error) {
	err := error(nil)
	if r.listed == nil {
		r.listed, err = r.listTriangles()
	}
	t := r.listed
	return need{edges: true}, func(w *worker, u uint32) { w.pairsOf(t, u) }, err
}

// pairsOf adds the pairs of u and a vertex below, and the pair of u with itself.
func (w *worker) pairsOf(t *triangles, u uint32) {
	faces := t.opposite[t.from[u]:t.from[u+1]]
	w.total.add(uint64(len(faces))*rules.subdivided[1], uint64(len(w.g.row(u))))
	k, ends := 0, w.walks.ends
	limit := u + rules.cut
	for i, e := range faces {
		if i&255 == 0 && w.stop.Load() {
			break
		}
		for _, x := range t.corner[t.begin[e]:t.begin[e+1]] {
			if x >= limit {
				break
			}
			ends[k] = x
			if w.edges[x]++; w.edges[x] == 1 {
				k++
			}
		}
	}
	if k > 0 {
		for _, v := range w.g.row(u) {
			if w.stop.Load() {
				break
			}
			paths := uint64(0)
			for _, x := range w.g.row(v) {
				if x >= u {
					break
				}
				paths += w.edges[x]
			}
			w.total.add(paths, rules.subdivided[0])
		}
	}
	for _, x := range ends[:k] {
		w.edges[x] = 0
	}
}
