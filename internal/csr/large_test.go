package csr

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestParallelSorts is large enough for the counting sorts to use several workers, with loops, parallel and
// reciprocal relationships and properties that show where each one went.
func TestParallelSorts(t *testing.T) {
	const n, m = 20_000, 3*stride + 1
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 0))
	b := NewBuilder()
	types, key := []TypeID{b.Type("A"), b.Type("B")}, b.Key("at")
	b.AddVertices(n/2, b.Label("L"))
	b.AddVertices(n / 2)
	type pair struct{ src, dst uint32 }
	lists := make([][]pair, 2)
	byIndex := make([]pair, m)
	for i := range m {
		p, typ := pair{uint32(rng.IntN(n) * rng.IntN(n) / n), uint32(rng.IntN(n))}, i*2/m
		if rng.IntN(50) == 0 {
			p.dst = p.src
		}
		if at := b.AddEdge(p.src, p.dst, types[typ]); at%3 == 0 {
			b.SetEdge(at, key, IntCell(int64(at)))
		}
		lists[typ], byIndex[i] = append(lists[typ], p), p
	}
	s, _, err := b.Build(t.Context(), 3)
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	if !slices.Equal(s.Stats.Shared, [][2]TypeID{{0, 1}}) {
		t.Errorf("seed %d: shared %v", seed, s.Stats.Shared)
	}
	check := func(name string, a *Adjacency, want [][2]VertexID, loops int) {
		t.Helper()
		var got [][2]VertexID
		for v := range VertexID(n) {
			for _, w := range a.Neighbours(v) {
				for range a.Count(v, w) {
					got = append(got, [2]VertexID{v, w})
				}
			}
		}
		slices.SortFunc(want, func(a, b [2]VertexID) int { return slices.Compare(a[:], b[:]) })
		if !slices.Equal(got, want) || a.Loops != uint64(loops) {
			t.Fatalf("seed %d: %s: %d neighbours with %d loops, want %d with %d, or they differ", seed, name, len(got), a.Loops, len(want), loops)
		}
	}
	for name, set := range map[string]TypeSet{"A": {0}, "B": {1}, "any": nil} {
		var out, in, both [][2]VertexID
		loops := 0
		for typ, list := range lists {
			if !set.Has(TypeID(typ)) {
				continue
			}
			for _, p := range list {
				v, _ := s.VertexByNodeID(NodeID(p.src))
				w, _ := s.VertexByNodeID(NodeID(p.dst))
				out, in, both = append(out, [2]VertexID{v, w}), append(in, [2]VertexID{w, v}), append(both, [2]VertexID{v, w})
				if v == w {
					loops++
				} else {
					both = append(both, [2]VertexID{w, v})
				}
			}
		}
		check(name+" out", s.Adjacency(set, Out), out, loops)
		check(name+" in", s.Adjacency(set, In), in, loops)
		check(name+" both", s.Adjacency(set, Both), both, loops)
	}
	found := 0
	for e := range EdgeID(m) {
		cell, ok := s.EdgeProp(e, key)
		if !ok {
			continue
		}
		found++
		src, dst := s.Endpoints(e)
		if p := byIndex[cell.Num]; s.NodeID(src) != NodeID(p.src) || s.NodeID(dst) != NodeID(p.dst) || uint64(s.TypeOf(e)) != cell.Num*2/m {
			t.Fatalf("seed %d: relationship %d carries the property of another", seed, e)
		}
	}
	if found != (m+2)/3 {
		t.Fatalf("seed %d: %d properties, want %d", seed, found, (m+2)/3)
	}
}

// TestManyTypes crosses the boundary between sorting few and many relationships.
func TestManyTypes(t *testing.T) {
	b := NewBuilder()
	b.AddVertices(3000)
	index := b.Key("index")
	for i := range 300 {
		typ := b.Type(string(rune('a' + i)))
		for k := range 1 + i*3 {
			e := b.AddEdge(uint32(1000+k%(i+1)), uint32(2000+(k*7)%(i+1)), typ)
			b.SetEdge(e, index, IntCell(int64(e)))
		}
	}
	s, _, err := b.Build(t.Context(), 2)
	if err != nil {
		t.Fatal(err)
	}
	size := uint64(0)
	for i := range s.Data.Rels {
		if got := len(s.Data.Rels[i].Targets); got != 1+i*3 {
			t.Fatalf("type %d has %d relationships", i, got)
		}
		size += uint64(len(s.Data.Rels[i].Offsets))
	}
	if size > 300*302 {
		t.Errorf("%d offsets for at most 300 sources a type", size)
	}
	var last [2]VertexID
	var lastIndex uint64
	for e := range EdgeID(s.M()) {
		src, dst := s.Endpoints(e)
		cell, _ := s.EdgeProp(e, index)
		if last == [2]VertexID{src, dst} && cell.Num < lastIndex && s.TypeOf(e) == s.TypeOf(e-1) {
			t.Fatalf("parallel relationships %d and %d are not in order of addition", e-1, e)
		}
		last, lastIndex = [2]VertexID{src, dst}, cell.Num
	}
	any := s.Adjacency(nil, Both)
	sum := uint64(0)
	for _, c := range any.Counts {
		sum += uint64(c)
	}
	if sum != 2*s.M() {
		t.Errorf("%d counted in both directions of %d relationships", sum, s.M())
	}
}
