package core

import (
	"fmt"
	"slices"
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/testgraph"
)

// The order is what its definition says, found by removing vertices one round after the other; the lists hold every edge once.
func TestOrient(t *testing.T) {
	for i := range 120 {
		var s *csr.Snapshot
		switch i % 4 {
		case 0:
			s = testgraph.Graph(40+i, testgraph.ER(uint32(40+i), uint64(20+6*i), uint64(i)), i%8 == 0)
		case 1:
			s = testgraph.Graph(64, testgraph.RMAT(6, 1+i/10, uint64(i)), true)
		case 2:
			s = testgraph.Graph(40, testgraph.Cliques(1, 9, 1+i%20, 10), true)
		default:
			s = testgraph.Random(uint64(i), testgraph.Options{})
		}
		adj := s.Adjacency(nil, csr.Both)
		g := orient(adj, s.N(), 1+i%3)
		want := slowOrder(adj, int(s.N()))
		if !slices.Equal(g.Vertex, want) {
			t.Fatalf("graph %d: order %v, want %v", i, g.Vertex, want)
		}
		for r := range uint32(s.N()) {
			var out []uint32
			for _, w := range adj.Neighbours(g.Vertex[r]) {
				if at := uint32(slices.Index(want, w)); at > r {
					out = append(out, at)
				}
			}
			slices.Sort(out)
			if !slices.Equal(g.Out(r), out) || len(out) > int(g.Core[r]) || g.Rank[g.Vertex[r]] != r {
				t.Fatalf("graph %d: out list of rank %d is %v, want %v; coreness %d", i, r, g.Out(r), out, g.Core[r])
			}
		}
	}
}

// slowOrder removes, as long as any has at most k neighbours left, all of those, by degree and number, for k from 0 on.
func slowOrder(adj *csr.Adjacency, n int) (order []csr.VertexID) {
	gone := make([]bool, n)
	for k := 0; len(order) < n; k++ {
		for {
			var round []csr.VertexID
			lefts := make(map[csr.VertexID]int)
			for v := range csr.VertexID(n) {
				left := 0
				for _, w := range adj.Neighbours(v) {
					if w != v && !gone[w] {
						left++
					}
				}
				if !gone[v] && left <= k {
					round = append(round, v)
					lefts[v] = left
				}
			}
			if len(round) == 0 {
				break
			}
			slices.SortStableFunc(round, func(a, b csr.VertexID) int { return lefts[a] - lefts[b] })
			for _, v := range round {
				gone[v] = true
			}
			order = append(order, round...)
		}
	}
	return order
}

// BenchmarkOrient makes the oriented graph from its neighbours.
func BenchmarkOrient(b *testing.B) {
	for _, scale := range []int{16, 18} {
		s := testgraph.Graph(1<<scale, testgraph.RMAT(scale, 16, 1), true)
		adj := s.Adjacency(nil, csr.Both)
		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprintf("rmat%d/workers=%d", scale, workers), func(b *testing.B) {
				for b.Loop() {
					orient(adj, s.N(), workers)
				}
			})
		}
	}
}
