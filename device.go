package motif

import (
	"context"

	"github.com/motifql/motif/filter"
	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/join"
	"github.com/motifql/motif/kernels"
)

// cpu wires filter, join and kernels to the interface that execution runs on.
type cpu struct{}

func (cpu) Name() string { return "CPU" }

func (cpu) Filter(ctx context.Context, s *csr.Snapshot, p *pattern.Pattern, env *pattern.Env) (*pattern.Candidates, error) {
	return filter.Run(ctx, s, p, env)
}

func (cpu) Count(ctx context.Context, j *pattern.Job, env *pattern.Env) (pattern.Count128, error) {
	return join.Count(ctx, j, env)
}

func (cpu) Match(ctx context.Context, j *pattern.Job, env *pattern.Env, sink pattern.Sink) error {
	return join.Match(ctx, j, env, sink)
}

func (cpu) CountCliques(ctx context.Context, s *csr.Snapshot, c *pattern.Clique, env *pattern.Env) (pattern.Count128, error) {
	if c.K == 3 && len(c.Sets) == 1 && c.Sets[0] == nil && env.Uses(pattern.TriangleKernel) {
		env.Took(pattern.TriangleKernel, 1)
		n, _, err := kernels.Triangles(ctx, s, c.Types, false, env)
		return pattern.Count(n), err
	}
	return kernels.CountCliques(ctx, s, c, env)
}

func (cpu) ListCliques(ctx context.Context, s *csr.Snapshot, c *pattern.Clique, env *pattern.Env,
	emit func([]csr.VertexID) (bool, error)) error {
	return kernels.ListCliques(ctx, s, c, env, emit)
}

func (cpu) AllCliques(ctx context.Context, s *csr.Snapshot, g *pattern.Subgraph, upTo int, env *pattern.Env) ([]pattern.Count128, error) {
	return kernels.AllCliques(ctx, s, g, upTo, env)
}

func (cpu) CliquesPerVertex(ctx context.Context, s *csr.Snapshot, g *pattern.Subgraph, k int, env *pattern.Env) ([]pattern.Count128, error) {
	return kernels.CliquesPerVertex(ctx, s, g, k, env)
}

func (cpu) CliquesPerEdge(ctx context.Context, s *csr.Snapshot, g *pattern.Subgraph, k int, env *pattern.Env) (*pattern.EdgeCounts, error) {
	return kernels.CliquesPerEdge(ctx, s, g, k, env)
}

func (cpu) MaximalCliques(ctx context.Context, s *csr.Snapshot, g *pattern.Subgraph, minSize int, env *pattern.Env,
	emit func([]csr.VertexID) (bool, error)) error {
	return kernels.MaximalCliques(ctx, s, g, minSize, env, emit)
}

func (cpu) MaximumClique(ctx context.Context, s *csr.Snapshot, g *pattern.Subgraph, env *pattern.Env) ([]csr.VertexID, error) {
	return kernels.MaximumClique(ctx, s, g, env)
}

func (cpu) Cores(ctx context.Context, s *csr.Snapshot, r *pattern.CoreRequest, env *pattern.Env) (*pattern.Cores, error) {
	return kernels.CoreDecomposition(ctx, s, r, env)
}

func (cpu) BFS(ctx context.Context, s *csr.Snapshot, t *pattern.Traversal, env *pattern.Env) (*pattern.Levels, error) {
	return kernels.BFS(ctx, s, t, env)
}

func (cpu) Triangles(ctx context.Context, s *csr.Snapshot, types csr.TypeSet, perNode bool, env *pattern.Env) (uint64, []uint64, error) {
	return kernels.Triangles(ctx, s, types, perNode, env)
}

func (cpu) Trusses(ctx context.Context, s *csr.Snapshot, r *pattern.TrussRequest, env *pattern.Env) (*pattern.Trusses, error) {
	return kernels.Trusses(ctx, s, r, env)
}

func (cpu) Components(ctx context.Context, s *csr.Snapshot, r *pattern.ComponentRequest, env *pattern.Env) (*pattern.Components, error) {
	return kernels.Components(ctx, s, r, env)
}

func (cpu) ShortestPath(ctx context.Context, s *csr.Snapshot, r *pattern.PathRequest, env *pattern.Env) ([]csr.VertexID, error) {
	return kernels.ShortestPath(ctx, s, r, env)
}

func (cpu) PathSearch(ctx context.Context, j *pattern.PathJob, env *pattern.Env) (pattern.PathSearch, error) {
	return kernels.PathSearch(ctx, j, env)
}

func (cpu) Diameter(ctx context.Context, s *csr.Snapshot, r *pattern.DiameterRequest, env *pattern.Env) (*pattern.Diameter, error) {
	return kernels.Diameter(ctx, s, r, env)
}
