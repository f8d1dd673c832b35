package csr

import (
	"cmp"
	"context"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"
)

// Stats holds the statistics of a snapshot for the planner.
type Stats struct {
	LabelCount []uint64 // vertices by LabelID
	Types      []TypeStat
	// Shared lists the pairs of different types, smaller first, that join some pair of different nodes, in
	// whatever directions.
	Shared [][2]TypeID
	// Triples counts relationships by (source label, type, target label). A vertex counts under each of its
	// labels, one without labels under NoLabel. Sorted by Type, Src, Dst.
	Triples []Triple
	// Degeneracy of the simple undirected graph over all types; 0 until someone has computed it.
	Degeneracy uint32
}

// TypeStat describes the relationships of one type.
type TypeStat struct {
	Edges   uint64
	Sources uint64 // vertices with at least one outgoing relationship
	Targets uint64
	MaxOut  uint64
	MaxIn   uint64
	Loops   uint64
	// Wedges by the directions at the middle vertex, loops included: the sums of out*(out-1), in*(in-1) and
	// out*in over all vertices, rounded.
	OutOut, InIn, InOut float64
	Parallel            bool // some (source, target) pair repeats
	Reciprocal          bool // some two different vertices are joined in both directions
}

// Triple is the number of relationships of a type between vertices of two labels.
type Triple struct {
	Src, Dst LabelID
	Type     TypeID
	Count    uint64
}

// Loops is how many relationships of the types are loops.
func (s *Stats) Loops(types TypeSet) (n uint64) {
	for t := range s.Types {
		if types.Has(TypeID(t)) {
			n += s.Types[t].Loops
		}
	}
	return n
}

// SimpleUnion reports whether every unordered pair of nodes has at most one relationship of these types and there
// are no loops among them: then adjacency says as much as the relationships do.
func (s *Stats) SimpleUnion(types TypeSet) bool {
	for t, st := range s.Types {
		if types.Has(TypeID(t)) && (st.Parallel || st.Reciprocal || st.Loops > 0) {
			return false
		}
	}
	for _, p := range s.Shared {
		if types.Has(p[0]) && types.Has(p[1]) {
			return false
		}
	}
	return true
}

func computeStats(d *Data, workers int) *Stats {
	s := &Stats{LabelCount: make([]uint64, d.Labels.Len()), Types: make([]TypeStat, len(d.Rels))}
	for _, c := range d.Classes {
		for _, l := range c.Labels {
			s.LabelCount[l] += uint64(c.Len())
		}
	}
	used := 0
	for t := range d.Rels {
		if len(d.Rels[t].Targets) > 0 {
			used++
		}
	}
	// Many types share the workers; a few are worked on by all of them together, one after the other.
	within := workers
	if used > workers {
		within = 1
	}
	dynamic(workers/within, len(d.Rels), func(t int) { s.Types[t] = typeStat(&d.Rels[t], within) })
	s.Triples = triples(d, workers)
	if used > 1 {
		s.Shared = shared(d, workers)
	}
	return s
}

func typeStat(r *Rels, workers int) TypeStat {
	st := TypeStat{Edges: uint64(len(r.Targets))}
	if st.Edges == 0 {
		return st
	}
	var mu sync.Mutex
	cuts := rows(r.Offsets, 4*workers)
	dynamic(workers, len(cuts)-1, func(i int) {
		part := outStat(r, cuts[i], cuts[i+1])
		mu.Lock()
		defer mu.Unlock()
		st.Sources += part.Sources
		st.Loops += part.Loops
		st.OutOut += part.OutOut
		st.MaxOut = max(st.MaxOut, part.MaxOut)
		st.Parallel = st.Parallel || part.Parallel
	})
	inStat(r, &st, workers)
	st.Reciprocal = reciprocal(r, workers)
	return st
}

func outStat(r *Rels, a, b int) TypeStat {
	var st TypeStat
	for j := a; j < b; j++ {
		row := r.Targets[r.Offsets[j]:r.Offsets[j+1]]
		if len(row) == 0 {
			continue
		}
		st.Sources++
		st.MaxOut = max(st.MaxOut, uint64(len(row)))
		st.OutOut += float64(len(row)) * float64(len(row)-1)
		st.Loops += uint64(count(row, r.Lo+VertexID(j)))
		st.Parallel = st.Parallel || distinctLen(row) < len(row)
	}
	return st
}

// inStat fills in what concerns targets: by a counter per vertex, or by sorting where the vertices are many more
// than the relationships.
func inStat(r *Rels, st *TypeStat, workers int) {
	note := func(w VertexID, in uint64) {
		lo, hi := r.Row(w)
		st.Targets++
		st.MaxIn = max(st.MaxIn, in)
		st.InIn += float64(in) * float64(in-1)
		st.InOut += float64(in) * float64(hi-lo)
	}
	span := targetRange(r)
	if span.Len() > 16*len(r.Targets) {
		sorted := slices.Sorted(slices.Values(r.Targets))
		for i := 0; i < len(sorted); {
			n := count(sorted[i:], sorted[i])
			note(sorted[i], uint64(n))
			i += n
		}
		return
	}
	t := newTransposition(context.Background(), r, span, false, workers)
	for k := range span.Len() {
		in := uint64(0)
		for _, c := range t.counts {
			in += c[k]
		}
		if in > 0 {
			note(span.Lo+VertexID(k), in)
		}
	}
}

// reciprocal looks for a pair joined both ways. It searches the row of the larger id, which has the smaller
// degree as a rule.
func reciprocal(r *Rels, workers int) bool {
	var found atomic.Bool
	cuts := rows(r.Offsets, 16*workers)
	dynamic(workers, len(cuts)-1, func(i int) {
		for j := cuts[i]; j < cuts[i+1] && !found.Load(); j++ {
			v := r.Lo + VertexID(j)
			row := r.Targets[r.Offsets[j]:r.Offsets[j+1]]
			first, _ := slices.BinarySearch(row, v+1)
			for _, w := range row[first:] {
				lo, hi := r.Row(w)
				if _, ok := slices.BinarySearch(r.Targets[lo:hi], v); ok {
					found.Store(true)
					return
				}
			}
		}
	})
	return found.Load()
}

// triples counts by pairs of classes first and spreads those over the labels.
func triples(d *Data, workers int) []Triple {
	classOf := classIndex(d)
	byType := make([]map[Triple]uint64, len(d.Rels))
	dynamic(workers, len(d.Rels), func(t int) {
		byType[t] = make(map[Triple]uint64)
		counts := make([]uint64, len(d.Classes))
		for i := range d.Classes {
			src := &d.Classes[i]
			for dst, n := range classTargets(&d.Rels[t], src.Range, classOf, counts) {
				addTriples(byType[t], src.Labels, d.Classes[dst].Labels, TypeID(t), n)
			}
		}
	})
	return sortedTriples(byType...)
}

func sortedTriples(counts ...map[Triple]uint64) (all []Triple) {
	for _, m := range counts {
		for t, n := range m {
			t.Count = n
			all = append(all, t)
		}
	}
	slices.SortFunc(all, func(a, b Triple) int {
		return cmp.Or(cmp.Compare(a.Type, b.Type), cmp.Compare(a.Src, b.Src), cmp.Compare(a.Dst, b.Dst))
	})
	return all
}

// classIndex is the class of every vertex, or nil if there is only one.
func classIndex(d *Data) []uint32 {
	if len(d.Classes) <= 1 {
		return nil
	}
	of := make([]uint32, d.Vertices)
	for i, c := range d.Classes {
		for v := c.Lo; v < c.Hi; v++ {
			of[v] = uint32(i)
		}
	}
	return of
}

// classTargets counts the relationships that leave vertices of src by the class of their target. counts is zero
// scratch and left zero.
func classTargets(r *Rels, src Range, classOf []uint32, counts []uint64) map[int]uint64 {
	lo, hi := max(src.Lo, r.Lo), min(int(src.Hi), int(r.Lo)+len(r.Offsets)-1)
	if int(lo) >= hi {
		return nil
	}
	targets := r.Targets[r.Offsets[lo-r.Lo]:r.Offsets[hi-int(r.Lo)]]
	if len(targets) == 0 {
		return nil
	}
	if classOf == nil {
		return map[int]uint64{0: uint64(len(targets))}
	}
	found := make(map[int]uint64)
	for _, w := range targets {
		counts[classOf[w]]++
	}
	for _, w := range targets {
		if c := classOf[w]; counts[c] > 0 {
			found[int(c)], counts[c] = counts[c], 0
		}
	}
	return found
}

func addTriples(m map[Triple]uint64, src, dst []LabelID, t TypeID, n uint64) {
	none := []LabelID{NoLabel}
	if len(src) == 0 {
		src = none
	}
	if len(dst) == 0 {
		dst = none
	}
	for _, a := range src {
		for _, b := range dst {
			m[Triple{Src: a, Dst: b, Type: t}] += n
		}
	}
}

// shared finds the pairs of types that join one pair of vertices. It gathers the relationships of a pair at the smaller end
// of the pair, by a counting sort. Worker i takes the i-th part of every type.
func shared(d *Data, workers int) [][2]TypeID {
	k := sorters(workers, d.Vertices, d.Edges)
	cuts := make([][]int, len(d.Rels))
	for t := range d.Rels {
		cuts[t] = rows(d.Rels[t].Offsets, k)
	}
	visit := func(i int, fn func(lo, hi VertexID, t int)) {
		for t := range d.Rels {
			r := &d.Rels[t]
			for j := cuts[t][i]; j < cuts[t][i+1]; j++ {
				v := r.Lo + VertexID(j)
				for _, w := range r.Targets[r.Offsets[j]:r.Offsets[j+1]] {
					if v != w {
						fn(min(v, w), max(v, w), t)
					}
				}
			}
		}
	}
	next := make([][]uint64, k)
	each(k, func(i int) {
		next[i] = make([]uint64, d.Vertices)
		visit(i, func(lo, _ VertexID, _ int) { next[i][lo]++ })
	})
	offsets := places(next, int(d.Vertices), nil)
	ends := make([]uint64, offsets[d.Vertices]) // hi<<32 | type, by lo
	each(k, func(i int) {
		visit(i, func(lo, hi VertexID, t int) {
			ends[next[i][lo]] = uint64(hi)<<32 | uint64(t)
			next[i][lo]++
		})
	})
	pairs := typePairs{rows: make([][]uint64, len(d.Rels))}
	parts := rows(offsets, 16*workers)
	dynamic(workers, len(parts)-1, func(i int) {
		for j := parts[i]; j < parts[i+1]; j++ {
			row := ends[offsets[j]:offsets[j+1]]
			slices.Sort(row)
			pairs.addRow(slices.Compact(row))
		}
	})
	return pairs.list()
}

// typePairs is a set of pairs of types: a triangular bit matrix whose rows are made on demand.
type typePairs struct {
	mu   sync.Mutex
	rows [][]uint64
}

// addRow adds the pairs of types that stand next to the same vertex in row, which holds sorted vertex<<32 | type.
func (p *typePairs) addRow(row []uint64) {
	for i := 0; i < len(row); {
		j := i + 1
		for j < len(row) && row[j]>>32 == row[i]>>32 {
			j++
		}
		if j-i > 1 {
			p.add(row[i:j])
		}
		i = j
	}
}

func (p *typePairs) add(run []uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, a := range run {
		for _, b := range run[i+1:] {
			t, u := uint32(a), uint32(b)
			if p.rows[t] == nil {
				p.rows[t] = make([]uint64, (len(p.rows)+63)/64)
			}
			p.rows[t][u/64] |= 1 << (u % 64)
		}
	}
}

func (p *typePairs) list() [][2]TypeID {
	var all [][2]TypeID
	for t, row := range p.rows {
		for i, w := range row {
			for ; w != 0; w &= w - 1 {
				all = append(all, [2]TypeID{TypeID(t), TypeID(i*64 + bits.TrailingZeros64(w))})
			}
		}
	}
	return all
}
