package clique

import (
	"context"
	"math/bits"
	"sync"
	"sync/atomic"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/core"
	"github.com/motifql/motif/kernels/sets"
)

// Counting k-cliques of one group: each worker counts below one root at a time, by the method of rule.go.
//
// Input: an oriented graph and k. What makes it fast: the search skips roots of coreness below k-1, and counts a nearly complete end of
// the order by its missing edges. A root's candidates become a bitmap as early as that pays.

// cliqueSearch is the state that workers share.
type cliqueSearch struct {
	g    *core.Oriented
	k    int
	in   func(rank uint32) bool
	env  *pattern.Env
	stop stopFlag

	thin, words, deeper, split                bool // techniques that are on
	pivots, complements, enumerates, complete bool
	levels                                    [4]bool // by level: bitmaps may be built

	workers int
	mu      sync.Mutex
	wake    sync.Cond
	idle    atomic.Int32 // workers without roots
	tasks   []*branches  // tasks that have branches for others
}

func newCliqueSearch(s *csr.Snapshot, c *pattern.Clique, env *pattern.Env) *cliqueSearch {
	q := &cliqueSearch{g: core.Orientation(s, c.Types, env.Workers), k: c.K, env: env}
	q.in = member(q.g, c.Sets[0])
	q.thin, q.split = env.Uses(pattern.CliqueThin), env.Uses(pattern.CliqueSplit)
	q.words, q.pivots, q.complements = env.Uses(pattern.CliqueWord), env.Uses(pattern.CliquePivot), env.Uses(pattern.CliqueComplement)
	q.enumerates, q.complete = env.Uses(pattern.CliqueEnumerate), env.Uses(pattern.CompleteHood)
	q.levels = [4]bool{1: env.Uses(pattern.CliqueLevel1), 2: env.Uses(pattern.CliqueLevel2), 3: env.Uses(pattern.CliqueLevel3)}
	q.deeper = q.levels[2]
	q.wake.L = &q.mu
	q.stop.wake = func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.wake.Broadcast()
	}
	return q
}

// countSimple counts the k-cliques of one group.
func countSimple(ctx context.Context, s *csr.Snapshot, c *pattern.Clique, env *pattern.Env) (pattern.Count128, error) {
	q := newCliqueSearch(s, c, env)
	n := len(q.g.Vertex)
	need := scratchBytes(q.g) * int64(max(1, env.Workers))
	defer env.Memory.Release(need)
	if err := env.Memory.Charge(need); err != nil {
		return pattern.Count128{}, err
	}
	var total pattern.Count128
	if q.k == 1 {
		lo, hi := c.Ranks.Clip(0, n)
		for r := lo; r < hi; r++ {
			if q.in(uint32(r)) {
				total.Lo++
			}
		}
		return total, ctx.Err()
	}
	first := 0
	if env.Uses(pattern.CliqueCore) { // coreness rises with rank
		first = sets.LowerBound(q.g.Core, uint32(q.k-1))
		env.Took(pattern.CliqueCore, uint64(first))
	}
	if c.Ranks == nil || c.Ranks.Lo == 0 && c.Ranks.Hi >= uint64(n) { // a part of the end has more missing edges than the whole
		n, total = q.countTail()
	}
	first, n = c.Ranks.Clip(first, n)
	q.workers = dealtTo(env, n-first)
	var last *counter
	err := deal(ctx, &rootRange{g: q.g, in: q.in, first: first, last: n, least: q.k, most: q.k}, 16, env, &q.stop, func() (func(uint32) error, func() error, error) {
		w := q.takeCounter(c)
		return w.root, func() error {
			w.help()
			w.report()
			q.mu.Lock()
			defer q.mu.Unlock()
			total, last = satAdd(total, w.total), w
			return nil
		}, nil
	})
	if err != nil {
		return pattern.Count128{}, err
	}
	if c.Ranks != nil && q.workers == 1 {
		c.Kept = last
	}
	return fits(total)
}

// takeCounter returns the worker that c keeps from an earlier range of ranks, or a new one. A search that ends early keeps none: its marks
// may be set.
func (q *cliqueSearch) takeCounter(c *pattern.Clique) *counter {
	w, ok := c.Kept.(*counter)
	if !ok || q.workers > 1 {
		return newCounter(q)
	}
	c.Kept = nil
	w.cliqueSearch, w.word.stop, w.total = q, &q.stop.Bool, pattern.Count128{}
	return w
}

// counter is one worker.
type counter struct {
	*cliqueSearch
	mark     marks
	hood     []uint32
	lists    []*subgraphLists // by level
	small    []uint32         // marks of a task's vertices, clear between uses
	degree   []uint32
	word     wordGraph
	wide     wideGraph
	binomial binomials
	total    pattern.Count128
	uses     [pattern.CliqueSplit + 1]uint64 // by technique of the CPU, which come first
}

func newCounter(q *cliqueSearch) *counter {
	w := &counter{cliqueSearch: q, mark: make(marks, len(q.g.Vertex))}
	w.wide.counter, w.word.stop = w, &q.stop.Bool
	return w
}

// report adds the worker's counters to the tally.
func (w *counter) report() {
	for m, n := range w.uses {
		w.env.Took(pattern.Technique(m), n)
	}
	clear(w.uses[:])
}

// root counts the cliques whose first vertex is r.
func (w *counter) root(r uint32) error {
	need := w.k - 1
	out := w.g.Out(r)
	if len(out) < need || !w.in(r) {
		return nil
	}
	w.hood = w.hood[:0]
	for _, x := range out { // of no smaller coreness than r
		if w.in(x) {
			w.hood = append(w.hood, x)
		}
	}
	switch n := len(w.hood); {
	case n < need:
	case need == 1:
		w.add(uint64(n))
	case n <= 64 && w.words && w.levels[1]:
		w.rootWord()
		w.countWord(need, 1)
	default:
		l := w.listsAt(0)
		l.build(w.g, w.hood, w.mark)
		w.countLists(l, need, 1)
	}
	return nil
}

func (w *counter) add(n uint64) { w.total = satAdd(w.total, pattern.Count(n)) }

// rootWord makes word the subgraph induced by hood.
func (w *counter) rootWord() {
	g, m := &w.word, w.mark
	g.n, g.hasRows = len(w.hood), false
	m.set(w.hood)
	for i, r := range w.hood {
		up := uint64(0)
		for _, x := range w.g.Out(r) {
			up |= 1 << (m[x] - 1) // no bit for an unmarked one
		}
		g.upper[i] = up
	}
	m.clear(w.hood)
}

// countWord counts the cliques of need vertices of word, a task of a level.
func (w *counter) countWord(need, level int) {
	w.uses[pattern.CliqueWord]++
	w.uses[bitmapsOf(level)]++
	g := &w.word
	if need == 1 {
		w.add(uint64(g.n))
		return
	}
	edges := 0
	for _, up := range g.upper[:g.n] {
		edges += bits.OnesCount64(up)
	}
	switch {
	case need == 2:
		w.add(uint64(edges))
		return
	case 2*edges < need*(need-1):
		return
	case w.complete && 2*edges == g.n*(g.n-1):
		w.uses[pattern.CompleteHood]++
		w.add(pascalTriangle[g.n][need])
		return
	}
	m := w.chooseMethod(g.n, edges, need)
	if m != byEnumeration {
		g.mirror()
	}
	if m == byComplement {
		n, ok := w.viaComplement(&inducedSubgraph{g.n, 1, g.row[:g.n]}, []uint64{all(g.n)}, 0, need)
		if ok {
			w.total = satAdd(w.total, n)
			return
		}
		m = byPivots
	}
	if m == byPivots {
		w.uses[pattern.CliquePivot]++
		w.add(g.pivot(all(g.n), 0, need))
		return
	}
	w.uses[pattern.CliqueEnumerate]++
	w.add(g.enumerate(all(g.n), need))
}

func bitmapsOf(level int) pattern.Technique {
	return pattern.CliqueLevel1 + pattern.Technique(min(level, 3)-1)
}

func (w *counter) listsAt(depth int) *subgraphLists {
	for len(w.lists) <= depth {
		w.lists = append(w.lists, new(subgraphLists))
	}
	return w.lists[depth]
}

// countLists counts the cliques of need vertices, at least 2, of a task of a level.
func (w *counter) countLists(l *subgraphLists, need, level int) {
	if w.thin && need > 2 {
		var gone int
		gone, w.degree = l.thin(need-1, w.degree)
		w.uses[pattern.CliqueThin] += uint64(gone)
	}
	n, ones := l.n(), l.ones()
	bitmaps := w.levels[min(level, 3)]
	switch {
	case n < need || 2*ones < need*(need-1):
	case need == 2:
		w.add(uint64(ones))
	case w.complete && 2*ones == n*(n-1):
		w.uses[pattern.CompleteHood]++
		w.total = satAdd(w.total, w.binomial.choose(n, need))
	case n <= 64 && w.words && bitmaps:
		l.word(&w.word)
		w.countWord(need, level)
	case !bitmaps || w.splits(n, level):
		w.branch(l, need, level)
	default:
		m := w.chooseMethod(n, ones, need)
		if m == byEnumeration && w.goesDeeper(n, ones, need) {
			w.branch(l, need, level)
			return
		}
		w.uses[bitmapsOf(level)]++
		l.bitmap(&w.wide.inducedSubgraph)
		w.countWide(m, need)
	}
}

// splits reports whether a task is to be split over the workers.
func (w *counter) splits(n, level int) bool {
	return w.split && level == 1 && w.workers > 1 && n > largeTask
}

// countWide counts the cliques of need vertices of wide by a method.
func (w *counter) countWide(m method, need int) {
	g := &w.wide
	p := g.at(0)
	fill(p, g.n)
	if m == byComplement {
		if n, ok := w.viaComplement(&g.inducedSubgraph, p, 0, need); ok {
			w.total = satAdd(w.total, n)
			return
		}
		if m = byEnumeration; w.pivots {
			m = byPivots
		}
	}
	if m == byPivots {
		w.uses[pattern.CliquePivot]++
		w.total = satAdd(w.total, g.pivot(0, g.n, 0, need))
		return
	}
	w.uses[pattern.CliqueEnumerate]++
	g.sum = pattern.Count128{}
	g.enumerate(0, need)
	w.total = satAdd(w.total, g.sum)
}

// countTail counts the cliques inside a nearly complete end of the order by its missing edges. It returns where the end starts: the
// search still has to visit the roots before.
func (q *cliqueSearch) countTail() (start int, total pattern.Count128) {
	start = len(q.g.Vertex)
	w, g, at := q.tailGraph()
	if w == nil {
		return start, total
	}
	p := make([]uint64, g.words)
	fill(p, g.n)
	total, ok := w.viaComplement(g, p, 0, q.k)
	if !ok {
		return start, pattern.Count128{}
	}
	w.uses[pattern.CliqueTail]++
	w.report()
	return at, total
}

// tailGraph returns the graph that countTail counts in, the rank where it starts, and a worker; nil if the technique is off
// or the graph has at most 64 vertices.
func (q *cliqueSearch) tailGraph() (w *counter, g *inducedSubgraph, start int) {
	if !q.complements || !q.env.Uses(pattern.CliqueTail) {
		return nil, nil, 0
	}
	var hood []uint32
	start = q.tail()
	for r := start; r < len(q.g.Vertex); r++ {
		if q.in(uint32(r)) {
			hood = append(hood, uint32(r))
		}
	}
	if len(hood) <= 64 {
		return nil, nil, 0
	}
	w, g = newCounter(q), new(inducedSubgraph)
	g.build(q.g, hood, w.mark)
	return w, g, start
}

// tail returns the start of the longest end of the order with at most as many missing edges as vertices.
func (q *cliqueSearch) tail() (start int) {
	n := len(q.g.Vertex)
	start = n
	edges := 0
	for r := n - 1; r >= 0; r-- {
		size := n - r
		edges += len(q.g.Out(uint32(r)))
		if missing := size*(size-1)/2 - edges; missing <= size {
			start = r
		} else if missing > 4*size+256 { // hardly to be made up for
			break
		}
	}
	return start
}
