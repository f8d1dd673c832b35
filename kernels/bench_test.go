package kernels_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/shared"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/kernels"
	"github.com/motifql/motif/storage/importer"
)

func realGraph(b *testing.B, file string) *csr.Snapshot {
	s, _, err := importer.Load(context.Background(), importer.Spec{Files: []string{shared.File(b, "data", file)}}, nil)
	if err != nil {
		b.Fatal(err)
	}
	return s
}

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
				s = realGraph(b, g.file)
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
		if n, err = kernels.CountCliques(context.Background(), s, c, &pattern.Env{Workers: workers}); err != nil {
			b.Fatal(err)
		}
	}
	if want, known := knownCliques(b, graph, k); known && n.String() != want {
		b.Fatalf("%d-cliques of %s: %v, want %s", k, graph, n, want)
	}
}

// peelGraphs are what cores, trusses and searches are measured on. The Kronecker graphs are as the GAP benchmark's: 16
// edges a vertex, undirected.
var peelGraphs = []struct {
	name string
	make func(b *testing.B) *csr.Snapshot
}{
	{"slashdot", func(b *testing.B) *csr.Snapshot { return realGraph(b, "soc-Slashdot0902.txt.zst") }},
	{"kron16", func(*testing.B) *csr.Snapshot { return kron(16) }},
	{"kron18", func(*testing.B) *csr.Snapshot { return kron(18) }},
}

func kron(scale int) *csr.Snapshot {
	return testgraph.Graph(1<<scale, testgraph.Undirected(testgraph.RMAT(scale, 16, 1)), true)
}

// BenchmarkCores decomposes the simple undirected graph into cores in every way, and finds one core.
func BenchmarkCores(b *testing.B) {
	for _, g := range peelGraphs {
		b.Run(g.name, func(b *testing.B) {
			s := g.make(b)
			s.Adjacency(nil, csr.Both)
			run := func(name string, r *pattern.CoreRequest, workers int) {
				b.Run(fmt.Sprintf("%s/workers=%d", name, workers), func(b *testing.B) {
					for b.Loop() {
						if _, err := kernels.CoreDecomposition(context.Background(), s, r, &pattern.Env{Workers: workers}); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
			for _, workers := range []int{1, 2} {
				for _, v := range coreVariants[1:] {
					run(v.String(), &pattern.CoreRequest{Direction: csr.Both, Variant: v}, workers)
				}
				run("k=10", &pattern.CoreRequest{Direction: csr.Both, K: 10}, workers)
			}
		})
	}
}

// BenchmarkTrusses decomposes into trusses: all, the largest one, and one in the middle.
func BenchmarkTrusses(b *testing.B) {
	for _, g := range peelGraphs {
		b.Run(g.name, func(b *testing.B) {
			s := g.make(b)
			s.Adjacency(nil, csr.Both)
			for _, k := range []uint32{0, 10, pattern.KMax} {
				for _, workers := range []int{1, 2} {
					b.Run(fmt.Sprintf("%s/workers=%d", map[uint32]string{0: "all", 10: "k=10", pattern.KMax: "kmax"}[k], workers), func(b *testing.B) {
						for b.Loop() {
							if _, err := kernels.Trusses(context.Background(), s, &pattern.TrussRequest{K: k}, &pattern.Env{Workers: workers}); err != nil {
								b.Fatal(err)
							}
						}
					})
				}
			}
		})
	}
}
