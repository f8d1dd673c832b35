package planner

import (
	"cmp"
	"math"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// Up to exactVertices free vertices every connected order is weighed, up to greedyVertices one from every start.
const (
	exactVertices  = 10
	greedyVertices = 12
)

// MatchingOrder finds the order in which the join extends embeddings of p, given how many candidates each query
// vertex has: the bound vertices first, then, part by part of a disconnected pattern, always a vertex with an
// edge to those before it, with as few partial embeddings in all as the estimates allow. It also breaks the
// symmetry of Distinct scopes where that can be done exactly; see symmetry.go.
func MatchingOrder(p *pattern.Pattern, s *csr.Snapshot, sizes []float64) pattern.Order {
	o, _ := matchingOrder(newModel(p, s, sizes))
	breakSymmetry(p, s, &o)
	return o
}

// matchingOrder also gives the estimated number of matches; Distinct is not looked at.
func matchingOrder(m *model) (o pattern.Order, matches float64) {
	p := m.p
	var bound, free []int
	for u := range p.Vertices {
		if p.Vertices[u].Bound {
			bound = append(bound, u)
		} else {
			free = append(free, u)
		}
	}
	var seq []int
	switch {
	case len(free) <= exactVertices:
		seq = m.exact(bound, free)
	case len(free) <= greedyVertices:
		seq = m.everyStart(bound, free)
	default:
		seq = m.cheaper(m.structural(bound, free, mostBackward), m.structural(bound, free, fewestCandidates))
	}
	cost, matches := m.run(seq)
	return pattern.Order{Steps: steps(p, seq), Cost: cost}, matches
}

// steps gives every vertex of seq its backward edges.
func steps(p *pattern.Pattern, seq []int) []pattern.Step {
	at := make([]int, len(seq))
	out := make([]pattern.Step, len(seq))
	for i, u := range seq {
		at[u], out[i].Vertex = i, u
	}
	for i := range p.Edges {
		last := max(at[p.Edges[i].From], at[p.Edges[i].To])
		out[last].Backward = append(out[last].Backward, i)
	}
	return out
}

// run estimates the partial embeddings of all lengths that an order visits, and how many reach the end.
func (m *model) run(seq []int) (cost, rows float64) {
	placed := make([]bool, len(m.p.Vertices))
	rows = 1
	for _, u := range seq {
		if !m.p.Vertices[u].Bound { // relationships between bound vertices are likely to be there
			rows = min(rows*m.extension(placed, u), math.MaxFloat64)
			cost = min(cost+rows, math.MaxFloat64)
		}
		placed[u] = true
	}
	return cost, rows
}

// next lists the free vertices that may follow: those with an edge to a placed one, or all if there is none.
func (m *model) next(placed []bool, free []int) []int {
	var open, joined []int
	for _, u := range free {
		if placed[u] {
			continue
		}
		open = append(open, u)
		if m.connected(placed, u) {
			joined = append(joined, u)
		}
	}
	if len(joined) > 0 {
		return joined
	}
	return open
}

// exact is dynamic programming over the sets of placed free vertices: of all connected orders that reach a set the
// cheapest is kept.
func (m *model) exact(bound, free []int) []int {
	type state struct {
		cost, rows float64
		last       int // index into free
	}
	states := make([]state, 1<<len(free))
	for i := range states {
		states[i].cost = math.Inf(1)
	}
	states[0] = state{rows: 1}
	index := make(map[int]int, len(free))
	for i, u := range free {
		index[u] = i
	}
	placed := make([]bool, len(m.p.Vertices))
	for mask := range states {
		from := states[mask]
		if math.IsInf(from.cost, 1) {
			continue // no connected order reaches it
		}
		mark(placed, bound, free, mask)
		for _, u := range m.next(placed, free) {
			i := index[u]
			rows := min(from.rows*m.extension(placed, u), math.MaxFloat64)
			cost := min(from.cost+rows, math.MaxFloat64)
			if to := &states[mask|1<<i]; cost < to.cost {
				*to = state{cost, rows, i}
			}
		}
	}
	seq := make([]int, len(free))
	for mask, k := len(states)-1, len(free)-1; k >= 0; k-- {
		seq[k] = free[states[mask].last]
		mask &^= 1 << states[mask].last
	}
	return append(slices.Clone(bound), seq...)
}

func mark(placed []bool, bound, free []int, mask int) {
	clear(placed)
	for _, u := range bound {
		placed[u] = true
	}
	for i, u := range free {
		placed[u] = mask>>i&1 != 0
	}
}

// everyStart extends greedily by the cheapest vertex, from every possible first one, and takes the cheapest order.
func (m *model) everyStart(bound, free []int) []int {
	var best []int
	placed := make([]bool, len(m.p.Vertices))
	mark(placed, bound, nil, 0)
	for _, start := range m.next(placed, free) {
		mark(placed, bound, nil, 0)
		placed[start] = true
		seq := append(slices.Clone(bound), start)
		for len(seq) < len(m.p.Vertices) {
			u := slices.MinFunc(m.next(placed, free), func(a, b int) int {
				return cmp.Compare(m.extension(placed, a), m.extension(placed, b))
			})
			placed[u] = true
			seq = append(seq, u)
		}
		best = m.cheaper(best, seq)
	}
	return best
}

// cheaper returns the cheaper order, a if they cost the same; nil is no order.
func (m *model) cheaper(a, b []int) []int {
	if a == nil {
		return b
	}
	before, _ := m.run(a)
	if after, _ := m.run(b); after < before {
		return b
	}
	return a
}

// structural is for patterns with so many vertices that estimates of whole prefixes mean little. It starts at a
// vertex with many edges and few candidates and goes on as less says among the vertices joined to what is placed;
// leaves, which only multiply, come last in their part (Bonnici 2013, He and Singh 2008, Sun and Luo 2020).
func (m *model) structural(bound, free []int, less func(m *model, placed []bool, a, b int) int) []int {
	seq := slices.Clone(bound)
	placed := make([]bool, len(m.p.Vertices))
	mark(placed, bound, nil, 0)
	for len(seq) < len(m.p.Vertices) {
		next := m.next(placed, free)
		if inner := slices.DeleteFunc(slices.Clone(next), m.leaf); len(inner) > 0 {
			next = inner
		}
		u := slices.MinFunc(next, func(a, b int) int {
			if !m.connected(placed, a) { // a new part begins
				return cmp.Compare(m.size[a]/float64(1+len(m.near[a])), m.size[b]/float64(1+len(m.near[b])))
			}
			return less(m, placed, a, b)
		})
		placed[u] = true
		seq = append(seq, u)
	}
	return seq
}

// leaf reports whether u has exactly one neighbour.
func (m *model) leaf(u int) bool {
	if len(m.near[u]) == 0 {
		return false
	}
	w := m.other(m.near[u][0], u)
	return !slices.ContainsFunc(m.near[u], func(i int) bool { return m.other(i, u) != w })
}

// mostBackward prefers the vertex with the most edges to placed ones, then the one with fewer candidates.
func mostBackward(m *model, placed []bool, a, b int) int {
	return cmp.Or(cmp.Compare(m.backward(placed, b), m.backward(placed, a)), cmp.Compare(m.size[a], m.size[b]))
}

// fewestCandidates prefers the vertex with the fewest candidates, then the one with more edges to placed ones.
func fewestCandidates(m *model, placed []bool, a, b int) int {
	return cmp.Or(cmp.Compare(m.size[a], m.size[b]), cmp.Compare(m.backward(placed, b), m.backward(placed, a)))
}

func (m *model) backward(placed []bool, u int) int {
	n := 0
	for _, i := range m.near[u] {
		if placed[m.other(i, u)] {
			n++
		}
	}
	return n
}
