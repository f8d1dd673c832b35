package testgraph

import (
	"context"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// Cores deletes vertices with fewer than k neighbours until none is left to delete, for every k until no vertex
// remains: the coreness of a vertex is the last k that it is there for.
func (Brute) Cores(ctx context.Context, s *csr.Snapshot, types csr.TypeSet, _ *pattern.Env) (core []uint32, degeneracy uint32, err error) {
	core = make([]uint32, s.N())
	left := make(map[csr.VertexID]bool, s.N())
	for v := range vertices(s) {
		left[v] = true
	}
	for k := uint32(0); len(left) > 0; k++ {
		for again := true; again; {
			again = false
			for v := range left {
				if err := ctx.Err(); err != nil {
					return nil, 0, err
				}
				neighbours := uint32(0)
				for w := range left {
					if v != w && len(s.Relationships(nil, v, w, types, csr.Both)) > 0 {
						neighbours++
					}
				}
				if neighbours < k {
					delete(left, v)
					again = true
				}
			}
		}
		for v := range left {
			core[v], degeneracy = k, k
		}
	}
	return core, degeneracy, nil
}
