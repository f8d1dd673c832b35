package exec

import (
	"cmp"
	"errors"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/eval"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/lang"
	"github.com/motifql/motif/planner"
)

// sorter holds rows and compares them. A held row has the columns that ORDER BY compares and the slots that somebody above
// reads.
type sorter struct {
	*outlet
	order   value.Ordering
	fns     []eval.Func // computes the key, by column; nil where a slot is the key
	slots   []int       // by column; -1 where an expression is the key
	keys    []sortKey
	scratch []value.Value
	first   []lateColumn // the first key, as batches have it
	operand eval.Operand
	plain   bool // no key but the first is computed
}

type sortKey struct {
	column     int
	descending bool
}

// newSort builds a stage that sorts all rows, or keeps only the first ones if Top says how many.
func (x *execution) newSort(n *planner.Sort, out *outlet) (stage, error) {
	x.newAccount("ORDER BY", out)
	s := &sorter{outlet: out, order: value.Ordering{Snapshot: x.s}}
	for slot := range x.row {
		if x.compiler.Live[slot] {
			s.slots = append(s.slots, slot)
			s.fns = append(s.fns, nil)
		}
	}
	for _, k := range n.Keys {
		column, err := x.sortColumn(s, k.Expr)
		if err != nil {
			return nil, err
		}
		s.keys = append(s.keys, sortKey{column, k.Descending})
	}
	s.scratch = make([]value.Value, len(s.slots))
	s.first = x.late([]planner.Item{{Expr: n.Keys[0].Expr}})
	s.plain = !slices.ContainsFunc(s.keys[1:], func(k sortKey) bool { return s.slots[k.column] < 0 })
	if n.Top != nil {
		k, err := x.compiler.Count(n.Top, "LIMIT")
		if err == nil {
			return &top{sorter: s, k: k}, nil
		}
		if !errors.Is(err, pattern.ErrOverflow) { // SKIP + LIMIT above int64 means no limit
			return nil, err
		}
	}
	return &fullSort{sorter: s}, nil
}

// sortColumn finds or adds the column of a sort key.
func (x *execution) sortColumn(s *sorter, key lang.Expr) (int, error) {
	k, err := x.compiler.Compile(key)
	if err != nil {
		return 0, err
	}
	if v, ok := key.(*lang.Var); ok {
		if column := slices.Index(s.slots, x.compiler.Slot(v.Name)); column >= 0 {
			return column, nil
		}
	}
	s.slots, s.fns = append(s.slots, -1), append(s.fns, k.Fn)
	return len(s.slots) - 1, nil
}

// read evaluates the columns of the current row into scratch, and returns the bytes that their values refer to.
func (s *sorter) read() (bytes int64, err error) {
	for i, slot := range s.slots {
		if slot >= 0 {
			s.scratch[i] = s.x.row[slot]
		} else if s.scratch[i], err = s.fns[i](&s.x.input); err != nil {
			return 0, err
		}
		bytes += s.scratch[i].Bytes() - 24
	}
	return bytes, nil
}

func (s *sorter) takesBatches() bool { return len(s.subs) == 0 && s.x.writes == nil }

func (s *sorter) compare(a, b []value.Value) int { return s.compareBy(s.keys, a, b) }

func (s *sorter) compareBy(keys []sortKey, a, b []value.Value) int {
	for _, k := range keys {
		if c := s.order.Compare(a[k.column], b[k.column]); c != 0 {
			if k.descending {
				return -c
			}
			return c
		}
	}
	return 0
}

// write puts a held row into the row.
func (s *sorter) write(row []value.Value) {
	for i, slot := range s.slots {
		if slot >= 0 {
			s.x.row[slot] = row[i]
		}
	}
}

// written lists the slots that write sets.
func (s *sorter) written() []int {
	return slices.DeleteFunc(slices.Clone(s.slots), func(slot int) bool { return slot < 0 })
}

// runLen is the number of rows that are sorted at a time. Each full run is sorted as rows come and runs are merged at the
// end. So no step is long, and a cancelled query ends soon.
const runLen = 1 << 14

// run is a sorted run of rows, each of len(sorter.slots) values.
type run struct {
	values   []value.Value
	mults    []uint64
	prefixes []uint64 // of the first key: they decide most comparisons
	order    []int32  // positions in order
	packets  []uint64 // that rows came in, where several lanes sort
}

// fullSort sorts all rows, stably.
type fullSort struct {
	*sorter
	runs []*run // the last one is still filling
	open bool   // values with one prefix may differ
	lane bool   // other lanes sort, too
}

// compareTies compares rows whose prefixes are equal.
func (s *fullSort) compareTies(a, b []value.Value) int {
	if s.open {
		return s.compareBy(s.keys, a, b)
	}
	return s.compareBy(s.keys[1:], a, b)
}

func (s *fullSort) push(mult uint64) (bool, error) {
	bytes, err := s.read()
	if err != nil {
		return false, err
	}
	s.account.Rows++
	if err := s.account.Charge(bytes + 4); err != nil { // 4: its entry in order
		return false, err
	}
	if len(s.runs) == 0 || len(s.runs[len(s.runs)-1].mults) == runLen {
		s.finish()
		s.runs = append(s.runs, new(run))
	}
	r := s.runs[len(s.runs)-1]
	if r.values, err = eval.Append(s.account, r.values, s.scratch...); err != nil {
		return false, err
	}
	if r.mults, err = eval.Append(s.account, r.mults, mult); err != nil {
		return false, err
	}
	if s.lane {
		if r.packets, err = eval.Append(s.account, r.packets, s.x.packet); err != nil {
			return false, err
		}
	}
	first := s.scratch[s.keys[0].column]
	s.open = s.open || first.Kind() != value.Null && (first.Kind() != value.Int || first.Int() != first.Int()<<20>>20)
	p := value.Prefix(first)
	if s.keys[0].descending {
		p = ^p
	}
	r.prefixes, err = eval.Append(s.account, r.prefixes, p)
	return true, err
}

func (s *fullSort) pushBatch(n int) (bool, error) { return s.pushRows(n, s.push, nil) }

// pushRows pushes the rows of a batch that late does not tell to be too late.
func (s *sorter) pushRows(n int, push func(mult uint64) (bool, error), late func(i int) bool) (more bool, err error) {
	more = true
	mark := s.x.input.Mark()
	for i := 0; i < n && more && err == nil; i++ {
		if i%stride == 0 && s.x.ctx.Err() != nil {
			return false, s.x.ctx.Err()
		}
		if late != nil && late(i) {
			continue
		}
		s.x.load(i)
		more, err = push(multOf(s.x, i))
		s.x.compiler.Settle(&s.x.input, mark)
	}
	s.x.compiler.Settle(&s.x.input, mark)
	return more, err
}

func (s *fullSort) reset() {
	s.runs, s.open = nil, false
	s.account.Rows = 0
	s.account.Release()
}

// finish sorts the last run.
func (s *fullSort) finish() {
	if len(s.runs) == 0 {
		return
	}
	r := s.runs[len(s.runs)-1]
	r.order = make([]int32, len(r.mults))
	for i := range r.order {
		r.order[i] = int32(i)
	}
	slices.SortFunc(r.order, func(i, j int32) int {
		if c := cmp.Compare(r.prefixes[i], r.prefixes[j]); c != 0 {
			return c
		}
		if c := s.compareTies(s.row(r, i), s.row(r, j)); c != 0 {
			return c
		}
		return cmp.Compare(i, j)
	})
}

func (s *fullSort) row(r *run, i int32) []value.Value {
	w := len(s.slots)
	return r.values[int(i)*w : (int(i)+1)*w]
}

func (s *fullSort) canMerge() bool { return true }
func (s *fullSort) held() int      { return 0 }

// merge takes over the rows of other.
func (s *fullSort) merge(other holder) error {
	o := other.(*fullSort)
	s.finish()
	o.finish()
	s.runs, s.open = append(s.runs, o.runs...), s.open || o.open
	s.account.Rows += o.account.Rows
	return nil
}

// flush merges the runs. Among equal rows the earlier run comes first.
func (s *fullSort) flush() (bool, error) {
	s.finish()
	heads := make([]int, len(s.runs)) // by run: the number of its rows emitted
	h := newHeap(len(s.runs), func(i, j int) bool {
		a, b := s.runs[i], s.runs[j]
		k, l := a.order[heads[i]], b.order[heads[j]]
		if a.prefixes[k] != b.prefixes[l] {
			return a.prefixes[k] < b.prefixes[l]
		}
		if c := s.compareTies(s.row(a, k), s.row(b, l)); c != 0 {
			return c < 0
		}
		if s.lane && a.packets[k] != b.packets[l] {
			return a.packets[k] < b.packets[l]
		}
		return i < j
	})
	return s.emitHeld(s.written(), func() (mult uint64, err error) {
		if len(h.items) == 0 {
			return 0, nil
		}
		i := h.items[0]
		r := s.runs[i]
		at := r.order[heads[i]]
		s.write(s.row(r, at))
		if heads[i]++; heads[i] == len(r.order) {
			h.pop()
		} else {
			h.down(0)
		}
		return r.mults[at], nil
	})
}

// top keeps the first k rows in a heap, the last of them on top.
type top struct {
	*sorter
	k        uint64
	rows     []topRow
	heap     *heap
	arrivals uint64
}

type topRow struct {
	values []value.Value
	packet uint64 // that it came in
	seq    uint64 // order of arrival, which decides between equal rows of a packet
	bytes  int64
}

// compareArrivals compares when rows came.
func compareArrivals(a, b *topRow) int {
	return cmp.Or(cmp.Compare(a.packet, b.packet), cmp.Compare(a.seq, b.seq))
}

// topRowBytes is what a topRow takes beside its values.
const topRowBytes = 64

func (t *top) after(i, j int) bool {
	if c := t.compare(t.rows[i].values, t.rows[j].values); c != 0 {
		return c > 0
	}
	return compareArrivals(&t.rows[i], &t.rows[j]) > 0
}

func (t *top) push(mult uint64) (bool, error) {
	if t.k == 0 {
		return false, nil
	}
	if t.full() && t.plain {
		first, err := t.readKey()
		if err != nil || t.beyond(first) {
			return err == nil, err
		}
	}
	bytes, err := t.read()
	if err != nil {
		return false, err
	}
	for ; mult > 0; mult-- {
		kept, err := t.keep(bytes, t.x.packet, t.arrivals)
		t.arrivals++
		if err != nil {
			return false, err
		}
		if !kept {
			break
		}
	}
	return true, nil
}

// full reports whether a row must come before another one to be kept.
func (t *top) full() bool { return t.k > 0 && uint64(len(t.rows)) == t.k }

// readKey evaluates the first key of the current row.
func (t *top) readKey() (value.Value, error) {
	if column := t.keys[0].column; t.slots[column] < 0 {
		return t.fns[column](&t.x.input)
	} else {
		return t.x.row[t.slots[column]], nil
	}
}

// beyond reports whether a row comes after all kept ones by its first key alone.
func (t *top) beyond(first value.Value) bool {
	c := t.order.Compare(first, t.rows[t.heap.items[0]].values[t.keys[0].column])
	return c != 0 && c > 0 != t.keys[0].descending
}

func (t *top) pushBatch(n int) (bool, error) {
	if !t.plain || !readOperand(t.x, &t.first[0], n, &t.operand) {
		return t.pushRows(n, t.push, nil)
	}
	return t.pushRows(n, t.push, func(i int) bool {
		if !t.full() {
			return false
		}
		last := t.rows[t.heap.items[0]].values[t.keys[0].column]
		if t.operand.Kinds[i] != csr.KindInt || last.Kind() != value.Int {
			return false // push compares
		}
		n, most := int64(t.operand.Nums[i]), last.Int()
		return n != most && n > most != t.keys[0].descending
	})
}

// keep puts the row in scratch among the kept ones. If there are k already, it replaces the last.
func (t *top) keep(bytes int64, packet, seq uint64) (kept bool, err error) {
	if t.heap == nil {
		t.heap = newHeap(0, t.after)
	}
	row := topRow{packet: packet, seq: seq, bytes: bytes + 24*int64(len(t.scratch)) + topRowBytes}
	if uint64(len(t.rows)) < t.k {
		row.values = slices.Clone(t.scratch)
		t.rows = append(t.rows, row)
		t.heap.push(len(t.rows) - 1)
		t.account.Rows++
		return true, t.account.Charge(row.bytes)
	}
	last := &t.rows[t.heap.items[0]]
	if c := t.compare(t.scratch, last.values); c > 0 || c == 0 && compareArrivals(&row, last) > 0 {
		return false, nil
	}
	row.values = append(last.values[:0], t.scratch...)
	grown := row.bytes - last.bytes
	*last = row
	t.heap.down(0)
	return true, t.account.Charge(grown)
}

// canMerge is false where the rows of several lanes might take much more memory than those of one.
func (t *top) canMerge() bool { return t.k <= runLen }
func (t *top) held() int      { return 0 }

// merge takes over the rows of other.
func (t *top) merge(other holder) error {
	o := other.(*top)
	for _, row := range o.rows {
		copy(t.scratch, row.values)
		if _, err := t.keep(row.bytes-24*int64(len(t.scratch))-topRowBytes, row.packet, row.seq); err != nil {
			return err
		}
	}
	o.account.Release()
	return nil
}

func (t *top) reset() {
	t.rows, t.heap, t.arrivals = nil, nil, 0
	t.account.Rows = 0
	t.account.Release()
}

func (t *top) flush() (bool, error) {
	slices.SortFunc(t.rows, func(a, b topRow) int {
		if c := t.compare(a.values, b.values); c != 0 {
			return c
		}
		return compareArrivals(&a, &b)
	})
	at := 0
	return t.emitHeld(t.written(), func() (uint64, error) {
		if at == len(t.rows) {
			return 0, nil
		}
		t.write(t.rows[at].values)
		at++
		return 1, nil
	})
}

// heap is a binary heap of small integers; before says which comes first.
type heap struct {
	items  []int
	before func(i, j int) bool
}

// newHeap returns a heap of 0 to n-1.
func newHeap(n int, before func(i, j int) bool) *heap {
	h := &heap{before: before}
	for i := range n {
		h.push(i)
	}
	return h
}

func (h *heap) push(item int) {
	h.items = append(h.items, item)
	for i := len(h.items) - 1; i > 0; {
		parent := (i - 1) / 2
		if !h.before(h.items[i], h.items[parent]) {
			return
		}
		h.items[i], h.items[parent] = h.items[parent], h.items[i]
		i = parent
	}
}

// pop drops the first item.
func (h *heap) pop() {
	last := len(h.items) - 1
	h.items[0] = h.items[last]
	h.items = h.items[:last]
	h.down(0)
}

// down moves the item at i to its place after its rank has fallen.
func (h *heap) down(i int) {
	for {
		child := 2*i + 1
		if child >= len(h.items) {
			return
		}
		if r := child + 1; r < len(h.items) && h.before(h.items[r], h.items[child]) {
			child = r
		}
		if !h.before(h.items[child], h.items[i]) {
			return
		}
		h.items[i], h.items[child] = h.items[child], h.items[i]
		i = child
	}
}
