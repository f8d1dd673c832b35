package join

import (
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// choice is an edge whose relationship is chosen once all vertices are matched.
type choice struct {
	edge  int
	apart []int                // edges chosen before, or given, whose relationship it must not take
	preds []*pattern.Predicate // predicates whose last relationship this is
}

// planEnumeration decides whether relationships have to be gone through one by one, and in which order.
func (c *compiler) planEnumeration(wantEdges bool) {
	reads := func(q pattern.Predicate) bool {
		return slices.ContainsFunc(q.Edges, func(e int) bool { return !c.p.Edges[e].Bound })
	}
	c.planDistinct()
	places := func(i int) bool { return c.job.Order.Chains[i].NeedEdges(&c.p.Scopes[i]) }
	c.singly = len(c.distinct) > 0 || slices.ContainsFunc(c.replace, places)
	c.enumerate = wantEdges || c.singly || slices.ContainsFunc(c.p.Predicates, reads)
	if !c.enumerate {
		return
	}
	c.planChoices()
	for i := range c.p.Predicates {
		if q := &c.p.Predicates[i]; reads(*q) {
			last := len(c.choices) - 1
			for !slices.Contains(q.Edges, c.choices[last].edge) {
				last--
			}
			c.choices[last].preds = append(c.choices[last].preds, q)
		}
	}
}

// planChoices lists the edges to be chosen and what each must differ from.
func (c *compiler) planChoices() {
	var chosen []int // given ones first
	for i := range c.p.Edges {
		if c.p.Edges[i].Bound {
			chosen = append(chosen, i)
		}
	}
	for i := range c.p.Edges {
		e := &c.p.Edges[i]
		if e.Bound || e.AtLeastOne {
			continue
		}
		ch := choice{edge: i}
		for _, f := range chosen {
			if c.p.Edges[f].Scope == e.Scope && mode(&c.p.Scopes[e.Scope]) != pattern.RepeatableElements {
				ch.apart = append(ch.apart, f)
			}
		}
		chosen = append(chosen, i)
		c.choices = append(c.choices, ch)
	}
}

// leaf is reached with every vertex of the segment matched.
func (w *worker) leaf(weight uint64) pattern.Count128 {
	switch {
	case w.enumerate:
		return w.chooseAll()
	case w.emit:
		w.found += weight
		w.give(nil, weight)
	}
	return pattern.Count128{Lo: weight}
}

// give sends the match to the sink, or the one that stands for it.
func (w *worker) give(edges []csr.EdgeID, weight uint64) {
	vertices := w.match
	if len(w.replace) > 0 {
		w.outVertices = append(w.outVertices[:0], vertices...)
		w.outEdges = append(w.outEdges[:0], edges...)
		vertices, edges = w.outVertices, w.outEdges
		w.representative(vertices, edges)
	}
	w.send(vertices, edges, weight)
}

// chooseAll goes through the relationships that the matched vertices leave to the edges.
func (w *worker) chooseAll() pattern.Count128 {
	for i := range w.choices {
		w.rels[i] = w.relationships(w.rels[i][:0], w.choices[i].edge)
		if len(w.rels[i]) == 0 {
			return pattern.Count128{}
		}
	}
	n := pattern.Count128{Lo: w.choose(0)}
	if w.emit && !w.eachEdges() && n.Lo > 0 {
		w.give(nil, n.Lo)
	}
	return n
}

// relationships appends what edge i has to choose from.
func (w *worker) relationships(dst []csr.EdgeID, i int) []csr.EdgeID {
	e := &w.p.Edges[i]
	return w.s.Relationships(dst, w.match[e.From], w.match[e.To], e.Types, seenFrom(e, e.From))
}

// choose chooses relationships for the edges from the i-th on and returns in how many ways.
func (w *worker) choose(i int) uint64 {
	if i == len(w.choices) {
		return w.complete()
	}
	c, n := &w.choices[i], uint64(0)
	for _, r := range w.rels[i] {
		if w.halted() {
			break
		}
		if slices.ContainsFunc(c.apart, func(f int) bool { return w.edges[f] == r }) {
			continue
		}
		w.edges[c.edge] = r
		if !slices.ContainsFunc(c.preds, func(q *pattern.Predicate) bool { return !w.holds(q) }) {
			n += w.choose(i + 1)
		}
	}
	return n
}

// eachEdges reports whether matches with the same vertices are sent one by one.
func (w *worker) eachEdges() bool { return w.singly || w.sink.NeedEdges() }

// complete is reached with every element matched.
func (w *worker) complete() uint64 {
	w.spend(1)
	for _, r := range w.rearrangers {
		if !r.smallest(w.match, w.edges) {
			return 0
		}
	}
	if w.emit {
		w.found++
		if w.eachEdges() {
			w.give(w.edges, 1)
		}
	}
	return 1
}

// someRelationship reports whether the edge of a test has a relationship that passes it.
func (w *worker) someRelationship(t *edgeTest) bool {
	w.scanned = w.relationships(w.scanned[:0], t.edge)
	for _, r := range w.scanned {
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
