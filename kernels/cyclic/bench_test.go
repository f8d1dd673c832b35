package cyclic_test

import (
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/cyclic"
	"github.com/motifql/motif/kernels/internal/kerneltest"
)

// BenchmarkCount counts each graph with one worker. Work is what Measure expects.
func BenchmarkCount(b *testing.B) {
	for _, g := range []struct {
		name string
		make func(b *testing.B) *csr.Snapshot
	}{
		{"slashdot", func(b *testing.B) *csr.Snapshot { return kerneltest.RealGraph(b, "soc-Slashdot0902.txt.zst") }},
		{"wikivote", func(b *testing.B) *csr.Snapshot { return kerneltest.RealGraph(b, "wiki-Vote.txt.zst") }},
		{"kron16", func(*testing.B) *csr.Snapshot { return kerneltest.Kron(16) }},
	} {
		b.Run(g.name, func(b *testing.B) {
			s := g.make(b)
			adj := s.Adjacency(nil, csr.Both)
			for x := range pattern.CyclicGraphs {
				b.Run(x.String(), func(b *testing.B) {
					defer kerneltest.ReportCPU(b)()
					for b.Loop() {
						if _, err := cyclic.Count(b.Context(), adj, s.N(), nil, nil, []pattern.CyclicGraph{x}, &pattern.Env{}); err != nil {
							b.Fatal(err)
						}
					}
					b.ReportMetric(cyclic.WorkOf(s, adj)[x], "work")
				})
			}
		})
	}
}
