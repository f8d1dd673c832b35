package pattern

import (
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
