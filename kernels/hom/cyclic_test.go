package hom_test

import (
	"context"
	"errors"
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/kernels/hom"
)

// TestCyclicGraphs compares package cyclic with brute force on random graphs, among them graphs whose vertices and edges ask for different
// things. Those are counted otherwise.
func TestCyclicGraphs(t *testing.T) {
	defer hom.SetCyclicGain(1e18)()
	tally, compared := new(pattern.Tally), 0
	for seed := range uint64(400) {
		c := newHomCase(seed)
		x := pattern.CyclicGraph(seed % uint64(pattern.CyclicGraphs))
		edges, _ := x.Edges()
		g := randomGraph(c.rng, edges, len(c.sets), 2)
		if c.rng.IntN(2) == 0 { // alike, but for a loop now and then
			for i := range g.Factors {
				f := &g.Factors[i]
				*f = pattern.Factor{From: f.From, To: f.To, Undirected: true, Types: g.Factors[0].Types, Loops: c.rng.IntN(40) == 0}
			}
			for v := range g.Sets {
				g.Sets[v] = g.Sets[0]
			}
		}
		h := c.counter(pattern.Techniques{})
		one, two := h.Add(g), h.Add(g)
		if one != two {
			t.Fatalf("seed %d: taken on once", seed)
		}
		if !one {
			continue
		}
		compared++
		got, want := c.count(t, seed, h, tally), bruteHoms(t, c.s, c.sets, g)
		if got[0] != want || got[1] != want {
			t.Fatalf("seed %d, %v, %+v: %v, want %v", seed, x, g, got, want)
		}
	}
	if n := tally.Taken[pattern.CyclicKernel].Load(); compared < 250 || n < 100 {
		t.Errorf("%d compared, %d by package cyclic", compared, n)
	}
}

// TestCyclicChoice counts the cyclic graphs of a larger graph by package cyclic and by arrays, each where it is said to be cheaper.
func TestCyclicChoice(t *testing.T) {
	s := testgraph.Graph(1<<9, testgraph.RMAT(9, 8, 1), true)
	for x := range pattern.CyclicGraphs {
		edges, n := x.Edges()
		g := hom.Graph{Sets: make([]int, n)}
		for _, e := range edges {
			g.Factors = append(g.Factors, pattern.Factor{From: e[0], To: e[1], Undirected: true})
		}
		count := func(without pattern.Techniques, rival float64, limit int64) (total pattern.Count128, cost float64, used uint64) {
			h := hom.NewCounter(s)
			h.Leave(without)
			h.Against(rival)
			h.AddSet(nil)
			if !h.Add(g) {
				return total, 0, 0
			}
			env := &pattern.Env{Tally: new(pattern.Tally), Memory: &pattern.Memory{Limit: limit}}
			counts, err := h.Count(context.Background(), env)
			if err != nil {
				t.Fatal(err)
			}
			return counts[0], h.Cost(), env.Tally.Taken[pattern.CyclicKernel].Load()
		}
		total, cost, used := count(pattern.Techniques{}, 1e12, 0)
		if used != 1 {
			t.Errorf("%v: not by package cyclic", x)
		}
		arrays, price, used := count(pattern.Techniques{}.With(pattern.CyclicKernel), 1e12, 0)
		if used != 0 || price > 0 && (arrays != total || price < cost) {
			t.Errorf("%v: %v at %v by package cyclic, %v at %v by arrays", x, total, cost, arrays, price)
		}
		if _, _, used := count(pattern.Techniques{}, 100, 0); used != 0 {
			t.Errorf("%v: measured where a search is over by then", x)
		}
	}
}

// TestCyclicMemory has arrays count what package cyclic has no memory for.
func TestCyclicMemory(t *testing.T) {
	s := testgraph.Graph(1<<9, testgraph.ER(1<<9, 1<<14, 3), true)
	defer hom.SetCyclicGain(1e18)()
	count := func(limit int64) (pattern.Count128, uint64, error) {
		h := hom.NewCounter(s)
		h.AddSet(nil)
		edges, _ := pattern.SubdividedClique.Edges()
		if !h.Add(hom.Graph{Sets: make([]int, 5), Factors: undirected(edges)}) {
			t.Fatal("not taken on")
		}
		env := &pattern.Env{Tally: new(pattern.Tally), Memory: &pattern.Memory{Limit: limit}}
		counts, err := h.Count(context.Background(), env)
		if env.Memory.Used() != 0 {
			t.Errorf("%d bytes not given back", env.Memory.Used())
		}
		if err != nil {
			return pattern.Count128{}, 0, err
		}
		return counts[0], env.Tally.Taken[pattern.CyclicKernel].Load(), nil
	}
	want, used, err := count(0)
	if err != nil || used != 1 {
		t.Fatal(used, err)
	}
	if got, used, err := count(200_000); err != nil || used != 0 || got != want {
		t.Errorf("with little memory: %v, want %v, %d uses, %v", got, want, used, err)
	}
	if _, _, err := count(100); !errors.Is(err, pattern.ErrMemory) {
		t.Errorf("without memory: %v", err)
	}
}

// undirected makes factors of edges.
func undirected(edges [][2]int) (factors []pattern.Factor) {
	for _, e := range edges {
		factors = append(factors, pattern.Factor{From: e[0], To: e[1], Undirected: true, Types: csr.TypeSet(nil)})
	}
	return factors
}
