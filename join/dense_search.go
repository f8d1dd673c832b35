package join

import (
	"math/bits"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/sets"
)

// Dense search. Where every vertex still to come is a neighbour of a matched one, its choices are a short list, and the edges
// between two such lists fit into bitmaps: a row for each vertex of one, a bit for each of the other. From there on an
// extension is the AND of bitmaps, and the last vertex is counted by its bits. In a clique a-b-c-d-e, all that follows b
// lies around a: the neighbours of c are found once for each a, not once for each a-b.
//
// A row is made when the search first asks for it, so what the search never reaches costs nothing. If a list is too long
// for bitmaps that fit into the processor's caches, the search goes on as usual.

var (
	maxDense     = 1 << 13 // vertices of a list; their bitmap has 1 KB
	maxDenseRows = 1 << 20 // words of all rows that lead from one step to another
)

// denseStep is one step of the dense part.
type denseStep struct {
	list   []csr.VertexID
	visits uint64         // as level.visits
	own    []csr.VertexID // buffer for list
	words  int            // of a bitmap over list
	index  []uint32       // by vertex from the step's lo on: its place in list, if it is there
	marks  []uint64       // by vertex from the step's lo on: it is in list
	rows   [][]uint64     // by later step: the rows that lead there, one after the other
	ready  [][]bool       // by later step and place: the row is there
	now    [][]uint64     // by step taken before: the choices left after it
	buf    [][]uint64     // likewise: room for them
}

// denseSearch is one worker's search among few vertices.
type denseSearch struct {
	w      *worker
	at     uint64 // version of step program.around that the lists are for
	usable bool   // bitmaps of the lists are short enough
	empty  bool   // some list is empty
	steps  []denseStep
}

// planDense finds the dense part: steps whose vertices all are neighbours of those up to one step, two steps before. It plans one only if
// the choices of some step in it come up again and again.
func (c *compiler) planDense() {
	n := len(c.steps)
	if len(c.segments) != 1 || n-c.root < 4 || n > 64 || c.enumerate || c.tail >= 0 {
		return
	}
	around := c.root
	for k := n - 1; k >= around+2; k-- {
		st := &c.steps[k]
		if len(st.sources) == 0 || slices.ContainsFunc(st.sources, func(s source) bool { return s.values != nil }) {
			return
		}
		if from := st.sources[0].from; from >= 0 { // the earliest one
			around = max(around, c.pos[from])
		}
	}
	again := false
	for k := around + 2; k < n; k++ {
		st := &c.steps[k]
		if st.memo.kind != memoNone || st.verifies || st.prepares || st.bound || st.subtract > 0 || !st.oneSourceEach() {
			return
		}
		again = again || k+1 < n && !(st.countable && st.noDependents)
	}
	if !again {
		return
	}
	c.around, c.denseAt, c.joint = around, around+2, make([][]int, n)
	for k := around + 2; k < n; k++ {
		c.joint[k] = make([]int, n)
		for i := range c.joint[k] {
			c.joint[k][i] = -1
		}
		for i := range c.steps[k].sources {
			if from := c.steps[k].sources[i].from; from >= 0 {
				c.joint[k][c.pos[from]] = i
			}
		}
	}
}

// oneSourceEach reports whether no two sources of a step come from the same vertex.
func (st *step) oneSourceEach() bool {
	for i := range st.sources {
		for j := range i {
			if st.sources[i].from >= 0 && st.sources[i].from == st.sources[j].from {
				return false
			}
		}
	}
	return true
}

// searchDense is search at the first step of the dense part. Its vertex is one of list, or any if list is nil. ok is false if the search
// must go on as usual.
func (w *worker) searchDense(k int, weight uint64, list []csr.VertexID) (n pattern.Count128, ok bool) {
	if w.dense == nil {
		w.dense = &denseSearch{w: w, steps: make([]denseStep, len(w.steps))}
	}
	return w.dense.search(k, weight, list)
}

// search is searchDense on the worker's bitmaps.
func (d *denseSearch) search(k int, weight uint64, list []csr.VertexID) (n pattern.Count128, ok bool) {
	w := d.w
	if at := w.version(w.around); d.at != at {
		d.at = at
		d.enter(k)
	}
	if !d.usable || d.empty {
		return n, d.usable
	}
	v := w.match[w.steps[k-1].u]
	for j := k; j < w.end; j++ {
		s := &d.steps[j]
		now := room(&s.buf[k-1], s.words)
		if i := w.joint[j][k-1]; i < 0 {
			fill(now, len(s.list))
		} else if !d.fillRow(now, &w.sources[j][i], v, j) {
			return n, true
		}
		s.now[k-1] = now
	}
	if list != nil {
		now, lo := d.steps[k].now[k-1], w.steps[k].lo
		clear(now)
		for _, x := range list {
			i := d.steps[k].index[x-lo]
			now[i>>6] |= 1 << (i & 63)
		}
	}
	if n = d.descend(k, weight); !w.emit {
		n = w.times(n, pattern.Count(weight))
	}
	return n, true
}

// enter makes the lists of the steps from k on for the vertices now matched.
func (d *denseSearch) enter(k int) {
	w := d.w
	for j := k; j < w.end; j++ {
		s := &d.steps[j]
		sets.Unmark(s.marks, w.steps[j].lo, s.list)
		s.list = nil
	}
	d.usable, d.empty = true, false
	var lists [64][]csr.VertexID
	for j := k; j < w.end; j++ {
		lists[j] = d.listAround(j)
		if len(lists[j]) == 0 {
			d.empty = true
			return
		}
		d.usable = d.usable && len(lists[j]) <= maxDense
	}
	for j := k; j < w.end && d.usable; j++ {
		d.usable = d.roomForRows(j, lists[:])
	}
	if !d.usable {
		return
	}
	w.denseEntries++
	for j := k; j < w.end; j++ {
		s := &d.steps[j]
		s.list, s.words = lists[j], (len(lists[j])+63)/64
		for i, v := range s.list {
			s.index[v-w.steps[j].lo] = uint32(i)
		}
		sets.Mark(s.marks, w.steps[j].lo, s.list)
	}
}

// listAround returns the candidates of step j that the vertices matched up to step around leave.
func (d *denseSearch) listAround(j int) []csr.VertexID {
	w := d.w
	st, s := &w.steps[j], &d.step(j).own
	test := st.bits != nil
	var list []csr.VertexID
	for i := range w.sources[j] {
		src := &w.sources[j][i]
		if src.from >= 0 && w.pos[src.from] > w.around {
			break
		}
		test = test && !src.candidatesOnly
		near := w.neighbours(st, src)
		w.spend(len(near))
		if i == 0 {
			list = near
			continue
		}
		*s = w.merge((*s)[:0], list, near)
		list = *s
	}
	if test {
		*s = w.filter((*s)[:0], list, st.bits, 0)
		list = *s
	}
	return list
}

// step returns step j, ready to be filled.
func (d *denseSearch) step(j int) *denseStep {
	s := &d.steps[j]
	if s.rows == nil {
		n := len(d.steps)
		s.rows, s.ready, s.now, s.buf = make([][]uint64, n), make([][]bool, n), make([][]uint64, n), make([][]uint64, n)
	}
	return s
}

// roomForRows prepares step j for lists. It reports false if they ask for too much.
func (d *denseSearch) roomForRows(j int, lists [][]csr.VertexID) bool {
	w := d.w
	st, s := &w.steps[j], &d.steps[j]
	if s.index == nil {
		n := int(st.hi - st.lo)
		if !w.charge(4*n + n/8 + 8) {
			return false
		}
		s.index, s.marks = make([]uint32, n), make([]uint64, (n+63)/64)
	}
	for to := j + 1; to < w.end; to++ {
		if w.joint[to][j] < 0 {
			continue
		}
		n, words := len(lists[j]), len(lists[j])*((len(lists[to])+63)/64)
		if grow := words - cap(s.rows[to]); words > maxDenseRows || grow > 0 && !w.charge(8*words) {
			return false
		}
		room(&s.rows[to], words)
		if cap(s.ready[to]) < n {
			s.ready[to] = make([]bool, n, 2*n)
		}
		s.ready[to] = s.ready[to][:n]
		clear(s.ready[to])
	}
	return true
}

// room returns n words of b, which grows if need be. They may hold anything.
func room(b *[]uint64, n int) []uint64 {
	if cap(*b) < n {
		*b = make([]uint64, n)
	}
	*b = (*b)[:n]
	return *b
}

// fill sets the first n bits of b and clears the rest.
func fill(b []uint64, n int) {
	for i := range b {
		b[i] = ^uint64(0)
	}
	if n%64 != 0 {
		b[len(b)-1] = 1<<(n%64) - 1
	}
}

// manyTimes is how many times longer than the step's list a neighbour list must be before it is quicker to search it for each vertex of
// the former than to go through it.
const manyTimes = 16

// fillRow sets the bits of v's neighbours in step j's list and reports whether there are any.
func (d *denseSearch) fillRow(dst []uint64, src *source, v csr.VertexID, j int) (some bool) {
	w := d.w
	st, s := &w.steps[j], &d.steps[j]
	near := src.view.Neighbours(v)
	if !src.candidatesOnly && st.narrow {
		near = sets.Cut(near, st.lo, st.hi)
	}
	clear(dst)
	if len(near) > manyTimes*len(s.list) {
		w.spend(len(s.list))
		for i, x := range s.list {
			at := sets.LowerBound(near, x)
			if near = near[at:]; len(near) == 0 {
				break
			}
			if near[0] == x {
				dst[i>>6] |= 1 << (i & 63)
				some = true
			}
		}
		return some
	}
	w.spend(len(near))
	var found [256]csr.VertexID
	for len(near) > 0 {
		part := near[:min(len(near), len(found))]
		for _, x := range sets.FilterMarked(found[:0], part, s.marks, st.lo) {
			i := s.index[x-st.lo]
			dst[i>>6] |= 1 << (i & 63)
			some = true
		}
		near = near[len(part):]
	}
	return some
}

// rowTo returns the row that leads from the vertex at place i of step k to step j.
func (d *denseSearch) rowTo(k, i, j int) []uint64 {
	s, words := &d.steps[k], d.steps[j].words
	row := s.rows[j][i*words : (i+1)*words]
	if !s.ready[j][i] {
		s.ready[j][i] = true
		d.fillRow(row, &d.w.sources[j][d.w.joint[j][k]], s.list[i], j)
	}
	return row
}

// descend is search inside the dense part.
func (d *denseSearch) descend(k int, weight uint64) (total pattern.Count128) {
	w := d.w
	st, s := &w.steps[k], &d.steps[k]
	now := s.now[k-1]
	if w.unread != 0 && st.countable && (st.noDependents || k+1 == w.end) {
		return d.takeTogether(k, weight)
	}
	if !w.emit && (st.noDependents || k+1 == w.end) {
		n := ones(now)
		s.visits++
		if k+1 == w.end || n == 0 {
			return pattern.Count(n)
		}
		for j := k + 1; j < w.end; j++ {
			d.steps[j].now[k] = d.steps[j].now[k-1]
		}
		return w.times(pattern.Count(n), d.descend(k+1, weight))
	}
	if !w.emit && k+2 == w.end && w.joint[k+1][k] >= 0 {
		return pattern.Count(d.lastTwo(k))
	}
	if w.givesRuns(k) {
		return d.giveRun(k, weight)
	}
	for at, word := range now {
		for ; word != 0; word &= word - 1 {
			if w.pool.signal.Load() != 0 {
				if w.halted() {
					return total
				}
				if w.ignoredCalls--; k == w.denseAt && w.indivisible == 0 && w.ignoredCalls < 0 && !w.share() {
					d.split(now, at, weight)
				}
			}
			i := at<<6 + bits.TrailingZeros64(word)
			w.match[st.u] = s.list[i]
			w.changed |= 1 << k
			s.visits++
			switch {
			case k+1 == w.end:
				total = w.add(total, w.leaf(weight))
			case d.take(k, i):
				total = w.add(total, d.descend(k+1, weight))
			}
		}
	}
	return total
}

// takeTogether is descend where matches go to the sink, which does not read the vertex of step k, and no later step depends on it.
func (d *denseSearch) takeTogether(k int, weight uint64) pattern.Count128 {
	w, s := d.w, &d.steps[k]
	n := uint64(ones(s.now[k-1]))
	s.visits++
	w.numbered++
	switch {
	case n == 0:
		return pattern.Count128{}
	case k+1 == w.end:
		return choiceTaker{w}.give(n, weight)
	}
	for j := k + 1; j < w.end; j++ {
		d.steps[j].now[k] = d.steps[j].now[k-1]
	}
	return choiceTaker{w}.each(n, weight, func(weight uint64) pattern.Count128 { return d.descend(k+1, weight) })
}

// giveRun is descend at a last step whose vertices go to the sink together.
func (d *denseSearch) giveRun(k int, weight uint64) pattern.Count128 {
	w := d.w
	s := &d.steps[k]
	total := pattern.Count128{}
	run := w.out.run[:0]
	for at, word := range s.now[k-1] {
		for ; word != 0; word &= word - 1 {
			run = append(run, s.list[at<<6+bits.TrailingZeros64(word)])
		}
	}
	w.out.run = run
	for len(run) > 0 && !w.halted() {
		part := run[:min(len(run), w.out.room())]
		run = run[len(part):]
		s.visits += uint64(len(part))
		total = w.add(total, w.giveRun(&w.steps[k], part, weight))
	}
	return total
}

// split gives an idle worker the second half of what is left at the dense part's first step, beyond word at of now.
func (d *denseSearch) split(now []uint64, at int, weight uint64) {
	w := d.w
	k, keep := w.denseAt, ones(now[at+1:])/2
	var list []csr.VertexID
	for i := at + 1; i < len(now); i++ {
		for word := now[i]; word != 0; word &= word - 1 {
			if keep > 0 {
				keep--
				continue
			}
			bit := bits.TrailingZeros64(word)
			list = append(list, d.steps[k].list[i<<6+bit])
			now[i] &^= 1 << bit
		}
	}
	if len(list) > 0 {
		w.ignoredCalls = 0
		w.pool.put(task{k: k, match: slices.Clone(w.match), list: list, weight: weight, dense: true})
	}
}

// take cuts the later steps' choices down to the neighbours of the vertex at place i of step k. It reports false if a step has no
// choice left.
func (d *denseSearch) take(k, i int) bool {
	w := d.w
	for j := k + 1; j < w.end; j++ {
		s := &d.steps[j]
		if w.joint[j][k] < 0 {
			s.now[k] = s.now[k-1]
			continue
		}
		row, before, some := d.rowTo(k, i, j), s.now[k-1], uint64(0)
		next := room(&s.buf[k], s.words)
		before, next = before[:len(row)], next[:len(row)]
		if len(row) >= sets.LongRow {
			some = uint64(sets.AndInto(next, row, before))
		} else {
			for x := range row {
				next[x] = row[x] & before[x]
				some |= next[x]
			}
		}
		w.spend(len(row))
		if some == 0 {
			return false
		}
		s.now[k] = next
	}
	return true
}

// lastTwo counts the choices of the last two steps, the first of which is k.
func (d *denseSearch) lastTwo(k int) (n uint64) {
	w := d.w
	last := d.steps[k+1].now[k-1]
	common := commonOnes
	if len(last) >= sets.LongRow {
		common = sets.AndCount
	}
	count := 0
	for at, word := range d.steps[k].now[k-1] {
		for ; word != 0; word &= word - 1 {
			n += uint64(common(d.rowTo(k, at<<6+bits.TrailingZeros64(word), k+1), last))
			count++
		}
		if w.halted() {
			return n
		}
	}
	d.steps[k].visits += uint64(count)
	w.spend(count * len(last))
	return n
}

// ones returns how many bits are set in b.
func ones(b []uint64) (n uint64) {
	for _, x := range b {
		n += uint64(bits.OnesCount64(x))
	}
	return n
}

// commonOnes returns how many bits are set in both a and b, which have the same length.
func commonOnes(a, b []uint64) (n int) {
	b = b[:len(a)]
	for i, x := range a {
		n += bits.OnesCount64(x & b[i])
	}
	return n
}
