package clique

import (
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/parallel"
)

// zeroed returns b resized to n words, all zero.
func zeroed(b []uint64, n int) []uint64 {
	if cap(b) < n {
		return make([]uint64, n, 2*n)
	}
	b = b[:n]
	clear(b)
	return b
}

// fill sets the first n bits of b and clears the rest.
func fill(b []uint64, n int) {
	for i := range b {
		switch {
		case n >= 64:
			b[i] = ^uint64(0)
		case n > 0:
			b[i] = 1<<n - 1
		default:
			b[i] = 0
		}
		n -= 64
	}
}

// openGroup returns the first group that still needs a vertex.
func openGroup(quota []int) int {
	for g, q := range quota {
		if q > 0 {
			return g
		}
	}
	return 0
}

// openPair returns the two groups (or twice the same) that still need a vertex each.
func openPair(quota []int) (first, second int) {
	first = openGroup(quota)
	if quota[first] > 1 {
		return first, first
	}
	for g := first + 1; g < len(quota); g++ {
		if quota[g] > 0 {
			return first, g
		}
	}
	return first, first
}

func addTo(total, n pattern.Count128, err error) (pattern.Count128, error) {
	if err != nil {
		return total, err
	}
	return total.Add(n)
}

// firstError prefers a real error over a stop.
func firstError(errs []error) error {
	var stop error
	for _, err := range errs {
		if err == parallel.ErrStop {
			stop = err
		} else if err != nil {
			return err
		}
	}
	return stop
}
