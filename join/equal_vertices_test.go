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
)

// TestEqualVertices lists matches of patterns with copies of vertices, and compares with brute force; and with larger graphs, with the
// search without the technique. Some copies differ in an edge, a label or a condition.
func TestEqualVertices(t *testing.T) {
	tally := new(pattern.Tally)
	for seed := range rounds(900) {
		rng := rand.New(rand.NewPCG(seed, 36))
		large := seed%3 == 0
		options := testgraph.Options{Simple: rng.IntN(4) > 0, Vertices: 5 + rng.IntN(3), Edges: 8 + rng.IntN(10), Types: 1 + rng.IntN(2), Labels: rng.IntN(2)}
		if large {
			options.Vertices, options.Edges = 10+rng.IntN(10), 20+rng.IntN(30)
		}
		s := testgraph.Random(seed, options)
		p := plainPattern(rng, s, 2+rng.IntN(2))
		p.Scopes[0].Mode = []pattern.Mode{pattern.DifferentNodes, pattern.DifferentNodes, pattern.DifferentNodes, pattern.DifferentRelationships, pattern.RepeatableElements}[rng.IntN(5)]
		for u := range p.Vertices {
			p.Vertices[u].Bound = rng.IntN(40) == 0
		}
		for range 1 + rng.IntN(3) {
			copyVertex(rng, p)
		}
		p.Scopes[0].Induced, p.Scopes[0].Distinct = rng.IntN(5) == 0, rng.IntN(12) == 0
		for i := range p.Edges {
			p.Scopes[0].Order = append(p.Scopes[0].Order, ^i)
		}
		if rng.IntN(4) == 0 {
			failMore(rng, p)
		}
		j := job(t, s, p)
		j.Vertices, j.Edges = make([]csr.VertexID, len(p.Vertices)), make([]csr.EdgeID, len(p.Edges))
		if !p.Scopes[0].Distinct {
			j.Order = randomOrder(rng, p)
		}
		restore := func() {}
		if rng.IntN(2) == 0 {
			restore = join.Tiny(seed / 3)
		}
		workers := 1 + rng.IntN(4)
		without := &pattern.Env{Without: pattern.Techniques{}.With(pattern.EqualVertices)}
		if n, err := join.Count(context.Background(), j, without); err == nil && n.Lo <= 3000 {
			if !large && n.Lo <= 200 && len(p.Vertices) < 6 && len(p.Edges) < 7 && seed%4 == 0 {
				check(t, fmt.Sprintf("seed %d", seed), j, workers)
			}
			a, b := &collector{}, &collector{}
			if err := join.Match(context.Background(), j, without, a); err != nil {
				t.Fatal(err)
			}
			if err := join.Match(context.Background(), j, &pattern.Env{Workers: workers, Tally: tally}, b); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(a.sorted(), b.sorted()) {
				t.Fatalf("seed %d: %d matches, %d without the technique\n%v\norder %+v", seed, len(b.found), len(a.found), p, j.Order)
			}
		}
		restore()
	}
	if tally.Taken[pattern.EqualVertices].Load() == 0 {
		t.Error("no match was found by exchanging vertices")
	}
}

// TestEqualVerticesCandidates lists the matches of a star whose leaves have as many candidates, but others: they are not equal.
func TestEqualVerticesCandidates(t *testing.T) {
	s := complete(t, 6, 1)
	for shift := range csr.VertexID(3) {
		p := &pattern.Pattern{Vertices: make([]pattern.Vertex, 3), Scopes: []pattern.Scope{{Mode: pattern.DifferentNodes, Vertices: []int{0, 1, 2}, Edges: []int{0, 1}}}}
		p.Edges = []pattern.Edge{{From: 0, To: 1, Undirected: true}, {From: 0, To: 2, Undirected: true}}
		among := func(u int, lo csr.VertexID) {
			p.Predicates = append(p.Predicates, pattern.Predicate{Text: "among", Vertices: []int{u}, Test: func(v []csr.VertexID, _ []csr.EdgeID) (bool, error) {
				return v[u] >= lo && v[u] < lo+3, nil
			}})
		}
		among(1, 1)
		among(2, 1+shift)
		j := prepared(t, s, p, &pattern.Env{})
		if a, b := j.Candidates.Sets[1], j.Candidates.Sets[2]; a.Len() != 3 || b.Len() != 3 {
			t.Fatalf("%d and %d candidates", a.Len(), b.Len())
		}
		for _, seq := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 2, 0}, {2, 0, 1}} {
			j.Order = orderOf(p, seq...)
			check(t, fmt.Sprintf("shift %d, order %v", shift, seq), j, 1)
		}
	}
}

// copyVertex adds a vertex to p with the same label and, mostly, the same edges as another one.
func copyVertex(rng *rand.Rand, p *pattern.Pattern) {
	u, v, sc := rng.IntN(len(p.Vertices)), len(p.Vertices), &p.Scopes[0]
	p.Vertices = append(p.Vertices, pattern.Vertex{Labels: p.Vertices[u].Labels})
	if rng.IntN(8) == 0 {
		p.Vertices[v].Labels = nil
	}
	sc.Vertices, sc.Order = append(sc.Vertices, v), append(sc.Order, v)
	for i := range p.Edges {
		e := p.Edges[i]
		if e.From != u && e.To != u || e.From == e.To {
			continue
		}
		if e.From == u {
			e.From = v
		} else {
			e.To = v
		}
		if rng.IntN(10) == 0 {
			e.From, e.To = e.To, e.From
		}
		sc.Edges = append(sc.Edges, len(p.Edges))
		p.Edges = append(p.Edges, e)
	}
	if rng.IntN(4) == 0 {
		sc.Edges = append(sc.Edges, len(p.Edges))
		p.Edges = append(p.Edges, pattern.Edge{From: u, To: v, Undirected: rng.IntN(3) > 0})
	}
}
