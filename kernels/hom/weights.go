package hom

import (
	"math/bits"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/hugepages"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/sets"
)

func (w *weightPlan) at(v csr.VertexID) uint64 {
	if w.each == nil {
		return 1
	}
	return w.each[v]
}

// total adds up the weights. Vertices outside of the set weigh nothing.
func (w *weightPlan) total(h *Counter) (total pattern.Count128) {
	if w.each == nil {
		if c := h.sets[w.set]; c != nil {
			return pattern.Count(uint64(c.Len()))
		}
		return pattern.Count(h.s.N())
	}
	for _, weight := range w.each {
		var carry uint64
		total.Lo, carry = bits.Add64(total.Lo, weight, 0)
		total.Hi += carry
	}
	return total
}

// ready computes the weights of w, once.
func (r *execution) ready(w *weightPlan) error {
	if w.ready {
		return nil
	}
	w.ready, w.most = true, 1
	if len(w.parts) == 0 {
		return nil
	}
	if err := r.charge(8 * int(r.s.N())); err != nil {
		return err
	}
	w.each = hugepages.Make[uint64](r.s.N())
	for i := range w.parts {
		if err := r.multiply(w, &w.parts[i], i == 0); err != nil {
			return err
		}
	}
	return nil
}

// multiply multiplies the weights of w by part p, or sets them to it if it is the first one.
func (r *execution) multiply(w *weightPlan, p *partPlan, first bool) error {
	part, elements, err := r.part(p)
	if err != nil {
		return err
	}
	workers := r.workers(elements)
	type worker struct {
		value func(v csr.VertexID) (uint64, error)
		most  uint64
		_     [14]uint64 // keeps workers from writing to one cache line
	}
	all := make([]*worker, workers)
	err = r.eachValue(w.set, workers, func(i int, v csr.VertexID) error {
		if all[i] == nil {
			all[i] = &worker{value: part()}
		}
		x, err := all[i].value(v)
		if !first && err == nil {
			var over uint64
			if over, x = bits.Mul64(w.each[v], x); over != 0 {
				err = pattern.ErrOverflow
			}
		}
		w.each[v], all[i].most = x, max(all[i].most, x)
		return err
	})
	w.most = 0
	for _, one := range all {
		if one != nil {
			w.most = max(w.most, one.most)
		}
	}
	return err
}

// part prepares a part of a weight. It returns a function that makes the part's value by vertex for one worker, and the number of list
// elements that all workers read.
func (r *execution) part(p *partPlan) (worker func() func(v csr.VertexID) (uint64, error), elements uint64, err error) {
	n := r.s.N()
	switch {
	case p.loops != nil:
		loops := r.s.Adjacency(p.loops.Types, csr.Out)
		value := func(v csr.VertexID) (uint64, error) { return p.loops.Weight(uint64(loops.Count(v, v))) }
		return func() func(csr.VertexID) (uint64, error) { return value }, n, nil
	case p.block != nil:
		value := func(v csr.VertexID) (uint64, error) { return p.block.each[v], nil }
		return func() func(csr.VertexID) (uint64, error) { return value }, n, nil
	}
	if err := r.ready(p.child); err != nil {
		return nil, 0, err
	}
	if rows := p.rows; !rows.ready && !rows.shared && !rows.plain(r.Counter) && len(rows.tips) == 0 {
		return func() func(csr.VertexID) (uint64, error) {
			b := r.builder(rows)
			return func(v csr.VertexID) (uint64, error) { return b.sum(v, p.child) }
		}, n + rows.factors[0].view.Len(), nil
	}
	if err := r.build(p.rows); err != nil {
		return nil, 0, err
	}
	value := func(v csr.VertexID) (uint64, error) { return p.rows.sum(v, p.child) }
	return func() func(csr.VertexID) (uint64, error) { return value }, n + uint64(len(p.rows.targets)), nil
}

// sum adds up w's weights over the list of v.
func (r *rowsPlan) sum(v csr.VertexID, w *weightPlan) (total uint64, err error) {
	lo, hi := r.list(v)
	switch {
	case r.weights == nil && w.each == nil:
		return hi - lo, nil
	case r.weights == nil:
		return sumOf(w.each, r.targets[lo:hi])
	}
	over := uint64(0)
	for i, u := range r.targets[lo:hi] {
		h, x := bits.Mul64(w.at(u), r.weights[lo+uint64(i)])
		var carry uint64
		total, carry = bits.Add64(total, x, 0)
		over |= h | carry
	}
	return checked(total, over)
}

// sumOf adds up the numbers of some vertices.
func sumOf(each []uint64, vs []csr.VertexID) (total uint64, err error) {
	over := uint64(0)
	for _, v := range vs {
		var carry uint64
		total, carry = bits.Add64(total, each[v], 0)
		over |= carry
	}
	return checked(total, over)
}

func checked(total, over uint64) (uint64, error) {
	if over != 0 {
		return 0, pattern.ErrOverflow
	}
	return total, nil
}

// sum adds up w's weights over the list of v, which nobody else reads: so it need not be kept.
func (b *rowBuilder) sum(v csr.VertexID, w *weightPlan) (total uint64, err error) {
	if b.stop.Load() {
		return 0, b.ctx.Err()
	}
	list, at := b.near(v)
	switch {
	case b.simple && w.each == nil && len(b.rows.factors) == 1 && b.bits != nil:
		return uint64(sets.CountMarked(list, b.bits, 0)), nil
	case b.simple && w.each == nil:
		return uint64(len(b.common(v, list))), nil
	case b.simple:
		return sumOf(w.each, b.common(v, list))
	}
	over := uint64(0)
	for i, u := range list {
		if b.bits != nil && b.bits[u>>6]>>(u&63)&1 == 0 {
			continue
		}
		weight, err := b.weight(v, u, at+uint64(i))
		if err != nil {
			return 0, err
		}
		h, x := bits.Mul64(w.at(u), weight)
		var carry uint64
		total, carry = bits.Add64(total, x, 0)
		over |= h | carry
	}
	return checked(total, over)
}

// common keeps the vertices of list that are in the target set and in the lists of all other factors.
func (b *rowBuilder) common(v csr.VertexID, list []csr.VertexID) []csr.VertexID {
	if b.bits != nil {
		b.kept = sets.FilterMarked(b.kept[:0], list, b.bits, 0)
		list = b.kept
	}
	for i := range b.rows.factors[1:] {
		view := b.rows.factors[i+1].view
		lo, hi := view.Row(v)
		both := sets.Intersect(b.spare[:0], list, view.Targets[lo:hi])
		b.spare, b.kept, list = b.kept, both, both
	}
	return list
}
