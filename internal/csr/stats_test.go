package csr

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"testing"
)

// compareStats computes every statistic from the definition.
func (m *model) compareStats(s *Snapshot, rng *rand.Rand) error {
	labels := make([]uint64, s.Labels.Len())
	for _, set := range m.labels {
		for _, l := range set {
			labels[l]++
		}
	}
	if !slices.Equal(labels, s.Stats.LabelCount) {
		return fmt.Errorf("label counts %v, want %v", s.Stats.LabelCount, labels)
	}
	for t := range s.Stats.Types {
		if want := m.typeStat(TypeID(t)); s.Stats.Types[t] != want {
			return fmt.Errorf("type %d: %+v, want %+v", t, s.Stats.Types[t], want)
		}
	}
	if want := m.shared(); !slices.Equal(s.Stats.Shared, want) {
		return fmt.Errorf("shared %v, want %v", s.Stats.Shared, want)
	}
	got := map[Triple]uint64{}
	for _, t := range s.Stats.Triples {
		n := t.Count
		t.Count = 0
		got[t] += n
	}
	if want := m.triples(); !maps.Equal(got, want) || len(got) != len(s.Stats.Triples) {
		return fmt.Errorf("triples %v, want %v", got, want)
	}
	for range 5 {
		a, b := randomTypes(rng), randomTypes(rng)
		if err := compareSets(a, b); err != nil {
			return err
		}
	}
	return nil
}

func (m *model) typeStat(t TypeID) TypeStat {
	var st TypeStat
	out, in, pairs := map[uint32]uint64{}, map[uint32]uint64{}, map[[2]uint32]int{}
	for _, e := range m.edges {
		if e.typ != t {
			continue
		}
		st.Edges++
		out[e.src]++
		in[e.dst]++
		pairs[[2]uint32{e.src, e.dst}]++
		if e.src == e.dst {
			st.Loops++
		}
	}
	st.Sources, st.Targets = uint64(len(out)), uint64(len(in))
	for v := range m.labels {
		o, i := out[uint32(v)], in[uint32(v)]
		st.MaxOut, st.MaxIn = max(st.MaxOut, o), max(st.MaxIn, i)
		st.OutOut += float64(o) * (float64(o) - 1)
		st.InIn += float64(i) * (float64(i) - 1)
		st.InOut += float64(o) * float64(i)
	}
	for p, n := range pairs {
		st.Parallel = st.Parallel || n > 1
		st.Reciprocal = st.Reciprocal || p[0] != p[1] && pairs[[2]uint32{p[1], p[0]}] > 0
	}
	return st
}

func (m *model) shared() (pairs [][2]TypeID) {
	for t := range TypeID(8) {
		for u := t + 1; u < 8; u++ {
			if slices.ContainsFunc(m.edges, func(a modelEdge) bool {
				return a.typ == t && a.src != a.dst && slices.ContainsFunc(m.edges, func(b modelEdge) bool {
					return b.typ == u && min(a.src, a.dst) == min(b.src, b.dst) && max(a.src, a.dst) == max(b.src, b.dst)
				})
			}) {
				pairs = append(pairs, [2]TypeID{t, u})
			}
		}
	}
	return pairs
}

func (m *model) triples() map[Triple]uint64 {
	all := map[Triple]uint64{}
	or := func(set []LabelID) []LabelID {
		if len(set) == 0 {
			return []LabelID{NoLabel}
		}
		return set
	}
	for _, e := range m.edges {
		for _, a := range or(m.labels[e.src]) {
			for _, b := range or(m.labels[e.dst]) {
				all[Triple{Src: a, Dst: b, Type: e.typ}]++
			}
		}
	}
	return all
}

func compareSets(a, b TypeSet) error {
	u, overlap := a.Union(b), false
	for t := range TypeID(9) {
		if u.Has(t) != (a.Has(t) || b.Has(t)) {
			return fmt.Errorf("union of %v and %v is %v", a, b, u)
		}
		overlap = overlap || a.Has(t) && b.Has(t)
	}
	if a.Overlaps(b) != overlap {
		return fmt.Errorf("%v overlaps %v: %t", a, b, !overlap)
	}
	return nil
}

// TestRecomputeStatsStops counts a loop at a node with many labels: the pairs of labels are more than the statistics say, and
// are not kept.
func TestRecomputeStatsStops(t *testing.T) {
	b := NewBuilder()
	var labels []LabelID
	for i := range 300 {
		labels = append(labels, b.Label(fmt.Sprint("L", i)))
	}
	v := b.AddVertex(labels...)
	for i := range 3 {
		b.AddEdge(v, v, b.Type(fmt.Sprint("T", i)))
		b.AddEdge(v, b.AddVertex(), b.Type(fmt.Sprint("T", i)))
	}
	d := Data{}
	if s, _, err := b.Build(t.Context(), 1); err != nil {
		t.Fatal(err)
	} else {
		d = s.Data
	}
	right := *d.Stats
	if len(right.Triples) < 300*300 || len(right.Shared) != 0 {
		t.Fatalf("%d triples, %d pairs", len(right.Triples), len(right.Shared))
	}
	d.Stats = &Stats{Triples: right.Triples[:7]}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got := RecomputeStats(&d)
	runtime.ReadMemStats(&after)
	if len(got.Triples) != 8 || after.TotalAlloc-before.TotalAlloc > 1<<20 {
		t.Errorf("%d triples, %d bytes", len(got.Triples), after.TotalAlloc-before.TotalAlloc)
	}
	d.Stats = &right
	if got := RecomputeStats(&d); !reflect.DeepEqual(got.Triples, right.Triples) {
		t.Error("other triples")
	}
}
