package kerneltest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

var CoreVariants = []pattern.CoreVariant{pattern.CoreAuto, pattern.CoreBZ, pattern.CorePark, pattern.CoreRL, pattern.CoreES}

// SomeVertices is nil or a random set of vertices.
func SomeVertices(rng *rand.Rand, s *csr.Snapshot) *pattern.CandidateSet {
	if rng.IntN(2) == 0 {
		return nil
	}
	var list []csr.VertexID
	for v := range csr.VertexID(s.N()) {
		if rng.IntN(4) > 0 {
			list = append(list, v)
		}
	}
	return pattern.NewCandidateSet(s.N(), list)
}

func InSet(set *pattern.CandidateSet, v csr.VertexID) bool { return set == nil || set.Has(v) }

// CheckOrder tests that no vertex has more counted neighbours behind it than its coreness.
func CheckOrder(s *csr.Snapshot, r *pattern.CoreRequest, c *pattern.Cores) error {
	at := map[csr.VertexID]int{}
	for i, v := range c.Order {
		if _, twice := at[v]; twice || !InSet(r.Within, v) {
			return fmt.Errorf("vertex %d twice or not asked about", v)
		}
		at[v] = i
	}
	for v := range csr.VertexID(s.N()) {
		if _, ok := at[v]; !ok && InSet(r.Within, v) {
			return fmt.Errorf("vertex %d is not in the order", v)
		}
	}
	adj := s.Adjacency(r.Types, r.Direction)
	for v, i := range at {
		behind := uint32(0)
		for _, w := range adj.Neighbours(v) {
			if j, ok := at[w]; ok && j > i {
				behind++
			}
		}
		if behind > c.Core[v] {
			return fmt.Errorf("vertex %d of coreness %d has %d neighbours behind it", v, c.Core[v], behind)
		}
	}
	return nil
}

// TrussByEdge checks the form of a result and makes it a map.
func TrussByEdge(t *testing.T, r *pattern.Trusses) map[[2]csr.VertexID]uint32 {
	t.Helper()
	m := make(map[[2]csr.VertexID]uint32)
	most := uint32(0)
	for e, truss := range r.Truss {
		v, w := r.Source[e], r.Target[e]
		if _, twice := m[[2]csr.VertexID{v, w}]; twice || v >= w {
			t.Fatalf("edge %d-%d twice or the wrong way round", v, w)
		}
		m[[2]csr.VertexID{v, w}] = truss
		most = max(most, truss)
	}
	if most != r.KMax || len(r.Source) != len(r.Truss) || len(r.Target) != len(r.Truss) {
		t.Fatalf("KMax is %d, largest trussness %d, %d sources, %d targets", r.KMax, most, len(r.Source), len(r.Target))
	}
	return m
}

// Distances is the distances between all pairs by Floyd and Warshall, from the relationships themselves; -1 where there is no way.
func Distances(s *csr.Snapshot, types csr.TypeSet, dir csr.Direction, open func(csr.VertexID) bool) [][]int {
	n := int(s.N())
	d := make([][]int, n)
	for v := range n {
		d[v] = slices.Repeat([]int{-1}, n)
		for w := range n {
			switch {
			case !open(csr.VertexID(v)) || !open(csr.VertexID(w)):
			case v == w:
				d[v][w] = 0
			case len(s.Relationships(nil, csr.VertexID(v), csr.VertexID(w), types, dir)) > 0:
				d[v][w] = 1
			}
		}
	}
	for m := range n {
		for v := range n {
			for w := range n {
				if d[v][m] >= 0 && d[m][w] >= 0 && (d[v][w] < 0 || d[v][m]+d[m][w] < d[v][w]) {
					d[v][w] = d[v][m] + d[m][w]
				}
			}
		}
	}
	return d
}
