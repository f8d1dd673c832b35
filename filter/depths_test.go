package filter_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/motifql/motif/filter"
	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
)

// simplePattern is a pattern of one scope with the given undirected edges.
func simplePattern(n int, mode pattern.Mode, edges ...[2]int) *pattern.Pattern {
	p := &pattern.Pattern{Vertices: make([]pattern.Vertex, n), Scopes: []pattern.Scope{{Mode: mode}}}
	for u := range n {
		p.Scopes[0].Vertices = append(p.Scopes[0].Vertices, u)
	}
	for i, e := range edges {
		p.Edges = append(p.Edges, pattern.Edge{From: e[0], To: e[1], Undirected: true})
		p.Scopes[0].Edges = append(p.Scopes[0].Edges, i)
	}
	return p
}

// bruteDepths finds the depths of a pattern of few edges by looking at all sets of edges: the largest least degree, and least
// number of triangles on an edge, of any that u is in.
func bruteDepths(n int, edges [][2]int) []filter.Depth {
	out := make([]filter.Depth, n)
	for set := 1; set < 1<<len(edges); set++ {
		var adj [8][8]bool
		var degree [8]uint32
		for i, e := range edges {
			if set>>i&1 == 1 {
				adj[e[0]][e[1]], adj[e[1]][e[0]] = true, true
				degree[e[0]]++
				degree[e[1]]++
			}
		}
		core, truss := ^uint32(0), ^uint32(0)
		for u := range n {
			if degree[u] > 0 {
				core = min(core, degree[u])
			}
			for w := range u {
				if adj[u][w] {
					both := uint32(0)
					for x := range n {
						if adj[u][x] && adj[w][x] {
							both++
						}
					}
					truss = min(truss, both+2)
				}
			}
		}
		for u := range n {
			if degree[u] > 0 {
				out[u].Core, out[u].Truss = max(out[u].Core, core), max(out[u].Truss, truss)
			}
		}
	}
	return out
}

// TestPatternDepths compares the depths of random small patterns with the definitions, and sees that none are claimed where
// patterns may fold up.
func TestPatternDepths(t *testing.T) {
	simple := testgraph.Random(1, testgraph.Options{Simple: true})
	multi := testgraph.Random(2, testgraph.Options{})
	for seed := range rounds(400) {
		restore := func() {}
		rng := rand.New(rand.NewPCG(seed, 5))
		n := 2 + rng.IntN(4)
		var edges [][2]int
		for u := range n {
			for w := range u {
				if rng.IntN(3) > 0 {
					edges = append(edges, [2]int{u, w})
				}
			}
		}
		want := bruteDepths(n, edges)
		if seed%2 == 0 {
			restore = filter.LongRows()
		}
		for _, c := range []struct {
			s    *csr.Snapshot
			mode pattern.Mode
			ok   bool
		}{
			{simple, pattern.DifferentNodes, true}, {multi, pattern.DifferentNodes, true},
			{simple, pattern.RepeatableElements, false},
			{simple, pattern.DifferentRelationships, simple.Stats.SimpleUnion(nil)},
			{multi, pattern.DifferentRelationships, multi.Stats.SimpleUnion(nil)},
		} {
			got := filter.Depths(c.s, simplePattern(n, c.mode, edges...))[0]
			if !c.ok && len(edges) > 0 && got != nil || c.ok && !slices.Equal(got, want) {
				t.Fatalf("seed %d: mode %v of %v: depths %v, want %v (told: %v)", seed, c.mode, edges, got, want, c.ok)
			}
		}
		restore()
	}
}

// TestDepthTiers sees the tiers remove what the others leave, counts it, and switches them off.
func TestDepthTiers(t *testing.T) {
	// A 5-clique; a tree whose inner vertices have degree 3 or more; K(4,4), which is a 4-core without triangles.
	var edges [][2]uint32
	for u := range uint32(5) {
		for w := range u {
			edges = append(edges, [2]uint32{w, u})
		}
	}
	for v := uint32(1); v < 22; v++ {
		edges = append(edges, [2]uint32{5 + (v-1)/3, 5 + v})
	}
	for u := range uint32(4) {
		for w := range uint32(4) {
			edges = append(edges, [2]uint32{30 + u, 34 + w})
		}
	}
	s := testgraph.Graph(38, func(yield func(a, b uint32) bool) {
		for _, e := range edges {
			if !yield(e[0], e[1]) {
				return
			}
		}
	}, true)
	p := simplePattern(4, pattern.DifferentNodes, [2]int{0, 1}, [2]int{0, 2}, [2]int{0, 3}, [2]int{1, 2}, [2]int{1, 3}, [2]int{2, 3})
	env := func(off ...pattern.Technique) *pattern.Env {
		e := &pattern.Env{Tally: new(pattern.Tally)}
		for _, m := range off {
			e.Without = e.Without.With(m)
		}
		return e
	}
	before := sizes(t, s, p, env())[0]
	if before <= 13 {
		t.Fatalf("%d candidates before any work was seen: the graph does not test the tiers", before)
	}
	filter.SpentOnGPU(s, p, 100_000) // would do for the trussness on the CPU
	if e := env(); sizes(t, s, p, e)[0] != 13 || e.Tally.Taken[pattern.TrussTier].Load() > 0 {
		t.Errorf("trussness was computed for a short search on a GPU")
	}
	filter.Spent(s, p, 1<<40)
	for _, c := range []struct {
		env         *pattern.Env
		left        int
		core, truss bool
	}{
		{env(), 5, true, true}, // inner vertices of the tree go, and K(4,4)
		{env(pattern.TrussTier), 13, true, false},
		{env(pattern.CoreTier), 5, false, true},
		{env(pattern.CoreTier, pattern.TrussTier), before, false, false},
	} {
		for _, n := range sizes(t, s, p, c.env) {
			if n != c.left {
				t.Errorf("without %v: %d candidates, want %d", c.env.Without, n, c.left)
			}
		}
		core, truss := c.env.Tally.Taken[pattern.CoreTier].Load(), c.env.Tally.Taken[pattern.TrussTier].Load()
		if (core > 0) != c.core || (truss > 0) != c.truss {
			t.Errorf("without %v: coreness removed %d, trussness %d", c.env.Without, core, truss)
		}
	}
}

func sizes(t *testing.T, s *csr.Snapshot, p *pattern.Pattern, env *pattern.Env) []int {
	t.Helper()
	c, err := filter.Run(context.Background(), s, p, env)
	if err != nil {
		t.Fatal(err)
	}
	var out []int
	for _, set := range c.Sets {
		out = append(out, set.Len())
	}
	return out
}

// A decomposition of a dense graph goes along long lists: it must not be taken for as cheap, by the relationship, as that of a
// sparse one, or a query that a search answers at once has one made that takes seconds.
func TestTrussesCostOfDenseGraphs(t *testing.T) {
	perPair := func(n uint32, m uint64) uint64 {
		return filter.TrussesCost(testgraph.Graph(int(n), testgraph.ER(n, m, 1), true)) / m
	}
	small, sparse, dense := perPair(300, 900), perPair(3000, 9000), perPair(600, 150_000)
	if sparse < small*3/4 || sparse > small*4/3 || dense < 5*sparse {
		t.Errorf("%d and %d a relationship in sparse graphs, %d in a dense one", small, sparse, dense)
	}
	if empty := filter.TrussesCost(testgraph.Graph(0, testgraph.ER(0, 0, 1), true)); empty != 0 {
		t.Errorf("%d in an empty graph", empty)
	}
}
