package kernels

import (
	"context"
	"math"
	"sync"
	"sync/atomic"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// Cliques of every size, and cliques by vertex and by edge, from the leaves of pivot trees: see pivotTree.
//
// Input: any snapshot; adjacency over the types in both directions, loops and multiplicities ignored. What makes it
// fast: a leaf stands for as many cliques as there are sets of its pivots, and one tree for all sizes. There is a tree for
// each vertex, over its later neighbours in a degeneracy order, at most degeneracy many. Vertices of too small a
// coreness are left out. Counts are exact in 128 bits or fail with pattern.ErrOverflow. Memory: 4 bytes a vertex
// for each worker, and 16 for each where counts are by vertex or edge.

// AllCliques returns how many cliques of each size there are: counts[k] for k = 1, 2, ... up to the largest clique, or up
// to upTo if that is not 0.
func AllCliques(ctx context.Context, s *csr.Snapshot, sub *pattern.Subgraph, upTo int, env *pattern.Env) ([]pattern.Count128, error) {
	if upTo == 0 {
		upTo = math.MaxInt
	}
	var mu sync.Mutex
	var counts []pattern.Count128
	err := forEachTree(ctx, s, sub, 1, upTo, env, 0, func(w *treeWorker) error {
		w.leaf = func(held, pivots int) { w.leaves.add(held, pivots) }
		return nil
	}, func(w *treeWorker) (err error) {
		mu.Lock()
		defer mu.Unlock()
		counts, err = w.leaves.addTo(counts, upTo, &binomials{})
		return err
	})
	return counts, err
}

// CliquesPerVertex returns in how many k-cliques each vertex is.
func CliquesPerVertex(ctx context.Context, s *csr.Snapshot, sub *pattern.Subgraph, k int, env *pattern.Env) ([]pattern.Count128, error) {
	counts := make([]pattern.Count128, s.N())
	var mu sync.Mutex
	err := forEachTree(ctx, s, sub, k, k, env, 16*int64(s.N()), func(w *treeWorker) error {
		w.counts = make([]pattern.Count128, s.N())
		w.leaf = func(held, pivots int) { w.perVertex(k, held, pivots) }
		return nil
	}, func(w *treeWorker) (err error) {
		mu.Lock()
		defer mu.Unlock()
		for r, n := range w.counts {
			if v := w.g.vertex[r]; err == nil {
				counts[v], err = counts[v].Add(n)
			}
		}
		return err
	})
	return counts, err
}

// CliquesPerEdge returns in how many k-cliques each edge is; edges in none are left out.
func CliquesPerEdge(ctx context.Context, s *csr.Snapshot, sub *pattern.Subgraph, k int, env *pattern.Env) (*pattern.EdgeCounts, error) {
	var counts []pattern.Count128
	var mu sync.Mutex
	g := orientation(s, sub.Types)
	err := forEachTree(ctx, s, sub, k, k, env, 16*int64(len(g.targets)), func(w *treeWorker) error {
		w.counts = make([]pattern.Count128, len(g.targets))
		w.leaf = func(held, pivots int) { w.perEdge(k, held, pivots) }
		return nil
	}, func(w *treeWorker) (err error) {
		mu.Lock()
		defer mu.Unlock()
		if counts == nil {
			counts = w.counts
			return nil
		}
		for i, n := range w.counts {
			if counts[i], err = addTo(counts[i], n, err); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	c := new(pattern.EdgeCounts)
	for r := range g.vertex {
		for i := g.offsets[r]; i < g.offsets[r+1] && counts != nil; i++ {
			if counts[i] != (pattern.Count128{}) {
				v, w := g.vertex[r], g.vertex[g.targets[i]]
				c.Source, c.Target, c.Count = append(c.Source, min(v, w)), append(c.Target, max(v, w)), append(c.Count, counts[i])
			}
		}
	}
	return c, nil
}

// treeWorker walks the pivot tree of one root at a time.
type treeWorker struct {
	pivotTree
	g        *dag
	in       func(rank uint32) bool
	mark     marks
	root     uint32
	hood     []uint32
	leaves   leafCounts
	binomial binomials
	counts   []pattern.Count128 // by rank, or by edge of g
	err      error
}

// forEachTree walks the trees of all roots for the cliques of least to upTo vertices, on env.Workers goroutines, each of
// which may take that many bytes for what it counts. The root is held at the top of a tree.
func forEachTree(ctx context.Context, s *csr.Snapshot, sub *pattern.Subgraph, least, upTo int, env *pattern.Env, bytes int64,
	start, done func(*treeWorker) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	g := orientation(s, sub.Types)
	in := member(g, sub.Within)
	need := (bytes + 4*int64(len(g.vertex))) * int64(max(1, env.Workers))
	defer env.Memory.Grow(-need)
	if err := env.Memory.Grow(need); err != nil {
		return err
	}
	var stop atomic.Bool
	return deal(ctx, len(g.vertex), 16, env, &stop, func() (func(uint32) error, func() error, error) {
		w := &treeWorker{g: g, in: in, mark: make(marks, len(g.vertex))}
		w.pivotTree = pivotTree{localGraph: new(localGraph), upTo: upTo, least: least, stop: func() bool { return w.err != nil || stop.Load() }}
		err := start(w)
		return w.visit, func() error { return done(w) }, err
	})
}

// visit walks the tree of root r.
func (w *treeWorker) visit(r uint32) error {
	if int(w.g.core[r])+1 < w.least || !w.in(r) {
		return nil
	}
	w.hood = w.hood[:0]
	for _, x := range w.g.out(r) {
		if int(w.g.core[x])+1 >= w.least && w.in(x) {
			w.hood = append(w.hood, x)
		}
	}
	if 1+len(w.hood) < w.least {
		return nil
	}
	w.root = r
	w.localGraph.build(w.g, w.hood, w.mark)
	fill(w.at(0), len(w.hood))
	w.search(0, 1, 0)
	return w.err
}

// add adds n, unless err is set, to one of the counts.
func (w *treeWorker) add(i int, n pattern.Count128, err error) {
	if w.counts[i], err = addTo(w.counts[i], n, err); err != nil && w.err == nil {
		w.err = err
	}
}

// perVertex adds a leaf's k-cliques to their vertices: a held vertex is in all of them, a pivot in those that choose it.
func (w *treeWorker) perVertex(k, held, pivots int) {
	if held > k || held+pivots < k {
		return
	}
	n, err := w.binomial.choose(pivots, k-held)
	w.add(int(w.root), n, err)
	for _, v := range w.held {
		w.add(int(w.hood[v]), n, err)
	}
	if n, err = w.binomial.choose(pivots-1, k-held-1); pivots > 0 {
		for _, v := range w.pivots {
			w.add(int(w.hood[v]), n, err)
		}
	}
}

// perEdge adds a leaf's k-cliques to their edges.
func (w *treeWorker) perEdge(k, held, pivots int) {
	if held > k || held+pivots < k {
		return
	}
	both, err := w.binomial.choose(pivots, k-held)
	w.pairs(w.held, nil, true, both, err)
	if pivots > 0 && k > held {
		one, err := w.binomial.choose(pivots-1, k-held-1)
		w.pairs(w.held, w.pivots, true, one, err)
	}
	if pivots > 1 && k > held+1 {
		none, err := w.binomial.choose(pivots-2, k-held-2)
		w.pairs(w.pivots, nil, false, none, err)
	}
}

// pairs adds n to the edges between a and b, and to those from the root to b if it is to count to a; or to the edges inside
// a, and from the root to a, if b is nil.
func (w *treeWorker) pairs(a, b []int, root bool, n pattern.Count128, err error) {
	to := b
	if b == nil {
		to = a
	}
	for i, v := range to {
		if root {
			w.add(w.edge(w.root, w.hood[v]), n, err)
		}
		from := a
		if b == nil {
			from = a[:i]
		}
		for _, u := range from {
			w.add(w.edge(w.hood[u], w.hood[v]), n, err)
		}
	}
}

// edge is the number of the edge between two ranks.
func (w *treeWorker) edge(a, b uint32) int {
	a, b = min(a, b), max(a, b)
	return int(w.g.offsets[a]) + LowerBound(w.g.out(a), b)
}
