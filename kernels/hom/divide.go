package hom

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math/bits"
	"slices"
	"strings"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/cyclic"
	"github.com/motifql/motif/kernels/triangle"
)

// Counting in portions. A number is a sum over the values of a pivot, so ranges of these values can be counted one by one, even in several
// processes: the numbers of disjoint ranges add up. A portion keeps the lists and weights that every pivot needs for the next one.
//
// What is no such sum is counted by the portion of value 0 alone: all graphs if one of them has several components, whose numbers are multiplied.
// The cyclic graphs of package cyclic come first, then sums over supports. They take most of the time, and so decide where a portion ends.
// Triangles come last: package triangle does not end early.

// portion is the values [lo, hi) of the pivots that are counted; of a cycle of four, the ranks of its top.
type portion struct {
	lo, hi csr.VertexID
	until  time.Time    // when the portion should end early; zero: never
	least  csr.VertexID // some number is counted for all values before it: the portion cannot end earlier
	held   int64        // bytes of lists, weights and workers' arrays that are kept

	fresh bool // nothing has been counted or adopted
	roots bool // the values are those of roots
	ready bool // what all values of the roots need has been computed

	workers map[*passPlan]*worker
	cycles  []*cycleArrays    // of the workers of cycles
	fans    []*pattern.Clique // the triangles of totals
	sums    []*supportSums
	cyclic  map[int]*cyclic.Portions
}

// Divide limits the next Count to the values [lo, hi) of the pivots, or the ranks of the tops of cycles. At until, unless that is zero, it
// ends at another place, after one value at least, and Counted tells where. The first loop through the values decides that, so the others
// may go on for a while. A Counter with rooted graphs has DivideRoots instead.
func (h *Counter) Divide(lo, hi csr.VertexID, until time.Time) {
	if h.portion == nil {
		h.portion = &portion{fresh: true, sums: findSupportSums(h)}
	}
	h.portion.lo, h.portion.hi, h.portion.until, h.portion.least = lo, hi, until, 0
}

// Counted returns the end of the values that the last Count of a divided Counter went through.
func Counted(h *Counter) csr.VertexID { return h.portion.hi }

// lateAt sets r.late at until, unless that is zero. The returned function must be called.
func lateAt(r *execution, until time.Time) (stop func() bool) {
	if until.IsZero() {
		return func() bool { return true }
	}
	return time.AfterFunc(time.Until(until), func() { r.late.Store(true) }).Stop
}

// mayEnd reports whether a loop that is divided may end the portion early; a nil one is no portion.
func (p *portion) mayEnd() bool { return p != nil && !p.roots && !p.until.IsZero() }

// end notes that a loop ended before the value next. last is the last value that it has counted.
func (p *portion) end(last, next csr.VertexID) {
	p.hi, p.least = min(p.hi, next), max(p.least, last+1)
}

// Describe names what a counter goes through, in order, and its sets, by their hashes. Counters with equal texts have the same portions.
func Describe(h *Counter) string {
	var b strings.Builder
	for _, p := range h.inOrder() {
		fmt.Fprintf(&b, "pass %q:", p.key)
		for _, o := range p.outs {
			for key, x := range p.outOf {
				if x == o {
					fmt.Fprintf(&b, " %q", key)
				}
			}
			if o.cycle != nil {
				b.WriteString(" cycle")
			}
		}
	}
	keys := make([]string, len(h.slots))
	for key, i := range h.slotOf {
		keys[i] = key
	}
	fmt.Fprintf(&b, " slots %q graphs %v sets", keys, h.graphs)
	for _, set := range h.sets {
		if b.WriteByte(' '); set == nil {
			b.WriteString("all")
			continue
		}
		sum := fnv.New64a()
		_ = binary.Write(sum, binary.LittleEndian, set.Bits()) // a hash takes all
		fmt.Fprintf(&b, "%d:%x", set.Len(), sum.Sum64())
	}
	return b.String()
}

// divides reports whether the run counts a portion of the pivots' values.
func (r *execution) divides() bool { return r.portion != nil && !r.portion.roots }

// first reports whether the run counts what cannot be divided.
func (r *execution) first() bool { return !r.divides() || r.portion.lo == 0 && r.portion.hi > 0 }

// divisible reports whether each graph is one number.
func divisible(h *Counter) bool {
	return !slices.ContainsFunc(h.graphs, func(slots []int) bool { return len(slots) != 1 })
}

// arrays reports whether a number comes from the arrays around the pivots of its pass. Numbers that do are found together.
func (o *outputPlan) arrays() bool { return o.fan == nil && o.cycle == nil }

// kept reports whether some number from the arrays of a pass is needed by value. Then the pass goes through all values.
func (p *passPlan) kept() bool {
	return slices.ContainsFunc(p.outs, func(o *outputPlan) bool { return o.keep && o.arrays() })
}

// whole reports whether a number of the pass is not divided: it is needed by value, or with one that is.
func (p *passPlan) whole(o *outputPlan) bool { return o.keep || o.arrays() && p.kept() }

// skips reports whether a portion need not find a number of the pass: it is known, or belongs to the first portion. The last numbers of
// roots are found in their portions.
func (r *execution) skips(p *passPlan, o *outputPlan) bool {
	if r.portion.byRoot() {
		return o.last != r.portion.ready || o.done
	}
	return r.divides() && p.whole(o) && (o.done || !r.first() && !o.keep && !(o.arrays() && p.kept()))
}

// totalOf returns the total of o in the portion. A number that is not divided belongs to the first one.
func (r *execution) totalOf(o *outputPlan) pattern.Count128 {
	if r.divides() && !r.first() && slices.ContainsFunc(r.passes, func(p *passPlan) bool { return slices.Contains(p.outs, o) && p.whole(o) }) {
		return pattern.Count128{}
	}
	return o.total
}

// pivotRange returns the part of the values list, or of [0, n) if list is nil, that the pass counts.
func (r *execution) pivotRange(p *passPlan, list []csr.VertexID, n int) (part []csr.VertexID, from, to int) {
	if !r.portion.lasts(p) && (!r.divides() || p.kept()) {
		return list, 0, n
	}
	lo, hi := r.portion.lo, r.portion.hi
	if list == nil {
		return nil, min(n, int(lo)), min(n, int(hi))
	}
	from, _ = slices.BinarySearch(list, lo)
	to, _ = slices.BinarySearch(list, hi)
	return list, from, to
}

// portionTotal adds up the weights of the portion. Vertices outside of the set weigh nothing.
func (r *execution) portionTotal(w *weightPlan) (total pattern.Count128) {
	set := r.sets[w.set]
	for v := r.portion.lo; v < r.portion.hi; v++ {
		if set != nil && !set.Has(v) {
			continue
		}
		var carry uint64
		total.Lo, carry = bits.Add64(total.Lo, w.at(v), 0)
		total.Hi += carry
	}
	return total
}

// fanPortions counts the triangles of totals whose last vertex has one of the portion's numbers for its rank.
func fanPortions(r *execution) error {
	if !r.divides() {
		return nil
	}
	for _, p := range r.inOrder() {
		for _, o := range p.outs {
			if o.fan == nil || o.keep {
				continue
			}
			c := r.portion.fan(*o.fan)
			c.Ranks = &pattern.RankRange{Lo: uint64(r.portion.lo), Hi: uint64(r.portion.hi)}
			if err := countFan(r, o, c); err != nil {
				return err
			}
		}
	}
	return nil
}

// fan returns the request for triangles over types, which keeps their graph.
func (p *portion) fan(types csr.TypeSet) *pattern.Clique {
	for _, c := range p.fans {
		if (c.Types == nil) == (types == nil) && slices.Equal(c.Types, types) {
			return c
		}
	}
	c := &pattern.Clique{K: 3, Types: types, Sets: []*pattern.CandidateSet{nil}, Sizes: []int{3}}
	p.fans = append(p.fans, c)
	return c
}

// countFan sets the total of o to the part that the ranks of c have.
func countFan(r *execution, o *outputPlan, c *pattern.Clique) (err error) {
	if o.own.each == nil {
		n, err := triangle.CountRanks(r.ctx, r.s, c, r.env)
		if err == nil {
			o.total, err = pattern.Count(n).Mul(6)
		}
		return err
	}
	n, err := triangle.WeighRanks(r.ctx, r.s, c, o.own.each, r.env)
	if err == nil {
		o.total, err = n.Mul(2)
	}
	return err
}

// hold charges what earlier portions have kept.
func (r *execution) hold() error {
	if r.portion == nil || r.portion.held == 0 {
		return nil
	}
	return r.charge(int(r.portion.held))
}

// keptWorker returns the worker of the portion before, whose arrays are 0 again, or a new one. An array has a number for each vertex of the
// graph, so making it may cost more than a portion. A run that fails ends the counter, so arrays that it leaves are never used.
func keptWorker(r *execution, p *passPlan) (*worker, error) {
	if w := r.portion.workers[p]; w != nil {
		w.execution = r
		clear(w.totals)
		return w, nil
	}
	w, err := newWorker(r, p)
	if err != nil {
		return nil, err
	}
	if r.portion.workers == nil {
		r.portion.workers = map[*passPlan]*worker{}
	}
	r.portion.workers[p] = w
	return w, nil
}

// keep notes what the run keeps for the next portion: all that it has charged but the scratch of workers.
func (r *execution) keep() {
	if r.portion != nil {
		r.portion.held = r.charges.Load() - r.scratch
	}
}
