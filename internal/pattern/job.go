package pattern

import (
	"errors"
	"slices"

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

// Columns is a batch of matches, column by column.
type Columns struct {
	Vertices [][]csr.VertexID // by place in what ReadVertices gave
	Edges    [][]csr.EdgeID   // by place in what ReadEdges gave
	Weights  []uint64         // how many matches share the vertices of a row; nil: one
	Len      int              // rows
	Distinct bool             // no other row of the search, here or elsewhere, has the vertices of one of these rows
}

// Make makes room for columns of vertices and edges, unless there is some.
func (c *Columns) Make(vertices, edges int) {
	if c.Vertices == nil {
		c.Vertices = make([][]csr.VertexID, vertices)
	}
	if c.Edges == nil && edges > 0 {
		c.Edges = make([][]csr.EdgeID, edges)
	}
}

// Append adds a row: the match vertices of the query vertices read, and the match edges of the query edges readEdges.
func (c *Columns) Append(read []int, vertices []csr.VertexID, readEdges []int, edges []csr.EdgeID, weight uint64) {
	for i, u := range read {
		c.Vertices[i] = append(c.Vertices[i], vertices[u])
	}
	for i, e := range readEdges {
		c.Edges[i] = append(c.Edges[i], edges[e])
	}
	c.appendWeights(1, weight)
}

// AppendRun adds n rows that differ in the query vertex u only. list has its vertices.
func (c *Columns) AppendRun(read []int, vertices []csr.VertexID, u int, list []csr.VertexID, weight uint64) {
	for i, x := range read {
		if x == u {
			c.Vertices[i] = append(c.Vertices[i], list...)
			continue
		}
		c.Vertices[i] = AppendRepeated(c.Vertices[i], vertices[x], len(list))
	}
	c.appendWeights(len(list), weight)
}

// AppendRepeated appends v n times.
func AppendRepeated[T any](list []T, v T, n int) []T {
	had := len(list)
	list = slices.Grow(list, n)[:had+n]
	for i := range list[had:] {
		list[had+i] = v
	}
	return list
}

func (c *Columns) appendWeights(n int, weight uint64) {
	if weight != 1 && len(c.Weights) == 0 {
		for range c.Len {
			c.Weights = append(c.Weights, 1)
		}
	}
	if weight != 1 || len(c.Weights) > 0 {
		for range n {
			c.Weights = append(c.Weights, weight)
		}
	}
	c.Len += n
}

// CopyOf makes c a copy of d. It reuses the room that c has.
func (c *Columns) CopyOf(d *Columns) {
	c.Vertices = copyColumns(c.Vertices, d.Vertices, d.Len)
	c.Edges = copyColumns(c.Edges, d.Edges, d.Len)
	c.Weights, c.Len, c.Distinct = append(c.Weights[:0], d.Weights...), d.Len, d.Distinct
}

// copyColumns returns a copy of from, in the room of to. Columns are of length n.
func copyColumns[T any](to, from [][]T, n int) [][]T {
	if to == nil && len(from) > 0 {
		to = make([][]T, len(from))
		room := make([]T, len(from)*n)
		for i := range to {
			to[i] = room[i*n : i*n : (i+1)*n]
		}
	}
	for len(to) < len(from) {
		to = append(to, nil)
	}
	to = to[:len(from)]
	for i := range to {
		to[i] = append(to[i][:0], from[i]...)
	}
	return to
}

// Reset drops the rows and keeps the room.
func (c *Columns) Reset() {
	for i := range c.Vertices {
		c.Vertices[i] = c.Vertices[i][:0]
	}
	for i := range c.Edges {
		c.Edges[i] = c.Edges[i][:0]
	}
	c.Weights, c.Len, c.Distinct = c.Weights[:0], 0, false
}

// ColumnSink is a Sink that reads matches column by column. A device that can calls EmitColumns instead of Emit.
type ColumnSink interface {
	Sink
	ReadVertices() []int // query vertices that it reads
	ReadEdges() []int    // query edges that it reads; some only if NeedEdges
	BatchRows() int      // rows that it wants at once
	Repeats() bool       // whether it would rather have a few equal rows than one row with a weight
	EmitColumns(c *Columns) (more bool, err error)
}
