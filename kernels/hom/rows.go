package hom

import (
	"math/bits"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/hugepages"
	"github.com/motifql/motif/internal/pattern"
)

// charge charges n bytes to the query's memory until the end of the run.
func (r *execution) charge(n int) error {
	r.charges.Add(int64(n))
	return r.env.Memory.Charge(int64(n))
}

// valuesIn yields the vertices of a set in [lo, hi), rising.
func (h *Counter) valuesIn(set int, lo, hi csr.VertexID) func(yield func(csr.VertexID) bool) {
	return func(yield func(csr.VertexID) bool) {
		if c := h.sets[set]; c != nil {
			list := c.List()
			from, _ := slices.BinarySearch(list, lo)
			for _, v := range list[from:] {
				if v >= hi || !yield(v) {
					return
				}
			}
			return
		}
		for v := lo; v < hi; v++ {
			if !yield(v) {
				return
			}
		}
	}
}

func (r *rowsPlan) list(v csr.VertexID) (lo, hi uint64) {
	i := uint64(v) - uint64(r.lo)
	if v < r.lo || i+1 >= uint64(len(r.offsets)) {
		return 0, 0
	}
	return r.offsets[i], r.offsets[i+1]
}

// build builds the lists, once.
func (r *execution) build(rows *rowsPlan) error {
	if rows.ready {
		return nil
	}
	rows.ready, rows.heaviest = true, 1
	if rows.plain(r.Counter) {
		a := rows.factors[0].view.Flat()
		rows.lo, rows.offsets, rows.targets = a.Lo, a.Offsets, a.Targets
		return nil
	}
	lo, hi := r.span(rows.from)
	b := r.builder(rows)
	if err := r.charge(8 * int(hi-lo+1)); err != nil {
		return err
	}
	err := error(nil)
	if workers := r.workers(rows.factors[0].view.Len()); workers > 1 {
		err = b.shared(lo, hi, workers)
	} else if err = b.reserve(b.room(lo, hi)); err == nil {
		err = b.list(lo, hi)
	}
	if err != nil {
		return err
	}
	if len(rows.tips) > 0 {
		if err := r.support(rows); err != nil {
			return err
		}
	}
	return r.lengths(rows)
}

// span returns the range [lo, hi) of the vertices of a set.
func (r *execution) span(set int) (lo, hi csr.VertexID) {
	c := r.sets[set]
	if c == nil {
		return 0, csr.VertexID(r.s.N())
	}
	if list := c.List(); len(list) > 0 {
		return list[0], list[len(list)-1] + 1
	}
	return 0, 0
}

// builder returns a builder of the lists of rows.
func (r *execution) builder(rows *rowsPlan) *rowBuilder {
	b := &rowBuilder{execution: r, rows: rows, places: make([]csr.Place, len(rows.factors))}
	b.toLo, b.toHi = r.span(rows.to)
	if c := r.sets[rows.to]; c != nil && c.Len() < int(b.toHi-b.toLo) {
		b.bits = c.Bits()
	}
	b.simple = true
	for i := range rows.factors {
		f := &rows.factors[i]
		b.weighs = b.weighs || !f.unit()
		b.simple = b.simple && f.unit() && (f.Loops || f.view.Loops == 0)
	}
	return b
}

// lengths adds up the weights of every list.
func (r *execution) lengths(rows *rowsPlan) error {
	if rows.weights == nil {
		return nil
	}
	if err := r.charge(8 * len(rows.offsets)); err != nil {
		return err
	}
	rows.lengths = hugepages.Make[uint64](len(rows.offsets) - 1)
	for i := range rows.lengths {
		for _, weight := range rows.weights[rows.offsets[i]:rows.offsets[i+1]] {
			var carry uint64
			if rows.lengths[i], carry = bits.Add64(rows.lengths[i], weight, 0); carry != 0 {
				return pattern.ErrOverflow
			}
		}
	}
	return nil
}

// rowBuilder fills lists, or adds up weights along lists that nobody keeps.
type rowBuilder struct {
	*execution
	rows       *rowsPlan
	toLo, toHi csr.VertexID
	bits       []uint64
	weighs     bool           // some pair may weigh more than 1
	simple     bool           // every pair weighs 1 that is adjacent by all factors
	kept       []csr.VertexID // scratch of common
	spare      []csr.VertexID
	places     []csr.Place // by factor: where its list of the vertex at hand was read last
}

// room is how many elements the lists of the vertices in [lo, hi) have at most. To count costs less than lists that grow: a page of new memory costs
// as much as reading a thousand elements.
func (b *rowBuilder) room(lo, hi csr.VertexID) (n int) {
	for v := range b.valuesIn(b.rows.from, lo, hi) {
		if b.stop.Load() {
			return 0
		}
		list, _ := b.near(v)
		if b.bits == nil {
			n += len(list)
			continue
		}
		for _, w := range list {
			n += int(b.bits[w>>6] >> (w & 63) & 1)
		}
	}
	return n
}

// list fills the lists of the vertices in [lo, hi), for which there is room.
func (b *rowBuilder) list(lo, hi csr.VertexID) error {
	rows := b.rows
	rows.lo, rows.offsets = lo, make([]uint64, 1, hi-lo+1)
	for v := range b.valuesIn(rows.from, lo, hi) {
		for len(rows.offsets) < int(v-lo)+1 {
			rows.offsets = append(rows.offsets, uint64(len(rows.targets)))
		}
		if err := b.row(v); err != nil {
			return err
		}
		rows.offsets = append(rows.offsets, uint64(len(rows.targets)))
	}
	return nil
}

// row appends the list of v.
func (b *rowBuilder) row(v csr.VertexID) error {
	rows := b.rows
	list, at := b.near(v)
	if b.stop.Load() {
		return b.ctx.Err()
	}
	for i, w := range list {
		if b.bits != nil && b.bits[w>>6]>>(w&63)&1 == 0 {
			continue
		}
		if b.weighs || len(rows.factors) > 1 || v == w {
			weight, err := b.weight(v, w, at+uint64(i))
			if err != nil {
				return err
			}
			if weight == 0 {
				continue
			}
			if rows.heaviest = max(rows.heaviest, weight); b.weighs {
				rows.weights = append(rows.weights, weight)
			}
		}
		rows.targets = append(rows.targets, w)
	}
	return nil
}

// near returns the neighbours of v in the range of the target set, and where the first factor's view has them.
func (b *rowBuilder) near(v csr.VertexID) (list []csr.VertexID, at uint64) {
	view := b.rows.factors[0].view
	at, end := view.Row(v)
	list = view.Targets[at:end]
	if b.bits != nil && uint64(b.toHi-b.toLo) > b.s.N()/2 {
		return list, at // the bits say it, and cutting would not save enough
	}
	if b.toLo > 0 {
		k, _ := slices.BinarySearch(list, b.toLo)
		list, at = list[k:], at+uint64(k)
	}
	if len(list) > 0 && list[len(list)-1] >= b.toHi {
		k, _ := slices.BinarySearch(list, b.toHi)
		list = list[:k]
	}
	return list, at
}

// reserve makes room for n elements.
func (b *rowBuilder) reserve(n int) error {
	if b.stop.Load() {
		return b.ctx.Err()
	}
	size := 4
	if b.weighs {
		size = 12
	}
	if err := b.charge(size * n); err != nil {
		return err
	}
	b.rows.targets = hugepages.Make[csr.VertexID](n)[:0]
	if b.weighs {
		b.rows.weights = hugepages.Make[uint64](n)[:0]
	}
	return nil
}

// weight returns the weight of the pair v, w, which is at position at of the first factor's view.
func (b *rowBuilder) weight(v, w csr.VertexID, at uint64) (uint64, error) {
	total := pattern.Count(1)
	for i := range b.rows.factors {
		f := &b.rows.factors[i]
		m := 1
		switch {
		case v == w && !f.Loops:
			return 0, nil
		case i > 0:
			m = f.view.CountFrom(&b.places[i], v, w)
		case f.view.Counts != nil:
			m = int(f.view.Counts[at])
		}
		x, err := f.Weight(uint64(m))
		if err == nil {
			total, err = total.Mul(x)
		}
		if err != nil || total.Hi != 0 {
			return 0, pattern.ErrOverflow
		}
	}
	return total.Lo, nil
}
