package clique

import (
	"math/big"

	"github.com/motifql/motif/internal/pattern"
)

// tooLarge stands for a number beyond 128 bits. Not every number becomes part of an answer, so an overflow is an error only there.
var tooLarge = pattern.Count128{Hi: ^uint64(0), Lo: ^uint64(0)}

// binomials keeps rows of Pascal's triangle; not for several goroutines at once.
type binomials struct {
	rows [][]pattern.Count128 // by n; nil: not made yet
}

// row returns the binomials n over 0, 1, ... n, with tooLarge for numbers beyond 128 bits.
func (b *binomials) row(n int) []pattern.Count128 {
	if n < len(b.rows) && b.rows[n] != nil {
		return b.rows[n]
	}
	row := make([]pattern.Count128, n+1)
	x := big.NewInt(1)
	for k := 0; 2*k <= n; k++ {
		row[k] = tooLarge
		if x.BitLen() <= 128 {
			row[k] = count128(x)
		}
		row[n-k] = row[k]
		x.Mul(x, big.NewInt(int64(n-k)))
		x.Quo(x, big.NewInt(int64(k+1)))
	}
	b.rows = append(b.rows, make([][]pattern.Count128, max(0, n+1-len(b.rows)))...)
	b.rows[n] = row
	return row
}

// choose returns n over k, or tooLarge.
func (b *binomials) choose(n, k int) pattern.Count128 {
	if k < 0 || k > n {
		return pattern.Count128{}
	}
	return b.row(n)[k]
}

func count128(x *big.Int) pattern.Count128 {
	var hi, lo big.Int
	hi.Rsh(x, 64)
	lo.And(x, lo.SetUint64(^uint64(0)))
	return pattern.Count128{Hi: hi.Uint64(), Lo: lo.Uint64()}
}

// satAdd and satMul saturate at tooLarge. All numbers here are sums of products of numbers that are not negative, so a sum or product
// with tooLarge does not fit either, unless the other factor is 0.
func satAdd(a, b pattern.Count128) pattern.Count128 {
	if c, err := a.Add(b); err == nil {
		return c
	}
	return tooLarge
}

func satMul(a, b pattern.Count128) pattern.Count128 {
	var zero pattern.Count128
	switch {
	case a == zero || b == zero:
		return zero
	case a.Hi != 0 && b.Hi != 0 || a == tooLarge || b == tooLarge:
		return tooLarge
	case a.Hi != 0:
		a, b = b, a
	}
	if c, err := b.Mul(a.Lo); err == nil {
		return c
	}
	return tooLarge
}

// fits returns n, or pattern.ErrOverflow.
func fits(n pattern.Count128) (pattern.Count128, error) {
	if n == tooLarge {
		return pattern.Count128{}, pattern.ErrOverflow
	}
	return n, nil
}

// poly is a polynomial: the number of cliques (or independent sets) by size, up to some size.
type poly []pattern.Count128

// product returns a * b up to x^top.
func (a poly) product(b poly, top int) poly {
	c := make(poly, min(len(a)+len(b)-1, top+1))
	for i, x := range a {
		for j, y := range b {
			if i+j > top {
				break
			}
			c[i+j] = satAdd(c[i+j], satMul(x, y))
		}
	}
	return c
}

// sum returns a + x^shift * b up to x^top.
func (a poly) sum(b poly, shift, top int) poly {
	c := make(poly, min(max(len(a), len(b)+shift), top+1))
	copy(c, a)
	for i, y := range b {
		if i+shift <= top {
			c[i+shift] = satAdd(c[i+shift], y)
		}
	}
	return c
}
