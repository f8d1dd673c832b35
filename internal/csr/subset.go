package csr

import (
	"context"
	"sync/atomic"
)

// Subset says which relationships of a type a graph of WithSubsets has once more.
type Subset struct {
	Type TypeID
	// Test returns a function that reports whether a relationship is in the subset. Each goroutine has one of its own.
	Test func() func(e EdgeID) (bool, error)
}

// WithSubsets returns a graph with the vertices and relationships of s in which subset i is one more type, numbered behind the types of s.
// It has no properties, and the ids of its relationships mean nothing in s. charge is called with the bytes that subsets take. The
// first error of a test, of charge or of ctx ends the work.
func WithSubsets(ctx context.Context, s *Snapshot, subsets []Subset, workers int, charge func(bytes int64) error) (*Snapshot, error) {
	d := Data{Vertices: s.Vertices, Edges: s.Edges, Labels: s.Labels, Keys: s.Keys, Types: NewDict(s.Types.Names()...), Classes: s.Classes}
	s.shareNodeIDs(&d)
	d.Rels = append(d.Rels, subsetRels(s)...)
	first := EdgeID(0)
	for t := range d.Rels { // those of an overlay have no numbers
		d.Rels[t].First = first
		first += EdgeID(d.Rels[t].Len())
	}
	part := Data{Vertices: s.Vertices, Labels: s.Labels, Classes: s.Classes, Types: NewDict()}
	for _, x := range subsets {
		r, err := subsetOf(ctx, s, x, workers, charge)
		if err != nil {
			return nil, err
		}
		part.Rels = append(part.Rels, r)
		part.Types.Add(subsetName(part.Types, s.Types.Name(uint32(x.Type))))
		r.First = first
		first += EdgeID(len(r.Targets))
		d.Rels = append(d.Rels, r)
		d.Types.Add(subsetName(d.Types, s.Types.Name(uint32(x.Type))))
	}
	d.Edges, d.NextRel = uint64(first), RelID(first)
	stats, err := computeStats(ctx, &part, workers, nil)
	if err != nil {
		return nil, err
	}
	d.Stats = joinStats(s.Stats, stats, subsets)
	out := newSnapshot(d)
	s.mu.Lock()
	defer s.mu.Unlock()
	for key, v := range s.views { // of the types of s, which have the same numbers here
		if adj := v.adj.Load(); adj != nil {
			own := &view{turn: make(chan struct{}, 1)}
			own.adj.Store(adj)
			out.views[key] = own
		}
	}
	return out, nil
}

// subsetRels returns the relationships of all types for a graph of subsets. Nobody has to decode them for that.
func subsetRels(s *Snapshot) []Rels {
	if s.over == nil {
		return s.Data.Rels
	}
	return s.FlatRels(nil)
}

// subsetName is a name that the types do not have.
func subsetName(types *Dict, of string) string {
	name := "some " + of
	for {
		if _, taken := types.Lookup(name); !taken {
			return name
		}
		name += "'"
	}
}

// subsetOf copies the relationships of a type that pass the test.
func subsetOf(ctx context.Context, s *Snapshot, x Subset, workers int, charge func(bytes int64) error) (Rels, error) {
	r, n := s.Rels(x.Type), int(s.Vertices)
	out := Rels{Offsets: make([]uint64, n+1)}
	parts := min(256, n/64+1)
	lists := make([][]VertexID, parts)
	errs := make([]error, parts)
	var failed atomic.Bool
	dynamic(workers, parts, func(i int) {
		test, looked := x.Test(), uint64(0)
		for v := i * n / parts; v < (i+1)*n/parts; v++ {
			lo, hi := r.Row(VertexID(v))
			if looked += hi - lo + 1; looked > 4096 {
				if looked = 0; failed.Load() {
					return
				}
				if errs[i] = ctx.Err(); errs[i] != nil {
					failed.Store(true)
					return
				}
			}
			for p := lo; p < hi; p++ {
				ok, err := test(r.ID(p))
				if err != nil {
					errs[i] = err
					failed.Store(true)
					return
				}
				if ok {
					lists[i] = append(lists[i], r.Targets[p])
					out.Offsets[v+1]++
				}
			}
		}
	})
	for _, err := range errs {
		if err != nil {
			return out, err
		}
	}
	for v := range n {
		out.Offsets[v+1] += out.Offsets[v]
	}
	if err := charge(8*int64(n+1) + 4*int64(out.Offsets[n])); err != nil {
		return out, err
	}
	out.Targets = make([]VertexID, 0, out.Offsets[n])
	for _, l := range lists {
		out.Targets = append(out.Targets, l...)
	}
	return out, ctx.Err()
}

// joinStats puts the statistics of subsets behind those of the graph that they are taken from. It says that types share pairs of nodes where
// they may.
func joinStats(of, part *Stats, subsets []Subset) *Stats {
	n := TypeID(len(of.Types))
	s := &Stats{LabelCount: of.LabelCount, Types: append(append([]TypeStat(nil), of.Types...), part.Types...), Shared: append([][2]TypeID(nil), of.Shared...),
		Triples: append([]Triple(nil), of.Triples...), Degeneracy: of.Degeneracy}
	for _, t := range part.Triples {
		t.Type += n
		s.Triples = append(s.Triples, t)
	}
	for _, p := range part.Shared {
		s.Shared = append(s.Shared, [2]TypeID{p[0] + n, p[1] + n})
	}
	for i, x := range subsets {
		at := n + TypeID(i)
		s.Shared = append(s.Shared, [2]TypeID{x.Type, at})
		for _, p := range of.Shared {
			switch x.Type {
			case p[0]:
				s.Shared = append(s.Shared, [2]TypeID{p[1], at})
			case p[1]:
				s.Shared = append(s.Shared, [2]TypeID{p[0], at})
			}
		}
	}
	return s
}
