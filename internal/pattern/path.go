package pattern

import (
	"context"
	"slices"

	"github.com/motifql/motif/internal/csr"
)

// PathMode says what may not repeat inside one path.
type PathMode uint8

const (
	WalkMode    PathMode = iota // anything may repeat
	TrailMode                   // no relationship repeats
	SimpleMode                  // nor does a node, but the first may be the last
	AcyclicMode                 // no node repeats
)

func (m PathMode) String() string { return [...]string{"walk", "trail", "simple", "acyclic"}[m] }

// Path is a path pattern whose length may vary: Nodes and Hops by turns, Nodes first and last.
//
// A match of it is a walk in the graph cut into as many pieces as there are hops. The node at each cut, and at both ends,
// is one that Nodes admits; the piece of a hop repeats the hop's steps Min to Max times. Each way to cut, and
// each choice of relationships, is a match of its own. Variables are numbers: of nodes and, apart from these, of
// relationships. Those outside of loops have one value in a match, and where one occurs twice, or is given, the values must be the
// same; those of a loop have one value in each repetition.
type Path struct {
	Nodes []PathNode // the first and the last have variables
	Hops  []Hop
	Tests []PathTest
	Mode  PathMode
	// Apart: the walk has no node twice, unless one variable outside of loops stands at both places.
	Apart bool
	// How many variables there are of each kind.
	Vertices, Edges int
}

// PathNode is a condition on a node.
type PathNode struct {
	Labels *Label // nil admits every node
	Var    int    // -1: none
}

// Hop is a part of a path that repeats.
type Hop struct {
	Steps    []PathStep
	Inner    []PathNode // nodes before, between and behind the steps; nil: no conditions on them
	Min, Max int        // repetitions; Max < 0: any number
	Loop     bool       // what it binds is a list, even where Min and Max are 1
}

// PathStep is one relationship. Direction is seen from the node before it.
type PathStep struct {
	Types     csr.TypeSet
	Direction csr.Direction
	Var       int // -1: none
}

// PathTest is a condition on variables of the path, evaluated with their values in place.
type PathTest struct {
	Text            string
	Hop             int // in whose loop it stands, and for each of whose repetitions it must hold; -1: in none
	Vertices, Edges []int
	Test            Test // nil in a plan
}

// PathSelection says which of the matches between two nodes are wanted.
type PathSelection struct {
	Kind PathSelector
	K    int // of paths or groups; at least 1
}

// PathSelector is the kind of a PathSelection.
type PathSelector uint8

const (
	AllPaths       PathSelector = iota // all of them
	ShortestPaths                      // the K shortest; of equally long ones any
	ShortestGroups                     // all whose length is one of the K smallest
	OneEnd                             // for each end one, whichever; nothing of it but its end is wanted
)

// PathJob asks for the matches of a path pattern.
type PathJob struct {
	Snapshot *csr.Snapshot
	Path     *Path
	Select   PathSelection
	// Rels: Walk.Edges is wanted. Count: only how many matches there are is wanted, and not which; walks may stand for several.
	Rels, Count bool
}

// PathQuery is the part of a search that differs from row to row.
type PathQuery struct {
	Vertices []csr.VertexID // by variable; csr.NoVertex where not given. That of the first node is given
	Edges    []csr.EdgeID   // by variable; csr.NoEdge where not given
	Lists    [][]csr.EdgeID // by hop: the relationships of a loop of one step, in order of the path; nil: not given. Not for shortest paths
	// Accept, if set, is asked about each match before some are selected.
	Accept    func(w *Walk) (bool, error)
	UsedEdges []csr.EdgeID   // that the path must not have
	UsedNodes []csr.VertexID // that none of the path's nodes may be, apart from those that are given
}

// Walk is a match. It is only valid during the call of emit.
type Walk struct {
	Nodes  []csr.VertexID // the ends alone, where the job does not want relationships and the search found it so
	Edges  []csr.EdgeID   // one fewer; nil if not wanted
	Starts []int          // by hop, and at the end once more: the position in Nodes where it starts
	Weight uint64         // how many matches it stands for
}

// KeepsApart reports whether w has a node twice only where p's variables say so; see Path.Apart.
func (p *Path) KeepsApart(w *Walk) bool {
	owner := make(map[csr.VertexID]int, len(w.Nodes)) // the variable at the last place of the node
	for i, v := range w.Nodes {
		own := -1
		if k := slices.Index(w.Starts, i); k >= 0 {
			own = p.Nodes[k].Var
		}
		if was, twice := owner[v]; twice && (own < 0 || own != was) {
			return false
		}
		owner[v] = own
	}
	return true
}

// PathSearch is a prepared PathJob, for one goroutine.
type PathSearch interface {
	// Run sends the matches for one query, in no order. emit returns false to stop.
	Run(ctx context.Context, q *PathQuery, emit func(w *Walk) (more bool, err error)) error
}
