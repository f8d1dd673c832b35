package clique

import (
	"context"
	"math/bits"
	"slices"
	"sync/atomic"

	"github.com/motifql/motif/internal/workgroup"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/core"
)

// Counting cliques of several groups, and listing cliques of any groups, by enumeration on a bitmap of each root's candidates.
//
// Input: an oriented graph, and disjoint sets of vertices with a quota each. What makes it fast: rows hold later neighbours only,
// a search descends only into groups that still need vertices, and the last two levels of a count are one loop.

// groupWorker is one worker's search below a root: the bitmap of the root's out-neighbourhood and a candidate bitmap
// per level.
type groupWorker struct {
	*search
	mark     []uint32 // by rank: 1 + local number, 0 where not in the neighbourhood
	hood     []uint32 // ranks of the neighbourhood, rising
	words    int
	rows     []uint64   // len(hood) rows of words: bit j of row i says that hood[j] follows hood[i]
	groups   [][]uint64 // per group: which of hood belong to it; nil with a single group
	level    [][]uint64 // candidates per level
	quota    []int      // how many vertices each group still needs
	path     []uint32   // ranks of the vertices chosen so far, when listing
	out      []csr.VertexID
	total    pattern.Count128
	progress progress
}

// search is the state that all workers share.
type search struct {
	g     *core.Oriented
	k     int
	group func(rank uint32) int // -1: in no set
	sizes []int
	stop  atomic.Bool
}

func newSearch(s *csr.Snapshot, c *pattern.Clique, env *pattern.Env) *search {
	q := &search{g: core.Orientation(s, c.Types, env.Workers), k: c.K, sizes: c.Sizes}
	if len(c.Sets) == 1 && c.Sets[0] == nil {
		q.group = func(uint32) int { return 0 }
		return q
	}
	group := make([]int16, s.N()) // by rank
	member := make([]int16, s.N())
	for i, set := range c.Sets {
		for v := range set.All() {
			member[v] = int16(i + 1)
		}
	}
	for r, v := range q.g.Vertex {
		group[r] = member[v] - 1
	}
	q.group = func(r uint32) int { return int(group[r]) }
	return q
}

// forEachRoot runs visit for every root whose neighbourhood could hold a clique, on env.Workers goroutines, and done
// once per worker at the end.
func forEachRoot(ctx context.Context, s *csr.Snapshot, c *pattern.Clique, env *pattern.Env, visit, done func(*groupWorker) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	q := newSearch(s, c, env)
	defer context.AfterFunc(ctx, func() { q.stop.Store(true) })()
	n := len(q.g.Vertex)
	roots := q.roots()
	roots.first, roots.last = c.Ranks.Clip(roots.first, roots.last)
	workers := max(1, min(env.Workers, roots.last-roots.first))
	work := roots.newWorkShares(env.Tally)
	var next atomic.Int64
	next.Store(int64(roots.first))
	const chunk = 64
	errs := make([]error, workers)
	all := workgroup.Group{Stop: func() { q.stop.Store(true) }}
	for w := range workers {
		all.Go(func() {
			l := newGroupWorker(q, n)
			l.progress.workShares = work
			err := l.setUp(env)
			for err == nil && !q.stop.Load() {
				lo := int(next.Add(chunk)) - chunk
				if lo >= roots.last {
					break
				}
				err = l.visit(lo, min(lo+chunk, roots.last), visit)
			}
			l.progress.report()
			if err == nil {
				err = done(l)
			}
			if err != nil {
				q.stop.Store(true)
				errs[w] = err
			}
		})
	}
	all.Wait()
	env.Memory.Release(int64(workers) * int64(4*n)) // what setUp has charged
	if err := firstError(errs); err != nil {
		return err
	}
	return ctx.Err()
}

// roots returns the roots of the search: the vertices of all groups.
func (q *search) roots() *rootRange {
	in := func(r uint32) bool { return q.group(r) >= 0 }
	return &rootRange{g: q.g, in: in, last: len(q.g.Vertex), least: q.k, most: q.k}
}

// visit searches below the roots [lo, hi).
func (l *groupWorker) visit(lo, hi int, visit func(*groupWorker) error) error {
	for r := lo; r < hi; r++ {
		if l.enter(uint32(r)) {
			err := visit(l)
			l.leave()
			if err != nil || l.stop.Load() {
				return err
			}
		}
		l.progress.did(r, r+1)
	}
	return nil
}

func newGroupWorker(q *search, n int) *groupWorker {
	l := &groupWorker{search: q, mark: make([]uint32, n), quota: slices.Clone(q.sizes), level: make([][]uint64, q.k+1)}
	l.path = make([]uint32, 0, q.k)
	l.out = make([]csr.VertexID, q.k)
	if len(q.sizes) > 1 {
		l.groups = make([][]uint64, len(q.sizes))
	}
	return l
}

// setUp charges the worker's scratch to the query's budget.
func (l *groupWorker) setUp(env *pattern.Env) error { return env.Memory.Charge(int64(4 * len(l.mark))) }

// enter makes r the root: it takes r from its group's quota and builds the bitmap of r's neighbourhood. It returns
// false if r can be in no clique.
func (l *groupWorker) enter(r uint32) bool {
	need := uint32(l.k - 1)
	gr := l.group(r)
	if gr < 0 || l.quota[gr] == 0 || l.g.Core[r] < need {
		return false
	}
	l.quota[gr]--
	l.hood = l.hood[:0]
	for _, w := range l.g.Out(r) {
		if g := l.group(w); g >= 0 && l.quota[g] > 0 && l.g.Core[w] >= need {
			l.hood = append(l.hood, w)
		}
	}
	if len(l.hood) < l.k-1 {
		l.quota[gr]++
		return false
	}
	l.path = append(l.path[:0], r)
	l.buildBitmap()
	if l.groups != nil && !l.suffice(l.level[0]) {
		l.quota[gr]++
		return false
	}
	return true
}

// leave undoes enter.
func (l *groupWorker) leave() { l.quota[l.group(l.path[0])]++ }

func (l *groupWorker) buildBitmap() {
	d := len(l.hood)
	l.words = (d + 63) / 64
	l.rows = zeroed(l.rows, d*l.words)
	for i := range l.level {
		if cap(l.level[i]) < l.words {
			l.level[i] = make([]uint64, 2*l.words)
		}
		l.level[i] = l.level[i][:l.words]
	}
	for i, w := range l.hood {
		l.mark[w] = uint32(i) + 1
	}
	for i, w := range l.hood {
		row := l.rows[i*l.words : (i+1)*l.words]
		for _, x := range l.g.Out(w) {
			if j := l.mark[x]; j != 0 {
				row[(j-1)>>6] |= 1 << ((j - 1) & 63)
			}
		}
	}
	for _, w := range l.hood {
		l.mark[w] = 0
	}
	for g := range l.groups {
		l.groups[g] = zeroed(l.groups[g], l.words)
	}
	if l.groups != nil {
		for i, w := range l.hood {
			l.groups[l.group(w)][i>>6] |= 1 << (i & 63)
		}
	}
	fill(l.level[0], d)
}

func (l *groupWorker) row(i int) []uint64 { return l.rows[i*l.words : (i+1)*l.words] }

// count returns the number of ways to choose need more vertices from the candidates of level depth.
func (l *groupWorker) count(depth, need int, quota []int) (total pattern.Count128, err error) {
	cand := l.level[depth]
	switch {
	case need == 0:
		return pattern.Count(1), nil
	case need == 1:
		return pattern.Count(l.choices(cand, quota)), nil
	case need == 2:
		return pattern.Count(l.pairs(cand, quota)), nil
	}
	next := l.level[depth+1]
	for w, word := range cand {
		for ; word != 0; word &= word - 1 {
			i := w<<6 + bits.TrailingZeros64(word)
			if l.stop.Load() {
				return total, nil
			}
			if !l.descend(i, need, cand, next) {
				continue
			}
			n, err := l.count(depth+1, need-1, quota)
			l.ascend(i)
			if total, err = addTo(total, n, err); err != nil {
				return total, err
			}
		}
	}
	return total, nil
}

// descend takes vertex i and writes the candidates after it to next. It returns false if they are too few.
func (l *groupWorker) descend(i, need int, cand, next []uint64) bool {
	g := 0
	if l.groups != nil {
		if g = l.group(l.hood[i]); l.quota[g] == 0 {
			return false
		}
	}
	left := 0
	for w, x := range l.row(i) {
		next[w] = cand[w] & x
		left += bits.OnesCount64(next[w])
	}
	if left < need-1 {
		return false
	}
	l.quota[g]--
	if l.groups != nil && need > 3 && !l.suffice(next) { // the last two levels are quicker than this check
		l.quota[g]++
		return false
	}
	return true
}

// suffice reports whether cand holds as many vertices of each group as the group still needs.
func (l *groupWorker) suffice(cand []uint64) bool {
	for g, need := range l.quota {
		if need == 0 {
			continue
		}
		for w, x := range cand {
			if need -= bits.OnesCount64(x & l.groups[g][w]); need <= 0 {
				break
			}
		}
		if need > 0 {
			return false
		}
	}
	return true
}

func (l *groupWorker) ascend(i int) {
	if l.groups == nil {
		l.quota[0]++
		return
	}
	l.quota[l.group(l.hood[i])]++
}

// choices counts the single vertices that fill the last open place.
func (l *groupWorker) choices(cand []uint64, quota []int) (n uint64) {
	g := openGroup(quota)
	for w, x := range cand {
		n += uint64(bits.OnesCount64(x & l.groups[g][w]))
	}
	return n
}

// pairs counts the edges that fill the last two open places: the two innermost levels in one loop.
func (l *groupWorker) pairs(cand []uint64, quota []int) (n uint64) {
	first, second := openPair(quota)
	n = l.pairsBetween(cand, l.groups[first], l.groups[second])
	if first != second {
		n += l.pairsBetween(cand, l.groups[second], l.groups[first])
	}
	return n
}

// pairsBetween counts edges whose earlier end is in a and whose later end is in b.
func (l *groupWorker) pairsBetween(cand, a, b []uint64) (n uint64) {
	for w, word := range cand {
		for word &= a[w]; word != 0; word &= word - 1 {
			row := l.row(w<<6 + bits.TrailingZeros64(word))
			for j := w; j < len(cand); j++ {
				n += uint64(bits.OnesCount64(row[j] & cand[j] & b[j]))
			}
		}
	}
	return n
}

// list calls emit for every choice of need more vertices from the candidates of level depth.
func (l *groupWorker) list(depth, need int, emit func([]csr.VertexID) error) error {
	if need == 0 {
		return emit(l.grouped())
	}
	cand, next := l.level[depth], l.level[depth+1]
	for w, word := range cand {
		for ; word != 0; word &= word - 1 {
			i := w<<6 + bits.TrailingZeros64(word)
			if l.stop.Load() {
				return nil
			}
			if !l.descend(i, need, cand, next) {
				continue
			}
			l.path = append(l.path, l.hood[i])
			err := l.list(depth+1, need-1, emit)
			l.path = l.path[:len(l.path)-1]
			l.ascend(i)
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// grouped returns the clique of path: its vertices by group, rising inside a group.
func (l *groupWorker) grouped() []csr.VertexID {
	at := 0
	for g, size := range l.sizes {
		start := at
		for _, r := range l.path {
			if l.group(r) == g {
				l.out[at] = l.g.Vertex[r]
				at++
			}
		}
		slices.Sort(l.out[start : start+size])
	}
	return l.out
}
