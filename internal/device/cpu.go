package device

import (
	"context"
	"fmt"

	"github.com/motifql/motif/filter"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/join"
	"github.com/motifql/motif/kernels/betweenness"
	"github.com/motifql/motif/kernels/bfs"
	"github.com/motifql/motif/kernels/clique"
	"github.com/motifql/motif/kernels/closeness"
	"github.com/motifql/motif/kernels/community"
	"github.com/motifql/motif/kernels/components"
	"github.com/motifql/motif/kernels/core"
	"github.com/motifql/motif/kernels/diameter"
	"github.com/motifql/motif/kernels/dijkstra"
	"github.com/motifql/motif/kernels/graphlet"
	"github.com/motifql/motif/kernels/paths"
	"github.com/motifql/motif/kernels/rank"
	"github.com/motifql/motif/kernels/similarity"
	"github.com/motifql/motif/kernels/triangle"
	"github.com/motifql/motif/kernels/truss"
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
	case pattern.KindCount, pattern.KindMatch, pattern.KindDivide:
		return matches(ctx, r, env)
	case pattern.KindTriangles:
		var n uint64
		n, a.ByVertex, err = triangle.Count(ctx, s, r.Triangles.Types, r.Triangles.PerNode, env)
		a.Count = pattern.Count(n)
	case pattern.KindCores:
		a.Cores, err = core.Decompose(ctx, s, r.Cores, env)
	case pattern.KindTrusses:
		a.Trusses, err = truss.Decompose(ctx, s, r.Trusses, env)
	case pattern.KindBFS:
		a.Levels, err = bfs.Search(ctx, s, r.Traversal, env)
	case pattern.KindComponents:
		a.Components, err = components.Find(ctx, s, r.Components, env)
	case pattern.KindShortestPath:
		a.Vertices, err = bfs.ShortestPath(ctx, s, r.Path, env)
	case pattern.KindPathSearch:
		a.PathSearch, err = paths.NewSearch(ctx, r.PathJob, env)
	case pattern.KindDiameter:
		a.Diameter, err = diameter.Exact(ctx, s, r.Diameter, env)
	case pattern.KindPageRank, pattern.KindArticleRank, pattern.KindEigenvector, pattern.KindDegree:
		if r.Kind == pattern.KindDegree && r.Scores.Late {
			if a.Degrees, err = rank.Degrees(ctx, s, r.Scores, env); a.Degrees != nil || err != nil {
				return a, err
			}
		}
		a.Scores, err = rank.Score(ctx, s, r.Kind, r.Scores, env)
	case pattern.KindCloseness:
		a.Scores, err = closeness.Score(ctx, s, r.Scores, env)
	case pattern.KindDistances:
		a.Distances, err = dijkstra.Distances(ctx, s, r.WeightedPath, env)
	case pattern.KindWeightedPaths:
		a.WeightedPaths, err = dijkstra.Paths(ctx, s, r.WeightedPath, env)
	case pattern.KindAStar:
		a.WeightedPaths, err = dijkstra.Guided(ctx, s, r.WeightedPath, env)
	case pattern.KindSimilarity:
		a.Similarities, err = similarity.Find(ctx, s, r.Similarity, env)
	case pattern.KindLabels:
		a.Communities, err = community.Labels(ctx, s, r.Community, env)
	case pattern.KindLouvain:
		a.Communities, err = community.Louvain(ctx, s, r.Community, env)
	case pattern.KindBetweenness:
		a.Scores, err = betweenness.Score(ctx, s, r.Scores, env)
	default:
		return subgraphs(ctx, r, env)
	}
	return a, err
}

// matches answers the requests about the matches of a job, or of a share of it.
func matches(ctx context.Context, r *pattern.Request, env *pattern.Env) (a pattern.Answer, err error) {
	switch {
	case r.Kind == pattern.KindDivide:
		a.Scheme, err = join.Divide(ctx, r.Job, env, r.Sink)
	case r.Kind == pattern.KindCount && r.Job.Share != nil:
		a.Count, r.Job.Share.Minus, err = join.CountShare(ctx, r.Job, env)
	case r.Kind == pattern.KindCount:
		a.Count, err = join.Count(ctx, r.Job, env)
	case r.Job.Share != nil:
		err = join.MatchShare(ctx, r.Job, env, r.Sink)
	default:
		err = join.Match(ctx, r.Job, env, r.Sink)
	}
	return a, err
}

// subgraphs answers the requests for cliques and graphlets.
func subgraphs(ctx context.Context, r *pattern.Request, env *pattern.Env) (a pattern.Answer, err error) {
	s := r.Snapshot
	switch r.Kind {
	case pattern.KindCliqueCount:
		if r.Clique.AllTriangles() && env.Uses(pattern.TriangleKernel) {
			env.Took(pattern.TriangleKernel, 1)
			n, err := triangle.CountRanks(ctx, s, r.Clique, env)
			return pattern.Answer{Count: pattern.Count(n)}, err
		}
		a.Count, err = clique.Count(ctx, s, r.Clique, env)
	case pattern.KindCliqueWork:
		if r.Clique.AllTriangles() && env.Uses(pattern.TriangleKernel) {
			a.Scores, err = triangle.Work(ctx, s, r.Clique, env)
			return a, err
		}
		a.Scores = clique.Work(s, r.Clique, env)
	case pattern.KindCliqueList:
		err = clique.List(ctx, s, r.Clique, env, r.Emit)
	case pattern.KindCliqueSizes:
		a.Counts, err = clique.CountBySize(ctx, s, r.Subgraph, r.Size, env)
	case pattern.KindCliquesPerVertex:
		if r.Clique.Ranks != nil {
			a.Vertices, a.Counts, err = clique.CountPerVertexRanks(ctx, s, r.Clique, env)
			return a, err
		}
		a.Counts, err = clique.CountPerVertex(ctx, s, r.Clique, env)
	case pattern.KindCliquesPerEdge:
		a.EdgeCounts, err = clique.CountPerEdge(ctx, s, r.Subgraph, r.Size, env)
	case pattern.KindMaximalCliques:
		err = clique.Maximal(ctx, s, r.Subgraph, r.Size, env, r.Emit)
	case pattern.KindMaximumClique:
		a.Vertices, err = clique.Maximum(ctx, s, r.Subgraph, env)
	case pattern.KindOrbits:
		a.Orbits, err = graphlet.Orbits(ctx, s, r.Subgraph, r.Size, env)
	case pattern.KindMotifs:
		a.Counts, err = graphlet.Motifs(ctx, s, r.Subgraph, r.Size, r.Induced, env)
	case pattern.KindTriads:
		a.Counts, err = graphlet.Triads(ctx, s, r.Subgraph, env)
	default:
		err = fmt.Errorf("the CPU cannot answer a request of kind %d", r.Kind)
	}
	return a, err
}
