package truss

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/motifql/motif/internal/hugepages"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/workgroup"
	"github.com/motifql/motif/kernels/sets"
)

// peeling removes edges by rising support, level by level. Input: an edgeGraph of fewer than 2^32 edges.
//
// What makes it fast: support[e] is always the exact number of triangles that e forms with edges that stay or are leaving. It is never
// rounded up to the level. So the search for e's triangles ends at the last one, and edges of support 0 need no search.
type peeling struct {
	g         *edgeGraph
	support   []uint32    // by edge; once gone, the level it went at
	state     []edgeState // by edge
	live      []uint32    // the edges not gone, and some that are
	liveCount int         // edges that are not gone
	inRows    int         // how many edges the rows of g hold
	hubs      []uint32    // by rank: how many hubs it has, while support is counted
	queue     []uint32    // the edges that leave in this round
	level     uint32
	workers   int
	all       []*peeler
	env       *pattern.Env
	tally     *pattern.Tally
	stop      atomic.Bool

	// Techniques of the inner loops, see package pattern.
	zero, early, marks, gallops, restores bool

	sharedQueue []uint32 // edges whose support has fallen to the level, where workers have no buffers
	tail        atomic.Int64
}

type edgeState uint8

const (
	stays edgeState = iota
	leaves
	gone
)

// peeler is one worker's scratch.
type peeler struct {
	*peeling
	mark []uint32 // by rank: 1 + the edge that joins it with the marked vertex, or 0
	next []uint32 // edges whose support has fallen to the level
	uses [pattern.TrussCompact + 1 - pattern.TrussCore]uint64

	hubBits      []uint64 // bitmap by rank, while support is counted
	sums, places []uint32
}

// count notes n uses of a technique.
func (w *peeler) count(m pattern.Technique, n int) { w.uses[m-pattern.TrussCore] += uint64(n) }

// peelBytes returns the memory of a peeling beside its graph.
func peelBytes(vertices, edges, workers int) int64 {
	return 17*int64(edges) + 4*int64(vertices)*int64(workers+1) + int64(vertices/8+8)*int64(workers)
}

func newPeeling(g *edgeGraph, env *pattern.Env) *peeling {
	m := g.size()
	p := &peeling{g: g, support: hugepages.Make[uint32](m), state: hugepages.Make[edgeState](m), live: hugepages.Make[uint32](m), liveCount: m, inRows: m}
	for e := range p.live {
		p.live[e] = uint32(e)
	}
	p.workers, p.env, p.tally = max(1, min(env.Workers, len(g.vertex))), env, env.Tally
	p.zero, p.early, p.marks = env.Uses(pattern.TrussZero), env.Uses(pattern.TrussEarly), env.Uses(pattern.TrussMarks)
	p.gallops, p.restores = env.Uses(pattern.TrussGallop), env.Uses(pattern.TrussRestore)
	if !env.Uses(pattern.TrussBuffers) {
		p.sharedQueue = hugepages.Make[uint32](m)
	}
	for range p.workers {
		p.all = append(p.all, &peeler{peeling: p, mark: hugepages.Make[uint32](len(g.vertex)), hubBits: hugepages.Make[uint64]((len(g.vertex) + 63) / 64)})
	}
	return p
}

// run counts support, removes the edges outside of the least-truss and, if rest is set, peels the others.
func (p *peeling) run(ctx context.Context, least uint32, rest bool) error {
	defer context.AfterFunc(ctx, func() { p.stop.Store(true) })()
	if p.tally != nil {
		p.tally.Units.Add(uint64(p.g.size()))
	}
	defer p.report()
	p.countSupport()
	level := uint32(0) // the next
	if least > 2 {
		level = least - 2
		for doomed := p.doomed(least - 3); p.env.Uses(pattern.TrussRecount) && worthRecount(doomed, p.liveCount); doomed = p.doomed(least - 3) {
			p.env.Took(pattern.TrussRecount, uint64(doomed))
			p.drop(least - 3)
		}
		p.remove(least - 3)
	}
	for ; rest && p.liveCount > 0 && !p.stop.Load(); level++ {
		if first := p.leastSupport(); p.env.Uses(pattern.TrussLevels) {
			p.env.Took(pattern.TrussLevels, uint64(first-level))
			level = first
		}
		p.remove(level)
	}
	return ctx.Err()
}

// report adds the workers' counters to the tally.
func (p *peeling) report() {
	for _, w := range p.all {
		for i, n := range w.uses {
			p.env.Took(pattern.TrussCore+pattern.Technique(i), n)
		}
	}
}

// worthRecount reports whether to drop all edges of too little support at once and count again for the others. If few edges
// stay, that costs less than finding the triangles of each leaving edge.
func worthRecount(doomed, left int) bool { return doomed > left/4 }

// doomed returns how many edges have support up to level.
func (p *peeling) doomed(level uint32) (n int) {
	for _, e := range p.live {
		if p.support[e] <= level {
			n++
		}
	}
	return n
}

// drop removes the edges of support up to level, at once, and counts the support of the others again.
func (p *peeling) drop(level uint32) {
	n := 0
	for _, e := range p.live {
		if p.support[e] <= level {
			p.state[e], p.support[e] = gone, level
			continue
		}
		p.live[n], p.support[e] = e, 0
		n++
	}
	if p.tally != nil {
		p.tally.UnitsDone.Add(uint64(p.liveCount - n))
	}
	p.live, p.liveCount = p.live[:n], n
	p.deal(len(p.g.vertex), func(_ *peeler, lo, hi int) { p.g.compact(lo, hi, p.state) })
	p.inRows = n
	p.countSupport()
}

// leastSupport returns the least support of the remaining edges, and drops removed edges from live.
func (p *peeling) leastSupport() uint32 {
	least, n := ^uint32(0), 0
	for _, e := range p.live {
		if p.state[e] == stays {
			p.live[n] = e
			n++
			least = min(least, p.support[e])
		}
	}
	p.live = p.live[:n]
	return least
}

// remove removes edges of support up to level until all others have more.
func (p *peeling) remove(level uint32) {
	p.level = level
	p.queue = p.queue[:0]
	for _, e := range p.live {
		if p.support[e] <= level && p.state[e] == stays {
			p.queue = append(p.queue, e)
		}
	}
	for len(p.queue) > 0 && !p.stop.Load() {
		p.compact()
		p.round()
	}
}

// compact shrinks the rows when a quarter of their edges are gone. All calls together cost at most four times the first.
func (p *peeling) compact() {
	if p.liveCount > p.inRows-p.inRows/4 || !p.env.Uses(pattern.TrussCompact) {
		return
	}
	p.env.Took(pattern.TrussCompact, 2*uint64(p.inRows-p.liveCount))
	p.deal(len(p.g.vertex), func(_ *peeler, lo, hi int) { p.g.compact(lo, hi, p.state) })
	p.inRows = p.liveCount
}

// round removes the queued edges and makes the queue of the next round. If no edge stays, no support needs an update. A
// single worker removes edge by edge; several workers first mark the queue as leaving.
func (p *peeling) round() {
	if last := len(p.queue) == p.liveCount; last && p.env.Uses(pattern.TrussLast) {
		p.env.Took(pattern.TrussLast, uint64(len(p.queue)))
	} else {
		if p.workers > 1 {
			p.set(leaves)
		}
		p.deal(len(p.queue), func(w *peeler, lo, hi int) { w.visit(p.queue[lo:hi]) })
	}
	p.set(gone)
	p.liveCount -= len(p.queue)
	if p.tally != nil {
		p.tally.UnitsDone.Add(uint64(len(p.queue)))
	}
	p.queue = p.queue[:0]
	for _, w := range p.all {
		p.queue = append(p.queue, w.next...)
		w.count(pattern.TrussBuffers, len(w.next))
		w.next = w.next[:0]
	}
	if p.sharedQueue != nil {
		p.queue = append(p.queue, p.sharedQueue[:p.tail.Swap(0)]...)
	}
	slices.Sort(p.queue) // by hub, which is worth its time; and the same for any number of workers
}

func (p *peeling) set(state edgeState) {
	restored := 0
	for _, e := range p.queue {
		p.state[e] = state
		if state == gone {
			if p.support[e] < p.level {
				restored++
			}
			p.support[e] = p.level
		}
	}
	if p.restores {
		p.all[0].count(pattern.TrussRestore, restored)
	}
}

// chunk returns how many of n edges a worker takes at a time. Each worker gets several chunks, but no chunk is so small that a
// hub is marked for an edge or two.
func (p *peeling) chunk(n int) int {
	const least, most, parts = 32, 256, 8
	return max(least, min(most, n/(parts*p.workers)))
}

// deal runs work over [0, n) in chunks on the workers, or on one if n is small.
func (p *peeling) deal(n int, work func(w *peeler, lo, hi int)) {
	chunk := p.chunk(n)
	var next atomic.Int64
	loop := func(w *peeler) {
		for !p.stop.Load() {
			lo := int(next.Add(int64(chunk))) - chunk
			if lo >= n {
				return
			}
			work(w, lo, min(lo+chunk, n))
		}
	}
	workers := min(p.workers, (n+chunk-1)/chunk)
	if workers <= 1 {
		loop(p.all[0])
		return
	}
	all := workgroup.Group{Stop: func() { p.stop.Store(true) }}
	for _, w := range p.all[:workers] {
		all.Go(func() { loop(w) })
	}
	all.Wait()
}

// visit updates the triangles of edges that leave, hub by hub.
func (w *peeler) visit(edges []uint32) {
	zero := 0
	for len(edges) > 0 && !w.stop.Load() {
		h, n, work := w.g.hub[edges[0]], 0, 0
		for n < len(edges) && w.g.hub[edges[n]] == h {
			if w.searched(edges[n]) {
				work += w.g.degree(w.g.leaf[edges[n]])
			} else {
				zero++
			}
			n++
		}
		switch {
		case work == 0:
			w.leave(edges[:n])
		case w.marks && worthMarking(w.g.degree(h), work):
			w.count(pattern.TrussMarks, 1)
			w.byMarks(h, edges[:n])
		default:
			w.bySearch(h, edges[:n])
		}
		edges = edges[n:]
	}
	w.count(pattern.TrussZero, zero)
}

// searched reports whether to look for triangles of e: not if its support is 0.
func (w *peeler) searched(e uint32) bool { return w.support[e] > 0 || !w.zero }

// triangles returns how many triangles of e a search finds before it ends; without the early end, more than e can have.
func (w *peeler) triangles(e uint32) uint32 {
	if w.early {
		return w.support[e]
	}
	return ^uint32(0)
}

// worthMarking reports whether to mark the hub's row instead of searching it for each entry. A search takes about as long
// as setting and clearing ten marks.
func worthMarking(hubDegree, lookups int) bool { return hubDegree < 10*lookups }

// leave marks edges as gone after their triangles are updated.
func (w *peeler) leave(edges []uint32) {
	if w.workers > 1 {
		return
	}
	for _, e := range edges {
		w.state[e] = gone
	}
}

// byMarks updates the triangles of edges with one hub. It marks the hub's row once and looks the leaves' rows up there.
func (w *peeler) byMarks(h uint32, edges []uint32) {
	to, via := w.g.row(h)
	for i, x := range to {
		w.mark[x] = via[i] + 1
	}
	for i, e := range edges {
		if w.stop.Load() {
			return
		}
		if w.searched(e) {
			need := w.triangles(e)
			row, other := w.g.row(w.g.leaf[e])
			for j, x := range row {
				if m := w.mark[x]; m != 0 && w.triangle(e, other[j], m-1) {
					if need--; need == 0 {
						w.count(pattern.TrussEarly, 1)
						break
					}
				}
			}
		}
		w.leave(edges[i : i+1])
	}
	for _, x := range to {
		w.mark[x] = 0
	}
}

// bySearch updates the triangles of edges with one hub by searching its row for the entries of the leaves' rows.
func (w *peeler) bySearch(h uint32, edges []uint32) {
	for i, e := range edges {
		if w.searched(e) {
			w.intersect(h, e)
		}
		w.leave(edges[i : i+1])
	}
}

// longRow is the number of entries from which galloping beats a linear search.
const longRow = 64

func (w *peeler) intersect(h, e uint32) {
	need := w.triangles(e)
	long, via := w.g.row(h)
	row, other := w.g.row(w.g.leaf[e])
	gallops := w.gallops && len(long) > longRow
	if gallops {
		w.count(pattern.TrussGallop, 1)
	}
	for j, x := range row {
		at := 0
		if gallops {
			at = sets.Gallop(long, x)
		} else {
			for at < len(long) && long[at] < x {
				at++
			}
		}
		if long, via = long[at:], via[at:]; len(long) == 0 {
			return
		}
		if long[0] == x && w.triangle(e, other[j], via[0]) {
			if need--; need == 0 {
				w.count(pattern.TrussEarly, 1)
				return
			}
		}
	}
}

// triangle updates the edges f and g, which close a triangle with the leaving edge e, and reports whether the triangle still
// existed. If two of its edges leave together, the one of smaller number updates the third.
func (w *peeler) triangle(e, f, g uint32) bool {
	sf, sg := w.state[f], w.state[g]
	switch {
	case sf == gone || sg == gone:
		return false
	case sf == stays && sg == stays:
		w.lower(f)
		w.lower(g)
	case sf == stays && e < g:
		w.lower(f)
	case sg == stays && e < f:
		w.lower(g)
	}
	return true
}

// lower takes one triangle from e and queues e if its support falls to the level. The support may fall further: the search for
// e's triangles needs the exact number. The removal of e sets it back to the level.
func (w *peeler) lower(e uint32) {
	var n uint32
	switch {
	case !w.restores:
		if n = w.lowerTo(e); n == w.level+1 {
			n--
		} else {
			return
		}
	case w.workers == 1:
		w.support[e]--
		n = w.support[e]
	default:
		n = atomic.AddUint32(&w.support[e], ^uint32(0))
	}
	if n == w.level {
		w.enqueue(e)
	}
}

// lowerTo takes one triangle from e unless its support is at the level, and returns the support before.
func (w *peeler) lowerTo(e uint32) uint32 {
	for {
		n := atomic.LoadUint32(&w.support[e])
		if n <= w.level || atomic.CompareAndSwapUint32(&w.support[e], n, n-1) {
			return n
		}
	}
}

func (w *peeler) enqueue(e uint32) {
	if w.sharedQueue != nil {
		w.sharedQueue[w.tail.Add(1)-1] = e
		return
	}
	w.next = append(w.next, e)
}
