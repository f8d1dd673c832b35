package paths

import (
	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// Counting walks that repeat one edge. Input: a query that asks for the number alone. What makes it fast: the search adds the degree
// of the last vertex instead of taking the last edge, and keeps only the vertices of the walk.

// onlyCounts reports whether countWalks can answer the present query.
func (w *walker) onlyCounts() bool {
	start, end := &w.program.nodes[0], &w.program.nodes[len(w.hops)]
	return w.job.Count && w.length < 0 && w.macro == nil && w.byEnds && !w.nodesDiffer() && w.uniform() && len(w.q.UsedNodes) == 0 &&
		end.labels == nil && len(end.tests) == 0 && w.endGiven() == csr.NoVertex && len(start.tests) == 0 && w.admits(start, w.nodes[0])
}

// countWalks returns how many walks continue from v after done edges, with the walk that ends at v.
func (w *walker) countWalks(v csr.VertexID, done int) (n uint64) {
	h := &w.hops[0]
	if done >= h.min {
		n = 1
	}
	if done == h.max || w.stop.Load() {
		return n
	}
	adj := h.steps[0].adj
	row, both := adj.Neighbours(v), h.steps[0].dir == csr.Both
	if done+1 == h.max {
		w.reads++
		n += uint64(len(row))
		if w.mode >= pattern.TrailMode {
			n -= w.leaving(v, both)
		}
		return n
	}
	w.reads += len(row)
	trail := w.mode >= pattern.TrailMode
	for _, x := range row {
		if trail && done > 0 && w.passed(v, x, h.steps[0].dir) {
			continue
		}
		w.nodes = append(w.nodes, x)
		n += w.countWalks(x, done+1)
		w.nodes = w.nodes[:len(w.nodes)-1]
	}
	return n
}

// leaving returns how many of the walk's edges leave v: they may not repeat.
func (w *walker) leaving(v csr.VertexID, both bool) (n uint64) {
	for k := 1; k < len(w.nodes); k++ {
		if w.nodes[k-1] == v || both && w.nodes[k] == v {
			n++ // no two are the same
		}
	}
	return n
}
