package join_test

import (
	"cmp"
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
	"github.com/motifql/motif/planner"
)

// collector is a sink that keeps everything.
type collector struct {
	edges bool
	mu    sync.Mutex
	found []string
}

func (c *collector) NeedEdges() bool { return c.edges }

func (c *collector) Emit(batch []pattern.Embedding) (bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range batch {
		if (m.Edges != nil) != c.edges && len(m.Edges) > 0 {
			return false, fmt.Errorf("edges %v, wanted: %v", m.Edges, c.edges)
		}
		for range m.Weight {
			c.found = append(c.found, fmt.Sprint(m.Vertices, m.Edges))
		}
	}
	return true, nil
}

func (c *collector) sorted() []string {
	slices.Sort(c.found)
	return c.found
}

// randomOrder is any matching order with the bound vertices first.
func randomOrder(rng *rand.Rand, p *pattern.Pattern) pattern.Order {
	seq := rng.Perm(len(p.Vertices))
	slices.SortStableFunc(seq, func(a, b int) int {
		rank := func(u int) int {
			if p.Vertices[u].Bound {
				return 0
			}
			return 1
		}
		return cmp.Compare(rank(a), rank(b))
	})
	return orderOf(p, seq...)
}

// orderOf is the matching order that takes the vertices as listed.
func orderOf(p *pattern.Pattern, seq ...int) pattern.Order {
	steps := make([]pattern.Step, len(seq))
	for k, u := range seq {
		steps[k].Vertex = u
		for i, e := range p.Edges {
			at := max(slices.Index(seq, e.From), slices.Index(seq, e.To))
			if at == k {
				steps[k].Backward = append(steps[k].Backward, i)
			}
		}
	}
	return pattern.Order{Steps: steps, Symmetric: make([]bool, len(p.Scopes)), Chains: make([]pattern.Chain, len(p.Scopes))}
}

// check compares a job's count and matches with brute force.
func check(t *testing.T, what string, j *pattern.Job, workers int) {
	t.Helper()
	ctx, env := context.Background(), &pattern.Env{Workers: workers, Tally: new(pattern.Tally), Memory: new(pattern.Memory)}
	fail := func(format string, args ...any) {
		t.Helper()
		t.Fatalf("%s, workers %d: %s\n%v\norder %+v\nbound %v %v\ncandidates\n%v", what, workers, fmt.Sprintf(format, args...), j.Pattern, j.Order,
			j.Vertices, j.Edges, j.Candidates)
	}
	for _, edges := range []bool{false, true} {
		want, got := &collector{edges: edges}, &collector{edges: edges}
		if err := (testgraph.Brute{}).Match(ctx, j, &pattern.Env{}, want); err != nil {
			t.Fatal(err)
		}
		if err := join.Match(ctx, j, env, got); err != nil {
			fail("Match: %v", err)
		}
		if !slices.Equal(want.sorted(), got.sorted()) {
			fail("edges %v: found\n%v, want\n%v", edges, got.found, want.found)
		}
		n, err := join.Count(ctx, j, env)
		if err != nil || n != pattern.Count(uint64(len(want.found))) {
			fail("Count is %v (%v), want %d", n, err, len(want.found))
		}
	}
	if used := env.Memory.Used(); used != 0 {
		fail("%d bytes of the memory budget not given back", used)
	}
	if u, done := env.Tally.Units.Load(), env.Tally.UnitsDone.Load(); u != done {
		fail("%d of %d root candidates done", done, u)
	}
}

const rounds = 6000

func TestRandomAgainstBrute(t *testing.T) {
	for seed := range uint64(rounds) {
		randomRound(t, seed)
	}
}

func randomRound(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	s := testgraph.Random(seed, testgraph.Options{Simple: seed%4 == 0})
	p := testgraph.RandomPattern(rng, s)
	j := testgraph.RandomJob(rng, s, p)
	if seed%2 == 0 {
		filter.Spent(s, p, 1<<60) // builds all signatures that the pattern can use
	}
	var err error
	if j.Candidates, err = filter.Run(context.Background(), s, p, &pattern.Env{}); err != nil {
		t.Fatal(err)
	}
	if seed%3 > 0 {
		defer join.Tiny()()
	}
	j.Order = randomOrder(rng, p)
	check(t, fmt.Sprintf("seed %d, random order", seed), j, 1+2*int(seed/2%2))
	sizes := make([]float64, len(p.Vertices))
	for u, c := range j.Candidates.Sets {
		sizes[u] = float64(c.Len())
	}
	j.Order = planner.MatchingOrder(p, s, sizes)
	check(t, fmt.Sprintf("seed %d, planner's order", seed), j, 3-2*int(seed/2%2))
}
