package rank

import (
	"context"
	"sync/atomic"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/parallel"
)

// Degrees answers a request of the kind degree that has no weights and counts all vertices, without a look at any of them. It returns nil
// for other requests.
func Degrees(ctx context.Context, s *csr.Snapshot, r *pattern.ScoreRequest, env *pattern.Env) (*csr.Degrees, error) {
	if r.Weight != nil || r.Within != nil {
		return nil, nil
	}
	if env.Tally != nil {
		env.Tally.Units.Add(1)
		defer env.Tally.UnitsDone.Add(1)
	}
	rows, err := s.View(ctx, r.Types, r.Direction)
	if err != nil {
		return nil, err
	}
	return csr.NewDegrees(ctx, rows, share(r, int(s.N())))
}

// degreeChunk is how many degrees a worker writes between two looks at the context.
const degreeChunk = 1 << 14

// writeOut returns the degrees of n vertices.
func writeOut(ctx context.Context, degrees *csr.Degrees, n int, env *pattern.Env) ([]float64, error) {
	defer env.Memory.Release(8 * int64(n))
	if err := env.Memory.Charge(8 * int64(n)); err != nil {
		return nil, err
	}
	var stop atomic.Bool
	defer context.AfterFunc(ctx, func() { stop.Store(true) })()
	score := make([]float64, n)
	parallel.For(max(1, env.Workers), n, degreeChunk, &stop, func(_, lo, hi int) { degrees.Fill(csr.VertexID(lo), score[lo:hi]) })
	return score, ctx.Err()
}

// strengths scores vertices by the weights of their edges.
func (k *ranking) strengths() {
	k.units(1, 0)
	scale := share(k.ScoreRequest, k.N)
	k.each(0, k.N, func(v int) { k.score[v] = k.Out.Strength(v) * scale })
	k.units(0, 1)
}

// share returns what one edge adds to the score of a vertex among n.
func share(r *pattern.ScoreRequest, n int) float64 {
	if r.Normalize && n > 1 {
		return 1 / float64(n-1)
	}
	return 1
}
