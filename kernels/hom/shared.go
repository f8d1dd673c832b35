package hom

import (
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

// listPart is the lists of some vertices that follow each other. They are filled where there is room for them. Pairs that weigh nothing leave gaps
// there, which join closes.
type listPart struct {
	room    int      // elements at most
	first   uint64   // where its room begins
	offsets []uint64 // from there on; up to the last list that is not empty
}

// elements returns how many elements the lists have.
func (p *listPart) elements() uint64 {
	if n := len(p.offsets); n > 0 {
		return p.offsets[n-1]
	}
	return 0
}

// shared is list with several workers. Each fills the lists of some vertices; then the gaps between them are closed.
func (b *rowBuilder) shared(lo, hi csr.VertexID, workers int) error {
	n := int(hi - lo)
	chunk := sharedChunk(n)
	parts := make([]listPart, (n+chunk-1)/chunk)
	err := b.forParts(workers, n, chunk, func(_, from, to int) error {
		parts[from/chunk].room = b.room(lo+csr.VertexID(from), lo+csr.VertexID(to))
		return nil
	})
	if err != nil {
		return err
	}
	if err := b.placed(parts); err != nil {
		return err
	}
	builders := make([]*rowBuilder, workers)
	err = b.forParts(workers, n, chunk, func(worker, from, to int) error {
		x, p := builders[worker], &parts[from/chunk]
		if x == nil {
			x = b.builder(&rowsPlan{from: b.rows.from, to: b.rows.to, factors: b.rows.factors, heaviest: 1})
			builders[worker] = x
		}
		end := p.first + uint64(p.room)
		x.rows.targets = b.rows.targets[p.first:p.first:end]
		if b.weighs {
			x.rows.weights = b.rows.weights[p.first:p.first:end]
		}
		err := x.list(lo+csr.VertexID(from), lo+csr.VertexID(to))
		p.offsets = x.rows.offsets
		return err
	})
	for _, x := range builders {
		if x != nil {
			b.rows.heaviest = max(b.rows.heaviest, x.rows.heaviest)
		}
	}
	if err != nil {
		return err
	}
	return b.join(lo, hi, chunk, parts)
}

// placed makes room for all parts, one behind the other.
func (b *rowBuilder) placed(parts []listPart) error {
	n := uint64(0)
	for i := range parts {
		parts[i].first = n
		n += uint64(parts[i].room)
	}
	return b.reserve(int(n))
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

// join closes the gaps between the parts, and makes offsets of all lists.
func (b *rowBuilder) join(lo, hi csr.VertexID, chunk int, parts []listPart) error {
	rows, n := b.rows, uint64(0)
	rows.lo, rows.offsets = lo, hugepages.Make[uint64](int(hi-lo)+1)
	rows.targets = rows.targets[:cap(rows.targets)]
	rows.weights = rows.weights[:cap(rows.weights)]
	for i := range parts {
		p, elements := &parts[i], parts[i].elements()
		if b.stop.Load() {
			return b.ctx.Err()
		}
		if n < p.first {
			copy(rows.targets[n:], rows.targets[p.first:p.first+elements])
			if b.weighs {
				copy(rows.weights[n:], rows.weights[p.first:p.first+elements])
			}
		}
		for v := i * chunk; v < min((i+1)*chunk, int(hi-lo)); v++ {
			rows.offsets[v+1] = n + elements
			if k := v - i*chunk + 1; k < len(p.offsets) {
				rows.offsets[v+1] = n + p.offsets[k]
			}
		}
		n += elements
	}
	rows.targets = rows.targets[:n]
	if b.weighs {
		rows.weights = rows.weights[:n]
	}
	return nil
}

// giveBack releases so many charged bytes.
func giveBack(r *execution, bytes int) {
	r.charges.Add(-int64(bytes))
	r.env.Memory.Release(int64(bytes))
}
