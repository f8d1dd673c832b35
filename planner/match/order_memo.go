package match

import (
	"slices"
	"sync/atomic"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// OrderMemo keeps the last answer for one pattern of a plan, since a plan that runs again mostly finds the same sizes. Choosing an
// order takes as long as a small search, and far longer for large patterns. The zero OrderMemo is empty; it is safe for
// concurrent use.
type OrderMemo struct{ last atomic.Pointer[remembered] }

// remembered is a question with its answer. The pattern and Selectivity are the plan's.
type remembered struct {
	snapshot uint64 // its Serial: a plan keeps no snapshot in memory
	sizes    []float64
	strategy pattern.OrderStrategy
	wanted   []int
	read     []int
	answer   Answer
}

// OrderFor is OrderFor at Filtered. Every question to one memo must be about the same pattern.
func (m *OrderMemo) OrderFor(q *Question) Answer {
	if r := m.last.Load(); r != nil && r.snapshot == csr.Serial(q.Snapshot) && r.strategy == q.Strategy && slices.Equal(r.sizes, q.Sizes) &&
		sameVertices(r.wanted, q.Wanted) && sameVertices(r.read, q.Read) {
		return r.answer
	}
	r := &remembered{csr.Serial(q.Snapshot), slices.Clone(q.Sizes), q.Strategy, slices.Clone(q.Wanted), slices.Clone(q.Read), OrderFor(Filtered, q)}
	m.last.Store(r)
	return r.answer
}

// sameVertices compares lists of which nil means something else than an empty one.
func sameVertices(a, b []int) bool { return (a == nil) == (b == nil) && slices.Equal(a, b) }
