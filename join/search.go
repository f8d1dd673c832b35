package join

import (
	"math/bits"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/sets"
)

// search returns how many matches extend the partial embedding of the steps before k, times weight. On the way it gives the
// matches to the sink, if there is one.
func (w *worker) search(k int, weight uint64) pattern.Count128 {
	if k == w.end {
		w.failure = everything
		return w.leaf(weight)
	}
	if w.checking != nil {
		if n, ok := w.checking.search(k, weight); ok {
			return n
		}
	}
	if w.steps[k].memo.kind != memoNone {
		return w.recall(k, weight)
	}
	if k == w.denseAt {
		if n, ok := w.searchDense(k, weight, nil); ok {
			w.failure = everything
			return n
		}
	}
	return w.expand(k, weight)
}

// leaf takes an embedding with every vertex of the segment matched.
func (w *worker) leaf(weight uint64) pattern.Count128 {
	switch {
	case w.enumerate:
		return w.options.all()
	case w.readsNone && !w.counting:
		return choiceTaker{w}.give(1, weight)
	case w.emit && !w.counting && w.equals != nil:
		return choiceTaker{w}.each(w.equals.times, weight, func(weight uint64) pattern.Count128 {
			w.matches += weight * uint64(len(w.equals.swaps)+1)
			w.out.giveArrangements(w, weight)
			return pattern.Count(weight)
		})
	case w.emit && !w.counting:
		w.matches += weight
		w.out.give(w.run, w.match, nil, weight)
	}
	return pattern.Count128{Lo: weight}
}

// expand is search without a look at the memo.
func (w *worker) expand(k int, weight uint64) pattern.Count128 {
	st, lv := &w.steps[k], &w.levels[k]
	together := st.countable && (st.noDependents || k+1 == w.end)
	if st.prepares && (st.sumsScatter || !st.rivalsOnly) && !w.prepare(st, lv) { // else size asks for the owners of vertices
		w.failure = st.reasons
		return pattern.Count128{}
	}
	if together && !(st.prepares && lv.clashAll) {
		if w.unread != 0 {
			return choiceTaker{w}.take(k, weight)
		}
		return w.together(k, weight)
	}
	if st.sumsScatter {
		if n, ok := w.sumScattered(k, weight); ok {
			return n
		}
	}
	list, test := w.extend(k, st, lv)
	if k == w.first {
		w.begin(len(list))
		if w.rounds != nil {
			return w.searchRounds(k, weight)
		}
	}
	if w.givesRuns(k) {
		return w.loopRun(k, list, test, weight)
	}
	return w.loop(k, list, test, weight)
}

// filtered returns list without the vertices that are no candidates for step k, or the bitmap that still has to say which these are. It leaves short
// lists and long ones as they are, and that of the first step, since progress counts its vertices.
func filtered(w *worker, k int, list []csr.VertexID, test bool) (left []csr.VertexID, bits []uint64) {
	st, lv := &w.steps[k], &w.levels[k]
	switch n := len(list); {
	case !test:
		return list, nil
	case n < leastFiltered, n > mostFiltered, k == w.first:
		return list, st.bits
	}
	lv.buf, lv.bufAt = w.filter(lv.buf[:0], list, st.bits, 0), 0
	w.chargeBuffers(lv)
	return lv.buf, nil
}

// loop matches step k to one vertex of list after the other. test says that list may hold other vertices than candidates. The rest
// of the list stands in the level, where share may cut it.
func (w *worker) loop(k int, list []csr.VertexID, test bool, weight uint64) (total pattern.Count128) {
	st, lv := &w.steps[k], &w.levels[k]
	w.spend(len(list))
	list, filter := filtered(w, k, list, test)
	lv.list, lv.test, lv.weight, lv.shareable, lv.incomplete = list, filter != nil, weight, w.indivisible == 0, false
	fail := st.reasons
	for w.scanning, lv.at = k == w.first && scansRows(w), 0; lv.at < len(lv.list); lv.at++ {
		if w.pool.signal.Load() != 0 {
			if w.halted() {
				break
			}
			if w.abandons() {
				lv.incomplete = true
				break
			}
			if pauses(w, k) {
				putAside(w, k)
				lv.incomplete = true
				break
			}
			w.share()
		}
		v := lv.list[lv.at]
		if filter == nil || filter[v>>6]>>(v&63)&1 != 0 {
			total = w.add(total, w.try(k, st, lv, v, weight))
			if w.guards != nil {
				w.guards.learn(k, v)
			}
			if fail |= w.failure; w.failure>>(k&63)&1 == 0 && w.failingSets {
				fail = w.failure
				w.skips += uint64(len(lv.list) - lv.at - 1)
				if k == w.first {
					w.roots += uint64(len(lv.list) - lv.at)
				}
				break
			}
			if w.out.firstFound {
				if k >= w.job.DistinctPrefix {
					if k == w.first {
						w.roots += uint64(len(lv.list) - lv.at)
					}
					break
				}
				w.out.firstFound = false
				w.earlyStops++
			}
		}
		if k == w.first {
			w.rootDone()
		}
	}
	if w.failure = fail &^ (1 << (k & 63)); lv.incomplete {
		w.failure = everything
	}
	lv.shareable = false
	return total
}

// try matches step k to v, unless v is ruled out, and searches on.
func (w *worker) try(k int, st *step, lv *level, v csr.VertexID, weight uint64) pattern.Count128 {
	if w.scanning {
		return w.options.run.scan(w, v)
	}
	if by := w.ownersOf(st, v); by != 0 {
		w.failure = by | 1<<(k&63)
		return pattern.Count128{}
	}
	if st.prepares && !st.rivalsOnly && contains(lv.avoid, v) {
		w.failure = 1 << (k & 63)
		return pattern.Count128{}
	}
	if w.guards != nil && w.guards.forbid(k, v) {
		return pattern.Count128{}
	}
	w.set(k, v)
	lv.visits++
	if w.guards != nil && !w.guards.leave(w, k, v) {
		return pattern.Count128{}
	}
	if !st.verifies {
		return w.search(k+1, weight)
	}
	factor, whole := w.verify(k, st, lv, v)
	switch {
	case factor == 0:
		return pattern.Count128{}
	case whole:
		return w.search(k+1, factor)
	}
	return w.searchTimes(k+1, weight, factor)
}

// searchTimes is search with the weight a*b, which may exceed 64 bits.
func (w *worker) searchTimes(k int, a, b uint64) pattern.Count128 {
	hi, lo := bits.Mul64(a, b)
	if hi == 0 {
		return w.search(k, lo)
	}
	return w.times(pattern.Count128{Hi: hi, Lo: lo}, w.alone(k))
}

// alone is search with the weight 1, and gives no part of the work away. It fails where a later step weighs the whole partial
// embedding, and where matches go to the sink.
func (w *worker) alone(k int) pattern.Count128 {
	if w.emit && !w.counting || k < w.end && w.steps[k].needsAll {
		w.fail(pattern.ErrOverflow)
		return pattern.Count128{}
	}
	w.indivisible++
	n := w.search(k, 1)
	w.indivisible--
	return n
}

// verify checks what step k asks of vertex v, just matched, beyond its candidates. If v does not fit, it returns 0 and leaves the
// reasons in w.failure. Else it returns by how much v multiplies the choices of relationships or, if whole, their number for the
// partial embedding as a whole.
func (w *worker) verify(k int, st *step, lv *level, v csr.VertexID) (factor uint64, whole bool) {
	w.failure = everything
	factor = 1
	for i := range st.loops {
		if factor = w.product(factor, st.loops[i].view.Count(v, v)); factor == 0 {
			return 0, false
		}
	}
	for _, e := range st.boundEdges {
		if !w.fits(e, w.match) {
			return 0, false
		}
	}
	if r := st.breaks(v, w.match); r != nil {
		w.failure = r.reason | 1<<(k&63)
		return 0, false
	}
	if !w.passes(st) {
		return 0, false
	}
	if st.weighs && (lv.clashAll || contains(lv.clash, v)) {
		return w.weights.weigh(k), true
	}
	for i := range st.multi {
		c := &st.multi[i]
		factor = w.product(factor, c.view.Count(w.match[c.from], v))
	}
	return factor, false
}

// passes tests the predicates that step k makes testable.
func (w *worker) passes(st *step) bool {
	if !w.passesPreds(st) {
		return false
	}
	for i := range st.edgeTests {
		if !w.options.some(&st.edgeTests[i]) {
			return false
		}
	}
	return true
}

// passesPreds tests the predicates on vertices.
func (w *worker) passesPreds(st *step) bool {
	for _, q := range st.preds {
		if !w.holds(q) {
			w.failure = w.reasonsOf(q)
			return false
		}
	}
	return true
}

// reasonsOf returns the steps of the vertices that q reads, as bits. q reads no relationship that the search chooses.
func (c *program) reasonsOf(q *pattern.Predicate) (steps uint64) {
	for _, u := range q.Vertices {
		steps |= 1 << (c.pos[u] & 63)
	}
	return steps
}

// holds tests a predicate on the elements matched so far.
func (w *worker) holds(q *pattern.Predicate) bool {
	ok, err := q.Test(w.match, w.edges)
	if err != nil {
		return raise(w, q, w.match, w.edges, err)
	}
	return ok
}

// together counts the candidates of step k at once and multiplies their number by that of the later steps, which must not depend on
// step k.
func (w *worker) together(k int, weight uint64) pattern.Count128 {
	st, lv := &w.steps[k], &w.levels[k]
	size, reasons := w.size(k, st, lv)
	lv.visits++
	if w.failure = reasons; st.weighs {
		w.failure = everything
	}
	n := w.times(pattern.Count(size), pattern.Count(weight))
	if st.prepares {
		for _, v := range lv.clash {
			if w.member(k, st, lv, v) {
				w.set(k, v)
				n = w.add(n, pattern.Count(w.weights.weigh(k)))
			}
		}
	}
	switch {
	case k+1 == w.end || n == pattern.Count128{}:
		return n
	case n.Hi == 0:
		return w.search(k+1, n.Lo)
	}
	return w.times(n, w.alone(k+1))
}

// size returns how many choices step k leaves, relationships included, and the reasons if it leaves none. It leaves out the vertices
// to be avoided or weighed.
func (w *worker) size(k int, st *step, lv *level) (n, reasons uint64) {
	if st.rivals != 0 {
		if short := (shortList{w}); len(st.multi) == 0 && short.pays(k, st, lv) {
			return short.size(k, st, lv)
		}
		lv.avoid = w.rivalsAmong(st, lv.avoid[:0])
	}
	if n = sizeByLength(w, k, st, lv); n == 0 {
		return 0, w.reasonsToAvoid(k, st, lv)
	}
	return n, everything
}

// sizeByLength is worker.size by the length of the step's list. It searches the list for each vertex to be avoided or weighed.
func sizeByLength(w *worker, k int, st *step, lv *level) uint64 {
	if len(st.multi) > 0 {
		return w.sizeCounted(k, st, lv)
	}
	n := w.candidates(k, st, lv)
	if n > 0 && st.prepares {
		for _, special := range [2][]csr.VertexID{lv.avoid, lv.clash} {
			for _, v := range special {
				if w.member(k, st, lv, v) {
					n--
				}
			}
		}
	}
	return uint64(max(0, n-st.subtract)) // below 0 only if the search stopped half way
}

// ownerChecks is how many vertices of a list are looked at in the time that it takes to search one list for a rival's vertex.
const ownerChecks = 4

// shortList is a worker that finds the size of a short list, of which rivals may have taken many vertices.
type shortList struct{ *worker }

// pays reports whether it is quicker to look at each vertex of step k's list than to search the lists for each rival's vertex.
func (w shortList) pays(k int, st *step, lv *level) bool {
	sources := w.sources[k]
	if len(sources) == 0 {
		return false
	}
	n := len(w.neighbours(st, &sources[len(sources)-1]))
	if len(sources) > 1 {
		n = min(n, len(w.prefix(k, st, lv)))
	}
	return n <= ownerChecks*len(sources)*bits.OnesCount64(st.rivals)
}

// size is worker.size by a look at each vertex of the list.
func (w shortList) size(k int, st *step, lv *level) (n, reasons uint64) {
	list, test := w.extend(k, st, lv)
	w.spend(len(list))
	reasons = st.reasons
	for _, v := range list {
		if test && !sets.Marked(st.bits, 0, v) {
			continue
		}
		by := w.ownersOf(st, v)
		if reasons |= by; by == 0 {
			n++
		}
	}
	if n <= uint64(st.subtract) {
		return 0, reasons
	}
	return n - uint64(st.subtract), everything
}

// candidates returns the length of the list that extend would give, tested.
func (w *worker) candidates(k int, st *step, lv *level) int {
	sources := w.sources[k]
	if len(sources) < 2 {
		list, test := w.extend(k, st, lv)
		w.spend(len(list))
		if test {
			return w.countMarked(list, st.bits, 0)
		}
		return len(list)
	}
	prefix := w.prefix(k, st, lv)
	if len(prefix) == 0 {
		return 0
	}
	last := w.neighbours(st, &sources[len(sources)-1])
	if st.bounded() {
		last = sets.Cut(last, lv.lo, lv.hi)
	}
	w.spend(len(last))
	switch {
	case lv.bits != nil && len(last) <= maxMarkedRatio*len(prefix):
		return w.countMarked(last, lv.bitmap, st.base())
	case len(last)+len(prefix) > maxPart:
		lv.buf, lv.bufAt = w.merge(lv.buf[:0], prefix, last), 0
		return len(lv.buf)
	}
	return sets.IntersectCount(prefix, last)
}

// sizeCounted is size where edges may stand for several relationships.
func (w *worker) sizeCounted(k int, st *step, lv *level) uint64 {
	if src := &w.sources[k][0]; len(w.sources[k]) == 1 && len(st.multi) == 1 && src.edge == st.multi[0].edge && !st.bounded() {
		return w.sumCounts(st, lv, src)
	}
	list, test := w.extend(k, st, lv)
	w.spend(len(list) * (1 + countCost*len(st.multi)))
	total := uint64(0)
	lv.placesFor(st)
	for i, v := range list {
		if test && !sets.Marked(st.bits, 0, v) || st.prepares && (contains(lv.avoid, v) || contains(lv.clash, v)) {
			continue
		}
		factor := uint64(1)
		for j := range st.multi {
			c := &st.multi[j]
			factor = w.product(factor, c.view.CountFrom(&lv.places[j], w.match[c.from], v))
		}
		total = w.sum(total, factor)
		if i%4096 == 0 && w.halted() {
			break
		}
	}
	return total
}

// sumCounts is sizeCounted where the step's list is that of its one edge.
func (w *worker) sumCounts(st *step, lv *level, src *source) uint64 {
	lo, hi := src.view.Row(w.match[src.from])
	list, counts := src.view.Targets[lo:hi], src.view.Counts[lo:hi]
	if st.narrow && !src.candidatesOnly {
		a := sets.LowerBound(list, st.lo)
		b := a + sets.LowerBound(list[a:], st.hi)
		list, counts = list[a:b], counts[a:b]
	}
	w.spend(len(list))
	test := st.bits != nil && !src.candidatesOnly
	total := uint64(0) // no overflow: there are fewer than 2^64 relationships
	for i, v := range list {
		if !test || sets.Marked(st.bits, 0, v) {
			total += uint64(counts[i])
		}
		if i%maxPart == 0 && w.halted() {
			break
		}
	}
	if st.prepares {
		for _, special := range [2][]csr.VertexID{lv.avoid, lv.clash} {
			for _, v := range special {
				if i := sets.LowerBound(list, v); i < len(list) && list[i] == v { // these are candidates
					total -= uint64(counts[i])
				}
			}
		}
	}
	return total
}
