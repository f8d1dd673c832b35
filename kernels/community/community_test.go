package community_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/kernels/community"
	"github.com/motifql/motif/kernels/internal/kerneltest"
)

func randomRequest(t *testing.T, rng *rand.Rand, n int) (*csr.Snapshot, *pattern.CommunityRequest) {
	s, key := kerneltest.RandomWeighted(t, rng, n, rng.IntN(3*n+1))
	r := &pattern.CommunityRequest{Network: *kerneltest.RandomNetwork(rng, s, key), Resolution: []float64{1, 1, 0.5, 2}[rng.IntN(4)],
		MaxIterations: 1000, Seed: rng.Uint64()}
	return s, r
}

// TestLabelsRandom compares with a dense label propagation in the same order.
func TestLabelsRandom(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	rng := rand.New(rand.NewPCG(seed, 13))
	for i := range 400 {
		s, r := randomRequest(t, rng, 1+rng.IntN(20))
		if r.Unsettled = i%3 == 0; r.Unsettled {
			r.MaxIterations = 1 + rng.IntN(3)
		}
		want, err := testgraph.Brute{}.LabelPropagation(t.Context(), s, r)
		if err != nil {
			t.Fatal(err)
		}
		memory := new(pattern.Memory)
		got, err := community.Labels(t.Context(), s, r, &pattern.Env{Workers: 2, Memory: memory})
		if err != nil || memory.Used() != 0 || !slices.Equal(got.Of, want.Of) || !slices.Equal(got.Size, want.Size) || got.Iterations != want.Iterations || got.Converged != want.Converged ||
			!kerneltest.Near(got.Modularity, want.Modularity, 1e-12) {
			t.Fatalf("seed %d, graph %d, %+v: %+v, %v; want %+v", seed, i, r, got, err, want)
		}
	}
}

// TestLouvainRandom compares with the best of all divisions of small graphs, and looks for moves that gain.
func TestLouvainRandom(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	rng := rand.New(rand.NewPCG(seed, 14))
	best, graphs := 0, 200
	for i := range graphs {
		s, r := randomRequest(t, rng, 1+rng.IntN(7))
		n := r.Network
		n.Direction = csr.Both
		a, counts, err := testgraph.Matrix(s, &n)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range a {
			for w := range row {
				row[w] = max(0, row[w])
			}
		}
		memory := new(pattern.Memory)
		got, err := community.Louvain(t.Context(), s, r, &pattern.Env{Memory: memory})
		if err != nil || memory.Used() != 0 {
			t.Fatalf("seed %d, graph %d, %+v: %v, %d bytes", seed, i, r, err, memory.Used())
		}
		of := make([]int, len(a))
		for v := range of {
			if of[v] = int(got.Of[v]); !counts[v] {
				of[v] = -1 - v
			}
		}
		if q := testgraph.ModularityOf(a, of, r.Resolution); !kerneltest.Near(q, got.Modularity, 1e-12) {
			t.Fatalf("seed %d, graph %d, %+v: modularity %v, want %v", seed, i, r, got.Modularity, q)
		}
		for v := range of {
			for w := range of {
				moved := slices.Clone(of)
				moved[v] = of[w]
				if q := testgraph.ModularityOf(a, moved, r.Resolution); q > got.Modularity+1e-9 {
					t.Fatalf("seed %d, graph %d, %+v: %v has %v, but %v has %v", seed, i, r, of, got.Modularity, moved, q)
				}
			}
		}
		most := 0.0
		divisions(len(a), func(of []int) { most = max(most, testgraph.ModularityOf(a, of, r.Resolution)) })
		if got.Modularity > most+1e-12 {
			t.Fatalf("seed %d, graph %d: %v is more than the largest modularity, %v", seed, i, got.Modularity, most)
		}
		if got.Modularity >= most-1e-9 {
			best++
		}
	}
	t.Logf("%d of %d divisions have the largest modularity", best, graphs)
	if best < graphs*8/10 {
		t.Errorf("seed %d: only %d of %d divisions have the largest modularity", seed, best, graphs)
	}
}

// divisions calls fn with every division of n vertices.
func divisions(n int, fn func(of []int)) {
	of := make([]int, n)
	var put func(v, used int)
	put = func(v, used int) {
		if v == n {
			fn(of)
			return
		}
		for c := range used + 1 {
			of[v] = c
			put(v+1, max(used, c+1))
		}
	}
	put(0, 0)
}

// TestLouvainCliques finds cliques that a ring joins.
func TestLouvainCliques(t *testing.T) {
	const cliques, size = 30, 6
	s := testgraph.Graph(cliques*size, func(yield func(uint32, uint32) bool) {
		for c := range uint32(cliques) {
			for i := range uint32(size) {
				for j := range i {
					if !yield(c*size+i, c*size+j) {
						return
					}
				}
			}
			if !yield(c*size, (c*size+size+1)%(cliques*size)) {
				return
			}
		}
	}, false)
	got, err := community.Louvain(t.Context(), s, &pattern.CommunityRequest{Resolution: 3}, new(pattern.Env))
	if err != nil || len(got.Size) != cliques || slices.Min(got.Size) != size {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestLabelsNotConverged(t *testing.T) {
	s := testgraph.Graph(1<<8, testgraph.RMAT(8, 8, 5), false)
	_, err := community.Labels(t.Context(), s, &pattern.CommunityRequest{MaxIterations: 1}, new(pattern.Env))
	var slow *pattern.NotConvergedError
	if !errors.As(err, &slow) || slow.Iterations != 1 {
		t.Error(err)
	}
}

func BenchmarkLouvain(b *testing.B) {
	s := testgraph.Graph(1<<15, testgraph.RMAT(15, 16, 5), false)
	for range b.N {
		if _, err := community.Louvain(b.Context(), s, &pattern.CommunityRequest{Resolution: 1}, new(pattern.Env)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWeightedLouvain(b *testing.B) {
	s, n := kerneltest.WeightedRMAT(b, 14, csr.Both)
	for b.Loop() {
		if _, err := community.Louvain(b.Context(), s, &pattern.CommunityRequest{Network: n, Resolution: 1}, new(pattern.Env)); err != nil {
			b.Fatal(err)
		}
	}
}
