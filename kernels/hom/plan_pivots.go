package hom

import (
	"fmt"
	"math"
	"slices"

	"github.com/motifql/motif/internal/csr"
)

// plan adds the forest around the cheapest pivot of the block vs to a pass. It returns the number that the pass computes, and its key.
// keep asks for the number at each value, without the pivot's own weight. two allows a second pivot. ok is false if no choice of
// pivots leaves a forest.
func (h *Counter) plan(x *shape, vs []int, keep, two bool, pivots []int) (key string, out *outputPlan, ok bool) {
	best, mate, cheapest := h.cheapestPivots(x, vs, two, pivots)
	if best < 0 {
		return "", nil, false
	}
	fan, price := x.triangle(vs, best)
	if fan == nil && !keep {
		for _, p := range pivots {
			if fan, price = x.triangle(vs, p); fan != nil {
				best = p
				break
			}
		}
	}
	if key, out, ok := h.planCycle(x, vs, keep, pivots, min(cheapest, priceOf(fan, price))); ok {
		return key, out, true
	}
	t := h.trial(x, vs, best, mate)
	own := x.own(best)
	if keep {
		own = h.static(x.sets[best], nil)
	}
	if fan != nil && price < cheapest {
		key = fmt.Sprint("triangles ", keep, own.key, *fan == nil, *fan)
		if t.outOf[key] == nil {
			h.cost += price + h.takeStatic(own)
			t.outOf[key] = &outputPlan{own: own, keep: keep, fan: fan}
			t.outs = append(t.outs, t.outOf[key])
		}
		return key, t.outOf[key], true
	}
	key, out = h.planForest(x, t, own, mate, keep)
	return key, out, true
}

// cheapestPivots tries the pivots, each with every second pivot if two is set. It returns the cheapest with its cost; -1 for none.
func (h *Counter) cheapestPivots(x *shape, vs []int, two bool, pivots []int) (best, mate int, cheapest float64) {
	best, mate, cheapest = -1, -1, math.Inf(1)
	try := func(p, q int) {
		if !x.forest(slices.DeleteFunc(slices.Clone(vs), func(v int) bool { return v == p || v == q })) {
			return
		}
		t := h.trial(x, vs, p, q)
		m := t.mark()
		t.grow()
		if t.cost < cheapest {
			best, mate, cheapest = p, q, t.cost
		}
		t.undo(m)
	}
	for _, p := range pivots {
		if !two {
			try(p, -1)
			continue
		}
		for _, q := range vs {
			if q != p && len(x.pairs[p][q]) > 0 {
				try(p, q)
			}
		}
	}
	return best, mate, cheapest
}

// planForest adds the forest around the pivots of t to its pass, unless the pass computes the same number already.
func (h *Counter) planForest(x *shape, t *trial, own *weightPlan, mate int, keep bool) (key string, out *outputPlan) {
	t.grow()
	out = &outputPlan{roots: t.roots, keep: keep}
	key = fmt.Sprint(t.key, keep, own.key)
	if mate >= 0 && len(x.parts[mate]) > 0 {
		out.mate = x.own(mate)
		key += out.mate.key
		h.cost += h.takeStatic(out.mate)
	}
	for _, r := range t.roots {
		key += t.nodes[r].key
	}
	if old := t.outOf[key]; old != nil {
		return key, old
	}
	out.own = own
	h.cost += t.cost + h.takeStatic(own)
	t.outs = append(t.outs, out)
	t.outOf[key] = out
	return key, out
}

// triangle returns the types of vs, and the cost of counting, if vs is a triangle over all vertices where only v may have
// weights.
func (x *shape) triangle(vs []int, v int) (*csr.TypeSet, float64) {
	if len(vs) != 3 {
		return nil, 0
	}
	var rows []*rowsPlan
	for i, u := range vs {
		if !x.h.whole(x.sets[u]) || u != v && len(x.parts[u]) > 0 {
			return nil, 0
		}
		for _, w := range vs[:i] {
			rows = append(rows, x.rows(u, w))
		}
	}
	for _, r := range rows {
		if !r.plain(x.h) || !r.factors[0].Undirected || r.key != rows[0].key {
			return nil, 0
		}
	}
	return &rows[0].factors[0].Types, triangleCost * rows[0].edges
}

// triangleCost is the cost of an edge in package triangle, relative to a list element.
var triangleCost = 10.0
