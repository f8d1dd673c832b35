package hom

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// rowsPlan is the neighbour lists between two sets with the weights of the pairs, built on demand.
type rowsPlan struct {
	key        string
	from, to   int
	factors    []factorPlan
	inUse      bool
	shared     bool    // more than one part of the plan reads the lists
	edges      float64 // estimate: list elements in all
	meanLength float64 // estimate: elements of the list of a vertex reached along an edge
	ready      bool
	lo         csr.VertexID
	offsets    []uint64
	targets    []csr.VertexID
	weights    []uint64 // nil: all 1
	lengths    []uint64 // sums of weights, by list
	heaviest   uint64
	tips       []tip // that weigh on the pairs
	tipPrice   float64
	stage      int // number of stages of passes that come first
	byRank     *lists
}

// factorPlan is a factor seen from the vertex that has the list.
type factorPlan struct {
	*pattern.Factor
	view      *csr.Adjacency
	direction csr.Direction
}

func (h *Counter) size(set int) float64 {
	if n, ok := h.sizes[set]; ok {
		return n
	}
	if h.sets[set] == nil {
		return float64(h.s.N())
	}
	return float64(h.sets[set].Len())
}

// whole reports whether a set has all vertices.
func (h *Counter) whole(set int) bool {
	_, estimated := h.sizes[set]
	return h.sets[set] == nil && !estimated
}

// newRows returns rows with estimates: a list keeps the share of its vertices that the set has of all vertices.
func (h *Counter) newRows(key string, from, to int, factors []pattern.Factor, v int) *rowsPlan {
	r := &rowsPlan{key: key, from: from, to: to, edges: math.MaxFloat64, meanLength: math.MaxFloat64}
	n := max(1, float64(h.s.N()))
	for i := range factors {
		dir := csr.In
		switch {
		case factors[i].Undirected:
			dir = csr.Both
		case factors[i].From == v:
			dir = csr.Out
		}
		f := factorPlan{&factors[i], h.s.Adjacency(factors[i].Types, dir), dir}
		r.factors = append(r.factors, f)
		r.edges = min(r.edges, float64(f.view.Len())*h.size(from)/n*h.size(to)/n)
		r.meanLength = min(r.meanLength, f.view.MeanNeighbourDegree()*h.size(to)/n)
	}
	return r
}

// plain reports whether the lists equal those of a view.
func (r *rowsPlan) plain(h *Counter) bool {
	f := &r.factors[0]
	return len(r.factors) == 1 && len(r.tips) == 0 && h.whole(r.to) && (f.Loops || f.view.Loops == 0) && f.unit()
}

// unit reports whether every adjacent pair weighs 1. A view of a changed graph may have numbers of relationships that are all 1, or none, by
// what was asked before the change. A process must not plan by that, or its shares would be others than a second one's.
func (f *factorPlan) unit() bool {
	if len(f.Falls) == 0 {
		return true
	}
	if f.Falls[len(f.Falls)-1] != 1 {
		return false
	}
	if f.view.Counts == nil {
		return true
	}
	p := f.view.Parallel()
	return p != nil && len(p.Targets) == 0
}

// price returns the cost of building the lists; 0 if a plan uses them already.
func (r *rowsPlan) price(h *Counter) float64 {
	if r.inUse || r.plain(h) {
		return 0
	}
	return 2*r.edges + h.size(r.from) + r.tipPrice
}

// take marks the lists as in use and returns their price.
func (h *Counter) take(r *rowsPlan) float64 {
	price := r.price(h)
	if r.inUse {
		h.set(&r.shared)
	} else {
		for i := range r.tips {
			price += h.take(r.tips[i].near) + h.take(r.tips[i].far) + h.takeStatic(r.tips[i].own)
		}
	}
	h.set(&r.inUse)
	return price
}

// set sets a flag until undo.
func (h *Counter) set(flag *bool) {
	if !*flag {
		*flag = true
		h.log = append(h.log, flag)
	}
}

// weightPlan is the weight of every vertex of a set, independent of other vertices.
type weightPlan struct {
	key   string
	set   int
	parts []partPlan
	stage int // number of stages of passes that come first
	ready bool
	inUse bool
	wider bool     // something other than roots may have it
	each  []uint64 // by vertex; nil: all 1
	most  uint64
}

// partPlan is a factor of a weight: the number of ways to choose loops, a neighbour below, or a block.
type partPlan struct {
	key   string
	stage int
	loops *pattern.Factor
	rows  *rowsPlan
	child *weightPlan
	block *outputPlan
}

// static returns the weight with the given parts, for any use.
func (h *Counter) static(set int, parts []partPlan) *weightPlan {
	w := rootWeight(h, set, parts)
	w.wider = true
	return w
}

// rootWeight returns the weight with the given parts, for a root.
func rootWeight(h *Counter, set int, parts []partPlan) *weightPlan {
	parts = slices.Clone(parts)
	slices.SortFunc(parts, func(a, b partPlan) int { return strings.Compare(a.key, b.key) })
	key := fmt.Sprint("{", set)
	stage := 0
	for i := range parts {
		key, stage = key+parts[i].key, max(stage, parts[i].stage)
	}
	key += "}"
	w := h.statics[key]
	if w == nil {
		w = &weightPlan{key: key, set: set, parts: parts, stage: stage}
		h.statics[key] = w
	}
	return w
}

// takeStatic marks the weights as in use and returns their cost.
func (h *Counter) takeStatic(w *weightPlan) (cost float64) {
	if w.inUse {
		return 0
	}
	h.set(&w.inUse)
	for i := range w.parts {
		if p := &w.parts[i]; p.rows != nil {
			sums := p.rows.edges
			if len(p.child.parts) == 0 && p.rows.unit() { // lengths of lists
				sums = min(sums, h.size(w.set))
			}
			cost += h.take(p.rows) + sums + h.takeStatic(p.child)
		}
	}
	return cost
}

func (h *Counter) stageOf(out *outputPlan) int {
	for _, p := range h.passes {
		if slices.Contains(p.outs, out) {
			return p.stage
		}
	}
	return 0
}

// trial adds the forest around one pivot to a pass, to learn its cost.
type trial struct {
	*passPlan
	h      *Counter
	x      *shape
	pivot  int
	mate   int     // the second pivot; -1: none
	rounds float64 // how many values the pivots have
	inside []bool  // vertices of the forest
	cost   float64 // of the additions
	roots  []int   // nodes
}

// mark is a state to go back to.
type mark struct {
	nodes, accs, tables, log int
	cost                     float64
}

func (t *trial) mark() mark {
	return mark{len(t.nodes), len(t.accs), len(t.tables), len(t.h.log), t.cost}
}

// undo goes back to m.
func (t *trial) undo(m mark) {
	for _, n := range t.nodes[m.nodes:] {
		delete(t.nodeOf, n.key)
	}
	for _, a := range t.accs[m.accs:] {
		delete(t.accOf, a.key)
	}
	for _, x := range t.tables[m.tables:] {
		delete(t.tableOf, x.key)
	}
	for _, flag := range t.h.log[m.log:] {
		*flag = false
	}
	t.nodes, t.accs, t.tables, t.h.log, t.cost = t.nodes[:m.nodes], t.accs[:m.accs], t.tables[:m.tables], t.h.log[:m.log], m.cost
}

// trial starts a trial for pivot p of the block vs, and a second pivot q unless q is -1, on the pass over their values.
func (h *Counter) trial(x *shape, vs []int, p, q int) *trial {
	stage := x.stage(vs)
	key, rounds, second := fmt.Sprint("pass ", x.sets[p], " ", stage, " "), h.size(x.sets[p]), (*rowsPlan)(nil)
	if q >= 0 {
		second = x.rows(p, q)
		key, rounds = key+second.key, second.edges
	}
	i := slices.IndexFunc(h.passes, func(o *passPlan) bool { return o.key == key })
	if i < 0 {
		i = len(h.passes)
		h.passes = append(h.passes, &passPlan{key: key, set: x.sets[p], stage: stage, second: second, nodeOf: map[string]int{}, accOf: map[string]int{}, tableOf: map[string]int{}, outOf: map[string]*outputPlan{}})
	}
	t := &trial{passPlan: h.passes[i], h: h, x: x, pivot: p, mate: q, rounds: rounds, inside: make([]bool, len(x.sets))}
	for _, v := range vs {
		t.inside[v] = v != p && v != q
	}
	return t
}

// grow adds the nodes of every tree of the forest, each with its cheapest root.
func (t *trial) grow() {
	done := make([]bool, len(t.inside))
	t.roots = nil
	for v, inside := range t.inside {
		if !inside || done[v] {
			continue
		}
		tree := t.tree(v, done)
		best, cheapest := tree[0], math.Inf(1)
		for _, root := range tree {
			m := t.mark()
			t.node(root, -1)
			cost := t.cost - m.cost
			if t.undo(m); cost < cheapest {
				best, cheapest = root, cost
			}
		}
		t.roots = append(t.roots, t.node(best, -1))
	}
	slices.SortFunc(t.roots, func(a, b int) int { return strings.Compare(t.nodes[a].key, t.nodes[b].key) })
}

// tree lists the vertices of the forest reachable from v.
func (t *trial) tree(v int, done []bool) []int {
	done[v] = true
	all := []int{v}
	for w, inside := range t.inside {
		if inside && !done[w] && len(t.x.pairs[v][w]) > 0 {
			all = append(all, t.tree(w, done)...)
		}
	}
	return all
}

// node adds y and the tree below it, away from the vertex above, and returns its number.
func (t *trial) node(y, above int) int {
	n := &nodePlan{}
	if len(t.x.pairs[t.pivot][y]) > 0 {
		n.rows = t.x.rows(t.pivot, y)
	}
	if t.mate >= 0 && len(t.x.pairs[t.mate][y]) > 0 {
		n.also = t.x.rows(t.mate, y)
	}
	if own := t.x.own(y); len(own.parts) > 0 {
		n.own = own
	}
	var below []feedPlan // acc: the vertex, for now
	var keys []string
	for z, inside := range t.inside {
		if inside && z != above && z != y && len(t.x.pairs[y][z]) > 0 {
			f := feedPlan{child: t.node(z, y), acc: z, rows: t.x.rows(y, z)}
			below, keys = append(below, f), append(keys, f.rows.key+t.nodes[f.child].key)
		}
	}
	slices.Sort(keys)
	if n.key = "<" + t.x.own(y).key; n.rows != nil {
		n.key += n.rows.key
	}
	if n.also != nil {
		n.key += "&" + n.also.key
	}
	n.key += strings.Join(keys, "") + ">"
	if i, ok := t.nodeOf[n.key]; ok {
		return i
	}
	t.feed(n, y, below)
	t.nodes = append(t.nodes, n)
	t.nodeOf[n.key] = len(t.nodes) - 1
	return len(t.nodes) - 1
}

// feed decides how n gets the numbers of its children.
func (t *trial) feed(n *nodePlan, y int, below []feedPlan) {
	if n.own != nil {
		t.cost += t.h.takeStatic(n.own)
	}
	push := func(f feedPlan) float64 { // the price of an accumulator
		rows := t.x.rows(f.acc, y)
		if _, ok := t.accOf[accKey(f.child, rows)]; ok {
			return 0
		}
		return t.nodes[f.child].values*rows.meanLength*pushCost + rows.price(t.h)
	}
	if n.held() {
		t.hold(n)
	} else {
		slices.SortStableFunc(below, func(a, b feedPlan) int { return cmp.Compare(push(a), push(b)) })
	}
	for i, f := range below {
		price := push(f)
		along := n.values*f.rows.meanLength + f.rows.price(t.h)
		key := ""
		if n.held() {
			key = fmt.Sprint(f.child, f.rows.key, n.support())
		}
		table, made := t.tableOf[key]
		if made {
			along = n.values
		}
		if i == 0 && !n.held() || price < along {
			rows := t.x.rows(f.acc, y)
			if i == 0 && !n.held() {
				n.values = min(t.nodes[f.child].values*rows.meanLength, t.rounds*t.h.size(t.x.sets[y]))
			}
			t.cost += price + n.values
			t.h.take(rows)
			f.acc, f.table = t.acc(f.child, rows), -1
		} else {
			t.cost += along
			t.h.take(f.rows)
			t.h.set(&t.nodes[f.child].dense)
			f.acc, f.table = -1, table
			if !n.held() {
				f.table = -1
			} else if !made {
				f.table = len(t.tables)
				t.tables, t.tableOf[key] = append(t.tables, &tablePlan{key}), f.table
			}
		}
		n.feeds = append(n.feeds, f)
	}
}

// held reports whether the node's vertex is adjacent to a pivot.
func (n *nodePlan) held() bool { return n.rows != nil || n.also != nil }

// support returns a key of the list of values of a held node.
func (n *nodePlan) support() string {
	key := ""
	if n.rows != nil {
		key = n.rows.key
	}
	if n.also != nil {
		key += "&" + n.also.key
	}
	return key
}

// hold estimates the values of a node that is adjacent to a pivot.
func (t *trial) hold(n *nodePlan) {
	switch {
	case t.mate < 0:
		t.cost += t.h.take(n.rows)
		n.values = n.rows.edges
	case n.also == nil:
		t.cost += t.h.take(n.rows)
		n.values = t.rounds * n.rows.meanLength
	case n.rows == nil:
		t.cost += t.h.take(n.also)
		n.values = t.rounds * n.also.meanLength
	default:
		price := intersectCost
		if n.weighsBoth() {
			price += weighCost
		}
		t.cost += t.h.take(n.rows) + t.h.take(n.also) + t.rounds*(n.rows.meanLength+n.also.meanLength)*price
		n.values = t.rounds * min(n.rows.meanLength, n.also.meanLength) * commonShare
		if t.h.unweighed && n.weighsBoth() {
			t.cost = math.Inf(1)
		}
	}
}

// The cost of intersecting a list element, and of finding the weight of a common one, relative to summing one up; and the share of the
// shorter list that two neighbours are likely to have in common.
const (
	intersectCost = 0.25
	weighCost     = 0.75
	commonShare   = 0.2
)

// weighsBoth reports whether the values of n are common neighbours of two pivots, and some pair may weigh more than 1.
func (n *nodePlan) weighsBoth() bool {
	return n.rows != nil && n.also != nil && !(n.rows.unit() && n.also.unit())
}

// unit reports whether all pairs in the lists weigh 1.
func (r *rowsPlan) unit() bool {
	if len(r.tips) > 0 {
		return false
	}
	for i := range r.factors {
		if !r.factors[i].unit() {
			return false
		}
	}
	return true
}

// pushCost is the cost of adding a number to a list element, relative to reading one into a sum.
const pushCost = 1.5

func accKey(child int, rows *rowsPlan) string { return fmt.Sprint(child, rows.key) }

// acc returns the accumulator of a node's numbers along rows.
func (t *trial) acc(child int, rows *rowsPlan) int {
	key := accKey(child, rows)
	i, ok := t.accOf[key]
	if !ok {
		i = len(t.accs)
		t.accs = append(t.accs, &accPlan{key: key, child: child, rows: rows})
		t.accOf[key] = i
	}
	return i
}
