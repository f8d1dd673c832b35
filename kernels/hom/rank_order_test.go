package hom

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/motifql/motif/internal/csr"
)

// TestSortFalling compares the order of vertices with that of a sort by comparisons.
func TestSortFalling(t *testing.T) {
	for seed := range uint64(500) {
		rng := rand.New(rand.NewPCG(seed, 3))
		degree := make([]uint64, rng.IntN(60))
		want := make([]csr.VertexID, len(degree))
		for v := range degree {
			want[v], degree[v] = csr.VertexID(v), rng.Uint64N(1+uint64(seed%400))
		}
		slices.SortStableFunc(want, func(a, b csr.VertexID) int { return cmp.Compare(degree[b], degree[a]) })
		got := make([]csr.VertexID, len(degree))
		if sortFalling(got, degree); !slices.Equal(got, want) {
			t.Fatalf("seed %d: degrees %d: %d, want %d", seed, degree, got, want)
		}
	}
}
