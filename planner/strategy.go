package planner

import (
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// OrderBy is MatchingOrder by a strategy of the caller's choice.
func OrderBy(strategy pattern.OrderStrategy, p *pattern.Pattern, s *csr.Snapshot, sizes []float64) pattern.Order {
	o, _ := orderBy(strategy, newModel(p, s, sizes, true))
	breakSymmetry(p, s, &o)
	return o
}

// OtherOrders lists the orders by the strategies that OrderAuto does not ask, for a search whose own turns out to be bad.
func OtherOrders(p *pattern.Pattern, s *csr.Snapshot, sizes []float64) (orders []pattern.Order) {
	for _, strategy := range []pattern.OrderStrategy{pattern.OrderSmallest, pattern.OrderRI, pattern.OrderGraphQL} {
		orders = append(orders, OrderBy(strategy, p, s, sizes))
	}
	return orders
}

// orderBy also gives the estimated number of matches; Distinct is not looked at.
func orderBy(strategy pattern.OrderStrategy, m *model) (o pattern.Order, matches float64) {
	if strategy == pattern.OrderAuto || strategy == pattern.OrderCost {
		return matchingOrder(m)
	}
	bound, free := m.divide()
	seq := m.step(bound, free, strategy)
	cost, matches := m.run(seq)
	return pattern.Order{Steps: steps(m.p, seq), Cost: cost}, matches
}

// step takes one vertex after the other, always one that is connected where there is one: the one whose key is the
// smallest, by number where keys are equal.
func (m *model) step(bound, free []int, strategy pattern.OrderStrategy) []int {
	placed := make([]bool, len(m.p.Vertices))
	mark(placed, bound, nil, 0)
	seq := slices.Clone(bound)
	for len(seq) < len(m.p.Vertices) {
		next := m.next(placed, free)
		best, least := -1, []float64(nil)
		for _, u := range next {
			if key := m.key(strategy, placed, u); best < 0 || slices.Compare(key, least) < 0 {
				best, least = u, key
			}
		}
		placed[best] = true
		seq = append(seq, best)
	}
	return seq
}

// key is what a strategy wants small of the next vertex, the most important first.
func (m *model) key(strategy pattern.OrderStrategy, placed []bool, u int) []float64 {
	switch strategy {
	case pattern.OrderRI:
		return m.riKey(placed, u)
	case pattern.OrderGraphQL:
		rows := m.size[u] * m.self[u]
		for _, i := range m.near[u] {
			if placed[m.other(i, u)] {
				rows *= min(1, m.edgeChance(i))
			}
		}
		return []float64{rows}
	}
	return []float64{m.size[u]}
}

// riKey is RI's score, each part negated: neighbours that are placed; placed vertices that share a neighbour with u which
// is not placed; and neighbours of u that neither are placed nor have a placed neighbour. The degree decides at the start.
func (m *model) riKey(placed []bool, u int) []float64 {
	visited, shared, open, met := 0.0, map[int]bool{}, 0.0, map[int]bool{u: true}
	for _, i := range m.near[u] {
		w := m.other(i, u)
		if met[w] {
			continue
		}
		met[w] = true
		if placed[w] {
			visited++
			continue
		}
		alone := true
		for _, k := range m.near[w] {
			if x := m.other(k, w); placed[x] {
				shared[x], alone = true, false
			}
		}
		if alone {
			open++
		}
	}
	return []float64{-visited, -float64(len(shared)), -open, m.size[u]}
}

// edgeChance is the probability that a pair of vertices with the labels of edge i's ends is joined.
func (m *model) edgeChance(i int) float64 {
	e := &m.p.Edges[i]
	return share(m.rels[i], m.base[e.From]*m.base[e.To])
}
