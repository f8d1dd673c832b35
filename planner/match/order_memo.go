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
	snapshot uint64    // its Serial: a plan keeps no snapshot in memory
	shape    csr.Shape // of that snapshot; the zero Shape: the answer holds for no other one
	sizes    []float64
	strategy pattern.OrderStrategy
	wanted   []int
	read     []int
	answer   Answer
}

// OrderFor is OrderFor at Filtered. Every question to one memo must be about the same pattern.
func (m *OrderMemo) OrderFor(q *Question) Answer {
	if r := m.last.Load(); r != nil && r.strategy == q.Strategy && slices.Equal(r.sizes, q.Sizes) &&
		sameVertices(r.wanted, q.Wanted) && sameVertices(r.read, q.Read) && r.holdsFor(q.Snapshot) {
		return r.answer
	}
	r := &remembered{snapshot: csr.Serial(q.Snapshot), sizes: slices.Clone(q.Sizes), strategy: q.Strategy, wanted: slices.Clone(q.Wanted),
		read: slices.Clone(q.Read), answer: OrderFor(Filtered, q)}
	// Constraints against symmetry depend on which labels each node has. A Shape does not tell that.
	if !slices.ContainsFunc(q.Pattern.Scopes, func(s pattern.Scope) bool { return s.Distinct }) {
		if shape, ok := csr.ShapeOf(q.Snapshot); ok {
			r.shape = shape
		}
	}
	m.last.Store(r)
	return r.answer
}

// holdsFor reports whether the answer holds for a snapshot.
func (r *remembered) holdsFor(s *csr.Snapshot) bool {
	if r.snapshot == csr.Serial(s) {
		return true
	}
	shape, ok := csr.ShapeOf(s)
	return ok && r.shape == shape
}

// sameVertices compares lists of which nil means something else than an empty one.
func sameVertices(a, b []int) bool { return (a == nil) == (b == nil) && slices.Equal(a, b) }
