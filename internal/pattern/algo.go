package pattern

import (
	"fmt"
	"slices"

	"github.com/motifql/motif/internal/csr"
)

// CoreVariant is a way to decompose a graph into cores. All find the same coreness.
type CoreVariant uint8

const (
	CoreAuto CoreVariant = iota // whatever suits the graph and the number of workers
	CoreBZ                      // one vertex at a time from bins by degree (Batagelj and Zaversnik 2003)
	CorePark                    // rounds of the vertices at the present level (ParK, Dasari et al. 2014)
	CoreRL                      // passes that mark removed vertices and tell their neighbours (RLCore)
	CoreES                      // estimates that fall until they agree (ESCore)
)

var coreVariants = []string{"auto", "bz", "park", "rlcore", "escore"}

func (v CoreVariant) String() string { return coreVariants[v] }

// ParseCoreVariant reads what String writes.
func ParseCoreVariant(name string) (CoreVariant, error) {
	i := slices.Index(coreVariants, name)
	if i < 0 {
		return 0, fmt.Errorf("there is no way to decompose into cores called %q; there are %v", name, coreVariants)
	}
	return CoreVariant(i), nil
}

// CoreRequest asks for the cores of the simple graph over some types. It ignores loops and parallel relationships.
//
// In direction Both the degree of a vertex counts its neighbours; in Out (or In) only those it has relationships to
// (or from), and the k-core is then the largest subgraph in which each vertex has k of those.
type CoreRequest struct {
	Types     csr.TypeSet
	Direction csr.Direction
	Within    *CandidateSet // the graph is the one induced by these; nil: all
	K         uint32        // only the members of this core are wanted; 0: the coreness of all
	Order     bool          // asks for Cores.Order, too
	Variant   CoreVariant
}

// Cores is the answer to a CoreRequest.
type Cores struct {
	Core       []uint32       // by vertex, 0 outside of the request's vertices; nil where K was given
	Degeneracy uint32         // the largest of Core
	Order      []csr.VertexID // the request's vertices such that none has more than Degeneracy (counted) neighbours behind it
	Members    []csr.VertexID // where K was given: the vertices of the K-core, rising
}

// TriangleRequest asks for triangles of the simple graph over some types, in both directions.
type TriangleRequest struct {
	Types   csr.TypeSet
	PerNode bool // Answer.ByVertex is wanted: how many triangles each vertex lies in
}

// KMax asks a TrussRequest for the largest k whose k-truss has edges.
const KMax = ^uint32(0)

// TrussRequest asks for edges with their trussness: all (K = 0), those of the K-truss, or those of the truss of the
// largest k (K = KMax). Adjacency is over Types in both directions, loops and multiplicities ignored.
type TrussRequest struct {
	Types  csr.TypeSet
	Within *CandidateSet // the graph is the one induced by these; nil: all
	K      uint32

	Returned bool // the asker calls Release when it has read the answer
}

// Trusses is a set of edges of the simple undirected graph, each with its trussness: the largest k such that the edge
// lies in a k-truss. In a k-truss every edge is in at least k-2 triangles. An edge in no triangle has trussness 2. If the
// request was for one k, Truss is that k for every edge of its truss, although an edge's trussness may be larger.
type Trusses struct {
	Source, Target []csr.VertexID // Source < Target, edge by edge; no edge twice
	Truss          []uint32
	KMax           uint32 // the largest of Truss; 0 without edges
	Loan
}

// ComponentRequest asks for connected components over some types. In weak ones relationships lead both ways. In strong ones
// every vertex reaches every other along the relationships.
type ComponentRequest struct {
	Types  csr.TypeSet
	Within *CandidateSet // the graph is the one induced by these; nil: all
	Strong bool
}

// NoComponent is the component of a vertex outside of the request's vertices.
const NoComponent = ^uint32(0)

// Components says which component each vertex is in. Components are numbered from 0 by their smallest vertices.
type Components struct {
	Of   []uint32 // by vertex
	Size []uint32 // by component, in vertices
}

// Largest returns the size of the largest component; 0 for a graph without vertices.
func (c *Components) Largest() uint32 {
	if len(c.Size) == 0 {
		return 0
	}
	return slices.Max(c.Size)
}
