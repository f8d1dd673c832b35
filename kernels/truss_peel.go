package kernels

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/motifql/motif/internal/pattern"
)

// peeling removes edges by rising support. At any time support[e] of an edge that stays is exactly the number of its
// triangles of edges that stay or are leaving, never rounded up to the level: so the search for e's triangles ends
// once that many are found, and edges of support 0 leave without one.
type peeling struct {
	g       *edgeGraph
	support []uint32    // by edge; once gone, the level it went at
	state   []edgeState // by edge
	live    []uint32    // the edges not gone, and some that are
	left    int         // how many are not gone
	inRows  int         // how many edges the rows of g hold
	queue   []uint32    // the edges that leave in this round
	level   uint32
	workers int
	all     []*peeler
	tally   *pattern.Tally
	stop    atomic.Bool
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
	sums []uint32
	next []uint32 // edges whose support has fallen to the level
}

// peelBytes is what a peeling takes beside its graph.
func peelBytes(vertices, edges, workers int) int64 {
	return 17*int64(edges) + 4*int64(vertices)*int64(workers)
}

func newPeeling(g *edgeGraph, env *pattern.Env) *peeling {
	m := g.size()
	p := &peeling{g: g, support: make([]uint32, m), state: make([]edgeState, m), live: make([]uint32, m), left: m, inRows: m}
	for e := range p.live {
		p.live[e] = uint32(e)
	}
	p.workers, p.tally = max(1, min(env.Workers, len(g.vertex))), env.Tally
	for range p.workers {
		p.all = append(p.all, &peeler{peeling: p, mark: make([]uint32, len(g.vertex))})
	}
	return p
}

// run counts support, removes what is not in the least-truss and, if asked to, peels the rest.
func (p *peeling) run(ctx context.Context, least uint32, rest bool) error {
	defer context.AfterFunc(ctx, func() { p.stop.Store(true) })()
	if p.tally != nil {
		p.tally.Units.Add(uint64(p.g.size()))
	}
	p.countSupport()
	if least > 2 {
		for doomed := p.doomed(least - 3); worthRecount(doomed, p.left); doomed = p.doomed(least - 3) {
			p.drop(least - 3)
		}
		p.remove(least - 3)
	}
	for rest && p.left > 0 && !p.stop.Load() {
		p.remove(p.leastSupport())
	}
	return ctx.Err()
}

// worthRecount says whether to drop the edges that have too little support all at once and to count again for the others,
// rather than to look for the triangles of each that goes: once few edges stay, counting theirs costs less.
func worthRecount(doomed, left int) bool { return doomed > left/4 }

// doomed is how many edges have support up to level.
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
		p.tally.UnitsDone.Add(uint64(p.left - n))
	}
	p.live, p.left = p.live[:n], n
	p.deal(len(p.g.vertex), func(_ *peeler, lo, hi int) { p.g.compact(lo, hi, p.state) })
	p.inRows = n
	p.countSupport()
}

// leastSupport is that of the edges left. It drops those gone from live.
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

// remove takes edges of support up to level away until all that stay have more.
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

// compact shrinks the rows when half of what they hold is gone; all times together cost what the first does.
func (p *peeling) compact() {
	if p.left > p.inRows/2 {
		return
	}
	p.deal(len(p.g.vertex), func(_ *peeler, lo, hi int) { p.g.compact(lo, hi, p.state) })
	p.inRows = p.left
}

// round lets the queue leave and makes the queue of the next round. Where nobody stays, no one needs to be told. A
// single worker removes edge by edge; several mark the queue as leaving first.
func (p *peeling) round() {
	if len(p.queue) < p.left {
		if p.workers > 1 {
			p.set(leaves)
		}
		p.deal(len(p.queue), func(w *peeler, lo, hi int) { w.visit(p.queue[lo:hi]) })
	}
	p.set(gone)
	p.left -= len(p.queue)
	if p.tally != nil {
		p.tally.UnitsDone.Add(uint64(len(p.queue)))
	}
	p.queue = p.queue[:0]
	for _, w := range p.all {
		p.queue = append(p.queue, w.next...)
		w.next = w.next[:0]
	}
	slices.Sort(p.queue) // by hub, which is worth its time; and the same for any number of workers
}

func (p *peeling) set(state edgeState) {
	for _, e := range p.queue {
		p.state[e] = state
		if state == gone {
			p.support[e] = p.level
		}
	}
}

// chunk is how much of n a worker takes at a time: some parts for each, but not so small that hubs are marked for an
// edge or two.
func (p *peeling) chunk(n int) int {
	const least, most, parts = 32, 256, 8
	return max(least, min(most, n/(parts*p.workers)))
}

// deal runs work over [0, n) in chunks on the workers, or on one if there is little to do.
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
	var wg sync.WaitGroup
	for _, w := range p.all[:workers] {
		wg.Go(func() { loop(w) })
	}
	wg.Wait()
}

// visit updates the triangles of edges that leave, hub by hub.
func (w *peeler) visit(edges []uint32) {
	for len(edges) > 0 && !w.stop.Load() {
		h, n, work := w.g.hub[edges[0]], 0, 0
		for n < len(edges) && w.g.hub[edges[n]] == h {
			if w.support[edges[n]] > 0 {
				work += w.g.degree(w.g.leaf[edges[n]])
			}
			n++
		}
		switch {
		case work == 0:
			w.leave(edges[:n])
		case worthMarking(w.g.degree(h), work):
			w.byMarks(h, edges[:n])
		default:
			w.bySearch(h, edges[:n])
		}
		edges = edges[n:]
	}
}

// worthMarking says whether to mark the hub's row rather than search in it for each of the entries to look up: a search
// takes about as long as ten marks set and cleared.
func worthMarking(hubDegree, lookups int) bool { return hubDegree < 10*lookups }

// leave is called when edges have been seen to.
func (w *peeler) leave(edges []uint32) {
	if w.workers > 1 {
		return
	}
	for _, e := range edges {
		w.state[e] = gone
	}
}

// byMarks updates the triangles of edges with one hub: its row is marked once, the leaves' rows are looked up.
func (w *peeler) byMarks(h uint32, edges []uint32) {
	to, via := w.g.row(h)
	for i, x := range to {
		w.mark[x] = via[i] + 1
	}
	for i, e := range edges {
		need := w.support[e]
		if need > 0 {
			row, other := w.g.row(w.g.leaf[e])
			for j, x := range row {
				if m := w.mark[x]; m != 0 && w.triangle(e, other[j], m-1) {
					if need--; need == 0 {
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
		if w.support[e] > 0 {
			w.intersect(h, e)
		}
		w.leave(edges[i : i+1])
	}
}

func (w *peeler) intersect(h, e uint32) {
	need := w.support[e]
	long, via := w.g.row(h)
	row, other := w.g.row(w.g.leaf[e])
	for j, x := range row {
		at := gallop(long, x)
		if long, via = long[at:], via[at:]; len(long) == 0 {
			return
		}
		if long[0] == x && w.triangle(e, other[j], via[0]) {
			if need--; need == 0 {
				return
			}
		}
	}
}

// triangle updates the edges f and g, which close a triangle with the leaving edge e, and reports whether there was a
// triangle still. Where two edges of one leave together, the smaller updates the third.
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

// lower takes one triangle from e and queues e if it falls to the level with that.
func (w *peeler) lower(e uint32) {
	var n uint32
	if w.workers == 1 {
		w.support[e]--
		n = w.support[e]
	} else {
		n = atomic.AddUint32(&w.support[e], ^uint32(0))
	}
	if n == w.level {
		w.next = append(w.next, e)
	}
}
