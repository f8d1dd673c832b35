package hom

import (
	"slices"
	"sync/atomic"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/hugepages"
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

// eachValue calls fn for the vertices of a set, from several workers if there is more than one. fn learns the number of its worker. The
// first error ends it.
func (r *execution) eachValue(set, workers int, fn func(worker int, v csr.VertexID) error) error {
	n := int(r.s.N())
	var list []csr.VertexID
	if c := r.sets[set]; c != nil {
		list, n = c.List(), c.Len()
	}
	var halt atomic.Bool
	var first atomic.Pointer[error]
	parallel.For(workers, n, sharedChunk(n), &halt, func(worker, lo, hi int) {
		err := error(nil)
		if r.stop.Load() {
			err = r.ctx.Err()
		}
		for i := lo; i < hi && err == nil; i++ {
			v := csr.VertexID(i)
			if list != nil {
				v = list[i]
			}
			err = fn(worker, v)
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

// listPart is the lists of some vertices that follow each other.
type listPart struct {
	at      int      // of the first of these vertices, among all
	offsets []uint64 // within the part
	targets []csr.VertexID
	weights []uint64
	before  uint64 // elements of the parts before it
}

// shared is list with several workers. Each fills the lists of some vertices; then the lists are laid one behind the other.
func (b *rowBuilder) shared(lo, hi csr.VertexID, workers int) error {
	chunk := sharedChunk(int(hi - lo))
	parts := make([]listPart, (int(hi-lo)+chunk-1)/chunk)
	builders := make([]*rowBuilder, workers)
	charged := new(atomic.Int64) // bytes of the parts
	defer func() {
		b.giveBack(int(charged.Load()))
		for _, x := range builders {
			if x != nil {
				x.giveBack(x.charged)
			}
		}
	}()
	err := b.forParts(workers, int(hi-lo), chunk, func(worker, from, to int) error {
		x := builders[worker]
		if x == nil {
			x = b.builder(&rowsPlan{from: b.rows.from, to: b.rows.to, factors: b.rows.factors, heaviest: 1})
			builders[worker] = x
		}
		x.rows.targets, x.rows.weights = x.rows.targets[:0], x.rows.weights[:0]
		if err := x.list(lo+csr.VertexID(from), lo+csr.VertexID(to)); err != nil {
			return err
		}
		n := 4*len(x.rows.targets) + 8*len(x.rows.weights)
		charged.Add(int64(n))
		if err := b.charge(n); err != nil {
			return err
		}
		parts[from/chunk] = listPart{at: from, offsets: x.rows.offsets, targets: slices.Clone(x.rows.targets), weights: slices.Clone(x.rows.weights)}
		return nil
	})
	if err != nil {
		return err
	}
	for _, x := range builders {
		if x != nil {
			b.rows.heaviest = max(b.rows.heaviest, x.rows.heaviest)
		}
	}
	return b.join(lo, hi, workers, parts)
}

// forParts calls fn for the chunks of [0, n) from several workers. The first error ends it.
func (b *rowBuilder) forParts(workers, n, chunk int, fn func(worker, from, to int) error) error {
	var halt atomic.Bool
	var first atomic.Pointer[error]
	parallel.For(workers, n, chunk, &halt, func(worker, from, to int) {
		if err := fn(worker, from, to); err != nil {
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
	return nil
}

// join lays the lists of the parts one behind the other.
func (b *rowBuilder) join(lo, hi csr.VertexID, workers int, parts []listPart) error {
	rows, n := b.rows, 0
	for i := range parts {
		parts[i].before = uint64(n)
		n += len(parts[i].targets)
	}
	size := 4
	if b.weighs {
		size = 12
	}
	if err := b.charge(size * n); err != nil {
		return err
	}
	rows.lo, rows.offsets, rows.targets = lo, hugepages.Make[uint64](int(hi-lo)+1), hugepages.Make[csr.VertexID](n)
	if b.weighs {
		rows.weights = hugepages.Make[uint64](n)
	}
	return b.forParts(workers, len(parts), 8, func(_, from, to int) error {
		for i := from; i < to; i++ {
			p, end := &parts[i], int(hi-lo)
			if i+1 < len(parts) {
				end = parts[i+1].at
			}
			copy(rows.targets[p.before:], p.targets)
			copy(rows.weights[min(p.before, uint64(len(rows.weights))):], p.weights)
			for v := p.at; v < end; v++ { // the part ends with the last list that is not empty
				rows.offsets[v+1] = p.before + p.offsets[min(v-p.at+1, len(p.offsets)-1)]
			}
		}
		return nil
	})
}

// giveBack releases so many charged bytes.
func (b *rowBuilder) giveBack(bytes int) {
	b.charges.Add(-int64(bytes))
	b.env.Memory.Release(int64(bytes))
}
