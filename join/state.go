package join

import (
	"math/bits"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels"
)

// worker is one goroutine's search: the partial embedding and the scratch of every level. Nothing is allocated
// once the scratch has grown to the longest lists.
type worker struct {
	*run
	match    []csr.VertexID // by query vertex
	edges    []csr.EdgeID   // by query edge, when relationships are chosen
	end      int            // the segment's last step + 1
	narrowed bool           // sources are those over candidates only
	levels   []level        // by step
	sources  [][]source     // by step: the program's, or those over candidates only
	versions []uint64       // by step: changes whenever its vertex does
	clock    uint64
	inner    int // how many numbers to be remembered are being found: parts of those cannot be given away
	deaf     int // calls for work to let pass

	total   pattern.Count128
	work    uint64 // list elements looked at
	due     uint64 // work at which to call tick
	partial uint64 // not yet in the tally
	found   uint64
	roots   uint64
	charged int64
	sated   bool   // a match was given, and one is enough for what the first job.Once steps stand for
	sparing uint64 // how often that ended a search

	failure uint64 // why the last search found nothing; see fail.go
	passed  uint64 // vertices left out for that, not yet reported

	taken [takenSlots]uint64 // by vertex, many of which share a slot: the steps that it was matched to

	dense       *dense
	batch       batch
	rels        [][]csr.EdgeID // by choice: the relationships it has
	rearrangers []*rearranger
	scratch     pattern.Scratch
	outVertices []csr.VertexID // the match to be given, where it is not the one found
	outEdges    []csr.EdgeID
	pairs       []pair       // scratch of weigh
	scanned     []csr.EdgeID // scratch: the relationships between two vertices
	ways        []way
	told        uint64 // the part of work that is reported
}

// level is the scratch of one step.
type level struct {
	// The step's loop: what it goes through, and where it is.
	list   []csr.VertexID
	at     int
	test   bool
	weight uint64
	open   bool // the loop runs, and what is left of it may be given away
	given  bool // some of it was

	lo, hi   csr.VertexID   // what less and greater leave
	avoid    []csr.VertexID // vertices that the step's must not be
	clash    []csr.VertexID // vertices with which some edge needs weighing
	clashAll bool           // as all do

	fixed   []csr.VertexID // intersection of all sources but the last, candidates only
	fixedAt uint64         // version of step fixedStep that it is for
	uses    int
	marks   []uint64       // bitmap of fixed, if marked
	marked  []csr.VertexID // what is set in marks
	own     []csr.VertexID // buffer for fixed
	buf     []csr.VertexID // buffer for the step's list
	bufAt   uint64         // version of the step that decides on it last for which it holds that list; 0: none
	held    int            // vertices that fit into the buffers, as far as the memory budget knows

	memoAt    uint64
	memo      pattern.Count128
	table     []remembered
	stamp     uint32
	lookups   int
	hits      int
	forgetful bool // the table was seldom of use

	turned   []uint32       // by vertex of the memo's key step, from its lo on: the numbers, all of them
	turnedAt uint64         // version of step memo.dep that they are for
	touched  []csr.VertexID // where turned is not 0
	rentAt   uint64         // version that rent is for
	rent     uint64         // list elements gone through for single numbers
	price    uint64         // and those that turning takes; 0: not known yet
}

// remembered is an entry of a level's table.
type remembered struct {
	count pattern.Count128
	v     csr.VertexID
	stamp uint32
}

func newWorker(r *run) *worker {
	n := len(r.steps)
	w := &worker{run: r, match: make([]csr.VertexID, n), edges: make([]csr.EdgeID, len(r.p.Edges)),
		levels: make([]level, n), sources: make([][]source, n), versions: make([]uint64, n), clock: 1, due: tickWork, end: r.hi}
	for k := range r.steps {
		w.sources[k], w.versions[k] = r.steps[k].sources, w.clock
	}
	w.rels = make([][]csr.EdgeID, len(r.choices))
	for _, d := range r.distinct {
		w.rearrangers = append(w.rearrangers, newRearranger(w, d))
	}
	for i := range r.p.Edges {
		w.edges[i] = csr.NoEdge
		if r.p.Edges[i].Bound {
			w.edges[i] = r.job.Edges[i]
		}
	}
	for u := range r.p.Vertices {
		if r.p.Vertices[u].Bound {
			w.match[u] = r.job.Vertices[u]
		}
	}
	w.retake()
	return w
}

// set matches step k's vertex to v.
func (w *worker) set(k int, v csr.VertexID) {
	at := &w.match[w.steps[k].u]
	w.taken[*at%takenSlots] &^= 1 << (k & 63)
	w.taken[v%takenSlots] |= 1 << (k & 63)
	*at = v
	w.clock++
	w.versions[k] = w.clock
}

// takenSlots is how many slots tell which steps have taken a vertex.
const takenSlots = 1 << 10

// retake fills the slots anew.
func (w *worker) retake() {
	clear(w.taken[:])
	for k := range w.steps {
		w.taken[w.match[w.steps[k].u]%takenSlots] |= 1 << (k & 63)
	}
}

// takenBy is the steps that have taken v and that st must differ from, as bits. Few vertices share a slot, and
// vertices left long ago may linger there: a match decides.
func (w *worker) takenBy(st *step, v csr.VertexID) (by uint64) {
	for may := w.taken[v%takenSlots] & st.rivals; may != 0; may &= may - 1 {
		if x := bits.TrailingZeros64(may); w.match[w.steps[x].u] == v {
			by |= 1 << x
		}
	}
	return by
}

// version identifies the partial embedding up to step k among all that w has seen.
func (w *worker) version(k int) uint64 {
	if k < 0 {
		return 1
	}
	return w.versions[k]
}

// afford takes n bytes of scratch that the worker can do without from the budget, until the worker is done. It
// reports whether they were left.
func (w *worker) afford(n int) bool {
	if w.env.Memory.Grow(int64(n)) != nil {
		_ = w.env.Memory.Grow(-int64(n)) // giving back does not fail
		return false
	}
	w.charged += int64(n)
	return true
}

// prepare finds which vertices step k must avoid or weigh under the partial embedding, and the bounds that symmetry
// sets. It reports false if nothing can follow.
func (w *worker) prepare(st *step, lv *level) bool {
	lv.avoid, lv.clash, lv.clashAll = lv.avoid[:0], lv.clash[:0], false
	for _, x := range st.differ {
		lv.avoid = note(st, lv.avoid, w.match[x])
	}
	for i := range st.clashes {
		x := &st.clashes[i]
		if !w.equal(x.when) {
			continue
		}
		switch {
		case x.x < 0 && x.kill:
			return false
		case x.x < 0:
			lv.clashAll = true
		case x.kill:
			lv.avoid = note(st, lv.avoid, w.match[x.x])
		case !contains(lv.avoid, w.match[x.x]):
			lv.clash = note(st, lv.clash, w.match[x.x])
		}
	}
	lv.lo, lv.hi = st.lo, st.hi
	for _, x := range st.less {
		lv.lo = max(lv.lo, w.match[x]+1)
	}
	for _, x := range st.greater {
		lv.hi = min(lv.hi, w.match[x])
	}
	return lv.lo < lv.hi
}

func (w *worker) equal(pairs [][2]int) bool {
	for _, q := range pairs {
		if w.match[q[0]] != w.match[q[1]] {
			return false
		}
	}
	return true
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

// neighbours is the list of a source of step st, within the range of its candidates.
func (w *worker) neighbours(st *step, src *source) []csr.VertexID {
	list := src.list
	if src.from >= 0 {
		list = src.view.Neighbours(w.match[src.from])
	}
	if src.filtered || !st.narrow {
		return list
	}
	return kernels.Cut(list, st.lo, st.hi)
}

// extend returns the list of vertices that step k may take. If test is set, the list may still hold vertices that
// are no candidates.
func (w *worker) extend(k int, st *step, lv *level) (list []csr.VertexID, test bool) {
	sources := w.sources[k]
	switch len(sources) {
	case 0:
		list = st.set.List()
	case 1:
		list, test = w.neighbours(st, &sources[0]), st.bits != nil && !sources[0].filtered
	default:
		src := &sources[len(sources)-1]
		at := uint64(1)
		if src.from >= 0 {
			at = w.version(w.pos[src.from])
		}
		if lv.bufAt != at {
			lv.bufAt = 0
			fixed := w.fixed(k, st, lv)
			if len(fixed) == 0 {
				return nil, false
			}
			lv.buf = w.intersect(lv.buf[:0], fixed, w.neighbours(st, src), st, lv)
			lv.bufAt = at
			w.account(lv)
		}
		list = lv.buf
	}
	if st.bounded() {
		list = kernels.Cut(list, lv.lo, lv.hi)
	}
	return list, test
}

// bounded reports whether symmetry bounds the step's vertex.
func (st *step) bounded() bool { return len(st.less)+len(st.greater) > 0 }

// fixed is the intersection of all sources of step k but the last, with the candidates. It stands while those
// it depends on do, and from its second use on also as a bitmap: the last source is often intersected with it
// many times in a row.
func (w *worker) fixed(k int, st *step, lv *level) []csr.VertexID {
	if at := w.version(st.fixedStep); lv.fixedAt != at {
		kernels.Unmark(lv.marks, st.base(), lv.marked)
		lv.marked, lv.fixedAt, lv.uses = nil, at, 0
		lv.fixed = w.intersectFixed(k, st, lv)
		w.account(lv)
		return lv.fixed
	}
	lv.uses++
	if lv.uses == 1 && len(lv.fixed) >= minMarked {
		w.mark(st, lv)
	}
	return lv.fixed
}

// account charges the level's buffers to the memory budget as they grow.
func (w *worker) account(lv *level) {
	grown := cap(lv.buf) + cap(lv.own) - lv.held
	if grown < accountStep {
		return
	}
	lv.held += grown
	w.charged += int64(4 * grown)
	if err := w.env.Memory.Grow(int64(4 * grown)); err != nil {
		w.fail(err)
	}
}

// accountStep is how many vertices a level's buffers may hold or grow by unnoticed.
const accountStep = 1 << 14

// base is the vertex of bit 0 in the step's bitmaps.
func (st *step) base() csr.VertexID { return st.lo &^ 63 }

func (w *worker) mark(st *step, lv *level) {
	if lv.marks == nil {
		words := int(st.hi-st.base()+63) / 64
		if !w.afford(8 * words) {
			lv.uses = 2 // do without
			return
		}
		lv.marks = make([]uint64, words)
	}
	lv.marked = lv.fixed
	kernels.Mark(lv.marks, st.base(), lv.marked)
}

// intersectFixed intersects all sources of step k but the last, the shortest first.
func (w *worker) intersectFixed(k int, st *step, lv *level) []csr.VertexID {
	sources := w.sources[k]
	sources = sources[:len(sources)-1]
	test, shortest := st.bits != nil, 0
	for i := range sources {
		test = test && !sources[i].filtered
		if i > 0 && len(w.neighbours(st, &sources[i])) < len(w.neighbours(st, &sources[shortest])) {
			shortest = i
		}
	}
	list := w.neighbours(st, &sources[shortest])
	if len(sources) == 1 && !test {
		return list
	}
	lv.own = lv.own[:0]
	for i := range sources {
		if i != shortest {
			lv.own = w.merge(lv.own[:0], list, w.neighbours(st, &sources[i]))
			list = lv.own
		}
	}
	if test {
		lv.own = w.filter(lv.own[:0], list, st.bits, 0)
	}
	return lv.own
}

// intersect appends the vertices of last that are in fixed to dst.
func (w *worker) intersect(dst, fixed, last []csr.VertexID, st *step, lv *level) []csr.VertexID {
	if lv.marked != nil && len(last) <= maxMarkedRatio*len(fixed) {
		return w.filter(dst, last, lv.marks, st.base())
	}
	return w.merge(dst, fixed, last)
}

// merge is kernels.Intersect in parts.
func (w *worker) merge(dst, a, b []csr.VertexID) []csr.VertexID {
	for len(a)+len(b) > maxPart && len(a) > 0 && len(b) > 0 && !w.halted() {
		n, m := min(len(a), maxPart/2), min(len(b), maxPart/2)
		next := min(a[n-1], b[m-1]) + 1
		n, m = kernels.LowerBound(a[:n], next), kernels.LowerBound(b[:m], next)
		dst = kernels.Intersect(dst, a[:n], b[:m])
		a, b = a[n:], b[m:]
	}
	return kernels.Intersect(dst, a, b)
}

// filter is kernels.FilterMarked in parts.
func (w *worker) filter(dst, list []csr.VertexID, bitmap []uint64, base csr.VertexID) []csr.VertexID {
	for len(list) > maxPart && !w.halted() {
		dst = kernels.FilterMarked(dst, list[:maxPart], bitmap, base)
		list = list[maxPart:]
	}
	return kernels.FilterMarked(dst, list, bitmap, base)
}

// member reports whether step k's list, as extend would give it and tested, holds v.
func (w *worker) member(k int, st *step, lv *level, v csr.VertexID) bool {
	if !st.has(v) || st.bounded() && (v < lv.lo || v >= lv.hi) {
		return false
	}
	for i := range w.sources[k] {
		if !kernels.Contains(w.neighbours(st, &w.sources[k][i]), v) {
			return false
		}
	}
	return true
}
