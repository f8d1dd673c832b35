package kernels

import (
	"fmt"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// dag is a graph oriented by degeneracy order. Vertices are numbered by rank in that order; out lists hold higher
// ranks, sorted, at most degeneracy many.
type dag struct {
	vertex  []csr.VertexID // by rank
	rank    []uint32       // by vertex
	core    []uint32       // by rank: coreness
	offsets []uint64
	targets []uint32
}

func (g *dag) out(r uint32) []uint32 { return g.targets[g.offsets[r]:g.offsets[r+1]] }

// orientationKey is the key of an orientation among a snapshot's derived data.
type orientationKey string

// String names it for PROFILE.
func (orientationKey) String() string { return "orientation by cores" }

// orientation returns the oriented graph over a set of types; it is built once per snapshot and kept (4 bytes an
// edge, 24 a vertex).
func orientation(s *csr.Snapshot, types csr.TypeSet) *dag {
	key := orientationKey(fmt.Sprint(types == nil, types))
	return s.Derived(key, func() any { return orient(s.Adjacency(types, csr.Both), s.N()) }).(*dag)
}

func orient(adj *csr.Adjacency, n uint64) *dag {
	core, order, _ := Cores(adj, n)
	rank := make([]uint32, n)
	for i, v := range order {
		rank[v] = uint32(i)
	}
	g := &dag{vertex: order, rank: rank, core: make([]uint32, n), offsets: make([]uint64, n+1)}
	for i, v := range order {
		g.core[i] = core[v]
		start := len(g.targets)
		for _, w := range adj.Neighbours(v) {
			if rank[w] > uint32(i) {
				g.targets = append(g.targets, rank[w])
			}
		}
		slices.Sort(g.targets[start:])
		g.offsets[i+1] = uint64(len(g.targets))
	}
	return g
}

// Oriented is the simple graph over some types with every edge from its lower to its higher end in degeneracy order, for
// kernels of other devices. Vertices are ranks in that order; Targets of rank r, sorted, are those at [Offsets[r], Offsets[r+1]).
// Callers must not change it.
type Oriented struct {
	Vertex  []csr.VertexID // by rank
	Offsets []uint64
	Targets []uint32
}

// Orientation orients the graph over types. It is built once per snapshot and kept.
func Orientation(s *csr.Snapshot, types csr.TypeSet) Oriented {
	g := orientation(s, types)
	return Oriented{Vertex: g.vertex, Offsets: g.offsets, Targets: g.targets}
}

// Induced keeps the edges among the vertices of within; the others stay as ranks without edges.
func (o Oriented) Induced(within *pattern.CandidateSet) Oriented {
	in := Oriented{Vertex: o.Vertex, Offsets: make([]uint64, len(o.Offsets))}
	for r, v := range o.Vertex {
		if within.Has(v) {
			for _, t := range o.Targets[o.Offsets[r]:o.Offsets[r+1]] {
				if within.Has(o.Vertex[t]) {
					in.Targets = append(in.Targets, t)
				}
			}
		}
		in.Offsets[r+1] = uint64(len(in.Targets))
	}
	return in
}
