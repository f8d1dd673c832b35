package pattern

import "github.com/motifql/motif/internal/csr"

// KMax asks Device.Trusses for the largest k whose k-truss has edges.
const KMax = ^uint32(0)

// Trusses is a set of edges of the simple undirected graph, each with its trussness: the largest k such that the edge
// lies in a k-truss, a subgraph in which every edge is in at least k-2 triangles. An edge in no triangle has
// trussness 2. Where only the k-truss for one k was asked for, Truss is that k for every edge of it (and its
// trussness may be more).
type Trusses struct {
	Source, Target []csr.VertexID // Source < Target, edge by edge; no edge twice
	Truss          []uint32
	KMax           uint32 // the largest of Truss; 0 without edges
}
