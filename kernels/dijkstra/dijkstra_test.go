package dijkstra_test

import (
	"math"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/kernels/dijkstra"
	"github.com/motifql/motif/kernels/internal/kerneltest"
	"github.com/motifql/motif/kernels/network"
)

// TestSearchRandom compares distances with those between all pairs, and follows parents. One search serves all sources of a graph.
func TestSearchRandom(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	rng := rand.New(rand.NewPCG(seed, 11))
	for i := range 300 {
		s, key := kerneltest.RandomWeighted(t, rng, 1+rng.IntN(30), rng.IntN(100))
		r := kerneltest.RandomNetwork(rng, s, key)
		r.Within = nil
		a, counts, err := testgraph.Matrix(s, r)
		if err != nil {
			t.Fatal(err)
		}
		g, err := network.New(t.Context(), s, r, network.Out, new(pattern.Env))
		if err != nil {
			t.Fatal(err)
		}
		d, search := testgraph.WeightedDistances(a, counts), dijkstra.NewSearch(&g.Out, new(atomic.Bool))
		for v := range d {
			settled, most := 0, rng.IntN(60)
			search.Run([]csr.VertexID{csr.VertexID(v)}, func(csr.VertexID) bool { settled++; return settled <= most })
			last := 0.0
			for _, w := range search.Order {
				if search.Dist[w] != d[v][w] || search.Dist[w] < last {
					t.Fatalf("seed %d, graph %d: from %d to %d: %v, want %v", seed, i, v, w, search.Dist[w], d[v][w])
				}
				last = search.Dist[w]
				if p := search.Parent(w); p == csr.NoVertex && int(w) != v || p != csr.NoVertex && d[v][p]+a[p][w] != last {
					t.Fatalf("seed %d, graph %d: from %d to %d by %d", seed, i, v, w, p)
				}
			}
			reached := 0
			for _, x := range d[v] {
				if !math.IsInf(x, 1) {
					reached++
				}
			}
			if len(search.Order) != min(reached, most+1) {
				t.Fatalf("seed %d, graph %d: from %d: %d settled of %d", seed, i, v, len(search.Order), reached)
			}
		}
	}
}

// TestSearchWideWeights compares searches in graphs whose weights differ by many orders of magnitude with Bellman and Ford's. Weights of
// 2^-40 to 2^40 put most entries into few buckets, and long paths go through all buckets many times.
func TestSearchWideWeights(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	rng := rand.New(rand.NewPCG(seed, 12))
	for i := range 60 {
		n, spread := 2+rng.IntN(300), rng.IntN(41)
		b := csr.NewBuilder()
		b.AddVertices(n)
		typ, key := b.Type("R"), b.Key("w")
		edge := func(v, w int) {
			b.SetEdge(b.AddEdge(uint32(v), uint32(w), typ), key, csr.FloatCell(math.Exp2(float64(rng.IntN(2*spread+1)-spread)*rng.Float64())))
		}
		for v := range n - 1 {
			edge(v, v+1) // a long path
		}
		for range rng.IntN(4 * n) {
			edge(rng.IntN(n), rng.IntN(n))
		}
		s, _, err := b.Build(t.Context(), 1)
		if err != nil {
			t.Fatal(err)
		}
		r := &pattern.Network{Direction: csr.Direction(rng.IntN(3)), Weight: &pattern.Weight{Key: key, Default: math.NaN(), Least: true}}
		g, err := network.New(t.Context(), s, r, network.Out, new(pattern.Env))
		if err != nil {
			t.Fatal(err)
		}
		search := dijkstra.NewSearch(&g.Out, new(atomic.Bool))
		for range 4 {
			from, most := rng.IntN(n), rng.IntN(n)
			want := relaxed(&g.Out, from)
			search.Run([]csr.VertexID{csr.VertexID(from)}, func(csr.VertexID) bool { most--; return most >= 0 || i%2 == 0 })
			last := 0.0
			for _, v := range search.Order {
				if search.Dist[v] != want[v] || want[v] < last {
					t.Fatalf("seed %d, graph %d: from %d to %d: %v, want %v", seed, i, from, v, search.Dist[v], want[v])
				}
				last = want[v]
			}
			for v, x := range want {
				if i%2 == 0 && search.Dist[v] != x {
					t.Fatalf("seed %d, graph %d: from %d to %d: %v, want %v", seed, i, from, v, search.Dist[v], x)
				}
			}
		}
	}
}

// relaxed returns distances: it offers every edge until none makes a path shorter.
func relaxed(rows *network.Rows, from int) []float64 {
	dist := make([]float64, len(rows.Offsets)-1)
	for v := range dist {
		dist[v] = math.Inf(1)
	}
	dist[from] = 0
	for changed := true; changed; {
		changed = false
		for v := range dist {
			for p := rows.Offsets[v]; p < rows.Offsets[v+1]; p++ {
				if d := dist[v] + rows.Weights[p]; d < dist[rows.Targets[p]] {
					dist[rows.Targets[p]], changed = d, true
				}
			}
		}
	}
	return dist
}

// BenchmarkDistances searches from one vertex to all: 12 bytes a relationship and 16 a vertex at least.
func BenchmarkDistances(b *testing.B) {
	s, n := kerneltest.WeightedRMAT(b, 16, csr.Out)
	r := &pattern.WeightedPathRequest{Network: n, Sources: []csr.VertexID{0}}
	for b.Loop() {
		if _, err := dijkstra.Distances(b.Context(), s, r, new(pattern.Env)); err != nil {
			b.Fatal(err)
		}
	}
}
