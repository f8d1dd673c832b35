package join

import (
	"math/bits"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels"
)

// search returns how many matches extend the partial embedding of the steps before k, times weight. When matches are
// wanted it emits them on the way.
func (w *worker) search(k int, weight uint64) pattern.Count128 {
	if k == w.end {
		w.failure = everything
		return w.leaf(weight)
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

// expand is search without a look at what is remembered.
func (w *worker) expand(k int, weight uint64) pattern.Count128 {
	st, lv := &w.steps[k], &w.levels[k]
	together := st.countable && (st.detached || k+1 == w.end)
	if st.checks && (together || st.sums || !st.quick) && !w.prepare(st, lv) {
		w.failure = st.reasons
		return pattern.Count128{}
	}
	if together && !(st.checks && lv.clashAll) {
		return w.together(k, weight)
	}
	if st.sums {
		if n, ok := w.sumTurned(k, weight); ok {
			return n
		}
	}
	list, test := w.extend(k, st, lv)
	if k == w.first {
		w.begin(len(list))
	}
	return w.loop(k, list, test, weight)
}

// loop matches step k to one vertex of list after the other. test says that list may hold other than candidates. What
// is left of the list stands in the level, where share may cut it.
func (w *worker) loop(k int, list []csr.VertexID, test bool, weight uint64) (total pattern.Count128) {
	st, lv := &w.steps[k], &w.levels[k]
	w.spend(len(list))
	var filter []uint64
	if test {
		filter = st.bits
	}
	lv.list, lv.test, lv.weight, lv.open, lv.given = list, test, weight, w.inner == 0, false
	fail := st.reasons
	for lv.at = 0; lv.at < len(lv.list); lv.at++ {
		if w.signal.Load() != 0 {
			if w.halted() {
				break
			}
			w.share()
		}
		v := lv.list[lv.at]
		if filter == nil || filter[v>>6]>>(v&63)&1 != 0 {
			total = w.add(total, w.try(k, st, lv, v, weight))
			if fail |= w.failure; w.failure>>(k&63)&1 == 0 && w.failing {
				fail = w.failure
				w.passed += uint64(len(lv.list) - lv.at - 1)
				if k == w.first {
					w.roots += uint64(len(lv.list) - lv.at)
				}
				break
			}
			if w.sated {
				if k >= w.job.Once {
					if k == w.first {
						w.roots += uint64(len(lv.list) - lv.at)
					}
					break
				}
				w.sated = false
				w.sparing++
			}
		}
		if k == w.first {
			w.rootDone()
		}
	}
	if w.failure = fail &^ (1 << (k & 63)); lv.given {
		w.failure = everything
	}
	lv.open = false
	return total
}

// try matches step k to v, if v may be, and searches on.
func (w *worker) try(k int, st *step, lv *level, v csr.VertexID, weight uint64) pattern.Count128 {
	if by := w.takenBy(st, v); by != 0 {
		w.failure = by | 1<<(k&63)
		return pattern.Count128{}
	}
	if st.checks && !st.quick && contains(lv.avoid, v) {
		w.failure = 1 << (k & 63)
		return pattern.Count128{}
	}
	w.set(k, v)
	w.partial++
	if !st.heavy {
		return w.search(k+1, weight)
	}
	factor, whole := w.judge(k, st, lv, v)
	switch {
	case factor == 0:
		w.failure = everything
		return pattern.Count128{}
	case whole:
		return w.search(k+1, factor)
	}
	return w.searchTimes(k+1, weight, factor)
}

// searchTimes is search with the weight a*b, which need not fit into 64 bits.
func (w *worker) searchTimes(k int, a, b uint64) pattern.Count128 {
	hi, lo := bits.Mul64(a, b)
	if hi == 0 {
		return w.search(k, lo)
	}
	return w.times(pattern.Count128{Hi: hi, Lo: lo}, w.alone(k))
}

// alone is search with the weight 1, of which no part is given to another worker. It must not be used where steps to
// come weigh the whole partial embedding.
func (w *worker) alone(k int) pattern.Count128 {
	if k == w.end && w.emit || k < w.end && w.steps[k].entangled {
		w.fail(pattern.ErrOverflow)
		return pattern.Count128{}
	}
	w.inner++
	n := w.search(k, 1)
	w.inner--
	return n
}

// judge checks what step k asks of vertex v, just matched, beyond its candidates. It returns by how much v
// multiplies the number of relationships to choose from, or, if whole, their number for the partial embedding as a
// whole; 0 if v does not fit.
func (w *worker) judge(k int, st *step, lv *level, v csr.VertexID) (factor uint64, whole bool) {
	factor = 1
	for i := range st.loops {
		if factor = w.product(factor, st.loops[i].view.Count(v, v)); factor == 0 {
			return 0, false
		}
	}
	for _, e := range st.given {
		if !w.fits(e, w.match) {
			return 0, false
		}
	}
	if len(st.induced) > 0 && !st.keeps(v, w.match) {
		return 0, false
	}
	if !w.passes(st) {
		return 0, false
	}
	if st.weighs && (lv.clashAll || contains(lv.clash, v)) {
		return w.weigh(k), true
	}
	for i := range st.counted {
		c := &st.counted[i]
		factor = w.product(factor, c.view.Count(w.match[c.from], v))
	}
	return factor, false
}

// passes tests the predicates that step k makes testable.
func (w *worker) passes(st *step) bool {
	for _, q := range st.preds {
		if !w.holds(q) {
			return false
		}
	}
	for i := range st.choosy {
		if !w.someRelationship(&st.choosy[i]) {
			return false
		}
	}
	return true
}

// holds tests a predicate on the elements matched so far.
func (w *worker) holds(q *pattern.Predicate) bool {
	ok, err := q.Test(w.match, w.edges)
	if err != nil {
		w.fail(err)
	}
	return ok && err == nil
}

// together counts the candidates of step k, the last one or one that nothing after depends on, without going
// through them one by one, and multiplies by what follows.
func (w *worker) together(k int, weight uint64) pattern.Count128 {
	st, lv := &w.steps[k], &w.levels[k]
	n := pattern.Count(w.size(k, st, lv))
	w.partial++
	if w.failure = everything; n.Lo == 0 && !st.weighs {
		w.failure = st.reasons | st.rivals
	}
	n = w.times(n, pattern.Count(weight))
	if st.checks {
		for _, v := range lv.clash {
			if w.member(k, st, lv, v) {
				w.set(k, v)
				n = w.add(n, pattern.Count(w.weigh(k)))
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

// size is the number of choices that step k leaves, relationships included, but for the vertices to be avoided or
// weighed.
func (w *worker) size(k int, st *step, lv *level) uint64 {
	if len(st.counted) > 0 {
		return w.sizeCounted(k, st, lv)
	}
	n := w.candidates(k, st, lv)
	if n > 0 && st.checks {
		for _, v := range lv.avoid {
			if w.member(k, st, lv, v) {
				n--
			}
		}
		for _, v := range lv.clash {
			if w.member(k, st, lv, v) {
				n--
			}
		}
	}
	return uint64(max(0, n-st.certain)) // below 0 only where the search was stopped half way
}

// candidates is the length of the list that extend would give, tested.
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
	fixed := w.fixed(k, st, lv)
	if len(fixed) == 0 {
		return 0
	}
	last := w.neighbours(st, &sources[len(sources)-1])
	if st.bounded() {
		last = kernels.Cut(last, lv.lo, lv.hi)
	}
	w.spend(len(last))
	switch {
	case lv.marked != nil && len(last) <= maxMarkedRatio*len(fixed):
		return w.countMarked(last, lv.marks, st.base())
	case len(last)+len(fixed) > maxPart:
		lv.buf, lv.bufAt = w.merge(lv.buf[:0], fixed, last), 0
		return len(lv.buf)
	}
	return kernels.IntersectCount(fixed, last)
}

// countMarked is kernels.CountMarked in parts.
func (w *worker) countMarked(list []csr.VertexID, bitmap []uint64, base csr.VertexID) int {
	n := 0
	for len(list) > maxPart && !w.halted() {
		n += kernels.CountMarked(list[:maxPart], bitmap, base)
		list = list[maxPart:]
	}
	return n + kernels.CountMarked(list, bitmap, base)
}

// sizeCounted is size where edges may stand for several relationships.
func (w *worker) sizeCounted(k int, st *step, lv *level) uint64 {
	if src := &w.sources[k][0]; len(w.sources[k]) == 1 && len(st.counted) == 1 && src.edge == st.counted[0].edge && !st.bounded() {
		return w.sumCounts(st, lv, src)
	}
	list, test := w.extend(k, st, lv)
	w.spend(len(list))
	total := uint64(0)
	for i, v := range list {
		if test && !kernels.Marked(st.bits, 0, v) || st.checks && (contains(lv.avoid, v) || contains(lv.clash, v)) {
			continue
		}
		factor := uint64(1)
		for j := range st.counted {
			c := &st.counted[j]
			factor = w.product(factor, c.view.Count(w.match[c.from], v))
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
	if st.narrow && !src.filtered {
		a := kernels.LowerBound(list, st.lo)
		b := a + kernels.LowerBound(list[a:], st.hi)
		list, counts = list[a:b], counts[a:b]
	}
	w.spend(len(list))
	test := st.bits != nil && !src.filtered
	total := uint64(0) // no overflow: there are fewer than 2^64 relationships
	for i, v := range list {
		if !test || kernels.Marked(st.bits, 0, v) {
			total += uint64(counts[i])
		}
		if i%maxPart == 0 && w.halted() {
			break
		}
	}
	if st.checks {
		for _, special := range [2][]csr.VertexID{lv.avoid, lv.clash} {
			for _, v := range special {
				if i := kernels.LowerBound(list, v); i < len(list) && list[i] == v { // special ones are candidates
					total -= uint64(counts[i])
				}
			}
		}
	}
	return total
}

// The arithmetic of counts is checked: an overflow ends the search.

func (w *worker) product(a uint64, n int) uint64 {
	hi, lo := bits.Mul64(a, uint64(n))
	if hi != 0 {
		w.fail(pattern.ErrOverflow)
	}
	return lo
}

func (w *worker) sum(a, b uint64) uint64 {
	n, carry := bits.Add64(a, b, 0)
	if carry != 0 {
		w.fail(pattern.ErrOverflow)
	}
	return n
}

func (w *worker) add(a, b pattern.Count128) pattern.Count128 {
	lo, carry := bits.Add64(a.Lo, b.Lo, 0)
	hi, carry := bits.Add64(a.Hi, b.Hi, carry)
	if carry != 0 {
		w.fail(pattern.ErrOverflow)
	}
	return pattern.Count128{Hi: hi, Lo: lo}
}

func (w *worker) times(a, b pattern.Count128) pattern.Count128 {
	n, err := multiply(a, b)
	if err != nil {
		w.fail(err)
	}
	return n
}

// multiply returns a * b, or ErrOverflow.
func multiply(a, b pattern.Count128) (pattern.Count128, error) {
	switch {
	case a.Hi == 0:
		return b.Mul(a.Lo)
	case b.Hi == 0:
		return a.Mul(b.Lo)
	}
	return pattern.Count128{}, pattern.ErrOverflow
}
