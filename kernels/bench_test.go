package kernels_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
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

// BenchmarkCountCliques counts k-cliques with one worker; the oriented graph is kept from one run to the next.
func BenchmarkCountCliques(b *testing.B) {
	for _, g := range []struct {
		name, file string
		k          []int
	}{
		{"slashdot", "soc-Slashdot0902.txt.zst", []int{3, 4, 5, 6}},
		{"enron", "email-Enron.txt.zst", []int{5, 8}},
		{"facebook", "facebook_combined.txt.zst", []int{4, 5, 6}},
		{"cnr2000", "cnr-2000.graph-txt.zst", []int{4, 5, 6}},
	} {
		b.Run(g.name, func(b *testing.B) {
			s := realGraph(b, g.file)
			for _, k := range g.k {
				b.Run(fmt.Sprintf("k=%d", k), func(b *testing.B) {
					c := &pattern.Clique{K: k, Sets: []*pattern.CandidateSet{nil}, Sizes: []int{k}}
					for b.Loop() {
						if _, err := kernels.CountCliques(context.Background(), s, c, &pattern.Env{Workers: 1}); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		})
	}
}

// BenchmarkCores decomposes the simple undirected graph into cores.
func BenchmarkCores(b *testing.B) {
	s := realGraph(b, "soc-Slashdot0902.txt.zst")
	adj := s.Adjacency(nil, csr.Both)
	for b.Loop() {
		kernels.Cores(adj, s.N())
	}
}

// BenchmarkTrusses decomposes into trusses with one worker: all, the largest one, and one in the middle.
func BenchmarkTrusses(b *testing.B) {
	graphs := map[string]func(b *testing.B) *csr.Snapshot{
		"slashdot": func(b *testing.B) *csr.Snapshot { return realGraph(b, "soc-Slashdot0902.txt.zst") },
		"enron":    func(b *testing.B) *csr.Snapshot { return realGraph(b, "email-Enron.txt.zst") },
		"kron16": func(*testing.B) *csr.Snapshot {
			return testgraph.Graph(1<<16, testgraph.Undirected(testgraph.RMAT(16, 16, 1)), true)
		},
	}
	for _, name := range slices.Sorted(maps.Keys(graphs)) {
		b.Run(name, func(b *testing.B) {
			s := graphs[name](b)
			s.Adjacency(nil, csr.Both)
			for _, k := range []uint32{0, 10, pattern.KMax} {
				b.Run(map[uint32]string{0: "all", 10: "k=10", pattern.KMax: "kmax"}[k], func(b *testing.B) {
					for b.Loop() {
						if _, err := kernels.Trusses(context.Background(), s, &pattern.TrussRequest{K: k}, &pattern.Env{Workers: 1}); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		})
	}
}
