package triangle

import (
	"context"
	"math"
	"slices"
	"sync/atomic"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/hugepages"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/workgroup"
	"github.com/motifql/motif/kernels/sets"
)

// Count returns the number of triangles of s over types and, if perNode is set, the number of triangles at each vertex. 64 bits are
// enough: m edges have at most (2m)^1.5/6 triangles, so an overflow takes 2^42 edges, 16 TiB here. Count charges its scratch to
// env.Memory. It fails with pattern.ErrMemory or the context's error.
func Count(ctx context.Context, s *csr.Snapshot, types csr.TypeSet, perNode bool, env *pattern.Env) (total uint64, by []uint64, err error) {
	q := newTriangleSearch(s, env, perNode)
	defer func() { env.Memory.Release(q.bytes) }()
	defer context.AfterFunc(ctx, func() { q.stop.Store(true) })()
	if err := q.prepare(ctx, s, types); err != nil {
		return 0, nil, err
	}
	if err := q.addRows(); err != nil {
		return 0, nil, err
	}
	ws, err := q.work(ctx, &pattern.RankRange{Hi: s.N()})
	if err != nil {
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

func newTriangleSearch(s *csr.Snapshot, env *pattern.Env, perNode bool) *triangleSearch {
	return &triangleSearch{env: env, n: s.N(), perNode: perNode}
}

// charge takes n more bytes. They are given back at the end, even where there are too few.
func (q *triangleSearch) charge(n int64) error {
	q.bytes += n
	return q.env.Memory.Charge(n)
}

// prepare makes the graph, without dense rows.
func (q *triangleSearch) prepare(ctx context.Context, s *csr.Snapshot, types csr.TypeSet) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	adj, err := s.View(ctx, types, csr.Both)
	if err != nil {
		return err
	}
	inOrder := fallingDegrees(adj, q.n)
	if err := q.charge(hubGraphBytes(adj, q.n, inOrder)); err != nil {
		return err
	}
	if q.g = newHubGraph(adj, q.n, inOrder, &q.stop); q.g == nil {
		return ctx.Err()
	}
	return nil
}

// addRows adds the dense rows.
func (q *triangleSearch) addRows() error {
	if !q.env.Uses(pattern.DenseRows) {
		return nil
	}
	if err := q.charge(q.g.chooseDense()); err != nil {
		return err
	}
	q.g.fillDense(q.perNode)
	return nil
}

// work counts the triangles of some ranks.
func (q *triangleSearch) work(ctx context.Context, ranks *pattern.RankRange) ([]*triangleWorker, error) {
	lo, hi := ranks.Clip(0, int(q.n))
	q.next.Store(int64(lo))
	q.end = int64(hi)
	ws := make([]*triangleWorker, max(1, q.env.Workers))
	each := int64(q.n/8 + 8)
	if q.perNode {
		each += 8 * int64(q.n)
	}
	if err := q.charge(each * int64(len(ws))); err != nil {
		return nil, err
	}
	if q.env.Tally != nil {
		q.env.Tally.Units.Add(uint64(hi - lo))
	}
	all := workgroup.Group{Stop: func() { q.stop.Store(true) }}
	for i := range ws {
		ws[i] = newTriangleWorker(q, q.n, q.perNode)
		all.Go(ws[i].run)
	}
	all.Wait()
	return ws, ctx.Err()
}

// hubGraph is a simple undirected graph. The rank of a vertex is its number by (about) falling degree. A vertex
// lists its hubs, the neighbours of smaller rank, by rising rank.
type hubGraph struct {
	vertex  []csr.VertexID // by rank; nil where the ranks are the vertices' own numbers
	start   []uint64       // by rank: where its hubs are in targets
	size    []uint32       // by rank: how many hubs it has
	targets []csr.VertexID // ranks

	dense csr.VertexID // the vertices before it have rows
	words int          // of a row
	rows  []uint64     // bit w of row v: v and w are joined, and w < v or all pairs are wanted
}

// row returns the dense row of v up to bit end.
func (g *hubGraph) row(v, end csr.VertexID) []uint64 {
	at := int(v) * g.words
	return g.rows[at : at+int(end+63)/64]
}

func (g *hubGraph) hubs(r csr.VertexID) []csr.VertexID {
	if g.size[r] == 0 {
		return nil // and no start, where it is behind the end of the adjacency
	}
	return g.targets[g.start[r]:][:g.size[r]]
}

// fallingDegrees reports whether vertex numbers can serve as ranks: no degree is much more than twice an earlier one. Most
// snapshots of one class qualify. They order vertices by number of edges, and two reciprocal edges make one neighbour.
func fallingDegrees(adj *csr.Adjacency, n uint64) bool {
	const slack = 8
	least := uint64(math.MaxUint32)
	for v := range csr.VertexID(n) {
		d := uint64(adj.Degree(v))
		if d > 2*least+slack {
			return false
		}
		least = min(least, d)
	}
	return adj.Lo == 0
}

// hubGraphBytes returns the memory of newHubGraph.
func hubGraphBytes(adj *csr.Adjacency, n uint64, inOrder bool) int64 {
	if inOrder {
		return 4 * int64(n)
	}
	return 28*int64(n) + 2*int64(adj.Len())
}

// newHubGraph builds the graph; nil after a stop.
func newHubGraph(adj *csr.Adjacency, n uint64, inOrder bool, stop *atomic.Bool) *hubGraph {
	g := &hubGraph{size: hugepages.Make[uint32](n)}
	if inOrder {
		adj = adj.Flat()
		g.start, g.targets = adj.Offsets, adj.Targets
		for v := range csr.VertexID(n) {
			if stop.Load() {
				return nil
			}
			g.size[v] = uint32(sets.LowerBound(adj.Neighbours(v), v))
		}
		return g
	}
	rank := g.number(adj, n)
	for v := range csr.VertexID(n) {
		if stop.Load() {
			return nil
		}
		for _, w := range adj.Neighbours(v) {
			if rank[w] < rank[v] {
				g.size[rank[v]]++
			}
		}
	}
	g.start = hugepages.Make[uint64](n)
	total := uint64(0)
	for r, d := range g.size {
		g.start[r] = total
		total += uint64(d)
	}
	g.targets = hugepages.Make[csr.VertexID](total)
	next := slices.Clone(g.start)
	for r, v := range g.vertex {
		if stop.Load() {
			return nil
		}
		for _, w := range adj.Neighbours(v) {
			if x := rank[w]; x > csr.VertexID(r) {
				g.targets[next[x]] = csr.VertexID(r)
				next[x]++
			}
		}
	}
	return g
}

// number ranks the vertices by falling degree, then by vertex number, and returns the ranks.
func (g *hubGraph) number(adj *csr.Adjacency, n uint64) (rank []csr.VertexID) {
	rank, g.vertex = hugepages.Make[csr.VertexID](n), hugepages.Make[csr.VertexID](n)
	most := 0
	for v := range rank {
		most = max(most, adj.Degree(csr.VertexID(v)))
	}
	next := make([]csr.VertexID, most+2) // next[most-d]: the next rank for degree d
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
	return rank
}

// maxDense bounds the vertices with dense rows: 2 MiB of rows. More rows fall out of the cache: twice as many make counts by
// vertex a third slower.
const maxDense = 1 << 12

// minDensity bounds the density of dense rows: at least one in minDensity pairs of dense vertices is an edge. Looking up a list of hubs
// takes 0.2 ns a hub with AVX-512, a row 0.08 ns a word; AVX2 takes twice that; Go takes 0.8 and 0.7.
const minDensity = 100

// chooseDense decides how many vertices get dense rows, and returns their bytes.
func (g *hubGraph) chooseDense() int64 {
	joined := uint64(0) // pairs of the first h
	for h, d := range g.size[:min(len(g.size), maxDense)] {
		joined += uint64(d)
		if n := uint64(h) + 1; n%64 == 0 && joined*minDensity >= n*n/2 {
			g.dense, g.words = csr.VertexID(n), int(n/64)
		}
	}
	return 8 * int64(g.dense) * int64(g.words)
}

// fillDense fills the dense rows.
func (g *hubGraph) fillDense(all bool) {
	g.rows = hugepages.Make[uint64](int(g.dense) * g.words)
	for v := range g.dense {
		row := g.row(v, g.dense)
		for _, w := range g.hubs(v) {
			row[w>>6] |= 1 << (w & 63)
			if all {
				g.row(w, g.dense)[v>>6] |= 1 << (v & 63)
			}
		}
	}
}

// triangleSearch is what all workers share.
type triangleSearch struct {
	g       *hubGraph
	env     *pattern.Env
	n       uint64 // vertices
	perNode bool
	by      []uint64     // zeros for the first worker's numbers; or nil
	bytes   int64        // charged
	next    atomic.Int64 // the first rank that nobody has taken
	end     int64        // of the ranks that are wanted
	stop    atomic.Bool
}

// byVertex adds up the workers' counts, by vertex.
func (q *triangleSearch) byVertex(ws []*triangleWorker) []uint64 {
	by := ws[0].by
	for _, w := range ws[1:] {
		for r, n := range w.by {
			by[r] += n
		}
	}
	if q.g.vertex == nil {
		return by
	}
	numbered := hugepages.Make[uint64](len(by))
	for r, n := range by {
		numbered[q.g.vertex[r]] = n
	}
	return numbered
}

type triangleWorker struct {
	*triangleSearch
	marks     []uint64 // bitmap of the hubs of one vertex
	total     uint64
	by        []uint64       // by rank; nil where not wanted
	third     []csr.VertexID // scratch
	denseRows uint64         // rows used, not yet reported
}

func newTriangleWorker(q *triangleSearch, n uint64, perNode bool) *triangleWorker {
	w := &triangleWorker{triangleSearch: q, marks: hugepages.Make[uint64]((n + 63) / 64)}
	switch {
	case perNode && q.by != nil:
		w.by, q.by = q.by, nil
	case perNode:
		w.by = hugepages.Make[uint64](n)
	}
	return w
}

func (w *triangleWorker) run() {
	const chunk = 64
	n := w.end
	defer func() { w.env.Took(pattern.DenseRows, w.denseRows) }()
	for !w.stop.Load() {
		lo := w.next.Add(chunk) - chunk
		if lo >= n {
			return
		}
		for r := lo; r < min(lo+chunk, n); r++ {
			w.at(csr.VertexID(r))
		}
		if w.env.Tally != nil {
			w.env.Tally.UnitsDone.Add(uint64(min(chunk, n-lo)))
		}
	}
}

// at counts the triangles whose last vertex is u.
func (w *triangleWorker) at(u csr.VertexID) {
	hubs := w.g.hubs(u)
	if len(hubs) < 2 {
		return
	}
	sets.Mark(w.marks, 0, hubs)
	first := 0
	if w.g.dense > 0 {
		first = sets.LowerBound(hubs, w.g.dense)
		w.denseRows += uint64(first)
	}
	var found uint64
	if w.by == nil {
		found = w.count(hubs[:first]) + w.countLists(hubs[first:])
	} else {
		found = w.countBy(hubs[:first]) + w.countListsBy(hubs[first:])
		w.by[u] += found
	}
	w.total += found
	sets.Unmark(w.marks, 0, hubs)
}

// count counts the triangles whose middle vertex is one of hubs, all dense.
func (w *triangleWorker) count(hubs []csr.VertexID) (found uint64) {
	for _, v := range hubs {
		row := w.g.row(v, v)
		found += uint64(sets.AndCount(row, w.marks))
	}
	return found
}

// countLists is count for hubs without rows.
func (w *triangleWorker) countLists(hubs []csr.VertexID) (found uint64) {
	for _, v := range hubs {
		if w.stop.Load() {
			break
		}
		found += uint64(sets.CountMarked(w.g.hubs(v), w.marks, 0))
	}
	return found
}

// countBy counts the triangles whose middle vertex is one of hubs, all dense, and adds them to the middle and the third vertex.
func (w *triangleWorker) countBy(hubs []csr.VertexID) (found uint64) {
	if len(hubs) < 2 {
		return 0
	}
	end := hubs[len(hubs)-1] + 1
	for _, v := range hubs {
		n := uint64(sets.AndCount(w.g.row(v, end), w.marks))
		w.by[v] += n
		found += n
	}
	return found / 2
}

// countListsBy is countBy for hubs without rows.
func (w *triangleWorker) countListsBy(hubs []csr.VertexID) (found uint64) {
	for _, v := range hubs {
		if w.stop.Load() {
			break
		}
		w.third = sets.FilterMarked(w.third[:0], w.g.hubs(v), w.marks, 0)
		for _, x := range w.third {
			w.by[x]++
		}
		w.by[v] += uint64(len(w.third))
		found += uint64(len(w.third))
	}
	return found
}
