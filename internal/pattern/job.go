package pattern

import (
	"errors"

	"github.com/motifql/motif/internal/csr"
)

// Errors that end a query from its innermost loops.
var (
	ErrMemory   = errors.New("query memory budget exceeded")
	ErrOverflow = errors.New("count does not fit")
)

// Step extends a partial embedding by one query vertex.
type Step struct {
	Vertex   int
	Backward []int   // edges from Vertex to vertices of earlier steps (and loops on Vertex)
	Less     []int   // earlier vertices whose dense number must be below Vertex's (symmetry breaking)
	Greater  []int   // earlier vertices whose dense number must be above
	Expected float64 // estimated partial embeddings after this step
}

// StepsOf gives every vertex of seq its backward edges.
func StepsOf(p *Pattern, seq []int) []Step {
	at := make([]int, len(seq))
	steps := make([]Step, len(seq))
	for i, u := range seq {
		at[u], steps[i].Vertex = i, u
	}
	for i := range p.Edges {
		last := max(at[p.Edges[i].From], at[p.Edges[i].To])
		steps[last].Backward = append(steps[last].Backward, i)
	}
	return steps
}

// Order is a matching order: every vertex once, bound ones first. Package planner/match makes it.
//
// Symmetric says which Distinct scopes the Less and Greater constraints already reduce to one match per
// subgraph. That match need not be the representative. If the sink wants elements, the join replaces the match by its image
// with the smallest stable ids under the pattern's automorphisms (Chains[scope].Representative; it may need the
// relationships although the sink does not). The join reduces other Distinct scopes match by match.
type Order struct {
	Steps     []Step
	Symmetric []bool  // by scope
	Chains    []Chain // by scope; nil where not Symmetric
	Cost      float64 // estimated partial embeddings
}

// Job is one pattern to match in one snapshot.
type Job struct {
	Snapshot   *csr.Snapshot
	Pattern    *Pattern
	Candidates *Candidates // nil for a device that needs none
	Order      Order
	Vertices   []csr.VertexID // by query vertex; read only where Bound
	Edges      []csr.EdgeID   // by query edge; read only where Bound
	Formula    *Formula       // a way to count without a search, which may be cheaper; or nil

	// AlternativeOrders lists orders to try where Order turns out to be bad; nil where there are none. Safe for concurrent use.
	AlternativeOrders func() []Order
	// DistinctPrefix is how many steps make a match distinct: of matches that agree in their vertices, one is enough. 0 is
	// for all matches.
	DistinctPrefix int
	// ReadPrefix is how many steps match what the sink reads. Matches that agree there may come as one, with their number as its
	// weight and anything in the places of the other vertices. 0 is for a sink that reads all.
	ReadPrefix int
	// Groups says more about what the sink reads; or nil.
	Groups *Groups
	// Pairs likewise, of a sink that reads two vertices; or nil.
	Pairs *Pairs
	// Share says which part of the job is wanted; nil: all.
	Share *Share
}

// Groups says which vertices the sink of a job tells apart. Matches that agree up to that may come as one, with their number as its weight
// and anything in the places of the other vertices.
type Groups struct {
	Read []int // the query vertices that the sink reads
	// Parts divides the candidates of vertex Read[i]: the sink may get any vertex of a part for another one of it. It returns nil if there
	// are too many parts. Parts is nil if the sink reads all of one vertex: no other one may stand for it.
	Parts func(i int) ([]*CandidateSet, error)
	// Formula counts the matches like Job.Formula. It never puts a vertex that the sink reads in the place of another one.
	Formula *Formula
	// Cost is the partial matches of a search as the planner or the executor expects them, whichever are more. The real sizes of candidate
	// sets make estimates of cyclic patterns too small: vertices of few neighbours leave, and the others have more than expected.
	Cost float64
}

// Pairs says how to count the matches by the two vertices that the sink of a job reads. Matches that agree there may come as one, with their
// number as its weight.
type Pairs struct {
	Read       [2]int
	Formula    *Formula // counts the matches without Conditions. It never puts a vertex of Read in the place of another one
	Conditions []int    // the predicates that read both vertices, and nothing else
	Apart      bool     // no match has one graph vertex in both places
	Told       [2]bool  // matches with different graph vertices in this place never meet above the sink: it is the better one to divide
	// Compare returns Conditions as comparisons of numbers, which are faster to test than by Predicate.Test. It may be nil.
	Compare func() ([]Comparison, error)
}

// Comparison is a condition on a number of one vertex and a number of another.
type Comparison struct {
	Predicate            int
	Numbers              [2][]int64 // by place in Pairs.Read and by graph vertex
	Less, Equal, Greater bool       // when it holds: if the first number is less than the second, and so on
}

// Embedding is one match: a graph vertex per query vertex and a relationship per query edge (NoEdge for
// AtLeastOne edges). If the sink wants no edges, Edges is nil and Weight says how many matches share these vertices; else Weight is 1.
type Embedding struct {
	Vertices []csr.VertexID
	Edges    []csr.EdgeID
	Weight   uint64
}

// Sink takes embeddings in batches from several workers at once. The batch is only valid during the call.
// It returns false, or an error, to stop the search (LIMIT, EXISTS).
type Sink interface {
	NeedEdges() bool
	Emit(batch []Embedding) (more bool, err error)
}
