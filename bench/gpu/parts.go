package gpu

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/bfs"
	"github.com/motifql/motif/kernels/clique"
	"github.com/motifql/motif/kernels/core"
	"github.com/motifql/motif/kernels/cuda"
	"github.com/motifql/motif/kernels/triangle"
	"github.com/motifql/motif/kernels/truss"
)

// orientedBytes is the size of the graph with each edge once, in the kernels' layout: all of it is read at least.
func (g *graph) orientedBytes() int64 { return 8*(int64(g.vertices)+1) + 4*int64(g.simple) }

// adjacencyBytes is the same with each edge from both its ends.
func (g *graph) adjacencyBytes() int64 { return 8*(int64(g.vertices)+1) + 8*int64(g.simple) }

// each does works one after the other.
func (c *course) each(works []*work) error {
	for _, w := range works {
		w.key = cmp.Or(w.key, c.part.name)
		if err := c.do(w); err != nil {
			return err
		}
	}
	return nil
}

// cliquesKey is that of the CPU's count of cliques, of which several parts have need.
func cliquesKey(k int) string { return fmt.Sprint("cliques ", k) }

// countOn asks a device for the count of q.
func (c *course) countOn(f func(ctx context.Context, s *csr.Snapshot, q *pattern.Clique, env *pattern.Env) (pattern.Count128, error), q *pattern.Clique) request {
	return func(ctx context.Context, env *pattern.Env) (func() answer, error) {
		n, err := f(ctx, c.g.s, q, env)
		return func() answer { return answer{value: n, text: n.String(), amount: n.Float64()} }, err
	}
}

// listOn asks a device for the cliques of q themselves, one after the other.
func (c *course) listOn(f func(ctx context.Context, s *csr.Snapshot, q *pattern.Clique, env *pattern.Env, emit func(clique []csr.VertexID) (bool, error)) error,
	q *pattern.Clique) request {
	return func(ctx context.Context, env *pattern.Env) (func() answer, error) {
		var listed [2]uint64 // how many, and the sum of a number of each
		err := f(ctx, c.g.s, q, env, func(clique []csr.VertexID) (bool, error) {
			h := uint64(0)
			for _, v := range clique {
				h = (h + uint64(v)) * 0x9e3779b97f4a7c15
			}
			listed[0]++
			listed[1] += h ^ h>>29
			return true, nil
		})
		return func() answer { return answer{value: listed, text: fmt.Sprint(listed[0]), amount: float64(listed[0])} }, err
	}
}

// cliques lists cliques of 3 vertices, and counts those of 4 to 8.
func cliques(c *course) error {
	var works []*work
	if c.g.simple < 1<<22 {
		q := (&pattern.Subgraph{}).Clique(3)
		works = append(works, &work{variant: "3 vertices, listed", key: "cliques listed", gpu: c.listOn(c.d.ListCliques, q), cpu: c.listOn(clique.List, q),
			unit: "cliques/s", bytes: c.g.orientedBytes(), ablate: c.g.largest})
	}
	for k := 4; k <= 8; k++ {
		q := (&pattern.Subgraph{}).Clique(k)
		works = append(works, &work{variant: fmt.Sprintf("%d vertices", k), key: cliquesKey(k), gpu: c.countOn(c.d.CountCliques, q),
			cpu: c.countOn(clique.Count, q), unit: "cliques/s", bytes: c.g.orientedBytes(), ablate: c.g.largest && k <= 6,
			grows: fmt.Sprintf("%d vertices", k-1)})
	}
	return c.each(works)
}

// deal counts cliques in the parts that 2, 4 and 8 devices would get, one after the other. The row's time is that of the part that
// takes longest, and its figure how much longer than the mean that is. Where there are several devices, they count together, too.
func deal(c *course) error {
	if !c.g.largest {
		return nil
	}
	k := 5
	if c.g.scale > 18 {
		k = 4 // or the CPU takes minutes
	}
	q := (&pattern.Subgraph{}).Clique(k)
	var works []*work
	for _, parts := range []int{1, 2, 4, 8} {
		gpu := func(ctx context.Context, env *pattern.Env) (func() answer, error) {
			list, err := c.d.CliqueParts(ctx, c.g.s, q, parts, env)
			return func() answer { return dealt(list) }, err
		}
		works = append(works, &work{variant: fmt.Sprintf("%d-cliques on %d", k, parts), key: cliquesKey(k), gpu: gpu, cpu: c.countOn(clique.Count, q),
			unit: "max/mean", figure: true})
	}
	if c.all.devices > 1 {
		count := c.countOn(c.all.counter.CountCliques, q)
		gpu := func(ctx context.Context, env *pattern.Env) (func() answer, error) {
			give, err := count(ctx, env)
			return func() answer {
				a := give()
				a.amount = float64(c.all.devices)
				return a
			}, err
		}
		works = append(works, &work{variant: fmt.Sprintf("%d-cliques together", k), key: cliquesKey(k), gpu: gpu, cpu: c.countOn(clique.Count, q),
			unit: "devices", figure: true})
	}
	return c.each(works)
}

// dealt adds up the parts of a count.
func dealt(parts []cuda.PartCount) answer {
	var sum pattern.Count128
	var all, longest time.Duration
	for _, p := range parts {
		total, err := sum.Add(p.Count)
		if err != nil {
			return answer{fault: err}
		}
		sum, all, longest = total, all+p.Elapsed, max(longest, p.Elapsed)
	}
	return answer{value: sum, text: sum.String(), took: longest, amount: float64(longest) * float64(len(parts)) / float64(max(all, 1))}
}

func triangles(c *course) error {
	type count func(ctx context.Context, s *csr.Snapshot, types csr.TypeSet, perNode bool, env *pattern.Env) (uint64, []uint64, error)
	on := func(f count) request {
		return func(ctx context.Context, env *pattern.Env) (func() answer, error) {
			n, _, err := f(ctx, c.g.s, nil, false, env)
			return func() answer { return answer{value: n, text: fmt.Sprint(n), amount: float64(c.g.simple)} }, err
		}
	}
	return c.each([]*work{{variant: "count", gpu: on(c.d.Triangles), cpu: on(triangle.Count), unit: "edges/s", bytes: c.g.orientedBytes(),
		ablate: c.g.largest}})
}

// cores compares the ways to decompose; the CPU chooses its own.
func cores(c *course) error {
	type decompose func(ctx context.Context, s *csr.Snapshot, r *pattern.CoreRequest, env *pattern.Env) (*pattern.Cores, error)
	on := func(f decompose, v pattern.CoreVariant) request {
		return func(ctx context.Context, env *pattern.Env) (func() answer, error) {
			x, err := f(ctx, c.g.s, &pattern.CoreRequest{Direction: csr.Both, Variant: v}, env)
			return func() answer {
				return answer{value: x.Core, text: fmt.Sprintf("kmax %d", x.Degeneracy), amount: float64(c.g.simple)}
			}, err
		}
	}
	var works []*work
	for _, v := range []pattern.CoreVariant{pattern.CoreRL, pattern.CoreES, pattern.CorePark} {
		works = append(works, &work{variant: v.String(), gpu: on(c.d.Cores, v), cpu: on(core.Decompose, pattern.CoreAuto), unit: "edges/s",
			bytes: c.g.adjacencyBytes() + 4*int64(c.g.vertices), ablate: c.g.largest})
	}
	return c.each(works)
}

// trusses looks for the truss of the largest k, and for the trussness of all edges.
func trusses(c *course) error {
	type decompose func(ctx context.Context, s *csr.Snapshot, r *pattern.TrussRequest, env *pattern.Env) (*pattern.Trusses, error)
	on := func(f decompose, k uint32) request {
		var before pattern.Loan
		return func(ctx context.Context, env *pattern.Env) (func() answer, error) {
			before.Release() // as a program that asks again
			x, err := f(ctx, c.g.s, &pattern.TrussRequest{K: k, Returned: true}, env)
			if err != nil {
				return nil, err
			}
			before = x.Loan
			return func() answer {
				return answer{value: sumOf(x), text: fmt.Sprintf("kmax %d, %d edges", x.KMax, len(x.Source)), amount: float64(c.g.simple)}
			}, nil
		}
	}
	largest := &work{variant: "kmax", key: "kmax", gpu: on(c.d.Trusses, pattern.KMax), cpu: on(truss.Decompose, pattern.KMax)}
	all := &work{variant: "all", key: "all", gpu: on(c.d.Trusses, 0), cpu: on(truss.Decompose, 0)}
	for _, w := range []*work{largest, all} {
		w.unit, w.bytes, w.ablate = "edges/s", c.g.orientedBytes()+4*int64(c.g.simple), c.g.largest
	}
	return c.each([]*work{largest, all})
}

// trussSum stands for a set of edges with their trussness: sets in different orders have the same one, and others hardly ever.
type trussSum struct {
	edges int
	kmax  uint32
	sum   [2]uint64
}

func sumOf(t *pattern.Trusses) trussSum {
	x := trussSum{edges: len(t.Source), kmax: t.KMax}
	for i, src := range t.Source {
		h := mix(uint64(src)<<32 | uint64(t.Target[i]))
		h = mix(h + uint64(t.Truss[i]))
		x.sum[0] += h
		x.sum[1] += mix(h + 1)
	}
	return x
}

// mix spreads a number's bits over all (the finaliser of splitmix64).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// searches compares the ways to search; the CPU chooses its own. The source is the vertex of most neighbours.
func searches(c *course) error {
	adjacency := c.g.s.Adjacency(nil, csr.Both).Flat()
	source := csr.VertexID(0)
	for v := range csr.VertexID(c.g.vertices) {
		if adjacency.Degree(v) > adjacency.Degree(source) {
			source = v
		}
	}
	if c.g.kind == grid {
		source = 0 // a corner: the longest way
	}
	type search func(ctx context.Context, s *csr.Snapshot, t *pattern.Traversal, env *pattern.Env) (*pattern.Levels, error)
	on := func(f search, v pattern.Variant) request {
		var before pattern.Loan
		return func(ctx context.Context, env *pattern.Env) (func() answer, error) {
			before.Release()
			q := &pattern.Traversal{Sources: []csr.VertexID{source}, Direction: csr.Both, MaxDepth: -1, Variant: v, Returned: true}
			x, err := f(ctx, c.g.s, q, env)
			if err != nil {
				return nil, err
			}
			before = x.Loan
			return func() answer { return searched(x, adjacency) }, nil
		}
	}
	var works []*work
	for _, v := range []pattern.Variant{pattern.Switching, pattern.Push, pattern.Pull, pattern.EdgeCentric} {
		works = append(works, &work{variant: v.String(), gpu: on(c.d.BFS, v), cpu: on(bfs.Search, pattern.Auto), unit: "TEPS",
			bytes: 12 * int64(c.g.vertices), ablate: c.g.largest && v == pattern.Switching})
	}
	return c.each(works)
}

// searched is the answer of a search: depths are compared, parents must be neighbours one level nearer. Its amount is edges of
// what was reached, each once.
func searched(x *pattern.Levels, adjacency *csr.Adjacency) answer {
	a := answer{value: slices.Clone(x.Depth)} // the next search may have its memory
	deepest, reached, ends := int32(0), 0, 0
	for v, d := range x.Depth {
		if d < 0 {
			continue
		}
		deepest, reached, ends = max(deepest, d), reached+1, ends+adjacency.Degree(csr.VertexID(v))
		p := x.Parent[v]
		switch {
		case d == 0 && p != csr.NoVertex || d > 0 && p == csr.NoVertex:
			a.fault = fmt.Errorf("vertex %d at depth %d has the parent %d", v, d, p)
		case d > 0 && (x.Depth[p] != d-1 || !adjacency.Has(csr.VertexID(v), p)):
			a.fault = fmt.Errorf("vertex %d at depth %d has the parent %d, which is no neighbour one level nearer", v, d, p)
		}
	}
	a.text, a.amount = fmt.Sprintf("depth %d, %d reached", deepest, reached), math.Floor(float64(ends)/2)
	return a
}
