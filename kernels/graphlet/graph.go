package graphlet

import (
	"cmp"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/hugepages"
	"github.com/motifql/motif/internal/pattern"
)

// graph is a simple undirected graph. The rank of a vertex rises with its degree. A slot is an edge seen from one end.
type graph struct {
	vertex []csr.VertexID // by rank
	degree []uint64       // by rank
	start  []uint64       // by rank: its first slot
	up     []uint64       // by rank: its first slot to a higher rank
	target []uint32       // by slot: rank of the neighbour; rising for each vertex
	edge   []uint32       // by slot
	back   []uint64       // by slot: the slot of the other end

	high, lower []uint32 // by edge: its ends
	triangles   []uint32 // by edge: how many triangles it is in
	begin       []uint64 // by edge: its first corner
	corner      []uint32 // the third vertices of the triangles at an edge, rising
	low         []uint32 // by corner: edge from the lower end to the third vertex
	from        []uint64 // by rank: its first opposite edge
	opposite    []uint32 // edges that make a triangle with a vertex
}

// row returns the slots of a vertex.
func (g *graph) row(v int) (lo, hi uint64) { return g.start[v], g.start[v+1] }

// targets returns the neighbours of a vertex.
func (g *graph) targets(v uint32) []uint32 { return g.target[g.start[v]:g.start[v+1]] }

// corners returns the third vertices of the triangles at an edge.
func (g *graph) corners(e uint32) []uint32 { return g.corner[g.begin[e]:g.begin[e+1]] }

// rankedGraph ranks the vertices of within and lists their neighbours there.
func (r *run) rankedGraph(adj *csr.Adjacency, n uint64, within *pattern.CandidateSet) (*graph, error) {
	in := func(v csr.VertexID) bool { return within == nil || within.Has(v) }
	if err := r.charge(32 * int64(n)); err != nil {
		return nil, err
	}
	degree := hugepages.Make[uint64](n)
	g := &graph{}
	for v := range csr.VertexID(n) {
		if !in(v) {
			continue
		}
		if v&pollMask == 0 && r.stop.Load() {
			return nil, r.ctx.Err()
		}
		g.vertex = append(g.vertex, v)
		for _, w := range adj.Neighbours(v) {
			if w != v && in(w) {
				degree[v]++
			}
		}
	}
	slices.SortFunc(g.vertex, func(a, b csr.VertexID) int { return cmp.Or(cmp.Compare(degree[a], degree[b]), cmp.Compare(b, a)) })
	rank := hugepages.Make[uint32](n)
	g.start, g.degree = hugepages.Make[uint64](len(g.vertex)+1), hugepages.Make[uint64](len(g.vertex))
	for i, v := range g.vertex {
		rank[v], g.degree[i] = uint32(i), degree[v]
		g.start[i+1] = g.start[i] + degree[v]
	}
	slots := g.start[len(g.vertex)]
	if err := r.charge(int64(22*slots) + 8*int64(n)); err != nil {
		return nil, err
	}
	g.target, g.edge, g.back = hugepages.Make[uint32](slots), hugepages.Make[uint32](slots), hugepages.Make[uint64](slots)
	next := slices.Clone(g.start)
	for i, v := range g.vertex { // each vertex enters the lists of its neighbours in turn, so that lists rise
		if i&pollMask == 0 && r.stop.Load() {
			return nil, r.ctx.Err()
		}
		for _, w := range adj.Neighbours(v) {
			if w != v && in(w) {
				k := rank[w]
				g.target[next[k]] = uint32(i)
				next[k]++
			}
		}
	}
	g.number(slices.Clone(g.start[:len(g.vertex)]))
	return g, nil
}

// number numbers the edges. next is by vertex the first slot.
func (g *graph) number(next []uint64) {
	edges := uint32(0)
	g.high, g.lower, g.triangles = hugepages.Make[uint32](len(g.edge)/2), hugepages.Make[uint32](len(g.edge)/2), hugepages.Make[uint32](len(g.edge)/2)
	g.up = hugepages.Make[uint64](len(g.vertex))
	for v := range g.vertex {
		i, hi := g.row(v)
		for ; i < hi && g.target[i] < uint32(v); i++ {
			w := g.target[i]
			j := next[w]
			for g.target[j] < uint32(v) {
				j++
			}
			next[w] = j + 1
			g.high[edges], g.lower[edges] = uint32(v), w
			g.edge[i], g.edge[j], g.back[i], g.back[j] = edges, edges, j, i
			edges++
		}
		g.up[v] = i
	}
}

// fromEach calls fn with every vertex in the order of ranks, until it has to stop.
func (r *run) fromEach(fn func(u int)) {
	t := r.env.Tally
	if t != nil {
		t.Units.Add(uint64(len(r.g.vertex)))
	}
	for u := range r.g.vertex {
		if r.stop.Load() {
			return
		}
		if t != nil {
			t.UnitsDone.Add(1)
		}
		fn(u)
	}
}

// eachTriangle calls fn for every triangle u > v > w with its slots: u to v, v to w and u to w. fn is called by rising u, then v, then w.
func (r *run) eachTriangle(fn func(uv, vw, uw uint64)) {
	g := r.g
	place := hugepages.Make[uint32](len(g.vertex)) // neighbours of u below: 1 + the place in its row
	r.fromEach(func(u int) {
		list, _ := g.down(u)
		lo := g.start[u]
		for i, v := range list {
			place[v] = uint32(i) + 1
		}
		for i, v := range list {
			ends, _ := g.down(int(v))
			for j, w := range ends {
				if k := place[w]; k > 0 {
					fn(lo+uint64(i), g.start[v]+uint64(j), lo+uint64(k-1))
				}
			}
		}
		for _, v := range list {
			place[v] = 0
		}
	})
}

// down returns the neighbours of v of lower rank, and the numbers of the edges to them, which follow each other from first on.
func (g *graph) down(v int) (targets []uint32, first uint32) {
	lo, mid := g.start[v], g.up[v]
	if mid == lo {
		return nil, 0
	}
	return g.target[lo:mid], g.edge[lo]
}

// countTriangles counts the triangles at each edge, and for size five fills the lists of corners and of opposite edges.
func (r *run) countTriangles() error {
	g := r.g
	near := hugepages.Make[uint32](len(g.vertex)) // neighbours of u below: 1 + the triangles found at the edge
	r.fromEach(func(u int) {
		list, first := g.down(u)
		for _, v := range list {
			near[v] = 1
		}
		for i, v := range list {
			ends, e := g.down(int(v))
			others, n := g.triangles[e:][:len(ends)], uint32(0)
			for j, w := range ends {
				if near[w] > 0 {
					near[w]++
					others[j]++
					n++
				}
			}
			g.triangles[first+uint32(i)] += n
		}
		for i, v := range list {
			g.triangles[first+uint32(i)] += near[v] - 1
			near[v] = 0
		}
	})
	if r.size < 5 || r.stop.Load() {
		return nil
	}
	return r.listTriangles()
}

// faceTriangles adds to the row twice the triangles at the opposite edge, for each triangle and each of its vertices.
func (r *run) faceTriangles(row []uint64) {
	g := r.g
	near := hugepages.Make[uint32](len(g.vertex)) // neighbours of u below: the triangles at the edge
	r.fromEach(func(u int) {
		list, first := g.down(u)
		sides := g.triangles[first:][:len(list)]
		for i, v := range list {
			near[v] = sides[i]
		}
		atU := uint64(0)
		for i, v := range list {
			if sides[i] == 0 {
				continue
			}
			ends, e := g.down(int(v))
			others, side, atV := g.triangles[e:][:len(ends)], 2*uint64(sides[i]), uint64(0)
			for j, w := range ends {
				if t := near[w]; t > 0 {
					atU += uint64(others[j])
					atV += uint64(t)
					row[w] += side
				}
			}
			row[v] += 2 * atV
		}
		row[u] += 2 * atU
		for _, v := range list {
			near[v] = 0
		}
	})
}

// listTriangles fills the lists of corners and of opposite edges.
func (r *run) listTriangles() error {
	g, n := r.g, len(r.g.vertex)
	if err := r.charge(int64(8*n) + 16*int64(len(g.triangles))); err != nil {
		return err
	}
	g.begin, g.from = hugepages.Make[uint64](len(g.triangles)+1), hugepages.Make[uint64](n+1)
	for e, t := range g.triangles {
		g.begin[e+1] = g.begin[e] + uint64(t)
	}
	for v := range n {
		sum := uint64(0)
		for lo, hi := g.row(v); lo < hi; lo++ {
			sum += uint64(g.triangles[g.edge[lo]])
		}
		g.from[v+1] = g.from[v] + sum/2
	}
	all := g.begin[len(g.triangles)]
	if err := r.charge(12 * int64(all)); err != nil {
		return err
	}
	g.corner, g.low, g.opposite = hugepages.Make[uint32](all), hugepages.Make[uint32](all), hugepages.Make[uint32](all)
	next, after := slices.Clone(g.begin), slices.Clone(g.from)
	put := func(e, third, low uint32) {
		g.corner[next[e]], g.low[next[e]] = third, low
		next[e]++
	}
	face := func(v, e uint32) {
		g.opposite[after[v]] = e
		after[v]++
	}
	r.eachTriangle(func(uv, vw, uw uint64) {
		v, w, u := g.target[uv], g.target[vw], g.target[g.back[uv]]
		a, b, c := g.edge[uv], g.edge[vw], g.edge[uw]
		put(a, w, b)
		put(b, u, c)
		put(c, v, b)
		face(u, b)
		face(v, c)
		face(w, a)
	})
	return r.ctx.Err()
}
