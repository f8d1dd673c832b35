package testgraph

import (
	"context"
	"math"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// Matrix returns the weights of a network by pairs of vertices, -1 where there is no edge, and which vertices count.
func Matrix(s *csr.Snapshot, r *pattern.Network) (weights [][]float64, counts []bool, err error) {
	n := int(s.N())
	counts = make([]bool, n)
	for v := range counts {
		counts[v] = r.Within == nil || r.Within.Has(csr.VertexID(v))
	}
	for v := range n {
		row := make([]float64, n)
		for w := range row {
			row[w] = -1
			if v == w || !counts[v] || !counts[w] {
				continue
			}
			for _, e := range s.Relationships(nil, csr.VertexID(v), csr.VertexID(w), r.Types, r.Direction) {
				x := 1.0
				if r.Weight != nil {
					if x, err = r.Weight.Of(s, e); err != nil {
						return nil, nil, err
					}
				}
				switch {
				case row[w] < 0 || r.Weight == nil:
					row[w] = x
				case r.Weight.Least:
					row[w] = min(row[w], x)
				default:
					row[w] += x
				}
			}
		}
		weights = append(weights, row)
	}
	return weights, counts, nil
}

// Scores scores vertices by dense matrices.
func (Brute) Scores(ctx context.Context, s *csr.Snapshot, kind pattern.RequestKind, r *pattern.ScoreRequest) ([]float64, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	a, counts, err := Matrix(s, &r.Network)
	if err != nil {
		return nil, err
	}
	n := 0.0
	strength, total := make([]float64, len(a)), 0.0
	for v, row := range a {
		if counts[v] {
			n++
		}
		for w := range row {
			row[w] = max(0, row[w])
			strength[v] += row[w]
		}
		total += strength[v]
	}
	switch kind {
	case pattern.KindDegree:
		for v := range strength {
			if r.Normalize && n > 1 {
				strength[v] /= n - 1
			}
		}
		return strength, nil
	case pattern.KindEigenvector:
		return powerIteration(a, counts, r)
	case pattern.KindArticleRank:
		return articleRank(a, counts, strength, total/n, r.Damping), nil
	}
	return walkShares(a, counts, strength, r), nil
}

// walkShares solves the equations of page rank, those of vertices without edges as the definition has them.
func walkShares(a [][]float64, counts []bool, strength []float64, r *pattern.ScoreRequest) []float64 {
	start := make([]float64, len(a))
	n := 0.0
	for v := range a {
		in := r.Sources == nil
		for _, w := range r.Sources {
			in = in || int(w) == v
		}
		if in && counts[v] {
			start[v] = 1
			n++
		}
	}
	if n == 0 {
		return start
	}
	m, b := make([][]float64, len(a)), make([]float64, len(a))
	for v := range a {
		start[v] /= n
	}
	for w := range a {
		m[w] = make([]float64, len(a))
		m[w][w] = 1
		b[w] = (1 - r.Damping) * start[w]
		for v := range a {
			switch {
			case !counts[v] || !counts[w]:
			case strength[v] > 0:
				m[w][v] -= r.Damping * a[v][w] / strength[v]
			default:
				m[w][v] -= r.Damping * start[w]
			}
		}
	}
	return gauss(m, b)
}

func articleRank(a [][]float64, counts []bool, strength []float64, mean, damping float64) []float64 {
	m, b := make([][]float64, len(a)), make([]float64, len(a))
	for w := range a {
		m[w] = make([]float64, len(a))
		m[w][w] = 1
		if counts[w] {
			b[w] = 1 - damping
		}
		for v := range a {
			if a[v][w] > 0 {
				m[w][v] -= damping * a[v][w] / (strength[v] + mean)
			}
		}
	}
	return gauss(m, b)
}

// gauss solves m x = b by elimination with pivots.
func gauss(m [][]float64, b []float64) []float64 {
	n := len(b)
	for i := range n {
		best := i
		for j := i + 1; j < n; j++ {
			if math.Abs(m[j][i]) > math.Abs(m[best][i]) {
				best = j
			}
		}
		m[i], m[best], b[i], b[best] = m[best], m[i], b[best], b[i]
		for j := i + 1; j < n; j++ {
			f := m[j][i] / m[i][i]
			for k := i; k < n; k++ {
				m[j][k] -= f * m[i][k]
			}
			b[j] -= f * b[i]
		}
	}
	for i := n - 1; i >= 0; i-- {
		for k := i + 1; k < n; k++ {
			b[i] -= m[i][k] * b[k]
		}
		b[i] /= m[i][i]
	}
	return b
}

// powerIteration multiplies a unit vector by A+I until it stays.
func powerIteration(a [][]float64, counts []bool, r *pattern.ScoreRequest) ([]float64, error) {
	x, edges := make([]float64, len(a)), false
	for v := range x {
		if counts[v] {
			x[v] = 1
		}
	}
	change := 1.0
	for round := 0; round < 100_000 && change > 1e-15; round++ {
		y, norm := make([]float64, len(a)), 0.0
		for w := range a {
			y[w] = x[w]
			for v := range a {
				y[w] += x[v] * a[v][w]
				edges = edges || a[v][w] > 0
			}
			norm += y[w] * y[w]
		}
		if norm == 0 {
			break
		}
		change = 0
		for v := range y {
			y[v] /= math.Sqrt(norm)
			change += math.Abs(y[v] - x[v])
		}
		x = y
	}
	if !edges && len(a) > 0 || change > 1e-14 {
		return nil, &pattern.NotConvergedError{Iterations: r.MaxIterations}
	}
	return x, nil
}
