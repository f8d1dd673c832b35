package core

import (
	"context"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/hugepages"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/parallel"
)

// Cores by bins (Batagelj and Zaversnik 2003): repeatedly remove a vertex of least remaining degree. Vertices lie in
// one array sorted by remaining degree, and bin holds the start of every degree's range. So moving a vertex down one bin is a
// swap. Time O(n + m), memory 16 bytes a vertex beyond the graph, one worker. It is the reference for the other algorithms.

// ByBins returns the coreness of every vertex, the vertices in order of removal, and the degeneracy. The order is a degeneracy
// order: every vertex has at most degeneracy neighbours after it. adj is a Both view of a snapshot of n vertices. The error is that of ctx.
func ByBins(ctx context.Context, adj *csr.Adjacency, n uint64) (core []uint32, order []csr.VertexID, degeneracy uint32, err error) {
	c := &coreSearch{CoreRequest: &pattern.CoreRequest{}, env: &pattern.Env{}, n: int(n), workers: 1, view: adj, reverse: adj}
	defer context.AfterFunc(ctx, func() { c.stop.Store(true) })()
	c.start()
	c.byBins()
	if err := ctx.Err(); err != nil {
		return nil, nil, 0, err
	}
	return c.core, c.order, c.largest(), nil
}

func (c *coreSearch) byBins() {
	core, order, top := c.core, c.all(), c.largest()
	bin := make([]uint32, top+2) // bin[d]: where the vertices of remaining degree d begin in order
	for _, v := range order {
		bin[core[v]+1]++
	}
	for d := range top + 1 {
		bin[d+1] += bin[d]
	}
	at := hugepages.Make[uint32](c.n) // at[v]: position of v in order
	next := slices.Clone(bin)
	sorted := hugepages.Make[csr.VertexID](len(order))
	for _, v := range order {
		d := core[v]
		at[v] = next[d]
		sorted[next[d]] = v
		next[d]++
	}
	c.order = sorted
	c.emptyBins(bin, at)
}

// emptyBins removes the vertices in order. Those outside of the set have degree 0 and never move.
func (c *coreSearch) emptyBins(bin, at []uint32) {
	core, order := c.core, c.order
	looked, told := 0, 0
	for i := range order {
		v := order[i]
		row := c.reverse.Neighbours(v)
		if looked += len(row) + 1; looked >= parallel.PollEvery {
			c.done(i - told)
			looked, told = 0, i
			if c.stop.Load() {
				return
			}
		}
		level := core[v]
		for _, w := range row {
			if core[w] <= level {
				continue
			}
			// w moves to the front of its bin, and the bin's start moves past it.
			front := bin[core[w]]
			u := order[front]
			order[front], order[at[w]] = w, u
			at[u], at[w] = at[w], front
			bin[core[w]]++
			core[w]--
		}
	}
	c.done(len(order) - told)
}
