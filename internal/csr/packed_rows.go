package csr

import (
	"context"
	"errors"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/motifql/motif/internal/hugepages"
)

// PackedRows has the rows of a type by source and by target. Each is read when somebody first needs it, and decoded as often as that is
// asked for: only LatePacked's relationships are kept.
type PackedRows struct {
	Out, In func() (*Packed, error)
}

// LatePacked is LateRels for packed rows. Views of the type alone are made of them, without the relationships where it needs none of these.
func LatePacked(first EdgeID, lo VertexID, edges uint64, rows PackedRows, fault func(err error) error) Rels {
	return Rels{First: first, Lo: lo, late: &lateRels{edges: edges, packed: rows, fault: fault}}
}

// readPacked decodes the relationships.
func (l *lateRels) readPacked(r *Rels) error {
	rows, err := l.packed.Out()
	if err != nil {
		return err
	}
	out, found, err := rows.decode(context.Background(), defaultWorkers())
	if err == nil {
		err = l.compare(found)
	}
	r.Offsets, r.Targets = out.Offsets, out.Targets
	l.found = found
	return err
}

// decode decodes all rows.
func (p *Packed) decode(ctx context.Context, workers int) (*Rels, relsShape, error) {
	r := &Rels{Lo: p.lo, Targets: hugepages.Make[VertexID](p.edges)}
	var err error
	if r.Offsets, err = p.offsets(ctx, workers); err != nil {
		return r, relsShape{}, err
	}
	found, err := p.each(ctx, workers, r.Offsets, r.Targets, nil)
	return r, found, err
}

// offsets decodes where rows begin and end.
func (p *Packed) offsets(ctx context.Context, workers int) ([]uint64, error) {
	offsets := hugepages.Make[uint64](p.rows + 1)
	err := p.eachBlock(ctx, workers, func(i int) error {
		return p.degrees(i, offsets[p.blocks[i].row+1:p.blocks[i+1].row+1])
	})
	return offsets, err
}

// each decodes the items of all blocks to their places in all, or if that is nil to memory that is used again. fn, if not nil, gets the rows
// one by one.
func (p *Packed) each(ctx context.Context, workers int, offsets []uint64, all []VertexID, fn func(v VertexID, row []VertexID)) (found relsShape, err error) {
	var mu sync.Mutex
	var rooms sync.Pool
	err = p.eachBlock(ctx, workers, func(i int) error {
		at, next := p.blocks[i], p.blocks[i+1]
		var items []VertexID
		if all != nil {
			items = all[at.edge:next.edge]
		} else {
			room, _ := rooms.Get().(*[]VertexID)
			if room == nil || uint64(len(*room)) < next.edge-at.edge {
				room = new([]VertexID)
				*room = make([]VertexID, max(2*packedItems, next.edge-at.edge))
			}
			defer rooms.Put(room)
			items = (*room)[:next.edge-at.edge]
		}
		ends := offsets[at.row+1 : next.row+1]
		part, err := p.items(i, ends, items)
		if err != nil {
			return err
		}
		mu.Lock()
		found.add(part)
		mu.Unlock()
		lo := at.edge
		for k := 0; fn != nil && k < len(ends); k++ {
			if hi := ends[k]; hi > lo {
				fn(p.lo+VertexID(at.row)+VertexID(k), items[lo-at.edge:hi-at.edge])
				lo = hi
			}
		}
		return nil
	})
	return found, err
}

// eachBlock runs fn on the blocks until one fails or ctx ends.
func (p *Packed) eachBlock(ctx context.Context, workers int, fn func(i int) error) error {
	var failed atomic.Pointer[error]
	dynamic(workers, len(p.blocks)-1, func(i int) {
		if failed.Load() != nil || ctx.Err() != nil {
			return
		}
		if err := fn(i); err != nil {
			failed.CompareAndSwap(nil, &err)
		}
	})
	if err := failed.Load(); err != nil {
		return *err
	}
	return ctx.Err()
}

// packedView makes a view of a type alone from its packed rows. It is nil if there are none, or if it has to be made of the relationships.
func (s *Snapshot) packedView(ctx context.Context, t TypeID, dir Direction, workers int) (a *Adjacency, err error) {
	r := &s.Data.Rels[t]
	l := r.late
	if s.over != nil || l == nil || l.packed.Out == nil || l.stat == nil {
		return nil, nil
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true)) // the rows may be memory of a mapped file
	switch {
	case dir == Out:
		if ready := r.Ready(); !l.found.parallel {
			a = &Adjacency{Lo: ready.Lo, Offsets: ready.Offsets, Targets: ready.Targets, Loops: l.found.loops}
		}
	case dir == In:
		a, err = l.incoming(ctx, workers)
	case l.stat.Loops == 0: // the reverse of a loop would have to be left out
		a, err = l.bothWays(ctx, workers)
	}
	if err != nil && ctx.Err() == nil {
		panic(&Fault{l.fault(err)})
	}
	return a, err
}

// incoming makes the view by target.
func (l *lateRels) incoming(ctx context.Context, workers int) (*Adjacency, error) {
	rows, err := l.packed.In()
	if err != nil {
		return nil, err
	}
	in, found, err := rows.decode(ctx, workers)
	if err == nil {
		err = l.compare(found)
	}
	if err != nil {
		return nil, err
	}
	a := &Adjacency{Lo: in.Lo, Offsets: in.Offsets, Targets: in.Targets}
	if found.parallel {
		a = distinct(ctx, in, workers)
	}
	a.Loops = found.loops
	return a, ctx.Err()
}

// bothWays makes the view in both directions of a type without loops. Like the function bothWays, it writes the incoming half of every row behind
// room for the outgoing half. Neither half is kept, so this holds no more than the view and two lists of offsets.
func (l *lateRels) bothWays(ctx context.Context, workers int) (*Adjacency, error) {
	out, err := l.packed.Out()
	if err != nil {
		return nil, err
	}
	in, err := l.packed.In()
	if err != nil {
		return nil, err
	}
	outAt, err := out.offsets(ctx, workers)
	if err != nil {
		return nil, err
	}
	inAt, err := in.offsets(ctx, workers)
	if err != nil {
		return nil, err
	}
	span := Range{min(out.lo, in.lo), max(out.lo+VertexID(out.rows), in.lo+VertexID(in.rows))}
	all := &Rels{Lo: span.Lo, Offsets: hugepages.Make[uint64](span.Len() + 1), Targets: hugepages.Make[VertexID](out.edges + in.edges)}
	addDegrees(all.Offsets[out.lo-span.Lo:], outAt)
	addDegrees(all.Offsets[in.lo-span.Lo:], inAt)
	for i := 1; i < len(all.Offsets); i++ {
		all.Offsets[i] += all.Offsets[i-1]
	}
	row := func(v VertexID) []VertexID {
		return all.Targets[all.Offsets[v-span.Lo]:all.Offsets[v-span.Lo+1]]
	}
	by, err := in.each(ctx, workers, inAt, nil, func(v VertexID, sources []VertexID) {
		whole := row(v)
		copy(whole[len(whole)-len(sources):], sources)
	})
	if err != nil {
		return nil, err
	}
	found, err := out.each(ctx, workers, outAt, nil, func(v VertexID, targets []VertexID) { mergeInto(row(v), targets) })
	if err == nil {
		err = l.compare(found)
	}
	if err == nil && (by.edges != found.edges || by.loops != found.loops || by.products != found.products) {
		err = errors.New("other relationships by target than by source")
	}
	if err != nil {
		return nil, err
	}
	a := distinct(ctx, all, workers)
	return a, ctx.Err()
}

// addDegrees adds the lengths of rows to the places behind theirs.
func addDegrees(to, offsets []uint64) {
	for i := 1; i < len(offsets); i++ {
		to[i] += offsets[i] - offsets[i-1]
	}
}
