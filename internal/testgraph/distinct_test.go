package testgraph

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// TestBruteDistinctByDefinition compares every pair of matches: one is given if and only if none that binds the same
// elements inside the scope, and the same outside, has smaller ids.
func TestBruteDistinctByDefinition(t *testing.T) {
	groups := 0
	for seed := range uint64(150) {
		s := Random(seed, Options{Vertices: 6, Edges: 16})
		rng := rand.New(rand.NewPCG(seed, 5))
		for _, text := range []string{"a-b", "a-b b-c", "a-b a-b", "a-b b-a", "a>b b-c c=a", "a-b c"} {
			p := patternOf(text, nodes)
			if text == "a-b c" {
				p.Scopes[0].Vertices, p.Scopes[0].Order = []int{0, 1}, []int{0, ^0, 1}
			}
			if text == "a-b a-b" { // the second edge lies outside
				p.Scopes[0].Edges, p.Scopes[0].Order = []int{0}, []int{1, ^0, 0}
			}
			if rng.IntN(2) == 0 {
				p.Predicates = []pattern.Predicate{{Test: func(v []csr.VertexID, _ []csr.EdgeID) (bool, error) {
					return (s.NodeID(v[0])+2*s.NodeID(v[1]))%3 > 0, nil
				}}}
			}
			all := &keepSink{}
			if err := (Brute{}).Match(t.Context(), jobOf(s, p), &pattern.Env{}, all); err != nil {
				t.Fatal(err)
			}
			p.Scopes[0].Distinct = true
			given := &keepSink{}
			if err := (Brute{}).Match(t.Context(), jobOf(s, p), &pattern.Env{}, given); err != nil {
				t.Fatal(err)
			}
			for _, m := range all.kept {
				smallest := !slices.ContainsFunc(all.kept, func(o match) bool { return sameElements(p, m, o) && smaller(s, p, o, m) })
				is := slices.ContainsFunc(given.kept, func(o match) bool { return slices.Equal(m.v, o.v) && slices.Equal(m.e, o.e) })
				if is != smallest {
					t.Fatalf("seed %d: %s: %v %v is given: %t", seed, text, m.v, m.e, is)
				}
				if is {
					groups++
				}
			}
			if len(given.kept) > len(all.kept) {
				t.Fatalf("seed %d: %s: more than all", seed, text)
			}
		}
	}
	if groups < 1000 {
		t.Errorf("only %d groups", groups)
	}
}

type keepSink struct{ kept []match }

func (k *keepSink) NeedEdges() bool { return true }
func (k *keepSink) Emit(batch []pattern.Embedding) (bool, error) {
	for _, m := range batch {
		k.kept = append(k.kept, match{slices.Clone(m.Vertices), slices.Clone(m.Edges)})
	}
	return true, nil
}

func sameElements(p *pattern.Pattern, a, b match) bool {
	s := p.Scopes[0]
	for u := range a.v {
		in := slices.Contains(s.Vertices, u)
		if !in && a.v[u] != b.v[u] || in && !slices.ContainsFunc(s.Vertices, func(w int) bool { return b.v[w] == a.v[u] }) {
			return false
		}
	}
	for i := range a.e {
		in := slices.Contains(s.Edges, i)
		if !in && a.e[i] != b.e[i] || in && !slices.ContainsFunc(s.Edges, func(f int) bool { return b.e[f] == a.e[i] }) {
			return false
		}
	}
	return true
}

func smaller(s *csr.Snapshot, p *pattern.Pattern, a, b match) bool {
	ids := func(m match) (tuple []uint64) {
		for _, x := range p.Scopes[0].Order {
			if x >= 0 {
				tuple = append(tuple, uint64(s.NodeID(m.v[x])))
			} else if m.e[^x] != csr.NoEdge {
				tuple = append(tuple, uint64(s.RelID(m.e[^x])))
			}
		}
		return tuple
	}
	return slices.Compare(ids(a), ids(b)) < 0
}
