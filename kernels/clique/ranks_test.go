package clique_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/kernels/clique"
)

// TestRanks counts and lists the cliques of random graphs by ranges of the roots' ranks. The ranges add up to all cliques, and list each once.
func TestRanks(t *testing.T) {
	first := uint64(time.Now().UnixNano())
	for seed := first; seed < first+300; seed++ {
		rng := rand.New(rand.NewPCG(seed, 1))
		n := 1 + rng.IntN(40)
		s := testgraph.Random(seed, testgraph.Options{Vertices: n, Edges: rng.IntN(1 + n*n/3), Types: 1})
		c := randomSets(rng, s)
		env := &pattern.Env{Workers: 1 + rng.IntN(2)}
		want, err := clique.Count(t.Context(), s, c, env)
		if err != nil {
			t.Fatal(err)
		}
		var cuts []uint64
		for range rng.IntN(5) {
			cuts = append(cuts, rng.Uint64N(s.N()+1))
		}
		cuts = append(cuts, 0, s.N())
		slices.Sort(cuts)
		counted, listed := pattern.Count128{}, uint64(0)
		for i, lo := range cuts[:len(cuts)-1] {
			part := *c
			part.Ranks = &pattern.RankRange{Lo: lo, Hi: cuts[i+1]}
			n, err := clique.Count(t.Context(), s, &part, env)
			if err == nil {
				counted, err = counted.Add(n)
			}
			if err == nil {
				err = clique.List(t.Context(), s, &part, env, func([]csr.VertexID) (bool, error) { listed++; return true, nil })
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if counted != want || listed != want.Lo {
			t.Fatalf("seed %d: cuts %v: %v counted and %d listed of %v", seed, cuts, counted, listed, want)
		}
	}
}

// randomSets asks for cliques of one group or of two.
func randomSets(rng *rand.Rand, s *csr.Snapshot) *pattern.Clique {
	if rng.IntN(2) == 0 {
		k := 1 + rng.IntN(5)
		return &pattern.Clique{K: k, Sets: []*pattern.CandidateSet{nil}, Sizes: []int{k}}
	}
	var lists [2][]csr.VertexID
	for v := range csr.VertexID(s.N()) {
		i := rng.IntN(2)
		lists[i] = append(lists[i], v)
	}
	sizes := []int{1 + rng.IntN(2), 1 + rng.IntN(2)}
	return &pattern.Clique{K: sizes[0] + sizes[1], Sizes: sizes, Sets: []*pattern.CandidateSet{pattern.NewCandidateSet(s.N(), lists[0]), pattern.NewCandidateSet(s.N(), lists[1])}}
}
