package network

import (
	"cmp"
	"context"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/parallel"
)

// arcBytes is the memory of an edge in one direction, while the rows are made.
const arcBytes = 4 + 8

// weighted makes rows with weights. It goes over all edges twice: to count each row, and to fill it.
func (g *Graph) weighted(ctx context.Context, s *csr.Snapshot, r *pattern.Network, sides Side) error {
	b := &weightedRows{Graph: g, ctx: ctx, s: s, r: r}
	if err := g.charge(16 * int64(g.N+1)); err != nil {
		return err
	}
	rows := Rows{Offsets: make([]uint64, g.N+1)}
	if err := b.each(func(from, _ int, _ csr.EdgeID) error { rows.Offsets[from+1]++; return nil }); err != nil {
		return err
	}
	for i := range g.N {
		rows.Offsets[i+1] += rows.Offsets[i]
	}
	m := rows.Offsets[g.N]
	if err := g.charge(arcBytes * int64(m)); err != nil {
		return err
	}
	rows.Targets, rows.Weights = make([]csr.VertexID, m), make([]float64, m)
	next := slices.Clone(rows.Offsets[:g.N])
	err := b.each(func(from, to int, e csr.EdgeID) error {
		x, err := r.Weight.Of(s, e)
		if err != nil {
			return err
		}
		at := next[from]
		next[from]++
		rows.Targets[at], rows.Weights[at] = csr.VertexID(to), x
		return nil
	})
	if err != nil {
		return err
	}
	rows.merge(r.Weight.Least)
	if r.Direction == csr.Both {
		g.Out, g.In = rows, rows
		return ctx.Err()
	}
	g.Out = rows
	if sides&In == 0 {
		return ctx.Err()
	}
	if err := g.charge(arcBytes*int64(len(rows.Targets)) + 16*int64(g.N+1)); err != nil {
		return err
	}
	g.In = rows.transpose()
	return ctx.Err()
}

// weightedRows walks over the edges that count.
type weightedRows struct {
	*Graph
	ctx context.Context
	s   *csr.Snapshot
	r   *pattern.Network
}

// each calls fn with every edge in its direction, in direction Both twice.
func (b *weightedRows) each(fn func(from, to int, e csr.EdgeID) error) error {
	for t := range b.s.Data.Rels {
		if !b.r.Types.Has(csr.TypeID(t)) {
			continue
		}
		rels := b.s.Rels(csr.TypeID(t))
		for i := range b.N {
			if i%parallel.PollEvery == 0 && b.ctx.Err() != nil {
				return b.ctx.Err()
			}
			if err := b.row(rels, i, fn); err != nil {
				return err
			}
		}
	}
	return nil
}

// row calls fn with the edges of one type that leave vertex i.
func (b *weightedRows) row(rels *csr.Rels, i int, fn func(from, to int, e csr.EdgeID) error) error {
	lo, hi := rels.Row(b.Vertex(i))
	for p := lo; p < hi; p++ {
		j, ok := b.Number(rels.Targets[p])
		if !ok || i == j {
			continue
		}
		if b.r.Direction != csr.In {
			if err := fn(i, j, rels.ID(p)); err != nil {
				return err
			}
		}
		if b.r.Direction != csr.Out {
			if err := fn(j, i, rels.ID(p)); err != nil {
				return err
			}
		}
	}
	return nil
}

// merge sorts the rows and makes one edge of parallel ones.
func (r *Rows) merge(least bool) {
	var row []arc
	end := uint64(0)
	for v := range len(r.Offsets) - 1 {
		lo, hi := r.Offsets[v], r.Offsets[v+1]
		if rising(r.Targets[lo:hi]) {
			r.Offsets[v] = end
			copy(r.Weights[end:], r.Weights[lo:hi])
			end += uint64(copy(r.Targets[end:], r.Targets[lo:hi]))
			continue
		}
		row = row[:0]
		for p := lo; p < hi; p++ {
			row = append(row, arc{r.Targets[p], r.Weights[p]})
		}
		slices.SortStableFunc(row, func(a, b arc) int { return cmp.Compare(a.to, b.to) })
		r.Offsets[v] = end
		for _, a := range row {
			switch {
			case end == r.Offsets[v] || r.Targets[end-1] != a.to:
				r.Targets[end], r.Weights[end] = a.to, a.weight
				end++
			case least:
				r.Weights[end-1] = min(r.Weights[end-1], a.weight)
			default:
				r.Weights[end-1] += a.weight
			}
		}
	}
	r.Offsets[len(r.Offsets)-1] = end
	r.Targets, r.Weights = r.Targets[:end], r.Weights[:end]
}

// rising reports whether row has no target twice and is sorted.
func rising(row []csr.VertexID) bool {
	for i := 1; i < len(row); i++ {
		if row[i-1] >= row[i] {
			return false
		}
	}
	return true
}

type arc struct {
	to     csr.VertexID
	weight float64
}

// transpose returns the rows of the opposite direction.
func (r *Rows) transpose() Rows {
	n := len(r.Offsets) - 1
	t := Rows{Offsets: make([]uint64, n+1), Targets: make([]csr.VertexID, len(r.Targets)), Weights: make([]float64, len(r.Targets))}
	for _, w := range r.Targets {
		t.Offsets[w+1]++
	}
	for i := range n {
		t.Offsets[i+1] += t.Offsets[i]
	}
	next := slices.Clone(t.Offsets[:n])
	for v := range n {
		for p := r.Offsets[v]; p < r.Offsets[v+1]; p++ {
			at := next[r.Targets[p]]
			next[r.Targets[p]]++
			t.Targets[at], t.Weights[at] = csr.VertexID(v), r.Weights[p]
		}
	}
	return t
}
