//go:build cuda && cgo && linux

package motif

import (
	"context"
	"errors"
	"slices"

	"github.com/motifql/motif/filter"
	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/join"
	"github.com/motifql/motif/kernels"
	"github.com/motifql/motif/kernels/cuda"
)

// Count takes a formula where there is one that promises to be cheaper than a search, which the device has arrays for, too, and the device's
// join for patterns that it has a way for.
func (g gpu) Count(ctx context.Context, j *pattern.Job, env *pattern.Env) (pattern.Count128, error) {
	if given(j.Pattern) {
		return g.cpu.Count(ctx, j, env)
	}
	if j.Formula != nil {
		if n, done, err := join.CountByFormula(ctx, j, env, g); done || err != nil {
			return n, err
		}
	}
	if !g.chosen && len(j.Pattern.Vertices) > gainingNodes {
		env.Tally.Answered("join", "CPU", failure{errLarger})
		return g.cpu.Count(ctx, j, env)
	}
	before := visited(env)
	n, err, ok := try(g, j.Snapshot, env, joinWork(j), func(d *cuda.Device) (pattern.Count128, error) { return d.Count(ctx, j, env) })
	if ok {
		spent(j, env, before)
		return n, err
	}
	return g.cpu.Count(ctx, j, env)
}

// CountHoms makes g a join.Counter.
func (g gpu) CountHoms(ctx context.Context, s *csr.Snapshot, h *kernels.Homs, env *pattern.Env) ([]pattern.Count128, error) {
	n, err, ok := tryAll(g, s, env, homsWork(h), func(d *cuda.Group) ([]pattern.Count128, error) { return d.CountHoms(ctx, s, h, env) })
	if ok {
		return n, err
	}
	return h.Count(ctx, env)
}

// Why the CPU is left what it was measured to do as soon.
var (
	errLarger = errors.New("it remembers numbers of matches of parts of a larger pattern")
	errRows   = errors.New("it gives rows as soon as they can be taken")
)

// gainingNodes is the most nodes of a pattern at whose count a device was measured to be faster than 16 workers.
const gainingNodes = 4

// Match takes the device if it was chosen: that takes rows no faster than the CPU finds them, as a rule. A device that declines has
// sent nothing.
func (g gpu) Match(ctx context.Context, j *pattern.Job, env *pattern.Env, sink pattern.Sink) error {
	if !g.chosen || given(j.Pattern) {
		return g.cpu.Match(ctx, j, env, sink)
	}
	before := visited(env)
	_, err, ok := try(g, j.Snapshot, env, joinWork(j), func(d *cuda.Device) (struct{}, error) { return struct{}{}, d.Match(ctx, j, env, sink) })
	if ok {
		spent(j, env, before)
		return err
	}
	return g.cpu.Match(ctx, j, env, sink)
}

// spent tells the filter what a search on a device went through, so that it builds signatures when they are worth it: a row of
// neighbours for every match, partial ones included where they are counted.
func spent(j *pattern.Job, env *pattern.Env, before uint64) {
	s := j.Snapshot
	filter.Spent(s, j.Pattern, (visited(env)-before)*(2*s.M()/max(1, s.N())+1))
}

func visited(env *pattern.Env) uint64 { return env.Tally.Partial.Load() + env.Tally.Embeddings.Load() }

// given reports whether a row gives vertices of the pattern: what is around them is found too quickly to ask a device.
func given(p *pattern.Pattern) bool {
	return slices.ContainsFunc(p.Vertices, func(v pattern.Vertex) bool { return v.Bound })
}

// homsWork is counting by arrays as the model sees it.
func homsWork(h *kernels.Homs) cuda.Work {
	return cuda.Work{What: "formula", Items: h.Cost(), Types: h.Types(), Direction: csr.Both}
}

// joinWork is a job as the model sees it.
func joinWork(j *pattern.Job) cuda.Work {
	w := cuda.Work{What: "join", Items: j.Order.Cost, Direction: csr.Both, Types: csr.TypeSet{}}
	for i := range j.Pattern.Edges {
		e := &j.Pattern.Edges[i]
		if w.Types = w.Types.Union(e.Types); !e.Undirected {
			w.Direction = csr.Out
		}
	}
	return w
}
