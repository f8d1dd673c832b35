package eval

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/value"
)

// TestSums compares sum and avg with exact rationals: a sum is the float nearest to the exact one.
func TestSums(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 23))
		floats := rng.IntN(2) == 0
		exact, n := new(big.Rat), int64(0)
		account := NewAccount(&pattern.Memory{}, "test")
		tot, avg := sum{total: total{account: account}}, average{total: total{account: account}}
		for range 1 + rng.IntN(50) {
			v, mult := value.OfInt(int64(rng.Uint64())>>rng.IntN(40)), 1+rng.Uint64N(5)
			x := new(big.Rat).SetInt64(v.Int())
			if floats && rng.IntN(3) > 0 {
				v = value.OfFloat(rng.NormFloat64() * math.Pow(10, float64(rng.IntN(12))))
				x.SetFloat64(v.Float())
			}
			exact.Add(exact, x.Mul(x, new(big.Rat).SetUint64(mult)))
			n += int64(mult)
			if err := tot.Add(v, mult); err != nil {
				t.Fatal(err)
			}
			if err := avg.Add(v, mult); err != nil {
				t.Fatal(err)
			}
		}
		got, err := tot.Result()
		switch {
		case err != nil:
			if exact.IsInt() && exact.Num().IsInt64() {
				t.Fatalf("seed %d: %v, but the sum is %v", seed, err, exact)
			}
		case got.Kind() == value.Int:
			if exact.Cmp(new(big.Rat).SetInt64(got.Int())) != 0 {
				t.Fatalf("seed %d: %v, want %v", seed, got, exact)
			}
		case got.Float() != nearest(exact):
			t.Fatalf("seed %d: %v, want %v", seed, got, exact)
		}
		mean, err := avg.Result()
		if err != nil || !near(mean.Float(), exact.Quo(exact, new(big.Rat).SetInt64(n))) {
			t.Fatalf("seed %d: mean %v, %v", seed, mean, err)
		}
		if want := nearest(exact); avg.floats == nil && mean.Float() != want {
			t.Fatalf("seed %d: the mean of integers is %v, want %v, the nearest", seed, mean, want)
		}
	}
}

func nearest(x *big.Rat) float64 {
	f, _ := x.Float64()
	return f
}

// near allows the error of a few roundings.
func near(got float64, want *big.Rat) bool {
	w, _ := want.Float64()
	return math.Abs(got-w) <= 1e-9*math.Max(1, math.Abs(w))
}

func TestSumsOfInfinities(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		vs   []float64
		want float64
	}{{[]float64{1, inf, 2}, inf}, {[]float64{inf, -inf}, math.NaN()}, {[]float64{1e308, 1e308}, inf}, {[]float64{1e16, 1, -1e16}, 1}} {
		s := sum{total: total{account: NewAccount(&pattern.Memory{}, "test")}}
		for _, v := range c.vs {
			if err := s.Add(value.OfFloat(v), 1); err != nil {
				t.Fatal(err)
			}
		}
		got, err := s.Result()
		if err != nil || value.Compare(got, value.OfFloat(c.want)) != 0 {
			t.Errorf("%v: %v, %v", c.vs, got, err)
		}
	}
}
