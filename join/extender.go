package join

import (
	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/kernels/sets"
)

// extender finds the vertices that a step may take under the partial embedding: it intersects the neighbour lists of the vertices
// matched before. It keeps what earlier vertices contribute for as long as they stand.
type extender struct {
	*run
	levels         []level    // by step
	sources        [][]source // by step: the program's, or the same over candidates only
	overCandidates bool       // the latter
	scratchBytes   int64      // taken from the memory budget
	embedding
}

// level is the scratch of one step.
type level struct {
	stepLoop
	visits   uint64         // partial embeddings that end with this step
	lo, hi   csr.VertexID   // what less and greater leave
	avoid    []csr.VertexID // vertices that the step's must not be
	clash    []csr.VertexID // vertices with which some edge needs weighing
	clashAll bool           // every vertex is such a one
	places   []csr.Place    // by edge of multi
	looks    uint64         // in lists for the relationships of multi
	special  []int          // places of vertices that several relationships, or a clash, give another factor than 1

	prefix    []csr.VertexID // intersection of all sources but the last, candidates only
	prefixAt  uint64         // version of step prefixStep that it is for
	uses      int            // how often it has been used since
	bitmap    []uint64       // of prefix, from its second use on
	bits      []csr.VertexID // what is set in bitmap
	prefixBuf []csr.VertexID // buffer for prefix
	buf       []csr.VertexID // buffer for the step's list
	bufAt     uint64         // version of the step that decides on it last for which it holds that list; 0: none
	capacity  int            // vertices that the buffers hold, as far as the memory budget knows

	memo    memoTable
	scatter scatterTable
}

// stepLoop is the loop of a step: what it goes through, and where it is. Another worker may get the end of it.
type stepLoop struct {
	list       []csr.VertexID
	at         int
	test       bool // list may hold other vertices than candidates
	weight     uint64
	shareable  bool // the loop runs, and what is left of it may be given away
	incomplete bool // some of it was given away
}

func (x *extender) init(r *run) {
	x.run = r
	x.embedding.init(r.program)
	x.levels, x.sources = make([]level, len(r.program.steps)), make([][]source, len(r.program.steps))
	for k := range x.steps {
		x.sources[k] = x.steps[k].sources
	}
}

// charge takes n bytes of scratch from the budget until the worker is done. It reports false if they are not left, which
// the caller must be able to bear.
func (x *extender) charge(n int) bool {
	if x.env.Memory.Charge(int64(n)) != nil {
		x.env.Memory.Release(int64(n))
		return false
	}
	x.scratchBytes += int64(n)
	return true
}

// chargeBuffers charges the level's buffers to the memory budget as they grow.
func (x *extender) chargeBuffers(lv *level) {
	grown := cap(lv.buf) + cap(lv.prefixBuf) - lv.capacity
	if grown < chargeStep {
		return
	}
	lv.capacity += grown
	x.scratchBytes += int64(4 * grown)
	if err := x.env.Memory.Charge(int64(4 * grown)); err != nil {
		x.fail(err)
	}
}

// chargeStep is how many vertices a level's buffers may hold or grow by before they are charged.
const chargeStep = 1 << 14

// prepare finds the vertices that step st must avoid or weigh under the partial embedding, and the bounds that symmetry
// sets. It reports false if nothing can follow.
func (x *extender) prepare(st *step, lv *level) bool {
	lv.avoid, lv.clash, lv.clashAll = lv.avoid[:0], lv.clash[:0], false
	if x.equals == nil || st.rivals == 0 { // else whoever tries a vertex asks for its owners
		lv.avoid = x.rivalsAmong(st, lv.avoid)
	}
	for i := range st.clashes {
		c := &st.clashes[i]
		if !x.equal(c.when) {
			continue
		}
		switch {
		case c.x < 0 && c.kill:
			return false
		case c.x < 0:
			lv.clashAll = true
		case c.kill:
			lv.avoid = note(st, lv.avoid, x.match[c.x])
		case !contains(lv.avoid, x.match[c.x]):
			lv.clash = note(st, lv.clash, x.match[c.x])
		}
	}
	lv.lo, lv.hi = st.lo, st.hi
	for _, u := range st.less {
		lv.lo = max(lv.lo, x.match[u]+1)
	}
	for _, u := range st.greater {
		lv.hi = min(lv.hi, x.match[u])
	}
	return lv.lo < lv.hi
}

// rivalsAmong appends the candidates of st to avoid that others have taken.
func (x *extender) rivalsAmong(st *step, avoid []csr.VertexID) []csr.VertexID {
	for _, u := range st.differ {
		avoid = note(st, avoid, x.match[u])
	}
	return avoid
}

// reasonsToAvoid returns the reasons why step k has no vertex left, as bits. prepare has found those that it must avoid.
func (x *extender) reasonsToAvoid(k int, st *step, lv *level) uint64 {
	if st.rivals == 0 {
		return st.reasons
	}
	reasons := st.reasons
	for _, v := range lv.avoid {
		if x.member(k, st, lv, v) {
			reasons |= x.ownersOf(st, v)
		}
	}
	return reasons
}

// note adds v to a short list if it is a candidate and not yet there.
func note(st *step, list []csr.VertexID, v csr.VertexID) []csr.VertexID {
	if !st.has(v) || contains(list, v) {
		return list
	}
	return append(list, v)
}

// contains searches a short list.
func contains(list []csr.VertexID, v csr.VertexID) bool {
	for _, x := range list {
		if x == v {
			return true
		}
	}
	return false
}

// neighbours returns the list of a source of step st, within the range of its candidates.
func (x *extender) neighbours(st *step, src *source) []csr.VertexID {
	list := src.list
	switch {
	case src.values != nil:
		list = src.values.of(x.match[src.from])
	case src.from >= 0:
		list = src.view.Neighbours(x.match[src.from])
	}
	if src.candidatesOnly || !st.narrow {
		return list
	}
	return sets.Cut(list, st.lo, st.hi)
}

// extend returns the list of vertices that step k may take. If test is set, the list may hold other vertices than
// candidates.
func (x *extender) extend(k int, st *step, lv *level) (list []csr.VertexID, test bool) {
	sources := x.sources[k]
	switch len(sources) {
	case 0:
		list = st.set.List()
	case 1:
		list, test = x.neighbours(st, &sources[0]), st.bits != nil && !sources[0].candidatesOnly
	default:
		src := &sources[len(sources)-1]
		at := uint64(1)
		if src.from >= 0 {
			at = x.version(x.pos[src.from])
		}
		if lv.bufAt != at {
			lv.bufAt = 0
			prefix := x.prefix(k, st, lv)
			if len(prefix) == 0 {
				return nil, false
			}
			lv.buf = x.intersect(lv.buf[:0], prefix, x.neighbours(st, src), st, lv)
			lv.bufAt = at
			x.chargeBuffers(lv)
		}
		list = lv.buf
	}
	if st.bounded() {
		list = sets.Cut(list, lv.lo, lv.hi)
	}
	return list, test
}

// bounded reports whether symmetry bounds the step's vertex.
func (st *step) bounded() bool { return len(st.less)+len(st.greater) > 0 }

// prefix returns the intersection of all sources of step k but the last, with the candidates. It holds while the vertices
// it depends on stand. From its second use on it is a bitmap, too: the last source is often intersected with it many times
// in a row.
func (x *extender) prefix(k int, st *step, lv *level) []csr.VertexID {
	if at := x.version(st.prefixStep); lv.prefixAt != at {
		sets.Unmark(lv.bitmap, st.base(), lv.bits)
		lv.bits, lv.prefixAt, lv.uses = nil, at, 0
		lv.prefix = x.intersectPrefix(k, st, lv)
		x.chargeBuffers(lv)
		return lv.prefix
	}
	lv.uses++
	if lv.uses == 1 && len(lv.prefix) >= minMarked {
		x.mark(st, lv)
	}
	return lv.prefix
}

// base is the vertex of bit 0 in the step's bitmaps.
func (st *step) base() csr.VertexID { return st.lo &^ 63 }

// mark makes the bitmap of a level's prefix, unless memory is short.
func (x *extender) mark(st *step, lv *level) {
	if lv.bitmap == nil {
		words := int(st.hi-st.base()+63) / 64
		if !x.charge(8 * words) {
			lv.uses = 2 // do without
			return
		}
		lv.bitmap = make([]uint64, words)
	}
	lv.bits = lv.prefix
	sets.Mark(lv.bitmap, st.base(), lv.bits)
}

// intersectPrefix intersects all sources of step k but the last, the shortest first.
func (x *extender) intersectPrefix(k int, st *step, lv *level) []csr.VertexID {
	sources := x.sources[k]
	sources = sources[:len(sources)-1]
	test, shortest := st.bits != nil, 0
	for i := range sources {
		test = test && !sources[i].candidatesOnly
		if i > 0 && len(x.neighbours(st, &sources[i])) < len(x.neighbours(st, &sources[shortest])) {
			shortest = i
		}
	}
	list := x.neighbours(st, &sources[shortest])
	if len(sources) == 1 && !test {
		return list
	}
	lv.prefixBuf = lv.prefixBuf[:0]
	for i := range sources {
		if i != shortest {
			lv.prefixBuf = x.merge(lv.prefixBuf[:0], list, x.neighbours(st, &sources[i]))
			list = lv.prefixBuf
		}
	}
	if test {
		lv.prefixBuf = x.filter(lv.prefixBuf[:0], list, st.bits, 0)
	}
	return lv.prefixBuf
}

// intersect appends the vertices of last that are in prefix to dst.
func (x *extender) intersect(dst, prefix, last []csr.VertexID, st *step, lv *level) []csr.VertexID {
	if lv.bits != nil && len(last) <= maxMarkedRatio*len(prefix) {
		return x.filter(dst, last, lv.bitmap, st.base())
	}
	return x.merge(dst, prefix, last)
}

// member reports whether step k's list, as extend would give it and tested, holds v.
func (x *extender) member(k int, st *step, lv *level, v csr.VertexID) bool {
	if !st.has(v) || st.bounded() && (v < lv.lo || v >= lv.hi) {
		return false
	}
	for i := range x.sources[k] {
		if !sets.Contains(x.neighbours(st, &x.sources[k][i]), v) {
			return false
		}
	}
	return true
}

// The kernels below work in parts, with a look between two parts at whether the run is to stop.

// merge is sets.Intersect in parts.
func (r *run) merge(dst, a, b []csr.VertexID) []csr.VertexID {
	for len(a)+len(b) > maxPart && len(a) > 0 && len(b) > 0 && !r.halted() {
		n, m := min(len(a), maxPart/2), min(len(b), maxPart/2)
		next := min(a[n-1], b[m-1]) + 1
		n, m = sets.LowerBound(a[:n], next), sets.LowerBound(b[:m], next)
		dst = sets.Intersect(dst, a[:n], b[:m])
		a, b = a[n:], b[m:]
	}
	return sets.Intersect(dst, a, b)
}

// filter is sets.FilterMarked in parts.
func (r *run) filter(dst, list []csr.VertexID, bitmap []uint64, base csr.VertexID) []csr.VertexID {
	for len(list) > maxPart && !r.halted() {
		dst = sets.FilterMarked(dst, list[:maxPart], bitmap, base)
		list = list[maxPart:]
	}
	return sets.FilterMarked(dst, list, bitmap, base)
}

// countMarked is sets.CountMarked in parts.
func (r *run) countMarked(list []csr.VertexID, bitmap []uint64, base csr.VertexID) int {
	n := 0
	for len(list) > maxPart && !r.halted() {
		n += sets.CountMarked(list[:maxPart], bitmap, base)
		list = list[maxPart:]
	}
	return n + sets.CountMarked(list, bitmap, base)
}
