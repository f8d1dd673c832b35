package network_test

import (
	"errors"
	"fmt"
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
		var r *pattern.Network
		for range 6 { // the snapshot keeps rows
			if r == nil || rng.IntN(3) == 0 {
				r = kerneltest.RandomNetwork(rng, s, key)
			}
			if r.Weight != nil {
				r.Weight.Positive = rng.IntN(3) == 0
			}
			checkRows(t, s, r, []network.Side{network.Out, network.Out | network.In}[rng.IntN(2)], fmt.Sprintf("seed %d, graph %d", seed, i))
		}
	}
}

// checkRows compares the rows of a network of s with the relationships. Either both have a weight that is wrong, or none.
func checkRows(t *testing.T, s *csr.Snapshot, r *pattern.Network, sides network.Side, where string) {
	want, counts, wrong := testgraph.Matrix(s, r)
	memory := new(pattern.Memory)
	g, err := network.New(t.Context(), s, r, sides, &pattern.Env{Memory: memory})
	if (err == nil) != (wrong == nil) {
		t.Fatalf("%s, %+v: %v, want %v", where, r, err, wrong)
	}
	if err != nil {
		return
	}
	for v := range counts {
		n, ok := g.Number(csr.VertexID(v))
		if ok != counts[v] || ok && g.Vertex(n) != csr.VertexID(v) {
			t.Fatalf("%s: vertex %d has number %d, %v", where, v, n, ok)
		}
		if !ok {
			continue
		}
		for w := range counts {
			m, ok := g.Number(csr.VertexID(w))
			if !ok {
				continue
			}
			if out, in := weight(&g.Out, n, m), want[v][w]; !near(out, in) || sides&network.In != 0 && !near(weight(&g.In, m, n), in) {
				t.Fatalf("%s, %+v: %d-%d: %v, want %v in both directions", where, r, v, w, out, in)
			}
		}
	}
	if g.Release(); memory.Used() != 0 {
		t.Fatalf("%s: %d bytes are still charged", where, memory.Used())
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

// BenchmarkWeighted asks for rows with weights, in direction Both: new ones, and those that the snapshot keeps.
func BenchmarkWeighted(b *testing.B) {
	s, r := kerneltest.WeightedRMAT(b, 16, csr.Both)
	for _, fresh := range []bool{true, false} {
		b.Run(map[bool]string{true: "made", false: "kept"}[fresh], func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				if fresh {
					r.Weight.Default = float64(i) // which no edge needs
				}
				if _, err := network.New(b.Context(), s, &r, network.Out, new(pattern.Env)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
