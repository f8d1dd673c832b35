package eval

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/value"
)

// deviationOf computes a standard deviation with rationals. Only the root at the end rounds.
func deviationOf(values []float64, sample bool) float64 {
	n := int64(len(values))
	by := n
	if sample {
		by--
	}
	if by <= 0 {
		return 0
	}
	mean, sum := new(big.Rat), new(big.Rat)
	for _, x := range values {
		mean.Add(mean, new(big.Rat).SetFloat64(x))
	}
	mean.Quo(mean, new(big.Rat).SetInt64(n))
	for _, x := range values {
		d := new(big.Rat).SetFloat64(x)
		d.Sub(d, mean)
		sum.Add(sum, d.Mul(d, d))
	}
	variance := new(big.Float).SetPrec(300).SetRat(sum.Quo(sum, new(big.Rat).SetInt64(by)))
	root, _ := variance.Sqrt(variance).Float64()
	return root
}

// TestDeviations divides floats of all sizes among several aggregates, merges these in a random order, some by their states, and compares the
// standard deviation with that of rationals.
func TestDeviations(t *testing.T) {
	seed := rand.Uint64()
	for round := range uint64(1000) {
		rng := rand.New(rand.NewPCG(seed, round))
		sample := rng.IntN(2) == 0
		parts := make([]*deviation, 1+rng.IntN(4))
		for i := range parts {
			parts[i] = &deviation{sample: sample, account: NewAccount(&pattern.Memory{}, "test")}
		}
		var values []float64
		near := randomFloat(rng)
		for range rng.IntN(10) {
			x := randomFloat(rng)
			if rng.IntN(2) == 0 && math.Abs(near) < math.MaxFloat64 { // they differ in the last digits only
				x = math.Nextafter(near, float64(rng.IntN(3)-1)*math.MaxFloat64)
			}
			mult := 1 + rng.IntN(3)
			for range mult {
				values = append(values, x)
			}
			if err := parts[rng.IntN(len(parts))].Add(value.OfFloat(x), uint64(mult)); err != nil {
				t.Fatal(err)
			}
		}
		for len(parts) > 1 {
			last := parts[len(parts)-1]
			parts = parts[:len(parts)-1]
			err := error(nil)
			if into := parts[rng.IntN(len(parts))]; rng.IntN(2) == 0 {
				err = into.merge(last)
			} else {
				err = into.addState(last.state())
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		got, err := parts[0].Result()
		if want := deviationOf(values, sample); err != nil || got.Float() != want {
			t.Fatalf("seed %d, round %d: the deviation (of a sample: %v) of %v is %v %v, want %v", seed, round, sample, values, got, err, want)
		}
	}
}

// TestDeviationOfNoNumbers has NaN and infinities, whose deviation is no number, and states that are none.
func TestDeviationOfNoNumbers(t *testing.T) {
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		d := &deviation{account: NewAccount(&pattern.Memory{}, "test")}
		for _, v := range []float64{1, x, 2} {
			if err := d.Add(value.OfFloat(v), 1); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := d.Result(); err != nil || !math.IsNaN(got.Float()) {
			t.Errorf("the deviation of 1, %v and 2 is %v %v", x, got, err)
		}
		state := d.state()
		for n := range state {
			if err := d.addState(state[:n]); err == nil {
				t.Errorf("%d of the %d values of a state pass", n, len(state))
			}
		}
	}
}

// BenchmarkDeviation adds a million values to one group.
func BenchmarkDeviation(b *testing.B) {
	for b.Loop() {
		d := &deviation{account: NewAccount(&pattern.Memory{}, "bench")}
		for i := range 1_000_000 {
			if err := d.Add(value.OfFloat(float64(i)*0.1), 1); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1e6, "ns/value")
}
