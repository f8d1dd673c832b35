package truss_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/shared"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/kernels/internal/kerneltest"
	"github.com/motifql/motif/kernels/truss"
	"github.com/motifql/motif/storage/importer"
)

func sameTrusses(t *testing.T, what string, got, want *pattern.Trusses) {
	t.Helper()
	if g, w := kerneltest.TrussByEdge(t, got), kerneltest.TrussByEdge(t, want); !maps.Equal(g, w) {
		t.Fatalf("%s: got %v, want %v", what, g, w)
	}
}

func TestTrussesRandom(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	rng := rand.New(rand.NewPCG(seed, 3))
	reached := map[uint32]bool{}
	for i := range 1000 {
		s := kerneltest.Planted(rng, 1+rng.IntN(24))
		if i%4 == 0 {
			s = testgraph.Random(rng.Uint64(), testgraph.Options{})
		}
		types := []csr.TypeSet{nil, nil, {0}, {}}[rng.IntN(4)]
		set := kerneltest.SomeVertices(rng, s)
		for _, k := range []uint32{0, pattern.KMax, 1 + rng.Uint32N(9)} {
			want, err := testgraph.Brute{}.Trusses(t.Context(), s, &pattern.TrussRequest{Types: types, Within: set, K: k}, &pattern.Env{})
			if err != nil {
				t.Fatal(err)
			}
			reached[want.KMax] = true
			for workers := range 4 {
				got, err := truss.Decompose(t.Context(), s, &pattern.TrussRequest{Types: types, Within: set, K: k}, &pattern.Env{Workers: workers})
				if err != nil {
					t.Fatal(err)
				}
				sameTrusses(t, fmt.Sprintf("seed %d, graph %d, types %v, k %d, %d workers", seed, i, types, int32(k), workers), got, want)
			}
		}
	}
	for _, k := range []uint32{0, 2, 3, 4, 5, 8} {
		if !reached[k] {
			t.Errorf("seed %d: no graph with kmax %d", seed, k)
		}
	}
}

// TestTrussesLarger compares on graphs with more edges than a chunk, so that workers do share rounds. The slow side is
// peeling by the definition on neighbour sets.
func TestTrussesLarger(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	rng := rand.New(rand.NewPCG(seed, 4))
	for i := range 4 {
		s := testgraph.Graph(1<<9, testgraph.Undirected(testgraph.RMAT(9, 4+rng.IntN(12), rng.Uint64())), i%2 == 0)
		want := slowTrusses(s)
		kmax := slices.Max(slices.Collect(maps.Values(want)))
		for _, k := range []uint32{0, pattern.KMax, 3 + rng.Uint32N(kmax)} {
			least := k
			if k == pattern.KMax {
				least = kmax
			}
			part := maps.Clone(want)
			maps.DeleteFunc(part, func(_ [2]csr.VertexID, truss uint32) bool { return truss < least })
			var first *pattern.Trusses
			for _, workers := range []int{1, 2, 5} {
				tally := new(pattern.Tally)
				got, err := truss.Decompose(t.Context(), s, &pattern.TrussRequest{K: k}, &pattern.Env{Workers: workers, Tally: tally})
				if err != nil {
					t.Fatal(err)
				}
				if k != 0 && k != pattern.KMax {
					for e := range part {
						part[e] = k
					}
				}
				if !maps.Equal(kerneltest.TrussByEdge(t, got), part) {
					t.Fatalf("seed %d, graph %d, k %d, %d workers: wrong trusses", seed, i, int32(k), workers)
				}
				if first == nil {
					first = got
				}
				if !slices.Equal(first.Source, got.Source) || !slices.Equal(first.Target, got.Target) {
					t.Fatalf("seed %d, graph %d, k %d: the order depends on the number of workers", seed, i, int32(k))
				}
				if done, all := tally.UnitsDone.Load(), tally.Units.Load(); k == 0 && (done != all || all != uint64(len(want))) {
					t.Fatalf("%d of %d units done, %d edges", done, all, len(want))
				}
			}
		}
	}
}

// slowTrusses peels neighbour sets.
func slowTrusses(s *csr.Snapshot) map[[2]csr.VertexID]uint32 {
	near := make([]map[csr.VertexID]bool, s.N())
	left := map[[2]csr.VertexID]bool{}
	adj := s.Adjacency(nil, csr.Both)
	for v := range near {
		near[v] = map[csr.VertexID]bool{}
		for _, w := range adj.Neighbours(csr.VertexID(v)) {
			if int(w) != v {
				near[v][w] = true
				left[[2]csr.VertexID{min(w, csr.VertexID(v)), max(w, csr.VertexID(v))}] = true
			}
		}
	}
	truss := map[[2]csr.VertexID]uint32{}
	for k := uint32(3); len(left) > 0; k++ {
		for again := true; again; {
			again = false
			for e := range left {
				common := uint32(0)
				for x := range near[e[0]] {
					if near[e[1]][x] {
						common++
					}
				}
				if common+2 < k {
					delete(left, e)
					delete(near[e[0]], e[1])
					delete(near[e[1]], e[0])
					truss[e], again = k-1, true
				}
			}
		}
	}
	return truss
}

// TestTrussesKnown has shapes whose trusses are known: a k-clique is a k-truss, and what hangs off it is not.
func TestTrussesKnown(t *testing.T) {
	s := testgraph.Graph(50+100, testgraph.Cliques(1, 50), true)
	for k, want := range map[uint32]int{0: 1225, 2: 1225, 50: 1225, 51: 0, pattern.KMax: 1225, pattern.KMax - 1: 0} {
		r, err := truss.Decompose(t.Context(), s, &pattern.TrussRequest{K: k}, &pattern.Env{})
		if err != nil || len(r.Truss) != want {
			t.Errorf("k %d of K50: %d edges, %v; want %d", int32(k), len(r.Truss), err, want)
		}
	}
	grid := testgraph.Graph(100*100, testgraph.Grid(100, 100), true)
	for _, k := range []uint32{0, pattern.KMax} {
		r, err := truss.Decompose(t.Context(), grid, &pattern.TrussRequest{K: k}, &pattern.Env{Workers: 2})
		if err != nil || r.KMax != 2 || len(r.Truss) != 2*100*99 {
			t.Errorf("k %d of a grid: kmax %d, %d edges, %v", int32(k), r.KMax, len(r.Truss), err)
		}
	}
}

func TestTrussesLimits(t *testing.T) {
	s := testgraph.Graph(1<<11, testgraph.RMAT(11, 16, 1), false)
	for _, k := range []uint32{0, 4, pattern.KMax} {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := truss.Decompose(ctx, s, &pattern.TrussRequest{K: k}, &pattern.Env{}); !errors.Is(err, context.Canceled) {
			t.Errorf("k %d, cancelled: %v", int32(k), err)
		}
		small, enough := &pattern.Memory{Limit: 1000}, new(pattern.Memory)
		if _, err := truss.Decompose(t.Context(), s, &pattern.TrussRequest{K: k}, &pattern.Env{Memory: small}); !errors.Is(err, pattern.ErrMemory) {
			t.Errorf("k %d, 1000 bytes: %v", int32(k), err)
		}
		if _, err := truss.Decompose(t.Context(), s, &pattern.TrussRequest{K: k}, &pattern.Env{Memory: enough}); err != nil || enough.Peak() == 0 {
			t.Errorf("k %d: %v, peak %d", int32(k), err, enough.Peak())
		}
		if small.Used() != 0 || enough.Used() != 0 {
			t.Errorf("k %d: %d and %d bytes not given back", int32(k), small.Used(), enough.Used())
		}
	}
}

// TestTrussesCancelled cancels at a random moment: the answer is the error or, if it came too late, complete.
func TestTrussesCancelled(t *testing.T) {
	s := testgraph.Graph(1<<11, testgraph.RMAT(11, 16, 1), false)
	s.Adjacency(nil, csr.Both)
	start := time.Now()
	full, err := truss.Decompose(t.Context(), s, &pattern.TrussRequest{K: 0}, &pattern.Env{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	took := time.Since(start)
	for i := range 20 {
		ctx, cancel := context.WithTimeout(t.Context(), took*time.Duration(i)/15)
		r, err := truss.Decompose(ctx, s, &pattern.TrussRequest{K: 0}, &pattern.Env{Workers: 2})
		if err == nil && r.KMax != full.KMax || err != nil && !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("cancelled after %d of 15 parts: %v", i, err)
		}
		cancel()
	}
}

// TestTrussesShared compares the trusses of the largest k on real graphs with known figures.
func TestTrussesShared(t *testing.T) {
	for _, graph := range []string{
		"as-caida20071105", "ca-AstroPh-cc1", "ca-CondMat-cc1", "ca-GrQc", "ca-HepTh", "cit-HepPh", "cit-HepTh", "email-Enron",
		"email-Eu-core", "facebook_combined", "p2p-Gnutella08", "p2p-Gnutella24", "soc-Slashdot0902", "wiki-Vote",
	} {
		t.Run(graph, func(t *testing.T) {
			spec := importer.Spec{Files: []string{shared.File(t, "data", graph+".txt.zst")}, Undirected: true}
			s, _, err := importer.Load(t.Context(), spec, nil)
			if err != nil {
				t.Fatal(err)
			}
			kmax, edges, vertices := int(shared.Truth(t, graph, "kmax_truss")), int(shared.Truth(t, graph, "kmax_truss_edges")), int(shared.Truth(t, graph, "kmax_truss_vertices"))
			for _, workers := range []int{1, 2} {
				env := &pattern.Env{Workers: workers}
				full, err := truss.Decompose(t.Context(), s, &pattern.TrussRequest{K: 0}, env)
				if err != nil || len(full.Truss) != int(shared.Truth(t, graph, "edges_undirected_simple")) {
					t.Fatalf("%d edges, %v", len(full.Truss), err)
				}
				largest, err := truss.Decompose(t.Context(), s, &pattern.TrussRequest{K: pattern.KMax}, env)
				if err != nil {
					t.Fatal(err)
				}
				exact, err := truss.Decompose(t.Context(), s, &pattern.TrussRequest{K: uint32(kmax)}, env)
				if err != nil {
					t.Fatal(err)
				}
				top := kerneltest.TrussByEdge(t, full)
				maps.DeleteFunc(top, func(_ [2]csr.VertexID, k uint32) bool { return int(k) < kmax })
				in := map[csr.VertexID]bool{}
				for e := range top {
					in[e[0]], in[e[1]] = true, true
				}
				if int(full.KMax) != kmax || len(top) != edges || len(in) != vertices {
					t.Errorf("kmax %d of %d edges and %d vertices, want %d of %d and %d", full.KMax, len(top), len(in), kmax, edges, vertices)
				}
				if !maps.Equal(kerneltest.TrussByEdge(t, largest), top) || !maps.Equal(kerneltest.TrussByEdge(t, exact), top) {
					t.Errorf("%d workers: the truss of the largest k differs from the full decomposition", workers)
				}
			}
		})
	}
}
