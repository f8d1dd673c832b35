package pattern

import (
	"errors"
	"math/big"
	"math/rand/v2"
	"testing"
)

func toBig(c Count128) *big.Int {
	n := new(big.Int).SetUint64(c.Hi)
	return n.Add(n.Lsh(n, 64), new(big.Int).SetUint64(c.Lo))
}

// check compares a checked result with the exact one.
func check(t *testing.T, what string, got Count128, err error, want *big.Int) {
	t.Helper()
	if want.BitLen() > 128 {
		if !errors.Is(err, ErrOverflow) {
			t.Errorf("%s = %v, %v; want an overflow", what, got, err)
		}
		return
	}
	if err != nil || toBig(got).Cmp(want) != 0 || got.String() != want.String() {
		t.Errorf("%s = %v, %v; want %v", what, got, err, want)
	}
}

func TestCount128(t *testing.T) {
	const seed = 7
	r := rand.New(rand.NewPCG(seed, seed))
	word := func() uint64 { return r.Uint64() >> r.IntN(65) } // of every length
	for range 20000 {
		a, b, n := Count128{word(), word()}, Count128{word(), word()}, word()
		sum, err := a.Add(b)
		check(t, "sum", sum, err, new(big.Int).Add(toBig(a), toBig(b)))
		if d, ok := a.Sub(b); ok != (toBig(a).Cmp(toBig(b)) >= 0) || ok && toBig(d).Cmp(new(big.Int).Sub(toBig(a), toBig(b))) != 0 {
			t.Errorf("%v - %v = %v, %v", a, b, d, ok)
		}
		product, err := a.Mul(n)
		check(t, "product", product, err, new(big.Int).Mul(toBig(a), new(big.Int).SetUint64(n)))
		if i, ok := a.Int64(); ok != toBig(a).IsInt64() || ok && i != toBig(a).Int64() {
			t.Errorf("%v as int64 = %d, %v", a, i, ok)
		}
	}
	for n := range 140 {
		for _, k := range []int{0, 1, 2, n / 2, n} {
			c, err := Binomial(n, k)
			check(t, "binomial", c, err, new(big.Int).Binomial(int64(n), int64(k)))
		}
	}
}
