package join

import (
	"math/bits"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/sets"
)

// A number of matches that depends on few of the vertices matched so far comes up again and again. In a cycle a-b-c-d, what
// closes a-b-c depends on a and c, however many b lie between. A step keeps the number: as long as the vertices stand that
// seldom change, and in a table by the vertex that changes often.

// memoTable keeps the numbers of one step.
type memoTable struct {
	version uint64           // of step memo.dep that count, or the table's fresh entries, are for
	count   pattern.Count128 // memoOne
	entries []memoEntry      // memoTable
	stamp   uint32           // of fresh entries
	lookups int
	hits    int
	memoOff bool // the table is of little use, or there is no memory for it
}

// memoEntry is the number for one vertex. Vertices share entries and drive each other out.
type memoEntry struct {
	count pattern.Count128
	v     csr.VertexID
	stamp uint32
}

// renew forgets all entries if they are for another version.
func (t *memoTable) renew(version uint64) {
	if t.version == version {
		return
	}
	t.forget()
	t.version = version
}

// forget forgets all entries.
func (t *memoTable) forget() {
	t.version = 0
	if t.stamp++; t.stamp == 0 { // entries of 2^32 resets ago would look fresh
		clear(t.entries)
		t.stamp = 1
	}
}

// find returns the entry of v, and whether it holds v's number. key is v's place among the step's vertices.
func (t *memoTable) find(key int, v csr.VertexID) (e *memoEntry, hit bool) {
	e = &t.entries[key&(len(t.entries)-1)]
	t.lookups++
	if e.stamp == t.stamp && e.v == v {
		t.hits++
		return e, true
	}
	if t.lookups == trialLookups && t.hits < trialLookups/4 {
		t.memoOff = true
	}
	return e, false
}

// recall is search at a step that keeps its number of matches, or where counting begins.
func (w *worker) recall(k int, weight uint64) pattern.Count128 {
	m := &w.steps[k].memo
	if k == w.tail && !w.counting {
		return w.giveNumber(k, weight)
	}
	if m.kind == memoTail {
		return w.expand(k, weight)
	}
	if m.kind == memoMany {
		return w.recallMany(k, weight)
	}
	t := &w.levels[k].memo
	if at := w.version(m.dep); t.version != at {
		w.indivisible++
		n := w.expand(k, 1)
		w.indivisible--
		if w.halted() {
			return n
		}
		t.count, t.version = n, at
	}
	return w.times(t.count, pattern.Count128{Lo: weight})
}

// recallMany is recall where the step keeps a number for each vertex of an earlier step.
func (w *worker) recallMany(k int, weight uint64) pattern.Count128 {
	st, lv := &w.steps[k], &w.levels[k]
	t := &lv.memo
	key := &w.steps[st.memo.key]
	at, v := w.version(st.memo.dep), w.match[key.u]
	if st.scatters && (lv.scatter.version == at || w.worthScattering(k, at) && w.scatterCounts(k, at)) {
		n := int(lv.scatter.counts[v-key.lo])
		return wide(uint64(max(0, n-st.subtract)), weight)
	}
	if t.memoOff || t.entries == nil && !w.makeTable(k) {
		return w.recompute(k, weight)
	}
	t.renew(at)
	e, hit := t.find(int(v-key.lo), v)
	if hit {
		return w.times(e.count, pattern.Count128{Lo: weight})
	}
	w.indivisible++
	n := w.recompute(k, 1)
	w.indivisible--
	if !w.halted() {
		*e = memoEntry{count: n, v: v, stamp: t.stamp}
	}
	return w.times(n, pattern.Count128{Lo: weight})
}

// makeTable allocates step k's table, unless memory is short.
func (w *worker) makeTable(k int) bool {
	t, key := &w.levels[k].memo, &w.steps[w.steps[k].memo.key]
	n := min(maxTable, 1<<bits.Len(uint(key.hi-key.lo)))
	kept, again := takeTable(w, k, n)
	if again && kept.memoOff {
		*t = kept
		return false
	}
	if !w.charge(24 * n) {
		t.memoOff = true
		return false
	}
	if *t = kept; !again {
		*t = memoTable{entries: make([]memoEntry, n)}
	}
	return true
}

// recompute is expand, and notes what it costs.
func (w *worker) recompute(k int, weight uint64) pattern.Count128 {
	before := w.work
	n := w.expand(k, weight)
	w.levels[k].scatter.recomputeCost += w.work - before
	return n
}

// wide is a * b.
func wide(a, b uint64) pattern.Count128 {
	hi, lo := bits.Mul64(a, b)
	return pattern.Count128{Hi: hi, Lo: lo}
}

// scatterTable has the numbers of a last step for all vertices of the memo's key step, and what speaks for making it. One by one, the
// number for x is how many vertices of the prefix are neighbours of x. Scattered, each vertex y of the prefix adds one to
// all its neighbours x, so that no list element is gone through in vain.
type scatterTable struct {
	counts  []uint32       // by vertex of the key step, from its lo on
	nonzero []csr.VertexID // places of counts that are not 0
	version uint64         // of step memo.dep that counts are for

	recomputeAt   uint64 // version that the costs are for
	recomputeCost uint64 // list elements gone through for single numbers
	tableCost     uint64 // list elements that the whole table takes; 0: not known yet
}

// clear sets all counts to 0.
func (t *scatterTable) clear() {
	for _, x := range t.nonzero {
		t.counts[x] = 0
	}
	t.nonzero = t.nonzero[:0]
}

// add adds one to the count of each vertex of list; lo is the vertex of the first count.
func (t *scatterTable) add(list []csr.VertexID, lo csr.VertexID) {
	counts, nonzero := t.counts, t.nonzero
	for _, x := range list {
		x -= lo
		if counts[x] == 0 {
			nonzero = append(nonzero, x)
		}
		counts[x]++
	}
	t.nonzero = nonzero
}

// worthScattering reports whether single numbers for step k have cost about as much as the whole table would.
func (w *worker) worthScattering(k int, at uint64) bool {
	st, lv := &w.steps[k], &w.levels[k]
	t := &lv.scatter
	if t.recomputeAt != at {
		t.recomputeAt, t.recomputeCost, t.tableCost = at, 0, 0
		return false
	}
	if t.tableCost == 0 {
		t.tableCost = 1
		back := w.sources[k][len(st.sources)-1].back
		for _, y := range w.prefix(k, st, lv) {
			t.tableCost += uint64(back.Degree(y)) + 1
		}
	}
	return t.recomputeCost*recomputeShare >= t.tableCost
}

// scatterCounts makes the table of the last step k. It reports false if memory is short.
func (w *worker) scatterCounts(k int, at uint64) bool {
	st, lv := &w.steps[k], &w.levels[k]
	t, key := &lv.scatter, &w.steps[st.memo.key]
	if t.counts == nil {
		n := int(key.hi - key.lo)
		if !w.charge(8 * n) {
			t.tableCost = ^uint64(0)
			return false
		}
		if kept, again := takeCounts(w, k, n); again {
			t.counts, t.nonzero = kept.counts, kept.nonzero
		} else {
			t.counts, t.nonzero = make([]uint32, n), make([]csr.VertexID, 0, n)
		}
	}
	t.clear()
	back := w.sources[k][len(st.sources)-1].back
	for _, y := range w.prefix(k, st, lv) {
		if w.halted() {
			break
		}
		list := back.Neighbours(y)
		if key.narrow {
			list = sets.Cut(list, key.lo, key.hi)
		}
		w.spend(len(list))
		t.add(list, key.lo)
	}
	t.version = at
	return true
}

// sumScattered adds up the next step's numbers over the list of step k, if they stand in a table.
func (w *worker) sumScattered(k int, weight uint64) (n pattern.Count128, ok bool) {
	st, lv, next := &w.steps[k], &w.levels[k], &w.levels[k+1].scatter
	if next.version != w.version(w.steps[k+1].memo.dep) {
		return n, false
	}
	list, test := w.extend(k, st, lv)
	w.spend(len(list))
	total, subtract := int64(0), int64(w.steps[k+1].subtract) // no overflow: fewer than 2^32 numbers below 2^32
	for _, v := range list {
		if !test || sets.Marked(st.bits, 0, v) {
			total += int64(next.counts[v-st.lo]) - subtract
		}
	}
	if st.prepares {
		for _, v := range lv.avoid {
			if w.member(k, st, lv, v) {
				total -= int64(next.counts[v-st.lo]) - subtract
			}
		}
	}
	return wide(uint64(max(0, total)), weight), true
}
