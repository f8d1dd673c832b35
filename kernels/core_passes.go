package kernels

import (
	"math/bits"
	"sync/atomic"

	"github.com/motifql/motif/internal/csr"
)

// Cores by passes (RLCore): for each k, one pass marks the vertices of degree below k as removed and flags them (their
// coreness is k-1), the next takes one from every neighbour of a flagged vertex that is not removed and clears the
// flags; both repeat until a pass removes nothing at k. A k that no vertex is below is skipped.
//
// What makes it fast: removed and flagged vertices are bitmaps of 64 vertices a word, so that a pass over flags reads
// little; a word has one writer in a pass. The queue that the other ways keep is what it does without.

// corePasses is one decomposition; the names are the paper's.
type corePasses struct {
	*coreSearch
	rmlist   []uint64 // removed, or never there
	flaglist []uint64 // removed in this pass
	left     int
	least    []uint32 // by worker: the least degree that stays
	removed  []int    // by worker
}

func (c *coreSearch) byPasses() {
	words := (c.n + 63) / 64
	p := &corePasses{coreSearch: c, rmlist: make([]uint64, words), flaglist: make([]uint64, words),
		least: make([]uint32, c.workers), removed: make([]int, c.workers)}
	p.left = c.size()
	if r := c.n & 63; r != 0 {
		p.rmlist[words-1] = ^uint64(0) << r
	}
	if c.Within != nil {
		for i, w := range c.Within.Bits() {
			p.rmlist[i] |= ^w
		}
	}
	for k := uint32(1); p.left > 0 && !c.stop.Load(); {
		n, least := p.update(k)
		if n == 0 {
			k = least + 1
			continue
		}
		p.left -= n
		c.done(n)
		p.scatter()
	}
}

// update flags and removes the vertices of degree below k. It returns how many, and the least degree of the others.
func (p *corePasses) update(k uint32) (n int, least uint32) {
	const chunk = 16
	for i := range p.least {
		p.least[i], p.removed[i] = ^uint32(0), 0
	}
	share(p.workers, len(p.rmlist), chunk, &p.stop, func(worker, lo, hi int) {
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
			p.flaglist[i] = flags
			p.rmlist[i] |= flags
			removed += bits.OnesCount64(flags)
		}
		p.least[worker] = least
		p.removed[worker] += removed
	})
	least = ^uint32(0)
	for i := range p.least {
		n += p.removed[i]
		least = min(least, p.least[i])
	}
	return n, least
}

// scatter takes one from the neighbours of flagged vertices, and clears the flags.
func (p *corePasses) scatter() {
	const chunk = 4
	share(p.workers, len(p.flaglist), chunk, &p.stop, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			for todo := p.flaglist[i]; todo != 0; todo &= todo - 1 {
				p.tell(csr.VertexID(i<<6 + bits.TrailingZeros64(todo)))
			}
			p.flaglist[i] = 0
		}
	})
}

func (p *corePasses) tell(v csr.VertexID) {
	for _, w := range p.loses.Neighbours(v) {
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
