package match

import (
	"cmp"
	"math"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// Stage says who asks for a matching order, and so what is known about the candidates.
type Stage uint8

const (
	// Planned is the planner's stage: sizes are estimates from labels, statistics and conditions.
	Planned Stage = iota
	// Filtered is the execution's stage, once for all rows: sizes are what the filter has left.
	Filtered
	// Replanned is the join's stage, in the middle of a search that takes much longer than its order promised. Sizes are
	// those of Filtered, but the estimates have failed. OrderFor answers with the orders of the strategies that do not
	// rest on them, and the join tries each on a sample.
	Replanned
)

// Question is a pattern that needs a matching order.
type Question struct {
	Pattern  *pattern.Pattern
	Snapshot *csr.Snapshot
	Sizes    []float64 // candidates by query vertex; those of bound vertices are ignored
	Strategy pattern.OrderStrategy
	// Wanted lists the query vertices of which one match for each choice is enough; nil if every match counts. Only
	// Filtered looks at it.
	Wanted []int
	// Read lists the query vertices that somebody reads if matches that agree in them may come as one, with their number; nil if all
	// are read. Only Filtered looks at it.
	Read []int
	// Selectivity guesses which share of n matches predicate i lets pass, for Step.Expected; nil if nobody reads that.
	Selectivity func(i int, n float64) float64
}

// Answer is what OrderFor has chosen.
type Answer struct {
	Order    pattern.Order // the best one; none at Replanned
	Matches  float64       // expected, before symmetry is broken
	Symmetry []string      // how the symmetry of each scope is broken, for EXPLAIN; "" for scopes that are not Distinct
	// DistinctPrefix is for pattern.Job: the steps of Order that bind the wanted vertices, if that order promises less work.
	DistinctPrefix int
	ReadPrefix     int             // likewise: the steps of Order up to the last vertex that somebody reads, or 0
	Alternatives   []pattern.Order // the orders to try at Replanned
}

// OrderFor chooses the order in which the join extends partial matches. Bound vertices come first. Part by part of a
// disconnected pattern, each further vertex has an edge to an earlier one. Among these orders it takes the one with the
// fewest partial matches in all, as far as the estimates tell, or the one that the strategy of the caller's choice
// takes. It also breaks the symmetry of Distinct scopes where that can be done exactly; see symmetry.go and
// automorphism.go. For some long counts, the join replaces the order: compiler.reorder in join/compile_order.go.
func OrderFor(stage Stage, q *Question) Answer {
	m := newModel(q.Pattern, q.Snapshot, q.Sizes, stage != Planned)
	if stage == Replanned {
		var a Answer
		for _, strategy := range []pattern.OrderStrategy{pattern.OrderSmallest, pattern.OrderRI, pattern.OrderGraphQL} {
			o, _ := m.order(m.sequence(strategy))
			breakSymmetry(q.Pattern, q.Snapshot, &o)
			a.Alternatives = append(a.Alternatives, o)
		}
		return a
	}
	var a Answer
	a.Order, a.Matches = m.order(m.sequence(q.Strategy))
	if stage == Filtered {
		if o, prefix := m.prefixOrder(q.Wanted, &a.Order); prefix > 0 {
			a.Order, a.DistinctPrefix = o, prefix
		} else if o, prefix := m.readOrder(q.Read, &a.Order); prefix > 0 {
			a.Order, a.ReadPrefix = o, prefix
		}
	}
	a.Symmetry = breakSymmetry(q.Pattern, q.Snapshot, &a.Order)
	expect(q, &a.Order)
	return a
}

// FixedOrder is the order in which seq lists the query vertices, whatever OrderFor would choose. free leaves the constraints out that break
// the symmetry of Distinct scopes: each subgraph is then found once for each automorphism.
func FixedOrder(q *Question, seq []int, free bool) pattern.Order {
	o, _ := newModel(q.Pattern, q.Snapshot, q.Sizes, true).order(seq)
	breakSymmetry(q.Pattern, q.Snapshot, &o)
	for k := range o.Steps {
		if free {
			o.Steps[k].Less, o.Steps[k].Greater = nil, nil
		}
	}
	expect(q, &o)
	return o
}

// expect corrects the expected matches of each step by what its conditions and constraints take away. The order was chosen
// without that.
func expect(q *Question, o *pattern.Order) {
	at := make([]int, len(o.Steps))
	for k, st := range o.Steps {
		at[st.Vertex] = k
	}
	scale := func(from int, by float64) {
		for k := range o.Steps[from:] {
			o.Steps[from+k].Expected *= by
		}
	}
	for i := range q.Pattern.Predicates {
		p := &q.Pattern.Predicates[i]
		if _, single := p.Single(); single || p.Equal != nil || q.Selectivity == nil { // the order reckoned with equalities
			continue
		}
		last := 0
		for _, u := range p.Vertices {
			last = max(last, at[u])
		}
		for _, e := range p.Edges {
			last = max(last, at[q.Pattern.Edges[e].From], at[q.Pattern.Edges[e].To])
		}
		scale(last, q.Selectivity(i, o.Steps[last].Expected))
	}
	for i, c := range o.Chains {
		var constrained []int // steps of the scope, once for each constraint
		for k, st := range o.Steps {
			if n := len(st.Less) + len(st.Greater); n > 0 && slices.Contains(q.Pattern.Scopes[i].Vertices, st.Vertex) {
				constrained = append(constrained, slices.Repeat([]int{k}, n)...)
			}
		}
		for _, k := range constrained { // in equal parts: together they leave one of all arrangements
			scale(k, math.Pow(c.Size(), -1/float64(len(constrained))))
		}
	}
}

// Up to exactVertices free vertices, every connected order from one of the best starts is weighed. A larger pattern gets
// one order from each of them. More starts gave worse orders: the smallest estimate of many is usually the most
// mistaken one. For the dense labelled queries on yeast (Sun and Luo 2020) with 8, 16 and 32 vertices, these orders
// visit 1.1, 0.6 and 0.4 times the partial embeddings of the order by candidate set size alone (geometric means over
// 60 queries each), and 0.6 times on wordnet with 8.
const (
	exactVertices = 10
	bestStarts    = 3
)

// sequence lists the query vertices in the order of a strategy. Distinct scopes make no difference to it.
func (m *model) sequence(strategy pattern.OrderStrategy) []int {
	bound, free := m.divide()
	if m.large() {
		return m.quick(bound, free)
	}
	if strategy == pattern.OrderAuto || strategy == pattern.OrderCost {
		return m.cheapest(bound, free)
	}
	return m.byStrategy(bound, free, strategy)
}

// cheapest is the cheapest sequence that begins with the vertices of first.
func (m *model) cheapest(first, free []int) []int {
	switch {
	case len(free) == 0:
		return first
	case len(free) <= exactVertices:
		return m.exact(first, free)
	}
	return m.greedy(first, free)
}

// order makes an order of a sequence and estimates its matches.
func (m *model) order(seq []int) (o pattern.Order, matches float64) {
	o.Steps = pattern.StepsOf(m.p, seq)
	m.each(seq, func(step int, rows float64, _ bool) { o.Steps[step].Expected = rows })
	o.Cost, matches = m.run(seq)
	return o, matches
}

// divide lists the bound and the free vertices.
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

// run estimates how many partial matches of all lengths a sequence visits, and how many reach the end.
func (m *model) run(seq []int) (cost, matches float64) {
	matches = 1
	m.each(seq, func(_ int, rows float64, free bool) {
		if matches = rows; free {
			cost = min(cost+rows, math.MaxFloat64)
		}
	})
	return cost, matches
}

// each calls f with the expected partial matches after every step. Relationships between bound vertices are likely to
// be there, so that bound vertices change nothing.
func (m *model) each(seq []int, f func(step int, rows float64, free bool)) {
	placed := make([]bool, len(m.p.Vertices))
	rows := 1.0
	for i, u := range seq {
		free := !m.p.Vertices[u].Bound
		if free {
			rows = min(rows*m.extension(placed, u), math.MaxFloat64)
		}
		f(i, rows, free)
		placed[u] = true
	}
}

// next lists the free vertices that may follow: the ones with an edge to a placed vertex or, without such an edge, all.
func (m *model) next(placed []bool, free []int) []int {
	return m.nextIn(make([]int, 2*len(free)), placed, free)
}

// nextIn is next with room for twice as many vertices as there are in free.
func (m *model) nextIn(room []int, placed []bool, free []int) []int {
	open, joined := room[:0:len(free)], room[len(free):len(free)]
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
// one of the best starts the cheapest is kept. A set that costs more than a whole order found quickly leads to no cheaper one,
// so exact does not go on from it.
func (m *model) exact(bound, free []int) []int {
	limit := math.MaxFloat64
	if len(free) >= leastBounded {
		placed := make([]bool, len(m.p.Vertices))
		mark(placed, bound, nil, 0)
		quick := m.grow(placed, bound, free, m.starts(placed, free)[0])
		if limit, _ = m.run(quick); m.filtered && limit <= cheapSearch {
			return quick
		}
	}
	seq := m.within(bound, free, limit)
	if seq == nil { // rarely: the cheapest way to each set of the quick order leaves more matches than the quick order
		seq = m.within(bound, free, math.MaxFloat64)
	}
	if seq == nil {
		return m.greedy(bound, free) // an estimate is not a number
	}
	return seq
}

// cheapSearch is the number of expected partial matches up to which a search takes less time than to weigh all orders.
const cheapSearch = 128

// leastBounded is the number of free vertices from which on a quick order pays, as a bound.
const leastBounded = 5

// within is exact among the sets that cost at most limit; nil if no order does.
func (m *model) within(bound, free []int, limit float64) []int {
	type state struct {
		cost, rows float64
		last       int // index into free
	}
	states := make([]state, 1<<len(free))
	for i := range states {
		states[i].cost = math.Inf(1)
	}
	states[0] = state{rows: 1}
	index := make([]int, len(m.p.Vertices)) // into free
	for i, u := range free {
		index[u] = i
	}
	placed, room := make([]bool, len(m.p.Vertices)), make([]int, 2*len(free))
	for mask := range states {
		from := states[mask]
		if from.cost > limit {
			continue
		}
		mark(placed, bound, free, mask)
		next := m.nextIn(room, placed, free)
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
	if states[len(states)-1].cost > limit {
		return nil
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
		best = m.cheaper(best, m.grow(placed, bound, free, start))
	}
	return best
}

// grow is the order that begins with the vertices of bound, which are placed, and start, and goes on with the fewest embeddings.
func (m *model) grow(placed []bool, bound, free []int, start int) []int {
	g := growth{model: m, placed: placed, seq: append(make([]int, 0, len(placed)), bound...), fits: make([]fit, len(placed))}
	g.place(start)
	for len(g.seq) < len(placed) {
		g.place(g.fewest(free))
	}
	return g.seq
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

// place appends u. That changes the extensions of its neighbours. It also changes those of its placed neighbours'
// neighbours, whose crowd factor is another now.
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
