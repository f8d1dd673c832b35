package pattern

import "github.com/motifql/motif/internal/csr"

// Automorphism maps every vertex and every edge of a pattern to one that plays the same part: matching the
// images instead of the originals finds the same subgraphs.
type Automorphism struct{ Vertices, Edges []int }

// Chain holds all automorphisms of one scope as a stabiliser chain along Scope.Order: Chain[i] has one automorphism
// for every image that element i of the order has under those that keep all earlier elements in place, the
// identity first. Elements that bind nothing (AtLeastOne edges) have none at all.
type Chain [][]Automorphism

// Size is the number of automorphisms, rounded.
func (c Chain) Size() float64 {
	n := 1.0
	for _, images := range c {
		n *= float64(max(1, len(images)))
	}
	return n
}

// NeedEdges reports whether relationships have a say in which match of a subgraph is the representative.
func (c Chain) NeedEdges(scope *Scope) bool {
	for i, x := range scope.Order {
		if x < 0 && len(c[i]) > 1 {
			return true
		}
	}
	return false
}

// Representative rearranges a match within the scope that c belongs to, in place, so that its stable ids in
// Scope.Order become the smallest possible. edges may be nil unless NeedEdges, and also then if scratch.Between is set. scratch keeps
// memory from call to call.
//
// A match f and an automorphism g give the match x -> f(g(x)). Element i gets the smallest id among the images
// that automorphisms fixing all elements before it can bring there: the greedy choice, exact on a stabiliser
// chain (Sims).
func (c Chain) Representative(s *csr.Snapshot, scope *Scope, vertices []csr.VertexID, edges []csr.EdgeID, scratch *Scratch) {
	for i, x := range scope.Order {
		images := c[i]
		if len(images) < 2 {
			continue
		}
		best, smallest := 0, uint64(0)
		for k := range images {
			id := uint64(0)
			switch {
			case x < 0 && len(edges) == 0:
				id = scratch.Between(^x, images[k].Edges[^x], vertices)
			case x < 0:
				id = uint64(s.RelID(edges[images[k].Edges[^x]]))
			default:
				id = uint64(s.NodeID(vertices[images[k].Vertices[x]]))
			}
			if k == 0 || id < smallest {
				best, smallest = k, id
			}
		}
		if best > 0 {
			scratch.vertices = apply(vertices, images[best].Vertices, scratch.vertices)
			scratch.edges = apply(edges, images[best].Edges, scratch.edges)
		}
	}
}

// Scratch is memory for Representative; one per goroutine.
type Scratch struct {
	// Between returns the stable id of the only relationship that the vertices of a match leave to an edge. The edge is an image of
	// the edge of.
	Between func(of, edge int, vertices []csr.VertexID) uint64

	vertices []csr.VertexID
	edges    []csr.EdgeID
}

// apply moves the item at by[i] to i, for all i, and returns the scratch space it used.
func apply[T any](items []T, by []int, scratch []T) []T {
	if len(items) == 0 {
		return scratch
	}
	scratch = append(scratch[:0], items...)
	for i := range items {
		items[i] = scratch[by[i]]
	}
	return scratch
}
