package join

import (
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// enumerator goes through the relationships that the matched vertices leave to the pattern's edges, where a sink, a predicate or
// DISTINCT looks at them one by one.
type enumerator struct {
	w           *worker
	options     [][]csr.EdgeID // by choice: the relationships it has
	rels        []csr.EdgeID   // scratch of some
	rearrangers []*rearranger
}

func (x *enumerator) init(w *worker) {
	x.w, x.options = w, make([][]csr.EdgeID, len(w.choices))
	for _, d := range w.distinct {
		x.rearrangers = append(x.rearrangers, newRearranger(w, d))
	}
}

// all goes through every choice of relationships and returns how many there are.
func (x *enumerator) all() pattern.Count128 {
	w := x.w
	for i := range w.choices {
		x.options[i] = x.relationships(x.options[i][:0], w.choices[i].edge)
		if len(x.options[i]) == 0 {
			return pattern.Count128{}
		}
	}
	n := pattern.Count128{Lo: x.choose(0)}
	if w.emit && !w.eachEdges() && n.Lo > 0 {
		w.out.give(w.run, w.match, nil, n.Lo)
	}
	return n
}

// relationships appends what edge i has to choose from.
func (x *enumerator) relationships(dst []csr.EdgeID, i int) []csr.EdgeID {
	w := x.w
	e := &w.p.Edges[i]
	return w.s.Relationships(dst, w.match[e.From], w.match[e.To], e.Types, seenFrom(e, e.From))
}

// choose chooses relationships for the edges from the i-th on and returns in how many ways.
func (x *enumerator) choose(i int) uint64 {
	w := x.w
	if i == len(w.choices) {
		return x.complete()
	}
	c, n := &w.choices[i], uint64(0)
	for _, r := range x.options[i] {
		if w.halted() {
			break
		}
		if slices.ContainsFunc(c.apart, func(f int) bool { return w.edges[f] == r }) {
			continue
		}
		w.edges[c.edge] = r
		if !slices.ContainsFunc(c.preds, func(q *pattern.Predicate) bool { return !w.holds(q) }) {
			n += x.choose(i + 1)
		}
	}
	return n
}

// eachEdges reports whether matches with the same vertices are sent one by one.
func (r *run) eachEdges() bool { return r.singly || r.sink.NeedEdges() }

// complete takes a match with every element chosen.
func (x *enumerator) complete() uint64 {
	w := x.w
	w.spend(1)
	for _, r := range x.rearrangers {
		if !r.smallest(w.match, w.edges) {
			return 0
		}
	}
	if w.emit {
		w.matches++
		if w.eachEdges() {
			w.out.give(w.run, w.match, w.edges, 1)
		}
	}
	return 1
}

// some reports whether the edge of a test has a relationship that passes it.
func (x *enumerator) some(t *edgeTest) bool {
	w := x.w
	x.rels = x.relationships(x.rels[:0], t.edge)
	for _, r := range x.rels {
		if w.halted() {
			return false
		}
		w.edges[t.edge] = r
		if w.holds(t.pred) {
			return true
		}
	}
	return false
}
