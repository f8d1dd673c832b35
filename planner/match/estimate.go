package match

import (
	"cmp"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// labelled counts the vertices that satisfy l. Classes make it exact.
func labelled(s *csr.Snapshot, l *pattern.Label) float64 {
	n := 0.0
	if l != nil && l.Op == pattern.LabelName && !l.Unknown {
		return float64(s.Stats.LabelCount[l.ID])
	}
	for i := range s.Classes {
		if l.Admits(s.Classes[i].Labels) {
			n += float64(s.Classes[i].Len())
		}
	}
	return n
}

// alternatives lists labels such that every vertex that l admits carries one of them, as rare ones as l tells. ok is
// false where l does not tell.
func alternatives(s *csr.Snapshot, l *pattern.Label) (labels []csr.LabelID, ok bool) {
	if l == nil {
		return nil, false
	}
	switch l.Op {
	case pattern.LabelName:
		if l.Unknown {
			return nil, true
		}
		return []csr.LabelID{l.ID}, true
	case pattern.LabelAnd:
		for _, a := range l.Args {
			if more, known := alternatives(s, a); known && (!ok || carriers(s, more) < carriers(s, labels)) {
				labels, ok = more, true
			}
		}
		return labels, ok
	case pattern.LabelOr:
		for _, a := range l.Args {
			more, known := alternatives(s, a)
			if !known {
				return nil, false
			}
			labels = append(labels, more...)
		}
		slices.Sort(labels)
		return slices.Compact(labels), true
	}
	return nil, false
}

// alternativesIn is alternatives with room for one label.
func alternativesIn(room []csr.LabelID, s *csr.Snapshot, l *pattern.Label) (labels []csr.LabelID, ok bool) {
	if l != nil && l.Op == pattern.LabelName && !l.Unknown {
		return append(room, l.ID), true
	}
	return alternatives(s, l)
}

// carriers counts the vertices of each label. A vertex with two of the labels counts twice.
func carriers(s *csr.Snapshot, labels []csr.LabelID) float64 {
	n := 0.0
	for _, l := range labels {
		n += float64(s.Stats.LabelCount[l])
	}
	return n
}

// tripleIndex answers how many relationships join two labels, or leave or enter one.
type tripleIndex struct {
	triples []csr.Triple // of the statistics, by (type, source, target)
	pairs   []csr.Triple // over all types, by (source, target)
	out, in map[typeLabel]float64
}

// typeLabel is a type, or anyType, and a label.
type typeLabel struct {
	t csr.TypeID
	l csr.LabelID
}

const anyType = ^csr.TypeID(0)

var anyTypes = []csr.TypeID{anyType}

type tripleKey struct{}

// String names it for PROFILE.
func (tripleKey) String() string { return "statistics of types between labels" }

// triplesOf returns the index of s, which is built once.
func triplesOf(s *csr.Snapshot) *tripleIndex {
	return s.Derived(tripleKey{}, func() any {
		x := &tripleIndex{triples: s.Stats.Triples, out: map[typeLabel]float64{}, in: map[typeLabel]float64{}}
		for _, t := range x.triples {
			for _, ty := range []csr.TypeID{t.Type, anyType} {
				x.out[typeLabel{ty, t.Src}] += float64(t.Count)
				x.in[typeLabel{ty, t.Dst}] += float64(t.Count)
			}
			t.Type = anyType
			x.pairs = append(x.pairs, t)
		}
		slices.SortFunc(x.pairs, compareTriples)
		merged := x.pairs[:0]
		for _, t := range x.pairs {
			if n := len(merged); n > 0 && compareTriples(merged[n-1], t) == 0 {
				merged[n-1].Count += t.Count
			} else {
				merged = append(merged, t)
			}
		}
		x.pairs = merged
		return x
	}).(*tripleIndex)
}

func compareTriples(a, b csr.Triple) int {
	return cmp.Or(cmp.Compare(a.Type, b.Type), cmp.Compare(a.Src, b.Src), cmp.Compare(a.Dst, b.Dst))
}

// count is how many relationships of type t lead from a vertex with one of the source labels to one with one of
// the target labels. A side that is not known admits all.
func (x *tripleIndex) count(t csr.TypeID, src, dst []csr.LabelID, srcKnown, dstKnown bool) (n float64) {
	switch {
	case srcKnown && dstKnown:
		list := x.triples
		if t == anyType {
			list = x.pairs
		}
		for _, a := range src {
			for _, b := range dst {
				n += countOf(list, t, a, b)
			}
		}
	case srcKnown:
		for _, a := range src {
			n += x.out[typeLabel{t, a}]
		}
	default:
		for _, b := range dst {
			n += x.in[typeLabel{t, b}]
		}
	}
	return n
}

// countOf returns the count of a type and two labels in an ordered list; 0 if the list does not have them.
func countOf(list []csr.Triple, t csr.TypeID, src, dst csr.LabelID) float64 {
	pair := uint64(src)<<32 | uint64(dst)
	lo, hi := 0, len(list)
	for lo < hi {
		mid := int(uint(lo+hi) / 2)
		if x := &list[mid]; x.Type < t || x.Type == t && uint64(x.Src)<<32|uint64(x.Dst) < pair {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < len(list) && list[lo].Type == t && list[lo].Src == src && list[lo].Dst == dst {
		return float64(list[lo].Count)
	}
	return 0
}

// relationships counts the pairs (a, b) that a relationship of e's types joins in e's direction, where a has the labels
// of e's source and b has those of its target. x is the index of s.
func relationships(s *csr.Snapshot, x *tripleIndex, e *pattern.Edge, from, to *pattern.Label) float64 {
	types, all := []csr.TypeID(e.Types), 0.0
	if e.Types == nil {
		types, all = anyTypes, float64(s.M())
	}
	for _, t := range e.Types {
		all += float64(s.Stats.Types[t].Edges)
	}
	if e.Undirected {
		all *= 2
	}
	var room [2]csr.LabelID // for single labels, without memory of their own
	src, srcKnown := alternativesIn(room[:0:1], s, from)
	dst, dstKnown := alternativesIn(room[1:1:2], s, to)
	if !srcKnown && !dstKnown {
		return all
	}
	n := 0.0
	for _, t := range types {
		n += x.count(t, src, dst, srcKnown, dstKnown)
		if e.Undirected {
			n += x.count(t, dst, src, dstKnown, srcKnown)
		}
	}
	return min(n, all) // a vertex with several labels stands in several triples
}

// EstimateSizes guesses the sizes of the candidate sets that the filter will leave: the label's vertices, times what the
// conditions on one vertex let pass, and no more than the neighbouring sets have partners for. selectivity is the share
// of n vertices that predicate i of p lets pass.
func EstimateSizes(p *pattern.Pattern, s *csr.Snapshot, selectivity func(i int, n float64) float64) []float64 {
	sizes, base := make([]float64, len(p.Vertices)), make([]float64, len(p.Vertices))
	for u := range p.Vertices {
		base[u] = labelled(s, p.Vertices[u].Labels)
		if sizes[u] = base[u]; p.Vertices[u].Bound {
			sizes[u] = 1
		}
	}
	rels, x := make([]float64, len(p.Edges)), triplesOf(s)
	for i := range p.Edges {
		e := &p.Edges[i]
		rels[i] = relationships(s, x, e, p.Vertices[e.From].Labels, p.Vertices[e.To].Labels)
	}
	for i := range p.Predicates {
		if u, ok := p.Predicates[i].Single(); ok && !p.Vertices[u].Bound {
			sizes[u] *= selectivity(i, sizes[u])
		}
	}
	for range 2 {
		for i := range p.Edges {
			partners(p, sizes, base, rels[i], p.Edges[i].From, p.Edges[i].To)
			partners(p, sizes, base, rels[i], p.Edges[i].To, p.Edges[i].From)
		}
	}
	return sizes
}

// partners caps the candidates of u by how many relationships the candidates of w have to offer, of n that there
// are for all vertices of w's labels. Bound vertices differ from row to row, so that the filter draws nothing
// from them.
func partners(p *pattern.Pattern, sizes, base []float64, n float64, w, u int) {
	if p.Vertices[u].Bound || p.Vertices[w].Bound || u == w {
		return
	}
	sizes[u] = min(sizes[u], n*share(sizes[w], base[w]))
}
