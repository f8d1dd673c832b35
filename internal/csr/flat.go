package csr

import (
	"github.com/motifql/motif/internal/workgroup"
)

// Flat copies of what has rows elsewhere.

type lazyRels struct {
	once workgroup.Once
	rels []Rels
}

// FlatRels is the relationships of every type as Offsets and Targets alone say, for those who walk them. In a
// flat snapshot it is Rels; else it is made once, without the relationships' ids: First means nothing then.
func (s *Snapshot) FlatRels() []Rels {
	if s.over == nil {
		return s.Rels
	}
	s.over.flat.once.Do(func() {
		defer s.Deriving("relationships in order")()
		flat := make([]Rels, len(s.Rels))
		for t := range s.Rels {
			r := &s.Rels[t]
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
