package bfs

import (
	"context"
	"fmt"
	"math"
	"sync/atomic"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/hugepages"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/workgroup"
)

// Search returns the depth and the parent of every vertex that t.Sources reach in s; -1 and NoVertex of all others. It calls t.Blocked
// at most once for each vertex. It charges scratch and result to env.Memory and releases both before it returns. It fails with
// pattern.ErrMemory, with the context's error, or if a source is no vertex of s.
func Search(ctx context.Context, s *csr.Snapshot, t *pattern.Traversal, env *pattern.Env) (*pattern.Levels, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := checkSources(s, t); err != nil {
		return nil, err
	}
	n := int64(s.N())
	bytes := 4*n + 3*n/8 + 8*n // the queue and three bitmaps; depths and parents
	defer func() { env.Memory.Release(bytes) }()
	if err := env.Memory.Charge(bytes); err != nil {
		return nil, err
	}
	b, err := newTraversal(ctx, s, t, env)
	if err != nil {
		return nil, err
	}
	b.start()
	b.run()
	b.report()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return b.out, nil
}

func checkSources(s *csr.Snapshot, t *pattern.Traversal) error {
	for _, v := range t.Sources {
		if uint64(v) >= s.N() {
			return fmt.Errorf("breadth-first search from vertex %d of %d", v, s.N())
		}
	}
	return nil
}

// smallGraph is how many adjacency entries make a graph too small to gain from pulling.
const smallGraph = 1 << 12

// chooseVariant chooses for Auto. It pushes in a small graph, which saves building a second view.
func chooseVariant(edges uint64) pattern.Variant {
	if edges < smallGraph {
		return pattern.Push
	}
	return pattern.Switching
}

// shouldPull reports whether a search that pushes goes on by pulling: the frontier has over 1/14 of the unreached vertices' edges.
// Then a pull finds parents early enough to be cheaper. A pull also reads every word of the bitmap, which does not pay for a thin
// frontier.
func shouldPull(frontEdges, unseenEdges uint64, words int) bool {
	return frontEdges > unseenEdges/14 && frontEdges > uint64(words)
}

// shouldPush reports whether a search that pulls goes on by pushing: the frontier shrinks and has under 1/24 of the vertices.
func shouldPush(count, last uint64, vertices int) bool {
	return count < last && count < uint64(vertices)/24
}

// minShare is the number of edges (of vertices, when pulling) that repay starting a goroutine.
const minShare = 1 << 14

// crewSize returns how many workers share a level.
func crewSize(work, share uint64, workers int) int {
	return int(min(uint64(workers), 1+work/share))
}

// traversal is one search. Its frontier is queue[lo:hi], or the bitmap front, or both.
type traversal struct {
	*pattern.Traversal
	ctx     context.Context
	env     *pattern.Env
	s       *csr.Snapshot
	n       int
	variant pattern.Variant
	forward *csr.Adjacency // nil where edges are taken one by one
	level   int32          // the depth being filled
	out     *pattern.Levels

	visits         []uint64 // by vertex, a bit: reached, or met and blocked
	queue          []csr.VertexID
	lo, hi         int
	tail           atomic.Int64
	front, next    []uint64 // made when first used
	inQueue, inSet bool     // which form the frontier has

	count, last uint64 // vertices in this frontier and in the one before
	frontEdges  uint64
	unseenEdges uint64
	pullMode    bool

	crew  []worker
	share uint64 // minShare, but for tests and without pattern.BFSAlone
	room  int    // what a private buffer holds
	big   int    // neighbours that make a row one for all workers
	early bool   // see pattern.BFSEarly
	alone bool   // one worker does the present level: nothing needs to be atomic
	stop  atomic.Bool

	switches, aloneLevels, edgeTests uint64 // uses of techniques
}

// worker is one goroutine's share of a level.
type worker struct {
	own          []csr.VertexID // found and not yet in the queue
	big          []csr.VertexID // rows left for all workers together
	count, edges uint64

	overflows, rows, earlyStops uint64   // uses of techniques
	_                           [64]byte // workers do not share cache lines
}

func newTraversal(ctx context.Context, s *csr.Snapshot, t *pattern.Traversal, env *pattern.Env) (*traversal, error) {
	n := int(s.N())
	b := newCrew(ctx, s, t, env)
	if b.variant != pattern.EdgeCentric {
		var err error
		if b.forward, err = s.View(ctx, t.Types, t.Direction); err != nil {
			return nil, err
		}
		b.unseenEdges = b.forward.Len()
	}
	if b.variant == pattern.Auto {
		b.variant = chooseVariant(b.unseenEdges)
	}
	b.out = &pattern.Levels{Depth: hugepages.Make[int32](n), Parent: hugepages.Make[csr.VertexID](n)}
	fillWith(b.out.Depth, -1)
	fillWith(b.out.Parent, csr.NoVertex)
	b.visits = hugepages.Make[uint64]((n + 63) / 64)
	if t.Within != nil {
		for i, in := range t.Within.Bits() {
			b.visits[i] = ^in
		}
	}
	b.queue = hugepages.Make[csr.VertexID](n)
	return b, nil
}

// backward returns the view that pull reads; nil if the context ends during its construction.
func (b *traversal) backward() *csr.Adjacency {
	back, err := b.s.View(b.ctx, b.Types, b.Direction.Reverse())
	if err != nil {
		b.stop.Store(true)
		return nil
	}
	return back
}

// newCrew returns a traversal with workers and techniques but without arrays by vertex.
func newCrew(ctx context.Context, s *csr.Snapshot, t *pattern.Traversal, env *pattern.Env) *traversal {
	b := &traversal{Traversal: t, ctx: ctx, env: env, s: s, n: int(s.N()), variant: t.Variant}
	if b.variant == pattern.EdgeCentric && !env.Uses(pattern.BFSEdges) {
		b.variant = pattern.Auto
	}
	b.crew, b.early = make([]worker, max(1, env.Workers)), env.Uses(pattern.BFSEarly)
	if b.share = minShare; !env.Uses(pattern.BFSAlone) {
		b.share = 1
	}
	if b.room = 1; env.Uses(pattern.BFSPrivate) {
		b.room = ownCap
	}
	if b.big = bigRow; !env.Uses(pattern.BFSRows) {
		b.big = math.MaxInt
	}
	return b
}

// report adds the uses of techniques to the tally.
func (b *traversal) report() {
	var overflows, rows, earlyStops uint64
	for i := range b.crew {
		w := &b.crew[i]
		overflows, rows, earlyStops = overflows+w.overflows, rows+w.rows, earlyStops+w.earlyStops
	}
	if b.room > 1 {
		b.env.Took(pattern.BFSPrivate, overflows)
	}
	if b.early {
		b.env.Took(pattern.BFSEarly, earlyStops)
	}
	if b.share > 1 {
		b.env.Took(pattern.BFSAlone, b.aloneLevels)
	}
	b.env.Took(pattern.BFSRows, rows)
	b.env.Took(pattern.BFSSwitch, b.switches)
	b.env.Took(pattern.BFSEdges, b.edgeTests)
}

// fillWith sets every item of a to x, by copies of a block that stays in cache.
func fillWith[T any](a []T, x T) {
	block := a[:min(len(a), 1024)]
	for i := range block {
		block[i] = x
	}
	for i := len(block); i < len(a); {
		i += copy(a[i:], block)
	}
}

// start makes the sources the first frontier.
func (b *traversal) start() {
	b.alone = true
	for _, v := range b.Sources {
		if !b.isSeen(v) {
			b.claim(&b.crew[0], v, csr.NoVertex)
		}
	}
	b.advance(true)
}

// run searches level after level until nothing is found or the depth limit is reached.
func (b *traversal) run() {
	defer context.AfterFunc(b.ctx, func() { b.stop.Store(true) })()
	tally := b.env.Tally
	if tally == nil {
		tally = new(pattern.Tally)
	}
	tally.Units.Add(uint64(b.n))
	left := uint64(b.n)
	defer func() { tally.UnitsDone.Add(left) }() // those that are not reached are done with at the end
	for b.count > 0 && !b.stop.Load() && (b.MaxDepth < 0 || int(b.level) < b.MaxDepth) {
		tally.Partial.Add(b.count)
		tally.UnitsDone.Add(b.count)
		left -= b.count
		b.level++
		if b.variant == pattern.EdgeCentric {
			b.toSet()
			b.scanEdges()
			b.advance(true)
			continue
		}
		before := b.pullMode
		if b.pullMode = b.choosePull(); b.pullMode != before && b.variant == pattern.Switching {
			b.switches++
		}
		if b.pullMode {
			b.toSet()
			b.pull()
		} else {
			b.toQueue()
			b.push()
		}
		b.advance(!b.pullMode)
	}
}

// choosePull reports whether to pull the next level.
func (b *traversal) choosePull() bool {
	switch {
	case b.variant != pattern.Switching:
		return b.variant == pattern.Pull
	case !b.env.Uses(pattern.BFSSwitch):
		return false
	case b.pullMode:
		return !shouldPush(b.count, b.last, b.n)
	}
	return shouldPull(b.frontEdges, b.unseenEdges, len(b.visits))
}

// advance makes the workers' finds the frontier. They lie in the queue, or else in next.
func (b *traversal) advance(queued bool) {
	b.last, b.count, b.frontEdges = b.count, 0, 0
	for i := range b.crew {
		w := &b.crew[i]
		b.flush(w)
		b.count += w.count
		b.frontEdges += w.edges
		w.count, w.edges = 0, 0
	}
	b.unseenEdges -= b.frontEdges
	b.inQueue, b.inSet = queued, !queued
	if queued {
		b.lo, b.hi = b.hi, int(b.tail.Load())
	} else {
		b.front, b.next = b.next, b.front
	}
}

// toSet writes the frontier to the bitmap unless it is there.
func (b *traversal) toSet() {
	if b.front == nil {
		b.front, b.next = hugepages.Make[uint64](len(b.visits)), hugepages.Make[uint64](len(b.visits))
	}
	if b.inSet {
		return
	}
	clear(b.front)
	for _, v := range b.queue[b.lo:b.hi] {
		b.front[v>>6] |= 1 << (v & 63)
	}
	b.inSet = true
}

// each runs fn on as many workers as the work justifies.
func (b *traversal) each(work uint64, fn func(w *worker)) {
	k := crewSize(work, b.share, len(b.crew))
	if b.alone = k == 1; b.alone {
		if len(b.crew) > 1 {
			b.aloneLevels++
		}
		fn(&b.crew[0])
		return
	}
	all := workgroup.Group{Stop: func() { b.stop.Store(true) }}
	for i := 1; i < k; i++ {
		all.Go(func() { fn(&b.crew[i]) })
	}
	all.Do(func() { fn(&b.crew[0]) })
	all.Wait()
}

// deal runs fn over [0, n) in chunks, on as many workers as the work justifies. It returns early when the search stops.
func (b *traversal) deal(work uint64, n, chunk int, fn func(w *worker, lo, hi int)) {
	var next atomic.Int64
	b.each(work, func(w *worker) {
		for !b.stop.Load() {
			lo := int(next.Add(int64(chunk))) - chunk
			if lo >= n {
				return
			}
			fn(w, lo, min(lo+chunk, n))
		}
	})
}
