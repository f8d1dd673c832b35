package kerneltest

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
)

// RandomWeighted draws m relationships of two types, loops and parallel ones among them. Most have a number from 0 to 9 as the property.
func RandomWeighted(t testing.TB, rng *rand.Rand, n, m int) (*csr.Snapshot, csr.KeyID) {
	b := csr.NewBuilder()
	b.AddVertices(n)
	types, key := []csr.TypeID{b.Type("A"), b.Type("B")}, b.Key("weight")
	for range m {
		e := b.AddEdge(uint32(rng.IntN(n)), uint32(rng.IntN(n)), types[rng.IntN(2)])
		switch rng.IntN(8) {
		case 0:
		case 1, 2, 3:
			b.SetEdge(e, key, csr.IntCell(int64(rng.IntN(10))))
		default:
			b.SetEdge(e, key, csr.FloatCell(float64(rng.IntN(36))/4))
		}
	}
	s, _, err := b.Build(context.Background(), 2)
	if err != nil {
		t.Fatal(err)
	}
	return s, key
}

// WeightedRMAT returns an RMAT graph of 16 relationships for each of 2^scale vertices, and requests of it: with weights from 1 to 100.
func WeightedRMAT(t testing.TB, scale int, dir csr.Direction) (*csr.Snapshot, pattern.Network) {
	b := csr.NewBuilder()
	b.AddVertices(1 << scale)
	typ, key := b.Type("R"), b.Key("w")
	for v, w := range testgraph.RMAT(scale, 16, 5) {
		b.SetEdge(b.AddEdge(v, w, typ), key, csr.FloatCell(1+float64((v*7919+w*104729)%1600)*99/1600))
	}
	s, _, err := b.Build(context.Background(), 1)
	if err != nil {
		t.Fatal(err)
	}
	return s, pattern.Network{Direction: dir, Weight: &pattern.Weight{Key: key, Default: math.NaN(), Least: true}}
}

// RandomNetwork draws types, a direction, a set of vertices and a weight, which has a default.
func RandomNetwork(rng *rand.Rand, s *csr.Snapshot, key csr.KeyID) *pattern.Network {
	r := &pattern.Network{Types: []csr.TypeSet{nil, nil, {0}, {}}[rng.IntN(4)], Direction: csr.Direction(rng.IntN(3)), Within: SomeVertices(rng, s)}
	if rng.IntN(2) == 0 {
		r.Weight = &pattern.Weight{Key: key, Absent: rng.IntN(8) == 0, Default: float64(rng.IntN(3)), Least: rng.IntN(2) == 0}
	}
	return r
}

// Near reports whether a and b differ by at most e, or by that share of the larger.
func Near(a, b, e float64) bool { return a == b || math.Abs(a-b) <= e*max(1, math.Abs(a), math.Abs(b)) }
