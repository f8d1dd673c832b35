package cyclic

import (
	"cmp"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/hugepages"
	"github.com/motifql/motif/internal/pattern"
)

// Work says how many list elements the counts of each graph visit on one adjacency.
type Work [pattern.CyclicGraphs]float64

// workKey is the key of the work on all vertices of an adjacency.
type workKey struct{ adj *csr.Adjacency }

// String names the work for PROFILE.
func (workKey) String() string { return "work of cyclic patterns" }

// WorkOf returns Measure for all vertices. It measures once for each snapshot and adjacency.
func WorkOf(s *csr.Snapshot, adj *csr.Adjacency) *Work {
	return s.Derived(workKey{adj}, func() any { return Measure(adj, s.N(), nil) }).(*Work)
}

// commonShare is the share of the neighbours that the ends of an edge are taken to have in common, of the end that has fewer.
const commonShare = 0.2

// The cost of adding to an array element, relative to reading one.
const writeCost = 1.5

// Measure returns the work on the vertices of within. Walks and intersections that list no triangles are counted, up to walks that end at one
// vertex. Where the work depends on triangles, an edge is taken to be in as many as its ends have common neighbours by commonShare.
func Measure(adj *csr.Adjacency, n uint64, within *pattern.CandidateSet) *Work {
	m := &measure{adj: adj, within: within, degree: hugepages.Make[uint32](n), up: hugepages.Make[uint32](n), rising: make([]float64, n), all: make([]float64, n)}
	var order []csr.VertexID
	for v := range m.vertices() {
		if d := len(m.neighbours(v)); d > 0 {
			m.degree[v], order = uint32(d), append(order, v)
			m.slots += float64(d)
		}
	}
	for _, v := range order {
		for _, w := range m.neighbours(v) {
			if m.below(v, w) {
				m.up[v]++
			}
		}
	}
	for _, v := range order {
		m.vertex(v)
	}
	return m.work(order)
}

// measure is one call of Measure.
type measure struct {
	adj         *csr.Adjacency
	within      *pattern.CandidateSet
	list        []csr.VertexID
	degree, up  []uint32  // neighbours, and those above the vertex
	rising, all []float64 // of the walks of two steps from a vertex below it: the neighbours above their ends, and all
	slots       float64
	wedges      float64 // walks of two steps from a vertex below it
	looks       float64 // neighbours of the lower ends, summed over the edges
	common      float64 // estimate: common neighbours of the ends, summed likewise
	squares     float64 // estimate: their squares
	around      float64 // estimate: them times the neighbours of both ends
	open        float64 // pairs of neighbours
}

// vertices yields the vertices of the set.
func (m *measure) vertices() func(yield func(csr.VertexID) bool) {
	if m.within != nil {
		return m.within.All()
	}
	return func(yield func(csr.VertexID) bool) {
		for v := range m.degree {
			if !yield(csr.VertexID(v)) {
				return
			}
		}
	}
}

func (m *measure) in(v csr.VertexID) bool { return m.within == nil || m.within.Has(v) }

// neighbours returns the neighbours of v in the set, until the next call.
func (m *measure) neighbours(v csr.VertexID) []csr.VertexID {
	m.list = m.list[:0]
	for _, w := range m.adj.Neighbours(v) {
		if w != v && m.in(w) {
			m.list = append(m.list, w)
		}
	}
	return m.list
}

// below reports whether v ranks below w.
func (m *measure) below(v, w csr.VertexID) bool { return m.compare(v, w) < 0 }

func (m *measure) compare(v, w csr.VertexID) int {
	return cmp.Or(cmp.Compare(m.degree[v], m.degree[w]), cmp.Compare(w, v))
}

// vertex adds what goes through v.
func (m *measure) vertex(v csr.VertexID) {
	var higher []csr.VertexID
	rising, all, low := 0.0, 0.0, 0.0
	for _, w := range m.neighbours(v) {
		if m.below(v, w) {
			higher = append(higher, w)
			continue
		}
		low++
		rising += float64(m.up[w])
		all += float64(m.degree[w])
	}
	d := float64(m.degree[v])
	t := commonShare * d
	m.open += d * d / 2
	slices.SortFunc(higher, m.compare)
	for j, u := range higher {
		m.rising[u] += rising
		m.all[u] += all
		m.wedges += low + float64(j)
		rising += float64(m.up[u])
		all += float64(m.degree[u])
		m.looks += d
		m.common += t
		m.squares += t * t
		m.around += t * (d + float64(m.degree[u]))
	}
}

// work sums up what each graph takes. order are the vertices with neighbours.
func (m *measure) work(order []csr.VertexID) *Work {
	slices.SortFunc(order, m.compare)
	edges, rising, all, pairs := 0.0, 0.0, 0.0, 0.0 // below the vertex; and sums
	for _, u := range order {
		rising += min(m.rising[u], edges)
		all += min(m.all[u], 2*edges)
		pairs += m.rising[u]
		edges += float64(m.degree[u] - m.up[u])
	}
	build := 4*m.slots + 4*float64(len(order))
	hoods := build + m.looks + 2*m.common
	wedges := build + writeCost*m.wedges
	return &Work{
		pattern.Cycle5:           wedges + rising,
		pattern.Cycle6:           wedges + writeCost*all,
		pattern.Wheel4:           hoods + writeCost*m.squares,
		pattern.Wheel5:           hoods + writeCost*m.squares + m.around/6,
		pattern.NearClique:       hoods + m.squares,
		pattern.SubdividedClique: build + 2*m.looks + 6*m.common + writeCost*m.squares/2 + m.open,
		pattern.House:            2*build + m.looks + 2*writeCost*m.wedges,
		pattern.TailedClique:     hoods + m.squares,
		pattern.HattedClique:     hoods + 3*m.squares,
		pattern.Prism:            2*wedges + m.looks + rising + pairs,
	}
}
