package hom

import (
	"cmp"
	"errors"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// Program is the work of Counter.Count, for a device to run in its place. Numbers are positions in its lists; -1 means none.
type Program struct {
	Sets    []*pattern.CandidateSet // nil: all vertices
	Rows    []Rows
	Weights []Weight
	Passes  []Pass // in order: each needs only numbers kept by earlier passes
	Sums    []Sum
}

// Rows are the neighbour lists from the vertices of one set to the vertices of another. A pair weighs the product of its factors'
// weights (pattern.Factor.Weight) and its tips' numbers, and is in a list if the product is not 0.
type Rows struct {
	From, To int // sets
	Factors  []Factor
	Tips     []Tip // equal ones stand next to each other
}

// Tip is a number for each pair of some rows: the sum, over the vertices y in the lists of both, of three weights. These are that of the
// first vertex and y in Near, that of the second vertex and y in Far, and that of y in Own. Without labels it is the pair's number of
// triangles.
type Tip struct{ Near, Far, Own int }

// Factor is a factor seen from the vertex that has the list.
type Factor struct {
	*pattern.Factor
	View      *csr.Adjacency // over the factor's types
	Direction csr.Direction
}

// Unit reports whether every adjacent pair weighs 1.
func (f *Factor) Unit() bool { return (&factorPlan{f.Factor, f.View, f.Direction}).unit() }

// Weight is a weight for every vertex of a set: the product of its parts.
type Weight struct {
	Set   int
	Parts []Part
}

// Part is a factor of a weight: the weight of the loops, or the sum of the weights Child along Rows, or the numbers that a pass kept.
type Part struct {
	Loops       *pattern.Factor
	Rows, Child int
	Pass, Out   int
}

// Pass is a loop over the vertices of a set: the values of a pivot. If Second is not -1, an inner loop runs over the lists of Second: the
// values of a second pivot.
type Pass struct {
	Set, Second int
	Nodes       []Node // in order: each needs only earlier ones
	Accs        []Accumulator
	Outs        []Output
}

// Node gives numbers to vertices: to the pivots' neighbours by Rows (first pivot) and by Also (second pivot), unless both are -1; then
// to the vertices of its first feed. A number is the product of the lists' weights, the weight Own, and the feeds' numbers.
type Node struct {
	Rows, Also, Own int
	Feeds           []Feed
}

// Feed brings the numbers of node Child, added up by Acc or along Rows. Feeds of the same Table bring the same numbers to the same
// list.
type Feed struct{ Child, Acc, Table, Rows int }

// Accumulator adds up the numbers of node Child along Rows, which lead from there.
type Accumulator struct{ Child, Rows int }

// Output is a number for each value of the pivots: the product of the sums over the nodes Roots, the pivots' own weights, and the
// weight of the pair in Second. The program needs their sum and, if Keep is set, each of them. If Fan is set, the number is Own times
// twice the number of triangles at the pivot over those types. If Cycle is set, only the sum is needed.
type Output struct {
	Own, Mate int
	Roots     []int
	Keep      bool
	Fan       *csr.TypeSet
	Cycle     *Cycle
}

// Cycle is the number of homomorphisms of a cycle of four along Rows, which lead from all vertices to all in both directions and weigh 1. Under
// any ranking of the vertices, it is Strict times the pairs of wedges from a top to one lower vertex, and Tied times those back to the top.
// The middle of a wedge ranks below its top, and a wedge makes a pair with itself, too.
type Cycle struct {
	Rows         int
	Strict, Tied uint64
}

// Sum is a factor of a graph's count: the sum of Weight over its set or, if Weight is -1, the sum of output Out of Pass.
type Sum struct{ Weight, Pass, Out int }

// Types returns the edge types of all added graphs; nil means all types.
func (h *Counter) Types() (all csr.TypeSet) {
	all = csr.TypeSet{}
	for _, r := range h.rowsOf {
		for i := range r.factors {
			if r.factors[i].Types == nil {
				return nil
			}
			all = all.Union(r.factors[i].Types)
		}
	}
	return all
}

// CountBy is Count with run in place of the CPU: run returns the sums of the program. The program is that of ForDevice.
func (h *Counter) CountBy(run func(p *Program) ([]pattern.Count128, error)) ([]pattern.Count128, error) {
	h, ok := h.ForDevice()
	if !ok {
		return nil, errors.ErrUnsupported
	}
	sums, err := run(h.program())
	if err != nil {
		return nil, err
	}
	return h.products(sums)
}

// ForDevice returns a counter of the same graphs whose plan is a Program: h itself, or one without graphs of package cyclic, and without
// ordered wedges where a cycle has weights, or gives numbers to vertices. ok is false if there is none: a device does not intersect lists
// with weights.
func (h *Counter) ForDevice() (plan *Counter, ok bool) {
	if slices.ContainsFunc(h.slots, func(s slotPlan) bool { return s.cyclic != nil }) {
		if plan, ok = replan(h, pattern.CyclicKernel); !ok {
			return nil, false
		}
		return plan.ForDevice()
	}
	for _, p := range h.passes {
		if len(p.outs) > 0 && !h.unweighed && slices.ContainsFunc(p.nodes, (*nodePlan).weighsBoth) {
			bare := *h
			bare.unweighed = true
			if plan, ok = replan(&bare); !ok {
				return nil, false
			}
			return plan.ForDevice()
		}
	}
	for _, p := range h.passes {
		for _, o := range p.outs {
			if o.cycle == nil || o.plainCycle(h) {
				continue
			}
			if plan, ok = replan(h, pattern.CyclicKernel, pattern.OrderedWedges); ok {
				return plan.ForDevice()
			}
			if plan, ok = h.Arrays(); ok {
				return plan.ForDevice()
			}
			return nil, false
		}
	}
	return h, true
}

// plainCycle reports whether the cycle of o is one of all vertices along a view as it is, and only its total counts.
func (o *outputPlan) plainCycle(h *Counter) bool {
	p := &o.cycle.passes[0]
	a := &p.arms[0]
	for _, w := range []*weightPlan{p.top, p.opposite, a.own} {
		if len(w.parts) > 0 {
			return false
		}
	}
	return !o.keep && len(o.cycle.passes) == 1 && p.alike() && h.whole(p.set) && a.first == a.second && a.first.plain(h) &&
		a.first.factors[0].direction == csr.Both
}

// Arrays returns a counter of the same graphs that has no ordered wedges, no supports of edges and no graphs of package cyclic: h itself,
// if it has none of these. ok is false if arrays cannot count the graphs.
func (h *Counter) Arrays() (plain *Counter, ok bool) {
	if !beyondArrays(h) {
		return h, true
	}
	return replan(h, pattern.OrderedWedges, pattern.EdgeSupports, pattern.CyclicKernel)
}

// replan returns a counter of the same graphs that leaves further techniques.
func replan(h *Counter, leave ...pattern.Technique) (plan *Counter, ok bool) {
	plan = NewCounter(h.s)
	plan.sets, plan.sizes, plan.without, plan.unweighed = h.sets, h.sizes, h.without, h.unweighed
	for _, m := range leave {
		plan.without = plan.without.With(m)
	}
	for _, g := range h.given {
		if !plan.Add(g) {
			return nil, false
		}
	}
	return plan, true
}

// beyondArrays reports whether the plan has ordered wedges, supports of edges, or graphs of package cyclic.
func beyondArrays(h *Counter) bool {
	for _, r := range h.rowsOf {
		if len(r.tips) > 0 && r.inUse {
			return true
		}
	}
	if slices.ContainsFunc(h.slots, func(s slotPlan) bool { return s.cyclic != nil }) {
		return true
	}
	return slices.ContainsFunc(h.passes, func(p *passPlan) bool {
		return slices.ContainsFunc(p.outs, func(o *outputPlan) bool { return o.cycle != nil })
	})
}

// products returns the product of the sums of every graph.
func (h *Counter) products(sums []pattern.Count128) (out []pattern.Count128, err error) {
	out = make([]pattern.Count128, len(h.graphs))
	for i, slots := range h.graphs {
		if out[i], err = productOf(sums, slots); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// productOf multiplies the sums of slots.
func productOf(sums []pattern.Count128, slots []int) (pattern.Count128, error) {
	n := pattern.Count(1)
	for _, i := range slots {
		x := sums[i]
		if n.Hi != 0 {
			n, x = x, n
		}
		if n.Hi != 0 && x != (pattern.Count128{}) {
			return n, pattern.ErrOverflow
		}
		var err error
		if n, err = x.Mul(n.Lo); err != nil {
			return n, err
		}
	}
	return n, nil
}

// lowering turns the plan's pointers into positions.
type lowering struct {
	Program
	rows    map[*rowsPlan]int
	weights map[*weightPlan]int
	outs    map[*outputPlan][2]int
}

func (h *Counter) program() *Program {
	l := &lowering{rows: map[*rowsPlan]int{}, weights: map[*weightPlan]int{}, outs: map[*outputPlan][2]int{}}
	l.Sets = h.sets
	for i, p := range h.inOrder() {
		for k, o := range p.outs {
			l.outs[o] = [2]int{i, k}
		}
		l.Passes = append(l.Passes, l.pass(p))
	}
	for i := range h.slots {
		s := Sum{Weight: l.weight(h.slots[i].static), Pass: -1, Out: -1}
		if o := h.slots[i].out; o != nil {
			at := l.outs[o]
			s.Pass, s.Out = at[0], at[1]
		}
		l.Sums = append(l.Sums, s)
	}
	return &l.Program
}

// inOrder returns the passes with outputs, each after the passes whose numbers it needs.
func (h *Counter) inOrder() []*passPlan {
	passes := slices.DeleteFunc(slices.Clone(h.passes), func(p *passPlan) bool { return len(p.outs) == 0 })
	slices.SortStableFunc(passes, func(a, b *passPlan) int { return cmp.Compare(a.stage, b.stage) })
	return passes
}

func (l *lowering) pass(p *passPlan) Pass {
	out := Pass{Set: p.set, Second: l.lists(p.second)}
	for _, n := range p.nodes {
		x := Node{Rows: l.lists(n.rows), Also: l.lists(n.also), Own: l.weight(n.own)}
		for _, f := range n.feeds {
			x.Feeds = append(x.Feeds, Feed{f.child, f.acc, f.table, l.lists(f.rows)})
		}
		out.Nodes = append(out.Nodes, x)
	}
	for _, a := range p.accs {
		out.Accs = append(out.Accs, Accumulator{a.child, l.lists(a.rows)})
	}
	for _, o := range p.outs {
		x := Output{Own: l.weight(o.own), Mate: l.weight(o.mate), Roots: o.roots, Keep: o.keep, Fan: o.fan}
		if o.cycle != nil {
			q := &o.cycle.passes[0]
			x.Cycle = &Cycle{l.lists(q.arms[0].first), q.strict.all, q.tied.all}
		}
		out.Outs = append(out.Outs, x)
	}
	return out
}

func (l *lowering) lists(r *rowsPlan) int {
	if r == nil {
		return -1
	}
	i, ok := l.rows[r]
	if !ok {
		x := Rows{From: r.from, To: r.to}
		for _, f := range r.factors {
			x.Factors = append(x.Factors, Factor{f.Factor, f.view, f.direction})
		}
		for _, t := range r.tips {
			x.Tips = append(x.Tips, Tip{l.lists(t.near), l.lists(t.far), l.weight(t.own)})
		}
		i = len(l.Rows)
		l.rows[r] = i
		l.Rows = append(l.Rows, x)
	}
	return i
}

// weight returns the position of w, or -1 if w is 1 for all vertices and no sum needs its set.
func (l *lowering) weight(w *weightPlan) int {
	if w == nil {
		return -1
	}
	if i, ok := l.weights[w]; ok {
		return i
	}
	x := Weight{Set: w.set}
	for i := range w.parts {
		p := &w.parts[i]
		part := Part{Loops: p.loops, Rows: l.lists(p.rows), Child: l.weight(p.child), Pass: -1, Out: -1}
		if p.block != nil {
			at := l.outs[p.block]
			part.Pass, part.Out = at[0], at[1]
		}
		x.Parts = append(x.Parts, part)
	}
	l.weights[w] = len(l.Weights)
	l.Weights = append(l.Weights, x)
	return l.weights[w]
}
