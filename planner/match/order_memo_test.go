package match

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
)

// A memo answers as OrderFor does, whatever it was asked before.
func TestOrderMemo(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 2))
		s, other := testgraph.Random(seed, testgraph.Options{}), testgraph.Random(seed, testgraph.Options{})
		p := testgraph.RandomPattern(rng, s)
		var memo OrderMemo
		for range 12 {
			q := &Question{Pattern: p, Snapshot: s, Sizes: make([]float64, len(p.Vertices)), Strategy: pattern.OrderStrategy(rng.IntN(2))}
			for u := range q.Sizes {
				q.Sizes[u] = float64(1 + rng.IntN(2))
			}
			switch rng.IntN(4) {
			case 0:
				q.Wanted = []int{rng.IntN(len(p.Vertices))}
			case 1:
				q.Read = []int{}
			case 2:
				q.Snapshot = other
			}
			if got, want := memo.OrderFor(q), OrderFor(Filtered, q); !reflect.DeepEqual(got, want) {
				t.Fatalf("seed %d: %+v for %+v, and %+v without the memo\n%v", seed, got, q, want, p)
			}
		}
	}
}
