package pattern

import "github.com/motifql/motif/internal/csr"

// WeightedPathRequest asks for distances from Sources, or for the K shortest paths from Sources[0] to Target. Paths run through vertices of the
// network's set only.
type WeightedPathRequest struct {
	Network
	Sources []csr.VertexID
	Target  csr.VertexID
	K       int // at least 1
}

// Distances says, by vertex, how far the nearest source is, +Inf for an unreached vertex, and which vertex comes before it. That is
// NoVertex for sources and unreached vertices.
type Distances struct {
	Dist   []float64
	Parent []csr.VertexID
}

// WeightedPath is a path that has no vertex twice, and the sum of its weights, added from the first on.
type WeightedPath struct {
	Vertices []csr.VertexID
	Cost     float64
}
