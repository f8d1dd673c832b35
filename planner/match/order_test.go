package match

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
)

func TestMatchingOrder(t *testing.T) {
	for seed := range uint64(2000) {
		rng := rand.New(rand.NewPCG(seed, 1))
		s := testgraph.Random(seed, testgraph.Options{})
		p := testgraph.RandomPattern(rng, s)
		if seed%4 == 0 {
			p = bigPattern(rng, s, 1+rng.IntN(40))
		}
		sizes := make([]float64, len(p.Vertices))
		for u := range sizes {
			sizes[u] = float64(rng.IntN(int(s.N()) + 1))
		}
		o := filtered(p, s, sizes, pattern.OrderAuto)
		if why := wrongOrder(p, o); why != "" {
			t.Fatalf("seed %d: %s\n%v%+v", seed, why, p, o)
		}
	}
}

// filtered is the order at stage Filtered.
func filtered(p *pattern.Pattern, s *csr.Snapshot, sizes []float64, strategy pattern.OrderStrategy) pattern.Order {
	return OrderFor(Filtered, &Question{Pattern: p, Snapshot: s, Sizes: sizes, Strategy: strategy}).Order
}

// wrongOrder checks what every order must satisfy, by its definition.
func wrongOrder(p *pattern.Pattern, o pattern.Order) string {
	at := make([]int, len(p.Vertices))
	for u := range at {
		at[u] = -1
	}
	bound := true
	for i, st := range o.Steps {
		if at[st.Vertex] >= 0 {
			return fmt.Sprint("twice: ", st.Vertex)
		}
		if b := p.Vertices[st.Vertex].Bound; b && !bound {
			return fmt.Sprint("bound late: ", st.Vertex)
		} else if bound = b; !b && !continues(p, at, st.Vertex) {
			return fmt.Sprint("not connected: ", st.Vertex)
		}
		at[st.Vertex] = i
	}
	if slices.Contains(at, -1) {
		return "incomplete"
	}
	seen := make([]int, len(p.Edges))
	for i, st := range o.Steps {
		for _, e := range st.Backward {
			if seen[e]++; max(at[p.Edges[e].From], at[p.Edges[e].To]) != i {
				return fmt.Sprint("backward edge at the wrong step: ", e)
			}
		}
		for _, u := range slices.Concat(st.Less, st.Greater) {
			if at[u] >= i {
				return fmt.Sprint("constraint on a later vertex: ", u)
			}
		}
	}
	if slices.ContainsFunc(seen, func(n int) bool { return n != 1 }) {
		return "an edge is not backward exactly once"
	}
	if math.IsNaN(o.Cost) || o.Cost < 0 || math.IsInf(o.Cost, 0) {
		return fmt.Sprint("cost ", o.Cost)
	}
	return ""
}

// continues reports whether u is joined to a placed vertex, or no unplaced free vertex is.
func continues(p *pattern.Pattern, at []int, u int) bool {
	any := false
	for _, e := range p.Edges {
		for _, d := range [][2]int{{e.From, e.To}, {e.To, e.From}} {
			if at[d[0]] >= 0 && at[d[1]] < 0 && !p.Vertices[d[1]].Bound {
				if d[1] == u {
					return true
				}
				any = true
			}
		}
	}
	return !any
}

// bigPattern is a random connected pattern of n vertices with one scope.
func bigPattern(rng *rand.Rand, s *csr.Snapshot, n int) *pattern.Pattern {
	p := &pattern.Pattern{Vertices: make([]pattern.Vertex, n), Scopes: []pattern.Scope{{Mode: pattern.DifferentNodes}}}
	sc := &p.Scopes[0]
	for u := range n {
		p.Vertices[u].Name = fmt.Sprint("u", u)
		sc.Vertices, sc.Order = append(sc.Vertices, u), append(sc.Order, u)
		for k := 0; u > 0 && (k == 0 || k < 4 && rng.IntN(2) == 0); k++ {
			addEdge(p, pattern.Edge{From: u, To: rng.IntN(u), Undirected: rng.IntN(2) == 0})
		}
	}
	return p
}

func addEdge(p *pattern.Pattern, e pattern.Edge) {
	e.Name = fmt.Sprint("e", len(p.Edges))
	sc := &p.Scopes[e.Scope]
	sc.Edges, sc.Order = append(sc.Edges, len(p.Edges)), append(sc.Order, ^len(p.Edges))
	p.Edges = append(p.Edges, e)
}

// The dynamic program finds the cheapest of all connected orders from the starts it is given.
func TestExactIsCheapest(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 2))
		s := testgraph.Random(seed, testgraph.Options{})
		p := bigPattern(rng, s, 1+rng.IntN(6))
		sizes := make([]float64, len(p.Vertices))
		var free []int
		for u := range sizes {
			sizes[u] = float64(1 + rng.IntN(100))
			free = append(free, u)
		}
		m := newModel(p, s, sizes, true)
		quick, _ := m.run(m.exact(nil, free))
		m.filtered = false // weigh all orders, however cheap the search
		got, _ := m.run(m.exact(nil, free))
		if quick > max(got, cheapSearch) {
			t.Errorf("seed %d: the quick order costs %v, the best %v", seed, quick, got)
		}
		best := math.Inf(1)
		placed := make([]bool, len(sizes))
		var try func(seq, next []int)
		try = func(seq, next []int) {
			if len(seq) == len(sizes) {
				c, _ := m.run(seq)
				best = min(best, c)
				return
			}
			for _, u := range next {
				placed[u] = true
				try(append(seq, u), m.next(placed, free))
				placed[u] = false
			}
		}
		try(nil, m.starts(placed, free))
		// Estimates depend a little on the order that led to a set, so that a set's cheapest prefix need not be
		// the best to go on from.
		if got > 1.5*best+1e-9 {
			t.Errorf("seed %d: cost %v, best %v\n%v", seed, got, best, p)
		}
	}
}

// The bound on costs changes no order.
func TestExactBounded(t *testing.T) {
	fewer := 0
	for seed := range uint64(1000) {
		rng := rand.New(rand.NewPCG(seed, 3))
		s := testgraph.Random(seed, testgraph.Options{Vertices: 4 + rng.IntN(20), Edges: 5 + rng.IntN(60)})
		p := bigPattern(rng, s, leastBounded+rng.IntN(5))
		sizes := make([]float64, len(p.Vertices))
		var bound, free []int
		for u := range sizes {
			sizes[u] = float64(rng.IntN(100))
			if p.Vertices[u].Bound = rng.IntN(12) == 0; p.Vertices[u].Bound {
				bound = append(bound, u)
			} else {
				free = append(free, u)
			}
		}
		m := newModel(p, s, sizes, true)
		m.filtered = false // weigh all orders, however cheap the search
		got, want := m.exact(bound, free), m.within(bound, free, math.MaxFloat64)
		if !slices.Equal(got, want) {
			a, _ := m.run(got)
			b, _ := m.run(want)
			t.Fatalf("seed %d: %v for %v, without a bound %v for %v\n%v", seed, got, a, want, b, p)
		}
		if m.within(bound, free, 0) == nil {
			fewer++
		}
	}
	if fewer < 100 {
		t.Errorf("a bound left sets out in only %d cases", fewer)
	}
}

// Planning must stay quick however large the pattern.
func TestOrderTime(t *testing.T) {
	s := testgraph.Random(1, testgraph.Options{Vertices: 10, Edges: 30})
	for _, n := range []int{10, 16, 17, 64, 200} {
		p := bigPattern(rand.New(rand.NewPCG(1, uint64(n))), s, n)
		sizes := slices.Repeat([]float64{5}, n)
		start := time.Now()
		filtered(p, s, sizes, pattern.OrderAuto)
		if d := time.Since(start); d > 2*time.Second {
			t.Errorf("%d vertices: %v", n, d)
		} else {
			t.Logf("%d vertices: %v", n, d)
		}
	}
}
