package core_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/spool"
	"github.com/motifql/motif/kernels/core"
	"github.com/motifql/motif/kernels/internal/kerneltest"
)

// TestSpooledDegeneracy compares with ByBins on random graphs, also such that nothing is left to search in memory.
func TestSpooledDegeneracy(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	r := rand.New(rand.NewPCG(seed, 3))
	for i := range 150 {
		g := kerneltest.RandomGraph(t, r, 1+r.IntN(60), r.Float64()*0.5)
		adj := g.Adjacency(nil, csr.Both)
		_, _, want, err := core.ByBins(t.Context(), adj, g.N())
		if err != nil {
			t.Fatal(err)
		}
		s, err := spool.New(t.TempDir(), nil)
		if err != nil {
			t.Fatal(err)
		}
		edges := s.NewList()
		for u := range csr.VertexID(g.N()) {
			for _, v := range adj.Neighbours(u) {
				if u < v {
					if err := edges.Put(uint64(u)<<32 | uint64(v)); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		for _, most := range []uint64{0, edges.Len() / 3, edges.Len()} {
			got, err := core.SpooledDegeneracy(t.Context(), s, edges, g.N(), most)
			if err != nil || got != want {
				t.Fatalf("seed %d, graph %d, most %d: degeneracy %d, %v; want %d", seed, i, most, got, err, want)
			}
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}
