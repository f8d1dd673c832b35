package exec

import (
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/value"
)

// mostSearchless is the number of matches up to which a Match combines candidates itself. More come faster in batches.
const mostSearchless = 64

// searchless reports whether every combination of the candidates is a match, and these are few. That holds for nodes without relationships
// on which the filter has tested all conditions. A search takes several times longer to start than a look-up by key.
func (m *matchStage) searchless() bool {
	p := m.job.Pattern
	if m.inner || m.plan.Count || m.clique != nil || m.x.plan.Brute || !m.env.Uses(pattern.RowProbe) || len(p.Vertices) == 0 || len(p.Edges)+len(p.Different) > 0 {
		return false
	}
	c, matches := m.job.Candidates, 1
	if len(c.Tiers) == 0 || len(c.Deferred) > 0 {
		return false
	}
	for u := range p.Vertices {
		if matches *= c.Sets[u].Len(); p.Vertices[u].Bound || matches > mostSearchless {
			return false
		}
	}
	for i := range p.Scopes {
		if s := &p.Scopes[i]; s.Mode == pattern.DifferentNodes && len(s.Vertices) > 1 || s.Induced || s.Distinct {
			return false
		}
	}
	return !slices.ContainsFunc(p.Predicates, func(q pattern.Predicate) bool { _, single := q.Single(); return !single })
}

// combine emits every combination of the candidates.
func (m *matchStage) combine(mult uint64) (bool, error) {
	steps := m.job.Order.Steps
	c := combination{m: m, mult: mult, match: make([]csr.VertexID, len(steps)), visits: make([]uint64, len(steps)), steps: steps}
	more, err := c.extend(0)
	order, t := sequence(steps), m.env.Tally
	t.Order.Store(&order)
	t.AddVisits(c.visits)
	for _, n := range c.visits {
		t.Partial.Add(n)
	}
	t.Embeddings.Add(c.visits[order[len(order)-1]])
	m.env.Took(pattern.RowProbe, mult)
	return more, err
}

// sequence lists the query vertices of an order.
func sequence(steps []pattern.Step) []int {
	order := make([]int, len(steps))
	for k := range steps {
		order[k] = steps[k].Vertex
	}
	return order
}

// combination is the choice of a candidate for each query vertex.
type combination struct {
	m      *matchStage
	mult   uint64
	match  []csr.VertexID // by query vertex
	visits []uint64       // by query vertex, as in pattern.Tally
	steps  []pattern.Step
}

// extend chooses for the steps from k on.
func (c *combination) extend(k int) (more bool, err error) {
	m := c.m
	if k == len(c.steps) {
		for _, p := range m.vertices {
			m.x.row[p.slot] = value.OfNode(c.match[p.element])
		}
		more, err := m.emitTimes(c.mult, 1)
		if m.left != nil && m.left.Add(-1) <= 0 {
			more = false
		}
		return more, err
	}
	u := c.steps[k].Vertex
	for _, v := range m.job.Candidates.Sets[u].List() {
		c.match[u] = v
		c.visits[u]++
		if more, err := c.extend(k + 1); err != nil || !more {
			return false, err
		}
	}
	return true, nil
}
