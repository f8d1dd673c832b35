package dijkstra_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/kernels/dijkstra"
	"github.com/motifql/motif/kernels/internal/kerneltest"
)

// estimates are right to the last bit, right up to a factor, nearly right, or nonsense.
func estimates(rng *rand.Rand, back []float64) []float64 {
	list, kind, by := make([]float64, len(back)), rng.IntN(4), math.Pow(10, float64(rng.IntN(13)-6))
	for v, d := range back {
		if math.IsInf(d, 1) {
			d = rng.Float64() * 100
		}
		switch kind {
		case 1:
			d *= by
		case 2:
			d += rng.Float64() * by
		case 3:
			d = rng.NormFloat64() * by
		}
		list[v] = d
	}
	return list
}

// TestGuidedRandom compares the length of the path with Dijkstra's, whatever the estimates, and walks along the path.
func TestGuidedRandom(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	rng := rand.New(rand.NewPCG(seed, 18))
	for i := range 1500 {
		n := 1 + rng.IntN(30)
		s, key := kerneltest.RandomWeighted(t, rng, n, rng.IntN(4*n))
		r := &pattern.WeightedPathRequest{Network: *kerneltest.RandomNetwork(rng, s, key), Sources: []csr.VertexID{csr.VertexID(rng.IntN(n))},
			Target: csr.VertexID(rng.IntN(n)), K: 1}
		if r.Weight != nil {
			r.Weight.Least = true
		}
		back := *r
		back.Sources, back.Direction = []csr.VertexID{r.Target}, r.Direction.Reverse()
		from, err := dijkstra.Distances(t.Context(), s, &back, new(pattern.Env))
		if err != nil {
			t.Fatal(err)
		}
		r.Estimate = estimates(rng, from.Dist)
		want, err := dijkstra.Distances(t.Context(), s, r, new(pattern.Env))
		if err != nil {
			t.Fatal(err)
		}
		a, _, err := testgraph.Matrix(s, &r.Network)
		if err != nil {
			t.Fatal(err)
		}
		memory := new(pattern.Memory)
		got, err := dijkstra.Guided(t.Context(), s, r, &pattern.Env{Memory: memory})
		if err != nil || memory.Used() != 0 || (len(got) == 0) != math.IsInf(want.Dist[r.Target], 1) {
			t.Fatalf("seed %d, graph %d, %+v: %v, %v, %d bytes; want %v", seed, i, r, got, err, memory.Used(), want.Dist[r.Target])
		}
		for _, p := range got {
			cost := 0.0
			for k := 1; k < len(p.Vertices); k++ {
				x := a[p.Vertices[k-1]][p.Vertices[k]]
				if cost += x; x < 0 {
					t.Fatalf("seed %d, graph %d: %v has no edge to %d", seed, i, p, p.Vertices[k])
				}
			}
			if cost != p.Cost || cost != want.Dist[r.Target] || p.Vertices[0] != r.Sources[0] || p.Vertices[len(p.Vertices)-1] != r.Target {
				t.Fatalf("seed %d, graph %d, %+v: %v; want %v", seed, i, r, p, want.Dist[r.Target])
			}
		}
	}
}

// A vertex with an edge needs an estimate, and one without needs none.
func TestGuidedEstimateMissing(t *testing.T) {
	b := csr.NewBuilder()
	b.AddVertices(4)
	typ := b.Type("R")
	b.AddEdge(0, 1, typ)
	b.AddEdge(1, 2, typ)
	s, _, err := b.Build(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	lonely := csr.VertexID(0)
	for s.Adjacency(nil, csr.Both).Degree(lonely) > 0 {
		lonely++
	}
	for v := range csr.VertexID(4) {
		r := &pattern.WeightedPathRequest{Sources: []csr.VertexID{0}, Target: 1, K: 1, Estimate: make([]float64, 4)}
		r.Estimate[v] = math.NaN()
		_, err := dijkstra.Guided(t.Context(), s, r, new(pattern.Env))
		var unknown *pattern.EstimateError
		if v == lonely && err != nil || v != lonely && (!errors.As(err, &unknown) || unknown.Vertex != v) {
			t.Errorf("without an estimate of %d: %v", v, err)
		}
	}
}

// grid is a road map: a square of crossings, each joined to its neighbours, with lengths from 1 to 1.5.
func grid(b *testing.B, side int) (*csr.Snapshot, *pattern.WeightedPathRequest) {
	g := csr.NewBuilder()
	g.AddVertices(side * side)
	typ, key, x, y := g.Type("ROAD"), g.Key("length"), g.Key("x"), g.Key("y")
	rng := rand.New(rand.NewPCG(1, 1))
	for v := range uint32(side * side) {
		g.SetVertex(v, x, csr.IntCell(int64(v)%int64(side)))
		g.SetVertex(v, y, csr.IntCell(int64(v)/int64(side)))
		for _, w := range []uint32{v + 1, v + uint32(side)} {
			if int(w) < side*side && (w != v+1 || int(w)%side > 0) {
				g.SetEdge(g.AddEdge(v, w, typ), key, csr.FloatCell(1+rng.Float64()/2))
			}
		}
	}
	s, _, err := g.Build(b.Context(), 1)
	if err != nil {
		b.Fatal(err)
	}
	r := &pattern.WeightedPathRequest{K: 1, Estimate: make([]float64, s.N()),
		Network: pattern.Network{Direction: csr.Both, Weight: &pattern.Weight{Key: csr.KeyID(key), Default: math.NaN(), Least: true}}}
	at := func(v csr.VertexID) (float64, float64) {
		i, _ := s.VertexProp(v, csr.KeyID(x))
		j, _ := s.VertexProp(v, csr.KeyID(y))
		return float64(int64(i.Num)), float64(int64(j.Num))
	}
	for v := range csr.VertexID(s.N()) {
		if i, j := at(v); int(i) == side/3 && int(j) == side/3 {
			r.Sources = []csr.VertexID{v}
		} else if int(i) == side/2 && int(j) == side/2 {
			r.Target = v
		}
	}
	ti, tj := at(r.Target)
	for v := range r.Estimate {
		i, j := at(csr.VertexID(v))
		r.Estimate[v] = math.Hypot(i-ti, j-tj)
	}
	return s, r
}

// BenchmarkGuided looks for a way through a sixth of a road map of 250,000 crossings; BenchmarkPaths finds it without estimates.
func BenchmarkGuided(b *testing.B) {
	s, r := grid(b, 500)
	for b.Loop() {
		if p, err := dijkstra.Guided(b.Context(), s, r, new(pattern.Env)); err != nil || len(p) != 1 {
			b.Fatal(p, err)
		}
	}
}

func BenchmarkPaths(b *testing.B) {
	s, r := grid(b, 500)
	for b.Loop() {
		if p, err := dijkstra.Paths(b.Context(), s, r, new(pattern.Env)); err != nil || len(p) != 1 {
			b.Fatal(p, err)
		}
	}
}
