package hom

import (
	"math/bits"
	"slices"
	"sync/atomic"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/hugepages"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/parallel"
)

// Cycles of four by ordered wedges. A wedge leads from a top u by a vertex v to an opposite vertex w. Input: lists by rank, the same from
// both ends of a pair, without pairs of a vertex and itself. What makes it fast: v and w rank below u, so that a list of many
// elements is read for few tops. The wedges visited are at most the sum, over all edges, of the smaller degree. The plain sum around
// each vertex reads the sum of the squares of the degrees. A worker clears only the numbers that it has touched.
//
// Source: Chiba and Nishizeki, "Arboricity and subgraph listing algorithms" (1985).

// cycleChunk is how many tops a worker takes at a time.
const cycleChunk = 16

// armLists are the lists of an arm.
type armLists struct {
	first, second *lists
	own           *weightPlan
	heaviest      uint64 // pair of the second lists
}

// lists returns the lists of an arm.
func (a *cycleArm) lists() armLists {
	return armLists{a.first.byRank, a.second.byRank, a.own, a.second.heaviest}
}

// cycleWorker counts the cycles of one pass at some tops.
type cycleWorker struct {
	*execution
	p      *cyclePass
	passes []cyclePass // that share the first arm, p first
	ranks  *ranking
	arms   [2]armLists
	seen   []uint32 // by rank: the wedges of the first arm that end there, if all of them weigh 1
	nums   [2][]uint64
	ends   []csr.VertexID // where wedges end
	each   []uint64       // by vertex: the number at the root's values; nil if only the total counts
	total  pattern.Count128
	over   uint64
}

// cycle computes the numbers of o.
func (r *execution) cycle(o *outputPlan) error {
	for i := range o.cycle.spans {
		for side := range 2 {
			if _, err := r.ranked(o.cycle.spans[i][side], o.cycle.spans[i][1-side]); err != nil {
				return err
			}
		}
	}
	for i := range o.cycle.passes {
		p := &o.cycle.passes[i]
		for _, w := range []*weightPlan{p.top, p.opposite, p.arms[0].own, p.arms[1].own} {
			if err := r.ready(w); err != nil {
				return err
			}
		}
	}
	for _, passes := range o.cycle.together(o.keep) {
		if err := r.cyclePasses(o, passes); err != nil {
			return err
		}
	}
	r.env.Took(pattern.OrderedWedges, 1)
	return nil
}

// together lists the passes, those in one list that share their first arm: they add its wedges up once for all of them.
func (c *cyclePlan) together(keep bool) (lists [][]cyclePass) {
	for i := range c.passes {
		p := c.passes[i]
		if keep || p.alike() {
			lists = append(lists, []cyclePass{p})
			continue
		}
		if !p.arms[0].unit() && p.arms[1].unit() {
			p.arms[0], p.arms[1] = p.arms[1], p.arms[0]
		}
		k := slices.IndexFunc(lists, func(l []cyclePass) bool {
			return !l[0].alike() && l[0].set == p.set && l[0].arms[0].key == p.arms[0].key
		})
		if k < 0 {
			k, lists = len(lists), append(lists, nil)
		}
		lists[k] = append(lists[k], p)
	}
	return lists
}

// unit reports whether all wedges of an arm weigh 1.
func (a *cycleArm) unit() bool {
	return a.first.byRank.weights == nil && a.second.byRank.weights == nil && a.own.each == nil
}

// cyclePasses adds the numbers of some passes to those of o.
func (r *execution) cyclePasses(o *outputPlan, passes []cyclePass) error {
	p := &passes[0]
	from, n := 0, int(r.s.N())
	if r.divides() && !o.keep {
		from, n = min(n, int(r.portion.lo)), min(n, int(r.portion.hi))
	}
	before := r.charges.Load()
	defer func() { r.scratch += r.charges.Load() - before }()
	workers := max(1, min(r.env.Workers, (n-from)/minPivots))
	ws := make([]*cycleWorker, workers)
	for i := range ws {
		var err error
		if ws[i], err = r.newCycleWorker(o, passes, i); err != nil {
			return err
		}
	}
	mayEnd, halt, taken, chunk := !o.keep && r.portion.mayEnd(), &r.stop, atomic.Int64{}, cycleChunk
	if mayEnd {
		halt, chunk = new(atomic.Bool), 1
	}
	parallel.For(workers, n-from, chunk, halt, func(worker, lo, hi int) {
		w := ws[worker]
		for u := from + lo; u < from+hi && w.over == 0 && !r.stop.Load(); u++ {
			if r.in(p.set, r.ranks.at(csr.VertexID(u))) {
				w.top(csr.VertexID(u))
			}
		}
		if next := from + int(taken.Add(int64(hi-lo))); mayEnd && (r.stop.Load() || r.late.Load() && csr.VertexID(next) >= r.portion.least) {
			halt.Store(true)
		}
	})
	if mayEnd && n > from { // tops are taken in order, and each that is taken is done
		next := csr.VertexID(from + int(taken.Load()))
		r.portion.end(next-1, next)
	}
	if err := r.ctx.Err(); err != nil {
		return err
	}
	for i, w := range ws {
		var err error
		if o.total, err = o.total.Add(w.total); err != nil || w.over != 0 {
			return pattern.ErrOverflow
		}
		if i > 0 && o.keep {
			for v, n := range w.each {
				sum, carry := bits.Add64(o.each[v], n, 0)
				if o.each[v] = sum; carry != 0 {
					return pattern.ErrOverflow
				}
			}
		}
	}
	return nil
}

// newCycleWorker returns a worker. The first one writes to the numbers of o itself.
func (r *execution) newCycleWorker(o *outputPlan, passes []cyclePass, number int) (*cycleWorker, error) {
	n := int(r.s.N())
	w := &cycleWorker{execution: r, p: &passes[0], ranks: r.ranks, passes: passes}
	for i := range w.arms {
		w.arms[i] = w.p.arms[i].lists()
	}
	if o.keep {
		w.each = o.each
	}
	if number > 0 && o.keep {
		if err := r.charge(8 * n); err != nil {
			return nil, err
		}
		w.each = hugepages.Make[uint64](n)
	}
	a, light := r.cycleArrays(number), w.light()
	if err := r.charge(a.missing(n, light)); err != nil {
		return nil, err
	}
	a.make(n, light)
	if w.ends = a.ends; light {
		w.seen = a.seen
	} else {
		w.nums = a.nums
	}
	return w, nil
}

// cycleArrays are what a worker writes to. All numbers are 0 between tops. A run that fails in the midst of a top ends its counter.
type cycleArrays struct {
	ends []csr.VertexID
	seen []uint32
	nums [2][]uint64
}

// cycleArrays returns the arrays of a worker. Those of a portion are kept for the next one.
func (r *execution) cycleArrays(number int) *cycleArrays {
	if !r.divides() {
		return new(cycleArrays)
	}
	for len(r.portion.cycles) <= number {
		r.portion.cycles = append(r.portion.cycles, new(cycleArrays))
	}
	return r.portion.cycles[number]
}

// missing returns the bytes that make takes.
func (a *cycleArrays) missing(n int, light bool) (bytes int) {
	if a.ends == nil {
		bytes = 4 * n
	}
	if light && a.seen == nil {
		bytes += 4 * n
	}
	if !light && a.nums[0] == nil {
		bytes += 16 * n
	}
	return bytes
}

// make makes the arrays that are missing for n vertices.
func (a *cycleArrays) make(n int, light bool) {
	if a.ends == nil {
		a.ends = hugepages.Make[csr.VertexID](n + 1)
	}
	if light && a.seen == nil {
		a.seen = hugepages.Make[uint32](n)
	}
	if !light && a.nums[0] == nil {
		a.nums = [2][]uint64{hugepages.Make[uint64](n), hugepages.Make[uint64](n)}
	}
}

// light reports whether 32 bits hold the numbers of the first arm. There are as many wedges to one end as neighbours.
func (w *cycleWorker) light() bool {
	if !w.p.alike() {
		return w.each == nil && w.p.arms[0].unit()
	}
	return w.p.arms[0].unit() && w.p.top.each == nil && w.p.opposite.each == nil
}

// top counts the cycles whose top is u.
func (w *cycleWorker) top(u csr.VertexID) {
	switch {
	case w.each == nil && !w.p.alike() && w.seen != nil:
		stream(w, w.seen, u)
	case w.each == nil && !w.p.alike():
		stream(w, w.nums[0], u)
	case w.seen == nil:
		w.weighTop(u)
	case w.each == nil:
		w.countTop(u)
	default:
		w.creditTop(u)
	}
}

// below returns the end of a list that ranks below u.
func (l *lists) below(v, u csr.VertexID) []csr.VertexID {
	lo, hi := l.bounds(v)
	k := hi
	for k > lo && l.targets[k-1] > u {
		k--
	}
	return l.targets[k:hi]
}

// countTop adds the homomorphisms at u to the total. Where c wedges end, there are c*c: twice the pairs of different wedges, and c.
func (w *cycleWorker) countTop(u csr.VertexID) {
	first, second, seen := w.arms[0].first, w.arms[0].second, w.seen
	ends, k := w.ends, 0
	pairs, wedges, back := uint64(0), uint64(0), uint64(0)
	lo, hi := first.bounds(u)
	for i := hi; i > lo && first.targets[i-1] > u; i-- {
		from, to := second.bounds(first.targets[i-1])
		list := second.targets[from:to]
		j := len(list) - 1
		sum := uint64(0) // at most the product of two degrees
		for ; j >= 0; j-- {
			x := list[j]
			if x <= u {
				break
			}
			c := seen[x]
			sum += uint64(c)
			seen[x] = c + 1
			ends[k] = x
			if c == 0 {
				k++
			}
		}
		if j >= 0 && list[j] == u {
			back++
		}
		wedges += uint64(len(list) - 1 - j)
		var carry uint64
		pairs, carry = bits.Add64(pairs, sum, 0)
		w.over |= carry
	}
	for _, x := range ends[:k] {
		seen[x] = 0
	}
	strict, err := pattern.Count(pairs).Mul(2)
	if err == nil {
		strict, err = strict.Add(pattern.Count(wedges))
	}
	if err == nil {
		strict, err = strict.Mul(w.p.strict.all)
	}
	if err != nil {
		w.over = 1
		return
	}
	w.addTotal(strict)
	hi128, lo128 := bits.Mul64(back, back)
	tied, err := pattern.Count128{Hi: hi128, Lo: lo128}.Mul(w.p.tied.all)
	if err != nil {
		w.over = 1
		return
	}
	w.addTotal(tied)
}

func (w *cycleWorker) addTotal(n pattern.Count128) {
	total, err := w.total.Add(n)
	if w.total = total; err != nil {
		w.over = 1
	}
}

// credit adds times*n to the number of the vertex of a rank.
func (w *cycleWorker) credit(rank csr.VertexID, n, times uint64) {
	hi, lo := bits.Mul64(n, times)
	at := &w.each[w.ranks.at(rank)]
	sum, carry := bits.Add64(*at, lo, 0)
	*at = sum
	w.over |= hi | carry
}

// creditTop adds the homomorphisms at u to the numbers of the root's values.
func (w *cycleWorker) creditTop(u csr.VertexID) {
	first, second, seen := w.arms[0].first, w.arms[0].second, w.seen
	ends, k := w.ends, 0
	back := uint64(0)
	middle := first.below(u, u)
	for _, v := range middle {
		from, to := second.bounds(v)
		list := second.targets[from:to]
		j := len(list) - 1
		for ; j >= 0; j-- {
			x := list[j]
			if x <= u {
				break
			}
			c := seen[x]
			seen[x] = c + 1
			ends[k] = x
			if c == 0 {
				k++
			}
		}
		if j >= 0 && list[j] == u {
			back++
		}
	}
	strict, tied := &w.p.strict, &w.p.tied
	if arms := strict.arms[0] + strict.arms[1]; arms > 0 {
		tiedArms := tied.arms[0] + tied.arms[1]
		for _, v := range middle {
			from, to := second.bounds(v)
			list := second.targets[from:to]
			j, sum := len(list)-1, uint64(0)
			for ; j >= 0; j-- {
				x := list[j]
				if x <= u {
					break
				}
				sum += uint64(seen[x])
			}
			w.credit(v, sum, arms)
			if j >= 0 && list[j] == u {
				w.credit(v, back, tiedArms)
			}
		}
	}
	sum := uint64(0)
	for _, x := range ends[:k] {
		c := uint64(seen[x])
		seen[x] = 0
		var carry uint64
		sum, carry = bits.Add64(sum, c*c, 0)
		w.over |= carry
		w.credit(x, c*c, strict.opposite)
	}
	w.credit(u, sum, strict.top)
	w.credit(u, back*back, tied.top+tied.opposite)
}
