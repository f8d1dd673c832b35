package rank

import (
	"context"
	"math"
	"sync/atomic"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/network"
	"github.com/motifql/motif/kernels/parallel"
)

// Score answers a request of the kinds page rank, article rank, eigenvector and degree. It charges its scratch to env.Memory. It
// fails with pattern.ErrMemory, a *pattern.WeightError, a *pattern.NotConvergedError or the context's error.
func Score(ctx context.Context, s *csr.Snapshot, kind pattern.RequestKind, r *pattern.ScoreRequest, env *pattern.Env) ([]float64, error) {
	sides := network.In | network.Out
	if kind == pattern.KindDegree {
		switch degrees, err := Degrees(ctx, s, r, env); {
		case err != nil:
			return nil, err
		case degrees != nil:
			return writeOut(ctx, degrees, int(s.N()), env)
		}
		sides = network.Out
	}
	g, err := network.New(ctx, s, &r.Network, sides, env)
	if err != nil {
		return nil, err
	}
	defer g.Release()
	bytes := 40 * int64(g.N)
	defer func() { env.Memory.Release(bytes) }()
	if err := env.Memory.Charge(bytes); err != nil {
		return nil, err
	}
	k := &ranking{Graph: g, ScoreRequest: r, ctx: ctx, env: env, workers: max(1, env.Workers), score: make([]float64, g.N)}
	defer context.AfterFunc(ctx, func() { k.stop.Store(true) })()
	switch kind {
	case pattern.KindDegree:
		k.strengths()
	case pattern.KindEigenvector:
		err = k.eigenvector()
	default:
		err = k.solve(kind == pattern.KindArticleRank)
	}
	if stopped := ctx.Err(); stopped != nil { // a round that was cut short says nothing about the scores
		err = stopped
	}
	return network.Spread(g, s.N(), k.score), err
}

type ranking struct {
	*network.Graph
	*pattern.ScoreRequest
	ctx     context.Context
	env     *pattern.Env
	workers int
	score   []float64
	stop    atomic.Bool
}

func (k *ranking) units(all, done int) {
	if t := k.env.Tally; t != nil {
		t.Units.Add(uint64(all))
		t.UnitsDone.Add(uint64(done))
	}
}

// chunkLen is how many vertices a worker takes at once.
const chunkLen = 1 << 10

func (k *ranking) each(lo, hi int, fn func(v int)) {
	parallel.For(k.workers, hi-lo, chunkLen, &k.stop, func(_, a, b int) {
		for v := lo + a; v < lo+b; v++ {
			fn(v)
		}
	})
}

// sum adds up values in chunks whose ends do not depend on the number of workers.
func sum(values []float64) float64 {
	total := 0.0
	for len(values) > 0 {
		part, n := 0.0, min(chunkLen, len(values))
		for _, x := range values[:n] {
			part += x
		}
		total += part
		values = values[n:]
	}
	return total
}

// blocks cuts the vertices into runs of about as many edges. Within a block all vertices read the same scores.
func (k *ranking) blocks() []int {
	const most = 64
	rows := &k.In
	least := max(1<<14, int(rows.Offsets[k.N])/most)
	cuts, work := []int{0}, 0
	for v := range k.N {
		if work += rows.Degree(v) + 1; work >= least {
			cuts, work = append(cuts, v+1), 0
		}
	}
	if cuts[len(cuts)-1] < k.N {
		cuts = append(cuts, k.N)
	}
	return cuts
}

// solve finds x = base + Damping * (what edges bring). It keeps x[v] times share[v], what each edge of v takes per weight.
func (k *ranking) solve(article bool) error {
	if k.N == 0 {
		return nil
	}
	share, passed, delta := make([]float64, k.N), make([]float64, k.N), make([]float64, k.N)
	k.each(0, k.N, func(v int) { share[v] = k.Out.Strength(v) })
	extra := 0.0
	if article {
		extra = sum(share) / float64(k.N)
	}
	k.each(0, k.N, func(v int) {
		if share[v] > 0 {
			share[v] = k.Damping / (share[v] + extra)
		}
	})
	base := k.bases(article)
	if base == nil {
		return nil // no walk starts anywhere
	}
	for v := range passed {
		k.score[v] = base(v)
		passed[v] = k.score[v] * share[v]
	}
	cuts := k.blocks()
	change := math.Inf(1)
	for round := 0; ; round++ {
		if err := k.ctx.Err(); err != nil {
			return err
		}
		total := sum(k.score)
		// Both errors, of the sum and of each score, are at most this much of the last change.
		bound := change * k.Damping / (1 - k.Damping)
		if !article {
			bound *= 2 // of a quotient
		}
		if bound /= total; bound <= k.Tolerance {
			break
		}
		if round == k.MaxIterations {
			return &pattern.NotConvergedError{Iterations: round, Bound: bound}
		}
		k.units(1, 0)
		for i := range len(cuts) - 1 {
			k.pass(cuts[i], cuts[i+1], base, share, passed, delta)
		}
		change = sum(delta)
		k.units(0, 1)
	}
	if !article {
		total := sum(k.score)
		k.each(0, k.N, func(v int) { k.score[v] /= total })
	}
	return nil
}

// bases returns what each vertex has of its own; nil if no vertex has anything.
func (k *ranking) bases(article bool) func(v int) float64 {
	own := 1 - k.Damping
	if !article {
		own /= float64(k.N)
	}
	if article || k.Sources == nil {
		return func(int) float64 { return own }
	}
	starts, n := make([]float64, k.N), 0
	for _, v := range k.Sources {
		if i, ok := k.Number(v); ok && starts[i] == 0 {
			starts[i] = 1
			n++
		}
	}
	if n == 0 {
		return nil
	}
	own = (1 - k.Damping) / float64(n)
	return func(v int) float64 { return own * starts[v] }
}

// pass finds the scores of one block, then publishes what it passes on.
func (k *ranking) pass(lo, hi int, base func(int) float64, share, passed, delta []float64) {
	k.each(lo, hi, func(v int) {
		x := 0.0
		at, end := k.In.Offsets[v], k.In.Offsets[v+1]
		if k.In.Weights == nil {
			for _, u := range k.In.Targets[at:end] {
				x += passed[u]
			}
		} else {
			for ; at < end; at++ {
				x += passed[k.In.Targets[at]] * k.In.Weights[at]
			}
		}
		x += base(v)
		delta[v] = math.Abs(x - k.score[v])
		k.score[v] = x
	})
	for v := lo; v < hi; v++ {
		passed[v] = k.score[v] * share[v]
	}
}
