package join_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/join"
)

// TestFailingSets counts and lists matches of patterns in which searches fail for reasons far back, with failing sets and
// without; the smaller ones by brute force too.
func TestFailingSets(t *testing.T) {
	tally := new(pattern.Tally)
	for seed := range rounds(1200) {
		rng := rand.New(rand.NewPCG(seed, 31))
		s := testgraph.Random(seed, testgraph.Options{Simple: seed%3 > 0, Vertices: 6 + rng.IntN(12), Edges: 12 + rng.IntN(20), Types: 1, Labels: 2})
		p := plainPattern(rng, s, 4+rng.IntN(4))
		p.Scopes[0].Mode = []pattern.Mode{pattern.DifferentNodes, pattern.DifferentNodes, pattern.DifferentRelationships, pattern.RepeatableElements}[rng.IntN(4)]
		if rng.IntN(2) == 0 {
			failMore(rng, p)
		}
		j := job(t, s, p)
		j.Vertices, j.Edges = make([]csr.VertexID, len(p.Vertices)), make([]csr.EdgeID, len(p.Edges))
		j.Order = randomOrder(rng, p)
		without := &pattern.Env{Without: pattern.Techniques{}.With(pattern.FailingSets)}
		want, err := join.Count(context.Background(), j, without)
		if err != nil {
			t.Fatal(err)
		}
		restore := join.Tiny(seed / 3 &^ 2) // no other order
		env := &pattern.Env{Workers: 1 + rng.IntN(3), Tally: tally}
		if got, err := join.Count(context.Background(), j, env); err != nil || got != want {
			t.Fatalf("seed %d: %v (%v), want %v\n%v\norder %+v", seed, got, err, want, p, j.Order)
		}
		if want.Lo < 3000 {
			a, b := &collector{}, &collector{}
			if err := join.Match(context.Background(), j, env, a); err != nil {
				t.Fatal(err)
			}
			if err := join.Match(context.Background(), j, without, b); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(a.sorted(), b.sorted()) || uint64(len(a.found)) != want.Lo {
				t.Fatalf("seed %d: %d matches, %d without failing sets, %v counted\n%v\norder %+v", seed, len(a.found), len(b.found), want, p, j.Order)
			}
			if s.N() < 9 && len(p.Vertices) < 6 {
				check(t, "failing sets", j, 1+int(seed%2))
			}
		}
		restore()
	}
	if n := tally.Taken[pattern.FailingSets].Load(); n == 0 {
		t.Error("failing sets spared no vertex")
	}
}

// failMore makes the search for p fail for reasons beyond lists and taken vertices: by relationships that an INDUCED scope must not
// have, or by a condition on two vertices.
func failMore(rng *rand.Rand, p *pattern.Pattern) {
	p.Scopes[0].Induced = rng.IntN(3) > 0
	u, w := rng.IntN(len(p.Vertices)), rng.IntN(len(p.Vertices))
	if p.Scopes[0].Induced && rng.IntN(2) == 0 || u == w {
		return
	}
	m := csr.VertexID(2 + rng.IntN(2))
	p.Predicates = append(p.Predicates, pattern.Predicate{Text: "u + w divides", Vertices: []int{min(u, w), max(u, w)},
		Test: func(v []csr.VertexID, _ []csr.EdgeID) (bool, error) { return (v[u]+v[w])%m == 0, nil }})
}
