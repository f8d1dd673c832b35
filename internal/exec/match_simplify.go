package exec

import (
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/planner/match"
)

// Before a long search, the stage looks whether the values in the graph make the pattern a simpler one.

// simplePattern is the pattern of a stage with fewer predicates.
type simplePattern struct {
	m    *matchStage
	kept []int // the predicates of the plan that are left
}

func (x *simplePattern) selectivity(i int, n float64) float64 {
	return x.m.plan.Selectivity(x.kept[i], n)
}

// longSearch is how many partial matches a search must be expected to visit for the stage to look for a simpler pattern; factPerNode is
// how many for each node whose value it has to look at.
var longSearch, factPerNode = 3e4, 4.0

// EverySearch makes stages look for simpler patterns however short the search is, for tests on small graphs. No query may run meanwhile.
func EverySearch() (restore func()) {
	a, b := longSearch, factPerNode
	longSearch, factPerNode = -1, -1
	return func() { longSearch, factPerNode = a, b }
}

// simplify makes the pattern of the job simpler. It returns nil where it leaves the pattern as it is.
func (m *matchStage) simplify() (*simplePattern, error) {
	p := m.job.Pattern
	if m.inner || m.x.plan.Brute || m.plan.Clique != nil || m.plan.Optional || m.env.Order != pattern.OrderAuto || m.plan.Order.Cost < longSearch ||
		slices.ContainsFunc(p.Scopes, func(sc pattern.Scope) bool { return sc.Distinct }) || slices.ContainsFunc(p.Vertices, func(v pattern.Vertex) bool { return v.Bound }) {
		return nil, nil
	}
	gone := make([]bool, len(p.Predicates))
	simple := *p
	m.differentNodes(&simple, gone)
	if err := m.relationshipViews(&simple, gone); err != nil {
		return nil, err
	}
	if !slices.Contains(gone, true) {
		return nil, nil
	}
	x := &simplePattern{m: m}
	simple.Predicates = nil
	for i := range p.Predicates {
		if !gone[i] {
			simple.Predicates, x.kept = append(simple.Predicates, p.Predicates[i]), append(x.kept, i)
		}
	}
	m.job.Pattern = &simple
	return x, nil
}

// differentNodes takes conditions that values differ as conditions that nodes differ, where no two nodes have the same value.
func (m *matchStage) differentNodes(p *pattern.Pattern, gone []bool) {
	if !m.env.Uses(pattern.DistinctValues) {
		return
	}
	for _, q := range m.plan.Unequal {
		key, known := m.x.s.Keys.Lookup(q.Key)
		labels := [2]*pattern.Label{p.Vertices[q.Of[0]].Labels, p.Vertices[q.Of[1]].Labels}
		admits := func(of []csr.LabelID) bool { return labels[0].Admits(of) || labels[1].Admits(of) }
		if !known || m.plan.Order.Cost < factPerNode*float64(m.x.s.N()) || !csr.DistinctValues(m.x.s, csr.KeyID(key), admits) {
			continue
		}
		gone[q.Predicate] = true
		m.env.Took(pattern.DistinctValues, 1)
		pair := [2]int{min(q.Of[0], q.Of[1]), max(q.Of[0], q.Of[1])}
		apart := slices.Contains(p.Different, pair) || slices.ContainsFunc(p.Scopes, func(sc pattern.Scope) bool {
			return (sc.Induced || sc.Mode == pattern.DifferentNodes) && slices.Contains(sc.Vertices, pair[0]) && slices.Contains(sc.Vertices, pair[1])
		})
		if !apart {
			p.Different = append(slices.Clip(p.Different), pair)
		}
	}
}

// newFormulas gives the job the formulas that its pattern has and the plan does not.
func (m *matchStage) newFormulas(simpler *simplePattern) {
	cost := max(m.job.Order.Cost, m.plan.Order.Cost)
	if sc := schemeOf(m); sc != nil {
		if cost = sc.FormulaCost; sc.Route == pattern.RouteSearch || sc.Route == pattern.RouteCliques {
			m.job.Formula = nil
			return
		}
	}
	if m.inner || m.x.plan.Brute || cost < longSearch {
		return
	}
	switch {
	case m.plan.Count && simpler != nil:
		m.job.Formula, _ = match.CountFormula(m.job.Pattern, m.job.Snapshot, m.job.Order.Symmetric, cost)
	case m.grouped:
		m.job.Groups = m.groups(cost)
	}
	if m.grouped || m.once && gathers(m.next) {
		m.job.Pairs = m.pairs(cost)
	}
}
