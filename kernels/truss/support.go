package truss

import (
	"sync/atomic"

	"github.com/motifql/motif/kernels/sets"
)

// Support of an edge: the number of triangles that it lies in. The kernel finds a triangle once, at its vertex c of largest rank. It
// marks the hubs of c in a bitmap and looks up there the hubs a of each hub b of c.
//
// What makes it fast: a worker sums up the counts of the edges at c before it adds them, so several workers need one atomic
// addition a triangle.

// countSupport fills p.support.
func (p *peeling) countSupport() {
	n := len(p.g.vertex)
	p.hubs = make([]uint32, n)
	p.deal(n, func(_ *peeler, lo, hi int) {
		for c := lo; c < hi; c++ {
			hubs, _ := p.g.hubs(uint32(c))
			p.hubs[c] = uint32(len(hubs))
		}
	})
	p.deal(n, func(w *peeler, lo, hi int) {
		for c := lo; c < hi && !p.stop.Load(); c++ {
			w.supportAt(uint32(c))
		}
	})
	p.hubs = nil
}

func (w *peeler) supportAt(c uint32) {
	p := w.peeling
	to, via := p.g.row(c)
	hubs, edges := to[:p.hubs[c]], via[:p.hubs[c]]
	if len(hubs) < 2 {
		return
	}
	w.sums = append(w.sums[:0], make([]uint32, len(hubs))...)
	for i, a := range hubs {
		w.mark[a] = uint32(i)
	}
	sets.Mark(w.hubBits, 0, hubs)
	for i, b := range hubs {
		if p.stop.Load() {
			return
		}
		as, ab := p.g.row(b)
		as = as[:p.hubs[b]]
		if len(as) > len(w.places) {
			w.places = make([]uint32, 2*len(as))
		}
		places := sets.PlacesMarked(w.places, as, w.hubBits)
		for _, j := range places {
			w.sums[w.mark[as[j]]]++
			p.add(ab[j], 1)
		}
		w.sums[i] += uint32(len(places))
	}
	sets.Unmark(w.hubBits, 0, hubs)
	for i, a := range hubs {
		w.mark[a] = 0
		if w.sums[i] > 0 {
			p.add(edges[i], w.sums[i])
		}
	}
}

func (p *peeling) add(e, n uint32) {
	if p.workers == 1 {
		p.support[e] += n
	} else {
		atomic.AddUint32(&p.support[e], n)
	}
}
