package testgraph

import (
	"math/rand/v2"
	"testing"

	"github.com/motifql/motif/internal/pattern"
)

// TestRandomPatterns sees that the generator reaches every feature, often with matches, and that what it makes is
// well formed.
func TestRandomPatterns(t *testing.T) {
	features := map[string]int{}
	const rounds = 1500
	for seed := range uint64(rounds) {
		s := Random(seed, Options{})
		rng := rand.New(rand.NewPCG(seed, 9))
		p := RandomPattern(rng, s)
		j := RandomJob(rng, s, p)
		wellFormed(t, seed, p)
		if s.N() > 6 && len(p.Vertices) > 3 {
			continue
		}
		if countOf(t, j) > 0 {
			features["matches"]++
		}
		note(features, p)
	}
	for _, f := range []string{
		"matches", "labels", "bound vertex", "bound edge", "directed", "undirected", "loop", "parallel", "at least one",
		"no types", "typed", "scopes", "repeatable", "nodes", "induced", "distinct", "different", "single", "pair", "edge predicate",
	} {
		if features[f] < rounds/100 {
			t.Errorf("%s in %d of %d patterns", f, features[f], rounds)
		}
	}
	if features["matches"] < rounds/4 {
		t.Errorf("only %d of %d patterns have matches", features["matches"], rounds)
	}
}

func note(features map[string]int, p *pattern.Pattern) {
	has := func(name string, ok bool) {
		if ok {
			features[name]++
		}
	}
	ends := map[[2]int]int{}
	for _, v := range p.Vertices {
		has("labels", v.Labels != nil)
		has("bound vertex", v.Bound)
	}
	for _, e := range p.Edges {
		has("bound edge", e.Bound)
		has("directed", !e.Undirected)
		has("undirected", e.Undirected)
		has("at least one", e.AtLeastOne)
		has("loop", e.From == e.To)
		has("typed", len(e.Types) > 0)
		has("no types", e.Types != nil && len(e.Types) == 0)
		pair := [2]int{min(e.From, e.To), max(e.From, e.To)}
		has("parallel", ends[pair] > 0)
		ends[pair]++
	}
	for _, s := range p.Scopes {
		has("repeatable", s.Mode == pattern.RepeatableElements)
		has("nodes", s.Mode == pattern.DifferentNodes)
		has("induced", s.Induced)
		has("distinct", s.Distinct)
	}
	has("scopes", len(p.Scopes) > 1)
	has("different", len(p.Different) > 0)
	for _, q := range p.Predicates {
		_, single := q.Single()
		has("single", single)
		has("pair", len(q.Vertices) == 2)
		has("edge predicate", len(q.Edges) > 0)
	}
}

func wellFormed(t *testing.T, seed uint64, p *pattern.Pattern) {
	t.Helper()
	used := map[int]bool{}
	edges := 0
	for i, s := range p.Scopes {
		for _, u := range s.Vertices {
			used[u] = true
		}
		edges += len(s.Edges)
		for _, e := range s.Edges {
			if p.Edges[e].Scope != i {
				t.Fatalf("seed %d: edge %d in the wrong scope", seed, e)
			}
		}
		if len(s.Order) != len(s.Vertices)+len(s.Edges) {
			t.Fatalf("seed %d: order %v of scope %d", seed, s.Order, i)
		}
	}
	if len(used) != len(p.Vertices) || edges != len(p.Edges) {
		t.Fatalf("seed %d: scopes cover %d vertices and %d edges of %d and %d", seed, len(used), edges, len(p.Vertices), len(p.Edges))
	}
	for _, q := range p.Predicates {
		if q.Test == nil || q.Text == "" {
			t.Fatalf("seed %d: predicate %+v", seed, q)
		}
	}
}
