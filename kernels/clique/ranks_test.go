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

// TestPerVertexRanks counts the cliques at each vertex by ranges of the roots' ranks, some of which end when they are due. The ranges add up to the
// cliques that List finds.
func TestPerVertexRanks(t *testing.T) {
	first := uint64(time.Now().UnixNano())
	for seed := first; seed < first+60; seed++ {
		rng := rand.New(rand.NewPCG(seed, 1))
		n := 1 + rng.IntN(150)
		s := testgraph.Random(seed, testgraph.Options{Vertices: n, Edges: rng.IntN(1 + n*min(n, 60)/4), Types: 1})
		sub := new(pattern.Subgraph)
		if rng.IntN(3) == 0 {
			sub = randomSubgraph(rng, s)
		}
		c := sub.Clique(1 + rng.IntN(6))
		env := &pattern.Env{Workers: 1 + rng.IntN(2)}
		want := make([]pattern.Count128, s.N())
		err := clique.List(t.Context(), s, c, env, func(vs []csr.VertexID) (bool, error) {
			for _, v := range vs {
				want[v].Lo++
			}
			return true, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		got, ranges := make([]pattern.Count128, s.N()), []pattern.RankRange{{Hi: s.N()}}
		for cut := range rng.IntN(4) {
			if at := rng.Uint64N(s.N() + 1); cut > 0 || at > 0 {
				last := &ranges[len(ranges)-1]
				at = last.Lo + at%(last.Hi-last.Lo+1)
				ranges = append(ranges, pattern.RankRange{Lo: at, Hi: last.Hi})
				ranges[len(ranges)-2].Hi = at
			}
		}
		var kept any
		for len(ranges) > 0 {
			r := ranges[0]
			part, calls, most := *c, 0, 1+rng.IntN(20)
			if part.Ranks = &r; rng.IntN(2) == 0 {
				part.Due = func(int) bool { calls++; return calls >= most }
			}
			part.Kept = kept
			vertices, counts, err := clique.CountPerVertexRanks(t.Context(), s, &part, env)
			if err != nil {
				t.Fatal(err)
			}
			for i, n := range counts {
				got[vertices[i]].Lo += n.Lo
			}
			kept = part.Kept
			if ranges[0].Hi = r.Lo; r.Lo <= ranges[0].Lo {
				ranges = ranges[1:]
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d: %d-cliques by vertex: %v; want %v", seed, c.K, got, want)
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

// TestPerVertexWide compares cliques by vertex with those by edge, which come from another search: a clique has k-1 edges at each of its vertices.
// Neighbourhoods take several words.
func TestPerVertexWide(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	s, env := gnp(rand.New(rand.NewPCG(seed, 1)), 140, 0.6), &pattern.Env{Workers: 2}
	for k := 3; k < 6; k++ {
		byEdge, err := clique.CountPerEdge(t.Context(), s, new(pattern.Subgraph), k, env)
		if err != nil {
			t.Fatal(err)
		}
		want := make([]pattern.Count128, s.N())
		for i, n := range byEdge.Count {
			want[byEdge.Source[i]].Lo += n.Lo
			want[byEdge.Target[i]].Lo += n.Lo
		}
		counts, err := clique.CountPerVertex(t.Context(), s, new(pattern.Subgraph).Clique(k), env)
		if err != nil {
			t.Fatal(err)
		}
		for v, n := range counts {
			if n, err := n.Mul(uint64(k - 1)); err != nil || n != want[v] {
				t.Fatalf("seed %d: %d-cliques at %d: %v; want %v", seed, k, v, n, want[v])
			}
		}
	}
}
