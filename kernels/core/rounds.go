package core

import (
	"sync/atomic"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/parallel"
)

// Cores by rounds (ParK: Dasari, Desh and Zubair 2014). All vertices whose remaining degree is the present level leave together. So do
// the vertices that fall to the level because of that, round by round. Then comes the next level that has a vertex.
//
// What makes it fast: the list of remaining vertices shrinks from level to level. The queue of a level is the order of removal
// itself. One worker handles a queue too short to share, without atomics, without rounds, and without a branch that is hard to
// predict. Workers fill private buffers. A worker undoes an atomic decrement that goes below the level, so a degree at the level
// stays: it is the coreness.

// coreRounds is one decomposition, or what one level of it removes.
type coreRounds struct {
	*coreSearch
	live  []csr.VertexID // not removed when the level began
	level uint32
	head  int // order[head:] is the queue
	tail  atomic.Int64
	own   [][]csr.VertexID // by worker: found and not yet in the queue
	room  int              // how many a private buffer holds
	share int              // queued vertices that repay sharing

	shrinks, restores bool // see pattern.CoreShrink, pattern.CoreRestore
	flushes, undos    atomic.Uint64
}

func newCoreRounds(c *coreSearch) *coreRounds {
	p := &coreRounds{coreSearch: c, live: c.all(), own: make([][]csr.VertexID, c.workers)}
	c.order = make([]csr.VertexID, 0, len(p.live))
	p.shrinks, p.restores = c.env.Uses(pattern.CoreShrink), c.env.Uses(pattern.CoreRestore)
	if p.room = 1; c.env.Uses(pattern.CoreBuffers) {
		p.room = 512
	}
	if p.share = 1; c.env.Uses(pattern.CoreAlone) {
		degree := 1 + int(c.reverse.Len())/max(1, c.n)
		p.share = max(1, minCoreShare/degree)
	}
	return p
}

// minCoreShare is the number of neighbours to read that repays starting goroutines.
const minCoreShare = 1 << 16

func (c *coreSearch) byRounds() {
	p := newCoreRounds(c)
	skip := c.env.Uses(pattern.CoreSkip)
	skipped, dropped := uint64(0), 0
	for len(c.order) < c.size() && !c.stop.Load() {
		before := len(p.live)
		least := p.scan()
		dropped += before - len(p.live)
		if skip && p.head == len(c.order) { // no vertex at this level: go to the first level with one
			skipped += uint64(least - p.level)
			p.level = least
			continue
		}
		p.cascade()
		p.level++
	}
	c.env.Took(pattern.CoreSkip, skipped)
	c.env.Took(pattern.CoreShrink, uint64(dropped))
	p.count()
}

// count adds the workers' counters to the tally.
func (p *coreRounds) count() {
	if p.restores {
		p.env.Took(pattern.CoreRestore, p.undos.Load())
	}
	if p.room > 1 {
		p.env.Took(pattern.CoreBuffers, p.flushes.Load())
	}
}

// scan queues the vertices of degree up to the level, drops removed vertices from live, and returns the least degree of the others.
func (p *coreRounds) scan() (least uint32) {
	least = ^uint32(0)
	core, kept := p.core, 0
	for _, v := range p.live {
		d := core[v]
		if d > p.level {
			p.live[kept] = v
			kept++
			least = min(least, d)
		} else if p.K > 0 || d == p.level {
			p.order = append(p.order, v)
		}
	}
	if p.shrinks || p.K > 0 {
		p.live = p.live[:kept]
	} else {
		p.live = p.all()
	}
	return least
}

// keep drops the removed vertices from live.
func (p *coreRounds) keep() int {
	n := 0
	for _, v := range p.live {
		if p.core[v] > p.level {
			p.live[n] = v
			n++
		}
	}
	return n
}

// cascade removes the queued vertices, and those that fall to the level because of that.
func (p *coreRounds) cascade() {
	first := p.head
	for p.head < len(p.order) && !p.stop.Load() {
		if queued := len(p.order) - p.head; p.workers > 1 && queued >= p.share {
			p.together(queued)
			continue
		}
		before := p.head
		p.alone()
		if p.workers > 1 {
			p.env.Took(pattern.CoreAlone, uint64(p.head-before))
		}
	}
	p.done(p.head - first)
}

// alone empties the queue, or stops when the queue is worth sharing. A removed vertex has a degree of at most the level, which
// stays.
func (p *coreRounds) alone() {
	core, order, level := p.core, p.order, p.level
	most := len(order) + p.share
	if p.workers == 1 {
		most = cap(order)
	}
	looked := 0
	for p.head < len(order) && len(order) <= most {
		v := order[p.head]
		p.head++
		row := p.reverse.Neighbours(v)
		if looked += len(row) + 1; looked >= parallel.PollEvery {
			looked = 0
			if p.stop.Load() {
				break
			}
		}
		for _, w := range row {
			d := core[w]
			core[w] = d + uint32((int64(level)-int64(d))>>63) // one less if above the level
			if d == level+1 {
				order = append(order, w)
			}
		}
	}
	p.order = order
}

// together runs one round: the workers remove the vertices queued at its start.
func (p *coreRounds) together(queued int) {
	const chunk = 32
	round := p.order[p.head:]
	room := p.order[:cap(p.order)]
	p.tail.Store(int64(len(p.order)))
	flush := func(worker int) {
		own := p.own[worker]
		copy(room[int(p.tail.Add(int64(len(own))))-len(own):], own)
		p.own[worker] = own[:0]
		p.flushes.Add(1)
	}
	parallel.For(p.workers, queued, chunk, &p.stop, func(worker, lo, hi int) {
		for _, v := range round[lo:hi] {
			for _, w := range p.reverse.Neighbours(v) {
				if p.fell(w) {
					if p.own[worker] = append(p.own[worker], w); len(p.own[worker]) == p.room {
						flush(worker)
					}
				}
			}
		}
	})
	for worker, own := range p.own {
		if len(own) > 0 {
			flush(worker)
		}
	}
	p.head += queued
	p.order = room[:p.tail.Load()]
}

// fell lowers the degree of w, unless w has left, and reports whether w fell to the level.
func (p *coreRounds) fell(w csr.VertexID) bool {
	d := atomic.LoadUint32(&p.core[w])
	if !p.restores {
		for d > p.level && !atomic.CompareAndSwapUint32(&p.core[w], d, d-1) {
			d = atomic.LoadUint32(&p.core[w])
		}
		return d == p.level+1
	}
	return int32(d) > int32(p.level) && p.take(w) // it may be below 0 for a moment
}

// take lowers the degree of w atomically, which was above the level a moment ago.
func (p *coreRounds) take(w csr.VertexID) bool {
	d := atomic.AddUint32(&p.core[w], ^uint32(0))
	if int32(d) < int32(p.level) {
		atomic.AddUint32(&p.core[w], 1)
		p.undos.Add(1)
	}
	return d == p.level
}
