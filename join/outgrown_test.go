package join_test

import (
	"context"
	"testing"

	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/join"
	"github.com/motifql/motif/planner/match"
)

// TestOutgrown has the search of a count give way to the formula, which was taken to be dearer.
func TestOutgrown(t *testing.T) {
	defer join.AlwaysReplan()()
	defer join.SmallTicks()()
	s := testgraph.Graph(1<<8, testgraph.Undirected(testgraph.RMAT(8, 8, 2)), true)
	for _, x := range []pattern.CyclicGraph{pattern.Cycle5, pattern.Wheel4, pattern.House, pattern.NearClique} {
		p := cyclicGraphPattern(x)
		j := prepared(t, s, p, &pattern.Env{})
		if j.Formula, _ = match.CountFormula(p, s, j.Order.Symmetric, 1e12); j.Formula == nil {
			t.Fatal("no formula")
		}
		count := func(without pattern.Techniques, workers int) (pattern.Count128, *pattern.Tally) {
			env := &pattern.Env{Workers: workers, Tally: new(pattern.Tally), Memory: new(pattern.Memory), Without: without}
			n, err := join.Count(context.Background(), j, env)
			if err != nil || env.Memory.Used() != 0 {
				t.Fatal(err, env.Memory.Used())
			}
			return n, env.Tally
		}
		restore := join.AlwaysFormula()
		want, tally := count(pattern.Techniques{}, 1)
		restore()
		if tally.Taken[pattern.Separators].Load() == 0 {
			t.Fatalf("%v: not by the formula", x)
		}
		restore = join.DearFormulas()
		got, tally := count(pattern.Techniques{}.With(pattern.Replan), 1)
		if got != want || tally.Taken[pattern.Separators].Load() != 0 {
			t.Errorf("%v: %v by the search, want %v", x, got, want)
		}
		for workers := 1; workers < 4; workers++ {
			got, tally = count(pattern.Techniques{}, workers)
			if got != want || tally.Taken[pattern.Separators].Load() == 0 || tally.Taken[pattern.Replan].Load() != 1 {
				t.Errorf("%v, %d workers: %v, want %v, by the formula; %d searches gave way", x, workers, got, want, tally.Taken[pattern.Replan].Load())
			}
			if tally.Embeddings.Load() != want.Lo {
				t.Errorf("%v: %d embeddings told, not %v", x, tally.Embeddings.Load(), want)
			}
		}
		restore()
	}
}

// cyclicGraphPattern returns a graph as a pattern of different nodes.
func cyclicGraphPattern(x pattern.CyclicGraph) *pattern.Pattern {
	edges, n := x.Edges()
	p := &pattern.Pattern{Scopes: []pattern.Scope{{Mode: pattern.DifferentNodes}}}
	sc := &p.Scopes[0]
	for u := range n {
		p.Vertices = append(p.Vertices, pattern.Vertex{})
		sc.Vertices, sc.Order = append(sc.Vertices, u), append(sc.Order, u)
	}
	for i, e := range edges {
		p.Edges = append(p.Edges, pattern.Edge{From: e[0], To: e[1], Undirected: true})
		sc.Edges, sc.Order = append(sc.Edges, i), append(sc.Order, ^i)
	}
	return p
}

// TestOutgrownTriangle has a search of three steps give way on a graph with parallel relationships and loops. It has no other order to try.
func TestOutgrownTriangle(t *testing.T) {
	defer join.AlwaysReplan()()
	defer join.SmallTicks()()
	defer join.DearFormulas()()
	s := testgraph.Graph(1<<8, testgraph.RMAT(8, 16, 3), false)
	p := &pattern.Pattern{Scopes: []pattern.Scope{{Mode: pattern.DifferentRelationships, Vertices: []int{0, 1, 2}, Edges: []int{0, 1, 2}, Order: []int{0, ^0, 1, ^1, 2, ^2}}}}
	for u := range 3 {
		p.Vertices, p.Edges = append(p.Vertices, pattern.Vertex{}), append(p.Edges, pattern.Edge{From: u, To: (u + 1) % 3, Undirected: true})
	}
	j := prepared(t, s, p, &pattern.Env{})
	if j.Formula, _ = match.CountFormula(p, s, j.Order.Symmetric, 1e12); j.Formula == nil {
		t.Fatal("no formula")
	}
	want, err := join.Count(context.Background(), j, &pattern.Env{Workers: 1, Without: pattern.Techniques{}.With(pattern.Replan)})
	if err != nil || want.Lo == 0 {
		t.Fatal(want, err)
	}
	for workers := 1; workers < 4; workers++ {
		tally := new(pattern.Tally)
		got, err := join.Count(context.Background(), j, &pattern.Env{Workers: workers, Tally: tally})
		if err != nil || got != want || tally.Taken[pattern.Replan].Load() != 1 {
			t.Errorf("%d workers: %v, %v, want %v; %d searches gave way", workers, got, err, want, tally.Taken[pattern.Replan].Load())
		}
	}
}
