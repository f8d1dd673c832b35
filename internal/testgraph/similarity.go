package testgraph

import (
	"cmp"
	"context"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// Similar compares all pairs of vertices.
func (Brute) Similar(ctx context.Context, s *csr.Snapshot, r *pattern.SimilarityRequest) (*pattern.Similarities, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	a, counts, err := Matrix(s, &r.Network)
	if err != nil {
		return nil, err
	}
	degree := func(v int) (n int) {
		for _, x := range a[v] {
			if x >= 0 {
				n++
			}
		}
		return n
	}
	out := new(pattern.Similarities)
	for v := range a {
		if !counts[v] || r.Sources != nil && !slices.Contains(r.Sources, csr.VertexID(v)) {
			continue
		}
		score := make([]float64, len(a))
		var list []csr.VertexID
		for w := range a {
			common := 0
			for u := range a {
				if a[v][u] >= 0 && a[w][u] >= 0 {
					common++
				}
			}
			if v == w || common == 0 {
				continue
			}
			if score[w] = r.Metric.Of(common, degree(v), degree(w)); score[w] >= r.Cutoff {
				list = append(list, csr.VertexID(w))
			}
		}
		slices.SortFunc(list, func(x, y csr.VertexID) int {
			return cmp.Or(cmp.Compare(score[y], score[x]), cmp.Compare(s.NodeID(x), s.NodeID(y)))
		})
		for _, w := range list[:min(r.TopK, len(list))] {
			out.Source, out.Target, out.Score = append(out.Source, csr.VertexID(v)), append(out.Target, w), append(out.Score, score[w])
		}
	}
	return out, nil
}
