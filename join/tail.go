package join

import (
	"slices"

	"github.com/motifql/motif/internal/pattern"
)

// The tail. A grouped count reads few vertices of a match, and the number of matches that share them. If the order matches these vertices
// first, the search lists them only, and counts what follows as any count does: it takes the choices of the last vertex by their
// number, and keeps numbers that come up again.

// planTail finds the step from which on the search counts.
func (c *program) planTail() {
	k := c.job.ReadPrefix
	if !c.emit || k <= 0 || k >= len(c.p.Vertices) || c.enumerate || c.job.DistinctPrefix > 0 {
		return
	}
	if slices.ContainsFunc(c.p.Scopes, func(sc pattern.Scope) bool { return sc.Distinct }) {
		return // the sink gets another match than the one found
	}
	c.tail = k
}

// listed reports whether the sink gets every vertex that step k may take.
func (c *program) listed(k int) bool {
	return c.emit && !c.spares(c.steps[k].u) && (c.tail < 0 || k < c.tail)
}

// giveNumber counts what extends the partial embedding, and gives that embedding to the sink with the number as its weight.
func (w *worker) giveNumber(k int, weight uint64) pattern.Count128 {
	w.counting = true
	w.indivisible++
	n := w.recall(k, weight)
	w.indivisible--
	w.counting = false
	switch {
	case w.halted() || n == pattern.Count128{}: // a count that was stopped is not whole
	case n.Hi > 0:
		w.fail(pattern.ErrOverflow)
	default:
		w.failure = everything
		w.matches += n.Lo
		w.tails++
		w.out.give(w.run, w.match, nil, n.Lo)
	}
	return n
}
