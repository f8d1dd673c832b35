package clique

import (
	"context"
	"iter"
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
// leaf stands for all sets of its pivots at once. Cliques of four and five by vertex need no tree: a count of the bits that two rows share
// tells the triangles of an edge. Each vertex has a tree over its later neighbours in a degeneracy order, at most
// degeneracy many. The search skips vertices of too small a coreness. Counts are exact in 128 bits or fail with
// pattern.ErrOverflow. Memory: scratchBytes, and 16 bytes a vertex or edge for each worker's counts.

// CountPerVertex returns the number of cliques of c at each vertex of s. c has one group, and no ranks.
func CountPerVertex(ctx context.Context, s *csr.Snapshot, c *pattern.Clique, env *pattern.Env) ([]pattern.Count128, error) {
	counts := make([]pattern.Count128, s.N())
	var mu sync.Mutex
	err := forEachTree(ctx, s, c, env, 16*int64(s.N()), func(w *treeWorker) func(uint32) error {
		w.countsVertices(c.K)
		return w.visit
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

// CountPerVertexRanks returns the vertices that are in a clique whose root has one of c.Ranks, in no order, and in how many. It takes one
// goroutine, which takes the roots by falling rank. c.Due may end it. c.Kept keeps its arrays for the next range.
func CountPerVertexRanks(ctx context.Context, s *csr.Snapshot, c *pattern.Clique, env *pattern.Env) (vertices []csr.VertexID, counts []pattern.Count128, err error) {
	alone := *env
	alone.Workers, alone.Tally = 1, nil
	var last *treeWorker
	err = forEachTree(ctx, s, c, &alone, 20*int64(s.N()), func(w *treeWorker) func(uint32) error {
		if kept, ok := c.Kept.(*treeWorker); ok {
			w.inducedSubgraph, w.level, w.mark, w.counts, w.counted, w.twice = kept.inducedSubgraph, kept.level, kept.mark, kept.counts, kept.counted[:0], kept.twice
		}
		c.Kept, last = nil, w // a search that ends early keeps none: its marks may be set
		w.sparse = true
		w.countsVertices(c.K)
		if c.Due == nil {
			return w.visit
		}
		return func(r uint32) error {
			err := w.visit(r)
			if c.Ranks.Lo = uint64(r); c.Due(len(w.counted)) {
				w.end()
			}
			return err
		}
	}, func(w *treeWorker) error {
		vertices, counts = make([]csr.VertexID, len(w.counted)), make([]pattern.Count128, len(w.counted))
		for i, r := range w.counted {
			n, err := fits(w.counts[r])
			if err != nil {
				return err
			}
			vertices[i], counts[i], w.counts[r] = w.g.Vertex[r], n, pattern.Count128{}
		}
		return nil
	})
	if err == nil {
		c.Kept = last
	}
	return vertices, counts, err
}

// CountPerEdge returns the number of k-cliques at each edge that is in any.
func CountPerEdge(ctx context.Context, s *csr.Snapshot, sub *pattern.Subgraph, k int, env *pattern.Env) (*pattern.EdgeCounts, error) {
	var counts []pattern.Count128
	var mu sync.Mutex
	g := core.Orientation(s, sub.Types, env.Workers)
	err := forEachTree(ctx, s, sub.Clique(k), env, 16*int64(len(g.Targets)), func(w *treeWorker) func(uint32) error {
		w.counts = make([]pattern.Count128, len(g.Targets))
		w.leaf = func(held, pivots int) { w.perEdge(k, held, pivots) }
		return w.visit
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
	sparse   bool
	counted  []uint32 // if sparse: the ranks that counts has a number of
	end      func()   // ends the search behind this root
	below    func()   // counts the cliques of a root whose subgraph is built
	twice    []uint64 // by vertex of the subgraph: its triangles there, twice
}

// forEachTree walks the trees of the roots of c, on env.Workers goroutines. Each goroutine charges bytes for its counts. A tree holds its
// root from the top.
func forEachTree(ctx context.Context, s *csr.Snapshot, c *pattern.Clique, env *pattern.Env, bytes int64,
	start func(*treeWorker) (visit func(root uint32) error), done func(*treeWorker) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	g := core.Orientation(s, c.Types, env.Workers)
	roots := &rootRange{g: g, in: member(g, c.Sets[0]), least: c.K, most: c.K}
	roots.first, roots.last = c.Ranks.Clip(0, len(g.Vertex))
	need := (bytes + scratchBytes(g)) * int64(max(1, env.Workers))
	defer env.Memory.Release(need)
	if err := env.Memory.Charge(need); err != nil {
		return err
	}
	var stop stopFlag
	return deal(ctx, roots, 16, env, &stop, func() (func(uint32) error, func() error, error) {
		w := &treeWorker{g: g, in: roots.in, end: stop.set}
		w.pivotTree = pivotTree{inducedSubgraph: new(inducedSubgraph), upTo: c.K, least: c.K, stop: stop.Load}
		w.below = w.tree
		visit := start(w)
		if w.mark == nil {
			w.mark = make(marks, len(g.Vertex))
		}
		return visit, func() error { return done(w) }, nil
	})
}

// countsVertices readies w to count k-cliques by vertex.
func (w *treeWorker) countsVertices(k int) {
	if w.counts == nil {
		w.counts = make([]pattern.Count128, len(w.g.Vertex))
	}
	w.leaf = func(held, pivots int) { w.perVertex(k, held, pivots) }
	switch k {
	case 4:
		w.below = w.quadruples
	case 5:
		w.below = w.quintuples
	}
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

// quadruples counts cliques of four: the root with the triangles of the subgraph. That is less work than a tree whose leaves stand for few
// cliques each.
func (w *treeWorker) quadruples() {
	all := w.at(0)
	fill(all, w.n)
	w.add(int(w.root), pattern.Count(w.triangles(all, 0)))
}

// quintuples counts cliques of five: the root and each vertex with the triangles among this one's later neighbours.
func (w *treeWorker) quintuples() {
	var total pattern.Count128
	for i := range w.n {
		later, from := w.at(0), i>>6
		copy(later[from:], w.row(i)[from:])
		later[from] &= ^uint64(0) << (i & 63)
		n := pattern.Count(w.triangles(later, from))
		w.add(int(w.hood[i]), n)
		total = satAdd(total, n)
	}
	w.add(int(w.root), total)
}

// triangles counts the triangles of the subgraph among some vertices, of words from on, for each vertex, and returns how many there are. An
// edge tells its triangles by a count of bits, and two edges of a triangle meet at each vertex.
func (w *treeWorker) triangles(of []uint64, from int) (total uint64) {
	of = of[from:]
	row := w.at(1)[from:]
	w.twice = append(w.twice, make([]uint64, max(0, w.n-len(w.twice)))...)
	for i := range members(of, from) {
		if w.stop() {
			return 0
		}
		for k, word := range w.row(i)[from:] {
			row[k] = word & of[k]
		}
		first := i>>6 - from
		for k := first; k < len(row); k++ {
			word := row[k]
			if k == first {
				word &= ^uint64(0) << (i & 63)
			}
			for ; word != 0; word &= word - 1 {
				j := (from+k)<<6 + bits.TrailingZeros64(word)
				n := uint64(sets.AndCount(row, w.row(j)[from:]))
				w.twice[i] += n
				w.twice[j] += n
			}
		}
	}
	for i := range members(of, from) {
		if n := w.twice[i] / 2; n > 0 {
			w.add(int(w.hood[i]), pattern.Count(n))
			total += n
		}
		w.twice[i] = 0
	}
	return total / 3
}

// members yields the numbers whose bits are set in words from on.
func members(words []uint64, from int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for k, word := range words {
			for ; word != 0; word &= word - 1 {
				if !yield((from+k)<<6 + bits.TrailingZeros64(word)) {
					return
				}
			}
		}
	}
}

// add adds n to one of the counts.
func (w *treeWorker) add(i int, n pattern.Count128) {
	if w.sparse && n != (pattern.Count128{}) && w.counts[i] == (pattern.Count128{}) {
		w.counted = append(w.counted, uint32(i))
	}
	w.counts[i] = satAdd(w.counts[i], n)
}

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
