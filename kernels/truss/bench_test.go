package truss_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/internal/kerneltest"
	"github.com/motifql/motif/kernels/truss"
)

// BenchmarkTrusses decomposes into trusses: all, the largest one, and one in the middle.
func BenchmarkTrusses(b *testing.B) {
	for _, g := range kerneltest.PeelGraphs {
		b.Run(g.Name, func(b *testing.B) {
			s := g.Make(b)
			s.Adjacency(nil, csr.Both)
			for _, k := range []uint32{0, 10, pattern.KMax} {
				for _, workers := range []int{1, 2} {
					b.Run(fmt.Sprintf("%s/workers=%d", map[uint32]string{0: "all", 10: "k=10", pattern.KMax: "kmax"}[k], workers), func(b *testing.B) {
						for b.Loop() {
							if _, err := truss.Decompose(context.Background(), s, &pattern.TrussRequest{K: k}, &pattern.Env{Workers: workers}); err != nil {
								b.Fatal(err)
							}
						}
					})
				}
			}
		})
	}
}
