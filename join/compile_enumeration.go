package join

import (
	"slices"

	"github.com/motifql/motif/internal/pattern"
)

// choice is an edge whose relationship the search chooses once all vertices are matched.
type choice struct {
	edge  int
	apart []int                // edges whose relationship it must not take, chosen before or bound
	preds []*pattern.Predicate // predicates whose last relationship this is
	step  int                  // it matches the second end
}

// planEnumeration decides whether the search must go through relationships one by one, and in which order.
func (c *compiler) planEnumeration(wantEdges bool) {
	reads := func(q pattern.Predicate) bool { return c.readsChoice(&q) }
	c.planDistinct()
	places := func(i int) bool { return c.job.Order.Chains[i].NeedEdges(&c.p.Scopes[i]) }
	c.singly = len(c.distinct) > 0 || slices.ContainsFunc(c.replace, places)
	c.enumerate = wantEdges || slices.ContainsFunc(c.p.Predicates, reads)
	if c.singly && !c.enumerate && len(c.distinct) == 0 && c.onlyRelationships() {
		c.singly = false // a representative looks the relationships up that have a say
	}
	c.enumerate = c.enumerate || c.singly
}

// readsChoice reports whether a predicate reads a relationship that the search chooses.
func (c *program) readsChoice(q *pattern.Predicate) bool {
	return slices.ContainsFunc(q.Edges, func(e int) bool { return !c.p.Edges[e].Bound })
}

// onlyRelationships reports whether each edge of the scopes that give a representative has one relationship to choose from.
func (c *compiler) onlyRelationships() bool {
	for _, i := range c.replace {
		for _, j := range c.p.Scopes[i].Edges {
			e := &c.p.Edges[j]
			if e.Bound || e.From == e.To || !e.AtLeastOne && c.views.Of(e.Types, seenFrom(e, e.From)).Counts != nil {
				return false
			}
		}
	}
	return true
}

// planChoices lists the edges that choose a relationship, in the order in which the steps close them, the edges from which each must
// differ, and the predicates that it completes.
func (c *compiler) planChoices() {
	if !c.enumerate {
		return
	}
	var chosen []int // given ones first
	for i := range c.p.Edges {
		if c.p.Edges[i].Bound {
			chosen = append(chosen, i)
		} else if e := &c.p.Edges[i]; !e.AtLeastOne {
			c.choices = append(c.choices, choice{edge: i, step: max(c.pos[e.From], c.pos[e.To])})
		}
	}
	slices.SortStableFunc(c.choices, func(a, b choice) int { return a.step - b.step })
	for i := range c.choices {
		ch := &c.choices[i]
		e := &c.p.Edges[ch.edge]
		for _, f := range chosen {
			if c.p.Edges[f].Scope == e.Scope && mode(&c.p.Scopes[e.Scope]) != pattern.RepeatableElements {
				ch.apart = append(ch.apart, f)
			}
		}
		chosen = append(chosen, ch.edge)
	}
	for i := range c.p.Predicates {
		if q := &c.p.Predicates[i]; c.readsChoice(q) {
			last := len(c.choices) - 1
			for !slices.Contains(q.Edges, c.choices[last].edge) {
				last--
			}
			c.choices[last].preds = append(c.choices[last].preds, q)
		}
	}
	c.candidateRows = make([]candidateRowsCell, len(c.choices))
	c.planRuns()
}

// planRuns decides whether the last step can take the relationships of many vertices at once.
func (c *program) planRuns() {
	last := len(c.steps) - 1
	if last < 0 {
		return
	}
	st := &c.steps[last]
	for c.early < len(c.choices) && c.choices[c.early].step < last {
		c.early++
	}
	c.runs = !st.bound && len(c.distinct)+len(c.replace)+len(st.boundEdges)+len(st.inducedRules) == 0
	for i := range c.choices[:c.early] {
		for _, q := range c.choices[i].preds {
			c.runs = c.runs && !slices.Contains(q.Vertices, st.u)
		}
	}
}
