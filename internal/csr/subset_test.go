package csr_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/testgraph"
)

// TestSubsets compares the types that WithSubsets adds, their views and statistics with a test of each relationship.
func TestSubsets(t *testing.T) {
	seed := rand.Uint64()
	for i := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed+i, 5))
		s := testgraph.Random(seed+i, testgraph.Options{})
		if rng.IntN(2) == 0 {
			s.Adjacency(nil, csr.Both)
			s.Adjacency(csr.TypeSet{0}, csr.In)
		}
		types, salt := csr.TypeID(s.Types.Len()), rng.Uint64()
		keep := func(k int, e csr.EdgeID) bool { return (uint64(e)*2654435761+salt)>>k&3 > 0 }
		var subsets []csr.Subset
		for k := range 1 + rng.IntN(3) {
			subsets = append(subsets, csr.Subset{Type: csr.TypeID(rng.IntN(int(types))), Test: func() func(e csr.EdgeID) (bool, error) {
				return func(e csr.EdgeID) (bool, error) { return keep(k, e), nil }
			}})
		}
		x, err := csr.WithSubsets(t.Context(), s, subsets, 1+rng.IntN(3), func(int64) error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		for v := range csr.VertexID(s.N()) {
			for w := range csr.VertexID(s.N()) {
				for old := range types {
					of := csr.TypeSet{old}
					if got, want := x.Adjacency(of, csr.In).Count(v, w), len(s.Relationships(nil, v, w, of, csr.In)); got != want {
						t.Fatalf("seed %d: %d relationships of type %d from %d to %d, want %d", seed+i, got, old, w, v, want)
					}
				}
				for k, sub := range subsets {
					want := 0
					for _, e := range s.Relationships(nil, v, w, csr.TypeSet{sub.Type}, csr.Out) {
						if keep(k, e) {
							want++
						}
					}
					of := csr.TypeSet{types + csr.TypeID(k)}
					if out, in := x.Adjacency(of, csr.Out).Count(v, w), x.Adjacency(of, csr.In).Count(w, v); out != want || in != want {
						t.Fatalf("seed %d: subset %d has %d and %d relationships from %d to %d, want %d", seed+i, k, out, in, v, w, want)
					}
				}
			}
		}
		exact := csr.RecomputeStats(&x.Data)
		if !slices.Equal(exact.Triples, x.Stats.Triples) || !slices.Equal(exact.LabelCount, x.Stats.LabelCount) {
			t.Fatalf("seed %d: triples %v, want %v", seed+i, x.Stats.Triples, exact.Triples)
		}
		for k := range exact.Types {
			st := x.Stats.Types[k]
			if e := exact.Types[k]; st.Edges != e.Edges || st.Loops != e.Loops || e.Parallel && !st.Parallel || e.Reciprocal && !st.Reciprocal {
				t.Fatalf("seed %d: type %d is %+v, want %+v", seed+i, k, st, e)
			}
		}
		for _, pair := range exact.Shared {
			if !slices.Contains(x.Stats.Shared, pair) {
				t.Fatalf("seed %d: types %v share a pair of nodes, not in %v", seed+i, pair, x.Stats.Shared)
			}
		}
	}
}

// TestSubsetsFail ends WithSubsets by a test, by the budget and by the context.
func TestSubsetsFail(t *testing.T) {
	s := testgraph.Random(1, testgraph.Options{Vertices: 8, Edges: 30, Types: 1})
	bad := errors.New("bad")
	subset := func(err error) []csr.Subset {
		return []csr.Subset{{Test: func() func(e csr.EdgeID) (bool, error) {
			return func(csr.EdgeID) (bool, error) { return true, err }
		}}}
	}
	free := func(int64) error { return nil }
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, err := range []error{
		second(csr.WithSubsets(t.Context(), s, subset(bad), 2, free)),
		second(csr.WithSubsets(t.Context(), s, subset(nil), 2, func(int64) error { return bad })),
		second(csr.WithSubsets(ended, s, subset(nil), 2, free)),
	} {
		if err == nil {
			t.Error("no error")
		}
	}
}

func second(_ *csr.Snapshot, err error) error { return err }
