package match

import (
	"slices"

	"github.com/motifql/motif/internal/pattern"
)

// prefixGain is how many times less work an order with the wanted vertices first must promise: some of their choices
// have no match, and cost a search to its end.
const prefixGain = 4

// prefixOrder is an order for when one match for each choice of the wanted vertices is enough. These come first, after
// the bound ones, and the search for a choice ends at its first match. Such a semi-join is less work than finding all
// matches where many of them agree in what is wanted. prefix is the number of steps up to the last wanted vertex, or 0
// where the order all, for all matches, is as good. Distinct scopes need all matches of a subgraph: they get 0.
func (m *model) prefixOrder(wanted []int, all *pattern.Order) (o pattern.Order, prefix int) {
	if len(wanted) == 0 || slices.ContainsFunc(m.p.Scopes, func(sc pattern.Scope) bool { return sc.Distinct }) {
		return o, 0
	}
	first, free := m.divide()
	for _, st := range all.Steps {
		if slices.Contains(wanted, st.Vertex) {
			first = append(first, st.Vertex)
			free = slices.DeleteFunc(free, func(u int) bool { return u == st.Vertex })
		}
	}
	cost, choices := m.run(first)
	if cost += choices * float64(len(free)); cost*prefixGain > all.Cost {
		return o, 0
	}
	o, _ = m.order(m.cheapest(first, free))
	o.Cost = cost
	return o, len(first)
}
