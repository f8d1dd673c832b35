package kernels_test

import (
	"context"
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/shared"
	"github.com/motifql/motif/kernels"
	"github.com/motifql/motif/storage/importer"
)

// TestDiameters searches from every vertex of real graphs whose diameter (of any component) is known, 64 at a time, and
// looks at a few single searches as well.
func TestDiameters(t *testing.T) {
	for file, want := range map[string]int32{
		"ca-GrQc.txt.zst":       17,
		"email-Eu-core.txt.zst": 7,
		"hprd.graph.zst":        14,
	} {
		s, _, err := importer.Load(context.Background(), importer.Spec{Files: []string{shared.File(t, "data", file)}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		env := &pattern.Env{Workers: 2}
		far := make([]int32, s.N()) // eccentricities
		for first := csr.VertexID(0); uint64(first) < s.N(); first += 64 {
			q := &pattern.Traversal{Direction: csr.Both, MaxDepth: -1}
			for v := first; v < min(first+64, csr.VertexID(s.N())); v++ {
				q.Sources = append(q.Sources, v)
			}
			err := kernels.BFSMany(t.Context(), s, q, env, func(depth int32, _ csr.VertexID, sources uint64) (bool, error) {
				for i := range q.Sources {
					if sources>>i&1 != 0 {
						far[int(first)+i] = depth
					}
				}
				return true, nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		diameter := int32(0)
		for _, d := range far {
			diameter = max(diameter, d)
		}
		if diameter != want {
			t.Errorf("%s: diameter %d, want %d", file, diameter, want)
		}
		for v := csr.VertexID(0); uint64(v) < s.N(); v += 501 {
			l, err := kernels.BFS(t.Context(), s, &pattern.Traversal{Sources: []csr.VertexID{v}, Direction: csr.Both, MaxDepth: -1}, env)
			if err != nil {
				t.Fatal(err)
			}
			deepest := int32(0)
			for _, d := range l.Depth {
				deepest = max(deepest, d)
			}
			if deepest != far[v] {
				t.Errorf("%s: from %d: %d levels, want %d", file, v, deepest, far[v])
			}
		}
	}
}
