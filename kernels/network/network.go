package network

import (
	"context"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/parallel"
)

// Side says which rows of a graph are wanted.
type Side uint8

const (
	Out Side = 1 << iota // where edges lead to
	In                   // where edges come from
)

// Graph is a simple graph with weights. Vertices are numbered from 0; in direction Both, Out and In are the same rows.
type Graph struct {
	N        int
	Vertices []csr.VertexID // by number, rising; nil: a vertex is its own number
	Out, In  Rows           // those not asked for are empty

	number []csr.VertexID // by vertex; csr.NoVertex outside; nil where Vertices is nil
	memory *pattern.Memory
	bytes  int64
}

// Rows lists the neighbours of every vertex: Targets[Offsets[v]:Offsets[v+1]], rising.
type Rows struct {
	Offsets []uint64
	Targets []csr.VertexID
	Weights []float64 // by position in Targets; nil: 1 each
	Largest float64   // of Weights
}

// Row returns the neighbours of v.
func (r *Rows) Row(v int) []csr.VertexID { return r.Targets[r.Offsets[v]:r.Offsets[v+1]] }

// Degree returns the number of neighbours of v.
func (r *Rows) Degree(v int) int { return int(r.Offsets[v+1] - r.Offsets[v]) }

// Strength returns the sum of the weights of v's edges.
func (r *Rows) Strength(v int) float64 {
	if r.Weights == nil {
		return float64(r.Degree(v))
	}
	sum := 0.0
	for _, w := range r.Weights[r.Offsets[v]:r.Offsets[v+1]] {
		sum += w
	}
	return sum
}

// New makes the rows that sides names. The caller calls Release.
func New(ctx context.Context, s *csr.Snapshot, r *pattern.Network, sides Side, env *pattern.Env) (*Graph, error) {
	g := &Graph{N: int(s.N()), memory: env.Memory}
	if err := g.fill(ctx, s, r, sides); err != nil {
		g.Release()
		return nil, err
	}
	return g, nil
}

func (g *Graph) fill(ctx context.Context, s *csr.Snapshot, r *pattern.Network, sides Side) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := g.renumber(s, r.Within); err != nil {
		return err
	}
	if r.Weight != nil {
		return g.weighted(ctx, s, r, sides)
	}
	for _, side := range []Side{Out, In} {
		dir := r.Direction
		if sides&side == 0 {
			continue
		}
		if side == In {
			dir = dir.Reverse()
		}
		rows := &g.Out
		if side == In {
			rows = &g.In
		}
		if side == In && dir == csr.Both && sides&Out != 0 {
			*rows = g.Out
			continue
		}
		if *rows, err = g.unweighted(ctx, s, r, dir); err != nil {
			return err
		}
	}
	return nil
}

// Release gives back the memory that g is charged for.
func (g *Graph) Release() {
	g.memory.Release(g.bytes)
	g.bytes = 0
}

func (g *Graph) charge(n int64) error {
	g.bytes += n
	return g.memory.Charge(n)
}

// Number returns the number of vertex v, and whether g has v.
func (g *Graph) Number(v csr.VertexID) (int, bool) {
	if g.number == nil {
		return int(v), true
	}
	return int(g.number[v]), g.number[v] != csr.NoVertex
}

// Vertex returns the vertex of a number.
func (g *Graph) Vertex(i int) csr.VertexID {
	if g.Vertices == nil {
		return csr.VertexID(i)
	}
	return g.Vertices[i]
}

// Spread returns values by vertex, for n vertices. It may return values itself; vertices outside of g get zero.
func Spread[T any](g *Graph, n uint64, values []T) []T {
	if g.Vertices == nil {
		return values
	}
	all := make([]T, n)
	for i, v := range g.Vertices {
		all[v] = values[i]
	}
	return all
}

// renumber numbers the vertices of a set.
func (g *Graph) renumber(s *csr.Snapshot, within *pattern.CandidateSet) error {
	if within == nil {
		return nil
	}
	if err := g.charge(4 * int64(s.N())); err != nil {
		return err
	}
	if g.Vertices, g.N = within.List(), within.Len(); g.N == 0 {
		g.Vertices = []csr.VertexID{} // nil means all
	}
	g.number = slices.Repeat([]csr.VertexID{csr.NoVertex}, int(s.N()))
	for i, v := range g.Vertices {
		g.number[v] = csr.VertexID(i)
	}
	return nil
}

// shared returns the rows of a view that has all vertices and no loops. A view may leave out vertices without neighbours at both ends.
func (g *Graph) shared(flat *csr.Adjacency) (rows Rows, err error) {
	rows = Rows{Offsets: flat.Offsets, Targets: flat.Targets}
	if flat.Lo == 0 && len(flat.Offsets) == g.N+1 {
		return rows, nil
	}
	if err := g.charge(8 * int64(g.N+1)); err != nil {
		return rows, err
	}
	rows.Offsets = make([]uint64, g.N+1)
	if len(flat.Offsets) > 0 {
		end := int(flat.Lo) + copy(rows.Offsets[flat.Lo:], flat.Offsets)
		for v := end; v <= g.N; v++ {
			rows.Offsets[v] = rows.Offsets[end-1]
		}
	}
	return rows, nil
}

// unweighted returns the rows of a view, or a copy without loops and other vertices.
func (g *Graph) unweighted(ctx context.Context, s *csr.Snapshot, r *pattern.Network, dir csr.Direction) (rows Rows, err error) {
	adj, err := s.View(ctx, r.Types, dir)
	if err != nil {
		return rows, err
	}
	flat := adj.Flat()
	if g.Vertices == nil && flat.Loops == 0 {
		return g.shared(flat)
	}
	if err := g.charge(8*int64(g.N+1) + 4*int64(flat.Len())); err != nil {
		return rows, err
	}
	rows.Offsets = make([]uint64, g.N+1)
	rows.Targets = make([]csr.VertexID, 0, flat.Len())
	for i := range g.N {
		if i%parallel.PollEvery == 0 && ctx.Err() != nil {
			return rows, ctx.Err()
		}
		v := g.Vertex(i)
		for _, w := range flat.Neighbours(v) {
			if n, ok := g.Number(w); ok && w != v {
				rows.Targets = append(rows.Targets, csr.VertexID(n))
			}
		}
		rows.Offsets[i+1] = uint64(len(rows.Targets))
	}
	return rows, nil
}
