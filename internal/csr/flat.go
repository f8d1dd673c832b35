package csr

import (
	"slices"

	"github.com/motifql/motif/internal/workgroup"
)

// Flat copies of what has rows elsewhere.

type lazyRels struct {
	once workgroup.Once
	rels []Rels
}

// FlatRels returns the relationships of each type as Offsets and Targets alone say, for code that walks them; those of types outside of the
// set may be missing. In an overlay they are made once, without the relationships' ids: First means nothing then.
func (s *Snapshot) FlatRels(types TypeSet) []Rels {
	if s.over == nil {
		return readyRels(s, types)
	}
	s.over.flat.once.Do(func() {
		defer s.Deriving("relationships in order")()
		flat := make([]Rels, len(s.Data.Rels))
		for t := range s.Data.Rels {
			r := s.Rels(TypeID(t))
			n := VertexID(s.Vertices)
			if r.pages == nil {
				flat[t] = Rels{Lo: r.Lo, Offsets: cutOffsets(r.Lo, r.Offsets, n), Targets: r.Targets}
			} else {
				flat[t].Offsets, flat[t].Targets = flatten(n, r.Len(), r.Row, r.Targets)
			}
		}
		s.over.flat.rels = flat
	})
	return s.over.flat.rels
}

// readyRels returns the relationships of a flat snapshot. Those of other types may be undecoded.
func readyRels(s *Snapshot, types TypeSet) []Rels {
	late := false
	for t := range s.Data.Rels {
		late = late || s.Data.Rels[t].late != nil
	}
	if !late {
		return s.Data.Rels
	}
	ready := slices.Clone(s.Data.Rels)
	for t := range ready {
		if types.Has(TypeID(t)) {
			ready[t] = *s.Rels(TypeID(t))
		}
	}
	return ready
}

// flatten lays the rows of n vertices with m items one behind the other.
func flatten[T any](n VertexID, m uint64, row func(v VertexID) (lo, hi uint64), items []T) ([]uint64, []T) {
	offsets, out := make([]uint64, n+1), make([]T, 0, m)
	for v := range n {
		lo, hi := row(v)
		out = append(out, items[lo:hi]...)
		offsets[v+1] = uint64(len(out))
	}
	return offsets, out
}

// Flat is the same view with its rows one behind the other, as Offsets say. It is made once.
func (a *Adjacency) Flat() *Adjacency {
	if a.pages == nil {
		return a
	}
	if flat := a.flat.Load(); flat != nil {
		return flat
	}
	flat := &Adjacency{Loops: a.Loops}
	flat.Offsets, flat.Targets = flatten(a.n, a.live, a.Row, a.Targets)
	if a.Counts != nil {
		_, flat.Counts = flatten(a.n, a.live, a.Row, a.Counts)
	}
	a.flat.CompareAndSwap(nil, flat)
	return a.flat.Load()
}
