package csr_test

import (
	"fmt"
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/testgraph"
)

// rmat is about 14.7 M relationships over 1 M vertices at scale 20, the vertices in an order that says nothing of
// their degrees.
func rmat(scale int) (src, dst []uint32) {
	mix := func(v uint32) uint32 { return v * 2654435761 >> 7 & (1<<scale - 1) }
	for u, v := range testgraph.RMAT(scale, 14, 1) {
		u, v = mix(u), mix(v)
		src, dst = append(src, min(u, v)), append(dst, max(u, v))
	}
	return src, dst
}

func BenchmarkBuild(b *testing.B) {
	for _, scale := range []int{14, 20} {
		for _, simple := range []bool{false, true} {
			b.Run(fmt.Sprintf("scale=%d/simple=%t", scale, simple), func(b *testing.B) {
				src, dst := rmat(scale)
				for b.Loop() {
					g := csr.NewBuilder()
					t := g.Type("E")
					g.AddVertices(1 << scale)
					g.AddEdges(t, src, dst)
					if simple {
						g.DropRepeats(t)
					}
					if _, _, err := g.Build(b.Context(), 0); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func BenchmarkAdjacency(b *testing.B) {
	for _, simple := range []bool{true, false} {
		src, dst := rmat(20)
		g := csr.NewBuilder()
		t := g.Type("E")
		g.AddVertices(1 << 20)
		g.AddEdges(t, src, dst)
		if simple {
			g.DropRepeats(t)
		}
		s, _, err := g.Build(b.Context(), 0)
		if err != nil {
			b.Fatal(err)
		}
		for _, dir := range []csr.Direction{csr.Out, csr.In, csr.Both} {
			b.Run(fmt.Sprintf("%v/simple=%t", dir, simple), func(b *testing.B) {
				for b.Loop() {
					b.StopTimer()
					d := s.Data
					fresh, err := csr.New(d)
					if err != nil {
						b.Fatal(err)
					}
					b.StartTimer()
					fresh.Adjacency(nil, dir)
				}
			})
		}
	}
}
