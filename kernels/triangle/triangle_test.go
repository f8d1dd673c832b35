package triangle

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/shared"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/kernels/clique"
	"github.com/motifql/motif/kernels/internal/kerneltest"
	"github.com/motifql/motif/kernels/sets"
	"github.com/motifql/motif/storage/importer"
)

// atEveryInstructionSet runs f with each set of vector instructions that this machine has.
func atEveryInstructionSet(t *testing.T, f func(t *testing.T)) {
	sets.EachLevel(func(level int) { t.Run(fmt.Sprintf("level=%d", level), f) })
}

// TestTrianglesRandom compares with the brute force device: all types and some of them, with and without numbers by
// vertex and dense rows, on one and several workers, with each set of instructions, on graphs of one class and of several.
func TestTrianglesRandom(t *testing.T) {
	atEveryInstructionSet(t, func(t *testing.T) {
		const seed = 23
		rng := rand.New(rand.NewPCG(seed, 0))
		var tally pattern.Tally
		for round := range 60 {
			s := kerneltest.RandomGraph(t, rng, rng.IntN(40), []float64{0.02, 0.1, 0.3, 0.7}[round%4])
			if round%3 == 0 { // enough vertices for dense rows, and a few without relationships
				s = testgraph.Graph(80+rng.IntN(9), testgraph.ER(uint32(72+rng.IntN(8)), uint64(rng.IntN(1000)), uint64(round)), round%2 == 0)
			}
			for _, types := range []csr.TypeSet{nil, {}, {0}, {1}, {0, 1}} {
				want, by, err := testgraph.Brute{}.Triangles(t.Context(), s, types, true, nil)
				if err != nil {
					t.Fatal(err)
				}
				where := fmt.Sprintf("seed %d round %d types %v", seed, round, types)
				env := &pattern.Env{Workers: round % 4, Memory: &pattern.Memory{Limit: 1 << 20}, Tally: &tally}
				checkTriangles(t, where, s, types, env, want, by)
				env.Without = env.Without.With(pattern.DenseRows)
				taken := tally.Taken[pattern.DenseRows].Load()
				checkTriangles(t, where+" without dense rows", s, types, env, want, by)
				if tally.Taken[pattern.DenseRows].Load() != taken {
					t.Fatalf("%s: dense rows taken though switched off", where)
				}
			}
		}
		if tally.Taken[pattern.DenseRows].Load() == 0 {
			t.Error("no dense rows were taken")
		}
	})
}

func checkTriangles(t *testing.T, where string, s *csr.Snapshot, types csr.TypeSet, env *pattern.Env, want uint64, wantBy []uint64) {
	t.Helper()
	got, by, err := Count(t.Context(), s, types, true, env)
	if err != nil || got != want || !slices.Equal(by, wantBy) {
		t.Fatalf("%s: %d %v %v, want %d %v", where, got, by, err, want, wantBy)
	}
	got, by, err = Count(t.Context(), s, types, false, env)
	if err != nil || got != want || by != nil {
		t.Fatalf("%s: %d %v %v, want %d", where, got, by, err, want)
	}
	if env.Memory.Used() != 0 || env.Memory.Peak() == 0 && s.N() > 0 {
		t.Fatalf("%s: %d bytes kept, %d at most", where, env.Memory.Used(), env.Memory.Peak())
	}
}

// TestTrianglesLarger compares with the clique kernel, on a graph that has vertices before and behind the dense ones.
func TestTrianglesLarger(t *testing.T) {
	s := testgraph.Graph(1<<13, testgraph.RMAT(13, 8, 5), true)
	c := &pattern.Clique{K: 3, Sets: []*pattern.CandidateSet{nil}, Sizes: []int{3}}
	want, by := uint64(0), make([]uint64, s.N())
	err := clique.List(t.Context(), s, c, &pattern.Env{}, func(clique []csr.VertexID) (bool, error) {
		want++
		for _, v := range clique {
			by[v]++
		}
		return true, nil
	})
	if err != nil || want == 0 {
		t.Fatal(want, err)
	}
	atEveryInstructionSet(t, func(t *testing.T) {
		checkTriangles(t, "RMAT", s, nil, &pattern.Env{Workers: 2, Memory: new(pattern.Memory)}, want, by)
	})
}

func TestTrianglesStop(t *testing.T) {
	s := testgraph.Graph(1<<10, testgraph.RMAT(10, 16, 1), true)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := Count(ctx, s, nil, false, &pattern.Env{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a search that was called off: %v", err)
	}
	env := &pattern.Env{Memory: &pattern.Memory{Limit: 1000}}
	if _, _, err := Count(t.Context(), s, nil, false, env); !errors.Is(err, pattern.ErrMemory) || env.Memory.Used() != 0 {
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
		s, _, err := importer.Load(t.Context(), importer.Spec{Files: []string{shared.File(t, "data", file)}, Undirected: true}, nil)
		if err != nil {
			t.Fatal(err)
		}
		got, by, err := Count(t.Context(), s, nil, true, &pattern.Env{Workers: 2})
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
