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

// cyclic patterns have cycles of four, and triangles that share an edge.
var cyclic = [][][2]int{
	{{0, 1}, {1, 2}, {2, 3}, {3, 0}},
	{{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 2}},
	{{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 4}, {4, 1}},
	{{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 4}},
	{{0, 1}, {1, 2}, {2, 0}, {0, 3}, {3, 1}, {0, 4}, {4, 1}},
	{{0, 1}, {0, 2}, {0, 3}, {0, 4}, {1, 2}, {2, 3}, {3, 4}},
}

// denser patterns need two pivots, or a count of their own.
var denser = [][][2]int{edgesOf(pattern.NearClique), edgesOf(pattern.Wheel4), edgesOf(pattern.HattedClique), edgesOf(pattern.SubdividedClique), edgesOf(pattern.Prism)}

func edgesOf(g pattern.CyclicGraph) [][2]int {
	edges, _ := g.Edges()
	return edges
}

// cyclicPattern is one of some graphs in some mode: undirected and alike more often than not.
func cyclicPattern(rng *rand.Rand, s *csr.Snapshot, of [][][2]int) *pattern.Pattern {
	edges := of[rng.IntN(len(of))]
	p := &pattern.Pattern{Scopes: []pattern.Scope{{Mode: pattern.Mode(rng.IntN(3))}}}
	sc := &p.Scopes[0]
	sc.Distinct, sc.Induced = rng.IntN(5) == 0, rng.IntN(5) == 0
	undirected, labels, types := rng.IntN(3) > 0, rng.IntN(3) == 0, rng.IntN(3) == 0
	for i, e := range edges {
		for u := len(p.Vertices); u <= max(e[0], e[1]); u++ {
			var v pattern.Vertex
			if n := s.Labels.Len(); labels && n > 0 && rng.IntN(2) == 0 {
				id := csr.LabelID(rng.IntN(n))
				v.Labels = &pattern.Label{ID: id, Name: s.Labels.Name(uint32(id))}
			}
			p.Vertices = append(p.Vertices, v)
			sc.Vertices, sc.Order = append(sc.Vertices, u), append(sc.Order, u)
		}
		x := pattern.Edge{From: e[0], To: e[1], Undirected: undirected || rng.IntN(3) == 0}
		if types {
			x.Types = csr.TypeSet{csr.TypeID(rng.IntN(s.Types.Len()))}
		}
		sc.Order, sc.Edges = append(sc.Order, ^i), append(sc.Edges, i)
		p.Edges = append(p.Edges, x)
	}
	return p
}

// TestCycleFormula compares counts of patterns with cycles of four and triangles with brute force, in every mode, and without ordered
// wedges and supports.
func TestCycleFormula(t *testing.T) {
	defer join.AlwaysFormula()()
	wedges, supports := uint64(0), uint64(0)
	for seed := range rounds(250) {
		rng := rand.New(rand.NewPCG(seed, 31))
		s := testgraph.Random(seed, testgraph.Options{Simple: rng.IntN(3) > 0, Vertices: 5 + rng.IntN(3), Edges: 8 + rng.IntN(14), Types: 1 + rng.IntN(2), Labels: 2})
		p := cyclicPattern(rng, s, slices.Concat(cyclic, denser))
		j := job(t, s, p)
		j.Order = match.OrderFor(match.Filtered, &match.Question{Pattern: p, Snapshot: s, Sizes: sizesOf(j)}).Order
		if j.Formula, _ = match.CountFormula(p, s, j.Order.Symmetric, 1e12); j.Formula == nil {
			continue
		}
		want, err := testgraph.Brute{}.Count(context.Background(), j, &pattern.Env{})
		if err != nil {
			t.Fatal(err)
		}
		for _, without := range []pattern.Techniques{{}, pattern.Techniques{}.With(pattern.OrderedWedges), pattern.Techniques{}.With(pattern.EdgeSupports)} {
			got, tally := counted(t, fmt.Sprint("seed ", seed), j, without, 1+rng.IntN(2))
			if got != want {
				t.Fatalf("seed %d: %v, want %v\n%v\n%v\n%v", seed, got, want, p, j.Formula, s.Stats)
			}
			for m, n := range map[pattern.Technique]*uint64{pattern.OrderedWedges: &wedges, pattern.EdgeSupports: &supports} {
				took := tally.Taken[m].Load()
				if took > 0 && without.Has(m) {
					t.Fatalf("seed %d: %v was used though switched off", seed, m)
				}
				*n += min(1, took)
			}
		}
	}
	if wedges < rounds(250)/20 || supports < rounds(250)/8 {
		t.Errorf("%d patterns counted by ordered wedges, %d by supports", wedges, supports)
	}
}
