package csr

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestPackedSort sorts with an order that fits 32 bits and with one that does not: both move the same way.
func TestPackedSort(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, m := range []int{1, 1000, 2 * stride} {
		n := uint64(max(1, m/5))
		keys, vals, small, large := make([]uint32, m), make([]uint32, m), make([]uint64, m), make([]uint64, m)
		for i := range m {
			keys[i], vals[i], small[i] = rng.Uint32N(uint32(n)), rng.Uint32N(uint32(n)), uint64(rng.Uint32())
			large[i] = small[i] + 1<<32
		}
		var lists [2][]uint64
		var targets [2][]VertexID
		for i, order := range [][]uint64{small, large} {
			offsets, out, outOrder, err := group(t.Context(), n, keys, vals, order, 3)
			if err != nil {
				t.Fatal(err)
			}
			for k := range n {
				slices.Sort(out[offsets[k]:offsets[k+1]]) // rows of a Rels are sorted
			}
			r, reversed, err := transpose(t.Context(), &Rels{Offsets: offsets, Targets: out}, Range{0, VertexID(n)}, outOrder, 3)
			if err != nil {
				t.Fatal(err)
			}
			lists[i], targets[i] = reversed, r.Targets
		}
		for i := range lists[1] {
			lists[1][i] -= 1 << 32
		}
		if !slices.Equal(lists[0], lists[1]) || !slices.Equal(targets[0], targets[1]) {
			t.Errorf("%d items: the packed sort differs", m)
		}
	}
}

// TestDenseNumbers builds columns with a number for each relationship, and one with a gap: each relationship keeps its own.
func TestDenseNumbers(t *testing.T) {
	const n, m = 150, 3*ChunkLen + 17
	for _, simple := range []bool{false, true} {
		b := NewBuilder()
		b.AddVertices(n)
		typ, whole, part, gap := b.Type("T"), b.Key("whole"), b.Key("part"), b.Key("gap")
		name := b.Key("name")
		for v := range uint32(n) {
			b.SetVertex(v, name, IntCell(int64(v)))
		}
		for i := range uint32(m) {
			u, v := i*7%n, i*i%149
			if u > v {
				u, v = v, u
			}
			e, w := b.AddEdge(u, v, typ), int64(u*1000+v)
			b.SetEdge(e, whole, IntCell(w))
			b.SetEdge(e, part, FloatCell(float64(w)/2))
			if w%3 > 0 {
				b.SetEdge(e, gap, IntCell(w))
			}
		}
		if simple {
			b.DropRepeats(typ)
		}
		s, _, err := b.Build(t.Context(), 2)
		if err != nil {
			t.Fatal(err)
		}
		for e := range EdgeID(s.M()) {
			u, v := s.Endpoints(e)
			a, _ := s.VertexProp(u, name)
			z, _ := s.VertexProp(v, name)
			w := int64(a.Num)*1000 + int64(z.Num)
			one, _ := s.EdgeProp(e, whole)
			two, _ := s.EdgeProp(e, part)
			three, ok := s.EdgeProp(e, gap)
			if one != IntCell(w) || two != FloatCell(float64(w)/2) || ok != (w%3 > 0) || ok && three != IntCell(w) {
				t.Fatalf("relationship %d of %d and %d has %v, %v, %v", e, a.Num, z.Num, one, two, three)
			}
		}
	}
}
