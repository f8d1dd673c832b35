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

// formulaPattern is a pattern of one clause such as formulas are made for.
func formulaPattern(rng *rand.Rand, s *csr.Snapshot) *pattern.Pattern {
	k := 2 + rng.IntN(4)
	p := &pattern.Pattern{Vertices: make([]pattern.Vertex, k), Scopes: []pattern.Scope{{Mode: pattern.Mode(rng.IntN(3))}}}
	sc := &p.Scopes[0]
	sc.Distinct, sc.Induced = rng.IntN(4) == 0, rng.IntN(4) == 0
	undirected, labels, types := rng.IntN(4) > 0, rng.IntN(3), rng.IntN(3) == 0
	for u := range k {
		sc.Vertices, sc.Order = append(sc.Vertices, u), append(sc.Order, u)
		if n := s.Labels.Len(); labels > 0 && rng.IntN(2) == 0 {
			id := csr.LabelID(rng.IntN(min(n, labels)))
			p.Vertices[u].Labels = &pattern.Label{ID: id, Name: s.Labels.Name(uint32(id))}
		}
	}
	edge := func(u, w int) {
		e := pattern.Edge{From: u, To: w, Undirected: undirected || rng.IntN(3) == 0, AtLeastOne: u != w && rng.IntN(15) == 0}
		if types {
			e.Types = csr.TypeSet{csr.TypeID(rng.IntN(s.Types.Len()))}
		}
		if !e.AtLeastOne {
			sc.Order = append(sc.Order, ^len(p.Edges))
		}
		sc.Edges = append(sc.Edges, len(p.Edges))
		p.Edges = append(p.Edges, e)
	}
	for u := 1; u < k; u++ {
		if rng.IntN(12) > 0 {
			edge(rng.IntN(u), u)
		}
	}
	for range rng.IntN(4) {
		if u, w := rng.IntN(k), rng.IntN(k); u != w || rng.IntN(4) == 0 {
			edge(u, w)
		}
	}
	if rng.IntN(8) == 0 {
		if u, w := rng.IntN(k), rng.IntN(k); u != w {
			p.Different = append(p.Different, [2]int{u, w})
		}
	}
	for range rng.IntN(6) - 3 {
		if u, w := rng.IntN(k), rng.IntN(k); u != w {
			absent(rng, s, p, u, w)
		}
	}
	return p
}

// absent adds the condition that no relationship joins u and w, on a graph without loops of its types.
func absent(rng *rand.Rand, s *csr.Snapshot, p *pattern.Pattern, u, w int) {
	e := &pattern.Edge{From: u, To: w, Undirected: rng.IntN(2) == 0, AtLeastOne: true}
	if rng.IntN(2) == 0 {
		e.Types = csr.TypeSet{csr.TypeID(rng.IntN(s.Types.Len()))}
	}
	for t := range s.Stats.Types {
		if e.Types.Has(csr.TypeID(t)) && s.Stats.Types[t].Loops > 0 {
			return
		}
	}
	dir := csr.Out
	if e.Undirected {
		dir = csr.Both
	}
	adj := s.Adjacency(e.Types, dir)
	p.Predicates = append(p.Predicates, pattern.Predicate{Text: fmt.Sprintf("no (%d)-(%d)", u, w), Vertices: []int{min(u, w), max(u, w)}, Absent: e,
		Test: func(v []csr.VertexID, _ []csr.EdgeID) (bool, error) { return !adj.Has(v[u], v[w]), nil }})
}

// counted counts by the formula and returns what it took.
func counted(t *testing.T, what string, j *pattern.Job, without pattern.Techniques, workers int) (pattern.Count128, *pattern.Tally) {
	t.Helper()
	env := &pattern.Env{Workers: workers, Tally: new(pattern.Tally), Memory: new(pattern.Memory), Without: without}
	n, err := join.Count(context.Background(), j, env)
	if err != nil {
		t.Fatalf("%s: %v\n%v\n%v", what, err, j.Pattern, j.Formula)
	}
	cliques := slices.ContainsFunc(j.Formula.Terms, func(t pattern.Term) bool { // their kernel keeps what it has charged
		return len(t.Vertices) > 3 && 2*len(t.Factors) >= len(t.Vertices)*(len(t.Vertices)-1)
	})
	if used := env.Memory.Used(); used != 0 && !cliques {
		t.Fatalf("%s: %d bytes of the memory budget not given back", what, used)
	}
	return n, env.Tally
}

// TestFormula counts random patterns by their formulas, in every mode, on graphs with loops, parallel relationships,
// types and labels.
func TestFormula(t *testing.T) {
	defer join.AlwaysFormula()()
	var taken, sums, without, wedges, supports uint64
	for seed := range rounds(3000) {
		rng := rand.New(rand.NewPCG(seed, 7))
		s := testgraph.Random(seed, testgraph.Options{Simple: rng.IntN(3) > 0, Vertices: 2 + rng.IntN(6), Edges: rng.IntN(16), Types: 1 + rng.IntN(2), Labels: 2})
		p := formulaPattern(rng, s)
		j := job(t, s, p)
		j.Order = match.OrderFor(match.Filtered, &match.Question{Pattern: p, Snapshot: s, Sizes: sizesOf(j)}).Order
		var why string
		if j.Formula, why = match.CountFormula(p, s, j.Order.Symmetric, 1e12); j.Formula == nil {
			if why == "" {
				t.Fatalf("seed %d: no formula, and no reason", seed)
			}
			continue
		}
		want, err := testgraph.Brute{}.Count(context.Background(), j, &pattern.Env{})
		if err != nil {
			t.Fatal(err)
		}
		got, tally := counted(t, fmt.Sprint("seed ", seed), j, pattern.Techniques{}, 1+rng.IntN(3))
		if got != want {
			t.Fatalf("seed %d: %v, want %v\n%v\n%v\n%v", seed, got, want, p, j.Formula, s.Stats)
		}
		taken += min(1, tally.Taken[pattern.Separators].Load())
		wedges += min(1, tally.Taken[pattern.OrderedWedges].Load())
		supports += min(1, tally.Taken[pattern.EdgeSupports].Load())
		without += uint64(min(1, len(p.Predicates)))
		sums += min(1, tally.Taken[pattern.Quotients].Load())
		if off, tally := counted(t, fmt.Sprint("seed ", seed, " without quotients"), j, pattern.Techniques{}.With(pattern.Quotients), 1); off != want || tally.Taken[pattern.Quotients].Load() > 0 {
			t.Fatalf("seed %d: %v without quotients, want %v", seed, off, want)
		}
		off, tally := counted(t, fmt.Sprint("seed ", seed, " searched"), j, pattern.Techniques{}.With(pattern.Separators), 1)
		if off != want || tally.Taken[pattern.Separators].Load() > 0 {
			t.Fatalf("seed %d: %v by a search, want %v", seed, off, want)
		}
	}
	if wedges == 0 || supports < rounds(3000)/200 {
		t.Errorf("%d patterns counted by ordered wedges, %d by supports", wedges, supports)
	}
	if taken < rounds(3000)/6 || sums < rounds(3000)/16 || without < rounds(3000)/16 {
		t.Errorf("%d patterns counted by arrays, %d by several terms, %d with relationships that must not be there", taken, sums, without)
	}
}

// TestLongFormula counts the walks along a pattern that is too long for a search to keep numbers.
func TestLongFormula(t *testing.T) {
	defer join.AlwaysFormula()()
	const k = 80
	s := testgraph.Graph(3, func(yield func(u, v uint32) bool) { _ = yield(0, 1) && yield(1, 2) }, true)
	p := chain(pattern.RepeatableElements, k, false)
	for i := range p.Edges {
		p.Edges[i].Undirected = true
	}
	j := job(t, s, p)
	var why string
	if j.Formula, why = match.CountFormula(p, s, nil, 1e9); j.Formula == nil {
		t.Fatal(why)
	}
	n, tally := counted(t, "a long path", j, pattern.Techniques{}, 1)
	if want := uint64(1)<<(k/2) + uint64(1)<<(k/2); n != pattern.Count(want) || tally.Taken[pattern.Separators].Load() != 1 { // from the middle, and from the ends
		t.Errorf("%v walks, want %d", n, want)
	}
}

// Cliques are left to a search, as EXPLAIN foresees; cycles are not.
func TestExpectFormula(t *testing.T) {
	s := testgraph.Graph(60, testgraph.Cliques(1, 60), true)
	for _, complete := range []bool{false, true} {
		p := chain(pattern.RepeatableElements, 4, false)
		add := func(u, w int) {
			p.Scopes[0].Edges = append(p.Scopes[0].Edges, len(p.Edges))
			p.Scopes[0].Order = append(p.Scopes[0].Order, ^len(p.Edges))
			p.Edges = append(p.Edges, pattern.Edge{From: u, To: w})
		}
		if add(0, 3); complete {
			add(0, 2)
			add(1, 3)
		}
		j := job(t, s, p)
		if j.Formula, _ = match.CountFormula(p, s, nil, 1e9); j.Formula == nil {
			t.Fatal("there is no formula")
		}
		j.Order.Cost = 1e12
		_, ok := join.ExpectFormula(s, j.Formula, sizesOf(j), j.Order.Cost)
		_, done, err := join.CountByFormula(context.Background(), j, &pattern.Env{Workers: 1, Tally: new(pattern.Tally)}, join.CPUCounter{})
		if ok == complete || done && complete || err != nil {
			t.Errorf("complete: %v; foreseen: %v, done: %v, %v", complete, ok, done, err)
		}
	}
}

func sizesOf(j *pattern.Job) []float64 {
	sizes := make([]float64, len(j.Pattern.Vertices))
	for u := range sizes {
		sizes[u] = float64(j.Candidates.Sets[u].Len())
	}
	return sizes
}
