package dijkstra

import (
	"context"
	"math"
	"sync/atomic"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/network"
)

// Distances returns the distance of every vertex from the nearest source. It charges its scratch to env.Memory, and not the result. It fails
// with pattern.ErrMemory, a *pattern.WeightError or the context's error.
func Distances(ctx context.Context, s *csr.Snapshot, r *pattern.WeightedPathRequest, env *pattern.Env) (d *pattern.Distances, err error) {
	err = run(ctx, s, r, env, func(g *network.Graph, search *Search, stop *atomic.Bool) error {
		var sources []csr.VertexID
		for _, v := range r.Sources {
			if i, ok := g.Number(v); ok {
				sources = append(sources, csr.VertexID(i))
			}
		}
		search.Run(sources, nil)
		d = &pattern.Distances{Dist: make([]float64, s.N()), Parent: make([]csr.VertexID, s.N())}
		for v := range d.Dist {
			d.Dist[v], d.Parent[v] = math.Inf(1), csr.NoVertex
		}
		for _, i := range search.Order {
			v := g.Vertex(int(i))
			d.Dist[v] = search.Dist[i]
			if p := search.Parent(i); p != csr.NoVertex {
				d.Parent[v] = g.Vertex(int(p))
			}
		}
		return nil
	})
	return d, err
}

// run prepares a search and calls fn.
func run(ctx context.Context, s *csr.Snapshot, r *pattern.WeightedPathRequest, env *pattern.Env,
	fn func(g *network.Graph, search *Search, stop *atomic.Bool) error) error {
	g, err := network.New(ctx, s, &r.Network, network.Out, env)
	if err != nil {
		return err
	}
	defer g.Release()
	bytes := Bytes(g.N) + 32*int64(len(g.Out.Targets)) // at most an entry of a bucket and of the heap for each edge
	defer func() { env.Memory.Release(bytes) }()
	if err := env.Memory.Charge(bytes); err != nil {
		return err
	}
	if t := env.Tally; t != nil {
		t.Units.Add(uint64(max(1, r.K)))
	}
	var stop atomic.Bool
	defer context.AfterFunc(ctx, func() { stop.Store(true) })()
	if err := fn(g, NewSearch(&g.Out, &stop), &stop); err != nil {
		return err
	}
	return ctx.Err()
}
