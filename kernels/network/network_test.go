package network_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/kernels/internal/kerneltest"
	"github.com/motifql/motif/kernels/network"
)

// TestNetworkRandom compares rows with the relationships of each pair, and rows of both sides with each other.
func TestNetworkRandom(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	rng := rand.New(rand.NewPCG(seed, 3))
	for i := range 400 {
		s, key := kerneltest.RandomWeighted(t, rng, 1+rng.IntN(12), rng.IntN(40))
		r := kerneltest.RandomNetwork(rng, s, key)
		want, counts, err := testgraph.Matrix(s, r)
		if err != nil {
			t.Fatal(err)
		}
		memory := new(pattern.Memory)
		g, err := network.New(t.Context(), s, r, network.Out|network.In, &pattern.Env{Memory: memory})
		if err != nil {
			t.Fatalf("seed %d, graph %d: %v", seed, i, err)
		}
		for v := range counts {
			n, ok := g.Number(csr.VertexID(v))
			if ok != counts[v] || ok && g.Vertex(n) != csr.VertexID(v) {
				t.Fatalf("seed %d, graph %d: vertex %d has number %d, %v", seed, i, v, n, ok)
			}
			if !ok {
				continue
			}
			for w := range counts {
				m, ok := g.Number(csr.VertexID(w))
				if !ok {
					continue
				}
				if out, in := weight(&g.Out, n, m), weight(&g.In, m, n); !near(out, want[v][w]) || !near(in, out) {
					t.Fatalf("seed %d, graph %d, %+v: %d-%d: out %v, in %v, want %v", seed, i, r, v, w, out, in, want[v][w])
				}
			}
		}
		if g.Release(); memory.Used() != 0 {
			t.Fatalf("seed %d: %d bytes are still charged", seed, memory.Used())
		}
	}
}

func near(a, b float64) bool { return kerneltest.Near(a, b, 1e-12) }

func weight(r *network.Rows, v, w int) float64 {
	found := -1.0
	for p := r.Offsets[v]; p < r.Offsets[v+1]; p++ {
		if int(r.Targets[p]) == w {
			if found >= 0 {
				return math.Inf(1) // twice
			}
			if found = 1; r.Weights != nil {
				found = r.Weights[p]
			}
		}
	}
	return found
}

// TestWeightErrors tries each value that is no weight.
func TestWeightErrors(t *testing.T) {
	for _, c := range []struct {
		cell     csr.Cell
		positive bool
		want     string
	}{
		{csr.Cell{}, false, "is missing"},
		{csr.FloatCell(math.NaN()), false, "is NaN"},
		{csr.FloatCell(math.Inf(1)), false, "is +Inf"},
		{csr.FloatCell(1e101), false, "is 1e+101"},
		{csr.IntCell(-3), false, "is -3"},
		{csr.IntCell(0), true, "is 0"},
		{csr.StringCell("1"), false, "is no number"},
		{csr.BoolCell(true), false, "is no number"},
	} {
		b := csr.NewBuilder()
		b.AddVertices(3)
		typ, key := b.Type("R"), b.Key("w")
		b.SetEdge(b.AddEdge(0, 1, typ), key, csr.IntCell(2))
		e := b.AddEdge(1, 2, typ)
		if c.cell.Kind != 0 {
			b.SetEdge(e, key, c.cell)
		}
		s, _, err := b.Build(t.Context(), 1)
		if err != nil {
			t.Fatal(err)
		}
		memory := new(pattern.Memory)
		_, err = network.New(t.Context(), s, &pattern.Network{Weight: &pattern.Weight{Key: key, Default: math.NaN(), Positive: c.positive}}, network.Out,
			&pattern.Env{Memory: memory})
		var wrong *pattern.WeightError
		if !errors.As(err, &wrong) || wrong.Reason != c.want || memory.Used() != 0 {
			t.Errorf("%v: %v, %d bytes; want %q", c.cell, err, memory.Used(), c.want)
		}
	}
}

// BenchmarkWeighted makes rows with weights, in direction Both.
func BenchmarkWeighted(b *testing.B) {
	g := csr.NewBuilder()
	g.AddVertices(1 << 16)
	typ, key := g.Type("R"), g.Key("w")
	for v, w := range testgraph.RMAT(16, 16, 5) {
		g.SetEdge(g.AddEdge(v, w, typ), key, csr.FloatCell(float64((v^w)%100)))
	}
	s, _, err := g.Build(b.Context(), 1)
	if err != nil {
		b.Fatal(err)
	}
	r := &pattern.Network{Direction: csr.Both, Weight: &pattern.Weight{Key: key, Default: math.NaN()}}
	for b.Loop() {
		if _, err := network.New(b.Context(), s, r, network.Out, new(pattern.Env)); err != nil {
			b.Fatal(err)
		}
	}
}
