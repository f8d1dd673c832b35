package join_test

import (
	"context"
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/motifql/motif/filter"
	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/join"
	"github.com/motifql/motif/planner/match"
)

// TestReadPrefix compares the numbers of matches by the vertices of the first steps with brute force.
func TestReadPrefix(t *testing.T) {
	listed, given, counted := 0, 0, uint64(0)
	for seed := range rounds(6000) {
		rng := rand.New(rand.NewPCG(seed, 12))
		opt := testgraph.Options{Simple: seed%4 == 0}
		if seed%5 == 0 {
			opt = testgraph.Options{Simple: rng.IntN(3) > 0, Vertices: 3 + rng.IntN(5), Edges: 4 + rng.IntN(14), Types: 1}
		}
		s := testgraph.Random(seed, opt)
		p := testgraph.RandomPattern(rng, s)
		if seed%5 == 0 {
			p = plainPattern(rng, s, 3+rng.IntN(4))
		}
		j := testgraph.RandomJob(rng, s, p)
		var err error
		if j.Candidates, err = filter.Run(context.Background(), s, p, &pattern.Env{}); err != nil {
			t.Fatal(err)
		}
		j.Order = randomOrder(rng, p)
		k := 1 + rng.IntN(len(p.Vertices))
		want, got := newPrefixes(j.Order, k), newPrefixes(j.Order, k)
		if rng.IntN(2) == 0 { // the planner's order, which may make another prefix
			j.Order, k = readOrder(s, p, j, want.vertices)
		}
		if err := (testgraph.Brute{}).Match(context.Background(), j, &pattern.Env{}, want); err != nil {
			t.Fatal(err)
		}
		restore := func() {}
		if seed%3 > 0 {
			restore = join.Tiny(seed / 3)
		}
		j.ReadPrefix = k
		env := &pattern.Env{Workers: 1 + rng.IntN(3), Tally: new(pattern.Tally), Memory: new(pattern.Memory)}
		if err := join.Match(context.Background(), j, env, got); err != nil {
			t.Fatal(err)
		}
		restore()
		if !maps.Equal(got.found, want.found) {
			t.Fatalf("seed %d: first %d steps of %+v: found %v, want %v\n%v", seed, k, j.Order, got.found, want.found, p)
		}
		if used := env.Memory.Used(); used != 0 {
			t.Fatalf("seed %d: %d bytes of the memory budget not given back", seed, used)
		}
		listed, given, counted = listed+want.given, given+got.given, counted+env.Tally.Taken[pattern.CountedTail].Load()
	}
	if given*4 > listed*3 || counted == 0 {
		t.Errorf("%d matches of %d given, %d of them counted", given, listed, counted)
	}
}

// readOrder is the planner's order for when the vertices of read are wanted, and how many steps match them.
func readOrder(s *csr.Snapshot, p *pattern.Pattern, j *pattern.Job, read []int) (pattern.Order, int) {
	sizes := make([]float64, len(p.Vertices))
	for u, c := range j.Candidates.Sets {
		sizes[u] = float64(c.Len())
	}
	a := match.OrderFor(match.Filtered, &match.Question{Pattern: p, Snapshot: s, Sizes: sizes, Read: read})
	return a.Order, a.ReadPrefix
}
