package join

import (
	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// scansRows reports whether the search gives the relationships of one type from one vertex to another, and nothing else: then it can read
// the row of each root. That saves a list of neighbours, and the search for their relationships in the very row it came from.
func scansRows(w *worker) bool {
	if !w.enumerate || w.first != 0 || w.end != 2 || len(w.steps) != 2 || len(w.choices) != 1 || !w.givesRuns(1) || !w.eachEdges() {
		return false
	}
	root, st, c, f := &w.steps[0], &w.steps[1], &w.choices[0], &w.options.finders[0]
	switch {
	case root.bound || root.prepares || root.verifies || w.guards != nil || w.checking != nil || w.rounds != nil:
		return false
	case st.bound || st.prepares && !st.rivalsOnly || st.weighs || st.memo.kind != memoNone || len(st.sources) != 1 || st.sources[0].view == nil:
		return false
	case len(st.multi)+len(st.loops)+len(st.boundEdges)+len(st.inducedRules)+len(st.edgeTests)+len(st.less)+len(st.greater) > 0:
		return false
	}
	return len(c.apart) == 0 && len(f.types) == 1 && f.dir != csr.Both && f.stands == root.u && allSift(st.preds) && allSift(c.preds)
}

// scan gives the matches whose first vertex is v.
func (r *relationshipRun) scan(w *worker, v csr.VertexID) pattern.Count128 {
	w.set(0, v)
	w.levels[0].visits++
	f, st, c := &w.options.finders[0], &w.steps[1], &w.choices[0]
	if w.failure = everything; !f.turn(v) {
		return w.search(1, 1)
	}
	if r.edges == nil {
		r.edges = make([][]csr.EdgeID, 1)
	}
	row, n := &f.rows[0], 0
	for at := 0; at < len(row.Ends) && !w.halted(); {
		end := min(len(row.Ends), at+w.out.room())
		w.spend(end - at)
		for ; at < end; at++ {
			if u := row.Ends[at]; st.has(u) && w.ownersOf(st, u) == 0 {
				r.vertices, r.edges[0] = append(r.vertices, u), append(r.edges[0], row.ID(at))
			}
		}
		r.list = r.vertices
		r.retain(w, c.edge, st.preds)
		r.retain(w, c.edge, c.preds)
		r.list = nil
		n += len(r.vertices)
		w.matches += uint64(len(r.vertices))
		w.levels[1].visits += uint64(len(r.vertices))
		r.flush(&w.options)
	}
	return pattern.Count(uint64(n))
}
