package hom

import (
	"math/bits"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// Cycles of four with weights, or with two arms that ask for different things. Input and method are those of the plain ones. A bound on
// the sum of all numbers of an array is checked before its numbers are added up; products are checked one by one.

// weighTop adds the homomorphisms at u to the total and to the numbers of the root's values.
func (w *cycleWorker) weighTop(u csr.VertexID) {
	ownTop := w.p.top.at(w.ranks.at(u))
	if ownTop == 0 {
		return
	}
	k, _ := accumulate(w, 0, w.nums[0], u)
	other, ends := w.nums[0], w.ends[:k]
	if k > 0 && w.over == 0 {
		if !w.p.alike() {
			other = w.nums[1]
			w.meet(u)
		}
		w.sum(u, ends, other, ownTop)
		if w.each != nil {
			w.creditArm(0, u, other, ownTop)
			w.creditArm(1, u, w.nums[0], ownTop)
		}
	}
	for _, x := range ends {
		w.nums[0][x], w.nums[1][x] = 0, 0
	}
}

// base is the weight of the step from u to the element i of its list.
func (a *armLists) base(w *cycleWorker, i uint64) uint64 {
	base := uint64(1)
	if a.first.weights != nil {
		base = a.first.weights[i]
	}
	if a.own.each != nil {
		base, w.over = times(base, a.own.at(w.ranks.at(a.first.targets[i])), w.over)
	}
	return base
}

// accumulate adds the wedges of an arm up at their ends. It returns how many ends there are, and a bound on the sum of all numbers.
func accumulate[T uint32 | uint64](w *cycleWorker, arm int, nums []T, u csr.VertexID) (k int, bound uint64) {
	a, ends := &w.arms[arm], w.ends
	lo, hi := a.first.bounds(u)
	for i := hi; i > lo && a.first.targets[i-1] > u; i-- {
		v, base := a.first.targets[i-1], a.base(w, i-1)
		if base == 0 {
			continue
		}
		var most, carry uint64
		most, w.over = times(base, a.second.length(v), w.over)
		bound, carry = bits.Add64(bound, most, 0)
		if w.over |= carry; w.over != 0 {
			return k, bound
		}
		from, to := a.second.bounds(v)
		list := a.second.targets[from:to]
		if a.second.weights == nil {
			for j := len(list) - 1; j >= 0 && list[j] >= u; j-- {
				x := list[j]
				ends[k] = x
				old := nums[x]
				if nums[x] = old + T(base); old == 0 {
					k++
				}
			}
			continue
		}
		weights := a.second.weights[from:to]
		for j := len(list) - 1; j >= 0 && list[j] >= u; j-- {
			x := list[j]
			ends[k] = x
			old := nums[x]
			if nums[x] = old + T(base*weights[j]); old == 0 {
				k++
			}
		}
	}
	return k, bound
}

// stream adds the homomorphisms at u to the total: it adds the first arm's numbers up along the second arms.
func stream[T uint32 | uint64](w *cycleWorker, nums []T, u csr.VertexID) {
	k, bound := accumulate(w, 0, nums, u)
	for i := range w.passes {
		p := &w.passes[i]
		if ownTop := p.top.at(w.ranks.at(u)); k > 0 && w.over == 0 && ownTop > 0 {
			strict, tied := streamed(w, p, nums, u, bound)
			w.addShares(p, strict, tied, ownTop)
		}
	}
	for _, x := range w.ends[:k] {
		nums[x] = 0
	}
}

// streamed returns the sums of the numbers along the second arm of p. All numbers add up to bound at most.
func streamed[T uint32 | uint64](w *cycleWorker, p *cyclePass, nums []T, u csr.VertexID, bound uint64) (strict, tied pattern.Count128) {
	a, opposite := p.arms[1].lists(), p.opposite
	hi, most := bits.Mul64(bound, a.heaviest)
	more, _ := bits.Mul64(most, opposite.most)
	if w.over |= hi | more; w.over != 0 { // a number's sum along one list might not fit
		return strict, tied
	}
	lo, end := a.first.bounds(u)
	for i := end; i > lo && a.first.targets[i-1] > u; i-- {
		base := a.base(w, i-1)
		from, to := a.second.bounds(a.first.targets[i-1])
		list, sum, back := a.second.targets[from:to], uint64(0), uint64(0)
		j := len(list) - 1
		switch {
		case opposite.each != nil:
			for ; j >= 0 && list[j] > u; j-- {
				sum += uint64(nums[list[j]]) * a.second.weight(from+uint64(j)) * opposite.at(w.ranks.at(list[j]))
			}
		case a.second.weights != nil:
			weights := a.second.weights[from:to]
			for ; j >= 0 && list[j] > u; j-- {
				sum += uint64(nums[list[j]]) * weights[j]
			}
		default:
			for ; j >= 0; j-- {
				x := list[j]
				if x <= u {
					break
				}
				sum += uint64(nums[x])
			}
		}
		if j >= 0 && list[j] == u {
			back = uint64(nums[u]) * a.second.weight(from+uint64(j)) * opposite.at(w.ranks.at(u))
		}
		strict, tied = w.plus(strict, base, sum), w.plus(tied, base, back)
	}
	return strict, tied
}

// plus returns total + a*b.
func (w *cycleWorker) plus(total pattern.Count128, a, b uint64) pattern.Count128 {
	hi, lo := bits.Mul64(a, b)
	sum, err := total.Add(pattern.Count128{Hi: hi, Lo: lo})
	if err != nil {
		w.over = 1
	}
	return sum
}

// weight returns the weight of list element i.
func (l *lists) weight(i uint64) uint64 {
	if l.weights == nil {
		return 1
	}
	return l.weights[i]
}

// addShares adds sums to the total, times ownTop and as often as p stands for them.
func (w *cycleWorker) addShares(p *cyclePass, strict, tied pattern.Count128, ownTop uint64) {
	for _, n := range []struct {
		of    pattern.Count128
		times uint64
	}{{strict, p.strict.all}, {tied, p.tied.all}} {
		product, err := n.of.Mul(n.times)
		if err == nil {
			product, err = product.Mul(ownTop)
		}
		if err != nil {
			w.over = 1
			return
		}
		w.addTotal(product)
	}
}

// meet adds the wedges of the second arm up where wedges of the first one end.
func (w *cycleWorker) meet(u csr.VertexID) {
	a, nums, bound := &w.arms[1], w.nums[1], uint64(0)
	lo, hi := a.first.bounds(u)
	for i := hi; i > lo && a.first.targets[i-1] > u; i-- {
		v, base := a.first.targets[i-1], a.base(w, i-1)
		var most, carry uint64
		most, w.over = times(base, a.second.length(v), w.over)
		bound, carry = bits.Add64(bound, most, 0)
		if w.over |= carry; base == 0 || w.over != 0 {
			continue
		}
		from, to := a.second.bounds(v)
		for j := to; j > from && a.second.targets[j-1] >= u; j-- {
			x, weight := a.second.targets[j-1], base
			if a.second.weights != nil {
				weight *= a.second.weights[j-1]
			}
			if w.nums[0][x] != 0 {
				nums[x] += weight
			}
		}
	}
}

// sum adds the products of the two arms up, and credits them to the top and to the opposite vertex.
func (w *cycleWorker) sum(u csr.VertexID, ends []csr.VertexID, other []uint64, ownTop uint64) {
	var strict, tied pattern.Count128
	for _, x := range ends {
		hi, lo := bits.Mul64(w.nums[0][x], other[x])
		own := w.p.opposite.at(w.ranks.at(x))
		product, err := pattern.Count128{Hi: hi, Lo: lo}.Mul(own)
		if err == nil {
			product, err = product.Mul(ownTop)
		}
		if err != nil || w.each != nil && product.Hi != 0 {
			w.over = 1
			return
		}
		if x == u {
			tied = product // u is among the ends once
			continue
		}
		if strict, err = strict.Add(product); err != nil {
			w.over = 1
			return
		}
		if w.each != nil {
			w.credit(x, product.Lo, w.p.strict.opposite)
		}
	}
	if w.each != nil {
		if strict.Hi != 0 {
			w.over = 1
		}
		w.credit(u, strict.Lo, w.p.strict.top)
		w.credit(u, tied.Lo, w.p.tied.top+w.p.tied.opposite)
		return
	}
	w.addShares(w.p, strict, tied, 1)
}

// creditArm credits the homomorphisms at u to the vertices between u and their opposite vertices, if the root is on this arm. other
// has the numbers of the other arm.
func (w *cycleWorker) creditArm(arm int, u csr.VertexID, other []uint64, ownTop uint64) {
	strict, tied := w.p.strict.arms[arm], w.p.tied.arms[arm]
	if strict+tied == 0 {
		return
	}
	a := &w.arms[arm]
	lo, hi := a.first.bounds(u)
	for i := hi; i > lo && a.first.targets[i-1] > u; i-- {
		v := a.first.targets[i-1]
		base, over := times(a.base(w, i-1), ownTop, w.over)
		w.over = over
		sum, back := uint64(0), uint64(0)
		from, to := a.second.bounds(v)
		for j := to; j > from && a.second.targets[j-1] >= u; j-- {
			x, n := a.second.targets[j-1], base
			if other[x] == 0 {
				continue
			}
			if a.second.weights != nil {
				n, w.over = times(n, a.second.weights[j-1], w.over)
			}
			n, w.over = times(n, other[x], w.over)
			n, w.over = times(n, w.p.opposite.at(w.ranks.at(x)), w.over)
			if x == u {
				back = n
				continue
			}
			var carry uint64
			sum, carry = bits.Add64(sum, n, 0)
			w.over |= carry
		}
		w.credit(v, sum, strict)
		w.credit(v, back, tied)
	}
}
