package core_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/core"
	"github.com/motifql/motif/kernels/internal/kerneltest"
)

// BenchmarkCores decomposes the simple undirected graph into cores in every way, and finds one core.
func BenchmarkCores(b *testing.B) {
	for _, g := range kerneltest.PeelGraphs {
		b.Run(g.Name, func(b *testing.B) {
			s := g.Make(b)
			s.Adjacency(nil, csr.Both)
			run := func(name string, r *pattern.CoreRequest, workers int) {
				b.Run(fmt.Sprintf("%s/workers=%d", name, workers), func(b *testing.B) {
					for b.Loop() {
						if _, err := core.Decompose(context.Background(), s, r, &pattern.Env{Workers: workers}); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
			for _, workers := range []int{1, 2} {
				for _, v := range kerneltest.CoreVariants[1:] {
					run(v.String(), &pattern.CoreRequest{Direction: csr.Both, Variant: v}, workers)
				}
				run("k=10", &pattern.CoreRequest{Direction: csr.Both, K: 10}, workers)
			}
		})
	}
}
