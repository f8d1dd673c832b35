package eval

import (
	"math"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/lang"
)

// Arithmetic computes an operator of the numbers of a and b into o. It divides integers only. It reports false where that takes more than
// numbers, or gives an error: then the rows must be computed one by one.
func Arithmetic(op lang.Op, a, b, o *Operand) bool {
	n := len(a.Kinds)
	o.Kinds, o.Nums, o.Value = slices.Grow(o.Kinds[:0], n)[:n], slices.Grow(o.Nums[:0], n)[:n], nil
	o.Codes = nil
	if intColumns(op, a, b, o) {
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
		case op == "/" || op == "%":
			return false
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

// intColumns computes an operator of integers into o. It reports false if not all are integers, or a result may not fit. No branch depends
// on a row.
func intColumns(op lang.Op, a, b, o *Operand) bool {
	for i := range o.Kinds {
		o.Kinds[i] = csr.KindInt
	}
	if kinds := unlikeInts(a.Kinds) | unlikeInts(b.Kinds); kinds != 0 {
		return false
	}
	over, nums := uint64(0), o.Nums
	as, bs := a.Nums[:len(nums)], b.Nums[:len(nums)]
	switch op {
	case "+":
		for i, x := range as {
			n := x + bs[i]
			over |= (x ^ n) & (bs[i] ^ n) // the sign of a sum differs from both signs
			nums[i] = n
		}
	case "-":
		for i, x := range as {
			n := x - bs[i]
			over |= (x ^ bs[i]) & (x ^ n)
			nums[i] = n
		}
	case "*":
		for i, x := range as {
			over |= (x + 1<<31) | (bs[i] + 1<<31) // 32 bits hold both, with their signs
			nums[i] = x * bs[i]
		}
		return over>>32 == 0
	default:
		return false
	}
	return int64(over) >= 0
}

// unlikeInts returns 0 if all kinds are integers.
func unlikeInts(kinds []csr.Kind) (unlike csr.Kind) {
	for _, k := range kinds {
		unlike |= k ^ csr.KindInt
	}
	return unlike
}

// HasArithmetic reports whether Arithmetic knows an operator.
func HasArithmetic(op lang.Op) bool {
	return op == "+" || op == "-" || op == "*" || op == "/" || op == "%"
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
	case "/":
		n, err := divideInts(a, b)
		return n, err == nil
	case "%":
		n, err := remainderInts(a, b)
		return n, err == nil
	}
	n, err := multiplyInts(a, b)
	return n, err == nil
}
