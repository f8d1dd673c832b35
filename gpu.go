//go:build cuda && cgo && linux

package motif

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/motifql/motif/filter"
	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/cuda"
)

// deviceNames are what the knob "device" is offered; cuda:N is known, too.
var deviceNames = []string{"auto", "cpu", "cuda"}

// gpus are the devices of a database, and what is kept for choosing between them and the CPU.
type gpus struct {
	devices
	ledger cuda.Ledger // of what queries have missed that chose by themselves
}

// gpu answers what a GPU has kernels for there, and the rest on the CPU. Choosing by itself, it also leaves to the CPU what
// would not gain by the way there and back (see package cuda's Worth).
type gpu struct {
	cpu
	enter   func() (leave func(), err error) // for the time of a request
	open    func() (*cuda.Device, error)
	share   func(edges uint64) (*cuda.Group, error) // for what can be dealt to several devices
	opened  func() *cuda.Device                     // nil: it is not open
	chosen  bool                                    // by the user: whatever has a kernel goes there
	workers int                                     // of a query, on the CPU
	ledger  *cuda.Ledger
}

func (g gpu) Name() string { return "GPU and CPU" }

// try runs f on the device if the request w, over a graph, is for it. It reports whether it was answered.
func try[T any](g gpu, s *csr.Snapshot, env *pattern.Env, w cuda.Work, f func(d *cuda.Device) (T, error)) (answer T, err error, answered bool) {
	return tryOn(g, s, env, w, g.open, f)
}

// tryAll is try for what several devices can share.
func tryAll[T any](g gpu, s *csr.Snapshot, env *pattern.Env, w cuda.Work, f func(d *cuda.Group) (T, error)) (answer T, err error, answered bool) {
	return tryOn(g, s, env, w, func() (*cuda.Group, error) { return g.share(s.M()) }, f)
}

func tryOn[D interface{ Name() string }, T any](g gpu, s *csr.Snapshot, env *pattern.Env, w cuda.Work, open func() (D, error), f func(d D) (T, error)) (answer T, err error, answered bool) {
	var why fmt.Stringer
	if !g.chosen {
		w.Workers = env.Workers
		v := g.ledger.Charge(g.opened().Weigh(w, s), w, s)
		if why = v; !v.GPU {
			env.Tally.Answered(w.What, "CPU", why)
			return answer, nil, false
		}
	}
	leave, err := g.enter()
	if err != nil {
		return answer, err, true
	}
	defer leave()
	d, err := open()
	if err != nil {
		if g.chosen {
			return answer, err, true
		}
		env.Tally.Answered(w.What, "CPU", failure{err})
		return answer, nil, false
	}
	answer, err = f(d)
	if errors.Is(err, cuda.ErrDeclined) {
		env.Tally.Answered(w.What, "CPU", failure{err})
		return answer, nil, false
	}
	env.Tally.Answered(w.What, d.Name(), why)
	return answer, err, true
}

// failure is an error that is a reason for PROFILE.
type failure struct{ error }

func (f failure) String() string { return f.Error() }

func (g gpu) Filter(ctx context.Context, s *csr.Snapshot, p *pattern.Pattern, env *pattern.Env) (*pattern.Candidates, error) {
	c, err, ok := try(g, s, env, cuda.Work{What: "filter", Items: filter.LabelCandidates(s, p)}, func(d *cuda.Device) (*pattern.Candidates, error) {
		return d.Filter(ctx, s, p, env)
	})
	if ok {
		return c, err
	}
	return g.cpu.Filter(ctx, s, p, env)
}

func (g gpu) CountCliques(ctx context.Context, s *csr.Snapshot, c *pattern.Clique, env *pattern.Env) (pattern.Count128, error) {
	n, err, ok := tryAll(g, s, env, cliquesWork(c), func(d *cuda.Group) (pattern.Count128, error) {
		if c.K == 3 && len(c.Sets) == 1 && c.Sets[0] == nil {
			n, _, err := d.Triangles(ctx, s, c.Types, false, env)
			return pattern.Count(n), err
		}
		return d.CountCliques(ctx, s, c, env)
	})
	if ok {
		return n, err
	}
	return g.cpu.CountCliques(ctx, s, c, env)
}

func (g gpu) ListCliques(ctx context.Context, s *csr.Snapshot, c *pattern.Clique, env *pattern.Env,
	emit func(clique []csr.VertexID) (more bool, err error)) error {
	w := cliquesWork(c)
	w.What = "lists of cliques"
	_, err, ok := try(g, s, env, w, func(d *cuda.Device) (struct{}, error) {
		return struct{}{}, d.ListCliques(ctx, s, c, env, emit)
	})
	if ok {
		return err
	}
	return g.cpu.ListCliques(ctx, s, c, env, emit)
}

// cliquesWork is a request for cliques as the model sees it.
func cliquesWork(c *pattern.Clique) cuda.Work {
	w := cuda.Work{What: "cliques", K: c.K, Types: c.Types}
	if len(c.Sets) == 1 {
		w.Within = c.Sets[0]
	}
	return w
}

func (g gpu) Triangles(ctx context.Context, s *csr.Snapshot, types csr.TypeSet, perNode bool, env *pattern.Env) (uint64, []uint64, error) {
	type counts struct {
		total uint64
		by    []uint64
	}
	n, err, ok := tryAll(g, s, env, cuda.Work{What: "triangles", Types: types}, func(d *cuda.Group) (counts, error) {
		total, by, err := d.Triangles(ctx, s, types, perNode, env)
		return counts{total, by}, err
	})
	if ok {
		return n.total, n.by, err
	}
	return g.cpu.Triangles(ctx, s, types, perNode, env)
}

func (g gpu) Cores(ctx context.Context, s *csr.Snapshot, r *pattern.CoreRequest, env *pattern.Env) (*pattern.Cores, error) {
	c, err, ok := try(g, s, env, cuda.Work{What: "cores", Types: r.Types, Direction: r.Direction, Within: r.Within}, func(d *cuda.Device) (*pattern.Cores, error) { return d.Cores(ctx, s, r, env) })
	if ok {
		return c, err
	}
	return g.cpu.Cores(ctx, s, r, env)
}

func (g gpu) Trusses(ctx context.Context, s *csr.Snapshot, r *pattern.TrussRequest, env *pattern.Env) (*pattern.Trusses, error) {
	t, err, ok := try(g, s, env, cuda.Work{What: "trusses", Types: r.Types, Within: r.Within}, func(d *cuda.Device) (*pattern.Trusses, error) { return d.Trusses(ctx, s, r, env) })
	if ok {
		return t, err
	}
	return g.cpu.Trusses(ctx, s, r, env)
}

func (g gpu) BFS(ctx context.Context, s *csr.Snapshot, t *pattern.Traversal, env *pattern.Env) (*pattern.Levels, error) {
	l, err, ok := try(g, s, env, cuda.Work{What: "breadth-first search", Types: t.Types, Direction: t.Direction}, func(d *cuda.Device) (*pattern.Levels, error) { return d.BFS(ctx, s, t, env) })
	if ok {
		return l, err
	}
	return g.cpu.BFS(ctx, s, t, env)
}

func (g gpu) Components(ctx context.Context, s *csr.Snapshot, r *pattern.ComponentRequest, env *pattern.Env) (*pattern.Components, error) {
	w := cuda.Work{What: "components", Types: r.Types, Direction: csr.Both, Within: r.Within}
	c, err, ok := try(g, s, env, w, func(d *cuda.Device) (*pattern.Components, error) { return d.Components(ctx, s, r, env) })
	if ok {
		return c, err
	}
	return g.cpu.Components(ctx, s, r, env)
}

func (g gpu) Diameter(ctx context.Context, s *csr.Snapshot, r *pattern.DiameterRequest, env *pattern.Env) (*pattern.Diameter, error) {
	d, err, ok := try(g, s, env, cuda.Work{What: "diameter", Types: r.Types, Direction: r.Direction, Within: r.Within}, func(d *cuda.Device) (*pattern.Diameter, error) { return d.Diameter(ctx, s, r, env) })
	if ok {
		return d, err
	}
	return g.cpu.Diameter(ctx, s, r, env)
}

// opened is a device that some query has asked for already, or nil.
func (g *gpus) opened(ordinal int) *cuda.Device {
	e := g.entry(ordinal)
	if !e.mu.TryLock() {
		return nil // it is starting
	}
	defer e.mu.Unlock()
	return e.device
}

// enter announces a request, which close waits for, and leave ends it: rows that were closed may leave a query at work.
func (g *gpus) enter() (leave func(), err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return nil, ErrClosed
	}
	g.users.Add(1)
	return g.users.Done, nil
}

// withGPU is the device of a query.
func withGPU(g *gpus, c deviceChoice, workers int) pattern.Device {
	return gpu{enter: g.enter, open: func() (*cuda.Device, error) { return g.device(c.ordinal) },
		share: func(edges uint64) (*cuda.Group, error) { return sharing(g, c, edges) }, opened: func() *cuda.Device { return g.opened(c.ordinal) },
		chosen: c.kind == cudaDevice, workers: workers, ledger: &g.ledger}
}

// sharing is the devices that a request over so many relationships is dealt to: all, if the query did not ask for a certain one, or as
// many as are worth it, if it asked for none. Devices that do not start are left out if one does.
func sharing(g *gpus, c deviceChoice, edges uint64) (*cuda.Group, error) {
	n := 1
	if !c.one {
		if there, err := cuda.Count(); err == nil {
			n = there
		}
		if c.kind == anyDevice {
			n = cuda.Pays(n, edges)
		}
	}
	if n == 1 {
		d, err := g.device(c.ordinal)
		if err != nil {
			return nil, err
		}
		return cuda.NewGroup(d), nil
	}
	list, errs := make([]*cuda.Device, n), make([]error, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { list[i], errs[i] = g.device(i) })
	}
	all.Wait()
	if list = slices.DeleteFunc(list, func(d *cuda.Device) bool { return d == nil }); len(list) == 0 {
		return nil, errors.Join(errs...)
	}
	return cuda.NewGroup(list...), nil
}
