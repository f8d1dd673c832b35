package eval

import (
	"math"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/lang"
)

// Arithmetic adds, subtracts or multiplies the numbers of a and b into o. It reports false where that takes more than numbers, or gives
// an error: then the rows must be computed one by one.
func Arithmetic(op lang.Op, a, b, o *Operand) bool {
	n := len(a.Kinds)
	o.Kinds, o.Nums, o.Value = slices.Grow(o.Kinds[:0], n)[:n], slices.Grow(o.Nums[:0], n)[:n], nil
	o.Codes = nil
	if op == "+" && addIntColumns(a, b, o) {
		return true
	}
	for i := range o.Kinds {
		j, k := a.Kinds[i], b.Kinds[i]
		if j > csr.KindFloat || k > csr.KindFloat {
			return false
		}
		switch {
		case j == 0 || k == 0:
			o.Kinds[i] = 0
		case j == csr.KindInt && k == csr.KindInt:
			n, ok := intArithmetic(op, int64(a.Nums[i]), int64(b.Nums[i]))
			if !ok {
				return false
			}
			o.Kinds[i], o.Nums[i] = csr.KindInt, uint64(n)
		default:
			x, y := a.float(i), b.float(i)
			switch op {
			case "+":
				x += y
			case "-":
				x -= y
			default:
				x *= y
			}
			o.Kinds[i], o.Nums[i] = csr.KindFloat, math.Float64bits(x)
		}
	}
	return true
}

// addIntColumns adds integers into o. It reports false if not all are integers, or a sum does not fit. No branch depends on a row.
func addIntColumns(a, b, o *Operand) bool {
	kinds, over := csr.Kind(0), uint64(0)
	nums, as, bs := o.Nums, a.Nums[:len(o.Nums)], b.Nums[:len(o.Nums)]
	for i := range nums {
		x, y := as[i], bs[i]
		n := x + y
		over |= (x ^ n) & (y ^ n) // the sign of a sum differs from both signs
		nums[i] = n
	}
	for i := range o.Kinds {
		o.Kinds[i] = csr.KindInt
		kinds |= (a.Kinds[i] ^ csr.KindInt) | (b.Kinds[i] ^ csr.KindInt)
	}
	return kinds == 0 && int64(over) >= 0
}

// float returns the number in row i as a float.
func (b *Operand) float(i int) float64 {
	if b.Kinds[i] == csr.KindInt {
		return float64(int64(b.Nums[i]))
	}
	return math.Float64frombits(b.Nums[i])
}

// intArithmetic computes with integers; ok is false if the result does not fit.
func intArithmetic(op lang.Op, a, b int64) (n int64, ok bool) {
	switch op {
	case "+":
		n = a + b
		return n, (n > a) == (b > 0) || b == 0
	case "-":
		n = a - b
		return n, (n < a) == (b > 0) || b == 0
	}
	n, err := multiplyInts(a, b)
	return n, err == nil
}
