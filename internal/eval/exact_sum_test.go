package eval

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/value"
)

// randomFloat draws a float of any size: subnormal, huge, with few digits or with all of them.
func randomFloat(rng *rand.Rand) float64 {
	switch rng.IntN(6) {
	case 0:
		return float64(rng.IntN(100)) / 10
	case 1:
		return math.Float64frombits(rng.Uint64N(1 << 54)) // near the smallest
	case 2:
		return []float64{0, math.Copysign(0, -1), math.MaxFloat64, -math.MaxFloat64, 0x1p-1074, 1 << 53, 1e16}[rng.IntN(7)]
	}
	for {
		if f := math.Float64frombits(rng.Uint64()); !math.IsNaN(f) && !math.IsInf(f, 0) {
			return f
		}
	}
}

// TestExactSums adds floats in many orders and compares with exact rationals.
func TestExactSums(t *testing.T) {
	seed := rand.Uint64()
	for round := range uint64(2000) {
		rng := rand.New(rand.NewPCG(seed, round))
		type term struct {
			x    float64
			mult uint64
		}
		terms, exact, ints, n := []term{}, new(big.Rat), int64(0), uint64(0)
		for range 1 + rng.IntN(12) {
			a := term{randomFloat(rng), 1}
			if rng.IntN(4) == 0 {
				a.mult = rng.Uint64() >> rng.IntN(64)
			}
			terms = append(terms, a)
			if rng.IntN(3) == 0 { // which cancels
				terms = append(terms, term{-a.x, a.mult})
			}
		}
		for _, a := range terms {
			x := new(big.Rat).SetFloat64(a.x)
			exact.Add(exact, x.Mul(x, new(big.Rat).SetInt(new(big.Int).SetUint64(a.mult))))
			n += a.mult % 1000
		}
		if rng.IntN(3) == 0 {
			ints = int64(rng.Uint64())
			exact.Add(exact, new(big.Rat).SetInt64(ints))
		}
		for order := range 4 {
			all := total{account: NewAccount(&pattern.Memory{}, "test")}
			if ints != 0 {
				all.addInt(ints, 1)
			}
			for _, a := range terms {
				if err := all.addFloat(a.x, a.mult); err != nil {
					t.Fatal(err)
				}
				if rng.IntN(8) == 0 {
					_ = all.floats.carry(all.account)
				}
			}
			got, want := all.floats.float(all.lo, all.mid, all.hi), nearest(exact)
			if got != want {
				t.Fatalf("seed %d, round %d, order %d: the sum of %v and %d is %v, want %v", seed, round, order, terms, ints, got, want)
			}
			by := max(n, 1)
			mean := nearest(new(big.Rat).Quo(exact, new(big.Rat).SetInt(new(big.Int).SetUint64(by))))
			if got := all.floats.mean(all.lo, all.mid, all.hi, by); got != mean {
				t.Fatalf("seed %d, round %d: the mean by %d is %v, want %v", seed, round, by, got, mean)
			}
			rng.Shuffle(len(terms), func(i, j int) { terms[i], terms[j] = terms[j], terms[i] })
		}
	}
}

// TestExactSumsOfMany carries digits again and again, of sums of both signs.
func TestExactSumsOfMany(t *testing.T) {
	for _, x := range []float64{1, -1, -0x1p-1074, -math.MaxFloat64, math.MaxFloat64} {
		s, account := new(exactSum), NewAccount(&pattern.Memory{}, "test")
		for range 300 {
			if err := s.add(account, x, 1); err != nil {
				t.Fatal(err)
			}
			s.adds = maxAdds - 1
		}
		if err := s.add(account, -x, 299); err != nil || s.float(0, 0, 0) != x {
			t.Errorf("%v, added 300 times and taken away 299 times, is %v, %v", x, s.float(0, 0, 0), err)
		}
	}
}

// TestMeanOfHuge: the mean of floats is one even if their sum is not.
func TestMeanOfHuge(t *testing.T) {
	a := average{total: total{account: NewAccount(&pattern.Memory{}, "test")}}
	for _, v := range []value.Value{value.OfFloat(math.MaxFloat64), value.OfFloat(math.MaxFloat64), value.OfInt(0)} {
		if err := a.Add(v, 1); err != nil {
			t.Fatal(err)
		}
	}
	if got, _ := a.Result(); got.Float() != math.MaxFloat64/3*2 {
		t.Errorf("the mean is %v, want %v", got, math.MaxFloat64/3*2)
	}
}

func BenchmarkSum(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	for name, draw := range map[string]func() value.Value{
		"integers": func() value.Value { return value.OfInt(rng.Int64N(100)) },
		"floats":   func() value.Value { return value.OfFloat(rng.NormFloat64()) },
		"wide":     func() value.Value { return value.OfFloat(rng.NormFloat64() * math.Pow(10, float64(rng.IntN(200)-100))) },
	} {
		values := slices.Collect(func(yield func(value.Value) bool) {
			for range 1024 {
				yield(draw())
			}
		})
		b.Run(fmt.Sprint("of=", name), func(b *testing.B) {
			s := sum{total: total{account: NewAccount(&pattern.Memory{}, "test")}}
			for i := range b.N {
				if err := s.Add(values[i%1024], 1); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
