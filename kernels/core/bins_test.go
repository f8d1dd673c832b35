package core_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/kernels/core"
	"github.com/motifql/motif/kernels/internal/kerneltest"
)

func TestCoresByBins(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	r := rand.New(rand.NewPCG(seed, 2))
	for i := range 200 {
		s := kerneltest.RandomGraph(t, r, 1+r.IntN(40), r.Float64()*0.3)
		adj := s.Adjacency(nil, csr.Both)
		core, order, degeneracy, err := core.ByBins(t.Context(), adj, s.N())
		if err != nil {
			t.Fatal(err)
		}
		want := naiveCores(adj, int(s.N()))
		if !slices.Equal(core, want) || degeneracy != slices.Max(want) {
			t.Fatalf("seed %d, graph %d: cores %v, degeneracy %d; want %v", seed, i, core, degeneracy, want)
		}
		checkDegeneracyOrder(t, adj, order, degeneracy)
	}
}

// naiveCores removes vertices of degree < k round by round.
func naiveCores(adj *csr.Adjacency, n int) []uint32 {
	core := make([]uint32, n)
	alive := make([]bool, n)
	for i := range alive {
		alive[i] = true
	}
	for k := uint32(1); slices.Contains(alive, true); k++ {
		for again := true; again; {
			again = false
			for v := range n {
				degree := uint32(0)
				for _, w := range adj.Neighbours(csr.VertexID(v)) {
					if alive[w] && int(w) != v {
						degree++
					}
				}
				if alive[v] && degree < k {
					alive[v], core[v], again = false, k-1, true
				}
			}
		}
	}
	return core
}

func checkDegeneracyOrder(t *testing.T, adj *csr.Adjacency, order []csr.VertexID, degeneracy uint32) {
	t.Helper()
	at := make(map[csr.VertexID]int)
	for i, v := range order {
		at[v] = i
	}
	if len(at) != len(order) {
		t.Fatalf("order %v is no permutation", order)
	}
	for i, v := range order {
		behind := uint32(0)
		for _, w := range adj.Neighbours(v) {
			if at[w] > i {
				behind++
			}
		}
		if behind > degeneracy {
			t.Fatalf("vertex %d has %d neighbours behind it, degeneracy is %d", v, behind, degeneracy)
		}
	}
}

// TestBinsEnd checks that ByBins ends with its context.
func TestBinsEnd(t *testing.T) {
	s := kerneltest.RandomGraph(t, rand.New(rand.NewPCG(1, 1)), 400, 0.5)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, _, err := core.ByBins(ctx, s.Adjacency(nil, csr.Both), s.N()); err != context.Canceled {
		t.Errorf("ended with %v", err)
	}
}

// BenchmarkByBins measures ByBins on a graph of two million relationships.
func BenchmarkByBins(b *testing.B) {
	s := kerneltest.RandomGraph(b, rand.New(rand.NewPCG(1, 1)), 2000, 0.5)
	adj := s.Adjacency(nil, csr.Both)
	for b.Loop() {
		if _, _, _, err := core.ByBins(context.Background(), adj, s.N()); err != nil {
			b.Fatal(err)
		}
	}
}
