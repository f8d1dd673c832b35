package join_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/join"
	"github.com/motifql/motif/planner/match"
)

// TestForwardChecking lists and counts matches with forward checking from the first list element on, in every mode, and compares with the
// search without it; the smaller ones with brute force, too.
func TestForwardChecking(t *testing.T) {
	tally := new(pattern.Tally)
	for seed := range rounds(900) {
		rng := rand.New(rand.NewPCG(seed, 61))
		small := seed%4 == 0
		j := forwardJob(t, rng, seed, small)
		p := j.Pattern
		without := &pattern.Env{Without: pattern.Techniques{}.With(pattern.ForwardChecking)}
		want, err := join.Count(context.Background(), j, without)
		if err != nil || want.Hi > 0 || want.Lo > 3000 {
			continue
		}
		undo := []func(){join.Tiny(4 | seed&1), join.DomainLimits(64, 24*128<<rng.IntN(6))}
		if rng.IntN(4) == 0 {
			undo = append(undo, join.AlwaysTurns())
		}
		a, b := &collector{}, &collector{}
		if err := join.Match(context.Background(), j, without, a); err != nil {
			t.Fatal(err)
		}
		off := pattern.Techniques{}
		if rng.IntN(2) == 0 {
			off = off.With(pattern.Nogoods).With(pattern.Reservations)
		}
		env := &pattern.Env{Workers: 1 + rng.IntN(3), Tally: tally, Without: off, Memory: new(pattern.Memory)}
		if got, err := join.Count(context.Background(), j, env); err != nil || got != want {
			t.Fatalf("seed %d: %v (%v), want %v\n%v\norder %+v", seed, got, err, want, p, j.Order)
		}
		if err := join.Match(context.Background(), j, env, b); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(a.sorted(), b.sorted()) || uint64(len(b.found)) != want.Lo {
			t.Fatalf("seed %d: %d matches, want %d\n%v\norder %+v", seed, len(b.found), len(a.found), p, j.Order)
		}
		checkUnread(t, fmt.Sprintf("seed %d", seed), j, env, want.Lo)
		if used := env.Memory.Used(); used != 0 {
			t.Fatalf("seed %d: %d bytes of the memory budget not given back", seed, used)
		}
		if small && len(p.Vertices) < 6 && len(p.Edges) < 7 && want.Lo < 200 {
			check(t, fmt.Sprintf("seed %d", seed), j, env.Workers)
		}
		for _, f := range undo {
			f()
		}
	}
	if tally.Taken[pattern.ForwardChecking].Load() == 0 {
		t.Error("forward checking ended no branch")
	}
}

// TestForwardCheckingMidway begins to check forward at any time of a search, below steps whose vertices are not tested to the end or are only
// counted. The orders put leaves early, which a search for rows that nobody reads takes by their number.
func TestForwardCheckingMidway(t *testing.T) {
	tally := new(pattern.Tally)
	for seed := range rounds(1500) {
		rng := rand.New(rand.NewPCG(seed, 62))
		s := testgraph.Random(seed, testgraph.Options{Simple: seed%4 > 0, Vertices: 6 + rng.IntN(8), Edges: 10 + rng.IntN(20), Types: 1, Labels: rng.IntN(3)})
		p := plainPattern(rng, s, 3+rng.IntN(2))
		for u := range p.Vertices {
			p.Vertices[u].Bound = false
		}
		for range 1 + rng.IntN(2) {
			copyVertex(rng, p)
		}
		j := job(t, s, p)
		j.Vertices, j.Edges = make([]csr.VertexID, len(p.Vertices)), make([]csr.EdgeID, len(p.Edges))
		j.Order = leavesEarly(rng, p)
		without := &pattern.Env{Without: pattern.Techniques{}.With(pattern.ForwardChecking)}
		want, err := join.Count(context.Background(), j, without)
		if err != nil || want.Hi > 0 || want.Lo > 3000 {
			continue
		}
		undo := []func(){join.Tiny(0), join.ChecksAfter(rng.Uint64N(80))}
		env := &pattern.Env{Workers: 1 + rng.IntN(2), Tally: tally, Memory: new(pattern.Memory)}
		if got, err := join.Count(context.Background(), j, env); err != nil || got != want {
			t.Fatalf("seed %d: %v (%v), want %v\n%v\norder %+v", seed, got, err, want, p, j.Order)
		}
		found := &collector{}
		if err := join.Match(context.Background(), j, env, found); err != nil || uint64(len(found.found)) != want.Lo {
			t.Fatalf("seed %d: %d matches (%v), want %v\n%v\norder %+v", seed, len(found.found), err, want, p, j.Order)
		}
		checkUnread(t, fmt.Sprintf("seed %d", seed), j, env, want.Lo)
		for _, f := range undo {
			f()
		}
	}
	if tally.Taken[pattern.ForwardChecking].Load() == 0 {
		t.Error("forward checking ended no branch")
	}
}

// leavesEarly is a random order in which vertices with one neighbour come before other ones, half of the time.
func leavesEarly(rng *rand.Rand, p *pattern.Pattern) pattern.Order {
	degree := make([]int, len(p.Vertices))
	for _, e := range p.Edges {
		degree[e.From]++
		degree[e.To]++
	}
	seq := rng.Perm(len(p.Vertices))
	if rng.IntN(2) == 0 {
		slices.SortStableFunc(seq[1:], func(a, b int) int { return min(degree[a], 2) - min(degree[b], 2) })
	}
	return orderOf(p, seq...)
}

// forwardJob makes a job in which searches fail often.
func forwardJob(t *testing.T, rng *rand.Rand, seed uint64, small bool) *pattern.Job {
	options := testgraph.Options{Simple: seed%3 > 0, Vertices: 8 + rng.IntN(16), Edges: 16 + rng.IntN(40), Types: 1 + rng.IntN(2), Labels: rng.IntN(3)}
	if small {
		options.Vertices, options.Edges = 5+rng.IntN(3), 8+rng.IntN(8)
	}
	s := testgraph.Random(seed, options)
	p := plainPattern(rng, s, 3+rng.IntN(4))
	sc := &p.Scopes[0]
	for u := range p.Vertices {
		p.Vertices[u].Bound = rng.IntN(60) == 0
	}
	for range rng.IntN(3) {
		copyVertex(rng, p)
	}
	sc.Induced = rng.IntN(3) == 0
	if rng.IntN(3) == 0 {
		failMore(rng, p)
	}
	for i := range p.Edges {
		sc.Order = append(sc.Order, ^i)
		if s.Types.Len() > 1 && rng.IntN(4) == 0 {
			p.Edges[i].Types = csr.TypeSet{csr.TypeID(rng.IntN(2))}
		}
	}
	sc.Distinct = rng.IntN(5) == 0
	j := job(t, s, p)
	j.Vertices, j.Edges = make([]csr.VertexID, len(p.Vertices)), make([]csr.EdgeID, len(p.Edges))
	if sc.Distinct {
		sizes := make([]float64, len(p.Vertices))
		for u := range sizes {
			sizes[u] = float64(j.Candidates.Sets[u].Len())
		}
		j.Order = match.OrderFor(match.Filtered, &match.Question{Pattern: p, Snapshot: s, Sizes: sizes}).Order
		return j
	}
	j.Order = randomOrder(rng, p)
	if rng.IntN(2) == 0 {
		others := []pattern.Order{randomOrder(rng, p), randomOrder(rng, p)}
		j.AlternativeOrders = func() []pattern.Order { return others }
	}
	return j
}
