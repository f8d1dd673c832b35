package core

import (
	"math/bits"
	"sync/atomic"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/parallel"
)

// Cores by passes (RLCore). For each k, one pass removes and flags the vertices of degree below k: their coreness is k-1. The next pass
// lowers the degree of every remaining neighbour of a flagged vertex and clears the flags. Both repeat until a pass removes
// nothing at k. If no vertex has degree below k, k is skipped.
//
// What makes it fast: bitmaps hold removed and flagged vertices, 64 a word, so a pass over flags reads little. A word has one
// writer in a pass. It keeps no queue.

// corePasses is one decomposition; the names are the paper's.
type corePasses struct {
	*coreSearch
	rmlist    []uint64         // removed, or never there
	flaglist  []uint64         // removed in this pass
	rmlists   [][]csr.VertexID // by worker: removed in this pass, where there are no flags
	liveCount int              // vertices not removed
	least     []uint32         // by worker: the least degree that stays
	removals  []int            // by worker, in this pass
	flags     bool             // see pattern.CoreFlags
}

func (c *coreSearch) byPasses() { newCorePasses(c).run() }

func newCorePasses(c *coreSearch) *corePasses {
	words := (c.n + 63) / 64
	p := &corePasses{coreSearch: c, rmlist: make([]uint64, words), flaglist: make([]uint64, words),
		rmlists: make([][]csr.VertexID, c.workers), least: make([]uint32, c.workers), removals: make([]int, c.workers),
		flags: c.env.Uses(pattern.CoreFlags)}
	p.liveCount = c.size()
	if r := c.n & 63; r != 0 {
		p.rmlist[words-1] = ^uint64(0) << r
	}
	if c.Within != nil {
		for i, w := range c.Within.Bits() {
			p.rmlist[i] |= ^w
		}
	}
	return p
}

func (p *corePasses) run() {
	for k := uint32(1); p.liveCount > 0 && !p.stop.Load(); {
		n, least := p.update(k)
		if n == 0 {
			next := k + 1
			if p.env.Uses(pattern.CoreSkip) {
				next = least + 1
				p.env.Took(pattern.CoreSkip, uint64(least-k))
			}
			k = next
			continue
		}
		p.liveCount -= n
		p.done(n)
		p.scatter()
	}
}

// update removes and flags the vertices of degree below k. It returns how many they are, and the least degree of the others.
func (p *corePasses) update(k uint32) (n int, least uint32) {
	const chunk = 16
	for i := range p.least {
		p.least[i], p.removals[i] = ^uint32(0), 0
	}
	parallel.For(p.workers, len(p.rmlist), chunk, &p.stop, func(worker, lo, hi int) {
		removed, least := 0, p.least[worker]
		for i := lo; i < hi; i++ {
			flags := uint64(0)
			for todo := ^p.rmlist[i]; todo != 0; todo &= todo - 1 {
				bit := bits.TrailingZeros64(todo)
				if d := p.core[i<<6+bit]; d < k {
					flags |= 1 << bit
					p.core[i<<6+bit] = k - 1
				} else {
					least = min(least, d)
				}
			}
			if p.flags {
				p.flaglist[i] = flags
			} else {
				p.list(worker, i, flags)
			}
			p.rmlist[i] |= flags
			removed += bits.OnesCount64(flags)
		}
		p.least[worker] = least
		p.removals[worker] += removed
	})
	least = ^uint32(0)
	for i := range p.least {
		n += p.removals[i]
		least = min(least, p.least[i])
	}
	return n, least
}

// list appends the removed vertices of word i to the worker's list.
func (p *corePasses) list(worker, i int, removed uint64) {
	for ; removed != 0; removed &= removed - 1 {
		p.rmlists[worker] = append(p.rmlists[worker], csr.VertexID(i<<6+bits.TrailingZeros64(removed)))
	}
}

// scatter lowers the degrees of the neighbours of flagged vertices, and clears the flags.
func (p *corePasses) scatter() {
	const chunk, few = 4, 64
	if !p.flags {
		for worker, list := range p.rmlists {
			parallel.For(p.workers, len(list), few, &p.stop, func(_, lo, hi int) {
				for _, v := range list[lo:hi] {
					p.tell(v)
				}
			})
			p.rmlists[worker] = list[:0]
		}
		return
	}
	var flagged atomic.Uint64
	parallel.For(p.workers, len(p.flaglist), chunk, &p.stop, func(_, lo, hi int) {
		n := 0
		for i := lo; i < hi; i++ {
			n += bits.OnesCount64(p.flaglist[i])
			for todo := p.flaglist[i]; todo != 0; todo &= todo - 1 {
				p.tell(csr.VertexID(i<<6 + bits.TrailingZeros64(todo)))
			}
			p.flaglist[i] = 0
		}
		flagged.Add(uint64(n))
	})
	p.env.Took(pattern.CoreFlags, flagged.Load())
}

func (p *corePasses) tell(v csr.VertexID) {
	for _, w := range p.reverse.Neighbours(v) {
		if p.rmlist[w>>6]>>(w&63)&1 != 0 {
			continue
		}
		if p.workers == 1 {
			p.core[w]--
		} else {
			atomic.AddUint32(&p.core[w], ^uint32(0))
		}
	}
}
