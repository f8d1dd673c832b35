package hom

import (
	"math"
	"math/bits"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/hugepages"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/parallel"
)

// Supports of edges. A vertex with two neighbours that are joined to each other is a tip: its number of values, summed for each pair of
// the two, becomes a weight of the pair. Without labels that is the pair's number of triangles. Diamonds, books and fans lose all their
// cycles this way, and a house becomes a cycle of four. Input: rows whose targets are listed, and the lists from both ends to the tip. What
// makes it fast: one list is marked for all its vertex's pairs, and of the two lists of a pair only the shorter one is read.

// tip is a vertex that has become a weight of a pair. It is seen from the vertex that has the list of the pair.
type tip struct {
	key       string
	near, far *rowsPlan // from the vertex that has the list, and from its neighbour, to the tip
	own       *weightPlan
	mirror    bool // each pair is listed from both ends
	equal     bool // and its number is the same from both
}

// supportCost is the cost of looking a list element up among marks, relative to summing one up.
const supportCost = 1.0

// bear makes the tips weights of the pairs.
func (r *rowsPlan) bear(tips []tip) {
	r.tips = tips
	for i := range tips {
		t := &tips[i]
		r.stage = max(r.stage, t.near.stage, t.far.stage, t.own.stage)
		_, looks := t.near.factors[0].view.RankedWork()
		_, more := t.far.factors[0].view.RankedWork()
		share := r.edges / max(1, float64(t.near.factors[0].view.Len()))
		r.tipPrice += supportCost * ((looks+more)/2*min(1, share) + r.edges)
	}
}

// dropTip turns a tip into a weight if that costs less than the arrays around pivots that count it otherwise.
func (x *shape) dropTip(left []int) bool {
	if x.h.without.Has(pattern.EdgeSupports) {
		return false
	}
	best, cheapest := -1, math.Inf(1)
	for _, y := range left {
		ws := x.near(y)
		if y == x.root || len(ws) != 2 || len(x.pairs[ws[0]][ws[1]]) == 0 || !x.reducible(y) {
			continue
		}
		if cheapest == math.Inf(1) {
			if cheapest = x.otherwise(left); !x.long(left, cheapest*tipGain) {
				return false
			}
		}
		undo := x.bendTip(y, ws[0], ws[1])
		rows := x.rows(ws[0], ws[1])
		price := rows.price(x.h) + x.rows(ws[0], y).price(x.h) + x.rows(ws[1], y).price(x.h)
		if undo(); price < cheapest*tipGain {
			best, cheapest = y, price
		}
	}
	if best < 0 {
		return false
	}
	ws := x.near(best)
	x.bendTip(best, ws[0], ws[1])
	x.alive[best] = false
	return true
}

// long reports whether a count of the given cost is worth a walk over all edges, as csr.Adjacency.RankedWork takes.
func (x *shape) long(vs []int, cost float64) bool {
	for i, v := range vs {
		for _, w := range vs[:i] {
			if len(x.pairs[v][w]) == 0 {
				continue
			}
			for _, f := range x.rows(v, w).factors {
				if cost < float64(f.view.Len()) {
					return false
				}
			}
		}
	}
	return true
}

// bendTip makes y a weight of v and w.
func (x *shape) bendTip(y, v, w int) (undo func()) {
	own, near, far := x.own(y), x.rows(v, y), x.rows(w, y)
	mirror := x.rows(v, w).key == x.rows(w, v).key
	add := func(v, w int, near, far *rowsPlan) (undo func()) {
		old := x.tips[v][w]
		t := tip{"^(" + near.key + own.key + far.key + ")", near, far, own, mirror, mirror && near.key == far.key}
		x.tips[v][w] = append(slices.Clone(old), t)
		slices.SortFunc(x.tips[v][w], func(a, b tip) int { return strings.Compare(a.key, b.key) })
		return func() { x.tips[v][w] = old }
	}
	one, two := add(v, w, near, far), add(w, v, far, near)
	return func() { one(); two() }
}

// otherwise returns the cost of the arrays that count the next part of the live vertices.
func (x *shape) otherwise(left []int) float64 {
	pivots := left
	if x.root >= 0 {
		pivots = []int{x.root}
	}
	cost := func(vs []int, two bool, pivots []int) float64 {
		_, _, cheapest := x.h.cheapestPivots(x, vs, two, pivots)
		for _, p := range pivots {
			if fan, price := x.triangle(vs, p); fan != nil {
				cheapest = min(cheapest, price)
			}
		}
		return cheapest
	}
	if c := cost(left, false, pivots); c < math.Inf(1) {
		return c
	}
	if block, joint := x.leafBlock(left); block != nil {
		return cost(block, false, []int{joint})
	}
	return cost(left, true, pivots)
}

// reducible reports whether vertices with one neighbour and tips, y first, can be taken away until one pivot is on all cycles of the
// rest.
func (x *shape) reducible(y int) bool {
	alive := slices.Clone(x.alive)
	defer func() { x.alive = alive }()
	x.alive = slices.Clone(alive)
	x.alive[y] = false
	for again := true; again; {
		again = false
		for _, v := range x.living() {
			ws := x.near(v)
			if v != x.root && (len(ws) == 1 || len(ws) == 2 && len(x.pairs[ws[0]][ws[1]]) > 0) {
				x.alive[v], again = false, true
			}
		}
	}
	left := x.living()
	return slices.ContainsFunc(left, func(p int) bool {
		rest := slices.DeleteFunc(slices.Clone(left), func(v int) bool { return v == p })
		return (x.root < 0 || p == x.root) && x.forest(rest)
	})
}

// stage returns how many stages of passes come before a pass over vs.
func (x *shape) stage(vs []int) (stage int) {
	for i, v := range vs {
		stage = max(stage, x.own(v).stage)
		for _, w := range vs[:i] {
			if len(x.tips[v][w]) > 0 {
				stage = max(stage, x.rows(v, w).stage)
			}
		}
	}
	return stage
}

// support multiplies the weights of the pairs by the numbers of their tips, and drops pairs without any.
func (r *execution) support(rows *rowsPlan) error {
	if err := r.charge(16 * len(rows.targets)); err != nil {
		return err
	}
	numbers := hugepages.Make[uint64](len(rows.targets))
	for i := range rows.tips {
		t := &rows.tips[i]
		if i == 0 || t.key != rows.tips[i-1].key {
			if err := r.number(rows, t, numbers); err != nil {
				return err
			}
		}
		if rows.weights == nil {
			if rows.weights = numbers; len(rows.tips) > 1 {
				numbers = slices.Clone(numbers) // the next tip may have the same
			}
			continue
		}
		over := uint64(0)
		for k, n := range numbers {
			rows.weights[k], over = times(rows.weights[k], n, over)
		}
		if over != 0 {
			return pattern.ErrOverflow
		}
	}
	r.env.Took(pattern.EdgeSupports, 1)
	rows.dropZeros()
	return nil
}

// dropZeros drops the pairs that weigh 0.
func (r *rowsPlan) dropZeros() {
	k, from := 0, uint64(0)
	for i := range r.offsets[1:] {
		to := r.offsets[i+1]
		for ; from < to; from++ {
			if w := r.weights[from]; w > 0 {
				r.targets[k], r.weights[k] = r.targets[from], w
				r.heaviest = max(r.heaviest, w)
				k++
			}
		}
		r.offsets[i+1] = uint64(k)
	}
	r.targets, r.weights = r.targets[:k], r.weights[:k]
}

// supportSweep finds the numbers of pairs by marking the list from one end to the tip and reading the list from the other end.
type supportSweep struct {
	*execution
	rows      *rowsPlan
	near, far *rowsPlan
	own       *weightPlan
	ties      func(v, w csr.VertexID) bool // whether the pair is for this sweep if both lists are equally long
	search    bool                         // a longer list is searched for the elements marked; else the pair is left out
	numbers   []uint64
}

// supportChunk is how many vertices a worker takes at a time.
const supportChunk = 64

func always(_, _ csr.VertexID) bool     { return true }
func never(_, _ csr.VertexID) bool      { return false }
func fromLarger(v, w csr.VertexID) bool { return w <= v }

// number finds the number of t for every pair.
func (r *execution) number(rows *rowsPlan, t *tip, numbers []uint64) error {
	for _, x := range []*rowsPlan{t.near, t.far} {
		if err := r.build(x); err != nil {
			return err
		}
	}
	if err := r.ready(t.own); err != nil {
		return err
	}
	one := supportSweep{execution: r, rows: rows, near: t.near, far: t.far, own: t.own, ties: always, search: !t.mirror, numbers: numbers}
	if t.equal {
		one.ties = fromLarger
	}
	if err := one.run(); err != nil || !t.mirror {
		return err
	}
	back := one
	if !t.equal {
		if err := r.charge(8 * len(numbers)); err != nil {
			return err
		}
		back.near, back.far, back.ties, back.numbers = t.far, t.near, never, hugepages.Make[uint64](len(numbers))
		if err := back.run(); err != nil {
			return err
		}
	}
	return back.mirror(numbers)
}

// run finds the numbers of the pairs of all vertices.
func (p *supportSweep) run() error {
	n := len(p.rows.offsets) - 1
	workers := max(1, min(p.env.Workers, n/minPivots))
	scratch := 8 * workers * int(p.s.N())
	defer giveBack(p.execution, scratch)
	if err := p.charge(scratch); err != nil {
		return err
	}
	marks := make([][]uint64, workers) // by tip: the weight of it and the vertex at hand
	var over atomic.Bool
	parallel.For(workers, n, supportChunk, &p.stop, func(worker, lo, hi int) {
		if marks[worker] == nil {
			marks[worker] = hugepages.Make[uint64](p.s.N())
		}
		for i := lo; i < hi && !p.stop.Load(); i++ {
			if p.vertex(p.rows.lo+csr.VertexID(i), marks[worker]) != 0 {
				over.Store(true)
				return
			}
		}
	})
	if err := p.ctx.Err(); err != nil {
		return err
	}
	if over.Load() {
		return pattern.ErrOverflow
	}
	return nil
}

// takes reports whether the number of v and w is found by reading the list of w. The list of v has length elements.
func (p *supportSweep) takes(v, w csr.VertexID, length uint64) bool {
	lo, hi := p.far.list(w)
	return hi-lo < length || hi-lo == length && p.ties(v, w)
}

// vertex finds the numbers of the pairs of v. over is not 0 if one may not fit.
func (p *supportSweep) vertex(v csr.VertexID, marks []uint64) (over uint64) {
	from, to := p.rows.list(v)
	if from == to {
		return 0
	}
	lo, hi := p.near.list(v)
	over = p.mark(v, marks)
	for i := from; i < to && over == 0; i++ {
		if n, ok := p.numberOf(v, p.rows.targets[i], lo, hi, marks); ok {
			p.numbers[i] = n
		}
	}
	p.unmark(v, marks)
	return over
}

// mark marks the list of v. over is not 0 if the number of a pair of v may not fit.
func (p *supportSweep) mark(v csr.VertexID, marks []uint64) (over uint64) {
	lo, hi := p.near.list(v)
	sum := uint64(0)
	for i := lo; i < hi; i++ {
		y, weight := p.near.targets[i], uint64(1)
		if p.near.weights != nil {
			weight = p.near.weights[i]
		}
		var carry uint64
		marks[y], over = times(weight, p.own.at(y), over)
		sum, carry = bits.Add64(sum, marks[y], 0)
		over |= carry
	}
	most, _ := bits.Mul64(sum, p.far.heaviest) // of a number
	return over | most
}

func (p *supportSweep) unmark(v csr.VertexID, marks []uint64) {
	lo, hi := p.near.list(v)
	for _, y := range p.near.targets[lo:hi] {
		marks[y] = 0
	}
}

// numberOf returns the number of the pair v, z. [lo, hi) are the places of the list of v, which is marked. ok is false if the pair is not for this sweep.
func (p *supportSweep) numberOf(v, z csr.VertexID, lo, hi uint64, marks []uint64) (n uint64, ok bool) {
	switch {
	case p.takes(v, z, hi-lo):
		return p.read(z, marks), true
	case p.search:
		return p.find(p.near.targets[lo:hi], z, marks), true
	}
	return 0, false
}

// read adds the marks up along the list of z.
func (p *supportSweep) read(z csr.VertexID, marks []uint64) (sum uint64) {
	lo, hi := p.far.list(z)
	if p.far.weights == nil {
		for _, y := range p.far.targets[lo:hi] {
			sum += marks[y]
		}
		return sum
	}
	weights := p.far.weights[lo:hi]
	for i, y := range p.far.targets[lo:hi] {
		sum += marks[y] * weights[i]
	}
	return sum
}

// find adds up the marks of ys that are in the list of z, which is longer.
func (p *supportSweep) find(ys []csr.VertexID, z csr.VertexID, marks []uint64) (sum uint64) {
	lo, hi := p.far.list(z)
	for _, y := range ys {
		k, found := slices.BinarySearch(p.far.targets[lo:hi], y)
		if lo += uint64(k); !found {
			continue
		}
		weight := uint64(1)
		if p.far.weights != nil {
			weight = p.far.weights[lo]
		}
		sum += marks[y] * weight
	}
	return sum
}

// mirror copies the numbers that the sweep found from one end of a pair to the other end.
func (p *supportSweep) mirror(numbers []uint64) error {
	rows := p.rows
	if err := p.charge(8 * len(rows.offsets)); err != nil {
		return err
	}
	next := slices.Clone(rows.offsets) // by vertex: where its next smaller neighbour stands, since lists rise
	for k := range rows.offsets[1:] {
		v := rows.lo + csr.VertexID(k)
		lo, hi := p.near.list(v)
		for i := rows.offsets[k]; i < rows.offsets[k+1]; i++ {
			z := rows.targets[i]
			at := &next[z-rows.lo]
			if p.takes(v, z, hi-lo) {
				numbers[*at] = p.numbers[i]
			}
			*at++
		}
	}
	return nil
}
