package hom_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/kernels/hom"
)

// TestBytes compares the estimate of memory with what a count charges, on random graphs to count. The scratch of package triangle and of searches for
// tips, which grows with the graph alone, is 512 KiB at most.
func TestBytes(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	rng := rand.New(rand.NewPCG(seed, 0))
	s := testgraph.Graph(1<<11, testgraph.RMAT(11, 8, 1), true)
	var odd []csr.VertexID
	for v := csr.VertexID(1); uint64(v) < s.N(); v += 2 {
		odd = append(odd, v)
	}
	counted, rounds := 0, 800
	if testing.Short() {
		rounds = 200
	}
	for range rounds {
		h := hom.NewCounter(s)
		h.AddSet(nil)
		h.AddSet(pattern.NewCandidateSet(s.N(), odd))
		some := false
		for range 1 + rng.IntN(4) {
			var g hom.Graph
			g.Sets, g.Factors = testgraph.HomGraph(rng, 2, 1)
			for i := range g.Factors {
				g.Factors[i].Types = nil
			}
			if len(g.Sets) > 4 {
				continue
			}
			some = h.AddRooted(g, rng.IntN(len(g.Sets))) != nil || some
		}
		if !some {
			continue
		}
		memory := new(pattern.Memory)
		if _, err := h.Count(t.Context(), &pattern.Env{Workers: 1, Memory: memory}); err != nil {
			continue
		}
		counted++
		if got, peak := hom.Bytes(h), float64(memory.Peak()); peak > 3*got+1<<19 || got > 8*peak+1<<16 {
			t.Errorf("seed %d: estimated %.0f bytes, and charged %.0f", seed, got, peak)
		}
	}
	if counted < rounds/8 {
		t.Errorf("seed %d: only %d counted", seed, counted)
	}
}
