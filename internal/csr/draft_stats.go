package csr

import (
	"context"
	"maps"
	"slices"
)

// stats makes the successor of the statistics. Counts of vertices, relationships, loops and triples are exact. Adjacency
// that it calls simple is simple; adjacency that has become simple again may still be called parallel. Figures on degrees
// are upper estimates.
func (d *Draft) stats(ctx context.Context, s *Snapshot, all [][]relChange) (*Stats, error) {
	old := d.base.Stats
	st := &Stats{LabelCount: make([]uint64, s.Labels.Len()), Types: make([]TypeStat, len(all)), Shared: old.Shared}
	for _, c := range s.Classes {
		for _, l := range c.Labels {
			st.LabelCount[l] += uint64(c.Len())
		}
	}
	copy(st.Types, old.Types)
	for t, list := range all {
		if len(list) > 0 {
			st.Types[t] = d.typeStat(st.Types[t], s, TypeID(t), list)
		}
	}
	d.triples(st, s, all)
	more := newTypePairs(len(all), maxShared)
	for t, list := range all {
		for i, x := range list {
			if i%4096 == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if x.add {
				more.addSimilar(s.Data.Rels, st, TypeID(t), x.src, x.dst)
			}
		}
	}
	pairs, err := more.list()
	if err != nil {
		return nil, err
	}
	for _, pair := range pairs {
		if !slices.Contains(st.Shared, pair) {
			st.Shared = append(slices.Clip(st.Shared), pair)
		}
	}
	return st, nil
}

// typeStat brings the figures of one type up to date.
func (d *Draft) typeStat(st TypeStat, s *Snapshot, t TypeID, list []relChange) TypeStat {
	before := float64(max(1, st.Edges))
	st.Edges = s.Rels(t).Len()
	var was Rels
	if int(t) < len(d.base.Data.Rels) {
		was = *d.base.Rels(t)
	}
	in := map[VertexID]uint64{}
	for i, x := range list {
		if x.src == x.dst {
			st.Loops--
			if x.add {
				st.Loops += 2
			}
		}
		if x.add {
			in[x.dst]++
		}
		if i > 0 && list[i-1].src == x.src {
			continue
		}
		lo, hi := was.Row(x.src)
		a, b := s.Rels(t).Row(x.src)
		before, now := float64(hi-lo), float64(b-a)
		st.OutOut += now*(now-1) - before*(before-1)
		st.MaxOut = max(st.MaxOut, b-a)
		if hi > lo {
			st.Sources--
		}
		if b > a {
			st.Sources++
		}
	}
	most := uint64(0)
	for _, n := range in {
		most = max(most, n)
	}
	grown := float64(st.Edges) / before
	st.InIn, st.InOut = st.InIn*grown*grown, st.InOut*grown*grown
	st.MaxIn = min(st.Edges, st.MaxIn+most)
	st.Targets = min(st.Edges, st.Targets+uint64(len(in)))
	return st
}

// triples counts by labels: what goes by those of the base, what comes by those now.
func (d *Draft) triples(st *Stats, s *Snapshot, all [][]relChange) {
	n := make(map[Triple]uint64)
	for t, list := range all {
		for _, x := range list {
			if x.add {
				addTriples(n, s.LabelsOf(x.src), s.LabelsOf(x.dst), TypeID(t), 1)
			} else {
				addTriples(n, d.base.LabelsOf(x.src), d.base.LabelsOf(x.dst), TypeID(t), ^uint64(0)) // one less
			}
		}
	}
	if len(n) == 0 {
		st.Triples = d.base.Stats.Triples
		return
	}
	for _, x := range d.base.Stats.Triples {
		key := x
		key.Count = 0
		n[key] += x.Count
	}
	maps.DeleteFunc(n, func(_ Triple, count uint64) bool { return count == 0 })
	st.Triples = sortedTriples(n)
}

// addSimilar adds the types of the relationships that join src and dst, beside one of type t, and notes in st whether those of
// type t are parallel or reciprocal.
func (pairs *typePairs) addSimilar(rels []Rels, st *Stats, t TypeID, src, dst VertexID) {
	var run []uint64
	for u := range rels {
		forward := rels[u].times(src, dst)
		backward := 0
		if src != dst {
			backward = rels[u].times(dst, src)
		}
		if TypeID(u) == t {
			st.Types[t].Parallel = st.Types[t].Parallel || forward > 1
			st.Types[t].Reciprocal = st.Types[t].Reciprocal || backward > 0
		}
		if src != dst && forward+backward > 0 {
			run = append(run, uint64(u))
		}
	}
	if len(run) > 1 {
		pairs.add(run)
	}
}

// times counts the relationships from v to w.
func (r *Rels) times(v, w VertexID) int {
	lo, hi := r.Row(v)
	return count(r.Targets[lo:hi], w)
}
