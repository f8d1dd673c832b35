package match

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/motifql/motif/internal/csr"
)

// TestCountOf looks counts up in random lists, and goes through the whole list beside.
func TestCountOf(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 3))
		random := func() csr.Triple {
			x := csr.Triple{Src: csr.LabelID(rng.IntN(4)), Dst: csr.LabelID(rng.IntN(4)), Type: csr.TypeID(rng.IntN(3)), Count: 1 + rng.Uint64N(9)}
			if rng.IntN(4) == 0 {
				x.Src, x.Type = ^x.Src, anyType
			}
			return x
		}
		var list []csr.Triple
		for range rng.IntN(30) {
			list = append(list, random())
		}
		slices.SortStableFunc(list, compareTriples)
		list = slices.CompactFunc(list, func(a, b csr.Triple) bool { return compareTriples(a, b) == 0 })
		for range 50 {
			x, want := random(), 0.0
			for _, y := range list {
				if y.Type == x.Type && y.Src == x.Src && y.Dst == x.Dst {
					want = float64(y.Count)
				}
			}
			if got := countOf(list, x.Type, x.Src, x.Dst); got != want {
				t.Fatalf("seed %d: %v has %v, want %v, in %v", seed, x, got, want, list)
			}
		}
	}
}
