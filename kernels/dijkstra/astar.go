package dijkstra

import (
	"context"
	"math"
	"slices"
	"sync/atomic"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/network"
	"github.com/motifql/motif/kernels/parallel"
)

// slack is how much further than the best path the search looks, as a share of the lengths: sums of floats are rounded.
const slack = 1e-9

// Guided returns a shortest path from r.Sources[0] to r.Target, or none. It is A*: the search takes the vertex first whose distance plus
// estimate is the least. Estimates need not be right, nor have the unit of the weights: Guided multiplies them by the largest factor for
// which no edge weighs less than the estimate falls along it. So they never exceed a distance, and the path is as short as Distances says.
// Guided charges what it needs to env.Memory, and not the result. It fails like Distances, and with a *pattern.EstimateError.
func Guided(ctx context.Context, s *csr.Snapshot, r *pattern.WeightedPathRequest, env *pattern.Env) (paths []pattern.WeightedPath, err error) {
	err = run(ctx, s, r, env, func(g *network.Graph, search *Search, stop *atomic.Bool) error {
		from, ok := g.Number(r.Sources[0])
		to, also := g.Number(r.Target)
		if !ok || !also {
			return nil
		}
		bytes := 8 * int64(g.N)
		defer func() { env.Memory.Release(bytes) }()
		if err := env.Memory.Charge(bytes); err != nil {
			return err
		}
		a := &guided{Graph: g, Search: search, stop: stop, estimate: make([]float64, g.N)}
		for i := range a.estimate {
			a.estimate[i] = r.Estimate[g.Vertex(i)]
		}
		if err := a.scale(); err != nil {
			return err
		}
		if path := a.find(csr.VertexID(from), csr.VertexID(to)); path != nil {
			paths = []pattern.WeightedPath{{Vertices: path, Cost: a.Dist[to]}}
		}
		if t := env.Tally; t != nil {
			t.UnitsDone.Add(1)
		}
		return nil
	})
	return paths, err
}

// guided is a search with estimates.
type guided struct {
	*network.Graph
	*Search
	stop     *atomic.Bool
	estimate []float64 // by number, of the distance to the target; it may be off by the same amount everywhere
	largest  float64   // absolute estimate
}

// scale multiplies the estimates by the largest factor that fits the weights. Vertices without edges need no estimate.
func (a *guided) scale() error {
	factor := math.Inf(1)
	for v := range a.N {
		if v%parallel.PollEvery == 0 && a.stop.Load() {
			return nil
		}
		for p := a.Out.Offsets[v]; p < a.Out.Offsets[v+1]; p++ {
			w := a.Out.Targets[p]
			falls := a.estimate[v] - a.estimate[w]
			if math.IsNaN(falls) {
				if math.IsNaN(a.estimate[v]) {
					w = csr.VertexID(v)
				}
				return &pattern.EstimateError{Vertex: a.Vertex(int(w))}
			}
			if x := a.weight(p); falls > 0 && x < factor*falls {
				factor = x / falls
			}
		}
	}
	if math.IsInf(factor, 1) {
		factor = 0 // the estimate falls nowhere
	}
	for v, x := range a.estimate {
		if x *= factor; math.IsNaN(x) {
			x = 0
		}
		a.estimate[v], a.largest = x, max(a.largest, math.Abs(x))
	}
	return nil
}

func (a *guided) weight(p uint64) float64 {
	if a.Out.Weights == nil {
		return 1
	}
	return a.Out.Weights[p]
}

// find returns the vertices of the path. It looks at a vertex again if rounding hid a shorter way to it. It ends when no vertex that waits
// can lie on a shorter path.
func (a *guided) find(from, to csr.VertexID) (path []csr.VertexID) {
	a.offer(from, csr.NoVertex, 0)
	for polls := 0; len(a.heap) > 0; polls++ {
		if polls&1023 == 0 && a.stop.Load() {
			return nil
		}
		top := a.heap.pop()
		v, best := top.vertex, a.Dist[to]
		if top.dist-a.estimate[to] > best+slack*(best+a.largest) {
			break
		}
		if v == to || top.dist > a.Dist[v]+a.estimate[v] {
			continue
		}
		for p := a.Out.Offsets[v]; p < a.Out.Offsets[v+1]; p++ {
			w := a.Out.Targets[p]
			if d := a.Dist[v] + a.weight(p); d < a.Dist[w] && d <= a.Dist[to] {
				a.offer(w, v, d)
			}
		}
	}
	if math.IsInf(a.Dist[to], 1) {
		return nil
	}
	for v := to; v != csr.NoVertex; v = a.from[v] {
		path = append(path, v)
	}
	slices.Reverse(path)
	for i, v := range path {
		path[i] = a.Vertex(int(v))
	}
	return path
}

func (a *guided) offer(v, from csr.VertexID, dist float64) {
	a.Dist[v], a.from[v] = dist, from
	a.heap.push(entry{dist + a.estimate[v], v})
}
