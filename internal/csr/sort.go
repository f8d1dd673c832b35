package csr

import (
	"context"
	"math"
	"slices"

	"github.com/motifql/motif/internal/hugepages"
)

// The counting sorts behind Build and the adjacency views. Each worker owns a run of the input and a counter per
// key; the counters become the places where it writes, so that the result is stable and needs no locks.

// stride is how many items a worker takes between two looks at the context.
const stride = 1 << 18

// sorters is how many workers a counting sort of m items over n keys is worth: each has n counters.
func sorters(workers int, n, m uint64) int {
	k := max(1, min(workers, maxWorkers))
	for k > 1 && (uint64(k)*n > 2*m || m < stride) {
		k--
	}
	return k
}

// places turns counts[worker][key] into the first position of that worker's items of that key, and returns the
// offsets by key. room(key) positions are left free at the head of each key.
func places(counts [][]uint64, n int, room func(k int) uint64) []uint64 {
	offsets := hugepages.Make[uint64](n + 1)
	sum := uint64(0)
	for k := range n {
		offsets[k] = sum
		if room != nil {
			sum += room(k)
		}
		for _, c := range counts {
			c[k], sum = sum, sum+c[k]
		}
	}
	offsets[n] = sum
	return offsets
}

// group sorts vals stably by key (below n): the values of key k are the result's [offsets[k], offsets[k+1]). If
// order is not nil it is carried along.
func group(ctx context.Context, n uint64, keys, vals []uint32, order []uint64, workers int) (offsets []uint64, out []VertexID, outOrder []uint64, err error) {
	m := len(keys)
	k := sorters(workers, n, uint64(m))
	part := func(i int) (lo, hi int) { return m / k * i, m/k*(i+1) + (i+1)/k*(m%k) }
	counts := make([][]uint64, k)
	each(k, func(i int) {
		c := make([]uint64, n)
		lo, hi := part(i)
		for _, key := range keys[lo:hi] {
			c[key]++
		}
		counts[i] = c
	})
	offsets = places(counts, int(n), nil)
	out = hugepages.Make[VertexID](m)
	if order != nil {
		outOrder = hugepages.Make[uint64](m)
	}
	packed := packs(order)
	each(k, func(i int) {
		next := counts[i]
		for lo, hi := part(i); lo < hi && ctx.Err() == nil; lo += stride {
			end := min(hi, lo+stride)
			if order == nil {
				for j := lo; j < end; j++ {
					p := next[keys[j]]
					next[keys[j]]++
					out[p] = VertexID(vals[j])
				}
				continue
			}
			if packed {
				for j := lo; j < end; j++ {
					p := next[keys[j]]
					next[keys[j]]++
					outOrder[p] = uint64(vals[j])<<32 | order[j]
				}
				continue
			}
			for j := lo; j < end; j++ {
				p := next[keys[j]]
				next[keys[j]]++
				out[p], outOrder[p] = VertexID(vals[j]), order[j]
			}
		}
	})
	if packed {
		unpack(out, outOrder, k)
	}
	return offsets, out, outOrder, ctx.Err()
}

// packs reports whether a value and its order fit one 64-bit word. A sort then writes each item to one place instead of two; a write to a
// random place takes most of the time of a sort.
func packs(order []uint64) bool { return len(order) > 0 && slices.Max(order) <= math.MaxUint32 }

// unpack moves the values, which stand in the upper halves of order, to out.
func unpack(out []VertexID, order []uint64, workers int) {
	m := min(len(out), len(order))
	each(workers, func(i int) {
		lo, hi := m*i/workers, m*(i+1)/workers
		for p, x := range order[lo:hi] {
			out[lo+p], order[lo+p] = VertexID(x>>32), x&math.MaxUint32
		}
	})
}

// transposition is the reversal of a CSR by counting sort: the items (v, w) of from become items (w, v), by
// rising v inside a w.
type transposition struct {
	ctx     context.Context
	from    *Rels
	lo      VertexID // keys are w - lo
	cuts    []int    // rows of from, by worker
	counts  [][]uint64
	noLoops bool
}

// targetRange is the range of r's targets, whose rows are sorted.
func targetRange(r *Rels) Range {
	if len(r.Targets) == 0 {
		return Range{}
	}
	lo, hi := NoVertex, VertexID(0)
	for i := range len(r.Offsets) - 1 {
		if a, b := r.Offsets[i], r.Offsets[i+1]; a < b {
			lo, hi = min(lo, r.Targets[a]), max(hi, r.Targets[b-1])
		}
	}
	return Range{lo, hi + 1}
}

// newTransposition counts the items of each key in keys. Loops are left out if noLoops.
func newTransposition(ctx context.Context, from *Rels, keys Range, noLoops bool, workers int) *transposition {
	k := sorters(workers, uint64(keys.Len()), uint64(len(from.Targets)))
	t := &transposition{ctx: ctx, from: from, lo: keys.Lo, cuts: rows(from.Offsets, k), counts: make([][]uint64, k), noLoops: noLoops}
	each(k, func(i int) {
		t.counts[i] = make([]uint64, keys.Len())
		for a, b := t.cuts[i], t.cuts[i+1]; a < b && ctx.Err() == nil; a += rowBlock {
			t.countRows(a, min(b, a+rowBlock), t.counts[i])
		}
	})
	return t
}

// rowBlock is how many rows are handled between two looks at the context.
const rowBlock = 1 << 14

func (t *transposition) countRows(a, b int, c []uint64) {
	from := t.from
	for _, w := range from.Targets[from.Offsets[a]:from.Offsets[b]] {
		c[w-t.lo]++
	}
	for j := a; t.noLoops && j < b; j++ {
		v := from.Lo + VertexID(j)
		if n := count(from.Targets[from.Offsets[j]:from.Offsets[j+1]], v); n > 0 {
			c[v-t.lo] -= uint64(n)
		}
	}
}

// fill writes the items to the places that counts now holds. order, if not nil, is carried along into outOrder.
func (t *transposition) fill(out []VertexID, order, outOrder []uint64) error {
	packed := packs(order)
	each(len(t.counts), func(i int) {
		for a, b := t.cuts[i], t.cuts[i+1]; a < b && t.ctx.Err() == nil; a += rowBlock {
			if packed {
				t.packRows(a, min(b, a+rowBlock), t.counts[i], order, outOrder)
			} else {
				t.fillRows(a, min(b, a+rowBlock), t.counts[i], out, order, outOrder)
			}
		}
	})
	if packed {
		unpack(out, outOrder, len(t.counts))
	}
	return t.ctx.Err()
}

// packRows is fillRows for items that pack: it writes them to outOrder alone.
func (t *transposition) packRows(a, b int, next, order, outOrder []uint64) {
	for j := a; j < b; j++ {
		v := t.from.Lo + VertexID(j)
		lo, hi := t.from.Offsets[j], t.from.Offsets[j+1]
		for i, w := range t.from.Targets[lo:hi] {
			if t.noLoops && w == v {
				continue
			}
			p := next[w-t.lo]
			next[w-t.lo]++
			outOrder[p] = uint64(v)<<32 | order[lo+uint64(i)]
		}
	}
}

func (t *transposition) fillRows(a, b int, next []uint64, out []VertexID, order, outOrder []uint64) {
	for j := a; j < b; j++ {
		v := t.from.Lo + VertexID(j)
		lo, hi := t.from.Offsets[j], t.from.Offsets[j+1]
		for i, w := range t.from.Targets[lo:hi] {
			if t.noLoops && w == v {
				continue
			}
			p := next[w-t.lo]
			next[w-t.lo]++
			out[p] = v
			if order != nil {
				outOrder[p] = order[lo+uint64(i)]
			}
		}
	}
}

// transpose reverses r, whose targets lie in keys. order, if not nil, is carried along.
func transpose(ctx context.Context, r *Rels, keys Range, order []uint64, workers int) (*Rels, []uint64, error) {
	if len(r.Targets) == 0 {
		return &Rels{}, order, nil
	}
	t := newTransposition(ctx, r, keys, false, workers)
	out := &Rels{Lo: keys.Lo, Offsets: places(t.counts, keys.Len(), nil)}
	out.Targets = hugepages.Make[VertexID](len(r.Targets))
	var outOrder []uint64
	if order != nil {
		outOrder = hugepages.Make[uint64](len(order))
	}
	err := t.fill(out.Targets, order, outOrder)
	return out, outOrder, err
}

// count is how often w occurs in a sorted list.
func count(sorted []VertexID, w VertexID) int {
	lo, ok := slices.BinarySearch(sorted, w)
	if !ok {
		return 0
	}
	hi := lo + 1
	for hi < len(sorted) && sorted[hi] == w {
		hi++
	}
	return hi - lo
}
