package dijkstra

import (
	"math"
	"sync/atomic"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/kernels/network"
)

// Search holds the state of searches in one graph, one after the other. Vertices are numbers of the graph.
type Search struct {
	Dist  []float64      // +Inf: not reached
	Order []csr.VertexID // settled vertices, by rising distance

	rows *network.Rows
	stop *atomic.Bool
	heap heap
	done []uint64 // bitmap of settled vertices
	from []csr.VertexID

	refuse func(from, to csr.VertexID) bool // edges that the search does not take; nil: none
}

// Bytes is the memory of a Search of n vertices, without its heap.
func Bytes(n int) int64 { return int64(n) * (8 + 4 + 4 + 1) }

// NewSearch makes a search along rows. It polls stop.
func NewSearch(rows *network.Rows, stop *atomic.Bool) *Search {
	n := len(rows.Offsets) - 1
	s := &Search{Dist: make([]float64, n), rows: rows, stop: stop, done: make([]uint64, (n+63)/64), from: make([]csr.VertexID, n)}
	for v := range s.Dist {
		s.Dist[v] = math.Inf(1)
	}
	return s
}

// Run searches from sources, and replaces what the last search found. It ends early when settled returns false for a vertex that it has
// just settled; settled may be nil.
func (s *Search) Run(sources []csr.VertexID, settled func(v csr.VertexID) bool) {
	s.clear()
	for _, v := range sources {
		if s.Dist[v] != 0 {
			s.reach(v, csr.NoVertex, 0)
		}
	}
	for polls := 0; len(s.heap) > 0; polls++ {
		if polls&1023 == 0 && s.stop.Load() {
			return
		}
		top := s.heap.pop()
		v := top.vertex
		if s.done[v>>6]>>(v&63)&1 != 0 {
			continue
		}
		s.done[v>>6] |= 1 << (v & 63)
		s.Order = append(s.Order, v)
		if settled != nil && !settled(v) {
			return
		}
		s.relax(v, top.dist)
	}
}

// relax offers the neighbours of v paths through v.
func (s *Search) relax(v csr.VertexID, dist float64) {
	lo, hi := s.rows.Offsets[v], s.rows.Offsets[v+1]
	for p := lo; p < hi; p++ {
		d := dist + 1
		if s.rows.Weights != nil {
			d = dist + s.rows.Weights[p]
		}
		if w := s.rows.Targets[p]; d < s.Dist[w] && (s.refuse == nil || !s.refuse(v, w)) {
			s.reach(w, v, d)
		}
	}
}

func (s *Search) reach(v, from csr.VertexID, dist float64) {
	s.Dist[v], s.from[v] = dist, from
	s.heap.push(entry{dist, v})
}

// clear forgets the last search.
func (s *Search) clear() {
	for _, v := range s.Order {
		s.Dist[v] = math.Inf(1)
		s.done[v>>6] = 0
	}
	for _, e := range s.heap { // reached, not settled
		s.Dist[e.vertex] = math.Inf(1)
	}
	s.Order, s.heap = s.Order[:0], s.heap[:0]
}

// Parent returns the vertex before v on the path to it; csr.NoVertex for a source.
func (s *Search) Parent(v csr.VertexID) csr.VertexID { return s.from[v] }

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
