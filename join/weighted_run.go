package join

import (
	"math/bits"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// A last step that gives runs, where an edge may stand for several relationships. Vertices side by side with one weight go to the sink
// together. The candidates come in order, so that the search for their relationships goes on where the last one ended.

// weightGiver is a worker whose last step may give vertices with weights.
type weightGiver struct{ *worker }

// give is giveRun for a step whose edges may have weights.
func (w weightGiver) give(k int, run []csr.VertexID, weight uint64) (total pattern.Count128) {
	st, lv := &w.steps[k], &w.levels[k]
	lv.placesFor(st)
	first, same := 0, uint64(1) // the vertices from first on have this factor
	for i, v := range run {
		if st.weighs && (lv.clashAll || contains(lv.clash, v)) {
			total = w.add(total, w.giveTimes(k, run[first:i], weight, same))
			first, same = i+1, 1
			w.set(k, v)
			if whole := w.weights.weigh(k); whole > 0 {
				total = w.add(total, w.giveRun(st, run[i:i+1], whole))
			}
			continue
		}
		factor := uint64(1)
		for j := range st.multi {
			c := &st.multi[j]
			factor = w.product(factor, c.view.CountFrom(&lv.places[j], w.match[c.from], v))
		}
		if factor != same {
			total = w.add(total, w.giveTimes(k, run[first:i], weight, same))
			first, same = i, factor
		}
	}
	return w.add(total, w.giveTimes(k, run[first:], weight, same))
}

// giveTimes is giveRun with the weight a*b, which may exceed 64 bits.
func (w weightGiver) giveTimes(k int, run []csr.VertexID, a, b uint64) (total pattern.Count128) {
	if len(run) == 0 || b == 0 {
		return total
	}
	if hi, lo := bits.Mul64(a, b); hi == 0 {
		return w.giveRun(&w.steps[k], run, lo)
	}
	for _, v := range run {
		w.set(k, v)
		total = w.add(total, w.searchTimes(k+1, a, b))
	}
	return total
}

// placesFor makes a place for each edge of st that may stand for several relationships.
func (lv *level) placesFor(st *step) {
	if len(st.multi) > len(lv.places) {
		lv.places = make([]csr.Place, len(st.multi))
	}
}
