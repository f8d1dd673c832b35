package cyclic_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/kernels/cyclic"
	"github.com/motifql/motif/kernels/internal/kerneltest"
)

// all lists all graphs.
func all() (list []pattern.CyclicGraph) {
	for g := range pattern.CyclicGraphs {
		list = append(list, g)
	}
	return list
}

// brute goes through all assignments, and adds up the products of their weights.
func brute(g pattern.CyclicGraph, weights [][]uint64) (n uint64) {
	edges, size := g.Edges()
	at := make([]int, size)
	var place func(v int, product uint64)
	place = func(v int, product uint64) {
		if v == size {
			n += product
			return
		}
		for x := range weights {
			at[v] = x
			more := product
			for _, e := range edges {
				if max(e[0], e[1]) == v {
					more *= weights[at[e[0]]][at[e[1]]]
				}
			}
			if more > 0 {
				place(v+1, more)
			}
		}
	}
	place(0, 1)
	return n
}

// matrix has the weights of pairs of vertices of within. By a nil factor, those that are joined weigh 1.
func matrix(t *testing.T, s *csr.Snapshot, adj *csr.Adjacency, within *pattern.CandidateSet, weigh *pattern.Factor) [][]uint64 {
	t.Helper()
	weights := make([][]uint64, s.N())
	for v := range csr.VertexID(s.N()) {
		weights[v] = make([]uint64, s.N())
		for _, w := range adj.Neighbours(v) {
			if w == v || !kerneltest.InSet(within, w) || !kerneltest.InSet(within, v) {
				continue
			}
			if weights[v][w] = 1; weigh != nil {
				var err error
				if weights[v][w], err = weigh.Weight(uint64(len(s.Relationships(nil, v, w, nil, csr.Both)))); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	return weights
}

// count counts all graphs and checks that the memory is given back.
func count(t *testing.T, s *csr.Snapshot, adj *csr.Adjacency, within *pattern.CandidateSet, workers int) []pattern.Count128 {
	t.Helper()
	memory := new(pattern.Memory)
	got, err := cyclic.Count(t.Context(), adj, s.N(), within, nil, all(), &pattern.Env{Workers: workers, Memory: memory})
	if err != nil {
		t.Fatal(err)
	}
	if memory.Used() != 0 {
		t.Fatalf("%d bytes not given back", memory.Used())
	}
	return got
}

// TestCount compares all counts with brute force on random graphs with loops, parallel relationships and sets of vertices.
func TestCount(t *testing.T) {
	for seed := range uint64(120) {
		rng := rand.New(rand.NewPCG(seed, 16))
		n := 1 + rng.IntN(9)
		s := kerneltest.RandomMulti(t, rng, n, rng.IntN(4*n+1))
		within := kerneltest.SomeVertices(rng, s)
		adj := s.Adjacency(nil, csr.Both)
		got, joined := count(t, s, adj, within, 1+int(seed)%3), matrix(t, s, adj, within, nil)
		for g := range pattern.CyclicGraphs {
			if want := brute(g, joined); got[g] != pattern.Count(want) {
				t.Errorf("seed %d, graph %d: %v, want %d", seed, g, got[g], want)
			}
		}
	}
}

// factors weigh pairs by their relationships.
var factors = []*pattern.Factor{{Undirected: true, Falls: []int{1}}, {Undirected: true, Falls: []int{2}}, {Undirected: true, Falls: []int{1, 1}}}

// weighted counts the graphs that are counted by weights.
func weighted(t *testing.T, s *csr.Snapshot, within *pattern.CandidateSet, weigh *pattern.Factor, workers int) (graphs []pattern.CyclicGraph, counts []pattern.Count128, err error) {
	t.Helper()
	graphs = slices.DeleteFunc(all(), func(g pattern.CyclicGraph) bool { return !cyclic.Weighs(g) })
	memory := new(pattern.Memory)
	counts, err = cyclic.Count(t.Context(), s.Adjacency(nil, csr.Both), s.N(), within, weigh, graphs, &pattern.Env{Workers: workers, Memory: memory})
	if memory.Used() != 0 {
		t.Fatalf("%d bytes not given back", memory.Used())
	}
	return graphs, counts, err
}

// TestWeightedCount compares counts by weights with brute force.
func TestWeightedCount(t *testing.T) {
	more := 0 // counts that differ from those without weights
	for seed := range uint64(240) {
		rng := rand.New(rand.NewPCG(seed, 18))
		n := 3 + rng.IntN(6)
		s := kerneltest.RandomMulti(t, rng, n, rng.IntN(12*n+1))
		within, weigh := kerneltest.SomeVertices(rng, s), factors[seed%3]
		adj := s.Adjacency(nil, csr.Both)
		graphs, got, err := weighted(t, s, within, weigh, 1+int(seed)%2)
		if weights := matrix(t, s, adj, within, weigh); slices.Max(slices.Concat(weights...)) > 16 {
			if !errors.Is(err, pattern.ErrOverflow) {
				t.Errorf("seed %d: %v", seed, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		for i, g := range graphs {
			want := brute(g, matrix(t, s, adj, within, weigh))
			if got[i] != pattern.Count(want) {
				t.Errorf("seed %d, %v by %v: %v, want %d", seed, g, weigh.Falls, got[i], want)
			}
			if want != brute(g, matrix(t, s, adj, within, nil)) {
				more++
			}
		}
	}
	if more < 50 {
		t.Errorf("weights made a difference %d times", more)
	}
}

// TestHeavyPairs has a pair weigh more than the counts allow.
func TestHeavyPairs(t *testing.T) {
	for _, many := range []int{4, 5} {
		b := csr.NewBuilder()
		b.AddVertices(2)
		for range many {
			b.AddEdge(0, 1, b.Type("E"))
		}
		s, _, err := b.Build(t.Context(), 1)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := weighted(t, s, nil, factors[2], 1); errors.Is(err, pattern.ErrOverflow) != (many*many > 16) {
			t.Errorf("%d relationships: %v", many, err)
		}
	}
}

// TestWeightedMutants checks that wrong cases of counts by weights are noticed.
func TestWeightedMutants(t *testing.T) {
	for _, name := range []string{"lists up to the top", "no prism with the top twice", "prisms with the top in a ring", "prisms with ties at five pairs"} {
		caught := 0
		for seed := range uint64(20) {
			s := kerneltest.RandomMulti(t, rand.New(rand.NewPCG(seed, 19)), 12, 60)
			_, want, err := weighted(t, s, nil, factors[0], 1)
			restore := cyclic.Mutate(cyclic.Mutants[name])
			_, got, err2 := weighted(t, s, nil, factors[0], 1)
			restore()
			if err != nil || err2 != nil {
				t.Fatal(err, err2)
			}
			if !slices.Equal(got, want) {
				caught++
			}
		}
		if caught < 10 {
			t.Errorf("%s: noticed on %d of 20 graphs", name, caught)
		}
	}
}

// TestWorkers compares numbers of workers on larger graphs.
func TestWorkers(t *testing.T) {
	for seed := range uint64(3) {
		s := testgraph.Graph(1<<8, testgraph.RMAT(8, 6+2*int(seed), seed), seed%2 == 0)
		adj := s.Adjacency(nil, csr.Both)
		if one, many := count(t, s, adj, nil, 1), count(t, s, adj, nil, 4); !slices.Equal(one, many) {
			t.Errorf("seed %d: %v with one worker, %v with four", seed, one, many)
		}
	}
}

// TestMutants checks that wrong cases and wrong cuts are noticed.
func TestMutants(t *testing.T) {
	for name, change := range cyclic.Mutants {
		caught := 0
		for seed := range uint64(20) {
			rng := rand.New(rand.NewPCG(seed, 17))
			s := kerneltest.RandomMulti(t, rng, 12, 40)
			adj := s.Adjacency(nil, csr.Both)
			want := count(t, s, adj, nil, 1)
			restore := cyclic.Mutate(change)
			got := count(t, s, adj, nil, 1)
			restore()
			if !slices.Equal(got, want) {
				caught++
			}
		}
		if caught < 10 {
			t.Errorf("%s: noticed on %d of 20 graphs", name, caught)
		}
	}
}

// TestLimits has memory, the context and large numbers end the counts.
func TestLimits(t *testing.T) {
	s := testgraph.Graph(1<<11, testgraph.ER(1<<11, 1<<17, 3), true)
	adj := s.Adjacency(nil, csr.Both)
	for g := range pattern.CyclicGraphs {
		for _, limit := range []int64{100, 1 << 20} {
			memory := &pattern.Memory{Limit: limit}
			if _, err := cyclic.Count(t.Context(), adj, s.N(), nil, nil, []pattern.CyclicGraph{g}, &pattern.Env{Memory: memory}); !errors.Is(err, pattern.ErrMemory) {
				t.Errorf("graph %d with %d bytes: %v", g, limit, err)
			}
			if memory.Used() != 0 {
				t.Errorf("graph %d: %d bytes not given back", g, memory.Used())
			}
		}
	}
	dense := testgraph.Graph(1<<11, testgraph.ER(1<<11, 1<<20, 3), true)
	adj = dense.Adjacency(nil, csr.Both)
	for g := range pattern.CyclicGraphs {
		for _, after := range []time.Duration{5 * time.Millisecond, 20 * time.Millisecond, 100 * time.Millisecond} { // in each of its passes
			ctx, cancel := context.WithTimeout(t.Context(), after)
			begin := time.Now()
			if _, err := cyclic.Count(ctx, adj, dense.N(), nil, nil, []pattern.CyclicGraph{g}, &pattern.Env{Workers: 2}); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("graph %d stopped: %v", g, err)
			}
			if took := time.Since(begin); took > after+10*time.Second {
				t.Errorf("graph %d, to be stopped after %v, ended after %v", g, after, took)
			}
			cancel()
		}
	}
}

// TestSum checks sums of more than 128 bits.
func TestSum(t *testing.T) {
	if !cyclic.SumOverflows(1<<63, 1<<63, 4) || cyclic.SumOverflows(1<<63, 1<<63, 3) {
		t.Error("a sum of 128 bits")
	}
}

// TestMeasure compares what graphs are expected to take.
func TestMeasure(t *testing.T) {
	s := testgraph.Graph(1<<8, testgraph.RMAT(8, 8, 1), true)
	adj := s.Adjacency(nil, csr.Both)
	w := cyclic.WorkOf(s, adj)
	if again := cyclic.WorkOf(s, adj); again != w {
		t.Error("measured twice")
	}
	if one := cyclic.Measure(adj, s.N(), nil); *one != *w || w[pattern.Cycle5] >= w[pattern.Cycle6] || w[pattern.Wheel4] >= w[pattern.Wheel5] {
		t.Errorf("%v, %v", one, w)
	}
	var half []csr.VertexID
	for v := csr.VertexID(0); uint64(v) < s.N(); v += 2 {
		half = append(half, v)
	}
	part := cyclic.Measure(adj, s.N(), pattern.NewCandidateSet(s.N(), half))
	for g := range pattern.CyclicGraphs {
		if part[g] >= w[g] {
			t.Errorf("graph %d: half of the vertices take %v, all %v", g, part[g], w[g])
		}
	}
}
