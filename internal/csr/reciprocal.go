package csr

import (
	"context"
	"sync/atomic"

	"github.com/motifql/motif/internal/hugepages"
)

type reciprocalKey string // the types with relationships, as in viewKey

// Reciprocal returns a graph of the same vertices. One relationship joins two of them where s has relationships of these types
// between them in both directions. The graph is made once for each set of types and kept. It has no properties, and the ids of
// its relationships mean nothing in s. It takes 8 bytes a vertex and 4 a pair, beside two views of s. The only error is ctx's.
func (s *Snapshot) Reciprocal(ctx context.Context, types TypeSet) (*Snapshot, error) {
	key := reciprocalKey(nameOf(s.Used(types)))
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		// Whoever comes first builds for all that wait. If it is cancelled nothing is kept, and the others try again.
		if got := s.Derived(key, func() any { return reciprocalOf(ctx, s, types) }); got != nil {
			return got.(*Snapshot), nil
		}
	}
}

// reciprocalOf makes the graph that Reciprocal returns, or nil if ctx ends first.
func reciprocalOf(ctx context.Context, s *Snapshot, types TypeSet) any {
	out, in := s.Adjacency(types, Out), s.Adjacency(types, In)
	n := int(s.N())
	r := Rels{Offsets: hugepages.Make[uint64](n + 1)}
	cuts := make([]int, 0, 65)
	for i := range 65 {
		cuts = append(cuts, i*n/64)
	}
	var stopped atomic.Bool
	pass := func(row func(v VertexID)) {
		dynamic(defaultWorkers(), 64, func(i int) {
			for v := cuts[i]; v < cuts[i+1]; v++ {
				if v%1024 == 0 && (stopped.Load() || ctx.Err() != nil) {
					stopped.Store(true)
					return
				}
				row(VertexID(v))
			}
		})
	}
	pass(func(v VertexID) {
		for range common(out.Neighbours(v), in.Neighbours(v), v) {
			r.Offsets[v+1]++
		}
	})
	for v := range n {
		r.Offsets[v+1] += r.Offsets[v]
	}
	r.Targets = hugepages.Make[VertexID](r.Offsets[n])
	pass(func(v VertexID) {
		at := r.Offsets[v]
		for w := range common(out.Neighbours(v), in.Neighbours(v), v) {
			r.Targets[at] = w
			at++
		}
	})
	if stopped.Load() || ctx.Err() != nil {
		return nil
	}
	m := uint64(len(r.Targets))
	d := Data{Vertices: s.Vertices, Edges: m, Labels: s.Labels, Types: NewDict("mutual"), Classes: s.Classes, Rels: []Rels{r}, NextRel: RelID(m)}
	s.shareNodeIDs(&d)
	snap, err := New(d)
	if err != nil {
		panic(err) // made of a checked snapshot's parts
	}
	return snap
}

// common yields the elements above v of two sorted lists that are in both.
func common(a, b []VertexID, v VertexID) func(yield func(VertexID) bool) {
	return func(yield func(VertexID) bool) {
		for len(a) > 0 && len(b) > 0 {
			switch {
			case a[0] < b[0]:
				a = a[1:]
			case a[0] > b[0]:
				b = b[1:]
			default:
				if a[0] > v && !yield(a[0]) {
					return
				}
				a, b = a[1:], b[1:]
			}
		}
	}
}
