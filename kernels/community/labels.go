package community

import "github.com/motifql/motif/internal/pattern"

// propagate lets labels spread until each vertex has one of those with the largest weight around it.
func (d *division) propagate() ([]uint32, error) {
	label, sum := make([]uint32, d.n), make([]float64, d.n)
	for v := range label {
		label[v] = uint32(v)
	}
	rank := make([]uint32, d.n) // of labels: the first in the order of round 0 wins a tie
	for i, v := range d.Shuffled(d.n, 0) {
		rank[v] = uint32(i)
	}
	for round := 1; ; round++ {
		changes := 0
		d.units(1, 0)
		for i, v := range d.Shuffled(d.n, round) {
			if i&1023 == 0 && d.stop.Load() {
				return nil, d.ctx.Err()
			}
			if best := d.level.strongest(v, label, rank, sum); best != label[v] {
				label[v] = best
				changes++
			}
		}
		d.units(0, 1)
		d.iterations = round
		if d.converged = changes == 0; d.converged || d.Unsettled && round == d.MaxIterations {
			return label, nil
		}
		if round == d.MaxIterations {
			return nil, &pattern.NotConvergedError{Iterations: round, Bound: float64(changes) / float64(d.n)}
		}
	}
}

// strongest returns the label with the largest weight around v. sum is zero, by label.
func (l *level) strongest(v uint32, label, rank []uint32, sum []float64) uint32 {
	lo, hi := l.rows.Offsets[v], l.rows.Offsets[v+1]
	for p := lo; p < hi; p++ {
		sum[label[l.rows.Targets[p]]] += l.weight(p)
	}
	best := label[v]
	for p := lo; p < hi; p++ {
		c := label[l.rows.Targets[p]]
		if sum[c] > sum[best] || sum[c] == sum[best] && best != label[v] && rank[c] < rank[best] {
			best = c
		}
	}
	for p := lo; p < hi; p++ {
		sum[label[l.rows.Targets[p]]] = 0
	}
	return best
}
