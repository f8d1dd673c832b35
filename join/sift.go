package join

import (
	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// siftScratch is what a worker needs to test predicates on many matches at once.
type siftScratch struct {
	alike pattern.Alike
	keep  []bool
}

// allSift reports whether each of the predicates can be tested on many matches at once.
func allSift(preds []*pattern.Predicate) bool {
	for _, q := range preds {
		if q.Sift == nil {
			return false
		}
	}
	return true
}

// all returns n flags that are set.
func (s *siftScratch) all(n int) []bool {
	s.keep = s.keep[:0]
	for range n {
		s.keep = append(s.keep, true)
	}
	return s.keep
}

// run returns the vertices of a run for which the predicates of the last step k hold. Those that need more than numbers are tested one
// by one. fail gets the steps to which a vertex that is left out is due.
func (s *siftScratch) run(w *worker, k int, run []csr.VertexID, weight, fail uint64) ([]csr.VertexID, uint64) {
	st := &w.steps[k]
	s.alike = pattern.Alike{Vertices: w.match, Edges: w.edges, Vertex: st.u, At: run, Edge: -1}
	for _, q := range st.preds {
		keep := s.all(len(s.alike.At))
		if !q.Sift(&s.alike, keep) {
			return tryRun(w, k, s.alike.At, weight, fail)
		}
		left := s.alike.At[:0]
		for i, v := range s.alike.At {
			if keep[i] {
				left = append(left, v)
			}
		}
		if len(left) < len(keep) {
			fail |= w.reasonsOf(q)
			w.levels[k].visits += uint64(len(keep) - len(left))
		}
		s.alike.At = left
	}
	return s.alike.At, fail
}

// tryRun is siftScratch.run one vertex after another.
func tryRun(w *worker, k int, run []csr.VertexID, weight, fail uint64) ([]csr.VertexID, uint64) {
	left := run[:0]
	for _, v := range run {
		if tryInRun(w, k, v, left, weight) {
			left = append(left, v)
		} else {
			fail |= w.failure
		}
	}
	return left, fail
}

// retain keeps the rows for which the predicates hold.
func (r *relationshipRun) retain(w *worker, edge int, preds []*pattern.Predicate) {
	if !r.sift(w, edge, preds) {
		r.hold(w, edge, preds)
	}
}

// sift removes the rows for which a predicate is not true. It reports false if that takes more than numbers; some rows may be removed by
// then.
func (r *relationshipRun) sift(w *worker, edge int, preds []*pattern.Predicate) bool {
	s := &w.sifting
	for _, q := range preds {
		keep := s.all(len(r.vertices))
		s.alike = pattern.Alike{Vertices: w.match, Edges: w.edges, Vertex: w.steps[w.end-1].u, At: r.vertices, Edge: edge, Over: r.edges[0]}
		if !q.Sift(&s.alike, keep) {
			return false
		}
		left := 0
		for i, ok := range keep {
			if ok {
				r.vertices[left], r.edges[0][left] = r.vertices[i], r.edges[0][i]
				left++
			}
		}
		r.vertices, r.edges[0] = r.vertices[:left], r.edges[0][:left]
	}
	return true
}

// hold removes the rows for which a predicate is not true, one row after another. Before an error, the rows so far go to the sink.
func (r *relationshipRun) hold(w *worker, edge int, preds []*pattern.Predicate) {
	vertices, edges := r.vertices, r.edges[0]
	r.vertices, r.edges[0] = vertices[:0], edges[:0]
	for i, v := range vertices {
		if w.halted() {
			return
		}
		e := edges[i]
		w.set(w.end-1, v)
		w.edges[edge] = e
		passes := true
		for _, q := range preds {
			if passes = w.holds(q); !passes {
				break
			}
		}
		if passes {
			r.vertices, r.edges[0] = append(r.vertices, v), append(r.edges[0], e)
		}
	}
}
