package dijkstra

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync/atomic"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/network"
)

// Paths returns the r.K shortest paths from r.Sources[0] to r.Target, by rising cost; fewer if there are not so many. No path has a vertex
// twice. It charges what it needs to env.Memory, and not the result. It fails like Distances.
func Paths(ctx context.Context, s *csr.Snapshot, r *pattern.WeightedPathRequest, env *pattern.Env) (paths []pattern.WeightedPath, err error) {
	err = run(ctx, s, r, env, func(g *network.Graph, search *Search, stop *atomic.Bool) error {
		from, ok := g.Number(r.Sources[0])
		to, also := g.Number(r.Target)
		if !ok || !also {
			return nil
		}
		y := &yen{Graph: g, Search: search, env: env, stop: stop, to: csr.VertexID(to), blocked: make([]uint64, (g.N+63)/64)}
		defer func() { env.Memory.Release(y.charges) }()
		if err := y.find(csr.VertexID(from), r.K); err != nil {
			return err
		}
		for _, p := range y.paths {
			for i, v := range p.Vertices {
				p.Vertices[i] = g.Vertex(int(v))
			}
			paths = append(paths, p)
		}
		return nil
	})
	return paths, err
}

// yen finds paths one after the other. Each leaves one of those before at some vertex, the spur: it takes the path up to the spur, and
// from there the shortest way that none of the paths with the same beginning takes.
type yen struct {
	*network.Graph
	*Search
	env     *pattern.Env
	stop    *atomic.Bool
	to      csr.VertexID
	paths   []pattern.WeightedPath
	next    []pattern.WeightedPath // candidates
	charges int64
	blocked []uint64 // bitmap of the vertices before the spur
}

func (y *yen) find(from csr.VertexID, k int) error {
	if err := y.leave(nil, from); err != nil {
		return err
	}
	for len(y.next) > 0 && len(y.paths) < k && !y.stop.Load() {
		best := 0
		for i := range y.next {
			if before(y.next[i], y.next[best]) {
				best = i
			}
		}
		p := y.next[best]
		y.next = slices.Delete(y.next, best, best+1)
		y.paths = append(y.paths, p)
		if t := y.env.Tally; t != nil {
			t.UnitsDone.Add(1)
		}
		if len(y.paths) == k {
			break
		}
		for i := range len(p.Vertices) - 1 {
			if err := y.leave(p.Vertices[:i], p.Vertices[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// before orders candidates by cost, then by their vertices.
func before(a, b pattern.WeightedPath) bool {
	if a.Cost != b.Cost {
		return a.Cost < b.Cost
	}
	return slices.Compare(a.Vertices, b.Vertices) < 0
}

// leave adds the shortest path that begins with root and spur and goes on as no known path does.
func (y *yen) leave(root []csr.VertexID, spur csr.VertexID) error {
	var ban []csr.VertexID
	for _, p := range y.paths {
		if len(p.Vertices) > len(root)+1 && slices.Equal(p.Vertices[:len(root)], root) && p.Vertices[len(root)] == spur {
			ban = append(ban, p.Vertices[len(root)+1])
		}
	}
	for _, v := range root {
		y.blocked[v>>6] |= 1 << (v & 63)
	}
	if y.refuse = nil; len(root)+len(ban) > 0 {
		y.refuse = func(from, to csr.VertexID) bool {
			return y.blocked[to>>6]>>(to&63)&1 != 0 || from == spur && slices.Contains(ban, to)
		}
	}
	y.Run([]csr.VertexID{spur}, func(v csr.VertexID) bool { return v != y.to })
	for _, v := range root {
		y.blocked[v>>6] &^= 1 << (v & 63)
	}
	if n := len(y.Order); n == 0 || y.Order[n-1] != y.to {
		return nil
	}
	var path []csr.VertexID
	for v := y.to; v != csr.NoVertex; v = y.Parent(v) {
		path = append(path, v)
	}
	path = append(path, root...)
	slices.Reverse(path[:len(path)-len(root)])
	path = append(path[len(path)-len(root):len(path):len(path)], path[:len(path)-len(root)]...)
	for _, p := range y.next {
		if slices.Equal(p.Vertices, path) {
			return nil
		}
	}
	bytes := int64(48 + 4*len(path))
	y.charges += bytes
	y.next = append(y.next, pattern.WeightedPath{Vertices: path, Cost: y.cost(path)})
	return y.env.Memory.Charge(bytes)
}

// cost adds up the weights of a path.
func (y *yen) cost(path []csr.VertexID) float64 {
	sum := 0.0
	for i := 1; i < len(path); i++ {
		lo := y.Out.Offsets[path[i-1]]
		at, ok := slices.BinarySearchFunc(y.Out.Row(int(path[i-1])), path[i], cmp.Compare[csr.VertexID])
		switch {
		case !ok:
			return math.NaN() // never: the search has taken the edge
		case y.Out.Weights == nil:
			sum++
		default:
			sum += y.Out.Weights[lo+uint64(at)]
		}
	}
	return sum
}
