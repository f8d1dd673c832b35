package testgraph

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/motifql/motif/internal/csr"
)

// Options bounds what Random draws; it draws zero fields too.
type Options struct {
	Vertices int  // 0: 1 to 10
	Edges    int  // relationships; 0: up to 3 a vertex
	Labels   int  // label names; 0: up to 3
	Types    int  // relationship types; 0: 1 to 3
	Simple   bool // no loops, and at most one relationship between two vertices
	Flat     bool // never an overlay
}

// Random builds a small property multigraph. Vertices have labels A, B, C ...: none, one or several. Relationships have
// types R, S, T ...; loops, parallel and reciprocal ones occur. Either may have the properties x (an integer below 5,
// sometimes a float), name (a string) and, rarely, mixed (anything). Stable ids are neither dense nor in the order of the
// dense ones. One graph in three is an overlay, unless Flat is set.
func Random(seed uint64, o Options) *csr.Snapshot {
	rng := rand.New(rand.NewPCG(seed, 7))
	b := csr.NewBuilder()
	n := or(o.Vertices, 1+rng.IntN(10))
	labels, types := or(o.Labels, rng.IntN(4)), or(o.Types, 1+rng.IntN(3))
	x, name, mixed := b.Key("x"), b.Key("name"), b.Key("mixed")
	for i := range labels {
		b.Label(string(rune('A' + i)))
	}
	for i := range types {
		b.Type(string(rune('R' + i)))
	}
	properties := func(set func(k csr.KeyID, c csr.Cell)) {
		if rng.IntN(4) > 0 {
			set(x, randomNumber(rng))
		}
		if rng.IntN(2) == 0 {
			set(name, csr.StringCell(string(rune('a'+rng.IntN(3)))))
		}
		if rng.IntN(8) == 0 {
			set(mixed, randomCell(rng))
		}
	}
	for v := range n {
		b.AddVertex(randomLabels(rng, labels)...)
		properties(func(k csr.KeyID, c csr.Cell) { b.SetVertex(uint32(v), k, c) })
	}
	// Half of the ends come from few vertices, so that parallel relationships and triangles occur.
	few := 1 + rng.IntN(n)
	joined := map[[2]int]bool{}
	for range or(o.Edges, rng.IntN(3*n+1)) {
		u, v := rng.IntN(n), rng.IntN(n)
		if rng.IntN(2) == 0 {
			u, v = rng.IntN(few), rng.IntN(few)
		}
		if ends := [2]int{min(u, v), max(u, v)}; o.Simple {
			if u == v || joined[ends] {
				continue
			}
			joined[ends] = true
		}
		i := b.AddEdge(uint32(u), uint32(v), csr.TypeID(rng.IntN(types)))
		properties(func(k csr.KeyID, c csr.Cell) { b.SetEdge(i, k, c) })
	}
	s := renumber(rng, b)
	if rand.New(rand.NewPCG(seed, 12)).IntN(3) == 0 && !o.Flat {
		return Changed(seed, s, o.Simple)
	}
	return s
}

func or(n, drawn int) int {
	if n != 0 {
		return n
	}
	return drawn
}

// renumber builds b and replaces the stable ids.
func renumber(rng *rand.Rand, b *csr.Builder) *csr.Snapshot {
	s, _, err := b.Build(context.Background(), 1)
	if err != nil {
		panic(err)
	}
	d := s.Data
	d.NodeIDs, d.RelIDs = make([]csr.NodeID, d.Vertices), make([]csr.RelID, d.Edges)
	for v, id := range rng.Perm(int(d.Vertices)) {
		d.NodeIDs[v] = csr.NodeID(2*id + rng.IntN(2))
	}
	for e, id := range rng.Perm(int(d.Edges)) {
		d.RelIDs[e] = csr.RelID(3*id + rng.IntN(3))
	}
	d.NextNode, d.NextRel = csr.NodeID(2*d.Vertices), csr.RelID(3*d.Edges)
	if s, err = csr.New(d); err != nil {
		panic(err)
	}
	return s
}

func randomLabels(rng *rand.Rand, labels int) (set []csr.LabelID) {
	for l := range labels {
		if rng.IntN(5) < 2 {
			set = append(set, csr.LabelID(l))
		}
	}
	return set
}

func randomNumber(rng *rand.Rand) csr.Cell {
	if rng.IntN(10) == 0 {
		return csr.FloatCell(float64(rng.IntN(10)) / 2)
	}
	return csr.IntCell(rng.Int64N(5))
}

func randomCell(rng *rand.Rand) csr.Cell {
	switch rng.IntN(3) {
	case 0:
		return csr.BoolCell(rng.IntN(2) == 0)
	case 1:
		return csr.StringCell(fmt.Sprint(rng.IntN(4)))
	}
	return randomNumber(rng)
}
