package truss

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/hugepages"
	"github.com/motifql/motif/kernels/parallel"
)

// edgeGraph is a simple undirected graph with numbered edges. Its vertices are ranks: rank 0 has the largest degree. The hub of
// an edge is its end of smaller rank, its leaf the other. Edges are numbered by hub.
//
// The row of a vertex lists its neighbours by rising rank: first its hubs, then its leaves. It has at most sqrt(2m) hubs, because
// each hub has at least its degree.
type edgeGraph struct {
	vertex    []csr.VertexID // by rank
	start     []uint64       // by rank: where its row starts
	end       []uint64       // by rank: where the part of its row in use ends; compact moves it
	to        []uint32       // ranks
	edge      []uint32       // the edge behind each of to
	hub, leaf []uint32       // by edge
}

func (g *edgeGraph) size() int { return len(g.hub) }

func (g *edgeGraph) row(r uint32) (to, edge []uint32) {
	lo, hi := g.start[r], g.end[r]
	return g.to[lo:hi:hi], g.edge[lo:hi:hi]
}

func (g *edgeGraph) degree(r uint32) int { return int(g.end[r] - g.start[r]) }

// hubs returns the part of r's row with smaller ranks.
func (g *edgeGraph) hubs(r uint32) (to, edge []uint32) {
	to, edge = g.row(r)
	lo, hi := 0, len(to)
	for lo < hi {
		if mid := (lo + hi) / 2; to[mid] < r {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return to[:lo], edge[:lo]
}

// edgeGraphBytes returns the memory of an edgeGraph.
func edgeGraphBytes(vertices, edges int) int64 { return 24*int64(vertices) + 24*int64(edges) }

const noRank = ^uint32(0)

var errEdges = errors.New("too many edges for a truss decomposition")

// newEdgeGraph returns the subgraph of adj induced by the kept vertices.
func newEdgeGraph(ctx context.Context, adj *csr.Adjacency, kept []csr.VertexID, n uint64) (*edgeGraph, error) {
	var stop atomic.Bool
	defer context.AfterFunc(ctx, func() { stop.Store(true) })()
	rank := hugepages.Make[uint32](n)
	for v := range rank {
		rank[v] = noRank
	}
	for _, v := range kept {
		rank[v] = 0
	}
	degree := hugepages.Make[uint32](len(kept))
	total := uint64(0)
	looked := 0
	for i, v := range kept {
		if looked += adj.Degree(v); looked >= parallel.PollEvery {
			looked = 0
			if stop.Load() {
				return nil, ctx.Err()
			}
		}
		for _, w := range adj.Neighbours(v) {
			if w != v && rank[w] != noRank {
				degree[i]++
			}
		}
		total += uint64(degree[i])
	}
	if total/2 >= uint64(noRank) {
		return nil, errEdges
	}
	g := &edgeGraph{vertex: hugepages.Make[csr.VertexID](len(kept)), start: hugepages.Make[uint64](len(kept)), end: hugepages.Make[uint64](len(kept))}
	g.number(kept, degree, rank)
	g.to, g.edge = hugepages.Make[uint32](total), hugepages.Make[uint32](total)
	g.hub, g.leaf = make([]uint32, 0, total/2), make([]uint32, 0, total/2)
	g.link(adj, rank, &stop)
	return g, ctx.Err()
}

// number ranks the vertices by falling degree, then by their order in kept, and lays out the rows.
func (g *edgeGraph) number(kept []csr.VertexID, degree, rank []uint32) {
	most := uint32(0)
	for _, d := range degree {
		most = max(most, d)
	}
	next := make([]uint32, most+2) // next[most-d]: the next rank for degree d
	for _, d := range degree {
		next[most-d+1]++
	}
	for i := range most + 1 {
		next[i+1] += next[i]
	}
	for i, v := range kept {
		r := next[most-degree[i]]
		next[most-degree[i]]++
		rank[v], g.vertex[r] = r, v
		g.end[r] = uint64(degree[i])
	}
	at := uint64(0)
	for r, d := range g.end {
		g.start[r], g.end[r] = at, at
		at += d
	}
}

// link fills the rows. It visits vertices by rising rank, so rows fill by rising rank. At a vertex's turn its row has
// all its hubs.
func (g *edgeGraph) link(adj *csr.Adjacency, rank []uint32, stop *atomic.Bool) {
	enter := func(r, neighbour, edge uint32) {
		g.to[g.end[r]], g.edge[g.end[r]] = neighbour, edge
		g.end[r]++
	}
	looked := 0
	for r, v := range g.vertex {
		if looked += adj.Degree(v); looked >= parallel.PollEvery {
			looked = 0
			if stop.Load() {
				return
			}
		}
		r := uint32(r)
		hubs, edges := g.row(r)
		for i, h := range hubs {
			enter(h, r, edges[i])
		}
		for _, w := range adj.Neighbours(v) {
			if x := rank[w]; x > r && x != noRank {
				enter(x, r, uint32(len(g.hub)))
				g.hub, g.leaf = append(g.hub, r), append(g.leaf, x)
			}
		}
	}
}

// compact drops the edges that are gone from rows [lo, hi).
func (g *edgeGraph) compact(lo, hi int, state []edgeState) {
	for r := lo; r < hi; r++ {
		at := g.start[r]
		for p := at; p < g.end[r]; p++ {
			if e := g.edge[p]; state[e] != gone {
				g.to[at], g.edge[at] = g.to[p], e
				at++
			}
		}
		g.end[r] = at
	}
}
