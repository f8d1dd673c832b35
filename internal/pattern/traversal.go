package pattern

import (
	"fmt"
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

var variants = []string{"auto", "push", "pull", "switching", "edge-centric"}

func (v Variant) String() string { return variants[v] }

// ParseVariant reads what String writes.
func ParseVariant(name string) (Variant, error) {
	i := slices.Index(variants, name)
	if i < 0 {
		return 0, fmt.Errorf("there is no way to search breadth first called %q; there are %v", name, variants)
	}
	return Variant(i), nil
}

// Traversal is a breadth-first search over the relationships of some types in a direction, seen from the sources:
// parallel relationships count once, loops not at all.
//
// A vertex that is blocked or not in Within is never reached, not even as a source. Blocked may be asked from several
// goroutines at once and must always say the same of a vertex.
type Traversal struct {
	Sources   []csr.VertexID
	Types     csr.TypeSet
	Direction csr.Direction
	MaxDepth  int           // the last level; negative: no limit
	Within    *CandidateSet // nil: all
	Blocked   func(v csr.VertexID) bool
	Variant   Variant
	Read      LevelsRead // what of the answer is read
	Returned  bool       // the asker calls Release when it has read the answer
}

// LevelsRead says which parts of Levels somebody reads. The others may be missing, so that a device need not send them.
type LevelsRead uint8

const (
	ReadAll    LevelsRead = iota
	ReadDepths            // Depth alone
	ReadSizes             // Sizes, or else Depth
)

// Levels is what a Traversal finds, by vertex: the distance from the nearest source, -1 for an unreached vertex; and
// a neighbour one level nearer, NoVertex for sources and unreached vertices.
type Levels struct {
	Depth  []int32
	Parent []csr.VertexID
	Sizes  []uint64 // if Depth is nil: how many vertices have each depth
	Loan
}

// Loan is part of an answer that may lie in memory that a device has use for again. Back is nil where it does not.
type Loan struct{ Back func() }

// Release says that nobody reads the answer any more.
func (l *Loan) Release() {
	if l.Back != nil {
		l.Back()
	}
}

// SizesOf returns how many vertices have each depth.
func (l *Levels) SizesOf() []uint64 {
	if l.Depth == nil {
		return l.Sizes
	}
	var sizes []uint64
	for _, d := range l.Depth {
		for int(d) >= len(sizes) {
			sizes = append(sizes, 0)
		}
		if d >= 0 {
			sizes[d]++
		}
	}
	return sizes
}

// Path returns a shortest path to v, from its source to v itself; nil if v is unreached.
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

// PathRequest asks for a shortest path over the relationships of some types in a direction, seen from From. It runs
// only through vertices of Within that are not blocked, ends included. Blocked is as in a Traversal.
type PathRequest struct {
	From, To  csr.VertexID
	Types     csr.TypeSet
	Direction csr.Direction
	MaxDepth  int           // the most relationships; negative: no limit
	Within    *CandidateSet // nil: all
	Blocked   func(v csr.VertexID) bool
}

// DiameterRequest asks for the largest distance from one vertex to another that it reaches.
type DiameterRequest struct {
	Types     csr.TypeSet
	Direction csr.Direction
	Within    *CandidateSet // the graph is the one induced by these; nil: all
}

// Diameter is the answer to a DiameterRequest: a pair of vertices that far apart. Both are NoVertex in a graph
// without vertices.
type Diameter struct {
	Length   int32
	From, To csr.VertexID
}
