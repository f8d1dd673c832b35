package testgraph

import (
	"context"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// Triangles tries every three vertices.
func (Brute) Triangles(ctx context.Context, s *csr.Snapshot, types csr.TypeSet, perNode bool, _ *pattern.Env) (total uint64, by []uint64, err error) {
	if perNode {
		by = make([]uint64, s.N())
	}
	joined := func(v, w csr.VertexID) bool { return len(s.Relationships(nil, v, w, types, csr.Both)) > 0 }
	for w := range vertices(s) {
		for v := range w {
			if err := ctx.Err(); err != nil {
				return 0, nil, err
			}
			for u := range v {
				if !joined(u, v) || !joined(v, w) || !joined(u, w) {
					continue
				}
				total++
				if perNode {
					by[u]++
					by[v]++
					by[w]++
				}
			}
		}
	}
	return total, by, nil
}
