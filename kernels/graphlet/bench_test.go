package graphlet_test

import (
	"fmt"
	"testing"

	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/graphlet"
	"github.com/motifql/motif/kernels/internal/kerneltest"
)

// BenchmarkOrbits finds the orbits of all vertices with one worker.
func BenchmarkOrbits(b *testing.B) {
	for _, file := range []string{"wiki-Vote.txt.zst", "ca-AstroPh-cc1.txt.zst", "soc-Slashdot0902.txt.zst"} {
		s := kerneltest.RealGraph(b, file)
		for size := 4; size <= 5; size++ {
			b.Run(fmt.Sprint(file[:8], "/", size), func(b *testing.B) {
				defer kerneltest.ReportCPU(b)()
				for b.Loop() {
					if _, err := graphlet.Orbits(b.Context(), s, &pattern.Subgraph{}, size, &pattern.Env{Workers: 1}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
