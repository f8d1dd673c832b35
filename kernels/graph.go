package kernels

import (
	"context"
	"fmt"
	"iter"
	"math"

	"github.com/motifql/motif/internal/csr"
)

// Graph is an immutable graph in compressed sparse rows.
//
// Building a graph renumbers its vertices by falling degree. NodeID maps a vertex to its number in NewGraph, VertexByNodeID maps back.
// Kernels answer by vertex.
type Graph = csr.Snapshot

// VertexID is a vertex of a graph. A graph of n vertices has the vertices 0 to n-1.
type VertexID = csr.VertexID

// TypeSet is a set of edge types; nil means all. Graphs of NewGraph have one type.
type TypeSet = csr.TypeSet

// Direction says which edges of a vertex a kernel follows.
type Direction = csr.Direction

const (
	Out  = csr.Out  // from source to target
	In   = csr.In   // from target to source
	Both = csr.Both // either
)

// Edge is a directed edge between two of the n numbers given to NewGraph.
type Edge struct{ Source, Target uint32 }

// NewGraph builds a graph of n vertices from its edges. It keeps parallel edges and loops; every kernel says whether it counts them.
// It fails if n exceeds math.MaxUint32, or with the context's error.
func NewGraph(ctx context.Context, n int, edges iter.Seq[Edge]) (*Graph, error) {
	if n < 0 || int64(n) > math.MaxUint32 {
		return nil, fmt.Errorf("a graph of %d vertices, at least 0 and at most %d", n, uint32(math.MaxUint32))
	}
	b := csr.NewBuilder()
	b.AddVertices(n)
	t := b.Type("EDGE")
	for e := range edges {
		b.AddEdge(e.Source, e.Target, t)
	}
	s, _, err := b.Build(ctx, 0)
	return s, err
}
