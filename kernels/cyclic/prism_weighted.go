package cyclic

// Prisms whose pairs have weights, such as numbers of parallel relationships. Names are those of prism.go. The number of choices of d becomes
// the sum of the weights of u d, d e and d f, and so on. A weight of a pair is at most maxWeight, and u has fewer neighbours
// than placesLimit, so that no sum reaches 2^64. What makes it fast: the lists are those of prism.go, with the weights beside them.

// weighHood fills the weights of the graph among the neighbours of u. A list there is a part of the list of its vertex, in the same order.
func (w *worker) weighHood(near []uint32) bool {
	g, h := w.g, &w.hood
	if old := len(h.weight); old < len(h.target) {
		if !w.needMemory(4 * int64(len(h.target)-old)) {
			return false
		}
		h.weight = make([]uint32, len(h.target))
	}
	for i, v := range near {
		if w.stop.Load() {
			return false
		}
		at := g.start[v]
		for k := h.start[i]; k < h.start[i+1]; k++ {
			for g.target[at] != near[h.target[k]] {
				at++
			}
			h.weight[k] = g.weight[at]
		}
	}
	return true
}

// weightedTies is ties with weights. The pairs u b and u d occur twice each.
func (w *worker) weightedTies(u uint32) {
	h, top := &w.hood, w.topWeights(u)
	ends := w.pairs.both // by place: the sum over the end of the walk beyond it
	for c := range uint32(len(top)) {
		for i, b := range h.row(c) {
			x := uint64(top[b])
			ends[c] += x * x * uint64(h.weights(c)[i])
		}
	}
	for c := range uint32(len(top)) {
		sum := uint64(0)
		for i, f := range h.row(c) {
			sum += ends[f] * uint64(top[f]) * uint64(h.weights(c)[i])
		}
		w.total.add(sum, ends[c]*uint64(top[c])*rules.prism[1])
	}
	clear(ends[:len(top)])
}

// topWeights returns the weights of u with its neighbours below it.
func (w *worker) topWeights(u uint32) []uint32 { return w.g.weight[w.g.start[u]:w.g.middle[u]] }

// weightedOpposite is opposite with weights, for the vertex u whose lists are in pairs.
func (w *worker) weightedOpposite(e uint32) {
	h, p, own := &w.hood, &w.pairs, w.commonOf(e)
	top, to := w.topWeights(p.u), p.weight[p.end[e]-uint64(len(own)):p.end[e]]
	some := false
	for i, b := range own {
		x := uint64(top[b]) * uint64(to[i])
		p.joined[b] = x
		weights := h.weights(b)
		for j, c := range h.row(b) {
			p.both[c] += x * uint64(weights[j]) * uint64(top[c])
		}
		some = some || len(weights) > 0
	}
	if some {
		first := w.g.start[e]
		for i, f := range w.g.down(e) {
			n := uint64(w.walks.paths[f])
			if n == 0 {
				continue
			}
			choices, pairs := uint64(0), uint64(0)
			weights := p.weight[p.end[f]-n : p.end[f]]
			for j, c := range p.common[p.end[f]-n : p.end[f]] {
				x := uint64(weights[j])
				choices += p.joined[c] * x
				pairs += p.both[c] * x
			}
			w.total.add(choices*uint64(w.g.weight[first+uint64(i)])*rules.prism[0]*2, pairs)
		}
	}
	for _, b := range own {
		p.joined[b], p.both[b] = 0, 0
		for _, c := range h.row(b) {
			p.both[c] = 0
		}
	}
}
