package match

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
)

// Whatever is routed to the clique kernel, a clique stands for exactly so many matches as the route says.
func TestCliqueRouteAgainstBrute(t *testing.T) {
	routed, found := 0, 0
	for seed := range uint64(1500) {
		rng := rand.New(rand.NewPCG(seed, 5))
		s := testgraph.Random(seed, testgraph.Options{Vertices: 4 + rng.IntN(3), Edges: 15 + rng.IntN(30), Types: 1 + rng.IntN(2), Simple: rng.IntN(4) > 0})
		p := completePattern(rng, s)
		if seed%10 == 0 {
			p = testgraph.RandomPattern(rng, s)
		}
		route, why := RouteClique(p, false, s, pattern.KernelChoice(seed%2*uint64(pattern.KernelClique)))
		if route == nil {
			continue
		}
		routed++
		env := &pattern.Env{}
		want, err := testgraph.Brute{}.Count(context.Background(), testgraph.RandomJob(rng, s, p), env)
		if err != nil {
			t.Fatal(err)
		}
		c := &pattern.Clique{K: len(p.Vertices), Types: p.Edges[0].Types}
		for _, g := range route.Groups {
			c.Sets, c.Sizes = append(c.Sets, candidates(t, s, p, g[0])), append(c.Sizes, len(g))
		}
		n, err := testgraph.Brute{}.CountCliques(context.Background(), s, c, env)
		if err != nil {
			t.Fatal(err)
		}
		got, err := n.Mul(route.Factor)
		if err != nil {
			t.Fatal(err)
		}
		if got != want {
			t.Fatalf("seed %d: %v cliques times %d, want %v: %s\n%v", seed, n, route.Factor, want, why, p)
		}
		if want.Lo > 0 {
			found++
		}
	}
	t.Logf("%d patterns routed, %d of them with matches", routed, found)
	if found < 200 {
		t.Error("too few to mean anything")
	}
}

// candidates are the vertices that satisfy what u asks for.
func candidates(t *testing.T, s *csr.Snapshot, p *pattern.Pattern, u int) *pattern.CandidateSet {
	var list []csr.VertexID
	vertices := make([]csr.VertexID, len(p.Vertices))
next:
	for v := range csr.VertexID(s.N()) {
		vertices[u] = v
		if !p.Vertices[u].Labels.Admits(s.LabelsOf(v)) {
			continue
		}
		for i := range p.Predicates {
			if q := &p.Predicates[i]; q.Vertices[0] == u {
				if ok, err := q.Test(vertices, nil); err != nil {
					t.Fatal(err)
				} else if !ok {
					continue next
				}
			}
		}
		list = append(list, v)
	}
	return pattern.NewCandidateSet(s.N(), list)
}

// completePattern is a complete pattern, now and then with something that spoils it.
func completePattern(rng *rand.Rand, s *csr.Snapshot) *pattern.Pattern {
	p := &pattern.Pattern{Scopes: make([]pattern.Scope, 1)}
	spoilt := rng.IntN(4) == 0
	oddly := func() bool { return spoilt && rng.IntN(4) == 0 }
	if oddly() {
		p.Scopes = append(p.Scopes, pattern.Scope{Mode: pattern.Mode(rng.IntN(3))})
	}
	sc := &p.Scopes[0]
	sc.Mode, sc.Distinct, sc.Induced = pattern.Mode(rng.IntN(3)), rng.IntN(3) == 0, rng.IntN(4) == 0
	var types csr.TypeSet
	if rng.IntN(2) == 0 {
		types = csr.TypeSet{csr.TypeID(rng.IntN(s.Types.Len()))}
	}
	if sc.Induced {
		sc.InducedTypes = types
	}
	least := !sc.Induced && rng.IntN(3) == 0
	labels := completeLabels(rng, s)
	filtered := rng.IntN(3) == 0
	for u := range 3 + rng.IntN(2) {
		p.Vertices = append(p.Vertices, pattern.Vertex{Name: string(rune('a' + u)), Labels: labels[rng.IntN(len(labels))]})
		if filtered && !oddly() {
			small(s, p, u)
		}
		for w := range u {
			e := pattern.Edge{From: w, To: u, Types: types, Undirected: !oddly(), AtLeastOne: least != oddly(), Scope: rng.IntN(len(p.Scopes))}
			if oddly() {
				e.Types = csr.TypeSet{0}
			}
			for _, u := range []int{w, u} {
				if sc := &p.Scopes[e.Scope]; !slices.Contains(sc.Vertices, u) {
					sc.Vertices, sc.Order = append(sc.Vertices, u), append(sc.Order, u)
				}
			}
			if addEdge(p, e); oddly() {
				addEdge(p, e)
			}
		}
	}
	return p
}

// completeLabels is one label expression for all, or several that may or may not exclude each other.
func completeLabels(rng *rand.Rand, s *csr.Snapshot) []*pattern.Label {
	if s.Labels.Len() == 0 || rng.IntN(2) == 0 {
		return []*pattern.Label{nil}
	}
	l := &pattern.Label{Name: s.Labels.Name(0)}
	switch rng.IntN(3) {
	case 0:
		return []*pattern.Label{l}
	case 1:
		return []*pattern.Label{l, {Op: pattern.LabelNot, Args: []*pattern.Label{l}}}
	}
	last := uint32(s.Labels.Len() - 1)
	return []*pattern.Label{l, {ID: csr.LabelID(last), Name: s.Labels.Name(last)}}
}

// The factor does not fit for 21 interchangeable vertices, and DISTINCT needs none.
func TestCliqueFactor(t *testing.T) {
	b := csr.NewBuilder()
	first := b.AddVertices(5, b.Label("A"))
	b.AddEdge(first, first+1, b.Type("R"))
	s, _, err := b.Build(context.Background(), 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range []int{20, 21} {
		for _, distinct := range []bool{false, true} {
			p := &pattern.Pattern{Scopes: []pattern.Scope{{Mode: pattern.DifferentNodes, Distinct: distinct}}}
			for u := range k {
				p.Vertices = append(p.Vertices, pattern.Vertex{})
				p.Scopes[0].Vertices = append(p.Scopes[0].Vertices, u)
				p.Scopes[0].Order = append(p.Scopes[0].Order, u)
				for w := range u {
					addEdge(p, pattern.Edge{From: w, To: u, Undirected: true})
				}
			}
			route, why := RouteClique(p, false, s, pattern.KernelAuto)
			if (route != nil) != (k == 20 || distinct) {
				t.Errorf("k = %d, distinct %v: %v, %s", k, distinct, route, why)
			}
			if route != nil && !distinct && route.Factor != 2432902008176640000 {
				t.Errorf("20! = %d", route.Factor)
			}
		}
	}
}
