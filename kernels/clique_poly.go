package kernels

import (
	"math/big"

	"github.com/motifql/motif/internal/pattern"
)

// tooLarge stands for a number beyond 128 bits where numbers are kept that may never be asked for.
var tooLarge = pattern.Count128{Hi: ^uint64(0), Lo: ^uint64(0)}

// binomials keeps rows of Pascal's triangle; not for several goroutines at once.
type binomials struct {
	rows map[int][]pattern.Count128
}

// row returns n over 0, 1, ... n, tooLarge where that does not fit.
func (b *binomials) row(n int) []pattern.Count128 {
	if row, ok := b.rows[n]; ok {
		return row
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
	if b.rows == nil {
		b.rows = make(map[int][]pattern.Count128)
	}
	b.rows[n] = row
	return row
}

// choose returns n over k, or pattern.ErrOverflow.
func (b *binomials) choose(n, k int) (pattern.Count128, error) {
	if k < 0 || k > n {
		return pattern.Count128{}, nil
	}
	if c := b.row(n)[k]; c != tooLarge {
		return c, nil
	}
	return pattern.Count128{}, pattern.ErrOverflow
}

func count128(x *big.Int) pattern.Count128 {
	var hi, lo big.Int
	hi.Rsh(x, 64)
	lo.And(x, lo.SetUint64(^uint64(0)))
	return pattern.Count128{Hi: hi.Uint64(), Lo: lo.Uint64()}
}

// mul128 returns a * b, or pattern.ErrOverflow.
func mul128(a, b pattern.Count128) (pattern.Count128, error) {
	if a.Hi != 0 {
		a, b = b, a
	}
	if a.Hi != 0 {
		return a, pattern.ErrOverflow
	}
	return b.Mul(a.Lo)
}
