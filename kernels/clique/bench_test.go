package clique_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/kernels/clique"
	"github.com/motifql/motif/kernels/internal/kerneltest"
)

// BenchmarkCountCliques counts k-cliques, with one worker and with two; the oriented graph is kept from one run to the
// next. Figures known from TRUTH.tsv are compared.
func BenchmarkCountCliques(b *testing.B) {
	for _, g := range []struct {
		name, file string
		k          []int
	}{
		{"soc-Slashdot0902", "soc-Slashdot0902.txt.zst", []int{3, 4, 5, 6, 8}},
		{"email-Enron", "email-Enron.txt.zst", []int{5, 8}},
		{"facebook_combined", "facebook_combined.txt.zst", []int{4, 5, 6}},
		{"cnr-2000", "cnr-2000.graph-txt.zst", []int{4, 5, 6}},
		{"fb100-Stanford3", "fb100-Stanford3.txt.zst", []int{6, 8}},
		{"wiki-Vote", "wiki-Vote.txt.zst", []int{6, 12, 14}},
		{"kron16", "", []int{4, 5}},
	} {
		b.Run(g.name, func(b *testing.B) {
			var s *csr.Snapshot
			if g.file == "" {
				s = testgraph.Graph(1<<16, testgraph.Undirected(testgraph.RMAT(16, 16, 1)), true)
			} else {
				s = kerneltest.RealGraph(b, g.file)
			}
			for _, k := range g.k {
				for _, workers := range []int{1, 2} {
					b.Run(fmt.Sprintf("k=%d/workers=%d", k, workers), func(b *testing.B) { countCliques(b, g.name, s, k, workers) })
				}
			}
		})
	}
}

func countCliques(b *testing.B, graph string, s *csr.Snapshot, k, workers int) {
	var n pattern.Count128
	var err error
	c := new(pattern.Subgraph).Clique(k)
	for b.Loop() {
		if n, err = clique.Count(context.Background(), s, c, &pattern.Env{Workers: workers}); err != nil {
			b.Fatal(err)
		}
	}
	if want, known := knownCliques(b, graph, k); known && n.String() != want {
		b.Fatalf("%d-cliques of %s: %v, want %s", k, graph, n, want)
	}
}
