package testgraph

import (
	"context"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// Orbits answers a request of kind KindOrbits: it looks at every set of vertices.
func (Brute) Orbits(ctx context.Context, s *csr.Snapshot, sub *pattern.Subgraph, size int) ([][]uint64, error) {
	adj := s.Adjacency(sub.Types, csr.Both)
	rows := make([][]uint64, pattern.Orbits(size))
	for o := range rows {
		rows[o] = make([]uint64, s.N())
	}
	for k := 2; k <= size; k++ {
		eachSet(ctx, s, sub, k, func(set []csr.VertexID) {
			for i, o := range orbitsOf(adj, set) {
				rows[o][set[i]]++
			}
		})
	}
	return rows, ctx.Err()
}

// orbitsOf returns the orbit of each vertex in the graphlet that the set induces; none if the set is not connected.
func orbitsOf(adj *csr.Adjacency, set []csr.VertexID) []int {
	k, edges := len(set), 0
	for i, v := range set {
		for _, w := range set[:i] {
			if adj.Has(v, w) {
				edges++
			}
		}
	}
	for i := range pattern.Graphlets {
		g := &pattern.Graphlets[i]
		if g.Size() != k || len(g.Edges) != edges {
			continue
		}
		if at := placed(adj, set, g, nil); at != nil {
			orbits := make([]int, k)
			for u, i := range at {
				orbits[i] = g.Orbit[u]
			}
			return orbits
		}
	}
	return nil
}

// placed completes at, the positions in the set of the first vertices of g, so that all edges of g are there; nil if none does.
func placed(adj *csr.Adjacency, set []csr.VertexID, g *pattern.Graphlet, at []int) []int {
	if len(at) == len(set) {
		for _, e := range g.Edges {
			if !adj.Has(set[at[e[0]]], set[at[e[1]]]) {
				return nil
			}
		}
		return at
	}
	for i := range set {
		if !slices.Contains(at, i) {
			if all := placed(adj, set, g, append(slices.Clone(at), i)); all != nil {
				return all
			}
		}
	}
	return nil
}

// Motifs answers a request of kind KindMotifs: it looks at every set of vertices, and unless induced is set at every set of edges
// there.
func (Brute) Motifs(ctx context.Context, s *csr.Snapshot, sub *pattern.Subgraph, size int, induced bool) ([]pattern.Count128, error) {
	adj := s.Adjacency(sub.Types, csr.Both)
	var graphlets []*pattern.Graphlet
	for i := range pattern.Graphlets {
		if g := &pattern.Graphlets[i]; g.Size() == size {
			graphlets = append(graphlets, g)
		}
	}
	counts := make([]pattern.Count128, len(graphlets))
	eachSet(ctx, s, sub, size, func(set []csr.VertexID) {
		var pairs [][2]int
		for i, v := range set {
			for j := range i {
				if adj.Has(v, set[j]) {
					pairs = append(pairs, [2]int{j, i})
				}
			}
		}
		for chosen := range 1 << len(pairs) {
			if induced && chosen+1 < 1<<len(pairs) {
				continue
			}
			var edges [][2]int
			for i, p := range pairs {
				if chosen>>i&1 != 0 {
					edges = append(edges, p)
				}
			}
			for i, g := range graphlets {
				if len(g.Edges) == len(edges) && alike(edges, g.Edges, size, false, nil) {
					counts[i].Lo++
				}
			}
		}
	})
	return counts, ctx.Err()
}

// Triads answers a request of kind KindTriads.
func (Brute) Triads(ctx context.Context, s *csr.Snapshot, sub *pattern.Subgraph) ([]pattern.Count128, error) {
	out := s.Adjacency(sub.Types, csr.Out)
	counts := make([]pattern.Count128, len(pattern.Triads))
	eachSet(ctx, s, sub, 3, func(set []csr.VertexID) {
		var edges [][2]int
		for i, v := range set {
			for j, w := range set {
				if i != j && out.Has(v, w) {
					edges = append(edges, [2]int{i, j})
				}
			}
		}
		for i := range pattern.Triads {
			if x := pattern.Triads[i].Edges; len(x) == len(edges) && alike(x, edges, 3, true, nil) {
				counts[i].Lo++
			}
		}
	})
	return counts, ctx.Err()
}

// alike reports whether a numbering of the vertices, of which to is the first part, makes a graph of b. Both have equally many edges.
func alike(a, b [][2]int, size int, directed bool, to []int) bool {
	if len(to) < size {
		return slices.ContainsFunc([]int{0, 1, 2, 3, 4}[:size], func(v int) bool {
			return !slices.Contains(to, v) && alike(a, b, size, directed, append(slices.Clone(to), v))
		})
	}
	return !slices.ContainsFunc(a, func(e [2]int) bool {
		there, back := [2]int{to[e[0]], to[e[1]]}, [2]int{to[e[1]], to[e[0]]}
		return !slices.Contains(b, there) && (directed || !slices.Contains(b, back))
	})
}

// eachSet calls fn for every set of so many vertices of sub, which rise.
func eachSet(ctx context.Context, s *csr.Snapshot, sub *pattern.Subgraph, size int, fn func([]csr.VertexID)) {
	var set []csr.VertexID
	var extend func(from csr.VertexID)
	extend = func(from csr.VertexID) {
		if len(set) == size {
			fn(set)
			return
		}
		for v := from; v < csr.VertexID(s.N()) && ctx.Err() == nil; v++ {
			if sub.Within == nil || sub.Within.Has(v) {
				set = append(set, v)
				extend(v + 1)
				set = set[:len(set)-1]
			}
		}
	}
	extend(0)
}
