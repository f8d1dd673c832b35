package pattern

import (
	"slices"

	"github.com/motifql/motif/internal/csr"
)

// Variant is a way to search breadth first. All find the same depths.
type Variant uint8

const (
	Auto        Variant = iota // whatever suits the graph
	Push                       // the frontier marks its neighbours
	Pull                       // vertices not yet reached look for a neighbour in the frontier
	Switching                  // push or pull, level by level (direction-optimising)
	EdgeCentric                // every level tries every relationship
)

func (v Variant) String() string {
	return [...]string{"auto", "push", "pull", "switching", "edge-centric"}[v]
}

// Traversal is a breadth-first search over the relationships of some types in a direction, seen from the sources:
// parallel relationships count once, loops not at all.
//
// A blocked vertex is never reached, not even as a source. Blocked may be asked from several goroutines at once and must
// always say the same of a vertex.
type Traversal struct {
	Sources   []csr.VertexID
	Types     csr.TypeSet
	Direction csr.Direction
	MaxDepth  int // the last level; negative: no limit
	Blocked   func(v csr.VertexID) bool
	Variant   Variant
}

// Levels is what a Traversal finds, by vertex: the distance from the nearest source, -1 where there is no way; and
// a neighbour one level nearer, NoVertex for sources and where there is no way.
type Levels struct {
	Depth  []int32
	Parent []csr.VertexID
}

// Path returns a shortest path to v, from its source to v itself; nil where there is none.
func (l *Levels) Path(v csr.VertexID) []csr.VertexID {
	if l.Depth[v] < 0 {
		return nil
	}
	path := make([]csr.VertexID, 0, l.Depth[v]+1)
	for ; v != csr.NoVertex; v = l.Parent[v] {
		path = append(path, v)
	}
	slices.Reverse(path)
	return path
}
