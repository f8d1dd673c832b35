package planner

import (
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// OnceOrder is an order for when one match for each choice of the wanted vertices is enough: those come first, after
// the bound ones, and the search for a choice can end at its first match. Such a semi-join is less work than
// finding all matches where many of them agree in what is wanted; worth says whether that is expected, given an order for
// all matches. DISTINCT scopes look at all matches of a subgraph and cannot do so.
func OnceOrder(p *pattern.Pattern, s *csr.Snapshot, sizes []float64, wanted []int, all pattern.Order) (o pattern.Order, worth bool) {
	if len(wanted) == 0 || slices.ContainsFunc(p.Scopes, func(sc pattern.Scope) bool { return sc.Distinct }) {
		return o, false
	}
	m := newModel(p, s, sizes, true)
	first, free := m.divide()
	for _, st := range all.Steps {
		if slices.Contains(wanted, st.Vertex) {
			first = append(first, st.Vertex)
			free = slices.DeleteFunc(free, func(u int) bool { return u == st.Vertex })
		}
	}
	prefix, choices := m.run(first)
	cost := prefix + choices*float64(len(free))
	if cost*onceGain > all.Cost {
		return o, false
	}
	seq := first
	switch {
	case len(free) == 0:
	case len(free) <= exactVertices:
		seq = m.exact(first, free)
	default:
		seq = m.greedy(first, free)
	}
	return pattern.Order{Steps: steps(p, seq), Cost: cost, Symmetric: make([]bool, len(p.Scopes)), Chains: make([]pattern.Chain, len(p.Scopes))}, true
}

// onceGain is how many times less work an order with the wanted vertices first must promise: some of their choices will have
// no match, and take a search to the end.
const onceGain = 4
