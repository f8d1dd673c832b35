package testgraph

import (
	"context"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// Trusses deletes edges in fewer than k-2 triangles as long as there are any. It does so for the k of the request, or for
// k = 3, 4, ... until no edge remains.
func (Brute) Trusses(ctx context.Context, s *csr.Snapshot, r *pattern.TrussRequest, _ *pattern.Env) (*pattern.Trusses, error) {
	k := r.K
	joined := make(map[[2]csr.VertexID]bool)
	all := new(pattern.Trusses)
	for v := range vertices(s) {
		for w := v + 1; uint64(w) < s.N(); w++ {
			if in(r.Within, v) && in(r.Within, w) && len(s.Relationships(nil, v, w, r.Types, csr.Both)) > 0 {
				joined[[2]csr.VertexID{v, w}] = true
				all.Source, all.Target, all.Truss = append(all.Source, v), append(all.Target, w), append(all.Truss, 2)
			}
		}
	}
	first, last := uint32(3), uint32(s.N())
	if k != 0 && k != pattern.KMax {
		first, last = k, k
	}
	for i := first; i <= last && len(joined) > 0; i++ {
		if err := deleteBelow(ctx, s, joined, i); err != nil {
			return nil, err
		}
		for e := range all.Source {
			if joined[[2]csr.VertexID{all.Source[e], all.Target[e]}] {
				all.Truss[e] = max(i, 2)
			}
		}
	}
	return chosen(all, k), nil
}

// deleteBelow deletes down to the edges of the k-truss.
func deleteBelow(ctx context.Context, s *csr.Snapshot, joined map[[2]csr.VertexID]bool, k uint32) error {
	for again := true; again; {
		again = false
		for e := range joined {
			if err := ctx.Err(); err != nil {
				return err
			}
			triangles := uint32(0)
			for x := range vertices(s) {
				a := [2]csr.VertexID{min(e[0], x), max(e[0], x)}
				b := [2]csr.VertexID{min(e[1], x), max(e[1], x)}
				if joined[a] && joined[b] {
					triangles++
				}
			}
			if triangles+2 < k {
				delete(joined, e)
				again = true
			}
		}
	}
	return nil
}

// chosen returns the part of all that the request asks for.
func chosen(all *pattern.Trusses, k uint32) *pattern.Trusses {
	for _, t := range all.Truss {
		all.KMax = max(all.KMax, t)
	}
	least := k
	if k == pattern.KMax {
		least = all.KMax
	}
	some := new(pattern.Trusses)
	for e, t := range all.Truss {
		if t >= least {
			some.Source, some.Target, some.Truss = append(some.Source, all.Source[e]), append(some.Target, all.Target[e]), append(some.Truss, t)
			some.KMax = all.KMax
		}
	}
	return some
}
