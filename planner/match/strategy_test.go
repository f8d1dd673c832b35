package match

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
)

// Every strategy gives an order as every order must be, and the simple ones what their definitions say.
func TestOrderStrategies(t *testing.T) {
	differ := map[pattern.OrderStrategy]int{}
	for seed := range uint64(600) {
		rng := rand.New(rand.NewPCG(seed, 11))
		s := testgraph.Random(seed, testgraph.Options{})
		p := testgraph.RandomPattern(rng, s)
		if seed%2 == 0 {
			p = bigPattern(rng, s, 1+rng.IntN(12))
		}
		sizes := make([]float64, len(p.Vertices))
		for u := range sizes {
			sizes[u] = float64(rng.IntN(int(s.N()) + 1))
		}
		usual := filtered(p, s, sizes, pattern.OrderAuto)
		for _, strategy := range pattern.AllOrderStrategies() {
			o := filtered(p, s, sizes, strategy)
			if why := wrongOrder(p, o); why != "" {
				t.Fatalf("seed %d, %v: %s\n%v%+v", seed, strategy, why, p, o)
			}
			if !slices.Equal(vertices(o), vertices(usual)) {
				differ[strategy]++
			}
		}
		smallestFirst(t, seed, p, newModel(p, s, sizes, true), vertices(filtered(p, s, sizes, pattern.OrderSmallest)))
	}
	for _, strategy := range pattern.AllOrderStrategies() {
		same := strategy == pattern.OrderAuto || strategy == pattern.OrderCost
		if same != (differ[strategy] == 0) {
			t.Errorf("%v differs from the usual order %d times", strategy, differ[strategy])
		}
	}
}

func vertices(o pattern.Order) []int {
	us := make([]int, len(o.Steps))
	for i, st := range o.Steps {
		us[i] = st.Vertex
	}
	return us
}

// smallestFirst wants each free vertex to be the smallest of those that could come next.
func smallestFirst(t *testing.T, seed uint64, p *pattern.Pattern, m *model, seq []int) {
	t.Helper()
	placed := make([]bool, len(p.Vertices))
	_, free := m.divide()
	for _, u := range seq {
		if !p.Vertices[u].Bound {
			for _, w := range m.next(placed, free) {
				if m.size[w] < m.size[u] {
					t.Fatalf("seed %d: %d before %d in %v, sizes %v", seed, u, w, seq, m.size)
				}
			}
		}
		placed[u] = true
	}
}

// RI and GraphQL on a pattern small enough to follow by hand: a square 0-1-2-3 with the diagonal 0-2 and a tail 3-4-5.
func TestStrategiesByHand(t *testing.T) {
	p := &pattern.Pattern{Vertices: make([]pattern.Vertex, 6), Scopes: []pattern.Scope{{Vertices: []int{0, 1, 2, 3, 4, 5}}}}
	for _, e := range [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 2}, {3, 4}, {4, 5}} {
		addEdge(p, pattern.Edge{From: e[0], To: e[1], Undirected: true})
	}
	s := testgraph.Random(3, testgraph.Options{Simple: true, Vertices: 30, Edges: 60, Types: 1, Labels: 1})
	sizes := []float64{30, 29, 28, 27, 2, 26}
	// RI: 0, 2 and 3 have three edges, 3 the fewest candidates. After 3, 0 and 2 share a neighbour with it, 1 lying open; then
	// the vertex with two placed neighbours, then 1 likewise, and the tail.
	if got := vertices(filtered(p, s, sizes, pattern.OrderRI)); !slices.Equal(got, []int{3, 2, 0, 1, 4, 5}) {
		t.Errorf("RI takes %v", got)
	}
	// GraphQL starts from 4; 5 and 3 have one edge to it, 5 fewer candidates; of the square, each edge thins out.
	if got := vertices(filtered(p, s, sizes, pattern.OrderGraphQL)); !slices.Equal(got, []int{4, 5, 3, 2, 0, 1}) {
		t.Errorf("GraphQL takes %v", got)
	}
}
