package core_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/kernels/core"
	"github.com/motifql/motif/kernels/internal/kerneltest"
)

func TestCoresRandom(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	rng := rand.New(rand.NewPCG(seed, 5))
	reached := map[uint32]bool{}
	for i := range 300 {
		s := kerneltest.Planted(rng, 1+rng.IntN(24))
		if i%4 == 0 {
			s = testgraph.Random(rng.Uint64(), testgraph.Options{})
		}
		r := pattern.CoreRequest{Types: []csr.TypeSet{nil, nil, {0}, {}}[rng.IntN(4)], Direction: csr.Direction(rng.IntN(3)),
			Within: kerneltest.SomeVertices(rng, s), Order: true}
		want, err := testgraph.Brute{}.Cores(t.Context(), s, &r, &pattern.Env{})
		if err != nil {
			t.Fatal(err)
		}
		reached[want.Degeneracy] = true
		for _, r.Variant = range kerneltest.CoreVariants {
			for workers := range 5 {
				name := fmt.Sprintf("seed %d, graph %d, %v, %v, %d workers", seed, i, r.Variant, r.Direction, workers)
				sameCores(t, name, s, r, want, &pattern.Env{Workers: workers})
			}
		}
	}
	for _, k := range []uint32{0, 1, 2, 3, 5} {
		if !reached[k] {
			t.Errorf("seed %d: no graph of degeneracy %d", seed, k)
		}
	}
}

// sameCores compares a decomposition, its order and a few single cores with those known.
func sameCores(t *testing.T, name string, s *csr.Snapshot, r pattern.CoreRequest, want *pattern.Cores, env *pattern.Env) {
	t.Helper()
	got, err := core.Decompose(t.Context(), s, &r, env)
	if err != nil {
		t.Fatal(name, err)
	}
	if !slices.Equal(got.Core, want.Core) || got.Degeneracy != want.Degeneracy {
		t.Fatalf("%s: %v, %d; want %v, %d", name, got.Core, got.Degeneracy, want.Core, want.Degeneracy)
	}
	if err := kerneltest.CheckOrder(s, &r, got); err != nil {
		t.Fatal(name, err)
	}
	for _, k := range []uint32{1, want.Degeneracy/2 + 1, want.Degeneracy, want.Degeneracy + 1} {
		if r.K = max(k, 1); got.Core == nil {
			continue
		}
		part, err := core.Decompose(t.Context(), s, &r, env)
		var members []csr.VertexID
		for v, c := range want.Core {
			if c >= r.K {
				members = append(members, csr.VertexID(v))
			}
		}
		if err != nil || part.Core != nil || !slices.Equal(part.Members, members) {
			t.Fatalf("%s: the %d-core is %v, %v; want %v", name, r.K, part.Members, err, members)
		}
	}
}

// TestCoresLarger compares the ways with each other where levels are shared, and the way by bins with the definition.
func TestCoresLarger(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	rng := rand.New(rand.NewPCG(seed, 6))
	for i, s := range []*csr.Snapshot{
		testgraph.Graph(1<<11, testgraph.RMAT(11, 24, seed), true),
		testgraph.Graph(1<<11, testgraph.RMAT(11, 16, seed), false),
		testgraph.Graph(20_000, testgraph.ER(20_000, 70_000, seed), true),
		testgraph.Graph(100*130, testgraph.Grid(100, 130), false),
		testgraph.Graph(1000+40*41, testgraph.Cliques(20, 41, 30), true),
	} {
		for _, dir := range []csr.Direction{csr.Both, csr.Out, csr.In} {
			r := pattern.CoreRequest{Direction: dir, Order: true, Within: kerneltest.SomeVertices(rng, s), Variant: pattern.CoreBZ}
			want, err := core.Decompose(t.Context(), s, &r, &pattern.Env{})
			if err != nil {
				t.Fatal(err)
			}
			checkCoreness(t, s, &r, want.Core)
			for _, r.Variant = range kerneltest.CoreVariants {
				for _, workers := range []int{1, 3} {
					sameCores(t, fmt.Sprintf("seed %d, graph %d, %v, %v, %d workers", seed, i, dir, r.Variant, workers), s, r, want, &pattern.Env{Workers: workers})
				}
			}
		}
	}
}

// checkCoreness tests the fixed point: a vertex of coreness k has k neighbours of coreness k or more, and not k+1 of k+1 or
// more. (That coreness is not too small follows from the order that kerneltest.CheckOrder walks.)
func checkCoreness(t *testing.T, s *csr.Snapshot, r *pattern.CoreRequest, core []uint32) {
	adj := s.Adjacency(r.Types, r.Direction)
	for v := range csr.VertexID(s.N()) {
		same, more := uint32(0), uint32(0)
		for _, w := range adj.Neighbours(v) {
			if w != v && kerneltest.InSet(r.Within, w) && kerneltest.InSet(r.Within, v) {
				if core[w] >= core[v] {
					same++
				}
				if core[w] > core[v] {
					more++
				}
			}
		}
		if same < core[v] || more > core[v] {
			t.Fatalf("vertex %d of coreness %d has %d such neighbours, %d of more", v, core[v], same, more)
		}
	}
}

func TestCoresLimits(t *testing.T) {
	s := testgraph.Graph(1<<11, testgraph.RMAT(11, 16, 1), false)
	for _, v := range kerneltest.CoreVariants {
		for _, k := range []uint32{0, 3} {
			r := &pattern.CoreRequest{Direction: csr.Both, Variant: v, K: k, Order: true}
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if _, err := core.Decompose(ctx, s, r, &pattern.Env{}); !errors.Is(err, context.Canceled) {
				t.Errorf("%v, cancelled: %v", v, err)
			}
			small, enough, tally := &pattern.Memory{Limit: 1000}, new(pattern.Memory), new(pattern.Tally)
			if _, err := core.Decompose(t.Context(), s, r, &pattern.Env{Memory: small}); !errors.Is(err, pattern.ErrMemory) {
				t.Errorf("%v, 1000 bytes: %v", v, err)
			}
			if _, err := core.Decompose(t.Context(), s, r, &pattern.Env{Memory: enough, Tally: tally, Workers: 2}); err != nil || enough.Peak() == 0 {
				t.Errorf("%v: %v, peak %d", v, err, enough.Peak())
			}
			if small.Used() != 0 || enough.Used() != 0 {
				t.Errorf("%v: %d and %d bytes not given back", v, small.Used(), enough.Used())
			}
			if done, all := tally.UnitsDone.Load(), tally.Units.Load(); done != all || all != s.N() {
				t.Errorf("%v, k %d: %d of %d units done", v, k, done, all)
			}
		}
	}
	empty := testgraph.Graph(0, testgraph.Grid(0, 0), false)
	for _, v := range kerneltest.CoreVariants {
		if c, err := core.Decompose(t.Context(), empty, &pattern.CoreRequest{Variant: v, Order: true}, &pattern.Env{}); err != nil || len(c.Core) != 0 {
			t.Errorf("%v of an empty graph: %v, %v", v, c, err)
		}
	}
}

func TestCoreVariantNames(t *testing.T) {
	for _, v := range kerneltest.CoreVariants {
		if got, err := pattern.ParseCoreVariant(v.String()); got != v || err != nil {
			t.Errorf("%v: %v, %v", v, got, err)
		}
	}
	if _, err := pattern.ParseCoreVariant("magic"); err == nil {
		t.Error("an unknown name was taken")
	}
}
