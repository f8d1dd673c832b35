package join_test

import (
	"context"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/motifql/motif/filter"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/join"
)

// TestOnce ends searches at the first match of the vertices of the first steps and finds all of their choices.
func TestOnce(t *testing.T) {
	all, given, ended := 0, 0, uint64(0)
	for seed := range rounds(3000) {
		rng := rand.New(rand.NewPCG(seed, 11))
		s := testgraph.Random(seed, testgraph.Options{Simple: seed%4 == 0})
		p := testgraph.RandomPattern(rng, s)
		if slices.ContainsFunc(p.Scopes, func(sc pattern.Scope) bool { return sc.Distinct }) {
			continue
		}
		j := testgraph.RandomJob(rng, s, p)
		var err error
		if j.Candidates, err = filter.Run(context.Background(), s, p, &pattern.Env{}); err != nil {
			t.Fatal(err)
		}
		j.Order = randomOrder(rng, p)
		k := 1 + rng.IntN(len(p.Vertices))
		want, got := newPrefixes(j.Order, k), newPrefixes(j.Order, k)
		if err := (testgraph.Brute{}).Match(context.Background(), j, &pattern.Env{}, want); err != nil {
			t.Fatal(err)
		}
		restore := func() {}
		if seed%3 > 0 {
			restore = join.Tiny(seed / 3)
		}
		j.DistinctPrefix = k
		env := &pattern.Env{Workers: 1 + rng.IntN(3), Tally: new(pattern.Tally)}
		if err := join.Match(context.Background(), j, env, got); err != nil {
			t.Fatal(err)
		}
		restore()
		if !maps.EqualFunc(got.found, want.found, func(uint64, uint64) bool { return true }) { // one match stands for all
			t.Fatalf("seed %d: first %d steps of %+v: found %v, want %v\n%v", seed, k, j.Order, got.found, want.found, p)
		}
		all, given, ended = all+want.given, given+got.given, ended+env.Tally.Taken[pattern.FirstMatch].Load()
	}
	if given*4 > all*3 || ended == 0 {
		t.Errorf("%d matches of %d given, %d searches ended", given, all, ended)
	}
}
