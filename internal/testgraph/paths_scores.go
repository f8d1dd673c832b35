package testgraph

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// WeightedDistances returns the distances between all pairs by Floyd and Warshall; +Inf where there is no path.
func WeightedDistances(weights [][]float64, counts []bool) [][]float64 {
	d := make([][]float64, len(weights))
	for v, row := range weights {
		d[v] = slices.Clone(row)
		for w := range row {
			switch {
			case v == w && counts[v]:
				d[v][w] = 0
			case row[w] < 0:
				d[v][w] = math.Inf(1)
			}
		}
	}
	for m := range d {
		for v := range d {
			for w := range d {
				d[v][w] = min(d[v][w], d[v][m]+d[m][w])
			}
		}
	}
	return d
}

// Closeness scores vertices by the distances between all pairs.
func (Brute) Closeness(ctx context.Context, s *csr.Snapshot, r *pattern.ScoreRequest) ([]float64, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	a, counts, err := Matrix(s, &r.Network)
	if err != nil {
		return nil, err
	}
	others := -1.0
	for _, in := range counts {
		if in {
			others++
		}
	}
	score := make([]float64, len(a))
	for v, row := range WeightedDistances(a, counts) {
		reached, sum, inverse := 0.0, 0.0, 0.0
		for w, d := range row {
			if w != v && !math.IsInf(d, 1) {
				reached, sum, inverse = reached+1, sum+d, inverse+1/d
			}
		}
		switch {
		case reached == 0:
		case r.Closeness == pattern.HarmonicCloseness:
			score[v] = inverse / others
		case sum == 0:
		case r.Closeness == pattern.ClassicCloseness:
			score[v] = reached / sum
		default:
			score[v] = reached * reached / (sum * others)
		}
	}
	return score, nil
}

// Betweenness counts the shortest paths of all pairs, and those through every vertex.
func (Brute) Betweenness(ctx context.Context, s *csr.Snapshot, r *pattern.ScoreRequest) ([]float64, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	a, counts, err := Matrix(s, &r.Network)
	if err != nil {
		return nil, err
	}
	d := WeightedDistances(a, counts)
	paths := make([][]float64, len(a))
	for v := range a {
		paths[v] = countPaths(a, d[v], v)
	}
	score, n := make([]float64, len(a)), 0.0
	for v := range a {
		if counts[v] {
			n++
		}
		for from := range a {
			if r.Sources != nil && !slices.Contains(r.Sources, csr.VertexID(from)) {
				continue
			}
			for to := range a {
				if from != v && to != v && from != to && !math.IsInf(d[from][to], 1) && d[from][v]+d[v][to] == d[from][to] {
					score[v] += paths[from][v] * paths[v][to] / paths[from][to]
				}
			}
		}
	}
	for v := range score {
		pairs := (n - 1) * (n - 2)
		if r.Sources == nil && r.Direction == csr.Both {
			score[v], pairs = score[v]/2, pairs/2
		}
		if r.Normalize && pairs > 0 {
			score[v] /= pairs
		}
	}
	return score, nil
}

// countPaths counts the shortest paths from one vertex to each other one.
func countPaths(a [][]float64, dist []float64, from int) []float64 {
	order := make([]int, len(a))
	for v := range order {
		order[v] = v
	}
	slices.SortFunc(order, func(v, w int) int { return cmp.Compare(dist[v], dist[w]) })
	paths := make([]float64, len(a))
	paths[from] = 1
	for _, v := range order {
		for u := range a {
			if v != from && a[u][v] > 0 && !math.IsInf(dist[v], 1) && dist[u]+a[u][v] == dist[v] {
				paths[v] += paths[u]
			}
		}
	}
	return paths
}
