package join_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/join"
	"github.com/motifql/motif/planner/match"
)

// ownPattern is a cyclic graph in some mode: alike, or with an edge, a vertex or a direction that differs.
func ownPattern(rng *rand.Rand, s *csr.Snapshot, x pattern.CyclicGraph) *pattern.Pattern {
	edges, n := x.Edges()
	p := &pattern.Pattern{Scopes: []pattern.Scope{{Mode: pattern.Mode(rng.IntN(3))}}}
	sc := &p.Scopes[0]
	sc.Distinct, sc.Induced = rng.IntN(4) == 0, rng.IntN(4) == 0
	label := func() *pattern.Label {
		id := csr.LabelID(rng.IntN(s.Labels.Len()))
		return &pattern.Label{ID: id, Name: s.Labels.Name(uint32(id))}
	}
	var all, one *pattern.Label
	if s.Labels.Len() > 0 && rng.IntN(3) == 0 {
		all, one = label(), label()
	}
	for u := range n {
		v := pattern.Vertex{Labels: all}
		if one != nil && rng.IntN(8) == 0 {
			v.Labels = one
		}
		p.Vertices = append(p.Vertices, v)
		sc.Vertices, sc.Order = append(sc.Vertices, u), append(sc.Order, u)
	}
	var types csr.TypeSet
	if rng.IntN(3) == 0 {
		types = csr.TypeSet{csr.TypeID(rng.IntN(s.Types.Len()))}
	}
	odd := rng.IntN(4) == 0
	for i, e := range edges {
		y := pattern.Edge{From: e[0], To: e[1], Types: types, Undirected: !odd || rng.IntN(len(edges)) > 0}
		sc.Order, sc.Edges = append(sc.Order, ^i), append(sc.Edges, i)
		p.Edges = append(p.Edges, y)
	}
	return p
}

// TestOwnCounts compares counts of cyclic graphs with brute force, in every mode, with labels, directions, loops and parallel relationships.
func TestOwnCounts(t *testing.T) {
	defer join.AlwaysFormula()()
	used := uint64(0)
	for seed := range rounds(200) {
		rng := rand.New(rand.NewPCG(seed, 77))
		s := testgraph.Random(seed, testgraph.Options{Simple: rng.IntN(4) > 0, Vertices: 4 + rng.IntN(3), Edges: 8 + rng.IntN(9), Types: 1 + rng.IntN(2), Labels: 2})
		p := ownPattern(rng, s, pattern.CyclicGraph(seed%uint64(pattern.CyclicGraphs)))
		j := job(t, s, p)
		j.Order = match.OrderFor(match.Filtered, &match.Question{Pattern: p, Snapshot: s, Sizes: sizesOf(j)}).Order
		if j.Formula, _ = match.CountFormula(p, s, j.Order.Symmetric, 1e12); j.Formula == nil {
			continue
		}
		want, err := testgraph.Brute{}.Count(context.Background(), j, &pattern.Env{})
		if err != nil {
			t.Fatal(err)
		}
		for _, without := range []pattern.Techniques{{}, pattern.Techniques{}.With(pattern.CyclicKernel)} {
			got, tally := counted(t, fmt.Sprint("seed ", seed), j, without, 1+rng.IntN(2))
			if got != want {
				t.Fatalf("seed %d: %v, want %v\n%v\n%v\n%v", seed, got, want, p, j.Formula, s.Stats)
			}
			took := tally.Taken[pattern.CyclicKernel].Load()
			if took > 0 && without.Has(pattern.CyclicKernel) {
				t.Fatalf("seed %d: package cyclic was used though switched off", seed)
			}
			used += min(1, took)
		}
	}
	if used < rounds(200)/10 {
		t.Errorf("%d patterns counted by package cyclic", used)
	}
}
