package clique

import (
	"context"
	"math/bits"
	"sync"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/core"
	"github.com/motifql/motif/kernels/sets"
)

// Cliques by vertex and by edge, from the leaves of pivot trees: see pivotTree.
//
// Input: any snapshot; adjacency over the types in both directions, without loops and multiplicities. What makes it fast: a
// leaf stands for all sets of its pivots at once. Each vertex has a tree over its later neighbours in a degeneracy order, at most
// degeneracy many. The search skips vertices of too small a coreness. Counts are exact in 128 bits or fail with
// pattern.ErrOverflow. Memory: scratchBytes, and 16 bytes a vertex or edge for each worker's counts.

// CountPerVertex returns the number of k-cliques at each vertex of s.
func CountPerVertex(ctx context.Context, s *csr.Snapshot, sub *pattern.Subgraph, k int, env *pattern.Env) ([]pattern.Count128, error) {
	counts := make([]pattern.Count128, s.N())
	var mu sync.Mutex
	err := forEachTree(ctx, s, sub, k, k, env, 16*int64(s.N()), func(w *treeWorker) error {
		w.counts = make([]pattern.Count128, s.N())
		w.leaf = func(held, pivots int) { w.perVertex(k, held, pivots) }
		if k == 4 {
			w.below = w.quadruples
		}
		return nil
	}, func(w *treeWorker) (err error) {
		mu.Lock()
		defer mu.Unlock()
		for r, n := range w.counts {
			v := w.g.Vertex[r]
			if counts[v], err = fits(satAdd(counts[v], n)); err != nil {
				return err
			}
		}
		return nil
	})
	return counts, err
}

// CountPerEdge returns the number of k-cliques at each edge that is in any.
func CountPerEdge(ctx context.Context, s *csr.Snapshot, sub *pattern.Subgraph, k int, env *pattern.Env) (*pattern.EdgeCounts, error) {
	var counts []pattern.Count128
	var mu sync.Mutex
	g := core.Orientation(s, sub.Types, env.Workers)
	err := forEachTree(ctx, s, sub, k, k, env, 16*int64(len(g.Targets)), func(w *treeWorker) error {
		w.counts = make([]pattern.Count128, len(g.Targets))
		w.leaf = func(held, pivots int) { w.perEdge(k, held, pivots) }
		return nil
	}, func(w *treeWorker) (err error) {
		mu.Lock()
		defer mu.Unlock()
		if counts == nil {
			counts = make([]pattern.Count128, len(w.counts))
		}
		for i, n := range w.counts {
			if counts[i], err = fits(satAdd(counts[i], n)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	c := new(pattern.EdgeCounts)
	for r := range g.Vertex {
		for i := g.Offsets[r]; i < g.Offsets[r+1] && counts != nil; i++ {
			if counts[i] != (pattern.Count128{}) {
				v, w := g.Vertex[r], g.Vertex[g.Targets[i]]
				c.Source, c.Target, c.Count = append(c.Source, min(v, w)), append(c.Target, max(v, w)), append(c.Count, counts[i])
			}
		}
	}
	return c, nil
}

// treeWorker walks the pivot tree of one root at a time.
type treeWorker struct {
	pivotTree
	g        *core.Oriented
	in       func(rank uint32) bool
	mark     marks
	root     uint32
	hood     []uint32
	binomial binomials
	counts   []pattern.Count128 // by rank, or by edge of g; tooLarge where that does not fit
	below    func()             // counts the cliques of a root whose subgraph is built
	twice    []uint64           // by vertex of the subgraph: its triangles there, twice
}

// forEachTree walks the trees of all roots for the cliques of least to upTo vertices, on env.Workers goroutines. Each goroutine
// charges bytes for its counts. A tree holds its root from the top.
func forEachTree(ctx context.Context, s *csr.Snapshot, sub *pattern.Subgraph, least, upTo int, env *pattern.Env, bytes int64,
	start, done func(*treeWorker) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	g := core.Orientation(s, sub.Types, env.Workers)
	in := member(g, sub.Within)
	need := (bytes + scratchBytes(g)) * int64(max(1, env.Workers))
	defer env.Memory.Release(need)
	if err := env.Memory.Charge(need); err != nil {
		return err
	}
	var stop stopFlag
	return deal(ctx, &rootRange{g: g, in: in, last: len(g.Vertex), least: least, most: upTo}, 16, env, &stop, func() (func(uint32) error, func() error, error) {
		w := &treeWorker{g: g, in: in, mark: make(marks, len(g.Vertex))}
		w.pivotTree = pivotTree{inducedSubgraph: new(inducedSubgraph), upTo: upTo, least: least, stop: stop.Load}
		w.below = w.tree
		err := start(w)
		return w.visit, func() error { return done(w) }, err
	})
}

// visit walks the tree of root r.
func (w *treeWorker) visit(r uint32) error {
	if int(w.g.Core[r])+1 < w.least || !w.in(r) {
		return nil
	}
	w.hood = w.hood[:0]
	for _, x := range w.g.Out(r) {
		if int(w.g.Core[x])+1 >= w.least && w.in(x) {
			w.hood = append(w.hood, x)
		}
	}
	if 1+len(w.hood) < w.least {
		return nil
	}
	w.root = r
	w.inducedSubgraph.build(w.g, w.hood, w.mark)
	w.below()
	return nil
}

// tree searches the pivot tree of the subgraph.
func (w *treeWorker) tree() {
	fill(w.at(0), len(w.hood))
	w.search(0, 1, 0)
}

// quadruples counts cliques of four: the root with the triangles of the subgraph. Its edges tell their triangles by a count of bits, and two
// edges of a triangle meet at each vertex. That is less work than a tree whose leaves stand for few cliques each.
func (w *treeWorker) quadruples() {
	w.twice = zeroed(w.twice, w.n)
	for i := range w.n {
		if w.stop() {
			return
		}
		row := w.row(i)
		for k := i >> 6; k < w.words; k++ {
			word := row[k]
			if k == i>>6 {
				word &= ^uint64(0) << (i & 63)
			}
			for ; word != 0; word &= word - 1 {
				j := k<<6 + bits.TrailingZeros64(word)
				n := uint64(sets.AndCount(row, w.row(j)))
				w.twice[i] += n
				w.twice[j] += n
			}
		}
	}
	all := uint64(0)
	for i, n := range w.twice {
		if n > 0 {
			w.add(int(w.hood[i]), pattern.Count(n/2))
			all += n
		}
	}
	w.add(int(w.root), pattern.Count(all/6))
}

// add adds n to one of the counts.
func (w *treeWorker) add(i int, n pattern.Count128) { w.counts[i] = satAdd(w.counts[i], n) }

// perVertex adds a leaf's k-cliques to their vertices. A held vertex is in all of them, a pivot in the ones that choose it.
func (w *treeWorker) perVertex(k, held, pivots int) {
	if held > k || held+pivots < k {
		return
	}
	n := w.binomial.choose(pivots, k-held)
	w.add(int(w.root), n)
	for _, v := range w.path {
		w.add(int(w.hood[v]), n)
	}
	if pivots > 0 && k > held {
		n = w.binomial.choose(pivots-1, k-held-1)
		for _, v := range w.pivots {
			w.add(int(w.hood[v]), n)
		}
	}
}

// perEdge adds a leaf's k-cliques to their edges. An edge between held vertices is in all of them, another edge in the ones that
// choose its pivots.
func (w *treeWorker) perEdge(k, held, pivots int) {
	if held > k || held+pivots < k {
		return
	}
	n := w.binomial.choose(pivots, k-held)
	for i, v := range w.path {
		w.add(w.edge(w.root, w.hood[v]), n)
		w.toEach(v, w.path[:i], n)
	}
	if pivots == 0 || k == held {
		return
	}
	one := w.binomial.choose(pivots-1, k-held-1)
	var both pattern.Count128
	if pivots > 1 {
		both = w.binomial.choose(pivots-2, k-held-2)
	}
	for i, v := range w.pivots {
		w.add(w.edge(w.root, w.hood[v]), one)
		w.toEach(v, w.path, one)
		w.toEach(v, w.pivots[:i], both)
	}
}

// toEach adds n to the edges from v to some vertices.
func (w *treeWorker) toEach(v int, to []int, n pattern.Count128) {
	for _, u := range to {
		w.add(w.edge(w.hood[u], w.hood[v]), n)
	}
}

// edge returns the number of the edge between two ranks.
func (w *treeWorker) edge(a, b uint32) int {
	a, b = min(a, b), max(a, b)
	return int(w.g.Offsets[a]) + sets.LowerBound(w.g.Out(a), b)
}
