package join_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/motifql/motif/filter"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/join"
)

// prefixes is a sink that keeps what the matches give to some vertices.
type prefixes struct {
	of    []int
	mu    sync.Mutex
	given int
	found map[string]bool
}

func (c *prefixes) NeedEdges() bool { return false }

func (c *prefixes) Emit(batch []pattern.Embedding) (bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range batch {
		key := ""
		for _, u := range c.of {
			key += fmt.Sprint(m.Vertices[u], " ")
		}
		c.found[key] = true
		c.given++
	}
	return true, nil
}

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
		want, got := &prefixes{found: map[string]bool{}}, &prefixes{found: map[string]bool{}}
		for _, st := range j.Order.Steps[:k] {
			want.of, got.of = append(want.of, st.Vertex), append(got.of, st.Vertex)
		}
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
		if fmt.Sprint(got.found) != fmt.Sprint(want.found) {
			t.Fatalf("seed %d: first %d steps of %+v: found %v, want %v\n%v", seed, k, j.Order, got.found, want.found, p)
		}
		all, given, ended = all+want.given, given+got.given, ended+env.Tally.Taken[pattern.FirstMatch].Load()
	}
	if given*4 > all*3 || ended == 0 {
		t.Errorf("%d matches of %d given, %d searches ended", given, all, ended)
	}
}
