package join

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/motifql/motif/internal/pattern"
)

// TestAlike compares neighbours as bits with the edges themselves: equal vertices are alike, and up to 64 vertices the others are not.
func TestAlike(t *testing.T) {
	equal, unlike := 0, 0
	for seed := range uint64(2000) {
		rng := rand.New(rand.NewPCG(seed, 64))
		n := 2 + rng.IntN(5)
		if seed%4 == 0 {
			n = 66
		}
		p := &pattern.Pattern{Vertices: make([]pattern.Vertex, n)}
		for range rng.IntN(9) {
			p.Edges = append(p.Edges, pattern.Edge{From: rng.IntN(n) % 8 * 9 % n, To: rng.IntN(n), Undirected: rng.IntN(2) > 0})
		}
		c := equalFinder{&compiler{program: &program{p: p}}}
		near := c.neighbours()
		for a := range n {
			for b := range a {
				switch same := slices.Equal(around(p, a, b), around(p, b, a)); {
				case (same || c.sameEdges(a, b) && !looped(p, a, b)) && !near.alike(a, b):
					t.Fatalf("seed %d: %d and %d are equal, but not alike in %v", seed, a, b, p.Edges)
				case same:
					equal++
				case n <= 64 && near.alike(a, b):
					t.Fatalf("seed %d: %d and %d have other neighbours, but are alike in %v", seed, a, b, p.Edges)
				default:
					unlike++
				}
			}
		}
	}
	if equal == 0 || unlike == 0 {
		t.Errorf("%d pairs are equal, %d are not", equal, unlike)
	}
}

// around lists the neighbours of a without b.
func around(p *pattern.Pattern, a, b int) (vs []int) {
	for _, e := range p.Edges {
		for _, ends := range [][2]int{{e.From, e.To}, {e.To, e.From}} {
			if ends[0] == a && ends[1] != a && ends[1] != b {
				vs = append(vs, ends[1])
			}
		}
	}
	slices.Sort(vs)
	return slices.Compact(vs)
}

// looped reports whether a or b has a loop.
func looped(p *pattern.Pattern, a, b int) bool {
	return slices.ContainsFunc(p.Edges, func(e pattern.Edge) bool { return e.From == e.To && (e.From == a || e.From == b) })
}
