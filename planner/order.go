package planner

import (
	"cmp"
	"math"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// Up to exactVertices free vertices every connected order from one of the best starts is weighed; for larger patterns
// one order from each of them. More starts gave worse orders: the smallest estimate of many is as a rule the most
// mistaken one. For the dense labelled queries on yeast (Sun and Luo 2020) with 8, 16 and 32 vertices, these orders
// visit 1.1, 0.6 and 0.4 times the partial embeddings of the order by candidate set size alone (geometric means over
// 60 queries each), and 0.6 times on wordnet with 8.
const (
	exactVertices = 10
	bestStarts    = 3
)

// MatchingOrder finds the order in which the join extends embeddings of p, given how many candidates each query
// vertex has: the bound vertices first, then, part by part of a disconnected pattern, always a vertex with an
// edge to those before it, with as few partial embeddings in all as the estimates allow. It also breaks the
// symmetry of Distinct scopes where that can be done exactly; see symmetry.go.
func MatchingOrder(p *pattern.Pattern, s *csr.Snapshot, sizes []float64) pattern.Order {
	return OrderBy(pattern.OrderAuto, p, s, sizes)
}

// matchingOrder also gives the estimated number of matches; Distinct is not looked at.
func matchingOrder(m *model) (o pattern.Order, matches float64) {
	bound, free := m.divide()
	seq := bound
	switch {
	case len(free) == 0:
	case len(free) <= exactVertices:
		seq = m.exact(bound, free)
	default:
		seq = m.greedy(bound, free)
	}
	cost, matches := m.run(seq)
	return pattern.Order{Steps: steps(m.p, seq), Cost: cost}, matches
}

// divide lists the vertices that are bound and those that are free.
func (m *model) divide() (bound, free []int) {
	for u := range m.p.Vertices {
		if m.p.Vertices[u].Bound {
			bound = append(bound, u)
		} else {
			free = append(free, u)
		}
	}
	return bound, free
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

// starts lists the best vertices to start with: those with few candidates and many edges.
func (m *model) starts(placed []bool, free []int) []int {
	next := m.next(placed, free)
	slices.SortStableFunc(next, func(a, b int) int {
		return cmp.Compare(m.size[a]/float64(1+len(m.near[a])), m.size[b]/float64(1+len(m.near[b])))
	})
	return next[:min(len(next), bestStarts)]
}

// exact is dynamic programming over the sets of placed free vertices: of all connected orders that reach a set from
// one of the best starts the cheapest is kept.
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
		next := m.next(placed, free)
		if mask == 0 {
			next = m.starts(placed, free)
		}
		for _, u := range next {
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

// greedy goes on from each of the best starts with the vertex that leaves the fewest embeddings, and takes the
// cheapest of the orders.
func (m *model) greedy(bound, free []int) []int {
	var best []int
	placed := make([]bool, len(m.p.Vertices))
	mark(placed, bound, nil, 0)
	for _, start := range m.starts(placed, free) {
		mark(placed, bound, nil, 0)
		g := growth{model: m, placed: placed, seq: slices.Clone(bound), fits: make([]fit, len(placed))}
		g.place(start)
		for len(g.seq) < len(placed) {
			g.place(g.fewest(free))
		}
		best = m.cheaper(best, g.seq)
	}
	return best
}

// growth is an order that grows. It keeps what each vertex would do next until a vertex is placed that has a say in it.
type growth struct {
	*model
	placed []bool
	seq    []int
	fits   []fit
}

// fit is a vertex as the next one.
type fit struct {
	known, joined bool
	extension     float64
}

// place appends u. It changes its neighbours' extensions, and those of its placed neighbours' neighbours, of which there is
// another crowd now.
func (g *growth) place(u int) {
	g.placed[u] = true
	g.seq = append(g.seq, u)
	for _, i := range g.near[u] {
		w := g.other(i, u)
		g.fits[w].known = false
		if g.placed[w] {
			for _, k := range g.near[w] {
				g.fits[g.other(k, w)].known = false
			}
		}
	}
}

// fewest is the first of the vertices that may come next whose extension is smallest.
func (g *growth) fewest(free []int) int {
	best, joined := -1, false
	for _, u := range free {
		if g.placed[u] {
			continue
		}
		f := &g.fits[u]
		if !f.known {
			*f = fit{true, g.connected(g.placed, u), g.extension(g.placed, u)}
		}
		switch {
		case joined && !f.joined:
		case best < 0 || f.joined && !joined || f.extension < g.fits[best].extension:
			best, joined = u, f.joined
		}
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
