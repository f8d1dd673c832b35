package network

import (
	"context"
	"math"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/parallel"
)

// fill makes rows with weights: those of each type as the snapshot has them, merged row by row. All rows rise, so nothing is sorted.
func (b *weightedRows) fill(sides Side) error {
	g := b.Graph
	forward, err := b.forward()
	if err != nil {
		return err
	}
	switch b.r.Direction {
	case csr.Both:
		backward, err := b.transpose(&forward)
		if err != nil {
			return err
		}
		g.Out, err = b.merge(forward, backward)
		g.In = g.Out
		return err
	case csr.In:
		if g.Out, err = b.transpose(&forward); sides&In != 0 {
			g.In = forward
		} else {
			b.drop(&forward)
		}
		return err
	}
	if g.Out = forward; sides&In != 0 {
		g.In, err = b.transpose(&forward)
	}
	return err
}

// weightedRows makes rows of edges that count.
type weightedRows struct {
	*Graph
	ctx context.Context
	s   *csr.Snapshot
	r   *pattern.Network

	zero  bool         // an edge weighs nothing
	ids   []csr.EdgeID // edges whose weights are not read yet
	kinds []csr.Kind
	nums  []uint64
}

// readLen is how many weights are read at once.
const readLen = 4096

// room charges rows of m edges, and returns them empty.
func (b *weightedRows) room(m uint64) (Rows, error) {
	if err := b.ctx.Err(); err != nil {
		return Rows{}, err
	}
	if err := b.charge(rowsBytes(b.N, int(m))); err != nil {
		return Rows{}, err
	}
	return Rows{Offsets: make([]uint64, b.N+1), Targets: make([]csr.VertexID, 0, m), Weights: make([]float64, 0, m)}, nil
}

// rowsBytes is the memory of rows of m edges.
func rowsBytes(n, m int) int64 { return 8*int64(n+1) + 12*int64(m) }

// drop gives back the memory that rows are charged for.
func (b *weightedRows) drop(rows *Rows) {
	n := rowsBytes(b.N, cap(rows.Targets))
	b.bytes -= n
	b.memory.Release(n)
}

// forward returns the rows of sources, with the edges of all types.
func (b *weightedRows) forward() (all Rows, err error) {
	if all, err = b.room(0); err != nil {
		return all, err
	}
	for t := range b.s.Data.Rels {
		if !b.r.Types.Has(csr.TypeID(t)) {
			continue
		}
		rels := b.s.Rels(csr.TypeID(t))
		if rels.Len() == 0 {
			continue
		}
		one, err := b.ofType(rels)
		if err != nil {
			return all, err
		}
		if len(all.Targets) == 0 {
			b.drop(&all)
			all = one
		} else if all, err = b.merge(all, one); err != nil {
			return all, err
		}
	}
	return all, nil
}

// ofType returns the rows of sources, with the edges of one type.
func (b *weightedRows) ofType(rels *csr.Rels) (Rows, error) {
	rows, err := b.room(rels.Len())
	if err != nil {
		return rows, err
	}
	several := false // parallel edges
	for i := range b.N {
		lo, hi := rels.Row(b.Vertex(i))
		first := len(rows.Targets)
		for p := lo; p < hi; p++ {
			if j, ok := b.Number(rels.Targets[p]); ok && i != j {
				n := len(rows.Targets)
				several = several || n > first && int(rows.Targets[n-1]) == j
				rows.Targets = append(rows.Targets, csr.VertexID(j))
				b.ids = append(b.ids, rels.ID(p))
			}
		}
		if rows.Offsets[i+1] = uint64(len(rows.Targets)); len(b.ids) >= readLen {
			if err := b.read(&rows); err != nil {
				return rows, err
			}
		}
	}
	if err := b.read(&rows); err != nil {
		return rows, err
	}
	if several {
		rows.compact(b.r.Weight.Least)
	}
	return rows, nil
}

// read appends the weights of the edges in ids.
func (b *weightedRows) read(rows *Rows) error {
	if b.kinds == nil {
		b.kinds, b.nums = make([]csr.Kind, readLen), make([]uint64, readLen)
	}
	for ids := b.ids; len(ids) > 0; ids = ids[min(readLen, len(ids)):] {
		if err := b.ctx.Err(); err != nil {
			return err
		}
		part := ids[:min(readLen, len(ids))]
		b.gather(part)
		for i, e := range part {
			x := float64(int64(b.nums[i]))
			if b.kinds[i] == csr.KindFloat {
				x = math.Float64frombits(b.nums[i])
			}
			if b.kinds[i] != csr.KindFloat && b.kinds[i] != csr.KindInt || !(x > 0 && x <= pattern.MaxWeight) {
				var err error
				if x, err = b.r.Weight.Of(b.s, e); err != nil {
					return err
				}
				b.zero = b.zero || x == 0
			}
			rows.Weights = append(rows.Weights, x)
		}
	}
	b.ids = b.ids[:0]
	return nil
}

// gather reads the property of edges into kinds and nums.
func (b *weightedRows) gather(ids []csr.EdgeID) {
	w := b.r.Weight
	if w.Absent || int(w.Key) >= len(b.s.EdgeProps) {
		clear(b.kinds)
		return
	}
	csr.Gather(b.s.EdgeProps[w.Key], ids, b.kinds, b.nums)
}

// compact makes one edge of parallel ones, which lie side by side.
func (r *Rows) compact(least bool) {
	end, lo := uint64(0), uint64(0)
	for v := range len(r.Offsets) - 1 {
		first, hi := end, r.Offsets[v+1]
		for p := lo; p < hi; p++ {
			if end > first && r.Targets[end-1] == r.Targets[p] {
				r.Weights[end-1] = join(r.Weights[end-1], r.Weights[p], least)
				continue
			}
			r.Targets[end], r.Weights[end] = r.Targets[p], r.Weights[p]
			end++
		}
		lo, r.Offsets[v+1] = hi, end
	}
	r.Targets, r.Weights = r.Targets[:end], r.Weights[:end]
}

// join returns the weight of two parallel edges together.
func join(x, y float64, least bool) float64 {
	if least {
		return min(x, y)
	}
	return x + y
}

// merge returns the edges of x and y, and drops both.
func (b *weightedRows) merge(x, y Rows) (Rows, error) {
	out, err := b.room(uint64(len(x.Targets) + len(y.Targets)))
	if err != nil {
		return out, err
	}
	targets, weights, at := out.Targets[:cap(out.Targets)], out.Weights[:cap(out.Targets)], 0
	for v := range b.N {
		if v%parallel.PollEvery == 0 && b.ctx.Err() != nil {
			return out, b.ctx.Err()
		}
		i, iEnd, j, jEnd := x.Offsets[v], x.Offsets[v+1], y.Offsets[v], y.Offsets[v+1]
		for i < iEnd && j < jEnd {
			switch s, t := x.Targets[i], y.Targets[j]; {
			case s < t:
				targets[at], weights[at] = s, x.Weights[i]
				i++
			case t < s:
				targets[at], weights[at] = t, y.Weights[j]
				j++
			default:
				targets[at], weights[at] = s, join(x.Weights[i], y.Weights[j], b.r.Weight.Least)
				i, j = i+1, j+1
			}
			at++
		}
		copy(weights[at:], x.Weights[i:iEnd])
		at += copy(targets[at:], x.Targets[i:iEnd])
		copy(weights[at:], y.Weights[j:jEnd])
		at += copy(targets[at:], y.Targets[j:jEnd])
		out.Offsets[v+1] = uint64(at)
	}
	out.Targets, out.Weights = targets[:at], weights[:at]
	b.drop(&x)
	b.drop(&y)
	return out, nil
}

// transpose returns the rows of the opposite direction.
func (b *weightedRows) transpose(r *Rows) (Rows, error) {
	m := len(r.Targets)
	t, err := b.room(uint64(m))
	if err != nil {
		return t, err
	}
	t.Targets, t.Weights = t.Targets[:m], t.Weights[:m]
	for _, w := range r.Targets {
		t.Offsets[w+1]++
	}
	start := uint64(0) // Offsets[w+1] is the next free position of row w, and in the end that behind it
	for w := range b.N {
		n := t.Offsets[w+1]
		t.Offsets[w+1] = start
		start += n
	}
	for v := range b.N {
		if v%parallel.PollEvery == 0 && b.ctx.Err() != nil {
			return t, b.ctx.Err()
		}
		for p := r.Offsets[v]; p < r.Offsets[v+1]; p++ {
			next := &t.Offsets[r.Targets[p]+1]
			t.Targets[*next], t.Weights[*next] = csr.VertexID(v), r.Weights[p]
			*next++
		}
	}
	return t, nil
}
