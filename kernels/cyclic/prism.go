package cyclic

// Prisms. A prism is found at its highest vertex u. Let u, b and c be one triangle, and d, e and f the other, u joined to d, b to e and c to
// f. Then b, c and d are neighbours of u. For joined e and f, the choices of d are the common neighbours of u, e and f. Those of b and c are
// the edges between the common neighbours of u and e and those of u and f. The two numbers are independent of each other. No
// vertex of the prism but e or f can be u as well. What makes it fast: for each e, one array has both numbers by neighbour of u, and a list of
// common neighbours of u and f adds them up.

// pairLists has, for a vertex u, the common neighbours below u of u and each vertex below it.
type pairLists struct {
	u      uint32
	end    []uint64 // by vertex: the end of its list
	common []uint32 // places among the neighbours of u
	weight []uint32 // of common, with b; nil: all 1
	both   []uint64 // by place: joined to e (high bits), and joined to how many common neighbours of u and e
	joined []uint64 // by place, with weights: the first of the two numbers in both
}

// The parts of a number in both, and of a sum of such numbers. They hold places below 2^21 and pairs of these.
const (
	choiceBits  = 42
	pairMask    = 1<<choiceBits - 1
	placesLimit = 1 << 21
)

func (p *pairLists) prepare(r *run, n, most int, weighs bool) error {
	p.end, p.both = make([]uint64, n), make([]uint64, most)
	if weighs {
		p.joined = make([]uint64, most)
	}
	return r.charge(8 * int64(n+len(p.both)+len(p.joined)))
}

// prisms adds the prisms whose highest vertex is u.
func (w *worker) prisms(u uint32) {
	near := w.g.down(u)
	if len(near) < 2 || !w.around(near, u) {
		return
	}
	if len(near) >= placesLimit {
		w.total.over = 1
		return
	}
	opposite, weighs := (*worker).opposite, w.g.weight != nil
	if !weighs {
		w.ties(len(near))
	} else if opposite = (*worker).weightedOpposite; !w.weighHood(near) {
		return
	} else {
		w.weightedTies(u)
	}
	k := w.walks.wedges(&w.g.lists, near, u)
	if ends := w.walks.ends[:k]; w.pair(near, ends, u) {
		for i, e := range ends {
			if i&15 == 0 && w.stop.Load() {
				break
			}
			opposite(w, e)
		}
	}
	for _, b := range w.walks.ends[:k] {
		w.walks.paths[b] = 0
	}
}

// ties adds the prisms in which e is u as well, so that b, c, f and d are a walk among n neighbours of u.
func (w *worker) ties(n int) {
	h := &w.hood
	for c := range uint32(n) {
		degree, sum := uint64(len(h.row(c))), uint64(0)
		for _, f := range h.row(c) {
			sum += h.start[f+1] - h.start[f]
		}
		w.total.add(sum, degree*rules.prism[1])
	}
}

// pair fills the lists of common neighbours of u and the ends.
func (w *worker) pair(near, ends []uint32, u uint32) bool {
	p, sum := &w.pairs, uint64(0)
	p.u = u
	for _, b := range ends {
		p.end[b] = sum
		sum += uint64(w.walks.paths[b])
	}
	if old := len(p.common); uint64(old) < sum {
		size := int(sum) + old/2
		bytes := int64(4)
		if w.g.weight != nil {
			bytes = 8
		}
		if !w.needMemory(bytes * int64(size-old)) {
			return false
		}
		if p.common = make([]uint32, size); w.g.weight != nil {
			p.weight = make([]uint32, size)
		}
	}
	limit := u + rules.cut
	for i, a := range near {
		if w.stop.Load() {
			return false
		}
		lo := w.g.start[a]
		for j, b := range w.g.row(a) {
			if b >= limit {
				break
			}
			if p.common[p.end[b]] = uint32(i); p.weight != nil {
				p.weight[p.end[b]] = w.g.weight[lo+uint64(j)]
			}
			p.end[b]++
		}
	}
	return true
}

// commonOf returns the common neighbours of u and b.
func (w *worker) commonOf(b uint32) []uint32 {
	end := w.pairs.end[b]
	return w.pairs.common[end-uint64(w.walks.paths[b]) : end]
}

// opposite adds the prisms for e and all f below e.
func (w *worker) opposite(e uint32) {
	h, both, own := &w.hood, w.pairs.both, w.commonOf(e)
	joined := false
	for _, b := range own {
		for _, c := range h.row(b) {
			both[c]++
		}
		joined = joined || len(h.row(b)) > 0
	}
	if !joined {
		return
	}
	for _, b := range own {
		both[b] += 1 << choiceBits
	}
	paths, end, common := w.walks.paths, w.pairs.end, w.pairs.common
	for _, f := range w.g.down(e) {
		n := uint64(paths[f])
		if n == 0 {
			continue
		}
		sum := uint64(0)
		for _, c := range common[end[f]-n : end[f]] {
			sum += both[c]
		}
		w.total.add(sum>>choiceBits*rules.prism[0]*2, sum&pairMask)
	}
	for _, b := range own {
		both[b] = 0
		for _, c := range h.row(b) {
			both[c] = 0
		}
	}
}
