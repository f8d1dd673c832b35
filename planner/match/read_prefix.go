package match

import (
	"slices"

	"github.com/motifql/motif/internal/pattern"
)

// giveCost is the work of giving a match to the operator above, in partial matches.
const giveCost = 8

// readOrder is an order for when matches that agree in the vertices of read may come as one, with their number. The search then
// lists matches up to the last vertex of read, and counts what follows. So a vertex that nobody reads should come late, but
// not where that makes more partial matches. prefix is the number of steps up to that vertex, or 0 if the last step binds it.
// A subgraph of a Distinct scope needs its whole match: then prefix is 0.
func (m *model) readOrder(read []int, all *pattern.Order) (o pattern.Order, prefix int) {
	if len(read) == 0 || m.large() || slices.ContainsFunc(m.p.Scopes, func(sc pattern.Scope) bool { return sc.Distinct }) {
		return o, 0
	}
	bound, free := m.divide()
	best := make([]int, len(all.Steps))
	first, rest := slices.Clone(bound), slices.Clone(free)
	for k, st := range all.Steps {
		best[k] = st.Vertex
		if slices.Contains(free, st.Vertex) && slices.Contains(read, st.Vertex) {
			first = append(first, st.Vertex)
			rest = slices.DeleteFunc(rest, func(w int) bool { return w == st.Vertex })
		}
	}
	cost := m.readCost(read, best)
	if seq := m.cheapest(first, rest); m.readCost(read, seq) < cost {
		best, cost = seq, m.readCost(read, seq)
	}
	for again := true; again; {
		again = false
		for _, u := range rest {
			seq := append(slices.DeleteFunc(slices.Clone(best), func(w int) bool { return w == u }), u)
			if c := m.readCost(read, seq); c < cost {
				best, cost, again = seq, c, true
			}
		}
	}
	if prefix = lastOf(read, best) + 1; prefix == len(best) {
		return o, 0
	}
	o, _ = m.order(best)
	return o, prefix
}

// lastOf is the place of the last vertex of read in a sequence.
func lastOf(read, seq []int) int {
	last := -1
	for i, u := range seq {
		if slices.Contains(read, u) {
			last = i
		}
	}
	return last
}

// readCost estimates the work of a sequence: the partial matches of all steps but the last, if that one is only counted, and the
// matches given.
func (m *model) readCost(read, seq []int) float64 {
	prefix := lastOf(read, seq) + 1
	cost := 0.0
	m.each(seq, func(step int, rows float64, free bool) {
		if free && (step < prefix || step+1 < len(seq)) {
			cost += rows
		}
		if step+1 == prefix {
			cost += giveCost * rows
		}
	})
	return cost
}
