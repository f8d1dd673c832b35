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
	together := map[cyclicPlan][]int{} // slots
	for i := range r.slots {
		if p := r.slots[i].cyclic; p != nil {
			key := cyclicPlan{view: p.view, set: p.set, weigh: p.weigh}
			together[key] = append(together[key], i)
		}
	}
	for key, slots := range together {
		if !r.first() {
			for _, i := range slots {
				r.slots[i].value = pattern.Count128{}
			}
			continue
		}
		var graphs []pattern.CyclicGraph
		for _, i := range slots {
			graphs = append(graphs, r.slots[i].cyclic.graph)
		}
		counts, err := cyclic.Count(r.ctx, key.view, r.s.N(), r.sets[key.set], key.weigh, graphs, r.env)
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
