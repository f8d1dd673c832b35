package network

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// A snapshot keeps the rows with weights that were made last, as it keeps its views: calls of one program mostly ask for the same ones.

// keptKey is the key of the kept rows in Snapshot.Derived.
type keptKey struct{}

func (keptKey) String() string { return "relationships with weights" }

type kept struct{ last atomic.Pointer[keptRows] }

// Bytes is the memory of the rows; see csr.Sized.
func (k *kept) Bytes() uint64 {
	rows := k.last.Load()
	if rows == nil {
		return 0
	}
	bytes := rows.out.bytes()
	if len(rows.in.Offsets) > 0 && unsafe.SliceData(rows.in.Offsets) != unsafe.SliceData(rows.out.Offsets) {
		bytes += rows.in.bytes()
	}
	return bytes
}

func (r *Rows) bytes() uint64 {
	return 8*uint64(len(r.Offsets)) + 4*uint64(len(r.Targets)) + 8*uint64(len(r.Weights))
}

// keptRows are rows that nobody changes.
type keptRows struct {
	of      rowsName
	sides   Side
	zero    bool // an edge weighs nothing
	out, in Rows
}

// rowsName says which rows of a snapshot, with all its vertices.
type rowsName struct {
	types     string
	direction csr.Direction
	key       csr.KeyID
	absent    bool
	least     bool
	missing   uint64 // the default's bits
}

func nameOf(r *pattern.Network) rowsName {
	return rowsName{types: fmt.Sprint(r.Types == nil, r.Types), direction: r.Direction, key: r.Weight.Key, absent: r.Weight.Absent,
		least: r.Weight.Least, missing: math.Float64bits(r.Weight.Default)}
}

// weighted fills in rows with weights. They are charged also where the snapshot has them.
func (g *Graph) weighted(ctx context.Context, s *csr.Snapshot, r *pattern.Network, sides Side) error {
	b := &weightedRows{Graph: g, ctx: ctx, s: s, r: r}
	if g.Vertices != nil {
		return b.measured(sides)
	}
	all := s.Derived(keptKey{}, func() any { return new(kept) }).(*kept)
	name := nameOf(r)
	if k := all.last.Load(); k != nil && k.of == name && sides&^k.sides == 0 && !(k.zero && r.Weight.Positive) {
		g.Out, g.In = k.out, k.in
		bytes := rowsBytes(g.N, len(k.out.Targets))
		if r.Direction != csr.Both && k.sides == Out|In {
			bytes += rowsBytes(g.N, len(k.in.Targets))
		}
		return g.charge(bytes)
	}
	defer s.Deriving(keptKey{}.String())()
	if err := b.measured(sides); err != nil {
		return err
	}
	if r.Direction == csr.Both {
		sides = Out | In
	}
	all.last.Store(&keptRows{of: name, sides: sides, zero: b.zero, out: g.Out, in: g.In})
	return nil
}

// measured is fill, and notes the largest weights.
func (b *weightedRows) measured(sides Side) error {
	err := b.fill(sides)
	for _, rows := range []*Rows{&b.Out, &b.In} {
		if len(rows.Weights) > 0 {
			rows.Largest = slices.Max(rows.Weights)
		}
	}
	return err
}
