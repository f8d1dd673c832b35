package core

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/hugepages"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/parallel"
)

// Oriented is the simple graph over some types, with every edge from its lower to its higher end in a degeneracy order.
// Its vertices are ranks in that order. The out list of rank r is Targets[Offsets[r]:Offsets[r+1]]: higher ranks, sorted, at most
// Core[r] of them. Callers must not change it.
type Oriented struct {
	Vertex  []csr.VertexID // by rank
	Rank    []uint32       // by vertex
	Core    []uint32       // by rank: coreness
	Offsets []uint64
	Targets []uint32
}

// Out returns the out list of rank r.
func (g *Oriented) Out(r uint32) []uint32 { return g.Targets[g.Offsets[r]:g.Offsets[r+1]] }

// Bytes is the memory of g; see csr.Sized.
func (g *Oriented) Bytes() uint64 {
	return 4*uint64(len(g.Vertex)+len(g.Rank)+len(g.Core)+len(g.Targets)) + 8*uint64(len(g.Offsets))
}

// orientationKey is the key of an orientation among a snapshot's derived data.
type orientationKey string

// String names it for PROFILE.
func (orientationKey) String() string { return "orientation by cores" }

// Orientation returns the graph of s over a set of types, oriented by a degeneracy order. The first call builds it on the given
// number of workers; the snapshot keeps it (4 bytes an edge, 24 a vertex).
func Orientation(s *csr.Snapshot, types csr.TypeSet, workers int) *Oriented {
	key := orientationKey(fmt.Sprint(types == nil, types))
	return s.Derived(key, func() any { return orient(s.Adjacency(types, csr.Both), s.N(), workers) }).(*Oriented)
}

// orient ranks the vertices by coreness, then by the round in which they leave, then by the neighbours they have left, then by number.
// kernels/cuda/src/orient.cu makes the same order, so CPU and GPU can share one oriented graph.
func orient(adj *csr.Adjacency, n uint64, workers int) *Oriented {
	c := &coreSearch{CoreRequest: &pattern.CoreRequest{}, env: &pattern.Env{}, n: int(n), workers: max(1, workers), view: adj, reverse: adj}
	c.start()
	c.byRounds()
	g := &Oriented{Vertex: c.orderByRound(), Rank: hugepages.Make[uint32](n), Core: hugepages.Make[uint32](n), Offsets: hugepages.Make[uint64](n + 1)}
	for i, v := range g.Vertex {
		g.Rank[v], g.Core[i] = uint32(i), c.core[v]
	}
	const chunk = 1 << 10
	parallel.For(c.workers, c.n, chunk, &c.stop, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			for _, w := range adj.Neighbours(g.Vertex[i]) {
				if g.Rank[w] > uint32(i) {
					g.Offsets[i+1]++
				}
			}
		}
	})
	for i := range n {
		g.Offsets[i+1] += g.Offsets[i]
	}
	g.Targets = hugepages.Make[uint32](g.Offsets[n])
	parallel.For(c.workers, c.n, chunk, &c.stop, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			row := g.Out(uint32(i))
			at := 0
			for _, w := range adj.Neighbours(g.Vertex[i]) {
				if at == len(row) {
					break
				}
				if r := g.Rank[w]; r > uint32(i) {
					row[at] = r
					at++
				}
			}
			slices.Sort(row)
		}
	})
	return g
}

// orderByRound lists the vertices by coreness. Vertices of one coreness k leave in rounds. A round takes all that have at most k
// neighbours left (of coreness k or more), fewest first, then by number. So no vertex has more than k neighbours after it, and hardly
// more than if they left one by one.
func (c *coreSearch) orderByRound() []csr.VertexID {
	top := c.largest()
	start := make([]int, top+2) // of the vertices of each coreness
	for _, k := range c.core {
		start[k+1]++
	}
	for k := range top + 1 {
		start[k+1] += start[k]
	}
	next, shells, order := slices.Clone(start), hugepages.Make[csr.VertexID](c.n), hugepages.Make[csr.VertexID](c.n)
	for v, k := range c.core {
		shells[next[k]] = csr.VertexID(v)
		next[k]++
	}
	left := hugepages.Make[uint32](c.n) // by vertex: how many neighbours have not left
	parallel.For(c.workers, c.n, 1<<10, &c.stop, func(_, lo, hi int) {
		for v := lo; v < hi; v++ {
			for _, w := range c.view.Neighbours(csr.VertexID(v)) {
				if c.core[w] >= c.core[v] && int(w) != v {
					left[v]++
				}
			}
		}
	})
	parallel.For(c.workers, len(start)-1, 1, &c.stop, func(_, i, _ int) {
		k := top - uint32(i) // the densest first
		from, to := start[k], start[k+1]
		c.leave(k, shells[from:to], left, order[from:from:to])
	})
	return order
}

// leave appends the vertices of one coreness to order, round by round.
func (c *coreSearch) leave(k uint32, shell []csr.VertexID, left []uint32, order []csr.VertexID) {
	for _, v := range shell {
		if left[v] <= k {
			order = append(order, v)
		}
	}
	fewest := func(a, b csr.VertexID) int { return cmp.Or(cmp.Compare(left[a], left[b]), cmp.Compare(a, b)) }
	slices.SortFunc(order, fewest)
	for from := 0; from < len(order) && len(order) < len(shell); {
		round := order[from:]
		from = len(order)
		for _, v := range round {
			for _, w := range c.view.Neighbours(v) {
				if c.core[w] == k && w != v {
					if left[w]--; left[w] == k {
						order = append(order, w)
					}
				}
			}
		}
		slices.SortFunc(order[from:], fewest)
	}
}

// Induced returns the graph with only the edges among vertices of within. Other vertices stay as ranks without edges.
func (o *Oriented) Induced(within *pattern.CandidateSet) *Oriented {
	in := &Oriented{Vertex: o.Vertex, Offsets: hugepages.Make[uint64](len(o.Offsets))}
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
