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
	finders     []relationshipFinder // by choice
	options     [][]csr.EdgeID       // by choice: the relationships it has
	versions    []uint64             // by choice: of the step that options are for
	rels        []csr.EdgeID         // scratch of some
	rearrangers []*rearranger
	run         relationshipRun
}

func (x *enumerator) init(w *worker) {
	x.w = w
	if !w.enumerate {
		return
	}
	x.finders, x.options, x.versions = make([]relationshipFinder, len(w.choices)), make([][]csr.EdgeID, len(w.choices)), make([]uint64, len(w.choices))
	for i := range w.choices {
		x.finders[i] = w.finder(w, i)
	}
	for _, d := range w.distinct {
		x.rearrangers = append(x.rearrangers, newRearranger(w, d))
	}
	x.run.at = -1
}

// all goes through every choice of relationships and returns how many there are.
func (x *enumerator) all() pattern.Count128 {
	w := x.w
	for i := range w.choices {
		if !x.look(i) {
			return pattern.Count128{}
		}
	}
	n := pattern.Count128{Lo: x.choose(0)}
	if w.emit && !w.eachEdges() && n.Lo > 0 {
		w.out.give(w.run, w.match, nil, n.Lo)
	}
	return n
}

// look finds the relationships that choice i has. It reports whether there are any.
func (x *enumerator) look(i int) bool {
	w, step := x.w, x.w.choices[i].step
	if at := w.version(step); x.versions[i] != at {
		x.options[i], x.versions[i] = x.finders[i].find(x.options[i][:0], w.match[w.steps[step].u]), at
	}
	return len(x.options[i]) > 0
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
	switch i {
	case x.run.at:
		return x.run.complete(x)
	case len(w.choices):
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
		switch {
		case !w.eachEdges():
		case x.run.list != nil:
			x.run.add(x)
		default:
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
