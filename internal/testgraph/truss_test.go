package testgraph

import (
	"testing"

	"github.com/motifql/motif/internal/pattern"
)

// TestBruteTrusses has two 5-cliques that share an edge, and a triangle and a path hanging off.
func TestBruteTrusses(t *testing.T) {
	edges := func(yield func(u, v uint32) bool) {
		for _, clique := range [][]uint32{{0, 1, 2, 3, 4}, {0, 1, 5, 6, 7}, {7, 8, 9}, {9, 10}, {10, 11}} {
			for i, u := range clique {
				for _, v := range clique[:i] {
					if !yield(u, v) || !yield(v, u) {
						return
					}
				}
			}
		}
	}
	s := Graph(13, edges, false)
	for k, want := range map[uint32]map[uint32]int{
		0: {5: 19, 3: 3, 2: 2}, 1: {2: 24}, 2: {2: 24}, 3: {3: 22}, 4: {4: 19}, 5: {5: 19}, 6: {}, pattern.KMax: {5: 19},
	} {
		r, err := Brute{}.Trusses(t.Context(), s, &pattern.TrussRequest{K: k}, &pattern.Env{})
		if err != nil {
			t.Fatal(err)
		}
		got := map[uint32]int{}
		kmax := uint32(0)
		for e, truss := range r.Truss {
			got[truss]++
			kmax = max(kmax, truss)
			if r.Source[e] >= r.Target[e] {
				t.Errorf("k %d: edge %d-%d", int32(k), r.Source[e], r.Target[e])
			}
		}
		for truss, n := range want {
			if got[truss] != n {
				t.Errorf("k %d: %d edges of trussness %d, want %d", int32(k), got[truss], truss, n)
			}
		}
		if len(got) != len(want) || kmax != r.KMax {
			t.Errorf("k %d: trussnesses %v, KMax %d", int32(k), got, r.KMax)
		}
	}
}
