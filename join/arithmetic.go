package join

import (
	"math/bits"

	"github.com/motifql/motif/internal/pattern"
)

// Checked arithmetic of counts: an overflow ends the search with pattern.ErrOverflow.

// product returns a * n.
func (r *run) product(a uint64, n int) uint64 {
	hi, lo := bits.Mul64(a, uint64(n))
	if hi != 0 {
		r.fail(pattern.ErrOverflow)
	}
	return lo
}

// sum returns a + b.
func (r *run) sum(a, b uint64) uint64 {
	n, carry := bits.Add64(a, b, 0)
	if carry != 0 {
		r.fail(pattern.ErrOverflow)
	}
	return n
}

// add returns a + b.
func (r *run) add(a, b pattern.Count128) pattern.Count128 {
	lo, carry := bits.Add64(a.Lo, b.Lo, 0)
	hi, carry := bits.Add64(a.Hi, b.Hi, carry)
	if carry != 0 {
		r.fail(pattern.ErrOverflow)
	}
	return pattern.Count128{Hi: hi, Lo: lo}
}

// times returns a * b.
func (r *run) times(a, b pattern.Count128) pattern.Count128 {
	n, err := multiply(a, b)
	if err != nil {
		r.fail(err)
	}
	return n
}

// multiply returns a * b, or ErrOverflow.
func multiply(a, b pattern.Count128) (pattern.Count128, error) {
	switch {
	case a.Hi == 0:
		return b.Mul(a.Lo)
	case b.Hi == 0:
		return a.Mul(b.Lo)
	}
	return pattern.Count128{}, pattern.ErrOverflow
}
