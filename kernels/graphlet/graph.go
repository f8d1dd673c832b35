package graphlet

import (
	"cmp"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// graph is a simple undirected graph. The rank of a vertex rises with its degree. A slot is an edge seen from one end.
type graph struct {
	vertex []csr.VertexID // by rank
	degree []uint64       // by rank
	start  []uint64       // by rank: its first slot
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

// corners returns the third vertices of the triangles at an edge.
func (g *graph) corners(e uint32) []uint32 { return g.corner[g.begin[e]:g.begin[e+1]] }

// rankedGraph ranks the vertices of within and lists their neighbours there.
func (r *run) rankedGraph(adj *csr.Adjacency, n uint64, within *pattern.CandidateSet) (*graph, error) {
	in := func(v csr.VertexID) bool { return within == nil || within.Has(v) }
	if err := r.charge(24 * int64(n)); err != nil {
		return nil, err
	}
	degree := make([]uint64, n)
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
	rank := make([]uint32, n)
	g.start, g.degree = make([]uint64, len(g.vertex)+1), make([]uint64, len(g.vertex))
	for i, v := range g.vertex {
		rank[v], g.degree[i] = uint32(i), degree[v]
		g.start[i+1] = g.start[i] + degree[v]
	}
	slots := g.start[len(g.vertex)]
	if err := r.charge(int64(22*slots) + 8*int64(n)); err != nil {
		return nil, err
	}
	g.target, g.edge, g.back = make([]uint32, slots), make([]uint32, slots), make([]uint64, slots)
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
	g.high, g.lower, g.triangles = make([]uint32, len(g.edge)/2), make([]uint32, len(g.edge)/2), make([]uint32, len(g.edge)/2)
	for v := range g.vertex {
		lo, hi := g.row(v)
		for i := lo; i < hi && g.target[i] < uint32(v); i++ {
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
	}
}

// eachTriangle calls fn for every triangle u > v > w with its slots: u to v, v to w and u to w. fn is called by rising u, then v, then w.
func (r *run) eachTriangle(fn func(uv, vw, uw uint64)) {
	g := r.g
	slot := make([]uint64, len(g.vertex)) // 1 + the slot from u
	t := r.env.Tally
	if t != nil {
		t.Units.Add(uint64(len(g.vertex)))
	}
	for u := range g.vertex {
		if r.stop.Load() {
			return
		}
		if t != nil {
			t.UnitsDone.Add(1)
		}
		lo, hi := g.row(u)
		for i := lo; i < hi && g.target[i] < uint32(u); i++ {
			slot[g.target[i]] = i + 1
		}
		for i := lo; i < hi && g.target[i] < uint32(u); i++ {
			v := g.target[i]
			from, to := g.row(int(v))
			for j := from; j < to && g.target[j] < v; j++ {
				if s := slot[g.target[j]]; s > 0 {
					fn(i, j, s-1)
				}
			}
		}
		for i := lo; i < hi && g.target[i] < uint32(u); i++ {
			slot[g.target[i]] = 0
		}
	}
}

// countTriangles counts the triangles at each edge, and for size five fills the lists of corners and of opposite edges.
func (r *run) countTriangles() error {
	g := r.g
	r.eachTriangle(func(uv, vw, uw uint64) {
		g.triangles[g.edge[uv]]++
		g.triangles[g.edge[vw]]++
		g.triangles[g.edge[uw]]++
	})
	if r.size < 5 || r.stop.Load() {
		return nil
	}
	return r.listTriangles()
}

// listTriangles fills the lists of corners and of opposite edges.
func (r *run) listTriangles() error {
	g, n := r.g, len(r.g.vertex)
	if err := r.charge(int64(8*n) + 16*int64(len(g.triangles))); err != nil {
		return err
	}
	g.begin, g.from = make([]uint64, len(g.triangles)+1), make([]uint64, n+1)
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
	g.corner, g.low, g.opposite = make([]uint32, all), make([]uint32, all), make([]uint32, all)
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
