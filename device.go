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
	return kernels.CountCliques(ctx, s, c, env)
}

func (cpu) ListCliques(ctx context.Context, s *csr.Snapshot, c *pattern.Clique, env *pattern.Env,
	emit func([]csr.VertexID) (bool, error)) error {
	return kernels.ListCliques(ctx, s, c, env, emit)
}
