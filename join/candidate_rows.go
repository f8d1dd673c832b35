package join

import (
	"sync/atomic"

	"github.com/motifql/motif/internal/csr"
)

// candidateRows are the relationships of an edge between candidates only, as candidate views are the neighbours. A search that goes through
// relationships looks them up by the other end in the row of a vertex. That row has all relationships of a type, and is passed over again
// each time the search comes back to the vertex. So a search makes rows of its own once it has passed over as many relationships as
// the rows of all candidates have.
type candidateRows struct {
	lo      csr.VertexID
	offsets []uint64
	ends    []csr.VertexID
	ids     []csr.EdgeID
}

// candidateRowsCell is where the workers of a program find the rows of a choice.
type candidateRowsCell struct {
	taken atomic.Bool // a worker makes them, or has
	made  atomic.Pointer[candidateRows]
}

// row returns the relationships at v, which is a candidate.
func (r *candidateRows) row(v csr.VertexID) csr.IncidentRow {
	lo, hi := r.offsets[v-r.lo], r.offsets[v-r.lo+1]
	return csr.NewIncidentRow(r.ends[lo:hi:hi], r.ids[lo:hi:hi])
}

// useCandidateRows turns to the rows between candidates if they are there. It makes them if the finder has passed over enough for that.
func (f *relationshipFinder) useCandidateRows() {
	cell := &f.w.candidateRows[f.choice]
	if f.narrowed = cell.made.Load(); f.narrowed != nil || float64(f.passed) < f.rowsAt || cell.taken.Load() || !cell.taken.CompareAndSwap(false, true) {
		return
	}
	if made := f.makeCandidateRows(); made != nil {
		cell.made.Store(made)
		f.narrowed = made
	} else {
		f.choice = -1
	}
}

// rowsCost estimates how many relationships the rows of all candidates for the vertex that stands have. The offsets of rows between
// candidates, one for each vertex in their range, count as well.
func (f *relationshipFinder) rowsCost() float64 {
	w := f.w
	st := &w.steps[w.pos[f.stands]]
	return float64(st.set.Len())*(1+float64(w.s.Data.Rels[f.types[0]].Len())/float64(w.s.N())) + float64(st.hi-st.lo)/4
}

// makeCandidateRows makes the rows. It returns nil if memory is short, the search stops, or rows are not at hand.
func (f *relationshipFinder) makeCandidateRows() *candidateRows {
	w := f.w
	of, to := w.steps[w.pos[f.stands]].set.List(), &w.steps[f.step]
	lo, hi := of[0], of[len(of)-1]+1
	charged := 8 * int(hi-lo+1)
	if !w.charge(charged) {
		return nil
	}
	out, next := &candidateRows{lo: lo, offsets: make([]uint64, hi-lo+1)}, lo
	for i, v := range of {
		if i%1024 == 0 {
			bytes := 8*len(out.offsets) + 4*cap(out.ends) + 8*cap(out.ids)
			if w.halted() || !w.charge(bytes-charged) {
				return nil
			}
			charged = bytes
		}
		for ; next <= v; next++ {
			out.offsets[next-lo] = uint64(len(out.ends))
		}
		if !f.turn(v) {
			return nil
		}
		row := &f.rows[0]
		for j, u := range row.Ends {
			if to.has(u) {
				out.ends, out.ids = append(out.ends, u), append(out.ids, row.ID(j))
			}
		}
	}
	for ; next <= hi; next++ {
		out.offsets[next-lo] = uint64(len(out.ends))
	}
	f.at = csr.NoVertex
	return out
}
