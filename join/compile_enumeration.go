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
}

// planEnumeration decides whether the search must go through relationships one by one, and in which order.
func (c *compiler) planEnumeration(wantEdges bool) {
	reads := func(q pattern.Predicate) bool {
		return slices.ContainsFunc(q.Edges, func(e int) bool { return !c.p.Edges[e].Bound })
	}
	c.planDistinct()
	places := func(i int) bool { return c.job.Order.Chains[i].NeedEdges(&c.p.Scopes[i]) }
	c.singly = len(c.distinct) > 0 || slices.ContainsFunc(c.replace, places)
	c.enumerate = wantEdges || slices.ContainsFunc(c.p.Predicates, reads)
	if c.singly && !c.enumerate && len(c.distinct) == 0 && c.onlyRelationships() {
		c.singly = false // a representative looks the relationships up that have a say
	}
	c.enumerate = c.enumerate || c.singly
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

// planChoices lists the edges that choose a relationship and the edges from which each must differ.
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
