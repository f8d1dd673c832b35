package csr

import (
	"context"
	"fmt"
	"slices"

	"github.com/motifql/motif/internal/hugepages"
)

// Incoming holds the relationships of one type by target. Sources are sorted inside a target; parallel relationships repeat their source.
type Incoming struct {
	lo      VertexID
	offsets []uint64
	sources []VertexID
	ids     []uint64
}

// Bytes is the memory of x; see Sized.
func (x *Incoming) Bytes() uint64 {
	return 8*uint64(len(x.offsets)+len(x.ids)) + 4*uint64(len(x.sources))
}

// IncidentRow lists relationships at one vertex with their other ends, which rise.
type IncidentRow struct {
	Ends  []VertexID
	first EdgeID
	ids   []uint64 // instead of first and the numbers after it
	moved []EdgeID // likewise, in an overlay
}

// NewIncidentRow lists relationships by their other ends, which rise.
func NewIncidentRow(ends []VertexID, ids []EdgeID) IncidentRow {
	return IncidentRow{Ends: ends, moved: ids}
}

// ID is the relationship that leads to the i-th end.
func (r *IncidentRow) ID(i int) EdgeID {
	switch {
	case r.ids != nil:
		return EdgeID(r.ids[i])
	case r.moved != nil:
		return r.moved[i]
	}
	return r.first + EdgeID(i)
}

// Outgoing returns the relationships that leave v.
func (r *Rels) Outgoing(v VertexID) IncidentRow {
	lo, hi := r.Row(v)
	row := IncidentRow{Ends: r.Targets[lo:hi:hi]}
	if r.ids != nil && lo >= r.base {
		row.moved = r.ids[lo-r.base : hi-r.base]
	} else {
		row.first = r.First + EdgeID(lo)
	}
	return row
}

// AppendIDs appends the relationships that lead to the ends lo to hi.
func (r *IncidentRow) AppendIDs(dst []EdgeID, lo, hi int) []EdgeID {
	switch {
	case r.moved != nil:
		return append(dst, r.moved[lo:hi]...)
	case r.ids != nil:
		for _, id := range r.ids[lo:hi] {
			dst = append(dst, EdgeID(id))
		}
		return dst
	}
	n := len(dst)
	dst = slices.Grow(dst, hi-lo)[:n+hi-lo]
	for i := range dst[n:] {
		dst[n+i] = r.first + EdgeID(lo+i)
	}
	return dst
}

// Row returns the relationships that enter w.
func (x *Incoming) Row(w VertexID) IncidentRow {
	i := uint64(w) - uint64(x.lo)
	if w < x.lo || i+1 >= uint64(len(x.offsets)) {
		return IncidentRow{}
	}
	lo, hi := x.offsets[i], x.offsets[i+1]
	return IncidentRow{Ends: x.sources[lo:hi:hi], ids: x.ids[lo:hi:hi]}
}

// incomingKey is the key of an Incoming in Snapshot.Derived.
type incomingKey struct {
	of   TypeID
	name string
}

func (k incomingKey) String() string { return fmt.Sprintf("relationships of %s, by target", k.name) }

// IncomingBytes is what IncomingOf takes for type t while it is made. It is 0 in an overlay, which has none.
func IncomingBytes(s *Snapshot, t TypeID) int64 {
	if s.over != nil {
		return 0
	}
	return 20*int64(s.Data.Rels[t].Len()) + 8*int64(s.N()) + 1
}

// KnownIncoming is IncomingOf if somebody has asked for it before, else nil.
func KnownIncoming(s *Snapshot, t TypeID) *Incoming {
	x, _ := FindDerived(s, incomingKey{t, s.Types.Name(uint32(t))}).(*Incoming)
	return x
}

// IncomingOf returns the relationships of type t by target. It makes them once and keeps them. The result is nil in an overlay, and if
// ctx ends.
func IncomingOf(ctx context.Context, s *Snapshot, t TypeID, workers int) *Incoming {
	if s.over != nil {
		return nil
	}
	x, _ := s.Derived(incomingKey{t, s.Types.Name(uint32(t))}, func() any {
		r := s.Rels(t)
		order := hugepages.Make[uint64](len(r.Targets))
		for p := range order {
			order[p] = uint64(r.ID(uint64(p)))
		}
		by, ids, err := transpose(ctx, r, targetRange(r), order, workers)
		if err != nil {
			return nil
		}
		return &Incoming{lo: by.Lo, offsets: by.Offsets, sources: by.Targets, ids: ids}
	}).(*Incoming)
	return x
}

// AllIncoming is IncomingOf for several types. may says whether those that are missing may be made, which takes some bytes meanwhile, for so
// many relationships. The result is nil if it says no, in an overlay, and if ctx ends; never says that it stays so.
func AllIncoming(ctx context.Context, s *Snapshot, types []TypeID, may func(bytes int64, relationships uint64) bool) (all []*Incoming, never bool) {
	if s.over != nil {
		return nil, true
	}
	all = make([]*Incoming, len(types))
	bytes, relationships := int64(0), uint64(0)
	for i, t := range types {
		if all[i] = KnownIncoming(s, t); all[i] == nil {
			bytes += IncomingBytes(s, t)
			relationships += s.Data.Rels[t].Len()
		}
	}
	if bytes > 0 && !may(bytes, relationships) {
		return nil, false
	}
	for i, t := range types {
		if all[i] == nil {
			if all[i] = IncomingOf(ctx, s, t, 1); all[i] == nil {
				return nil, false
			}
		}
	}
	return all, false
}
