package testgraph

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// Distances are those between all pairs.
func (Brute) Distances(ctx context.Context, s *csr.Snapshot, r *pattern.WeightedPathRequest) (*pattern.Distances, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	a, counts, err := Matrix(s, &r.Network)
	if err != nil {
		return nil, err
	}
	all := WeightedDistances(a, counts)
	d := &pattern.Distances{}
	for v := range a {
		best, parent := math.Inf(1), csr.NoVertex
		for _, from := range r.Sources {
			best = min(best, all[from][v])
		}
		for _, from := range r.Sources {
			for u := range a {
				if best > 0 && a[u][v] >= 0 && all[from][u]+a[u][v] == best && all[u][v] == a[u][v] && parent == csr.NoVertex && !math.IsInf(best, 1) {
					parent = csr.VertexID(u)
				}
			}
		}
		d.Dist, d.Parent = append(d.Dist, best), append(d.Parent, parent)
	}
	return d, nil
}

// WeightedPaths lists all paths, then sorts them by cost.
func (Brute) WeightedPaths(ctx context.Context, s *csr.Snapshot, r *pattern.WeightedPathRequest) (paths []pattern.WeightedPath, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	a, counts, err := Matrix(s, &r.Network)
	if err != nil || !counts[r.Sources[0]] || !counts[r.Target] {
		return nil, err
	}
	var extend func(path []csr.VertexID, cost float64)
	extend = func(path []csr.VertexID, cost float64) {
		last := path[len(path)-1]
		if last == r.Target {
			paths = append(paths, pattern.WeightedPath{Vertices: slices.Clone(path), Cost: cost})
			return
		}
		for w, x := range a[last] {
			if x >= 0 && !slices.Contains(path, csr.VertexID(w)) {
				extend(append(path, csr.VertexID(w)), cost+x)
			}
		}
	}
	extend([]csr.VertexID{r.Sources[0]}, 0)
	slices.SortStableFunc(paths, func(p, q pattern.WeightedPath) int { return cmp.Compare(p.Cost, q.Cost) })
	return paths[:min(r.K, len(paths))], nil
}
