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
