package join

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/motifql/motif/internal/pattern"
)

// The order of a long count. The planner chooses a matching order that keeps partial embeddings few. A count need not visit them
// all, and the memo spares some orders much more than others. In a cycle a-b-c-d-e taken in this order, all that follows c
// depends on a and c. Taken as b-a-c-d-e, what follows d depends on c and d, and the same pairs come up again for every b
// that leads to c. Symmetry-breaking constraints tie vertices together, too; a count can do without them and divide in the
// end. So before a long count, the compiler weighs all orders once more, with their memos: roughly at first, and the best
// of them as they would really run.

const (
	maxReordered = 6 // vertices of the largest pattern whose orders are weighed
	finalists    = 8 // orders that are weighed as they would run
)

// reorder looks for an order in which a count takes much less work. It reports whether the steps must be built anew, in the order
// that c.order then has.
func (c *compiler) reorder() bool {
	n := len(c.steps)
	if c.keepOrder || len(c.byValue.exact) > 0 || c.emit || c.enumerate || c.root > 0 || n < 3 || n > maxReordered || slices.ContainsFunc(c.steps, func(st step) bool { return st.weighs }) {
		return false
	}
	constrained := slices.ContainsFunc(c.steps, func(st step) bool { return st.bounded() })
	divisor := uint64(1)
	if constrained {
		var ok bool
		if divisor, ok = c.matchesEach(); !ok {
			return false
		}
	}
	m := newOrderModel(c)
	c.planMemory()
	given, best := c.order, m.weigh(c)
	c.cost, c.costInElements = best, true
	if best < reorderCost || !m.mayRemember() {
		return false
	}
	m.try(partial{visits: []float64{1}})
	order := given
	best /= reorderGain
	for _, f := range m.best {
		c.order = pattern.StepsOf(c.p, f.seq)
		c.build()
		c.planMemory()
		if cost := m.weigh(c); cost < best {
			best, order, c.cost = cost, c.order, cost
		}
	}
	c.order = order
	if &order[0] != &given[0] && constrained {
		c.divisor = divisor
	}
	return true
}

// orderModel estimates the work of counting in some order.
type orderModel struct {
	size     []float64      // candidates, by query vertex
	lists    [][]listLength // by query vertex and neighbour in the pattern
	adjacent []uint64       // neighbours in the pattern
	links    []uint64       // vertices on which it depends if it comes second, even if only to differ
	heavy    []bool

	best []partial // orders, the cheapest first
}

// listLength is how many candidates of one vertex are neighbours of a candidate of another: the mean over the latter, and the mean at
// the end of an edge, which leads to vertices of many neighbours more often.
type listLength struct{ mean, atEdge float64 }

// at returns the length to expect at step k. At the second one, lists are those of all candidates of the first.
func (l listLength) at(k int) float64 {
	if k == 1 {
		return l.mean
	}
	return l.atEdge
}

func newOrderModel(c *compiler) *orderModel {
	n := len(c.steps)
	m := &orderModel{size: make([]float64, n), adjacent: make([]uint64, n), links: make([]uint64, n), heavy: make([]bool, n)}
	for u := range n {
		st := &c.steps[c.pos[u]]
		m.size[u], m.heavy[u] = float64(st.set.Len()), st.verifies
		m.lists = append(m.lists, make([]listLength, n))
	}
	link := func(of []uint64, u, w int) {
		of[u] |= 1 << w
		of[w] |= 1 << u
	}
	for i := range c.p.Edges {
		if e := &c.p.Edges[i]; e.From != e.To {
			link(m.adjacent, e.From, e.To)
			link(m.links, e.From, e.To)
			m.lists[e.From][e.To] = c.sampleLists(i, e.From, e.To)
			m.lists[e.To][e.From] = c.sampleLists(i, e.To, e.From)
		}
	}
	for k := range c.steps {
		st := &c.steps[k]
		for _, r := range st.inducedRules {
			link(m.links, st.u, r.from)
		}
		for _, q := range st.preds {
			for _, w := range q.Vertices {
				if w != st.u {
					link(m.links, st.u, w)
				}
			}
		}
	}
	return m
}

// listSample is how many candidates' lists an estimate looks at.
const listSample = 128

// sampleLists looks at lists of edge i that lead from candidates of u to those of w.
func (c *compiler) sampleLists(i, u, w int) listLength {
	from, to := c.steps[c.pos[u]].set, &c.steps[c.pos[w]]
	view := c.views.Of(c.p.Edges[i].Types, seenFrom(&c.p.Edges[i], u))
	n, list := min(listSample, from.Len()), from.List()
	sum, squares := 0.0, 0.0
	for k := range n {
		length := 0.0
		for _, v := range view.Neighbours(list[k*len(list)/n]) {
			if to.has(v) {
				length++
			}
		}
		sum += length
		squares += length * length
	}
	return listLength{mean: max(sum, 1) / float64(n), atEdge: max(squares, 1) / max(sum, 1)}
}

// mayRemember reports whether some step could keep a number: some vertex does not depend on all others.
func (m *orderModel) mayRemember() bool {
	return slices.ContainsFunc(m.links, func(l uint64) bool { return bits.OnesCount64(l) < len(m.links)-1 })
}

// partial is an order begun, with its estimates.
type partial struct {
	seq     []int
	members uint64
	visits  []float64 // by step: how often the search comes to it
	lists   float64   // the list elements in the last step's part of cost
	cost    float64
}

// stepTraits is what an order makes of a step.
type stepTraits struct {
	memo     memoPlan
	together bool    // the candidates are counted at once
	scatters bool    // scatterCounts fills the table
	sums     bool    // the step before sums the table up
	share    float64 // part of the choices that symmetry leaves
}

// togetherCost is the cost of a list element that is only counted, in terms of one that is searched below.
const togetherCost = 0.25

// add extends p by query vertex u.
func (m *orderModel) add(p partial, u int, t stepTraits) partial {
	k := len(p.seq)
	visits := p.visits[k]
	expanded := visits
	switch t.memo.kind {
	case memoOne:
		expanded = p.visits[t.memo.dep+1]
	case memoMany:
		times := max(1, p.visits[t.memo.dep+1])
		expanded = times * min(m.size[p.seq[t.memo.key]], visits/times)
	}
	list, fixed, back := m.size[u], m.size[u], 0 // fixed: without the memo's key, if it is a neighbour
	for i, w := range p.seq {
		if m.adjacent[u]>>w&1 == 0 {
			continue
		}
		back++
		list = min(list, m.lists[w][u].at(k))
		if i != t.memo.key {
			fixed = min(fixed, m.lists[w][u].at(t.memo.dep+1))
		}
	}
	choices := list * t.share * math.Pow(list/max(1, m.size[u]), float64(max(0, back-1)))
	work, next := visits+expanded*list, expanded*choices
	if t.together {
		work, next = visits+expanded*list*togetherCost, expanded*min(1, choices)
	}
	if t.scatters {
		table := p.visits[t.memo.dep+1] * fixed * m.lists[u][p.seq[t.memo.key]].atEdge
		if work = min(work, visits+table); t.sums {
			work = min(work, table-p.lists*(1-togetherCost))
		}
	}
	return partial{append(slices.Clip(p.seq), u), p.members | 1<<u, append(slices.Clip(p.visits), next), expanded * list, p.cost + work}
}

// weigh estimates the work of the order that c has built, as it would run.
func (m *orderModel) weigh(c *compiler) float64 {
	p := partial{visits: []float64{1}}
	for k := range c.steps {
		st := &c.steps[k]
		p = m.add(p, st.u, stepTraits{
			memo: st.memo, together: st.countable && !st.verifies && (st.noDependents || k+1 == len(c.steps)), scatters: st.scatters,
			sums: k > 0 && c.steps[k-1].sumsScatter, share: math.Pow(0.5, float64(len(st.less)+len(st.greater))),
		})
	}
	return p.cost
}

// guess says what the order p is likely to make of its next step u.
func (m *orderModel) guess(p partial, u int) stepTraits {
	k, t := len(p.seq), stepTraits{share: 1}
	outer := uint64(0) // positions of vertices that some later one depends on
	for i, w := range p.seq {
		if m.links[w]&^p.members != 0 {
			outer |= 1 << i
		}
	}
	if outer != 0 {
		t.memo = memoFor(outer, k, 0)
	}
	t.together = m.links[u]&^(p.members|1<<u) == 0 && !m.heavy[u]
	t.scatters = t.memo.kind == memoMany && k+1 == len(m.size) && bits.OnesCount64(m.adjacent[u]&p.members) > 1 && !m.heavy[u]
	t.sums = t.scatters && t.memo.key == k-1 && !m.heavy[p.seq[k-1]]
	return t
}

// try goes through the orders that begin with p and stay connected where they can, and keeps the best.
func (m *orderModel) try(p partial) {
	if len(m.best) == finalists && p.cost >= m.best[finalists-1].cost {
		return
	}
	if len(p.seq) == len(m.size) {
		m.best = append(m.best[:min(len(m.best), finalists-1)], p)
		slices.SortStableFunc(m.best, func(a, b partial) int { return cmp.Compare(a.cost, b.cost) })
		return
	}
	open := uint64(0)
	for _, u := range p.seq {
		open |= m.adjacent[u] &^ p.members
	}
	if open == 0 {
		open = (1<<len(m.size) - 1) &^ p.members
	}
	for ; open != 0; open &= open - 1 {
		u := bits.TrailingZeros64(open)
		m.try(m.add(p, u, m.guess(p, u)))
	}
}
