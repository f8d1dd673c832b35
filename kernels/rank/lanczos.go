package rank

import (
	"math"

	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/parallel"
)

// steps is how many products of the matrix a cycle makes before it starts again from the best vector.
const steps = 16

// lanczosBytes is the memory of a search for an eigenvector, by vertex.
const lanczosBytes = 8 * (steps + 1)

// lanczos finds the eigenvector of a symmetric matrix. The span of the products of a cycle has a far better vector than the last product.
// The span also tells how far the next eigenvalue is, and so how large the error of the scores may be.
func (k *ranking) lanczos() error {
	bytes := lanczosBytes * int64(k.N)
	defer func() { k.env.Memory.Release(bytes) }()
	if err := k.env.Memory.Charge(bytes); err != nil {
		return err
	}
	l := &span{ranking: k, parts: make([]float64, (k.N+chunkLen-1)/chunkLen)}
	for i := range l.basis {
		l.basis[i] = make([]float64, k.N)
	}
	start := 1 / math.Sqrt(float64(k.N))
	for v := range k.score {
		k.score[v] = start
	}
	for made := 0; ; {
		n, residual := l.grow(min(steps, k.N, k.MaxIterations-made))
		if err := k.ctx.Err(); err != nil {
			return err
		}
		made += n
		value, next, y := largest(l.small[:n], n)
		residual *= math.Abs(y[n-1])
		l.combine(y)
		bound := residual / (value - next)
		switch {
		case value == 0 && residual == 0: // no edges: every vector solves the equation, and the one at the start treats all alike
			return nil
		case value > 0 && (bound <= k.Tolerance || residual <= 1e-15*value):
			return nil
		case value <= 0 || made == k.MaxIterations:
			return &pattern.NotConvergedError{Iterations: made, Bound: bound}
		}
	}
}

// span is an orthonormal basis of products of the matrix, and the matrix in this basis.
type span struct {
	*ranking
	basis [steps + 1][]float64
	small [steps][steps]float64
	parts []float64
}

// grow makes up to n vectors of a new basis, which begins with the scores. It returns how many there are, and the length of what the last
// product has beside them.
func (l *span) grow(n int) (made int, rest float64) {
	copy(l.basis[0], l.score)
	l.small = [steps][steps]float64{}
	for j := range n {
		x, w := l.basis[j], l.basis[j+1]
		l.units(1, 0)
		l.each(0, l.N, func(v int) { w[v] = l.brings(v, x) })
		before := math.Sqrt(l.dot(w, w))
		if rest = l.separate(w, j); rest < before/4 {
			rest = l.separate(w, j) // what is left of a large vector is not exact
		}
		l.units(0, 1)
		if made = j + 1; rest <= 1e-14*before || l.stop.Load() {
			return made, rest
		}
		scale := 1 / rest
		l.each(0, l.N, func(v int) { w[v] *= scale })
	}
	return made, rest
}

// separate takes from w what lies along the vectors up to j, and adds that to the small matrix. It returns the length of the rest.
func (l *span) separate(w []float64, j int) (rest float64) {
	for i := j; i >= 0; i-- {
		u := l.basis[i]
		c := l.dot(w, u)
		l.each(0, l.N, func(v int) { w[v] -= c * u[v] })
		if l.small[i][j] += c; i < j {
			l.small[j][i] = l.small[i][j]
		}
	}
	return math.Sqrt(l.dot(w, w))
}

// dot does not depend on the number of workers.
func (l *span) dot(x, y []float64) float64 {
	parallel.For(l.workers, len(l.parts), 16, &l.stop, func(_, lo, hi int) {
		for c := lo; c < hi; c++ {
			a, b := x[c*chunkLen:min(c*chunkLen+chunkLen, l.N)], y[c*chunkLen:min(c*chunkLen+chunkLen, l.N)]
			total := 0.0
			for i, z := range a {
				total += z * b[i]
			}
			l.parts[c] = total
		}
	})
	return sum(l.parts)
}

// combine makes the scores the vector with the coordinates y. Scores are not negative, except by rounding.
func (l *span) combine(y []float64) {
	l.each(0, l.N, func(v int) {
		x := 0.0
		for i, c := range y {
			x += c * l.basis[i][v]
		}
		l.score[v] = max(0, x)
	})
	scale := 1 / math.Sqrt(l.dot(l.score, l.score))
	l.each(0, l.N, func(v int) { l.score[v] *= scale })
}

// largest returns the two largest eigenvalues of a symmetric matrix of n rows, and the unit vector of the first, with a first coordinate that
// is not negative. It rotates pairs of coordinates until the matrix is diagonal (Jacobi). The second value is 0 if n is 1.
func largest(rows [][steps]float64, n int) (first, second float64, vector []float64) {
	a, q := [steps][steps]float64{}, [steps][steps]float64{}
	copy(a[:], rows)
	for i := range n {
		q[i][i] = 1
	}
	for range 30 {
		off, size := 0.0, 0.0
		for i := range n {
			size = max(size, math.Abs(a[i][i]))
			for j := range i {
				off = max(off, math.Abs(a[i][j]))
				rotate(&a, &q, n, j, i)
			}
		}
		if off <= 1e-18*size {
			break
		}
	}
	best := 0
	for i := range n {
		if a[i][i] > a[best][best] {
			best = i
		}
	}
	for i := range n {
		if i != best && (second == 0 || a[i][i] > second) {
			second = a[i][i]
		}
	}
	sign := 1.0
	if q[0][best] < 0 {
		sign = -1
	}
	for i := range n {
		vector = append(vector, sign*q[i][best])
	}
	return a[best][best], second, vector
}

// rotate turns coordinates i and j so that a[i][j] becomes 0. The columns of q are the coordinates.
func rotate(a, q *[steps][steps]float64, n, i, j int) {
	if a[i][j] == 0 {
		return
	}
	theta := (a[j][j] - a[i][i]) / (2 * a[i][j])
	t := 1 / (math.Abs(theta) + math.Hypot(theta, 1))
	if theta < 0 {
		t = -t
	}
	c := 1 / math.Hypot(t, 1)
	s := t * c
	for r := range n {
		a[r][i], a[r][j] = c*a[r][i]-s*a[r][j], s*a[r][i]+c*a[r][j]
		q[r][i], q[r][j] = c*q[r][i]-s*q[r][j], s*q[r][i]+c*q[r][j]
	}
	for r := range n {
		a[i][r], a[j][r] = c*a[i][r]-s*a[j][r], s*a[i][r]+c*a[j][r]
	}
	a[i][j], a[j][i] = 0, 0
}
