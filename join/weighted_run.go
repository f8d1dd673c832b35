package join

import (
	"math/bits"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/sets"
)

// A last step that gives runs, where an edge may stand for several relationships. Vertices side by side with one weight go to the sink
// together. The candidates come in order, so that the search for their relationships goes on where the last one ended. Where few pairs have
// several, a long search lists those pairs, and looks nothing up for the others.

// weightGiver is a worker whose last step may give vertices with weights.
type weightGiver struct{ *worker }

// give is giveRun for a step whose edges may have weights.
func (w weightGiver) give(k int, run []csr.VertexID, weight uint64) (total pattern.Count128) {
	lv := &w.levels[k]
	lv.placesFor(&w.steps[k])
	if w.findSpecial(k, run) {
		return w.giveBetween(k, run, weight)
	}
	first, same := 0, uint64(1) // the vertices from first on have this factor
	for i, v := range run {
		if w.clashes(k, v) {
			total = w.add(total, w.giveTimes(k, run[first:i], weight, same))
			first, same = i+1, 1
			total = w.add(total, w.giveClash(k, run[i:i+1]))
			continue
		}
		if factor := w.factorOf(k, v); factor != same {
			total = w.add(total, w.giveTimes(k, run[first:i], weight, same))
			first, same = i, factor
		}
	}
	return w.add(total, w.giveTimes(k, run[first:], weight, same))
}

// clashes reports whether v may have to share a relationship of step k with an edge closed before.
func (w weightGiver) clashes(k int, v csr.VertexID) bool {
	return w.steps[k].weighs && (w.levels[k].clashAll || contains(w.levels[k].clash, v))
}

// giveClash gives one vertex that may have to share a relationship.
func (w weightGiver) giveClash(k int, v []csr.VertexID) (total pattern.Count128) {
	w.set(k, v[0])
	if whole := w.weights.weigh(k); whole > 0 {
		total = w.giveRun(&w.steps[k], v, whole)
	}
	return total
}

// factorOf is the number of choices that v leaves for the edges of step k.
func (w weightGiver) factorOf(k int, v csr.VertexID) uint64 {
	st, lv, factor := &w.steps[k], &w.levels[k], uint64(1)
	for j := range st.multi {
		c := &st.multi[j]
		factor = w.product(factor, c.view.CountFrom(&lv.places[j], w.match[c.from], v))
	}
	return factor
}

// findSpecial finds the vertices of run whose factor is not 1, by short lists of the parallel pairs. It returns false where there are no
// such lists, or while looking up every vertex has cost less than making them.
func (w weightGiver) findSpecial(k int, run []csr.VertexID) bool {
	st, lv := &w.steps[k], &w.levels[k]
	lv.looks += uint64(len(run))
	if st.weighs && lv.clashAll || len(run) == 0 {
		return false
	}
	lv.special = lv.special[:0]
	for j := range st.multi {
		c := &st.multi[j]
		if lv.looks < c.view.Len() {
			return false
		}
		pairs := c.view.Parallel()
		if pairs == nil {
			return false
		}
		lv.special = appendPlaces(lv.special, run, pairs.Neighbours(w.match[c.from]))
	}
	if st.weighs {
		for _, v := range lv.clash {
			lv.special = appendPlaces(lv.special, run, []csr.VertexID{v})
		}
	}
	slices.Sort(lv.special)
	lv.special = slices.Compact(lv.special)
	return true
}

// appendPlaces appends the places in run of those vertices of list that it has. Both are sorted.
func appendPlaces(places []int, run, list []csr.VertexID) []int {
	at := 0
	if len(list) > len(run) {
		for i, v := range run {
			if at += sets.LowerBound(list[at:], v); at == len(list) {
				break
			}
			if list[at] == v {
				places = append(places, i)
			}
		}
		return places
	}
	for _, v := range list {
		if at += sets.LowerBound(run[at:], v); at == len(run) {
			break
		}
		if run[at] == v {
			places = append(places, at)
		}
	}
	return places
}

// giveBetween is give with the special vertices found.
func (w weightGiver) giveBetween(k int, run []csr.VertexID, weight uint64) (total pattern.Count128) {
	first := 0
	for _, i := range w.levels[k].special {
		total = w.add(total, w.giveTimes(k, run[first:i], weight, 1))
		if first = i + 1; w.clashes(k, run[i]) {
			total = w.add(total, w.giveClash(k, run[i:i+1]))
		} else {
			total = w.add(total, w.giveTimes(k, run[i:i+1], weight, w.factorOf(k, run[i])))
		}
	}
	return w.add(total, w.giveTimes(k, run[first:], weight, 1))
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
