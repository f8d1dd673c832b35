package similarity_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/kernels/internal/kerneltest"
	"github.com/motifql/motif/kernels/similarity"
)

// TestSimilarityRandom compares with all pairs.
func TestSimilarityRandom(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	rng := rand.New(rand.NewPCG(seed, 15))
	for i := range 400 {
		n := 1 + rng.IntN(20)
		s, key := kerneltest.RandomWeighted(t, rng, n, rng.IntN(6*n))
		r := &pattern.SimilarityRequest{Network: *kerneltest.RandomNetwork(rng, s, key), Metric: pattern.SimilarityMetric(rng.IntN(3)),
			TopK: 1 + rng.IntN(8), Cutoff: []float64{0, 0.3}[rng.IntN(2)]}
		r.Weight = nil
		if rng.IntN(3) == 0 {
			r.Sources = []csr.VertexID{csr.VertexID(rng.IntN(n)), csr.VertexID(rng.IntN(n)), 0}
		}
		want, err := testgraph.Brute{}.Similar(t.Context(), s, r)
		if err != nil {
			t.Fatal(err)
		}
		for workers := range 4 {
			memory := new(pattern.Memory)
			got, err := similarity.Find(t.Context(), s, r, &pattern.Env{Workers: workers, Memory: memory})
			if err != nil || memory.Used() != 0 || !slices.Equal(got.Source, want.Source) || !slices.Equal(got.Target, want.Target) || !slices.Equal(got.Score, want.Score) {
				t.Fatalf("seed %d, graph %d, %d workers, %+v: %+v, %v; want %+v", seed, i, workers, r, got, err, want)
			}
		}
	}
}

func BenchmarkSimilarity(b *testing.B) {
	s := testgraph.Graph(1<<13, testgraph.RMAT(13, 8, 5), false)
	r := &pattern.SimilarityRequest{TopK: 10}
	for range b.N {
		if _, err := similarity.Find(b.Context(), s, r, new(pattern.Env)); err != nil {
			b.Fatal(err)
		}
	}
}
