package join

import (
	"math/bits"
	"slices"

	"github.com/motifql/motif/internal/pattern"
)

// Unread vertices. WITH 1 AS one LIMIT 100 RETURN count(*) reads nothing of a match, but wants only some. A count would go through all of
// them, and a list would name each one. So the search gives the sink numbers: it takes a vertex on which no later one depends by the
// number of its choices, and the last vertex always. It goes on listing the others, and so ends soon after the sink has enough.
// RETURN a.name LIMIT 100 reads some vertices. The search takes the others by their number where it can.

// planUnread finds out which vertices of a match the sink does not read.
func (c *program) planUnread(env *pattern.Env, sink pattern.Sink) {
	s, ok := sink.(pattern.ColumnSink)
	if !ok || s.NeedEdges() || !env.Uses(pattern.CountedChoices) {
		return
	}
	if c.enumerate || c.tail >= 0 || c.job.DistinctPrefix > 0 || len(c.p.Vertices) > 64 {
		return
	}
	if slices.ContainsFunc(c.p.Scopes, func(sc pattern.Scope) bool { return sc.Distinct }) {
		return
	}
	c.unread = 1<<len(c.p.Vertices) - 1
	for _, u := range s.ReadVertices() {
		c.unread &^= 1 << u
	}
	c.readsNone = c.unread == 1<<len(c.p.Vertices)-1
}

// spares reports whether the sink does not read the query vertex u of a match.
func (c *program) spares(u int) bool { return c.unread>>(u&63)&1 != 0 }

// choiceTaker is a worker whose sink does not read all of a match.
type choiceTaker struct{ *worker }

// take is together where matches go to the sink: it takes the choices of step k, on which no later step depends, by their number.
func (w choiceTaker) take(k int, weight uint64) pattern.Count128 {
	st, lv := &w.steps[k], &w.levels[k]
	n, reasons := w.size(k, st, lv)
	w.numbered++
	if w.failure = reasons; n == 0 {
		return pattern.Count128{}
	}
	if lv.visits++; k+1 == w.end {
		return w.give(n, weight)
	}
	return w.each(n, weight, func(weight uint64) pattern.Count128 { return w.search(k+1, weight) })
}

// each searches on with the weight n*weight or, where that is too large, n times.
func (w choiceTaker) each(n, weight uint64, search func(weight uint64) pattern.Count128) (total pattern.Count128) {
	if hi, lo := bits.Mul64(n, weight); hi == 0 {
		return search(lo)
	}
	w.indivisible++
	defer func() { w.indivisible-- }()
	for range n {
		if total = w.add(total, search(weight)); w.halted() {
			break
		}
	}
	return total
}

// give gives n*weight matches to the sink, which reads nothing in which they differ, and as many for each arrangement of equal vertices.
func (w choiceTaker) give(n, weight uint64) pattern.Count128 {
	if !w.readsNone {
		return w.each(n, weight, w.leaf)
	}
	arrangements := w.arrangements()
	w.exchanges += n * (arrangements - 1)
	return w.each(n, weight, func(weight uint64) pattern.Count128 {
		return w.each(arrangements, weight, func(weight uint64) pattern.Count128 {
			w.matches += weight
			w.out.giveUnread(w.run, weight)
			return pattern.Count(weight)
		})
	})
}
