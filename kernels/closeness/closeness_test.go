package closeness_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/kernels/closeness"
	"github.com/motifql/motif/kernels/internal/kerneltest"
)

// TestClosenessRandom compares with the distances between all pairs. Some graphs have more vertices than a pass has searches.
func TestClosenessRandom(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	rng := rand.New(rand.NewPCG(seed, 8))
	for i := range 400 {
		n := 1 + rng.IntN(14)
		if i%40 == 0 {
			n = 130
		}
		s, key := kerneltest.RandomWeighted(t, rng, n, rng.IntN(4*n))
		r := &pattern.ScoreRequest{Network: *kerneltest.RandomNetwork(rng, s, key), Closeness: pattern.Closeness(rng.IntN(3))}
		if r.Weight != nil {
			r.Weight.Least = true
		}
		want, err := testgraph.Brute{}.Closeness(t.Context(), s, r)
		if err != nil {
			t.Fatal(err)
		}
		for workers := range 4 {
			memory := new(pattern.Memory)
			got, err := closeness.Score(t.Context(), s, r, &pattern.Env{Workers: workers, Memory: memory})
			if err != nil || memory.Used() != 0 || !slices.EqualFunc(got, want, func(a, b float64) bool { return kerneltest.Near(a, b, 1e-13) }) {
				t.Fatalf("seed %d, graph %d, %d workers, %+v: %v, %v; want %v; %d bytes", seed, i, workers, r, got, err, want, memory.Used())
			}
		}
	}
}

// TestWorkersAgree compares the bits of the scores for several numbers of workers.
func TestWorkersAgree(t *testing.T) {
	s := testgraph.Graph(1<<10, testgraph.RMAT(10, 8, 5), false)
	for kind := range pattern.HarmonicCloseness + 1 {
		r := &pattern.ScoreRequest{Closeness: kind}
		want, err := closeness.Score(t.Context(), s, r, new(pattern.Env))
		if err != nil {
			t.Fatal(err)
		}
		for workers := 2; workers < 6; workers++ {
			if got, err := closeness.Score(t.Context(), s, r, &pattern.Env{Workers: workers}); err != nil || !slices.Equal(got, want) {
				t.Errorf("%d workers give other scores, %v", workers, err)
			}
		}
	}
}

func BenchmarkCloseness(b *testing.B) {
	s := testgraph.Graph(1<<13, testgraph.RMAT(13, 16, 5), false)
	for range b.N {
		if _, err := closeness.Score(b.Context(), s, new(pattern.ScoreRequest), new(pattern.Env)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWeightedCloseness(b *testing.B) {
	s, n := kerneltest.WeightedRMAT(b, 10, csr.Out)
	for b.Loop() {
		if _, err := closeness.Score(b.Context(), s, &pattern.ScoreRequest{Network: n}, new(pattern.Env)); err != nil {
			b.Fatal(err)
		}
	}
}

// A search along weights that is stopped, at whatever moment, ends with the context's error.
func TestWeightedClosenessStops(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	rng := rand.New(rand.NewPCG(seed, 10))
	s, key := kerneltest.RandomWeighted(t, rng, 300, 600)
	r := &pattern.ScoreRequest{Network: pattern.Network{Weight: &pattern.Weight{Key: key, Default: 1}}}
	for i := range 400 {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Duration(i)*time.Microsecond, cancel)
		if _, err := closeness.Score(ctx, s, r, &pattern.Env{Workers: 2}); err != nil && !errors.Is(err, context.Canceled) {
			t.Fatalf("seed %d: %v", seed, err)
		}
		cancel()
	}
}
