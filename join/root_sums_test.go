package join_test

import (
	"context"
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/join"
	"github.com/motifql/motif/planner/match"
)

// TestRootSums compares counts by one vertex with brute force, in every mode, on graphs with loops, parallel and reciprocal relationships,
// types and labels. The counts add up to the total.
func TestRootSums(t *testing.T) {
	defer join.AlwaysFormula()()
	taken, wedges := uint64(0), uint64(0)
	for seed := range rounds(700) {
		rng := rand.New(rand.NewPCG(seed, 41))
		s := testgraph.Random(seed, testgraph.Options{Simple: rng.IntN(3) > 0, Vertices: 4 + rng.IntN(3), Edges: 4 + rng.IntN(14), Types: 1 + rng.IntN(2), Labels: 2})
		p := formulaPattern(rng, s)
		if rng.IntN(2) == 0 {
			p = cyclicPattern(rng, s, cyclic)
		}
		j := job(t, s, p)
		j.Order = match.OrderFor(match.Filtered, &match.Question{Pattern: p, Snapshot: s, Sizes: sizesOf(j)}).Order
		g := &pattern.Groups{Read: []int{rng.IntN(len(p.Vertices))}}
		if g.Formula, _ = match.GroupFormula(p, s, g.Read, 1e12); g.Formula == nil {
			continue
		}
		each := map[csr.VertexID]int{}
		for v := range csr.VertexID(s.N()) {
			each[v] = int(v)
		}
		found := func() *groupNumbers {
			return &groupNumbers{read: g.Read, partOf: []map[csr.VertexID]int{each}, found: map[string]uint64{}}
		}
		want, got := found(), found()
		if err := (testgraph.Brute{}).Match(context.Background(), j, &pattern.Env{}, want); err != nil {
			t.Fatal(err)
		}
		total, err := testgraph.Brute{}.Count(context.Background(), j, &pattern.Env{})
		if err != nil {
			t.Fatal(err)
		}
		j.Groups = g
		env := &pattern.Env{Workers: 1 + rng.IntN(3), Tally: new(pattern.Tally), Memory: new(pattern.Memory)}
		if err := join.Match(context.Background(), j, env, got); err != nil {
			t.Fatal(err)
		}
		sum := uint64(0)
		for _, n := range got.found {
			sum += n
		}
		if !maps.Equal(got.found, want.found) || pattern.Count(sum) != total {
			t.Fatalf("seed %d: %v with the sum %d, want %v with %v\n%v\n%v\n%v", seed, got.found, sum, want.found, total, p, g.Formula, s.Stats)
		}
		if used := env.Memory.Used(); used != 0 {
			t.Fatalf("seed %d: %d bytes of the memory budget not given back", seed, used)
		}
		if n := env.Tally.Taken[pattern.GroupSums].Load(); n > 0 {
			if taken++; int(n) != len(got.found) {
				t.Fatalf("seed %d: %d groups, counted %d", seed, len(got.found), n)
			}
			wedges += min(1, env.Tally.Taken[pattern.OrderedWedges].Load())
		}
	}
	if taken < rounds(700)/8 || wedges == 0 && !testing.Short() {
		t.Errorf("%d patterns counted by a root, %d by ordered wedges", taken, wedges)
	}
}
