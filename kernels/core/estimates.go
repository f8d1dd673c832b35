package core

import (
	"sync/atomic"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/hugepages"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/parallel"
)

// Cores by estimates (ESCore; Montresor, De Pellegrini and Miorandi 2013). The first estimate of a vertex is its degree. Then it is the
// largest k such that k neighbours have estimates of k or more, until no estimate changes. Estimates only fall. When one
// falls, the neighbours that relied on it become active in the next pass. Two lists of active vertices swap.
//
// What makes it fast: one worker writes a vertex, so nothing needs atomic addition. A pass reads the newest estimates, which saves
// passes. Vertices of small degree come first, because the others depend on them. Each worker has scratch for counts by
// estimate, as long as the largest degree.

type coreEstimates struct {
	*coreSearch
	active, next []csr.VertexID
	nextBits     []uint64         // the vertices in next, as a bitmap
	tallies      [][]uint32       // by worker: neighbours by estimate
	batches      [][]csr.VertexID // by worker: its part of next
	changes      atomic.Bool
	activates    bool // see pattern.CoreActivate
}

func (c *coreSearch) byEstimates() {
	p := &coreEstimates{coreSearch: c, nextBits: hugepages.Make[uint64]((c.n + 63) / 64),
		tallies: make([][]uint32, c.workers), batches: make([][]csr.VertexID, c.workers)}
	p.active = c.all()
	for i, j := 0, len(p.active)-1; i < j; i, j = i+1, j-1 {
		p.active[i], p.active[j] = p.active[j], p.active[i]
	}
	p.activates = c.env.Uses(pattern.CoreActivate)
	for len(p.active) > 0 && !c.stop.Load() {
		p.pass()
	}
	c.done(c.size())
}

// pass estimates the active vertices and swaps the lists.
func (p *coreEstimates) pass() {
	const chunk = 64
	parallel.For(p.workers, len(p.active), chunk, &p.stop, func(worker, lo, hi int) {
		for _, v := range p.active[lo:hi] {
			was := p.core[v]
			if k := p.estimate(worker, v, was); k < was {
				atomic.StoreUint32(&p.core[v], k)
				if p.activates {
					p.activate(worker, v, k)
				} else {
					p.changes.Store(true)
				}
			}
		}
	})
	if !p.activates {
		if !p.changes.Swap(false) {
			p.active = nil
		}
		return
	}
	p.next = p.next[:0]
	for worker, found := range p.batches {
		p.next = append(p.next, found...)
		p.batches[worker] = found[:0]
	}
	for _, v := range p.next {
		p.nextBits[v>>6] = 0
	}
	p.env.Took(pattern.CoreActivate, uint64(len(p.next)))
	p.active, p.next = p.next, p.active
}

// estimate returns the largest k <= was such that k neighbours of v have estimates of k or more.
func (p *coreEstimates) estimate(worker int, v csr.VertexID, was uint32) uint32 {
	if was == 0 {
		return 0
	}
	count := p.tallies[worker]
	if len(count) <= int(was) {
		count = make([]uint32, 2*was+1)
		p.tallies[worker] = count
	}
	count = count[:was+1]
	clear(count)
	for _, w := range p.view.Neighbours(v) {
		if w != v {
			count[min(was, atomic.LoadUint32(&p.core[w]))]++
		}
	}
	k := was
	for sum := count[k]; sum < k; sum += count[k] {
		k--
	}
	return k
}

// activate lists the neighbours whose estimates may have relied on v being above k.
func (p *coreEstimates) activate(worker int, v csr.VertexID, k uint32) {
	for _, w := range p.reverse.Neighbours(v) {
		if atomic.LoadUint32(&p.core[w]) <= k || w == v {
			continue
		}
		word, bit := &p.nextBits[w>>6], uint64(1)<<(w&63)
		if atomic.LoadUint64(word)&bit == 0 && atomic.OrUint64(word, bit)&bit == 0 {
			p.batches[worker] = append(p.batches[worker], w)
		}
	}
}
