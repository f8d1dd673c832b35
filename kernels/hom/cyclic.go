package hom

import (
	"fmt"
	"math"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/cyclic"
)

// Graphs that package cyclic counts. Their vertices range over one set, and their edges over the same types with the same weights. The package counts them if that
// takes fewer list elements than the arrays around pivots, or if arrays cannot count them and a search takes more.

// cyclicPlan is the number of homomorphisms of a cyclic graph.
type cyclicPlan struct {
	graph pattern.CyclicGraph
	view  *csr.Adjacency
	set   int
	weigh *pattern.Factor // nil: every pair weighs 1
}

// Tests raise the gain, so that small graphs take what has been chosen for large ones.
var cyclicGain = 1.0

// Against tells the counter how many list elements another way to count visits, in all. The counter does not measure the graph to find out
// the cost of a way of its own if the measurement takes longer.
func (h *Counter) Against(cost float64) { h.rival = cost }

// addCyclic plans g by package cyclic if that is cheaper than other ways.
func (h *Counter) addCyclic(g Graph) (slot int, ok bool) {
	if h.without.Has(pattern.CyclicKernel) {
		return 0, false
	}
	p := cyclicPlanOf(h.s, g)
	if p == nil {
		return 0, false
	}
	key := fmt.Sprint("cyclic ", p.graph, p.set, g.Factors[0].Types == nil, g.Factors[0].Types)
	if p.weigh != nil {
		key += fmt.Sprint(p.weigh.Falls)
	}
	if i, ok := h.slotOf[key]; ok {
		return i, true
	}
	arrays, limit := NewCounter(h.s), math.Inf(1)
	arrays.sets, arrays.sizes = h.sets, h.sizes
	arrays.Leave(h.without.With(pattern.CyclicKernel))
	if arrays.Add(g) {
		limit = arrays.Cost()
	}
	if walk := float64(p.view.Len()) + h.size(p.set); min(limit, h.rival)*cyclicGain < walk {
		return 0, false
	}
	price := h.cyclicPrice(p)
	if price >= limit*cyclicGain {
		return 0, false
	}
	h.cost += price
	return h.slot(key, slotPlan{cyclic: p}), true
}

// cyclicPlanOf returns the plan of g, or nil if package cyclic does not know it.
func cyclicPlanOf(s *csr.Snapshot, g Graph) *cyclicPlan {
	if len(g.Factors) == 0 {
		return nil
	}
	t := pattern.Term{Factors: g.Factors, Vertices: make([][]int, len(g.Sets))}
	x, ok := t.Cyclic()
	if !ok || slices.ContainsFunc(g.Sets, func(set int) bool { return set != g.Sets[0] }) {
		return nil
	}
	first := &g.Factors[0]
	f := factorPlan{first, s.Adjacency(first.Types, csr.Both), csr.Both}
	p := &cyclicPlan{graph: x, view: f.view, set: g.Sets[0]}
	if !f.unit() {
		p.weigh = first
	}
	if p.weigh != nil && !cyclic.Weighs(x) {
		return nil
	}
	return p
}

// cyclicPrice returns the list elements that p visits. Of a set known by its size alone, that is a share.
func (h *Counter) cyclicPrice(p *cyclicPlan) float64 {
	if _, estimated := h.sizes[p.set]; estimated {
		share := h.size(p.set) / max(1, float64(h.s.N()))
		return cyclic.WorkOf(h.s, p.view)[p.graph] * share * share
	}
	if h.whole(p.set) {
		return cyclic.WorkOf(h.s, p.view)[p.graph]
	}
	if h.works == nil {
		h.works = map[cyclicPlan]*cyclic.Work{}
	}
	key := cyclicPlan{view: p.view, set: p.set}
	if h.works[key] == nil {
		h.works[key] = cyclic.Measure(p.view, h.s.N(), h.sets[p.set])
	}
	return h.works[key][p.graph]
}

// cyclicGraphs finds the numbers of the cyclic graphs, those over one set and view in one call.
func (r *execution) cyclicGraphs() error {
	for _, slots := range cyclicSlots(r) {
		counts, err := r.cyclicCounts(r.slots[slots[0]].cyclic, slots)
		if err != nil {
			return err
		}
		for k, i := range slots {
			r.slots[i].value = counts[k]
		}
		r.env.Took(pattern.CyclicKernel, uint64(len(slots)))
	}
	return nil
}

// cyclicSlots lists the slots of cyclic graphs, in order: those over one set and view together.
func cyclicSlots(r *execution) (lists [][]int) {
	listOf := map[cyclicPlan]int{}
	for i := range r.slots {
		p := r.slots[i].cyclic
		if p == nil {
			continue
		}
		key := cyclicPlan{view: p.view, set: p.set, weigh: p.weigh}
		k, ok := listOf[key]
		if !ok {
			k = len(lists)
			listOf[key], lists = k, append(lists, nil)
		}
		lists[k] = append(lists[k], i)
	}
	return lists
}

// cyclicCounts counts the graphs of some slots, which differ in nothing else.
func (r *execution) cyclicCounts(p *cyclicPlan, slots []int) ([]pattern.Count128, error) {
	var graphs []pattern.CyclicGraph
	for _, i := range slots {
		graphs = append(graphs, r.slots[i].cyclic.graph)
	}
	if !r.divides() {
		return cyclic.Count(r.ctx, p.view, r.s.N(), r.sets[p.set], p.weigh, graphs, r.env)
	}
	x, err := cyclicPortions(r, p, slots[0], graphs)
	if err != nil {
		return nil, err
	}
	held := x.Held()
	defer func() { r.charges.Add(x.Held() - held) }() // x has charged it
	part := r.portion
	counts, next, err := x.Count(r.ctx, part.lo, part.hi, r.env, func(next csr.VertexID) bool {
		return part.mayEnd() && r.late.Load() && next >= part.least
	})
	if err == nil && part.mayEnd() && next > part.lo {
		part.end(next-1, next)
	}
	return counts, err
}

// cyclicPortions returns what counts the graphs of the list of slots that begins with first, which an earlier portion may have made.
func cyclicPortions(r *execution, p *cyclicPlan, first int, graphs []pattern.CyclicGraph) (*cyclic.Portions, error) {
	if x := r.portion.cyclic[first]; x != nil {
		return x, nil
	}
	x, err := cyclic.NewPortions(r.ctx, p.view, r.s.N(), r.sets[p.set], p.weigh, graphs, r.env)
	r.charges.Add(x.Held())
	if err != nil {
		return nil, err
	}
	if r.portion.cyclic == nil {
		r.portion.cyclic = map[int]*cyclic.Portions{}
	}
	r.portion.cyclic[first] = x
	return x, nil
}
