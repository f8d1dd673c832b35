package triangle_test

import (
	"fmt"
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/internal/kerneltest"
	"github.com/motifql/motif/kernels/triangle"
)

// BenchmarkTriangles counts triangles from the adjacency on: nothing is kept from one run to the next.
func BenchmarkTriangles(b *testing.B) {
	for _, g := range []struct {
		name string
		make func(b *testing.B) *csr.Snapshot
	}{
		{"slashdot", func(b *testing.B) *csr.Snapshot { return kerneltest.RealGraph(b, "soc-Slashdot0902.txt.zst") }},
		{"cnr2000", func(b *testing.B) *csr.Snapshot { return kerneltest.RealGraph(b, "cnr-2000.graph-txt.zst") }},
		{"kron16", func(*testing.B) *csr.Snapshot { return kerneltest.Kron(16) }},
		{"kron18", func(*testing.B) *csr.Snapshot { return kerneltest.Kron(18) }},
	} {
		b.Run(g.name, func(b *testing.B) {
			s := g.make(b)
			s.Adjacency(nil, csr.Both)
			for _, workers := range []int{1, 2} {
				for _, perNode := range []bool{false, true} {
					b.Run(fmt.Sprintf("workers=%d/perNode=%v", workers, perNode), func(b *testing.B) {
						done := kerneltest.ReportCPU(b)
						for b.Loop() {
							n, _, err := triangle.Count(b.Context(), s, nil, perNode, &pattern.Env{Workers: workers})
							if err != nil {
								b.Fatal(err)
							}
							b.ReportMetric(float64(n), "triangles")
						}
						done()
					})
				}
			}
		})
	}
}
