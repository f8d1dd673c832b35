package pattern

import (
	"fmt"

	"github.com/motifql/motif/internal/csr"
)

// WeightedPathRequest asks for distances from Sources, or for the K shortest paths from Sources[0] to Target. Paths run through vertices of the
// network's set only.
type WeightedPathRequest struct {
	Network
	Sources []csr.VertexID
	Target  csr.VertexID
	K       int // at least 1

	Estimate []float64 // of KindAStar: by vertex, how far Target may be, in any unit; NaN: unknown, which only vertices without edges may be
}

// EstimateError is the error of KindAStar for a vertex whose estimate is NaN.
type EstimateError struct{ Vertex csr.VertexID }

func (e *EstimateError) Error() string { return fmt.Sprintf("vertex %d has no estimate", e.Vertex) }

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
