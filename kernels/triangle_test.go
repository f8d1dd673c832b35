package kernels_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/shared"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/kernels"
	"github.com/motifql/motif/storage/importer"
)

// multigraph is a random graph of two types with loops, repeats and reciprocal relationships, and vertices of
// several classes.
func multigraph(t testing.TB, rng *rand.Rand, n int, density float64) *csr.Snapshot {
	b := csr.NewBuilder()
	label := b.Label("L")
	for range n {
		if rng.IntN(2) == 0 {
			b.AddVertex(label)
		} else {
			b.AddVertex()
		}
	}
	types := []csr.TypeID{b.Type("A"), b.Type("B")}
	for u := range n {
		for v := range n {
			for rng.Float64() < density {
				b.AddEdge(uint32(u), uint32(v), types[rng.IntN(2)])
			}
		}
	}
	s, _, err := b.Build(context.Background(), 1)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestTrianglesRandom compares with the brute force device: all types and one of them, both with and without numbers by
// vertex, on one and several workers.
func TestTrianglesRandom(t *testing.T) {
	const seed = 23
	rng := rand.New(rand.NewPCG(seed, 0))
	for round := range 150 {
		s := multigraph(t, rng, rng.IntN(40), []float64{0.02, 0.1, 0.3, 0.7}[round%4])
		for _, types := range []csr.TypeSet{nil, {}, {0}, {1}, {0, 1}} {
			want, wantBy, err := testgraph.Brute{}.Triangles(t.Context(), s, types, true, nil)
			if err != nil {
				t.Fatal(err)
			}
			memory := &pattern.Memory{Limit: 1 << 20}
			env := &pattern.Env{Workers: round % 4, Memory: memory}
			got, by, err := kernels.Triangles(t.Context(), s, types, true, env)
			if err != nil || got != want || !slices.Equal(by, wantBy) {
				t.Fatalf("seed %d round %d types %v: %d %v %v, want %d %v", seed, round, types, got, by, err, want, wantBy)
			}
			got, by, err = kernels.Triangles(t.Context(), s, types, false, env)
			if err != nil || got != want || by != nil {
				t.Fatalf("seed %d round %d types %v: %d %v %v, want %d", seed, round, types, got, by, err, want)
			}
			if memory.Used() != 0 || memory.Peak() == 0 && s.N() > 0 {
				t.Fatalf("seed %d round %d: %d bytes kept, %d at most", seed, round, memory.Used(), memory.Peak())
			}
		}
	}
}

func TestTrianglesStop(t *testing.T) {
	s := testgraph.Graph(1<<10, testgraph.RMAT(10, 16, 1), true)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := kernels.Triangles(ctx, s, nil, false, &pattern.Env{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a search that was called off: %v", err)
	}
	env := &pattern.Env{Memory: &pattern.Memory{Limit: 1000}}
	if _, _, err := kernels.Triangles(t.Context(), s, nil, false, env); !errors.Is(err, pattern.ErrMemory) || env.Memory.Used() != 0 {
		t.Errorf("a search in 1000 bytes: %v, %d bytes kept", err, env.Memory.Used())
	}
}

// TestTrianglesShared compares with published numbers and, by vertex, with an independent sum.
func TestTrianglesShared(t *testing.T) {
	for file, want := range map[string]uint64{
		"ca-GrQc.txt.zst":           48260,
		"facebook_combined.txt.zst": 1612010,
		"soc-Slashdot0902.txt.zst":  602592,
	} {
		s, _, err := importer.Load(t.Context(), importer.Spec{Files: []string{shared.File(t, "data", file)}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		got, by, err := kernels.Triangles(t.Context(), s, nil, true, &pattern.Env{Workers: 2})
		if err != nil || got != want {
			t.Errorf("%s: %d triangles, %v, want %d", file, got, err, want)
		}
		sum := uint64(0)
		for _, n := range by {
			sum += n
		}
		if sum != 3*want {
			t.Errorf("%s: the numbers by vertex add up to %d, want %d", file, sum, 3*want)
		}
	}
}
