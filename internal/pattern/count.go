package pattern

import (
	"math/big"
	"math/bits"
)

// Count128 is an unsigned 128-bit count.
type Count128 struct{ Hi, Lo uint64 }

// Count returns n as a Count128.
func Count(n uint64) Count128 { return Count128{Lo: n} }

// Add returns a + b, or ErrOverflow.
func (a Count128) Add(b Count128) (Count128, error) {
	lo, c := bits.Add64(a.Lo, b.Lo, 0)
	hi, c := bits.Add64(a.Hi, b.Hi, c)
	if c != 0 {
		return Count128{}, ErrOverflow
	}
	return Count128{hi, lo}, nil
}

// Sub returns a - b; ok is false if b is greater.
func (a Count128) Sub(b Count128) (difference Count128, ok bool) {
	lo, borrow := bits.Sub64(a.Lo, b.Lo, 0)
	hi, borrow := bits.Sub64(a.Hi, b.Hi, borrow)
	return Count128{hi, lo}, borrow == 0
}

// Mul returns a * n, or ErrOverflow.
func (a Count128) Mul(n uint64) (Count128, error) {
	c, lo := bits.Mul64(a.Lo, n)
	over, hi := bits.Mul64(a.Hi, n)
	hi, carry := bits.Add64(hi, c, 0)
	if over != 0 || carry != 0 {
		return Count128{}, ErrOverflow
	}
	return Count128{hi, lo}, nil
}

// Div returns a / n and what is left; n must not be 0.
func (a Count128) Div(n uint64) (quotient Count128, left uint64) {
	hi, rest := a.Hi/n, a.Hi%n
	lo, left := bits.Div64(rest, a.Lo, n)
	return Count128{hi, lo}, left
}

// Int64 returns a if it fits.
func (a Count128) Int64() (int64, bool) { return int64(a.Lo), a.Hi == 0 && a.Lo>>63 == 0 }

// Float64 returns a rounded.
func (a Count128) Float64() float64 { return float64(a.Hi)*0x1p64 + float64(a.Lo) }

// String prints a in decimal.
func (a Count128) String() string {
	n := new(big.Int).SetUint64(a.Hi)
	n.Lsh(n, 64)
	return n.Or(n, new(big.Int).SetUint64(a.Lo)).String()
}

// Binomial returns the number of ways to choose k of n, or ErrOverflow.
func Binomial(n, k int) (Count128, error) {
	b := new(big.Int).Binomial(int64(n), int64(k))
	if b.BitLen() > 128 {
		return Count128{}, ErrOverflow
	}
	hi := new(big.Int).Rsh(b, 64).Uint64()
	return Count128{hi, new(big.Int).And(b, new(big.Int).SetUint64(1<<64-1)).Uint64()}, nil
}
