// Package kerneltest has the graphs and checks that the tests of several kernels share.
package kerneltest

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/shared"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/storage/importer"
)

// RandomGraph is a random multigraph: parallel, reciprocal and loop relationships of two types. Its vertices have
// label L0, L1 or none.
func RandomGraph(t testing.TB, r *rand.Rand, n int, density float64) *csr.Snapshot {
	b := csr.NewBuilder()
	labels := []csr.LabelID{b.Label("L0"), b.Label("L1")}
	for range n {
		if i := r.IntN(3); i < 2 {
			b.AddVertex(labels[i])
		} else {
			b.AddVertex()
		}
	}
	types := []csr.TypeID{b.Type("A"), b.Type("B")}
	for u := range n {
		for v := range n {
			for r.Float64() < density {
				b.AddEdge(uint32(u), uint32(v), types[r.IntN(2)])
			}
		}
	}
	s, _, err := b.Build(context.Background(), 2)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// RandomSparse draws graphs of few relationships, so that there are components and long ways.
func RandomSparse(t testing.TB, rng *rand.Rand) *csr.Snapshot {
	if rng.IntN(5) == 0 {
		return testgraph.Random(rng.Uint64(), testgraph.Options{})
	}
	n := 1 + rng.IntN(40)
	return RandomMulti(t, rng, n, rng.IntN(3*n))
}

// RandomMulti draws m relationships of two types, loops and parallel ones among them.
func RandomMulti(t testing.TB, rng *rand.Rand, n, m int) *csr.Snapshot {
	b := csr.NewBuilder()
	b.AddVertices(n)
	types := []csr.TypeID{b.Type("A"), b.Type("B")}
	for range m {
		b.AddEdge(uint32(rng.IntN(n)), uint32(rng.IntN(n)), types[rng.IntN(2)])
	}
	s, _, err := b.Build(context.Background(), 2)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Planted is a random graph with denser parts, so that trusses of several k occur and rows cross 64 entries.
func Planted(rng *rand.Rand, n int) *csr.Snapshot {
	b := csr.NewBuilder()
	b.AddVertices(n)
	types := []csr.TypeID{b.Type("A"), b.Type("B")}
	join := func(lo, hi int, density float64) {
		for u := lo; u < hi; u++ {
			for v := lo; v < hi; v++ {
				if rng.Float64() < density {
					b.AddEdge(uint32(u), uint32(v), types[rng.IntN(2)])
				}
			}
		}
	}
	join(0, n, rng.Float64()*0.15)
	for range rng.IntN(4) {
		lo := rng.IntN(n)
		join(lo, min(n, lo+2+rng.IntN(20)), rng.Float64())
	}
	s, _, err := b.Build(context.Background(), 2)
	if err != nil {
		panic(err)
	}
	return s
}

func Kron(scale int) *csr.Snapshot {
	return testgraph.Graph(1<<scale, testgraph.Undirected(testgraph.RMAT(scale, 16, 1)), true)
}

func RealGraph(b testing.TB, file string) *csr.Snapshot {
	s, _, err := importer.Load(context.Background(), importer.Spec{Files: []string{shared.File(b, "data", file)}, Undirected: true}, nil)
	if err != nil {
		b.Fatal(err)
	}
	return s
}

// PeelGraphs are what cores, trusses and searches are measured on. The Kronecker graphs are as the GAP benchmark's: 16
// edges a vertex, undirected.
var PeelGraphs = []struct {
	Name string
	Make func(b *testing.B) *csr.Snapshot
}{
	{"slashdot", func(b *testing.B) *csr.Snapshot { return RealGraph(b, "soc-Slashdot0902.txt.zst") }},
	{"kron16", func(*testing.B) *csr.Snapshot { return Kron(16) }},
	{"kron18", func(*testing.B) *csr.Snapshot { return Kron(18) }},
}
