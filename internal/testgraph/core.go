package testgraph

import (
	"context"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// Cores deletes vertices with fewer than k neighbours as long as there are any, for k = 1, 2, ... until no vertex remains.
// The coreness of a vertex is the last k it survives. The order is the order of deletion. r.Variant changes nothing.
func (Brute) Cores(ctx context.Context, s *csr.Snapshot, r *pattern.CoreRequest, _ *pattern.Env) (*pattern.Cores, error) {
	c := &pattern.Cores{Core: make([]uint32, s.N())}
	left := make(map[csr.VertexID]bool, s.N())
	for v := range vertices(s) {
		if in(r.Within, v) {
			left[v] = true
		}
	}
	for k := uint32(0); len(left) > 0; k++ {
		gone, err := deleteVertices(ctx, s, r, left, k)
		if err != nil {
			return nil, err
		}
		c.Order = append(c.Order, gone...)
		for v := range left {
			c.Core[v], c.Degeneracy = k, k
		}
	}
	switch {
	case r.K > 0:
		members := &pattern.Cores{}
		for v := range vertices(s) {
			if c.Core[v] >= r.K {
				members.Members = append(members.Members, v)
			}
		}
		return members, nil
	case !r.Order:
		c.Order = nil
	}
	return c, nil
}

// in reports whether v is in the set. A nil set holds every vertex.
func in(set *pattern.CandidateSet, v csr.VertexID) bool { return set == nil || set.Has(v) }

// deleteVertices deletes down to the k-core and returns the deleted vertices in order.
func deleteVertices(ctx context.Context, s *csr.Snapshot, r *pattern.CoreRequest, left map[csr.VertexID]bool, k uint32) (gone []csr.VertexID, err error) {
	for again := true; again; {
		again = false
		for v := range left {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			neighbours := uint32(0)
			for w := range left {
				if v != w && len(s.Relationships(nil, v, w, r.Types, r.Direction)) > 0 {
					neighbours++
				}
			}
			if neighbours < k {
				delete(left, v)
				gone = append(gone, v)
				again = true
			}
		}
	}
	return gone, nil
}
