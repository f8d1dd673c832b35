package kernels

import "sync/atomic"

// Support of an edge: the number of triangles it lies in. A triangle is found once, at its vertex of largest rank c:
// the hubs of c are marked, and for each hub b of c the hubs a of b are looked up. What falls to the edges at c is summed
// up before it is added, so that several workers need one atomic addition a triangle.

// countSupport fills p.support.
func (p *peeling) countSupport() {
	p.deal(len(p.g.vertex), func(w *peeler, lo, hi int) {
		for c := lo; c < hi && !p.stop.Load(); c++ {
			w.supportAt(uint32(c))
		}
	})
}

func (w *peeler) supportAt(c uint32) {
	p := w.peeling
	hubs, edges := p.g.hubs(c)
	if len(hubs) < 2 {
		return
	}
	w.sums = append(w.sums[:0], make([]uint32, len(hubs))...)
	for i, a := range hubs {
		w.mark[a] = uint32(i) + 1
	}
	for i, b := range hubs {
		if p.stop.Load() {
			return
		}
		as, ab := p.g.row(b)
		found := uint32(0)
		for j, a := range as {
			if a > b {
				break
			}
			if m := w.mark[a]; m != 0 {
				w.sums[m-1]++
				found++
				p.add(ab[j], 1)
			}
		}
		w.sums[i] += found
	}
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
