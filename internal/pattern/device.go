package pattern

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

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
// subgraph. The match they leave need not be the representative: where elements are wanted, the join replaces it
// by the image under the pattern's automorphisms with the smallest stable ids (Chains[scope].Representative; it may
// need the relationships although the sink does not). The join reduces a Distinct scope that is not in Symmetric match
// by match.
type Order struct {
	Steps     []Step
	Symmetric []bool  // by scope
	Chains    []Chain // by scope; nil where not Symmetric
	Cost      float64 // estimated partial embeddings
}

// Unit is a half-open range of positions in the first free step's candidate list.
type Unit struct{ Lo, Hi uint64 }

// Job is one pattern to match in one snapshot.
type Job struct {
	Snapshot   *csr.Snapshot
	Pattern    *Pattern
	Candidates *Candidates // nil for a device that needs none
	Order      Order
	Vertices   []csr.VertexID // by query vertex; read only where Bound
	Edges      []csr.EdgeID   // by query edge; read only where Bound
	Formula    *Formula       // another way to count, for where that is cheaper; or nil

	// AlternativeOrders lists orders to try where Order turns out to be bad; nil where there are none. Safe for concurrent use.
	AlternativeOrders func() []Order
	// DistinctPrefix is how many steps make a match distinct: of matches that agree in their vertices, one is enough. 0 is
	// for all matches.
	DistinctPrefix int
}

// Embedding is one match: a graph vertex per query vertex and a relationship per query edge (NoEdge for
// AtLeastOne edges). Edges is nil where the sink wants none; then Weight says how many matches share
// these vertices, else it is 1.
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

// Env carries a query's limits and what it reports while it runs. The zero value means no limit, one worker.
type Env struct {
	Workers int
	Memory  *Memory
	Tally   *Tally
	Without Techniques // techniques switched off
	Order   OrderStrategy
	Filter  FilterDepth
}

// Tally counts what a running match has done, for progress and PROFILE. Workers add to it in batches.
type Tally struct {
	Partial    atomic.Uint64 // partial embeddings visited
	Embeddings atomic.Uint64 // matches found
	UnitsDone  atomic.Uint64 // root candidates finished, out of Units
	Units      atomic.Uint64

	Order     atomic.Pointer[[]int]     // query vertices in the order that the last search took
	Replanned atomic.Pointer[Replanned] // nil: no search has changed its order on the way

	Taken [maxTechniques]atomic.Uint64 // uses, by Technique; a kernel adds them in batches

	mu      sync.Mutex
	answers []answer // see Answered
}

// Answered notes which device answered a request, and why not another one, for PROFILE: the first reason that there was, or none
// for nil. Where there is but one device, nobody does.
func (t *Tally) Answered(what, device string, why fmt.Stringer) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, a := range t.answers {
		if a.what == what && a.device == device {
			return
		}
	}
	a := answer{what: what, device: device}
	if why != nil {
		a.why = why.String()
	}
	t.answers = append(t.answers, a)
}

// answer is what Answered notes.
type answer struct{ what, device, why string }

// Answers lists what Answered noted, each once.
func (t *Tally) Answers() (list []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, a := range t.answers {
		line := a.what + " on " + a.device
		if a.why != "" {
			line += " (" + a.why + ")"
		}
		list = append(list, line)
	}
	return list
}

// Replanned says why a search gave its matching order up for another one.
type Replanned struct {
	From, To         []int   // query vertices
	Spent            uint64  // list elements gone through until then
	Expected, Actual float64 // of the part that was done: list elements if List, else partial embeddings
	List             bool
	Left, Instead    float64 // list elements that the old order had still to go through, and those that the new one promised
}

// Device runs the stages of a plan. The CPU's is wired from filter, join and kernels; brute force is one too.
//
// A device is an addition, not a rewrite: it has a name, and counts or enumerates what these methods ask for. What it is
// asked for is always something it accepts: the planner routes only those patterns to the clique methods for which their
// answer is the pattern's (see Clique and planner's routeClique), and a device that has a kernel for some of the methods only
// embeds one that has the others. What something costs is for the device to weigh, which alone knows its data structures: a
// kernel with several ways chooses one for each sub-problem by rules in one file (kernels/clique_rule.go), polls ctx,
// charges env.Memory, and counts what it took in env.Tally, which PROFILE prints.
type Device interface {
	Name() string
	// Filter returns a sound candidate set for every free query vertex: no vertex that takes part in a match is
	// missing. Bound vertices get all vertices.
	Filter(ctx context.Context, s *csr.Snapshot, p *Pattern, env *Env) (*Candidates, error)
	// Count returns the number of matches.
	Count(ctx context.Context, j *Job, env *Env) (Count128, error)
	// Match sends every match to the sink, in no order.
	Match(ctx context.Context, j *Job, env *Env, sink Sink) error
	// CountCliques returns the number of cliques (vertex sets), ListCliques sends each once, vertices grouped
	// as in c.Sizes and rising inside a group.
	CountCliques(ctx context.Context, s *csr.Snapshot, c *Clique, env *Env) (Count128, error)
	ListCliques(ctx context.Context, s *csr.Snapshot, c *Clique, env *Env, emit func(clique []csr.VertexID) (more bool, err error)) error
	// AllCliques returns how many cliques of each size g has: counts[k] for k = 1, 2, ... up to the largest clique, or up to
	// upTo if that is not 0. counts[0] is 0, and so is len(counts) for a graph without vertices.
	AllCliques(ctx context.Context, s *csr.Snapshot, g *Subgraph, upTo int, env *Env) (counts []Count128, err error)
	// CliquesPerVertex returns in how many k-cliques of g each vertex is, CliquesPerEdge in how many each edge is.
	// k is at least 1, for edges at least 2.
	CliquesPerVertex(ctx context.Context, s *csr.Snapshot, g *Subgraph, k int, env *Env) (byVertex []Count128, err error)
	CliquesPerEdge(ctx context.Context, s *csr.Snapshot, g *Subgraph, k int, env *Env) (*EdgeCounts, error)
	// MaximalCliques sends every clique of at least minSize vertices that is in no larger one, once; its vertices rise. The
	// slice is only valid during the call; calls do not overlap. emit returns false to stop.
	MaximalCliques(ctx context.Context, s *csr.Snapshot, g *Subgraph, minSize int, env *Env,
		emit func(clique []csr.VertexID) (more bool, err error)) error
	// MaximumClique returns a clique of the most vertices there are, rising; none for a graph without vertices.
	MaximumClique(ctx context.Context, s *csr.Snapshot, g *Subgraph, env *Env) ([]csr.VertexID, error)
	// Triangles returns the number of triangles and, if perNode is set (else nil), how many each vertex lies in.
	// Adjacency is over types in both directions, loops and multiplicities ignored.
	Triangles(ctx context.Context, s *csr.Snapshot, types csr.TypeSet, perNode bool, env *Env) (total uint64, by []uint64, err error)
	// Cores returns the coreness of every vertex, or the vertices of the core for one k.
	Cores(ctx context.Context, s *csr.Snapshot, r *CoreRequest, env *Env) (*Cores, error)
	// Trusses returns edges with their trussness.
	Trusses(ctx context.Context, s *csr.Snapshot, r *TrussRequest, env *Env) (*Trusses, error)
	// BFS returns how far every vertex is from the sources of t, and by way of which neighbour.
	BFS(ctx context.Context, s *csr.Snapshot, t *Traversal, env *Env) (*Levels, error)
	// Components returns the component of every vertex.
	Components(ctx context.Context, s *csr.Snapshot, r *ComponentRequest, env *Env) (*Components, error)
	// ShortestPath returns the vertices of a shortest path, both ends included (one vertex where they are the same);
	// nil where there is none. Its length is one less than they are.
	ShortestPath(ctx context.Context, s *csr.Snapshot, r *PathRequest, env *Env) ([]csr.VertexID, error)
	// PathSearch prepares the search for the matches of a path pattern.
	PathSearch(ctx context.Context, j *PathJob, env *Env) (PathSearch, error)
	// Diameter returns the largest distance, exactly. It may have to search from every vertex.
	Diameter(ctx context.Context, s *csr.Snapshot, r *DiameterRequest, env *Env) (*Diameter, error)
}
