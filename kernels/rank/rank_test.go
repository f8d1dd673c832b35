package rank_test

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
	"github.com/motifql/motif/kernels/internal/kerneltest"
	"github.com/motifql/motif/kernels/rank"
)

var kinds = []pattern.RequestKind{pattern.KindPageRank, pattern.KindArticleRank, pattern.KindDegree}

// TestScoresRandom compares page ranks, article ranks and degrees with the solutions of their equations.
func TestScoresRandom(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	rng := rand.New(rand.NewPCG(seed, 5))
	for i := range 600 {
		s, key := kerneltest.RandomWeighted(t, rng, 1+rng.IntN(14), rng.IntN(50))
		r := &pattern.ScoreRequest{Network: *kerneltest.RandomNetwork(rng, s, key), Damping: []float64{0.85, 0.5, 0, 0.99}[rng.IntN(4)],
			Tolerance: 1e-12, MaxIterations: 100_000, Normalize: rng.IntN(2) == 0}
		if rng.IntN(3) == 0 {
			r.Sources = []csr.VertexID{csr.VertexID(rng.IntN(int(s.N()))), csr.VertexID(rng.IntN(int(s.N())))}
		}
		kind := kinds[i%len(kinds)]
		want, err := testgraph.Brute{}.Scores(t.Context(), s, kind, r)
		if err != nil {
			t.Fatal(err)
		}
		memory := new(pattern.Memory)
		got, err := rank.Score(t.Context(), s, kind, r, &pattern.Env{Memory: memory})
		if err != nil || memory.Used() != 0 || !slices.EqualFunc(got, want, func(a, b float64) bool { return kerneltest.Near(a, b, 1e-11) }) {
			t.Fatalf("seed %d, graph %d, %v, %+v: %v, %v; want %v; %d bytes", seed, i, kind, r, got, err, want, memory.Used())
		}
	}
}

// TestDegreesRandom compares plain degrees, as numbers and late, with those of the dense matrix. Some graphs have uncommitted changes.
func TestDegreesRandom(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	rng := rand.New(rand.NewPCG(seed, 7))
	for i := range 300 {
		n := 1 + rng.IntN(300)
		s := kerneltest.RandomMulti(t, rng, n, rng.IntN(4*n))
		if rng.IntN(2) == 0 {
			s = changed(t, rng, s)
		}
		r := &pattern.ScoreRequest{Normalize: rng.IntN(2) == 0, Late: true,
			Network: pattern.Network{Types: []csr.TypeSet{nil, {0}, {1}, {0, 1}, {}}[rng.IntN(5)], Direction: csr.Direction(rng.IntN(3))}}
		want, err := testgraph.Brute{}.Scores(t.Context(), s, pattern.KindDegree, r)
		if err != nil {
			t.Fatal(err)
		}
		same := func(got []float64) bool {
			return slices.EqualFunc(got, want, func(a, b float64) bool { return kerneltest.Near(a, b, 1e-12) })
		}
		memory := new(pattern.Memory)
		got, err := rank.Score(t.Context(), s, pattern.KindDegree, r, &pattern.Env{Memory: memory, Workers: 1 + rng.IntN(3)})
		late, lateErr := rank.Degrees(t.Context(), s, r, new(pattern.Env))
		if err != nil || lateErr != nil || memory.Used() != 0 || !same(got) || !same(csr.AppendDegrees(nil, late, s, csr.Numbers(s))) {
			t.Fatalf("seed %d, graph %d, %+v: %v, %v, %v; want %v", seed, i, r, got, err, lateErr, want)
		}
	}
}

// changed returns s with relationships that came and went, and new vertices.
func changed(t *testing.T, rng *rand.Rand, s *csr.Snapshot) *csr.Snapshot {
	d := s.Draft()
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	var gone []csr.EdgeID
	for e := range s.AllEdges() {
		if rng.IntN(8) == 0 {
			gone = append(gone, e)
		}
	}
	for _, e := range gone {
		must(d.DeleteRel(e))
	}
	n := int(s.N())
	for range rng.IntN(4) {
		_, err := d.CreateNode(nil, nil)
		must(err)
		n++
	}
	for range rng.IntN(10) {
		_, err := d.CreateRel([]string{"A", "B"}[rng.IntN(2)], csr.VertexID(rng.IntN(n)), csr.VertexID(rng.IntN(n)), nil)
		must(err)
	}
	next, err := d.Snapshot(t.Context())
	must(err)
	return next
}

// TestScoresStop cancels every kind at many moments. Within a round the scores prove nothing: a search for them has not failed.
func TestScoresStop(t *testing.T) {
	s := testgraph.Random(1, testgraph.Options{Vertices: 3000, Edges: 20000})
	for _, direction := range []csr.Direction{csr.Out, csr.Both} {
		for _, kind := range append(slices.Clone(kinds), pattern.KindEigenvector) {
			r := &pattern.ScoreRequest{Network: pattern.Network{Direction: direction}, Damping: 0.85, Tolerance: 1e-9, MaxIterations: 1000}
			if _, err := rank.Score(t.Context(), s, kind, r, &pattern.Env{Workers: 1}); err != nil {
				t.Fatalf("%v, %v, not cancelled: %v", kind, direction, err)
			}
			for i := range 100 {
				ctx, cancel := context.WithCancel(t.Context())
				time.AfterFunc(time.Duration(i)*10*time.Microsecond, cancel)
				if _, err := rank.Score(ctx, s, kind, r, &pattern.Env{Workers: 1}); err != nil && !errors.Is(err, context.Canceled) {
					t.Errorf("%v, %v, cancelled after %d0 us: %v", kind, direction, i, err)
				}
				cancel()
			}
		}
	}
}

// TestEigenvectorRandom checks that edges bring each score a multiple of itself.
func TestEigenvectorRandom(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	rng := rand.New(rand.NewPCG(seed, 6))
	tried := 0
	for i := range 300 {
		s, key := kerneltest.RandomWeighted(t, rng, 2+rng.IntN(10), 10+rng.IntN(50))
		r := &pattern.ScoreRequest{Network: *kerneltest.RandomNetwork(rng, s, key), Tolerance: 1e-12, MaxIterations: 20_000}
		got, err := rank.Score(t.Context(), s, pattern.KindEigenvector, r, &pattern.Env{Workers: 2})
		var slow *pattern.NotConvergedError
		if errors.As(err, &slow) {
			continue
		}
		a, counts, _ := testgraph.Matrix(s, &r.Network)
		if !slices.Contains(counts, true) && err == nil {
			continue
		}
		squares, value := 0.0, 0.0
		y := make([]float64, len(a))
		for w := range a {
			squares += got[w] * got[w]
			for v := range a {
				y[w] += got[v] * max(0, a[v][w])
			}
			value += y[w] * got[w]
		}
		if err != nil || !kerneltest.Near(squares, 1, 1e-12) {
			t.Fatalf("seed %d, graph %d, %+v: %v, %v", seed, i, r, got, err)
		}
		for w := range y {
			if !kerneltest.Near(y[w], value*got[w], 1e-10) {
				t.Fatalf("seed %d, graph %d, %+v: %v brings %v", seed, i, r, got, y)
			}
		}
		if tried++; r.Direction == csr.Both {
			if want, err := (testgraph.Brute{}).Scores(t.Context(), s, pattern.KindEigenvector, r); err == nil {
				for v := range want {
					if !kerneltest.Near(got[v], want[v], 1e-6) {
						t.Fatalf("seed %d, graph %d, %+v: %v, want %v", seed, i, r, got, want)
					}
				}
			}
		}
	}
	if tried < 100 {
		t.Errorf("seed %d: %d vectors only", seed, tried)
	}
}

// TestWorkersAgree compares the bits of the scores for several numbers of workers, on a graph with several blocks.
func TestWorkersAgree(t *testing.T) {
	s := testgraph.Graph(1<<13, testgraph.RMAT(13, 16, 5), false)
	for _, kind := range append(kinds, pattern.KindEigenvector) {
		r := &pattern.ScoreRequest{Damping: 0.85, Tolerance: 1e-10, MaxIterations: 1000}
		if kind == pattern.KindEigenvector {
			r.Direction = csr.Both
		}
		want, err := rank.Score(t.Context(), s, kind, r, new(pattern.Env))
		if err != nil {
			t.Fatal(err)
		}
		for workers := 2; workers < 6; workers++ {
			if got, err := rank.Score(t.Context(), s, kind, r, &pattern.Env{Workers: workers}); err != nil || !slices.Equal(got, want) {
				t.Errorf("%v: %d workers give other scores, %v", kind, workers, err)
			}
		}
	}
}

// TestNotConverged stops iterations too early.
func TestNotConverged(t *testing.T) {
	s := testgraph.Graph(1<<8, testgraph.RMAT(8, 8, 5), false)
	for _, kind := range []pattern.RequestKind{pattern.KindPageRank, pattern.KindArticleRank, pattern.KindEigenvector} {
		_, err := rank.Score(t.Context(), s, kind, &pattern.ScoreRequest{Damping: 0.9, Tolerance: 1e-12, MaxIterations: 2}, new(pattern.Env))
		var slow *pattern.NotConvergedError
		if !errors.As(err, &slow) || slow.Iterations != 2 || slow.Bound < 1e-6 {
			t.Errorf("%v: %v", kind, err)
		}
	}
}

func BenchmarkPageRank(b *testing.B) {
	s := testgraph.Graph(1<<16, testgraph.RMAT(16, 16, 5), false)
	r := &pattern.ScoreRequest{Damping: 0.85, Tolerance: 1e-10, MaxIterations: 1000}
	for range b.N {
		if _, err := rank.Score(b.Context(), s, pattern.KindPageRank, r, new(pattern.Env)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEigenvector(b *testing.B) {
	s := testgraph.Graph(1<<16, testgraph.RMAT(16, 16, 5), false)
	r := &pattern.ScoreRequest{Network: pattern.Network{Direction: csr.Both}, Tolerance: 1e-10, MaxIterations: 1000}
	for b.Loop() {
		if _, err := rank.Score(b.Context(), s, pattern.KindEigenvector, r, new(pattern.Env)); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkDegree reads 8 bytes a vertex, or 8 bytes a weight.
func BenchmarkDegree(b *testing.B) {
	s, n := kerneltest.WeightedRMAT(b, 16, csr.Both)
	for _, weight := range []*pattern.Weight{nil, n.Weight} {
		b.Run(map[bool]string{true: "plain", false: "weights"}[weight == nil], func(b *testing.B) {
			r := &pattern.ScoreRequest{Network: pattern.Network{Direction: csr.Both, Weight: weight}}
			for b.Loop() {
				if _, err := rank.Score(b.Context(), s, pattern.KindDegree, r, new(pattern.Env)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
