package graphlet

import (
	"context"
	"math/bits"
	"sync/atomic"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/hugepages"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/clique"
	"github.com/motifql/motif/kernels/parallel"
)

// run is one call of Orbits.
type run struct {
	ctx     context.Context
	env     *pattern.Env
	stop    atomic.Bool
	charged int64
	size    int
	g       *graph
	rows    [][]uint64 // by orbit, by rank
	edges   edgeSums
}

// edgeSums are numbers by edge.
type edgeSums struct {
	degrees []uint64 // degrees of the corners
	walks   []uint64 // walks of three edges from one end to the other
	cliques []uint64 // pairs of joined corners, in both orders
}

// Orbits returns for each orbit of the graphlets of at most size vertices, 3 to 5, how many induced subgraphs have each vertex there. Vertices
// outside of sub have none. It fails with pattern.ErrOverflow if the largest degree to the power size-1 exceeds 64 bits, with
// pattern.ErrMemory, or with the context's error.
func Orbits(ctx context.Context, s *csr.Snapshot, sub *pattern.Subgraph, size int, env *pattern.Env) ([][]uint64, error) {
	r := &run{ctx: ctx, env: env, size: size}
	defer context.AfterFunc(ctx, func() { r.stop.Store(true) })()
	defer func() { env.Memory.Release(r.charged) }()
	adj, err := s.View(ctx, sub.Types, csr.Both)
	if err != nil {
		return nil, err
	}
	if r.g, err = r.rankedGraph(adj, s.N(), sub.Within); err != nil {
		return nil, err
	}
	if err := r.fits(); err != nil {
		return nil, err
	}
	if err := r.charge(8 * int64(pattern.Orbits(size)) * (int64(s.N()) + int64(len(r.g.vertex)))); err != nil {
		return nil, err
	}
	for range pattern.Orbits(size) {
		r.rows = append(r.rows, hugepages.Make[uint64](len(r.g.vertex)))
	}
	steps := []func() error{r.countTriangles, r.sums, r.pairs, r.quadruples, r.lateSums, r.cycles, func() error { return r.cliques(s, sub) }, r.induced}
	for _, step := range steps {
		if err := step(); err != nil {
			return nil, err
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	return r.byVertex(s.N()), nil
}

// byVertex returns the rows by the snapshot's vertices.
func (r *run) byVertex(n uint64) [][]uint64 {
	all := make([][]uint64, len(r.rows))
	for o, row := range r.rows {
		all[o] = hugepages.Make[uint64](n)
		for i, v := range r.g.vertex {
			all[o][v] = row[i]
		}
		r.rows[o] = nil
	}
	return all
}

func (r *run) charge(bytes int64) error {
	r.charged += bytes
	return r.env.Memory.Charge(bytes)
}

// fits fails if a number may exceed 64 bits. A connected graph of k vertices has at most d^(k-1) homomorphisms at a vertex, for the
// largest degree d.
func (r *run) fits() error {
	if n := len(r.g.vertex); n > 0 {
		d, power, over := r.g.degree[n-1], uint64(1), uint64(0)
		for range r.size - 1 {
			var hi uint64
			hi, power = bits.Mul64(power, d)
			over |= hi
		}
		if over != 0 {
			return pattern.ErrOverflow
		}
	}
	return nil
}

// searcher is a worker with its own sums, since a vertex adds to the numbers of others.
type searcher struct {
	*run
	rows  [73][]uint64
	edges []uint64
	cells []cell   // by rank
	slot  []uint64 // by rank: 1 + the slot from the vertex at hand
	mark  []uint32 // by rank
	sums  []uint64 // by rank
	ends  []uint32 // ranks whose cell is in use
}

// chunk is how many vertices a worker takes at a time.
const chunk = 16

// each calls fn for all vertices, on searchers that add to the given orbits, and to edges unless it is nil. The highest ranks come first,
// which have most work.
func (r *run) each(orbits []int, edges []uint64, fn func(w *searcher, v int)) error {
	n := len(r.g.vertex)
	ws := make([]*searcher, max(1, min(r.env.Workers, n/chunk)))
	scratch := int64(8*n*len(orbits) + 40*n + 8*len(edges))
	if err := r.charge(scratch * int64(len(ws))); err != nil {
		return err
	}
	if t := r.env.Tally; t != nil {
		t.Units.Add(uint64(n))
	}
	for i := range ws {
		w := &searcher{run: r, cells: make([]cell, n), slot: hugepages.Make[uint64](n), mark: hugepages.Make[uint32](n), sums: hugepages.Make[uint64](n), ends: hugepages.Make[uint32](n)}
		for _, o := range orbits {
			w.rows[o] = hugepages.Make[uint64](n)
		}
		if edges != nil {
			w.edges = make([]uint64, len(edges))
		}
		ws[i] = w
	}
	parallel.For(len(ws), n, chunk, &r.stop, func(worker, lo, hi int) {
		for i := lo; i < hi && !r.stop.Load(); i++ {
			fn(ws[worker], n-1-i)
		}
		if t := r.env.Tally; t != nil {
			t.UnitsDone.Add(uint64(hi - lo))
		}
	})
	for _, w := range ws {
		for _, o := range orbits {
			addTo(r.rows[o], w.rows[o])
		}
		addTo(edges, w.edges)
	}
	r.env.Memory.Release(scratch * int64(len(ws)))
	r.charged -= scratch * int64(len(ws))
	return r.ctx.Err()
}

func addTo(sums, more []uint64) {
	for i, n := range more {
		sums[i] += n
	}
}

// cliques counts the cliques of the largest size.
func (r *run) cliques(s *csr.Snapshot, sub *pattern.Subgraph) error {
	if r.size < 4 {
		return nil
	}
	env, pass := parallel.Nested(r.env)
	defer pass()
	counts, err := clique.CountPerVertex(r.ctx, s, sub.Clique(r.size), env)
	if err != nil {
		return err
	}
	for i, v := range r.g.vertex {
		r.rows[len(r.rows)-1][i] = counts[v].Lo // at most the power of the degree that fits has checked
	}
	return nil
}

// induced solves the equations of each vertex.
func (r *run) induced() error {
	x := equations()
	parallel.For(r.env.Workers, len(r.g.vertex), 1<<8, &r.stop, func(_, lo, hi int) {
		row := make([]uint64, len(r.rows))
		for v := lo; v < hi; v++ {
			for o := range row {
				row[o] = r.rows[o][v]
			}
			x.solve(row)
			for o, n := range row {
				r.rows[o][v] = n
			}
		}
	})
	return nil
}
