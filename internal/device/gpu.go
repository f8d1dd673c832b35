//go:build cuda && cgo && linux

package device

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/motifql/motif/internal/workgroup"

	"github.com/motifql/motif/filter"
	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/join"
	"github.com/motifql/motif/kernels/cuda"
	"github.com/motifql/motif/kernels/hom"
)

// Names are the values that the knob "device" offers; it knows cuda:N, too.
var Names = []string{"auto", "cpu", "cuda"}

// gpu answers on a GPU what choose sends there, and the rest on the CPU.
type gpu struct {
	pool    *Pool
	choice  Choice
	asked   bool // the user asked for a GPU: it gets whatever it has a kernel for
	workers int  // of the query, on the CPU
}

func (p *Pool) withGPU(c Choice, workers int) pattern.Device {
	return gpu{pool: p, choice: c, asked: c.kind == onGPU, workers: workers}
}

// Name is "GPU and CPU".
func (g gpu) Name() string { return "GPU and CPU" }

// Answer answers r. A count first tries its formula, which asks for its parts one by one.
func (g gpu) Answer(ctx context.Context, r *pattern.Request, env *pattern.Env) (a pattern.Answer, err error) {
	if r.Kind == pattern.KindCount && r.Job.Formula != nil && !bound(r) {
		n, done, err := join.CountByFormula(ctx, r.Job, env, counter{g})
		if done || err != nil {
			return pattern.Answer{Count: n}, err
		}
	}
	before := visited(env)
	c, ok, err := g.try(r, env, func(d *cuda.Group) (err error) {
		a, err = d.Answer(ctx, r, env)
		return err
	})
	if !ok {
		err := g.timed(c, r, func() (err error) {
			a, err = CPU{}.Answer(ctx, r, env)
			return err
		})
		return a, err
	}
	if r.Kind == pattern.KindCount || r.Kind == pattern.KindMatch {
		spent(r.Job, env, before)
	}
	return a, err
}

// timed runs f, which answers r where c says, and notes how long it takes for later choices.
func (g gpu) timed(c decision, r *pattern.Request, f func() error) error {
	began := time.Now()
	err := f()
	if c.verdict != nil && err == nil {
		g.pool.Deferral.Took(c.verdict, r.Snapshot, time.Since(began).Seconds())
	}
	return err
}

// try runs f on the GPUs if choose sends r there. It returns false where the CPU is to answer: f has then sent nothing.
func (g gpu) try(r *pattern.Request, env *pattern.Env, f func(d *cuda.Group) error) (c decision, answered bool, err error) {
	c = g.choose(r, env.Workers, true)
	note := func(device string, why fmt.Stringer) {
		if !c.quiet {
			env.Tally.Answered(r.Kind, device, why)
		}
	}
	if !c.onGPU {
		if c.verdict != nil && c.verdict.StartBeside {
			g.pool.startBeside(g.choice.ordinal)
		}
		note("CPU", c.why)
		return c, false, nil
	}
	leave, err := g.pool.enter()
	if err != nil {
		return c, true, err
	}
	defer leave()
	d, err := g.group(r)
	if err != nil {
		if g.asked {
			return c, true, err
		}
		note("CPU", reason{err})
		return decision{}, false, nil
	}
	err = g.timed(c, r, func() error { return f(d) })
	if errors.Is(err, cuda.ErrDeclined) {
		note("CPU", reason{err})
		return decision{}, false, nil
	}
	if g.asked {
		c.why = nil
	}
	note(d.Name(), c.why)
	return c, true, err
}

// counter counts the parts of a formula, each on the device that choose sends it to.
type counter struct{ gpu }

// arraysGain is how many times more elements a GPU may go through than the CPU, which has ordered wedges of all kinds.
const arraysGain = 8

// CountHoms counts what h was given, as h.Count does.
func (c counter) CountHoms(ctx context.Context, s *csr.Snapshot, h *hom.Counter, env *pattern.Env) (n []pattern.Count128, err error) {
	plan, ok := h.ForDevice()
	if !ok || !c.asked && plan.Cost() > arraysGain*h.Cost() {
		return h.Count(ctx, env)
	}
	r := &pattern.Request{Kind: pattern.KindFormula, Snapshot: s, Formula: &pattern.FormulaRequest{Types: h.Types(), Elements: plan.Cost()}}
	choice, ok, err := c.try(r, env, func(d *cuda.Group) (err error) {
		n, err = d.CountHoms(ctx, s, h, env)
		return err
	})
	if !ok {
		err = c.timed(choice, r, func() (err error) {
			n, err = h.Count(ctx, env)
			return err
		})
	}
	return n, err
}

// CountCliques answers a KindCliqueCount.
func (c counter) CountCliques(ctx context.Context, s *csr.Snapshot, q *pattern.Clique, env *pattern.Env) (pattern.Count128, error) {
	a, err := c.Answer(ctx, &pattern.Request{Kind: pattern.KindCliqueCount, Snapshot: s, Clique: q}, env)
	return a.Count, err
}

// spent tells the filter what a search on a GPU went through, so that it builds signatures and depths once they are worth it: a row of
// neighbours for every match, partial ones included where they are counted.
func spent(j *pattern.Job, env *pattern.Env, before uint64) {
	s := j.Snapshot
	filter.SpentOnGPU(s, j.Pattern, (visited(env)-before)*(2*s.M()/max(1, s.N())+1))
}

func visited(env *pattern.Env) uint64 {
	if env.Tally == nil {
		return 0
	}
	return env.Tally.Partial.Load() + env.Tally.Embeddings.Load()
}

// opened returns the GPU of the query if some query has opened it already, or nil.
func (g gpu) opened() *cuda.Device {
	e := g.pool.entry(g.choice.ordinal)
	if !e.mu.TryLock() {
		return nil // it is starting
	}
	defer e.mu.Unlock()
	return e.device
}

// startBeside starts a GPU while the CPU goes on. If it does not start, a request that needs it says why.
func (p *Pool) startBeside(ordinal int) {
	e := p.entry(ordinal)
	go workgroup.Catch(func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		if e.device != nil {
			return
		}
		if d, err := cuda.Open(ordinal); err == nil && !p.keep(e, d) {
			d.Close()
		}
	})
}

// keep takes a GPU that has started beside the requests. It returns false once the pool is closed.
func (p *Pool) keep(e *openGPU, d *cuda.Device) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.closed {
		e.device = d
	}
	return !p.closed
}

// enter announces a request, and leave ends it. Close waits for it: rows that were closed may leave a query at work.
func (p *Pool) enter() (leave func(), err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, p.Closed
	}
	p.users.Add(1)
	return p.users.Done, nil
}

// group returns the GPUs that share r: all of them if the user asked for GPUs and named none; as many as pay if nobody asked; one
// where devices cannot share it. It starts them; one that does not start is missing if another one does.
func (g gpu) group(r *pattern.Request) (*cuda.Group, error) {
	c := g.choice
	n := 1
	if !c.one && cuda.Shares(r.Kind) {
		if there, err := cuda.Count(); err == nil {
			n = there
		}
		if c.kind == auto {
			n = cuda.Pays(n, r.Snapshot.M())
		}
	}
	if n == 1 {
		d, err := g.pool.start(c.ordinal)
		if err != nil {
			return nil, err
		}
		return cuda.NewGroup(d), nil
	}
	list, errs := make([]*cuda.Device, n), make([]error, n)
	var all workgroup.Group
	for i := range n {
		all.Go(func() { list[i], errs[i] = g.pool.start(i) })
	}
	all.Wait()
	if list = slices.DeleteFunc(list, func(d *cuda.Device) bool { return d == nil }); len(list) == 0 {
		return nil, errors.Join(errs...)
	}
	return cuda.NewGroup(list...), nil
}
