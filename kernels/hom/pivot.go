package hom

import (
	"math/bits"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/hugepages"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/sets"
)

// One value of the pivot at a time. Input: a pass whose rows and weights are ready. What makes it fast: numbers below a node are arrays
// that the worker clears entry by entry, so a pivot costs only the elements that it reads.

// worker holds the arrays for one pivot at a time.
type worker struct {
	*execution
	p      *passPlan
	outs   []int        // the numbers sought
	at     csr.VertexID // value of the pivot
	mate   csr.VertexID // value of the second pivot
	clock  uint64
	nodes  []nodeValues
	accs   []accValues
	tables []tableValues
	totals []pattern.Count128
}

// nodeValues are the numbers of a node, by value: in nums, in array by vertex, or all 1 without both.
type nodeValues struct {
	clock uint64
	list  []csr.VertexID
	nums  []uint64
	array []uint64
	sum   uint64

	common   []csr.VertexID // memory
	products []uint64       // likewise
	ownList  []csr.VertexID
	ownNums  []uint64
	ownArray []uint64
}

// tableValues are a table's sums.
type tableValues struct {
	clock uint64
	nums  []uint64
}

// accValues are sums by vertex. They are 0 outside of nonzero.
type accValues struct {
	clock   uint64
	array   []uint64
	nonzero []csr.VertexID // vertices whose sum is not 0
	memory  []csr.VertexID
	sum     uint64
}

func newWorker(r *execution, p *passPlan) (*worker, error) {
	n := int(r.s.N())
	w := &worker{execution: r, p: p, nodes: make([]nodeValues, len(p.nodes)), accs: make([]accValues, len(p.accs)), tables: make([]tableValues, len(p.tables)),
		totals: make([]pattern.Count128, len(p.outs))}
	for i := range w.accs {
		if err := r.charge(12 * (n + 1)); err != nil {
			return nil, err
		}
		w.accs[i].array, w.accs[i].memory = hugepages.Make[uint64](n), hugepages.Make[csr.VertexID](n+1)
	}
	for i := range w.nodes {
		if p.nodes[i].dense {
			if err := r.charge(8 * n); err != nil {
				return nil, err
			}
			w.nodes[i].ownArray = hugepages.Make[uint64](n)
		}
	}
	return w, nil
}

// pivot computes the numbers for one value of the pivot.
func (w *worker) pivot(v csr.VertexID) error {
	w.at = v
	if w.p.second == nil {
		return w.round(1)
	}
	lo, hi := w.p.second.list(v)
	for i := lo; i < hi && !w.stop.Load(); i++ {
		weight := uint64(1)
		if w.p.second.weights != nil {
			weight = w.p.second.weights[i]
		}
		w.mate = w.p.second.targets[i]
		if err := w.round(weight); err != nil {
			return err
		}
	}
	return nil
}

// round computes the numbers for one value of each pivot.
func (w *worker) round(weight uint64) error {
	w.clock++
	for _, i := range w.outs {
		o := w.p.outs[i]
		total, err := pattern.Count(o.own.at(w.at)).Mul(weight)
		if err == nil && o.mate != nil {
			total, err = total.Mul(o.mate.at(w.mate))
		}
		for _, root := range o.roots {
			if err != nil || total == (pattern.Count128{}) {
				break
			}
			if err = w.evaluate(root); err == nil {
				total, err = total.Mul(w.nodes[root].sum)
			}
		}
		if err == nil {
			w.totals[i], err = w.totals[i].Add(total)
		}
		if o.keep && err == nil {
			sum, carry := bits.Add64(o.each[w.at], total.Lo, 0)
			if o.each[w.at] = sum; carry != 0 || total.Hi != 0 {
				err = pattern.ErrOverflow
			}
		}
		if err != nil {
			return err
		}
	}
	w.clear()
	return nil
}

// clear resets all arrays to 0.
func (w *worker) clear() {
	for i := range w.accs {
		if a := &w.accs[i]; a.clock == w.clock {
			for _, v := range a.nonzero {
				a.array[v] = 0
			}
		}
	}
	for i := range w.nodes {
		if n := &w.nodes[i]; n.clock == w.clock && w.p.nodes[i].dense && n.ownsArray() {
			for _, v := range n.list {
				n.array[v] = 0
			}
		}
	}
}

func (n *nodeValues) ownsArray() bool {
	return len(n.array) > 0 && len(n.ownArray) > 0 && &n.array[0] == &n.ownArray[0]
}

// evaluate computes a node's numbers.
func (w *worker) evaluate(i int) error {
	n, x := w.p.nodes[i], &w.nodes[i]
	if x.clock == w.clock {
		return nil
	}
	x.clock, x.nums, x.array, x.sum, x.list = w.clock, nil, nil, 0, nil
	feeds := n.feeds
	var weights []uint64
	if n.held() {
		var err error
		if weights, err = w.hold(n, x); err != nil {
			return err
		}
	} else {
		a, err := w.accumulate(feeds[0].acc)
		if err != nil {
			return err
		}
		x.list = a.nonzero
		if len(feeds) == 1 && n.own == nil {
			x.array, x.sum = a.array, a.sum
			return nil
		}
	}
	if len(x.list) == 0 {
		return nil
	}
	if len(feeds) > 0 || n.own != nil {
		if err := w.combine(n, x, weights); err != nil {
			return err
		}
	} else if x.nums = weights; weights == nil {
		x.sum = uint64(len(x.list))
	} else if err := w.total(x); err != nil {
		return err
	}
	if n.dense {
		x.array = x.ownArray
		for k, v := range x.list {
			x.array[v] = x.num(k)
		}
	}
	return nil
}

// hold sets the list of a node that is adjacent to a pivot, and returns the weights in it.
func (w *worker) hold(n *nodePlan, x *nodeValues) (weights []uint64, err error) {
	rows, v := n.rows, w.at
	if rows == nil {
		rows, v = n.also, w.mate
	}
	lo, hi := rows.list(v)
	if x.list = rows.targets[lo:hi]; rows.weights != nil {
		weights = rows.weights[lo:hi]
	}
	if n.rows == nil || n.also == nil {
		return weights, nil
	}
	lo, hi = n.also.list(w.mate)
	other := n.also.targets[lo:hi]
	weighs := n.rows.weights != nil || n.also.weights != nil
	if size := min(len(x.list), len(other)); cap(x.common) < size {
		size = max(size, 2*cap(x.common))
		bytes := 4
		if weighs {
			bytes = 12
			x.products = make([]uint64, 0, size)
		}
		if err := w.charge(bytes * (size - cap(x.common))); err != nil {
			return nil, err
		}
		x.common = make([]csr.VertexID, 0, size)
	}
	x.common = sets.Intersect(x.common[:0], x.list, other)
	list := x.list
	if x.list = x.common; !weighs {
		return nil, nil
	}
	x.products = x.products[:len(x.common)]
	for i := range x.products {
		x.products[i] = 1
	}
	over := multiplyCommon(x.products, x.common, list, weights)
	if n.also.weights != nil {
		over |= multiplyCommon(x.products, x.common, other, n.also.weights[lo:hi])
	}
	if over != 0 {
		return nil, pattern.ErrOverflow
	}
	return x.products, nil
}

// multiplyCommon multiplies the product of each common vertex, all of which are in list, by its weight there; nil: all weigh 1.
func multiplyCommon(products []uint64, common, list []csr.VertexID, weights []uint64) (over uint64) {
	if weights == nil {
		return 0
	}
	at := 0
	for i, v := range common {
		for list[at] != v {
			at++
		}
		products[i], over = times(products[i], weights[at], over)
	}
	return over
}

func (x *nodeValues) num(k int) uint64 {
	if x.nums == nil {
		return 1
	}
	return x.nums[k]
}

// total adds up the numbers.
func (w *worker) total(x *nodeValues) error {
	sum, over := uint64(0), uint64(0)
	if x.nums != nil {
		for _, n := range x.nums {
			var carry uint64
			sum, carry = bits.Add64(sum, n, 0)
			over |= carry
		}
	} else {
		for _, v := range x.list {
			var carry uint64
			sum, carry = bits.Add64(sum, x.array[v], 0)
			over |= carry
		}
	}
	if x.sum = sum; over != 0 {
		return pattern.ErrOverflow
	}
	return nil
}

// combine multiplies the factors of each of the node's values, and drops values without matches.
func (w *worker) combine(n *nodePlan, x *nodeValues, weights []uint64) error {
	for i := range n.feeds {
		if some, err := w.bring(&n.feeds[i], x.list); err != nil {
			return err
		} else if !some {
			x.list = nil
			return nil
		}
	}
	if cap(x.ownNums) < len(x.list) {
		size := max(len(x.list), 2*cap(x.ownNums))
		if err := w.charge(12 * (size - cap(x.ownNums))); err != nil {
			return err
		}
		x.ownNums, x.ownList = make([]uint64, size), make([]csr.VertexID, size)
	}
	k, over := 0, uint64(0)
	for i, v := range x.list {
		num := uint64(1)
		if weights != nil {
			num = weights[i]
		}
		if n.own != nil {
			num, over = times(num, n.own.at(v), over)
		}
		for j := range n.feeds {
			if num == 0 {
				break
			}
			f := &n.feeds[j]
			switch {
			case f.acc >= 0:
				num, over = times(num, w.accs[f.acc].array[v], over)
			case f.table >= 0:
				num, over = times(num, w.tables[f.table].nums[i], over)
			default:
				num, over = times(num, w.along(f, v), over)
			}
		}
		if num > 0 {
			x.ownList[k], x.ownNums[k] = v, num
			k++
		}
		if i&255 == 0 && w.stop.Load() {
			break
		}
	}
	if x.list, x.nums = x.ownList[:k], x.ownNums[:k]; over != 0 {
		return pattern.ErrOverflow
	}
	return w.total(x)
}

// bring computes the contribution of f to the values in list. some is false if there is none.
func (w *worker) bring(f *feedPlan, list []csr.VertexID) (some bool, err error) {
	if f.acc >= 0 {
		a, err := w.accumulate(f.acc)
		return len(a.nonzero) > 0, err
	}
	if err := w.evaluate(f.child); err != nil {
		return false, err
	}
	sum := w.nodes[f.child].sum
	if hi, _ := bits.Mul64(sum, f.rows.heaviest); hi != 0 {
		return false, pattern.ErrOverflow
	}
	if sum == 0 || f.table < 0 {
		return sum > 0, nil
	}
	t := &w.tables[f.table]
	if t.clock == w.clock {
		return true, nil
	}
	if t.clock = w.clock; cap(t.nums) < len(list) {
		size := max(len(list), 2*cap(t.nums))
		if err := w.charge(8 * (size - cap(t.nums))); err != nil {
			return false, err
		}
		t.nums = hugepages.Make[uint64](size)
	}
	t.nums = t.nums[:len(list)]
	for i, v := range list {
		t.nums[i] = w.along(f, v)
		if i&255 == 0 && w.stop.Load() {
			break
		}
	}
	return true, nil
}

// times multiplies a and b, and adds the overflow to over.
func times(a, b, over uint64) (product, _ uint64) {
	hi, lo := bits.Mul64(a, b)
	return lo, over | hi
}

// along adds up the child's numbers over the list of v. The sum fits: combine has checked.
func (w *worker) along(f *feedPlan, v csr.VertexID) uint64 {
	lo, hi := f.rows.list(v)
	array, sum := w.nodes[f.child].array, uint64(0)
	targets := f.rows.targets[lo:hi]
	if f.rows.weights == nil {
		for _, t := range targets {
			sum += array[t]
		}
		return sum
	}
	weights := f.rows.weights[lo:hi]
	for i, t := range targets {
		sum += array[t] * weights[i]
	}
	return sum
}

// accumulate adds a node's numbers up along rows.
func (w *worker) accumulate(i int) (*accValues, error) {
	a, x := w.p.accs[i], &w.accs[i]
	if x.clock == w.clock {
		return x, nil
	}
	x.nonzero, x.sum = nil, 0
	if err := w.evaluate(a.child); err != nil {
		return x, err
	}
	x.clock = w.clock
	c := &w.nodes[a.child]
	if hi, _ := bits.Mul64(c.sum, a.rows.heaviest); hi != 0 {
		return x, pattern.ErrOverflow
	}
	array, memory, k, over := x.array, x.memory, 0, uint64(0)
	for j, v := range c.list {
		lo, hi := a.rows.list(v)
		num := uint64(1)
		if c.nums != nil {
			num = c.nums[j]
		} else if c.array != nil {
			num = c.array[v]
		}
		length, carry := hi-lo, uint64(0)
		if a.rows.weights != nil {
			k = addWeighted(array, memory, k, a.rows.targets[lo:hi], a.rows.weights[lo:hi], num)
			length = a.rows.lengths[v-a.rows.lo]
		} else {
			k = addAll(array, memory, k, a.rows.targets[lo:hi], num)
		}
		length, over = times(num, length, over)
		x.sum, carry = bits.Add64(x.sum, length, 0)
		over |= carry
		if j&255 == 0 && w.stop.Load() {
			break
		}
	}
	if x.nonzero = memory[:k]; over != 0 {
		return x, pattern.ErrOverflow
	}
	return x, nil
}

// addAll adds num, which is not 0, to the targets' numbers and appends targets that were 0 to touched.
func addAll(array []uint64, touched []csr.VertexID, k int, targets []csr.VertexID, num uint64) int {
	for _, t := range targets {
		touched[k] = t
		old := array[t]
		if array[t] = old + num; old == 0 {
			k++
		}
	}
	return k
}

func addWeighted(array []uint64, touched []csr.VertexID, k int, targets []csr.VertexID, weights []uint64, num uint64) int {
	for i, t := range targets {
		touched[k] = t
		old := array[t]
		if array[t] = old + num*weights[i]; old == 0 {
			k++
		}
	}
	return k
}
