package join_test

import (
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
)

// BenchmarkIntersections counts patterns without labels whose vertices are found by intersecting long lists.
func BenchmarkIntersections(b *testing.B) {
	s := testgraph.Graph(1<<13, testgraph.Undirected(testgraph.RMAT(13, 16, 1)), true)
	s.Adjacency(nil, csr.Both)
	for _, q := range []struct {
		name  string
		edges [][2]int
		order []int
	}{
		{"triangle", [][2]int{{0, 1}, {1, 2}, {0, 2}}, []int{0, 1, 2}},
		{"clique4", [][2]int{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}, []int{0, 1, 2, 3}},
	} {
		p := labelled(s, q.edges)
		for u := range p.Vertices {
			p.Vertices[u].Labels = nil
		}
		b.Run(q.name, func(b *testing.B) {
			defer reportCPU(b)()
			for b.Loop() {
				countLabelled(b, s, p, q.order, &pattern.Env{Workers: 1})
			}
		})
	}
}
