package join_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/motifql/motif/filter"
	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/join"
	"github.com/motifql/motif/planner/match"
)

// walk is the pattern of a random walk over n vertices of s, with their labels and the relationships between them.
func walk(r *rand.Rand, s *csr.Snapshot, n int) *pattern.Pattern {
	adj := s.Adjacency(nil, csr.Both)
	var at []csr.VertexID
	for len(at) < n {
		at = []csr.VertexID{csr.VertexID(r.Uint64N(s.N()))}
		for range 50 * n {
			near := adj.Neighbours(at[r.IntN(len(at))])
			if len(near) == 0 || len(at) == n {
				break
			}
			if v := near[r.IntN(len(near))]; !slices.Contains(at, v) {
				at = append(at, v)
			}
		}
	}
	p := &pattern.Pattern{Scopes: []pattern.Scope{{Mode: pattern.DifferentNodes}}}
	sc := &p.Scopes[0]
	for u, v := range at {
		l := s.LabelsOf(v)[0]
		p.Vertices = append(p.Vertices, pattern.Vertex{Labels: &pattern.Label{ID: l, Name: s.Labels.Name(uint32(l))}})
		sc.Vertices = append(sc.Vertices, u)
		for w := range u {
			if adj.Has(v, at[w]) {
				sc.Edges = append(sc.Edges, len(p.Edges))
				p.Edges = append(p.Edges, pattern.Edge{From: w, To: u, Undirected: true})
			}
		}
	}
	return p
}

// BenchmarkSmallPatterns measures each step of patterns of six and eight vertices, all of them different, on a graph of 9,460 vertices
// with 307 labels.
func BenchmarkSmallPatterns(b *testing.B) {
	set, _ := hprd(b)
	env := &pattern.Env{Workers: 1}
	for _, n := range []int{6, 8} {
		r := rand.New(rand.NewPCG(1, uint64(n)))
		patterns := make([]*pattern.Pattern, 200)
		jobs := make([]*pattern.Job, len(patterns))
		for i := range patterns {
			patterns[i] = walk(r, set.s, n)
			jobs[i] = prepared(b, set.s, patterns[i], env)
		}
		each := func(step string, run func(i int)) {
			b.Run(fmt.Sprintf("%d/%s", n, step), func(b *testing.B) {
				defer reportCPU(b)()
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					run(i % len(patterns))
				}
			})
		}
		each("filter", func(i int) {
			if _, err := filter.Run(context.Background(), set.s, patterns[i], env); err != nil {
				b.Fatal(err)
			}
		})
		each("order", func(i int) {
			sizes := make([]float64, n)
			for u := range sizes {
				sizes[u] = float64(jobs[i].Candidates.Sets[u].Len())
			}
			match.OrderFor(match.Filtered, &match.Question{Pattern: patterns[i], Snapshot: set.s, Sizes: sizes})
		})
		each("count", func(i int) {
			if _, err := join.Count(context.Background(), jobs[i], env); err != nil {
				b.Fatal(err)
			}
		})
	}
}
