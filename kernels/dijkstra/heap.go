package dijkstra

import "github.com/motifql/motif/internal/csr"

type entry struct {
	dist   float64
	vertex csr.VertexID
}

// before orders entries by distance, then by vertex, so that the order of settling is one.
func (e entry) before(f entry) bool {
	return e.dist < f.dist || e.dist == f.dist && e.vertex < f.vertex
}

// heap has four children per entry.
type heap []entry

func (h *heap) push(e entry) {
	*h = append(*h, e)
	a := *h
	i := len(a) - 1
	for i > 0 {
		up := (i - 1) / 4
		if !e.before(a[up]) {
			break
		}
		a[i] = a[up]
		i = up
	}
	a[i] = e
}

func (h *heap) pop() entry {
	a := *h
	top, e := a[0], a[len(a)-1]
	a = a[:len(a)-1]
	*h = a
	if len(a) == 0 {
		return top
	}
	i := 0
	for {
		first := 4*i + 1
		if first >= len(a) {
			break
		}
		best := first
		for j := first + 1; j < min(first+4, len(a)); j++ {
			if a[j].before(a[best]) {
				best = j
			}
		}
		if !a[best].before(e) {
			break
		}
		a[i] = a[best]
		i = best
	}
	a[i] = e
	return top
}
