package triangle

import (
	"context"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/hugepages"
	"github.com/motifql/motif/internal/pattern"
)

// Triangles in ranges of ranks.

// CountRanks returns the number of triangles that c asks for: those whose last vertex, by about falling degree, has one of c.Ranks. The
// ranks of one graph are the same in each call, and the ranges of all ranks add up to all triangles. c keeps the graph in that order from one
// range to the next.
func CountRanks(ctx context.Context, s *csr.Snapshot, c *pattern.Clique, env *pattern.Env) (total uint64, err error) {
	if c.Ranks == nil {
		total, _, err = Count(ctx, s, c.Types, false, env)
		return total, err
	}
	q, _, release, err := kept(ctx, s, c, false, env)
	defer release()
	if err != nil {
		return 0, err
	}
	ws, err := q.work(ctx, c.Ranks)
	for _, w := range ws {
		total += w.total
	}
	return total, err
}

// Work guesses the work of CountRanks for each rank, in no particular unit: the words and the list elements that it reads.
func Work(ctx context.Context, s *csr.Snapshot, c *pattern.Clique, env *pattern.Env) ([]float64, error) {
	q, _, release, err := kept(ctx, s, c, false, env)
	defer release()
	if err != nil {
		return nil, err
	}
	work := make([]float64, s.N())
	for r := range work {
		hubs := q.g.hubs(csr.VertexID(r))
		work[r] = 1 + 2*float64(len(hubs))
		for _, v := range hubs {
			if v < q.g.dense {
				work[r] += 1 + float64(v)/128
			} else {
				work[r] += 1 + float64(q.g.size[v])
			}
		}
	}
	return work, ctx.Err()
}

// WeighRanks is CountRanks with the sum of the weights of its three vertices for each triangle. weights has that of each vertex. c has
// ranks. It keeps the same as CountRanks.
func WeighRanks(ctx context.Context, s *csr.Snapshot, c *pattern.Clique, weights []uint64, env *pattern.Env) (total pattern.Count128, err error) {
	q, g, release, err := kept(ctx, s, c, true, env)
	defer release()
	if err != nil {
		return total, err
	}
	if q.by = g.byRank; q.by == nil {
		q.by = hugepages.Make[uint64](s.N())
	}
	g.byRank = nil // a search that fails leaves numbers in it
	ws, err := q.work(ctx, c.Ranks)
	if err != nil {
		return total, err
	}
	_, hi := c.Ranks.Clip(0, int(s.N()))
	for _, w := range ws {
		for r, n := range w.by[:hi] { // no vertex of a triangle ranks behind its last one
			if n == 0 {
				continue
			}
			v := csr.VertexID(r)
			if q.g.vertex != nil {
				v = q.g.vertex[r]
			}
			x, err := pattern.Count(n).Mul(weights[v])
			if err == nil {
				total, err = total.Add(x)
			}
			if err != nil {
				return total, err
			}
		}
	}
	g.byRank = ws[0].by
	clear(g.byRank[:hi])
	return total, nil
}

// keptGraph is what a request keeps from one range of ranks to the next: graphs that differ in their dense rows.
type keptGraph struct {
	bytes  int64        // charged
	bare   *hubGraph    // without dense rows
	rows   [2]*hubGraph // without and with numbers by vertex; nil where nobody has asked
	byRank []uint64     // zeros
}

// Beside returns a request like c for another goroutine, which shares the graph that c keeps.
func Beside(c *pattern.Clique) *pattern.Clique {
	x := *c
	if g, ok := c.Kept.(*keptGraph); ok {
		x.Kept = &keptGraph{bytes: g.bytes, bare: g.bare, rows: g.rows}
	}
	return &x
}

// kept returns a search whose graph c keeps, and what ends it. The graph is charged while the search lasts.
func kept(ctx context.Context, s *csr.Snapshot, c *pattern.Clique, perNode bool, env *pattern.Env) (q *triangleSearch, g *keptGraph, release func(), err error) {
	q = newTriangleSearch(s, env, perNode)
	forget := context.AfterFunc(ctx, func() { q.stop.Store(true) })
	release = func() { forget(); env.Memory.Release(q.bytes) }
	g, _ = c.Kept.(*keptGraph)
	if g == nil {
		if err := q.prepare(ctx, s, c.Types); err != nil {
			return q, nil, release, err
		}
		g = &keptGraph{bytes: q.bytes, bare: q.g}
		c.Kept = g
	} else if err := q.charge(g.bytes); err != nil {
		return q, nil, release, err
	}
	of := &g.rows[0]
	if perNode {
		of = &g.rows[1]
	}
	if *of == nil {
		before, copied := q.bytes, *g.bare
		q.g = &copied
		if err := q.addRows(); err != nil {
			return q, nil, release, err
		}
		*of, g.bytes = q.g, g.bytes+q.bytes-before
	}
	q.g = *of
	return q, g, release, nil
}
