package pattern

import (
	"math/rand/v2"
	"testing"
)

// TestFindCyclicGraph renumbers the graphs.
func TestFindCyclicGraph(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for g := range CyclicGraphs {
		edges, n := g.Edges()
		for range 20 {
			to, other := rng.Perm(n), [][2]int{}
			for _, e := range edges {
				other = append(other, [2]int{to[e[0]], to[e[1]]})
			}
			if got, ok := FindCyclicGraph(n, other); !ok || got != g {
				t.Errorf("graph %d as %v: %d, %v", g, other, got, ok)
			}
			if got, ok := FindCyclicGraph(n, other[1:]); ok && got == g {
				t.Errorf("graph %d found less an edge", g)
			}
		}
	}
	if _, ok := FindCyclicGraph(6, [][2]int{{0, 1}, {1, 2}, {0, 2}, {3, 4}, {4, 5}, {3, 5}}); ok {
		t.Error("two triangles are a graph of the list")
	}
}
