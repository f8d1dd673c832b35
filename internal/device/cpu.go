package device

import (
	"context"
	"fmt"

	"github.com/motifql/motif/filter"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/join"
	"github.com/motifql/motif/kernels"
)

// CPU answers every request with filter, join and kernels.
type CPU struct{}

// Name is "CPU".
func (CPU) Name() string { return "CPU" }

// Answer answers r.
func (CPU) Answer(ctx context.Context, r *pattern.Request, env *pattern.Env) (a pattern.Answer, err error) {
	s := r.Snapshot
	switch r.Kind {
	case pattern.KindFilter:
		a.Candidates, err = filter.Run(ctx, s, r.Pattern, env)
	case pattern.KindCount:
		a.Count, err = join.Count(ctx, r.Job, env)
	case pattern.KindMatch:
		err = join.Match(ctx, r.Job, env, r.Sink)
	case pattern.KindTriangles:
		var n uint64
		n, a.ByVertex, err = kernels.Triangles(ctx, s, r.Triangles.Types, r.Triangles.PerNode, env)
		a.Count = pattern.Count(n)
	case pattern.KindCores:
		a.Cores, err = kernels.CoreDecomposition(ctx, s, r.Cores, env)
	case pattern.KindTrusses:
		a.Trusses, err = kernels.Trusses(ctx, s, r.Trusses, env)
	case pattern.KindBFS:
		a.Levels, err = kernels.BFS(ctx, s, r.Traversal, env)
	case pattern.KindComponents:
		a.Components, err = kernels.Components(ctx, s, r.Components, env)
	case pattern.KindShortestPath:
		a.Vertices, err = kernels.ShortestPath(ctx, s, r.Path, env)
	case pattern.KindPathSearch:
		a.PathSearch, err = kernels.PathSearch(ctx, r.PathJob, env)
	case pattern.KindDiameter:
		a.Diameter, err = kernels.Diameter(ctx, s, r.Diameter, env)
	default:
		return cliques(ctx, r, env)
	}
	return a, err
}

// cliques answers the requests for cliques.
func cliques(ctx context.Context, r *pattern.Request, env *pattern.Env) (a pattern.Answer, err error) {
	s := r.Snapshot
	switch r.Kind {
	case pattern.KindCliqueCount:
		if r.Clique.AllTriangles() && env.Uses(pattern.TriangleKernel) {
			env.Took(pattern.TriangleKernel, 1)
			n, _, err := kernels.Triangles(ctx, s, r.Clique.Types, false, env)
			return pattern.Answer{Count: pattern.Count(n)}, err
		}
		a.Count, err = kernels.CountCliques(ctx, s, r.Clique, env)
	case pattern.KindCliqueList:
		err = kernels.ListCliques(ctx, s, r.Clique, env, r.Emit)
	case pattern.KindCliqueSizes:
		a.Counts, err = kernels.AllCliques(ctx, s, r.Subgraph, r.Size, env)
	case pattern.KindCliquesPerVertex:
		a.Counts, err = kernels.CliquesPerVertex(ctx, s, r.Subgraph, r.Size, env)
	case pattern.KindCliquesPerEdge:
		a.EdgeCounts, err = kernels.CliquesPerEdge(ctx, s, r.Subgraph, r.Size, env)
	case pattern.KindMaximalCliques:
		err = kernels.MaximalCliques(ctx, s, r.Subgraph, r.Size, env, r.Emit)
	case pattern.KindMaximumClique:
		a.Vertices, err = kernels.MaximumClique(ctx, s, r.Subgraph, env)
	default:
		err = fmt.Errorf("the CPU cannot answer a request of kind %d", r.Kind)
	}
	return a, err
}
