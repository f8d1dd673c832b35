package eval

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/planner"
)

// TestGroupedBatches gives batches with runs of one group to aggregates, and the same rows one by one to others. The answers are equal,
// errors of sums that do not fit included.
func TestGroupedBatches(t *testing.T) {
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 0))
	account := NewAccount(&pattern.Memory{}, "test")
	numbers := []int64{0, 1, -1, 5, 1 << 50, -1 << 50, 1<<50 - 1, math.MaxInt64, math.MinInt64}
	overflows := 0
	for range 3000 {
		agg := &planner.Agg{Func: []string{"sum", "avg", "min", "max", "count", "stdev"}[rng.IntN(6)]}
		fast, _ := NewGroupedAggregator(agg, nil, account)
		slow, _ := NewGroupedAggregator(agg, nil, account)
		for range 3 {
			if fast.AddGroup() != nil || slow.AddGroup() != nil {
				t.Fatal("no room for a group")
			}
		}
		floats, weights := rng.IntN(3) == 0, rng.IntN(3) == 0
		for range 1 + rng.IntN(3) {
			var of []uint32
			b := &Operand{}
			for group := uint32(0); len(of) < 1+rng.IntN(40); {
				if rng.IntN(4) == 0 {
					group = uint32(rng.IntN(3))
				}
				v := value.OfInt(numbers[rng.IntN(len(numbers))])
				switch {
				case rng.IntN(6) == 0:
					v = value.Value{}
				case floats && rng.IntN(3) == 0:
					v = value.OfFloat(float64(rng.IntN(5)) / 4)
				}
				kind, num := OperandOf(v)
				of, b.Kinds, b.Nums = append(of, group), append(b.Kinds, kind), append(b.Nums, num)
				if weights {
					b.Mults = append(b.Mults, 1+rng.Uint64N(3))
				}
			}
			if err := fast.AddBatch(of, b); err != nil {
				t.Fatal(err)
			}
			for i, group := range of {
				if b.Kinds[i] == 0 {
					continue
				}
				if err := slow.Add(group, b.value(i), b.mult(i)); err != nil {
					t.Fatal(err)
				}
			}
		}
		for group := range uint32(3) {
			got, err := fast.Result(group)
			want, wantErr := slow.Result(group)
			if value.Compare(got, want) != 0 || got.Kind() != want.Kind() || (err == nil) != (wantErr == nil) {
				t.Fatalf("seed %d: %s is %v (%v), want %v (%v)", seed, agg.Func, got, err, want, wantErr)
			}
			if err != nil {
				overflows++
			}
		}
	}
	if overflows < 100 {
		t.Errorf("seed %d: %d sums do not fit", seed, overflows)
	}
}

// TestPercentilesOfIntegers compares percentiles of integers with places in a sorted list, also where some occur more than once.
func TestPercentilesOfIntegers(t *testing.T) {
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 0))
	for range 2000 {
		p := &percentile{account: NewAccount(&pattern.Memory{}, "test"), continuous: rng.IntN(2) == 0, part: float64(rng.IntN(11)) / 10}
		var all []int64
		weights := rng.IntN(2) == 0
		for range 1 + rng.IntN(20) {
			n, mult := rng.Int64N(30)-15, uint64(1)
			if weights {
				mult += rng.Uint64N(3)
			}
			if err := p.Add(value.OfInt(n), mult); err != nil {
				t.Fatal(err)
			}
			all = append(all, slices.Repeat([]int64{n}, int(mult))...)
		}
		slices.Sort(all)
		want := value.OfInt(all[max(1, int(math.Ceil(p.part*float64(len(all)))))-1])
		if p.continuous {
			place := p.part * float64(len(all)-1)
			low := int(place)
			high := min(low+1, len(all)-1)
			want = value.OfFloat(float64(all[low]) + float64(all[high]-all[low])*(place-float64(low)))
		}
		if got, err := p.Result(); err != nil || value.Compare(got, want) != 0 || got.Kind() != want.Kind() {
			t.Fatalf("seed %d: percentile %v of %v is %v (%v), want %v", seed, p.part, all, got, err, want)
		}
	}
}
