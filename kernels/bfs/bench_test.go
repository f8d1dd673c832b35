package bfs_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/kernels/bfs"
	"github.com/motifql/motif/kernels/internal/kerneltest"
)

// BenchmarkBFS searches from a different random vertex each time.
func BenchmarkBFS(b *testing.B) {
	for _, graph := range kerneltest.PeelGraphs {
		b.Run(graph.Name, func(b *testing.B) {
			g := graph.Make(b)
			for _, v := range []pattern.Variant{pattern.Auto, pattern.Push, pattern.Pull, pattern.EdgeCentric} {
				for _, workers := range []int{1, 2} {
					b.Run(fmt.Sprintf("%v/workers=%d", v, workers), func(b *testing.B) { benchmarkBFS(b, g, csr.Both, v, workers) })
				}
			}
			b.Run("out", func(b *testing.B) { benchmarkBFS(b, g, csr.Out, pattern.Auto, 1) })
		})
	}
	b.Run("small", func(b *testing.B) {
		g := testgraph.Graph(100, testgraph.ER(100, 300, 1), true)
		benchmarkBFS(b, g, csr.Both, pattern.Auto, 8)
	})
}

func benchmarkBFS(b *testing.B, g *csr.Snapshot, dir csr.Direction, v pattern.Variant, workers int) {
	r := rand.New(rand.NewPCG(1, 1))
	g.Adjacency(nil, dir) // views are built once and kept
	g.Adjacency(nil, dir.Reverse())
	for b.Loop() {
		q := &pattern.Traversal{Sources: []csr.VertexID{connected(r, g, dir)}, Direction: dir, MaxDepth: -1, Variant: v}
		if _, err := bfs.Search(context.Background(), g, q, &pattern.Env{Workers: workers}); err != nil {
			b.Fatal(err)
		}
	}
}

// connected draws a vertex with neighbours.
func connected(r *rand.Rand, g *csr.Snapshot, dir csr.Direction) csr.VertexID {
	for {
		if v := csr.VertexID(r.Uint64N(g.N())); g.Adjacency(nil, dir).Degree(v) > 0 {
			return v
		}
	}
}

// BenchmarkBFSMany runs 64 searches in one pass; compare with 64 of BenchmarkBFS.
func BenchmarkBFSMany(b *testing.B) {
	g := kerneltest.Kron(18)
	r := rand.New(rand.NewPCG(1, 1))
	q := &pattern.Traversal{Direction: csr.Both, MaxDepth: -1}
	for range 64 {
		q.Sources = append(q.Sources, connected(r, g, csr.Both))
	}
	for b.Loop() {
		met := 0
		err := bfs.Many(context.Background(), g, q, &pattern.Env{Workers: 1},
			func(int32, csr.VertexID, uint64) (bool, error) { met++; return true, nil })
		if err != nil {
			b.Fatal(err)
		}
	}
}
