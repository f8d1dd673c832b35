package rank

import (
	"math"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// eigenvector iterates x -> (A + cI) x / |...|, c being half the estimate of the eigenvalue. The shift keeps graphs with two sides from
// swinging between two vectors.
func (k *ranking) eigenvector() error {
	if k.N == 0 {
		return nil
	}
	if k.Direction == csr.Both {
		return k.lanczos()
	}
	x, y, squares := k.score, make([]float64, k.N), make([]float64, k.N)
	start := 1 / math.Sqrt(float64(k.N))
	for v := range x {
		x[v] = start
	}
	norm := func(values []float64) float64 {
		k.each(0, k.N, func(v int) { squares[v] = values[v] * values[v] })
		return math.Sqrt(sum(squares))
	}
	for round := 0; ; round++ {
		if err := k.ctx.Err(); err != nil {
			return err
		}
		k.units(1, 0)
		k.each(0, k.N, func(v int) { y[v] = k.brings(v, x) })
		k.each(0, k.N, func(v int) { squares[v] = x[v] * y[v] })
		value := sum(squares) // x is a unit vector
		k.each(0, k.N, func(v int) { d := y[v] - value*x[v]; squares[v] = d * d })
		residual := math.Sqrt(sum(squares))
		k.units(0, 1)
		switch done := residual <= k.Tolerance*value; {
		case value == 0 || done && value < k.least()/2: // the largest eigenvalue of a graph with a cycle is at least its least weight
			return &pattern.NotConvergedError{Iterations: round, Bound: math.Inf(1)}
		case done:
			return nil
		case round == k.MaxIterations:
			return &pattern.NotConvergedError{Iterations: round, Bound: residual / value}
		}
		shift := value / 2
		k.each(0, k.N, func(v int) { y[v] += shift * x[v] })
		scale := 1 / norm(y)
		k.each(0, k.N, func(v int) { x[v] = y[v] * scale })
	}
}

// least returns the smallest weight above 0, infinity if there is none.
func (k *ranking) least() float64 {
	if k.In.Weights == nil {
		return 1
	}
	least := math.Inf(1)
	for _, w := range k.In.Weights {
		if w > 0 {
			least = min(least, w)
		}
	}
	return least
}

// brings adds up what v's edges bring of the scores x.
func (k *ranking) brings(v int, x []float64) float64 {
	total := 0.0
	at, end := k.In.Offsets[v], k.In.Offsets[v+1]
	if k.In.Weights == nil {
		for _, u := range k.In.Targets[at:end] {
			total += x[u]
		}
		return total
	}
	for ; at < end; at++ {
		total += x[k.In.Targets[at]] * k.In.Weights[at]
	}
	return total
}
