package betweenness_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/kernels/betweenness"
	"github.com/motifql/motif/kernels/internal/kerneltest"
)

// TestBetweennessRandom compares with the paths of all pairs.
func TestBetweennessRandom(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	rng := rand.New(rand.NewPCG(seed, 9))
	for i := range 400 {
		n := 1 + rng.IntN(14)
		if i%40 == 0 {
			n = 70
		}
		s, key := kerneltest.RandomWeighted(t, rng, n, rng.IntN(4*n))
		r := &pattern.ScoreRequest{Network: *kerneltest.RandomNetwork(rng, s, key), Normalize: rng.IntN(2) == 0}
		if rng.IntN(3) == 0 {
			r.Sources = []csr.VertexID{csr.VertexID(rng.IntN(n)), csr.VertexID(rng.IntN(n))}
		}
		if r.Weight != nil {
			r.Weight.Least, r.Weight.Positive = true, true
		}
		want, err := testgraph.Brute{}.Betweenness(t.Context(), s, r)
		for workers := range 4 {
			memory := new(pattern.Memory)
			got, err2 := betweenness.Score(t.Context(), s, r, &pattern.Env{Workers: workers, Memory: memory})
			if (err == nil) != (err2 == nil) || memory.Used() != 0 || !slices.EqualFunc(got, want, func(a, b float64) bool { return kerneltest.Near(a, b, 1e-12) }) {
				t.Fatalf("seed %d, graph %d, %d workers, %+v: %v, %v; want %v, %v; %d bytes", seed, i, workers, r, got, err2, want, err, memory.Used())
			}
		}
	}
}

// TestWorkersAgree compares the bits of the scores for several numbers of workers.
func TestWorkersAgree(t *testing.T) {
	s := testgraph.Graph(1<<9, testgraph.RMAT(9, 8, 5), false)
	want, err := betweenness.Score(t.Context(), s, new(pattern.ScoreRequest), new(pattern.Env))
	if err != nil {
		t.Fatal(err)
	}
	for workers := 2; workers < 6; workers++ {
		if got, err := betweenness.Score(t.Context(), s, new(pattern.ScoreRequest), &pattern.Env{Workers: workers}); err != nil || !slices.Equal(got, want) {
			t.Errorf("%d workers give other scores, %v", workers, err)
		}
	}
}

// TestRange has a weight that is lost in the sum of two.
func TestRange(t *testing.T) {
	b := csr.NewBuilder()
	b.AddVertices(3)
	typ, key := b.Type("R"), b.Key("w")
	b.SetEdge(b.AddEdge(0, 1, typ), key, csr.FloatCell(1e30))
	b.SetEdge(b.AddEdge(1, 2, typ), key, csr.IntCell(1))
	s, _, err := b.Build(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	r := &pattern.ScoreRequest{Network: pattern.Network{Weight: &pattern.Weight{Key: key, Positive: true}}}
	if got, err := betweenness.Score(t.Context(), s, r, new(pattern.Env)); !errors.Is(err, pattern.ErrWeightRange) {
		t.Errorf("%v, %v", got, err)
	}
}

func BenchmarkBetweenness(b *testing.B) {
	s := testgraph.Graph(1<<12, testgraph.RMAT(12, 16, 5), false)
	for range b.N {
		if _, err := betweenness.Score(b.Context(), s, new(pattern.ScoreRequest), new(pattern.Env)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWeightedBetweenness(b *testing.B) {
	s, n := kerneltest.WeightedRMAT(b, 10, csr.Out)
	for b.Loop() {
		if _, err := betweenness.Score(b.Context(), s, &pattern.ScoreRequest{Network: n}, new(pattern.Env)); err != nil {
			b.Fatal(err)
		}
	}
}
