package csr_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/testgraph"
)

// Two vertices are joined in Reciprocal exactly if each has a relationship to the other.
func TestReciprocal(t *testing.T) {
	seed := rand.Uint64()
	pairs := 0
	for i := range uint64(300) {
		s := testgraph.Random(seed+i, testgraph.Options{})
		for _, types := range []csr.TypeSet{nil, {}, {0}} {
			m, err := s.Reciprocal(t.Context(), types)
			if err != nil {
				t.Fatal(err)
			}
			adj := m.Adjacency(nil, csr.Both)
			if !adj.Simple() || m.N() != s.N() {
				t.Fatalf("seed %d: not a simple graph of the same vertices", seed+i)
			}
			for v := range csr.VertexID(s.N()) {
				if m.NodeID(v) != s.NodeID(v) || len(m.LabelsOf(v)) != len(s.LabelsOf(v)) {
					t.Fatalf("seed %d: vertex %d is another one", seed+i, v)
				}
				for w := range csr.VertexID(s.N()) {
					there, back := s.Relationships(nil, v, w, types, csr.Out), s.Relationships(nil, w, v, types, csr.Out)
					want := v != w && len(there) > 0 && len(back) > 0
					if adj.Has(v, w) != want {
						t.Fatalf("seed %d, types %v: %d and %d joined: %v", seed+i, types, v, w, !want)
					}
					if want {
						pairs++
					}
				}
			}
		}
	}
	if pairs < 300 {
		t.Errorf("seed %d: only %d pairs", seed, pairs)
	}
}

// A cancelled build is not kept, and one that is done is.
func TestReciprocalCancelled(t *testing.T) {
	s := testgraph.Random(1, testgraph.Options{Vertices: 10, Edges: 30})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Reciprocal(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	a, err := s.Reciprocal(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if b, _ := s.Reciprocal(t.Context(), nil); a != b {
		t.Error("made twice")
	}
}
