package hom

import (
	"sync/atomic"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/kernels/parallel"
)

// Rows and weights are made before the pivots. A count without cycles has no pivots at all, so workers share this work, too.

// minShared is the number of list elements that repays starting workers.
var minShared = uint64(1 << 15)

// workers returns how many workers share work of so many list elements.
func (r *execution) workers(elements uint64) int {
	if elements < minShared {
		return 1
	}
	return max(1, r.env.Workers)
}

// sharedChunk returns how many of n values a worker takes at a time.
func sharedChunk(n int) int { return max(1, min(256, n/64)) }

// eachValue calls fn for the vertices of a set, from several workers if there is much work. The first error ends it.
func (r *execution) eachValue(set int, elements uint64, fn func(v csr.VertexID) error) error {
	n := int(r.s.N())
	var list []csr.VertexID
	if c := r.sets[set]; c != nil {
		list, n = c.List(), c.Len()
	}
	var halt atomic.Bool
	var first atomic.Pointer[error]
	parallel.For(r.workers(elements), n, sharedChunk(n), &halt, func(_, lo, hi int) {
		err := error(nil)
		if r.stop.Load() {
			err = r.ctx.Err()
		}
		for i := lo; i < hi && err == nil; i++ {
			v := csr.VertexID(i)
			if list != nil {
				v = list[i]
			}
			err = fn(v)
		}
		if err != nil {
			first.CompareAndSwap(nil, &err)
			halt.Store(true)
		}
	})
	if err := first.Load(); err != nil {
		return *err
	}
	return nil
}

// shared is list with several workers. Each fills the lists of some vertices; then the lists are laid one behind the other.
func (b *rowBuilder) shared(lo, hi csr.VertexID, workers int) error {
	chunk := sharedChunk(int(hi - lo))
	builders := make([]*rowBuilder, (int(hi-lo)+chunk-1)/chunk)
	defer func() {
		for _, x := range builders {
			x.giveBack()
		}
	}()
	var halt atomic.Bool
	var first atomic.Pointer[error]
	parallel.For(workers, int(hi-lo), chunk, &halt, func(_, from, to int) {
		x := &rowBuilder{execution: b.execution, toLo: b.toLo, toHi: b.toHi, bits: b.bits, weighs: b.weighs}
		x.rows = &rowsPlan{from: b.rows.from, factors: b.rows.factors, heaviest: 1}
		builders[from/chunk] = x
		if err := x.list(lo+csr.VertexID(from), lo+csr.VertexID(to)); err != nil {
			first.CompareAndSwap(nil, &err)
			halt.Store(true)
		}
	})
	if err := first.Load(); err != nil {
		return *err
	}
	if b.stop.Load() {
		return b.ctx.Err()
	}
	return b.join(lo, hi, builders)
}

// join lays the lists of some builders one behind the other, and gives back what each held.
func (b *rowBuilder) join(lo, hi csr.VertexID, builders []*rowBuilder) error {
	rows, n := b.rows, 0
	for _, x := range builders {
		n += len(x.rows.targets)
	}
	rows.lo, rows.offsets = lo, make([]uint64, 1, hi-lo+1)
	if err := b.reserve(n); err != nil {
		return err
	}
	for _, x := range builders {
		base := uint64(len(rows.targets))
		for at := int(x.rows.lo - lo); len(rows.offsets) < at+1; {
			rows.offsets = append(rows.offsets, base)
		}
		for _, end := range x.rows.offsets[1:] {
			rows.offsets = append(rows.offsets, base+end)
		}
		rows.targets = append(rows.targets, x.rows.targets...)
		rows.weights = append(rows.weights, x.rows.weights...)
		rows.heaviest = max(rows.heaviest, x.rows.heaviest)
		x.giveBack()
	}
	return nil
}

// giveBack drops what the builder holds. It may be nil.
func (b *rowBuilder) giveBack() {
	if b == nil || b.charged == 0 {
		return
	}
	b.charges.Add(-int64(b.charged))
	b.env.Memory.Release(int64(b.charged))
	b.charged, b.rows.targets, b.rows.weights = 0, nil, nil
}
