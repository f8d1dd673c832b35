package csr

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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

// statistics is the state of computing the statistics of d.
type statistics struct {
	ctx     context.Context
	d       *Data
	workers int
	budget  Budget // nil: no limit

	mostTriples, mostShared int
	cut                     bool // longer lists are cut, not refused
}

// The lists of statistics can be far longer than the graph: a node of 10,000 labels that is related to itself makes
// 100 million triples. Longer lists than these are refused.
const (
	maxTriples = 1 << 26
	maxShared  = 1 << 25
)

var errLongStats = errors.New("the names in the graph have too many combinations")

// RecomputeStats computes the statistics of d anew; New must have accepted d with the statistics it has. It stops counting triples
// and pairs of types once there are more than d says, and then returns longer lists of no meaning. So the memory it takes depends
// on the length of those lists, not on how many labels could be combined.
func RecomputeStats(d *Data) *Stats {
	x := statistics{ctx: context.Background(), d: d, workers: defaultWorkers(),
		mostTriples: len(d.Stats.Triples), mostShared: len(d.Stats.Shared), cut: true}
	s, _ := x.compute() // only an end of the context or a limit gives an error
	return s
}

// computeStats computes the statistics of d, or refuses d.
func computeStats(ctx context.Context, d *Data, workers int, m Budget) (*Stats, error) {
	x := statistics{ctx: ctx, d: d, workers: workers, budget: m, mostTriples: maxTriples, mostShared: maxShared}
	return x.compute()
}

func (x *statistics) charge(n int64) error {
	if x.budget == nil {
		return nil
	}
	return x.budget.Charge(n)
}

func (x *statistics) compute() (*Stats, error) {
	d, workers := x.d, x.workers
	s := &Stats{LabelCount: labelCounts(d), Types: make([]TypeStat, len(d.Rels))}
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
	dynamic(workers/within, len(d.Rels), func(t int) {
		if x.ctx.Err() == nil {
			s.Types[t] = x.typeStat(&d.Rels[t], within)
		}
	})
	var err error
	if s.Triples, err = x.triples(); x.cut && errors.Is(err, errLongStats) {
		s.Triples, err = make([]Triple, x.mostTriples+1), nil
	}
	if err != nil {
		return nil, err
	}
	if used > 1 {
		s.Shared, err = x.shared()
	}
	if x.cut && errors.Is(err, errLongStats) {
		s.Shared, err = make([][2]TypeID, x.mostShared+1), nil
	}
	if err == nil {
		err = x.ctx.Err()
	}
	return s, err
}

// labelCounts counts the vertices by label.
func labelCounts(d *Data) []uint64 {
	counts := make([]uint64, d.Labels.Len())
	for i := range d.Classes {
		for _, l := range d.Classes[i].Labels {
			counts[l] += uint64(d.Classes[i].Len())
		}
	}
	return counts
}

// typeStat describes one type. What it returns after the end of ctx means nothing.
func (x *statistics) typeStat(r *Rels, workers int) TypeStat {
	st := TypeStat{Edges: uint64(len(r.Targets))}
	if st.Edges == 0 {
		return st
	}
	var mu sync.Mutex
	cuts := rows(r.Offsets, 4*workers)
	dynamic(workers, len(cuts)-1, func(i int) {
		part := x.outStat(r, cuts[i], cuts[i+1])
		mu.Lock()
		defer mu.Unlock()
		st.Sources += part.Sources
		st.Loops += part.Loops
		st.OutOut += part.OutOut
		st.MaxOut = max(st.MaxOut, part.MaxOut)
		st.Parallel = st.Parallel || part.Parallel
	})
	x.inStat(r, &st, workers)
	st.Reciprocal = x.reciprocal(r, workers)
	return st
}

func (x *statistics) outStat(r *Rels, a, b int) TypeStat {
	var st TypeStat
	for j := a; j < b; j++ {
		if j%rowBlock == 0 && x.ctx.Err() != nil {
			return st
		}
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
func (x *statistics) inStat(r *Rels, st *TypeStat, workers int) {
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
	t := newTransposition(x.ctx, r, span, false, workers)
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
func (x *statistics) reciprocal(r *Rels, workers int) bool {
	var found atomic.Bool
	cuts := rows(r.Offsets, 16*workers)
	dynamic(workers, len(cuts)-1, func(i int) {
		for j := cuts[i]; j < cuts[i+1] && !found.Load(); j++ {
			if j%rowBlock == 0 && x.ctx.Err() != nil {
				return
			}
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

// triples counts by pairs of classes first and spreads those over the labels. Of each type it visits only the classes
// between its first and its last source.
func (x *statistics) triples() ([]Triple, error) {
	d := x.d
	if err := x.charge(4 * int64(d.Vertices)); err != nil {
		return nil, err
	}
	defer x.charge(-4 * int64(d.Vertices))
	classOf := classIndex(d)
	byType, errs := make([]map[Triple]uint64, len(d.Rels)), make([]error, len(d.Rels))
	scratch := sync.Pool{New: func() any { s := make([]uint64, len(d.Classes)); return &s }} // zero, and left zero
	var total atomic.Int64
	dynamic(x.workers, len(d.Rels), func(t int) {
		if errs[t] = x.ctx.Err(); errs[t] != nil || len(d.Rels[t].Targets) == 0 {
			return
		}
		counts := scratch.Get().(*[]uint64)
		byType[t] = make(map[Triple]uint64)
		errs[t] = x.typeTriples(TypeID(t), &d.Rels[t], classOf, *counts, byType[t], &total)
		scratch.Put(counts)
	})
	if err := cmp.Or(errs...); err != nil {
		return nil, err
	}
	return sortedTriples(byType...), nil
}

// tripleBytes is about what a triple takes in the map of its type and in the list of all.
const tripleBytes = 96

// typeTriples adds the triples of rows of one type to found, and how many are new to total. counts is zero scratch and left zero.
func (x *statistics) typeTriples(t TypeID, r *Rels, classOf []uint32, counts []uint64, found map[Triple]uint64, total *atomic.Int64) error {
	d := x.d
	first := 0
	if classOf != nil {
		first = int(classOf[r.Lo])
	}
	end := uint64(r.Lo) + uint64(len(r.Offsets)-1)
	for i := first; i < len(d.Classes) && uint64(d.Classes[i].Lo) < end; i++ {
		src := &d.Classes[i]
		for dst, n := range classTargets(r, src.Range, classOf, counts) {
			if err := x.ctx.Err(); err != nil {
				return err
			}
			to, before := d.Classes[dst].Labels, len(found)
			if uint64(len(src.Labels))*uint64(len(to)) > uint64(x.mostTriples) {
				return x.tooManyTriples()
			}
			addTriples(found, src.Labels, to, t, n)
			more := int64(len(found) - before)
			if total.Add(more) > int64(x.mostTriples) {
				return x.tooManyTriples()
			}
			if err := x.charge(tripleBytes * more); err != nil {
				return err
			}
		}
	}
	return nil
}

func (x *statistics) tooManyTriples() error {
	return fmt.Errorf("%w: the relationships join more than %d combinations of a label, a type and a label", errLongStats, x.mostTriples)
}

func sortedTriples(counts ...map[Triple]uint64) (all []Triple) {
	for _, m := range counts {
		for t, n := range m {
			t.Count = n
			all = append(all, t)
		}
	}
	slices.SortFunc(all, Triple.compare)
	return all
}

// compare orders triples by what they count.
func (t Triple) compare(o Triple) int {
	return cmp.Or(cmp.Compare(t.Type, o.Type), cmp.Compare(t.Src, o.Src), cmp.Compare(t.Dst, o.Dst))
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
