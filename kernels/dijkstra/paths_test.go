package dijkstra_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/kernels/dijkstra"
	"github.com/motifql/motif/kernels/internal/kerneltest"
)

// TestPathsRandom compares the costs of the k shortest paths with those of all paths, and walks along each path.
func TestPathsRandom(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	rng := rand.New(rand.NewPCG(seed, 16))
	for i := range 500 {
		n := 1 + rng.IntN(7)
		s, key := kerneltest.RandomWeighted(t, rng, n, rng.IntN(4*n))
		r := &pattern.WeightedPathRequest{Network: *kerneltest.RandomNetwork(rng, s, key), Sources: []csr.VertexID{csr.VertexID(rng.IntN(n))},
			Target: csr.VertexID(rng.IntN(n)), K: 1 + rng.IntN(12)}
		if r.Weight != nil {
			r.Weight.Least = true
		}
		a, _, err := testgraph.Matrix(s, &r.Network)
		if err != nil {
			t.Fatal(err)
		}
		want, err := testgraph.Brute{}.WeightedPaths(t.Context(), s, r)
		if err != nil {
			t.Fatal(err)
		}
		memory := new(pattern.Memory)
		got, err := dijkstra.Paths(t.Context(), s, r, &pattern.Env{Memory: memory})
		if err != nil || memory.Used() != 0 || len(got) != len(want) {
			t.Fatalf("seed %d, graph %d, %+v: %v, %v, %d bytes; want %v", seed, i, r, got, err, memory.Used(), want)
		}
		for j, p := range got {
			cost, seen := 0.0, map[csr.VertexID]bool{}
			for k, v := range p.Vertices {
				if k > 0 {
					if cost += a[p.Vertices[k-1]][v]; a[p.Vertices[k-1]][v] < 0 {
						t.Fatalf("seed %d, graph %d: %v has no edge to %d", seed, i, p, v)
					}
				}
				seen[v] = true
			}
			twice := slices.ContainsFunc(got[:j], func(q pattern.WeightedPath) bool { return slices.Equal(p.Vertices, q.Vertices) })
			if p.Cost != want[j].Cost || p.Cost != cost || len(seen) != len(p.Vertices) || twice || p.Vertices[0] != r.Sources[0] ||
				p.Vertices[len(p.Vertices)-1] != r.Target {
				t.Fatalf("seed %d, graph %d, %+v: path %d is %v; want %v", seed, i, r, j, p, want[j])
			}
		}
	}
}

// TestDistancesRandom compares distances from several sources with those between all pairs, and checks parents.
func TestDistancesRandom(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	rng := rand.New(rand.NewPCG(seed, 17))
	for i := range 300 {
		n := 1 + rng.IntN(20)
		s, key := kerneltest.RandomWeighted(t, rng, n, rng.IntN(4*n))
		r := &pattern.WeightedPathRequest{Network: *kerneltest.RandomNetwork(rng, s, key),
			Sources: []csr.VertexID{csr.VertexID(rng.IntN(n)), csr.VertexID(rng.IntN(n))}}
		if r.Weight != nil {
			r.Weight.Least = true
		}
		a, _, err := testgraph.Matrix(s, &r.Network)
		if err != nil {
			t.Fatal(err)
		}
		want, err := testgraph.Brute{}.Distances(t.Context(), s, r)
		if err != nil {
			t.Fatal(err)
		}
		memory := new(pattern.Memory)
		got, err := dijkstra.Distances(t.Context(), s, r, &pattern.Env{Memory: memory})
		if err != nil || memory.Used() != 0 || !slices.Equal(got.Dist, want.Dist) {
			t.Fatalf("seed %d, graph %d, %+v: %v, %v; want %v", seed, i, r, got, err, want)
		}
		for v, p := range got.Parent {
			source := slices.Contains(r.Sources, csr.VertexID(v))
			if p != csr.NoVertex && got.Dist[p]+a[p][v] != got.Dist[v] || p == csr.NoVertex && !source && !math.IsInf(got.Dist[v], 1) {
				t.Fatalf("seed %d, graph %d: the parent of %d is %d", seed, i, v, p)
			}
		}
	}
}
