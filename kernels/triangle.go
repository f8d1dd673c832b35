package kernels

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// Triangles, all of them and by vertex.
//
// Input: any snapshot; adjacency is taken over the types in both directions, loops and multiplicities ignored. What
// makes it fast: vertices are numbered by falling degree, so that a vertex has few neighbours before it (its hubs, at
// most sqrt(2m)), and each triangle is found once, at its last vertex u: the hubs of u are marked, and the hubs of each
// of them are looked up.
// Work units are vertices, dealt by an atomic counter. Memory: 4 bytes an edge, 16 a vertex, and for each
// worker a bit a vertex, or 8 bytes more where the numbers by vertex are wanted.

// Triangles returns the number of triangles and, if perNode is set, in how many triangles each vertex lies. A sum of
// 64 bits is enough: m edges are in at most (2m)^1.5/6 triangles, which takes 2^42 edges, 16 TiB here, to overflow it.
func Triangles(ctx context.Context, s *csr.Snapshot, types csr.TypeSet, perNode bool, env *pattern.Env) (total uint64, by []uint64, err error) {
	if err := ctx.Err(); err != nil {
		return 0, nil, err
	}
	adj := s.Adjacency(types, csr.Both)
	n := s.N()
	workers := max(1, env.Workers)
	need := 16*int64(n) + 2*int64(len(adj.Targets)) + int64(workers)*int64(n/8+8)
	if perNode {
		need += 8 * int64(n) * int64(workers)
	}
	defer env.Memory.Grow(-need)
	if err := env.Memory.Grow(need); err != nil {
		return 0, nil, err
	}
	q := &triangleSearch{g: newHubGraph(adj, n), env: env}
	defer context.AfterFunc(ctx, func() { q.stop.Store(true) })()
	ws := make([]*triangleWorker, workers)
	var wg sync.WaitGroup
	for i := range ws {
		ws[i] = newTriangleWorker(q, perNode)
		wg.Go(ws[i].run)
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return 0, nil, err
	}
	for _, w := range ws {
		total += w.total
	}
	if perNode {
		by = q.byVertex(ws)
	}
	return total, by, nil
}

// hubGraph is a simple undirected graph whose vertices are numbered by falling degree. A vertex knows the neighbours
// before it, its hubs, by rising rank.
type hubGraph struct {
	vertex  []csr.VertexID // by rank
	offsets []uint64
	targets []uint32
}

func (g *hubGraph) hubs(r uint32) []uint32 { return g.targets[g.offsets[r]:g.offsets[r+1]] }

func newHubGraph(adj *csr.Adjacency, n uint64) *hubGraph {
	g := &hubGraph{vertex: make([]csr.VertexID, n), offsets: make([]uint64, n+1)}
	rank := make([]uint32, n)
	g.rank(adj, rank)
	for v := range n {
		for _, w := range adj.Neighbours(csr.VertexID(v)) {
			if rank[w] < rank[v] {
				g.offsets[rank[v]+1]++
			}
		}
	}
	for r := range n {
		g.offsets[r+1] += g.offsets[r]
	}
	g.targets = make([]uint32, g.offsets[n])
	next := slices.Clone(g.offsets[:n])
	for r, v := range g.vertex {
		for _, w := range adj.Neighbours(v) {
			if x := rank[w]; x > uint32(r) {
				g.targets[next[x]] = uint32(r)
				next[x]++
			}
		}
	}
	return g
}

// rank numbers the vertices by falling degree, in their own order where degrees are equal.
func (g *hubGraph) rank(adj *csr.Adjacency, rank []uint32) {
	most := 0
	for v := range rank {
		most = max(most, adj.Degree(csr.VertexID(v)))
	}
	next := make([]uint32, most+2) // next[most-d]: the next rank for degree d
	for v := range rank {
		next[most-adj.Degree(csr.VertexID(v))+1]++
	}
	for i := range most + 1 {
		next[i+1] += next[i]
	}
	for v := range rank {
		at := &next[most-adj.Degree(csr.VertexID(v))]
		rank[v], g.vertex[*at] = *at, csr.VertexID(v)
		*at++
	}
}

// triangleSearch is what all workers share.
type triangleSearch struct {
	g    *hubGraph
	env  *pattern.Env
	next atomic.Int64
	stop atomic.Bool
}

// byVertex adds up what the workers found.
func (q *triangleSearch) byVertex(ws []*triangleWorker) []uint64 {
	by := make([]uint64, len(q.g.vertex))
	for _, w := range ws {
		for r, n := range w.by {
			by[q.g.vertex[r]] += n
		}
	}
	return by
}

type triangleWorker struct {
	*triangleSearch
	marks []uint64 // bitmap of the hubs of one vertex
	total uint64
	by    []uint64 // by rank; nil where not wanted
}

func newTriangleWorker(q *triangleSearch, perNode bool) *triangleWorker {
	n := len(q.g.vertex)
	w := &triangleWorker{triangleSearch: q, marks: make([]uint64, (n+63)/64)}
	if perNode {
		w.by = make([]uint64, n)
	}
	return w
}

func (w *triangleWorker) run() {
	const chunk = 64
	n := int64(len(w.g.vertex))
	for !w.stop.Load() {
		lo := w.next.Add(chunk) - chunk
		if lo >= n {
			return
		}
		for r := lo; r < min(lo+chunk, n); r++ {
			w.at(uint32(r))
		}
	}
}

// at finds the triangles whose last vertex is u.
func (w *triangleWorker) at(u uint32) {
	hubs := w.g.hubs(u)
	if len(hubs) < 2 {
		return
	}
	Mark(w.marks, 0, hubs)
	found := uint64(0)
	for _, v := range hubs {
		if w.stop.Load() {
			break
		}
		n := uint64(CountMarked(w.g.hubs(v), w.marks, 0))
		found += n
		if w.by != nil && n > 0 {
			w.by[v] += n
			w.third(w.g.hubs(v))
		}
	}
	w.total += found
	if w.by != nil {
		w.by[u] += found
	}
	Unmark(w.marks, 0, hubs)
}

// third counts the marked vertices of a list as a vertex of a triangle each.
func (w *triangleWorker) third(list []uint32) {
	for _, x := range list {
		w.by[x] += w.marks[x>>6] >> (x & 63) & 1
	}
}
