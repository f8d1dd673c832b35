package hom

import (
	"cmp"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// Program is what Counter.Count does, for a device to do in its place. Things are named by their places in the lists; -1 names none.
type Program struct {
	Sets    []*pattern.CandidateSet // nil: all vertices
	Rows    []Rows
	Weights []Weight
	Passes  []Pass // in an order in which each needs only what passes before it have kept
	Sums    []Sum
}

// Rows are the neighbour lists from the vertices of one set to those of another. A pair weighs the product of what its factors
// weigh (pattern.Factor.Weight), and stands in a list if that is not 0.
type Rows struct {
	From, To int // sets
	Factors  []Factor
}

// Factor is a factor seen from the vertex that has the list.
type Factor struct {
	*pattern.Factor
	View      *csr.Adjacency // over the factor's types
	Direction csr.Direction
}

// Unit reports whether every pair weighs 1 if it is related.
func (f *Factor) Unit() bool { return (&factorPlan{f.Factor, f.View, f.Direction}).unit() }

// Weight is a weight for every vertex of a set: the product of its parts.
type Weight struct {
	Set   int
	Parts []Part
}

// Part is a factor of a weight: that of the loops, or the sum of the weights Child along Rows, or what a pass has kept.
type Part struct {
	Loops       *pattern.Factor
	Rows, Child int
	Pass, Out   int
}

// Pass goes through the vertices of a set, the values of a pivot, and for each of them through those that Second leads to, if
// that is not -1: the values of a second pivot.
type Pass struct {
	Set, Second int
	Nodes       []Node // each needs only those before it
	Accs        []Accumulator
	Outs        []Output
}

// Node gives numbers to vertices: to those that Rows leads to from the first pivot and Also from the second one, as far as they
// are not -1, or to those that its first feed has numbers for. A number is the product of the lists' weights, of
// the weight Own, and of what the feeds bring.
type Node struct {
	Rows, Also, Own int
	Feeds           []Feed
}

// Feed brings the numbers of node Child: as Acc has them added up, or added up along Rows. Feeds of the same Table bring the
// same to the same list.
type Feed struct{ Child, Acc, Table, Rows int }

// Accumulator adds up the numbers of node Child along Rows, which lead from there.
type Accumulator struct{ Child, Rows int }

// Output is a number for each value of the pivots: the product of the sums over the nodes Roots, of the pivots' own weights, and of
// the weight of the pair in Second. Their sum is wanted, and if Keep is set, all of them. If Fan is set, it is twice the
// number of the triangles at the pivot, over those types, times Own.
type Output struct {
	Own, Mate int
	Roots     []int
	Keep      bool
	Fan       *csr.TypeSet
}

// Sum is a number that graphs are made of: the sum of a weight over its set, if that is not -1, or the sum of an out.
type Sum struct{ Weight, Pass, Out int }

// Types are those of the relationships that graphs ask for; nil: all.
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

// CountBy is Count by whatever finds the program's sums.
func (h *Counter) CountBy(run func(p *Program) ([]pattern.Count128, error)) ([]pattern.Count128, error) {
	sums, err := run(h.program())
	if err != nil {
		return nil, err
	}
	return h.products(sums)
}

// products multiplies for every graph the sums it is made of.
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

// lowering gives numbers to what the plan points to.
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

// inOrder is the passes that have something to find, each behind those whose numbers it needs.
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
		out.Outs = append(out.Outs, Output{l.weight(o.own), l.weight(o.mate), o.roots, o.keep, o.fan})
	}
	return out
}

func (l *lowering) lists(r *rowsPlan) int {
	if r == nil {
		return -1
	}
	i, ok := l.rows[r]
	if !ok {
		i = len(l.Rows)
		l.rows[r] = i
		x := Rows{From: r.from, To: r.to}
		for _, f := range r.factors {
			x.Factors = append(x.Factors, Factor{f.Factor, f.view, f.direction})
		}
		l.Rows = append(l.Rows, x)
	}
	return i
}

// weight gives a number to w; -1: it is 1 for all vertices, but one that is summed up is wanted for its set.
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
