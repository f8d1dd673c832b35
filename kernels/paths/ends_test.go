package paths_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/kernels/paths"
)

// endConditions are conditions on both ends of a path, and what they read.
var endConditions = []pattern.PathTest{
	{Text: "first <> last", Vertices: []int{0, 1}, Test: func(v []csr.VertexID, _ []csr.EdgeID) (bool, error) { return v[0] != v[1], nil }},
	{Text: "first = last", Vertices: []int{0, 1}, Test: func(v []csr.VertexID, _ []csr.EdgeID) (bool, error) { return v[0] == v[1], nil }},
	{Text: "first < last", Vertices: []int{0, 1}, Test: func(v []csr.VertexID, _ []csr.EdgeID) (bool, error) { return v[0] < v[1], nil }},
	{Text: "first + last is even", Vertices: []int{1, 0}, Test: func(v []csr.VertexID, _ []csr.EdgeID) (bool, error) { return (v[0]+v[1])%2 == 0, nil }},
	{Text: "last is even", Vertices: []int{1}, Test: func(v []csr.VertexID, _ []csr.EdgeID) (bool, error) { return v[1]%2 == 0, nil }},
	{Text: "first is even", Vertices: []int{0}, Test: func(v []csr.VertexID, _ []csr.EdgeID) (bool, error) { return v[0]%2 == 0, nil }},
}

// repeatedEdge draws a path pattern that repeats one relationship, with conditions on its ends.
func repeatedEdge(r *rand.Rand, s *csr.Snapshot) *pattern.Path {
	h := pattern.Hop{Loop: true, Min: r.IntN(3) / 2, Max: -1, Steps: []pattern.PathStep{{Direction: csr.Direction(r.IntN(3)), Var: -1}}}
	p := &pattern.Path{Mode: pattern.PathMode(r.IntN(4)), Vertices: 2,
		Nodes: []pattern.PathNode{{Labels: randomLabel(r, s), Var: 0}, {Labels: randomLabel(r, s), Var: 1}}}
	if p.Mode == pattern.WalkMode || r.IntN(2) == 0 {
		h.Max = 1 + r.IntN(5)
	}
	if r.IntN(3) == 0 {
		h.Min = 1
	}
	if r.IntN(3) == 0 {
		h.Steps[0].Types = csr.TypeSet{csr.TypeID(r.IntN(max(1, s.Types.Len())))}
	}
	p.Hops = []pattern.Hop{h}
	if r.IntN(5) == 0 { // a single relationship, which conditions may read together with the ends
		h = pattern.Hop{Min: 1, Max: 1, Steps: h.Steps}
		h.Steps[0].Var, p.Edges = 0, 1
		if r.IntN(2) == 0 {
			p.Tests = append(p.Tests, pattern.PathTest{Hop: -1, Vertices: []int{0, 1}, Edges: []int{0}, Test: func(v []csr.VertexID, e []csr.EdgeID) (bool, error) {
				return (uint64(v[0])+2*uint64(v[1])+uint64(e[0]))%3 > 0, nil
			}})
		}
		p.Hops[0] = h
	}
	for range r.IntN(3) {
		t := endConditions[r.IntN(len(endConditions))]
		t.Hop = -1
		p.Tests = append(p.Tests, t)
	}
	return p
}

// TestEndConditions compares searches for a repeated relationship with brute force: all selectors, modes and directions, loops and parallel
// relationships, conditions on both ends, and queries that come from one start after each other.
func TestEndConditions(t *testing.T) {
	defer paths.SetAimFrom(1 << 16)
	for seed := range randomSeeds() {
		r := rand.New(rand.NewPCG(seed, 2))
		paths.SetAimFrom(r.IntN(8))
		n := 1 + r.IntN(6)
		s := testgraph.Random(seed, testgraph.Options{Vertices: n, Edges: 1 + r.IntN(min(8, 4+n))}) // eight loops at one vertex have 109,600 trails
		p := repeatedEdge(r, s)
		var queries []*pattern.PathQuery
		start := csr.VertexID(r.IntN(int(s.N())))
		for range 4 {
			q := randomPathQuery(r, s, p, false)
			if r.IntN(3) > 0 {
				q.Vertices[0], q.UsedNodes = start, nil
			}
			if r.IntN(2) == 0 {
				q.UsedEdges, q.UsedNodes = nil, nil
			}
			if p.Edges > 0 && s.M() > 0 && r.IntN(2) == 0 {
				q.Edges[0] = csr.EdgeID(r.IntN(int(s.M())))
			}
			queries = append(queries, q)
		}
		j := &pattern.PathJob{Snapshot: s, Path: p, Select: pattern.PathSelection{Kind: pattern.PathSelector(r.IntN(4)), K: 1 + r.IntN(4)/3*2}, Rels: true}
		want, wantEnds, weights := walksOf(t, testgraph.Brute{}.PathSearch, j, queries)
		if !comparePaths(t, j, queries, want, wantEnds, weights, r) {
			t.Fatalf("seed %d: %d vertices, %d relationships, %+v", seed, s.N(), s.M(), *p)
		}
	}
}

// TestEndConditionErrors lets the condition on the ends fail for some pairs. The search fails only if a pair of them has a match.
func TestEndConditionErrors(t *testing.T) {
	bad := errors.New("no such value")
	for seed := range uint64(800) {
		r := rand.New(rand.NewPCG(seed, 3))
		s := testgraph.Random(seed, testgraph.Options{Vertices: 1 + r.IntN(6), Edges: 1 + r.IntN(6)})
		p := repeatedEdge(r, s)
		j := &pattern.PathJob{Snapshot: s, Path: p, Select: pattern.PathSelection{Kind: pattern.PathSelector(r.IntN(4)), K: 1}, Rels: true}
		q := randomPathQuery(r, s, p, false)
		p.Tests = nil
		ends := map[string]bool{}
		every := func(w *pattern.Walk) (bool, error) {
			ends[fmt.Sprint(w.Nodes[len(w.Nodes)-1])] = true
			return true, nil
		}
		run(t, j, testgraph.Brute{}.PathSearch, q, every)
		fails := r.IntN(int(s.N()))
		p.Tests = []pattern.PathTest{{Hop: -1, Vertices: []int{0, 1}, Test: func(v []csr.VertexID, _ []csr.EdgeID) (bool, error) {
			if int(v[1]) == fails {
				return false, bad
			}
			return true, nil
		}}}
		err := run(t, j, paths.NewSearch, q, func(*pattern.Walk) (bool, error) { return true, nil })
		if want := ends[fmt.Sprint(fails)]; want != errors.Is(err, bad) {
			t.Fatalf("seed %d: error %v, but it is %v that a match ends at %d: %+v %+v %+v", seed, err, want, fails, j.Select, *p, *q)
		}
	}
}

func run(t *testing.T, j *pattern.PathJob, search func(context.Context, *pattern.PathJob, *pattern.Env) (pattern.PathSearch, error), q *pattern.PathQuery, emit func(*pattern.Walk) (bool, error)) error {
	t.Helper()
	p, err := search(t.Context(), j, &pattern.Env{Workers: 1, Tally: new(pattern.Tally), Memory: new(pattern.Memory)})
	if err != nil {
		t.Fatal(err)
	}
	return p.Run(t.Context(), q, emit)
}

// hangingClique returns a graph and its vertex that lies on a ring and hangs, by one relationship, on a clique.
func hangingClique(t testing.TB, clique, ring uint32) (*csr.Snapshot, csr.VertexID) {
	b := csr.NewBuilder()
	b.AddVertices(int(clique))
	b.AddVertex(b.Label("Start"))
	b.AddVertices(int(ring) - 1)
	typ := b.Type("E")
	for v := range clique {
		for u := range v {
			b.AddEdge(u, v, typ)
		}
	}
	b.AddEdge(clique, 0, typ)
	for i := range ring {
		b.AddEdge(clique+i, clique+(i+1)%ring, typ)
	}
	s, _, err := b.Build(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	for v := range csr.VertexID(s.N()) {
		if len(s.LabelsOf(v)) == 1 {
			return s, v
		}
	}
	t.Fatal("no start")
	return nil, 0
}

// TestClosedWalkBesideClique looks for the way back to a vertex from which very many trails begin. Hardly any comes back.
func TestClosedWalkBesideClique(t *testing.T) {
	const ring = 11
	s, start := hangingClique(t, 40, ring)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for _, dir := range []csr.Direction{csr.Out, csr.Both} {
		for _, different := range []bool{false, true} {
			p := &pattern.Path{Mode: pattern.TrailMode, Vertices: 2, Nodes: []pattern.PathNode{{Var: 0}, {Var: 1}},
				Hops: []pattern.Hop{{Loop: true, Min: 1, Max: 30, Steps: []pattern.PathStep{{Direction: dir, Var: -1}}}}}
			if different {
				x := endConditions[0]
				x.Hop = -1
				p.Tests = []pattern.PathTest{x}
			}
			for _, kind := range []pattern.PathSelector{pattern.ShortestPaths, pattern.OneEnd} {
				j := &pattern.PathJob{Snapshot: s, Path: p, Select: pattern.PathSelection{Kind: kind, K: 1}, Rels: kind != pattern.OneEnd}
				search, err := paths.NewSearch(ctx, j, &pattern.Env{Workers: 1, Tally: new(pattern.Tally), Memory: new(pattern.Memory)})
				if err != nil {
					t.Fatal(err)
				}
				q := &pattern.PathQuery{Vertices: []csr.VertexID{start, csr.NoVertex}}
				back, ends := -1, 0
				if err := search.Run(ctx, q, func(w *pattern.Walk) (bool, error) {
					if ends++; w.Nodes[len(w.Nodes)-1] == start {
						back = len(w.Edges)
					}
					return true, nil
				}); err != nil {
					t.Fatal(err)
				}
				want, all := ring, int(s.N())
				if kind == pattern.OneEnd {
					want = 0
				}
				if different {
					want, all = -1, all-1
				}
				if back != want || ends != all {
					t.Errorf("%v, %v, different ends %v: the way back has %d relationships, want %d; %d ends, want %d", kind, dir, different, back, want, ends, all)
				}
			}
		}
	}
}

// TestAllPathsBesideClique lists the paths between two vertices of a ring. From the first of them, very many paths lead into a clique, and none
// back.
func TestAllPathsBesideClique(t *testing.T) {
	s, start := hangingClique(t, 40, 11)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	adj, err := s.View(ctx, nil, csr.In)
	if err != nil {
		t.Fatal(err)
	}
	end := adj.Neighbours(start)[0] // the last one of the ring
	p := &pattern.Path{Mode: pattern.TrailMode, Vertices: 2, Nodes: []pattern.PathNode{{Var: 0}, {Var: 1}},
		Hops: []pattern.Hop{{Loop: true, Min: 1, Max: -1, Steps: []pattern.PathStep{{Direction: csr.Out, Var: -1}}}}}
	for _, count := range []bool{false, true} {
		j := &pattern.PathJob{Snapshot: s, Path: p, Rels: !count, Count: count}
		search, err := paths.NewSearch(ctx, j, &pattern.Env{Workers: 1, Tally: new(pattern.Tally), Memory: new(pattern.Memory)})
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // the second query has the distances of the first
			n := uint64(0)
			if err := search.Run(ctx, &pattern.PathQuery{Vertices: []csr.VertexID{start, end}}, func(w *pattern.Walk) (bool, error) {
				n += w.Weight
				return true, nil
			}); err != nil {
				t.Fatal(err)
			}
			if n != 1 {
				t.Errorf("%d paths, want 1", n)
			}
		}
	}
}

// BenchmarkOneShortestEach finds one shortest walk to each vertex of a random graph, the way back among them.
func BenchmarkOneShortestEach(b *testing.B) {
	s := testgraph.Random(1, testgraph.Options{Vertices: 1 << 15, Edges: 1 << 18, Types: 1})
	for _, different := range []bool{false, true} {
		b.Run(fmt.Sprintf("different=%v", different), func(b *testing.B) {
			p := &pattern.Path{Mode: pattern.TrailMode, Vertices: 2, Nodes: []pattern.PathNode{{Var: 0}, {Var: 1}},
				Hops: []pattern.Hop{{Loop: true, Min: 1, Max: 30, Steps: []pattern.PathStep{{Direction: csr.Out, Var: -1}}}}}
			if different {
				x := endConditions[0]
				x.Hop = -1
				p.Tests = []pattern.PathTest{x}
			}
			j := &pattern.PathJob{Snapshot: s, Path: p, Select: pattern.PathSelection{Kind: pattern.ShortestPaths, K: 1}}
			for b.Loop() {
				search, err := paths.NewSearch(b.Context(), j, &pattern.Env{Workers: 1, Tally: new(pattern.Tally), Memory: new(pattern.Memory)})
				if err != nil {
					b.Fatal(err)
				}
				q := &pattern.PathQuery{Vertices: []csr.VertexID{0, csr.NoVertex}}
				if err := search.Run(b.Context(), q, func(*pattern.Walk) (bool, error) { return true, nil }); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
