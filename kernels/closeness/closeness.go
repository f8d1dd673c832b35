package closeness

import (
	"context"
	"sync/atomic"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/dijkstra"
	"github.com/motifql/motif/kernels/network"
	"github.com/motifql/motif/kernels/parallel"
)

// Score returns the closeness of every vertex. It charges its scratch to env.Memory. It fails with pattern.ErrMemory, a
// *pattern.WeightError or the context's error.
func Score(ctx context.Context, s *csr.Snapshot, r *pattern.ScoreRequest, env *pattern.Env) ([]float64, error) {
	g, err := network.New(ctx, s, &r.Network, network.Out|network.In, env)
	if err != nil {
		return nil, err
	}
	defer g.Release()
	c := &closeness{Graph: g, ScoreRequest: r, env: env, workers: max(1, env.Workers), score: make([]float64, g.N)}
	c.workers = min(c.workers, max(1, (g.N+batch-1)/batch))
	bytes := int64(c.workers)*passBytes*int64(g.N) + 8*int64(g.N)
	if g.Out.Weights != nil {
		bytes = int64(c.workers)*2*dijkstra.Bytes(g.N) + 8*int64(g.N)
	}
	defer func() { env.Memory.Release(bytes) }()
	if err := env.Memory.Charge(bytes); err != nil {
		return nil, err
	}
	defer context.AfterFunc(ctx, func() { c.stop.Store(true) })()
	if t := env.Tally; t != nil {
		t.Units.Add(uint64(g.N))
	}
	if g.Out.Weights != nil {
		c.weighted()
	} else {
		c.unweighted()
	}
	return network.Spread(g, s.N(), c.score), ctx.Err()
}

type closeness struct {
	*network.Graph
	*pattern.ScoreRequest
	env     *pattern.Env
	workers int
	score   []float64
	stop    atomic.Bool
}

func (c *closeness) finish(n int) {
	if t := c.env.Tally; t != nil {
		t.UnitsDone.Add(uint64(n))
	}
}

// of returns the score of a vertex by the others that it reaches, the sum of the distances to these, and the sum of 1/distance.
func (c *closeness) of(reached uint64, sum, inverse float64) float64 {
	others := float64(c.N - 1)
	switch {
	case reached == 0 || sum == 0 && c.Closeness != pattern.HarmonicCloseness:
		return 0
	case c.Closeness == pattern.HarmonicCloseness:
		return inverse / others
	case c.Closeness == pattern.ClassicCloseness:
		return float64(reached) / sum
	}
	return float64(reached) / sum * (float64(reached) / others)
}

// weighted searches from every vertex.
func (c *closeness) weighted() {
	searches := make([]*dijkstra.Search, c.workers)
	parallel.For(c.workers, c.N, 16, &c.stop, func(worker, lo, hi int) {
		d := searches[worker]
		if d == nil {
			d = dijkstra.NewSearch(&c.Out, &c.stop)
			searches[worker] = d
		}
		for v := lo; v < hi && !c.stop.Load(); v++ {
			d.Run([]csr.VertexID{csr.VertexID(v)}, nil)
			if c.stop.Load() { // the search may have ended before its first vertex
				return
			}
			sum, inverse := 0.0, 0.0
			for _, w := range d.Order[1:] {
				sum += d.Dist[w]
				inverse += 1 / d.Dist[w]
			}
			c.score[v] = c.of(uint64(len(d.Order)-1), sum, inverse)
			c.finish(1)
		}
	})
}
