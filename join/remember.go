package join

import (
	"math/bits"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels"
)

// A number of matches that depends on few of the vertices matched so far comes up again and again: in a cycle
// a-b-c-d what closes a-b-c depends on a and c, however many b lie between. It is kept with its step, for one
// vertex that changes often in a table, for those that change seldom as long as they stand.

// recall is search at a step whose number of matches can be remembered.
func (w *worker) recall(k int, weight uint64) pattern.Count128 {
	m, lv := &w.steps[k].memo, &w.levels[k]
	if m.kind == memoTable {
		return w.recallTable(k, weight)
	}
	if at := w.version(m.dep); lv.memoAt != at {
		n := w.remembering(k)
		if w.halted() {
			return n
		}
		lv.memo, lv.memoAt = n, at
	}
	return w.times(lv.memo, pattern.Count128{Lo: weight})
}

// remembering is expand for a number to be kept.
func (w *worker) remembering(k int) pattern.Count128 {
	w.inner++
	n := w.expand(k, 1)
	w.inner--
	return n
}

func (w *worker) recallTable(k int, weight uint64) pattern.Count128 {
	st, lv := &w.steps[k], &w.levels[k]
	at, v := w.version(st.memo.dep), w.match[w.steps[st.memo.key].u]
	if st.turns && (lv.turnedAt == at || w.worthTurning(k, at) && w.turn(k, at)) {
		n := int(lv.turned[v-w.steps[st.memo.key].lo])
		return wide(uint64(max(0, n-st.certain)), weight)
	}
	if lv.forgetful || lv.table == nil && !w.makeTable(k) {
		return w.rented(k, weight)
	}
	if lv.memoAt != at {
		lv.memoAt = at
		if lv.stamp++; lv.stamp == 0 { // entries of 2^32 resets ago would look fresh
			clear(lv.table)
			lv.stamp = 1
		}
	}
	e := &lv.table[int(v-w.steps[st.memo.key].lo)&(len(lv.table)-1)]
	lv.lookups++
	if e.stamp == lv.stamp && e.v == v {
		lv.hits++
		return w.times(e.count, pattern.Count128{Lo: weight})
	}
	if lv.lookups == trialLookups && lv.hits < trialLookups/4 {
		lv.forgetful = true
	}
	w.inner++
	n := w.rented(k, 1)
	w.inner--
	if !w.halted() {
		*e = remembered{count: n, v: v, stamp: lv.stamp}
	}
	return w.times(n, pattern.Count128{Lo: weight})
}

// wide is a * b.
func wide(a, b uint64) pattern.Count128 {
	hi, lo := bits.Mul64(a, b)
	return pattern.Count128{Hi: hi, Lo: lo}
}

// rented is expand, whose work is noted.
func (w *worker) rented(k int, weight uint64) pattern.Count128 {
	before := w.work
	n := w.expand(k, weight)
	w.levels[k].rent += w.work - before
	return n
}

// worthTurning reports whether single numbers for step k have cost about as much as all of them together would.
func (w *worker) worthTurning(k int, at uint64) bool {
	st, lv := &w.steps[k], &w.levels[k]
	if lv.rentAt != at {
		lv.rentAt, lv.rent, lv.price = at, 0, 0
		return false
	}
	if lv.price == 0 {
		lv.price = 1
		back := w.sources[k][len(st.sources)-1].back
		for _, y := range w.fixed(k, st, lv) {
			lv.price += uint64(back.Degree(y)) + 1
		}
	}
	return lv.rent*rentShare >= lv.price
}

// turn finds the numbers of the last step k for all vertices of the memo's key step at once. One by one, the number
// for x is how many vertices of the fixed list are neighbours of x; here each vertex y of the fixed list adds
// one to all its neighbours x. That goes through no list element in vain. It reports false if memory is short.
func (w *worker) turn(k int, at uint64) bool {
	st, lv := &w.steps[k], &w.levels[k]
	key := &w.steps[st.memo.key]
	if lv.turned == nil {
		n := int(key.hi - key.lo)
		if !w.afford(8 * n) {
			lv.price = ^uint64(0)
			return false
		}
		lv.turned, lv.touched = make([]uint32, n), make([]csr.VertexID, 0, n)
	}
	for _, x := range lv.touched {
		lv.turned[x] = 0
	}
	touched := lv.touched[:0]
	back := w.sources[k][len(st.sources)-1].back
	for _, y := range w.fixed(k, st, lv) {
		if w.halted() {
			break
		}
		list := back.Neighbours(y)
		if key.narrow {
			list = kernels.Cut(list, key.lo, key.hi)
		}
		w.spend(len(list))
		for _, x := range list {
			x -= key.lo
			if lv.turned[x] == 0 {
				touched = append(touched, x)
			}
			lv.turned[x]++
		}
	}
	lv.touched, lv.turnedAt = touched, at
	return true
}

// sumTurned adds up the next step's numbers over the list of step k, if they have been turned.
func (w *worker) sumTurned(k int, weight uint64) (n pattern.Count128, ok bool) {
	st, lv, next := &w.steps[k], &w.levels[k], &w.levels[k+1]
	if next.turnedAt != w.version(w.steps[k+1].memo.dep) {
		return n, false
	}
	list, test := w.extend(k, st, lv)
	w.spend(len(list))
	total, certain := int64(0), int64(w.steps[k+1].certain) // no overflow: fewer than 2^32 numbers below 2^32
	for _, v := range list {
		if !test || kernels.Marked(st.bits, 0, v) {
			total += int64(next.turned[v-st.lo]) - certain
		}
	}
	if st.checks {
		for _, v := range lv.avoid {
			if w.member(k, st, lv, v) {
				total -= int64(next.turned[v-st.lo]) - certain
			}
		}
	}
	return wide(uint64(max(0, total)), weight), true
}

// makeTable allocates step k's table, unless memory is short.
func (w *worker) makeTable(k int) bool {
	lv, key := &w.levels[k], &w.steps[w.steps[k].memo.key]
	n := min(maxTable, 1<<bits.Len(uint(key.hi-key.lo)))
	if !w.afford(24 * n) {
		lv.forgetful = true
		return false
	}
	lv.table = make([]remembered, n)
	return true
}
