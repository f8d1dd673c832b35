package csr

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// meter is a Budget for tests.
type meter struct {
	limit      int64 // 0: none
	used, peak atomic.Int64
}

var errMeter = errors.New("over the budget")

func (m *meter) Charge(n int64) error {
	u := m.used.Add(n)
	for p := m.peak.Load(); u > p && !m.peak.CompareAndSwap(p, u); p = m.peak.Load() {
	}
	if m.limit > 0 && u > m.limit {
		return errMeter
	}
	return nil
}

// sampleBuilder fills a Builder with a graph that has some of everything, under a budget.
func sampleBuilder(m Budget) *Builder {
	b := NewBuilder()
	b.SetBudget(m)
	r := rand.New(rand.NewPCG(1, 2))
	const n = 20000
	labels := []LabelID{b.Label("A"), b.Label("B")}
	name, rank, rare := b.Key("name"), b.Key("rank"), b.Key("rare")
	for i := range uint32(n) {
		v := b.AddVertex(labels[:i%3]...)
		b.SetVertex(v, name, StringCell("someone"))
		if i%1000 == 0 {
			b.SetVertex(v, rare, IntCell(int64(i)))
		}
		b.External("", v, IntCell(int64(i)))
	}
	for t := range 3 {
		typ := b.Type(fmt.Sprint("T", t))
		if t == 1 {
			b.DropRepeats(typ)
		}
		for range 3 * n {
			i := b.AddEdge(r.Uint32N(n), r.Uint32N(n), typ)
			if i%2 == 0 {
				b.SetEdge(i, rank, IntCell(int64(i)))
			}
			if i%5000 == 0 {
				b.SetEdge(i, rare, StringCell("x"))
			}
		}
	}
	return b
}

// TestBuildBudget sees that a Builder charges at least what its snapshot takes, and stops with the budget's error wherever
// the budget ends.
func TestBuildBudget(t *testing.T) {
	free := &meter{}
	s, _, err := sampleBuilder(free).Build(t.Context(), 2)
	if err != nil {
		t.Fatal(err)
	}
	if used := uint64(free.used.Load()); used < s.Bytes() {
		t.Errorf("charged %d bytes at the end for a snapshot of %d", used, s.Bytes())
	}
	peak := free.peak.Load()
	for i := int64(1); i < 20; i++ {
		m := &meter{limit: peak * i / 20}
		b := sampleBuilder(m)
		_, _, err := b.Build(t.Context(), 2)
		if !errors.Is(err, errMeter) {
			t.Errorf("with %d/20 of the memory: %v", i, err)
		}
		if used := m.used.Load(); used > m.limit*5/4+1<<20 {
			t.Errorf("with a budget of %d bytes, %d are charged at the end", m.limit, used)
		}
	}
	if _, _, err := sampleBuilder(&meter{limit: peak}).Build(t.Context(), 2); err != nil {
		t.Errorf("with all the memory: %v", err)
	}
}

// TestSparseColumn compares columns with few cells, some of them set twice or removed, with a map.
func TestSparseColumn(t *testing.T) {
	cells := []Cell{IntCell(7), StringCell("text"), FloatCell(1.5), BoolCell(true), {}, StringCell("")}
	for _, set := range []int{1, 10, fewCells - 1, fewCells + 1, 3 * ChunkLen} {
		r := rand.New(rand.NewPCG(3, uint64(set)))
		b, want := NewBuilder(), map[uint32]Cell{}
		b.AddVertices(3 * ChunkLen)
		k, typ := b.Key("k"), b.Type("T")
		for range 5 * ChunkLen {
			b.AddEdge(r.Uint32N(3*ChunkLen), r.Uint32N(3*ChunkLen), typ)
		}
		for range set {
			v, c := r.Uint32N(3*ChunkLen), cells[r.IntN(len(cells))]
			b.SetVertex(v, k, c)
			want[v] = c
		}
		s, _, err := b.Build(t.Context(), 2)
		if err != nil {
			t.Fatal(err)
		}
		for v := range VertexID(s.N()) {
			got, ok := s.VertexProp(v, k)
			if w := want[uint32(s.NodeIDs[v])]; got != w || ok != (w.Kind != 0) {
				t.Fatalf("%d cells: vertex %d has %v, want %v", set, s.NodeIDs[v], got, w)
			}
		}
	}
}

// TestManyNames builds graphs of many labels, types or keys: in a time that does not grow with the square of them,
// or not at all.
func TestManyNames(t *testing.T) {
	const n = 60_000
	tests := map[string]struct {
		fill    func(b *Builder)
		refused string
	}{
		"a label a node": {fill: func(b *Builder) {
			for i := range uint32(n) {
				b.AddVertex(b.Label(fmt.Sprint("L", i)))
				b.AddEdge(i, (i+1)%n, b.Type("T"))
			}
		}},
		"a label and a type a node": {fill: func(b *Builder) {
			for i := range uint32(n) {
				b.AddVertex(b.Label(fmt.Sprint("L", i)))
				b.AddEdge(i, i, b.Type(fmt.Sprint("T", i)))
			}
		}},
		"types without repeats": {fill: func(b *Builder) {
			b.AddVertices(n)
			for i := range uint32(n) {
				typ := b.Type(fmt.Sprint("T", i))
				b.DropRepeats(typ)
				b.AddEdge(i, i/2, typ)
			}
		}},
		"a key a node": {fill: func(b *Builder) {
			for i := range uint32(n) {
				b.SetVertex(b.AddVertex(), b.Key(fmt.Sprint("k", i)), IntCell(1))
			}
		}},
		"a key a relationship": {fill: func(b *Builder) {
			b.AddVertices(n)
			for i := range uint32(n) {
				b.SetEdge(b.AddEdge(i, 0, b.Type("T")), b.Key(fmt.Sprint("k", i)), StringCell("x"))
			}
		}},
		"many types a pair of nodes": {fill: func(b *Builder) {
			b.AddVertices(1000)
			for i := range uint32(n) {
				b.AddEdge(i%1000, i*7%1000, b.Type(fmt.Sprint("T", i)))
			}
		}},
		"all labels at one node": {fill: func(b *Builder) { b.AddVertex(manyLabels(b, n)...) }},
		"a loop at all labels": {refused: "combinations", fill: func(b *Builder) {
			b.AddVertex(manyLabels(b, n)...)
			b.AddEdge(0, 0, b.Type("T"))
		}},
		"parallel types": {refused: "pairs of relationship types", fill: func(b *Builder) {
			b.AddVertices(2)
			for i := range n {
				b.AddEdge(0, 1, b.Type(fmt.Sprint("T", i)))
			}
		}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			ctx, stop := context.WithTimeout(t.Context(), 30*time.Second)
			defer stop()
			b := NewBuilder()
			test.fill(b)
			_, _, err := b.Build(ctx, 2)
			if test.refused == "" && err != nil || test.refused != "" && (err == nil || !strings.Contains(err.Error(), test.refused)) {
				t.Errorf("error %v, want %q", err, test.refused)
			}
		})
	}
}

func manyLabels(b *Builder, n int) []LabelID {
	labels := make([]LabelID, n)
	for i := range labels {
		labels[i] = b.Label(fmt.Sprint("L", i))
	}
	return labels
}

// TestBuildCancel ends the context while a graph is being built.
func TestBuildCancel(t *testing.T) {
	for wait := time.Duration(0); wait < 60*time.Millisecond; wait += 7 * time.Millisecond {
		b := sampleBuilder(nil)
		ctx, stop := context.WithTimeout(t.Context(), wait)
		_, _, err := b.Build(ctx, 2)
		stop()
		if err != nil && !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("after %v: %v", wait, err)
		}
	}
}
