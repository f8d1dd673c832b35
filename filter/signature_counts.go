package filter

import (
	"context"
	"runtime"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/kernels/sets"
)

// Counting for signatures: neighbours, walks and triangles around each vertex, by label.

// histograms lists, for every vertex, how many neighbours it has under each label that some neighbour carries.
type histograms struct {
	offsets []uint64 // by vertex
	labels  []csr.LabelID
	counts  []uint8 // up to maxHistCount
}

// maxHistCount is where counts stop: above every bucket's width, so that one less still is.
const maxHistCount = 255

// of returns the labels around v and their counts.
func (h *histograms) of(v csr.VertexID) ([]csr.LabelID, []uint8) {
	lo, hi := h.offsets[v], h.offsets[v+1]
	return h.labels[lo:hi], h.counts[lo:hi]
}

// buildChunk is how many vertices are done at a time.
const buildChunk = 2048

// inChunks runs fn over all vertices of s on all cores. fn is made anew for every goroutine.
func inChunks(s *csr.Snapshot, newWorker func() func(lo, hi csr.VertexID)) {
	n := int(s.N())
	_ = parallel(context.Background(), runtime.GOMAXPROCS(0), (n+buildChunk-1)/buildChunk, func() func(i int) {
		fn := newWorker()
		return func(i int) { fn(csr.VertexID(i*buildChunk), csr.VertexID(min(n, (i+1)*buildChunk))) }
	}) // fails by its context only
}

// newHistograms counts around all vertices of s.
func newHistograms(s *csr.Snapshot, adj *csr.Adjacency) *histograms {
	h := &histograms{offsets: make([]uint64, s.N()+1)}
	inChunks(s, func() func(lo, hi csr.VertexID) {
		c := newLabelCounter(s)
		return func(lo, hi csr.VertexID) {
			for v := lo; v < hi; v++ {
				h.offsets[v+1] = uint64(len(c.count(adj, v)))
			}
		}
	})
	for i := range s.N() {
		h.offsets[i+1] += h.offsets[i]
	}
	h.labels, h.counts = make([]csr.LabelID, h.offsets[s.N()]), make([]uint8, h.offsets[s.N()])
	inChunks(s, func() func(lo, hi csr.VertexID) {
		c := newLabelCounter(s)
		return func(lo, hi csr.VertexID) {
			for v := lo; v < hi; v++ {
				at := h.offsets[v]
				for i, l := range c.count(adj, v) {
					h.labels[at+uint64(i)], h.counts[at+uint64(i)] = l, uint8(min(maxHistCount, c.counts[l]))
				}
			}
		}
	})
	return h
}

// labelCounter counts labels around one vertex after the other.
type labelCounter struct {
	s      *csr.Snapshot
	counts []int         // by label, of the vertex counted last
	labels []csr.LabelID // of the vertex counted last
}

func newLabelCounter(s *csr.Snapshot) *labelCounter {
	return &labelCounter{s: s, counts: make([]int, s.Labels.Len())}
}

// count counts the labels of v's neighbours other than v. The result and c.counts hold until the next call.
func (c *labelCounter) count(adj *csr.Adjacency, v csr.VertexID) []csr.LabelID {
	for _, l := range c.labels {
		c.counts[l] = 0
	}
	c.labels = c.labels[:0]
	row := adj.Neighbours(v)
	for len(row) > 0 { // a class is a run of the row
		class := c.s.ClassOf(row[0])
		n := sets.LowerBound(row, class.Hi)
		same := n
		if v >= class.Lo && v < class.Hi && adj.Loops > 0 && sets.Contains(row[:n], v) {
			same--
		}
		for _, l := range class.Labels {
			if c.counts[l] == 0 && same > 0 {
				c.labels = append(c.labels, l)
			}
			c.counts[l] += same
		}
		row = row[n:]
	}
	return c.labels
}

// build returns a part's words of all vertices.
func (g *signatures) build(kind partKind) []uint64 {
	p := &g.parts[kind]
	sig := make([]uint64, int(g.s.N())*p.words)
	var classOf []*csr.Class
	if kind == triangle {
		classOf = classes(g.s)
	}
	inChunks(g.s, func() func(lo, hi csr.VertexID) {
		acc := make([]int, p.buckets)
		var count func(v csr.VertexID, acc []int)
		switch kind {
		case quantity:
			count = g.neighbourCounter()
		case path:
			count = g.pathCounter()
		case triangle:
			count = g.triangleCounter(classOf)
		}
		return func(lo, hi csr.VertexID) {
			for v := lo; v < hi; v++ {
				clear(acc)
				count(v, acc)
				for b, n := range acc {
					if n > 0 {
						p.add(sig[int(v)*p.words:], b, min(n, p.width))
					}
				}
			}
		}
	})
	return sig
}

// neighbourCounter returns a function that adds v's neighbours to their buckets.
func (g *signatures) neighbourCounter() func(v csr.VertexID, acc []int) {
	h := g.hist.get()
	return func(v csr.VertexID, acc []int) {
		labels, counts := h.of(v)
		for i, l := range labels {
			acc[g.parts[quantity].bucket(uint64(l))] += int(counts[i])
		}
	}
}

// pathCounter returns a function that adds the walks v-x-y to their buckets, by the histogram of each x without v.
func (g *signatures) pathCounter() func(v csr.VertexID, acc []int) {
	h, adj := g.hist.get(), g.adj()
	return func(v csr.VertexID, acc []int) {
		own, row := g.s.LabelsOf(v), adj.Neighbours(v)
		for len(row) > 0 {
			class := g.s.ClassOf(row[0])
			n := sets.LowerBound(row, class.Hi)
			for _, x := range row[:n] {
				if x != v && len(class.Labels) > 0 {
					g.addWalks(h, x, own, class, acc)
				}
			}
			row = row[n:]
		}
	}
}

// addWalks adds the walks from a vertex with labels own to its neighbour x, of a class, and on.
func (g *signatures) addWalks(h *histograms, x csr.VertexID, own []csr.LabelID, class *csr.Class, acc []int) {
	p := &g.parts[path]
	labels, counts := h.of(x)
	for i, l := range labels {
		n := int(counts[i])
		if slices.Contains(own, l) {
			n--
		}
		for _, k := range class.Labels {
			acc[p.bucket(uint64(k)*g.labels+uint64(l))] += n
		}
	}
}

// classes lists the class of every vertex.
func classes(s *csr.Snapshot) []*csr.Class {
	of := make([]*csr.Class, s.N())
	for i := range s.Classes {
		c := &s.Classes[i]
		for v := c.Lo; v < c.Hi; v++ {
			of[v] = c
		}
	}
	return of
}

// triangleCounter returns a function that adds the triangles at v to their buckets. Each triangle is found by the edge
// between its other two vertices.
func (g *signatures) triangleCounter(classOf []*csr.Class) func(v csr.VertexID, acc []int) {
	near := make([]uint64, (g.s.N()+63)/64)
	oriented, adj := g.orientation.get(), g.adj()
	var third []csr.VertexID // vertices that close a triangle
	return func(v csr.VertexID, acc []int) {
		row := adj.Neighbours(v)
		sets.Mark(near, 0, row)
		near[v>>6] &^= 1 << (v & 63) // which a loop has marked
		for _, x := range row {
			if x == v || len(classOf[x].Labels) == 0 {
				continue
			}
			third = sets.FilterMarked(third[:0], oriented.Neighbours(x), near, 0)
			g.addTriangles(classOf, x, third, acc)
		}
		sets.Unmark(near, 0, row)
	}
}

// addTriangles adds the triangles that x makes with a vertex and each of third, by runs of one class.
func (g *signatures) addTriangles(classOf []*csr.Class, x csr.VertexID, third []csr.VertexID, acc []int) {
	p := &g.parts[triangle]
	for i := 0; i < len(third); {
		class, first := classOf[third[i]], i
		for i++; i < len(third) && third[i] < class.Hi; i++ {
		}
		for _, a := range classOf[x].Labels {
			for _, b := range class.Labels {
				acc[p.bucket(triangleKey(a, b))] += i - first
			}
		}
	}
}

// countTriangleCost returns how many list elements all triangle counters go through.
func (g *signatures) countTriangleCost() uint64 {
	cost, oriented, adj := uint64(0), g.orientation.get(), g.adj()
	for v := csr.VertexID(0); uint64(v) < g.s.N(); v++ {
		cost += uint64(adj.Degree(v)) * uint64(oriented.Degree(v)+1)
	}
	return cost
}

// orient directs every edge to the end of greater degree, or of greater number if degrees are equal, so that no vertex has many neighbours
// left. It drops loops.
func orient(adj *csr.Adjacency, n uint64) *csr.Adjacency {
	out := &csr.Adjacency{Offsets: make([]uint64, n+1), Targets: make([]csr.VertexID, 0, len(adj.Targets)/2)}
	for v := csr.VertexID(0); uint64(v) < n; v++ {
		d := adj.Degree(v)
		for _, w := range adj.Neighbours(v) {
			if e := adj.Degree(w); e > d || e == d && w > v {
				out.Targets = append(out.Targets, w)
			}
		}
		out.Offsets[v+1] = uint64(len(out.Targets))
	}
	return out
}
