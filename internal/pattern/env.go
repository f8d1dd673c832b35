package pattern

import (
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"sync/atomic"
)

// Env carries a query's limits and what it reports while it runs. The zero value means no limit, one worker.
type Env struct {
	Workers int
	Memory  *Memory
	Tally   *Tally
	Without Techniques // techniques switched off
	Order   OrderStrategy
	Filter  FilterDepth
	// Repeatable: the filter runs only tiers that find the same sets in every process, whatever it has done before.
	Repeatable bool
	Files      fs.FS // that the query may read; nil: none

	Projections *Projections // that the query may read, make and drop
}

// Tally counts what a running match has done, for progress and PROFILE. Workers add to it in batches.
type Tally struct {
	Partial    atomic.Uint64 // partial embeddings visited
	Embeddings atomic.Uint64 // matches found
	UnitsDone  atomic.Uint64 // root candidates finished, out of Units
	Units      atomic.Uint64

	Order     atomic.Pointer[[]int]     // query vertices in the order that the last search took
	Replanned atomic.Pointer[Replanned] // nil: no search has changed its order

	Taken [maxTechniques]atomic.Uint64 // uses, by Technique; a kernel adds them in batches

	mu      sync.Mutex
	answers []answer // see Answered
	visits  []uint64 // see AddVisits
}

// AddVisits adds, by query vertex, how many partial embeddings a search has visited that end with it. A nil Tally does nothing.
func (t *Tally) AddVisits(visits []uint64) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.visits) != len(visits) {
		t.visits = make([]uint64, len(visits))
	}
	for u, n := range visits {
		t.visits[u] += n
	}
}

// Visits returns the sums of AddVisits by query vertex, nil if no search has called it.
func (t *Tally) Visits() []uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.visits)
}

// Answered notes for PROFILE which device answered a request, and the first reason why not another one; why may be nil. Only a device
// with a choice calls it.
func (t *Tally) Answered(kind RequestKind, device string, why fmt.Stringer) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, a := range t.answers {
		if a.kind.String() == kind.String() && a.device == device { // several kinds are a join
			return
		}
	}
	a := answer{kind: kind, device: device}
	if why != nil {
		a.why = why.String()
	}
	t.answers = append(t.answers, a)
}

// answer is what Answered notes.
type answer struct {
	kind        RequestKind
	device, why string
}

// Answers lists what Answered noted, each once.
func (t *Tally) Answers() (list []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, a := range t.answers {
		line := a.kind.String() + " on " + a.device
		if a.why != "" {
			line += " (" + a.why + ")"
		}
		list = append(list, line)
	}
	return list
}

// Replanned says why a search changed its matching order.
type Replanned struct {
	From, To         []int   // query vertices
	Spent            uint64  // list elements that the search had read by then
	Expected, Actual float64 // of the finished part: list elements if List, else partial embeddings
	List             bool
	Left, Instead    float64 // list elements still to read in the old order, and in the new one
	Orders           int     // how many orders took turns after Spent; 0 if trials showed a better one
}

// TakeOver moves the uses and the answers that other has noted to t.
func (t *Tally) TakeOver(other *Tally) {
	for m := range other.Taken {
		if n := other.Taken[m].Load(); n > 0 {
			other.Taken[m].Add(-n)
			t.Taken[m].Add(n)
		}
	}
	other.mu.Lock()
	answers := other.answers
	other.mu.Unlock()
	for _, a := range answers {
		t.Answered(a.kind, a.device, reason(a.why))
	}
}

type reason string

func (r reason) String() string { return string(r) }
