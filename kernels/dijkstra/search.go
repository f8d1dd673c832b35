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

	rows  *network.Rows
	stop  *atomic.Bool
	heap  heap // the vertices that wait, without those in later
	later buckets
	from  []csr.VertexID

	refuse func(from, to csr.VertexID) bool // edges that the search does not take; nil: none
}

// Bytes is the memory of a Search of n vertices, without its heap.
func Bytes(n int) int64 { return int64(n) * (8 + 4 + 4) }

// NewSearch makes a search along rows. It polls stop.
func NewSearch(rows *network.Rows, stop *atomic.Bool) *Search {
	n := len(rows.Offsets) - 1
	s := &Search{Dist: make([]float64, n), rows: rows, stop: stop, from: make([]csr.VertexID, n)}
	s.later.start(rows)
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
	for polls := 0; ; polls++ {
		if polls&1023 == 0 && s.stop.Load() {
			return
		}
		if len(s.heap) == 0 && !s.refill() {
			return
		}
		top := s.heap.pop()
		v := top.vertex
		if top.dist > s.Dist[v] {
			continue // a shorter way came later
		}
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
	targets := s.rows.Targets[lo:hi]
	if s.rows.Weights == nil {
		for _, w := range targets {
			if dist+1 < s.Dist[w] && (s.refuse == nil || !s.refuse(v, w)) {
				s.reach(w, v, dist+1)
			}
		}
		return
	}
	weights := s.rows.Weights[lo:hi]
	for i, w := range targets {
		if d := dist + weights[i]; d < s.Dist[w] && (s.refuse == nil || !s.refuse(v, w)) {
			s.reach(w, v, d)
		}
	}
}

func (s *Search) reach(v, from csr.VertexID, dist float64) {
	s.Dist[v], s.from[v] = dist, from
	if b := s.later.of(dist); b != s.later.now {
		s.later.add(b, entry{dist, v})
		return
	}
	s.heap.push(entry{dist, v})
}

// refill moves the entries of the next bucket into the heap, without those that a shorter way has made void. It reports whether there
// are any.
func (s *Search) refill() bool {
	for len(s.heap) == 0 {
		at, ok := s.later.next()
		if !ok {
			return false
		}
		for ; at != noEntry; at = s.later.list[at].after {
			if e := &s.later.list[at]; e.dist == s.Dist[e.vertex] {
				s.heap.push(entry{e.dist, e.vertex})
			}
		}
	}
	return true
}

// clear forgets the last search.
func (s *Search) clear() {
	for _, v := range s.Order {
		s.Dist[v] = math.Inf(1)
	}
	for _, e := range s.heap { // reached, not settled
		s.Dist[e.vertex] = math.Inf(1)
	}
	for _, e := range s.later.list {
		s.Dist[e.vertex] = math.Inf(1)
	}
	s.Order, s.heap = s.Order[:0], s.heap[:0]
	s.later.clear()
}

// Parent returns the vertex before v on the path to it; csr.NoVertex for a source.
func (s *Search) Parent(v csr.VertexID) csr.VertexID { return s.from[v] }
