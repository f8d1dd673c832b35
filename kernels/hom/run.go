package hom

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/motifql/motif/internal/workgroup"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/triangle"
)

// execution is one call of Count.
type execution struct {
	*Counter
	ctx     context.Context
	env     *pattern.Env
	stop    atomic.Bool
	late    atomic.Bool // it is time to end the portion
	mu      sync.Mutex
	err     error
	charges atomic.Int64
	scratch int64 // the part of charges that no later portion needs
}

// Count returns the number of homomorphisms of each added graph, in order. It fails with pattern.ErrOverflow if an intermediate number
// exceeds 64 bits or a result 128, with pattern.ErrMemory, or within milliseconds with the context's error.
func (h *Counter) Count(ctx context.Context, env *pattern.Env) ([]pattern.Count128, error) {
	counts, err := h.run(ctx, env)
	over := errors.Is(err, pattern.ErrOverflow) || errors.Is(err, pattern.ErrMemory)
	if over && h.portion == nil && len(h.rooted) == 0 && beyondArrays(h) {
		if plain, ok := h.Arrays(); ok { // its bounds are others, and so are its arrays
			return plain.run(ctx, env)
		}
	}
	return counts, err
}

func (h *Counter) run(ctx context.Context, env *pattern.Env) ([]pattern.Count128, error) {
	r := &execution{Counter: h, ctx: ctx, env: env}
	defer context.AfterFunc(ctx, func() { r.stop.Store(true) })()
	defer func() { env.Memory.Release(r.charges.Load()) }()
	if h.portion != nil {
		h.portion.fresh = false
	}
	if r.divides() && !divisible(h) {
		if !r.first() {
			return make([]pattern.Count128, len(h.graphs)), ctx.Err()
		}
		of := *h.portion
		h.portion = nil
		defer func() { h.portion = &of }()
	}
	if r.portion != nil {
		defer lateAt(r, r.portion.until)()
	}
	err := r.hold()
	if err == nil && !(r.portion.byRoot() && r.portion.ready) {
		err = r.count()
	}
	if err == nil {
		err = r.root()
	}
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	r.keep()
	return h.products(r.sums())
}

// sums lists the numbers of the slots.
func (r *execution) sums() []pattern.Count128 {
	sums := make([]pattern.Count128, len(r.slots))
	for i := range r.slots {
		sums[i] = r.slots[i].value
	}
	return sums
}

func (r *execution) count() error {
	if err := r.cyclicGraphs(); err != nil {
		return err
	}
	if err := supportPortions(r); err != nil {
		return err
	}
	for _, p := range r.inOrder() {
		if err := r.pass(p); err != nil {
			return err
		}
		for _, o := range p.outs {
			o.done = o.done || r.divides() && !r.skips(p, o)
		}
	}
	if err := fanPortions(r); err != nil {
		return err
	}
	for i := range r.slots {
		s := &r.slots[i]
		switch {
		case s.cyclic != nil, s.byPair && r.divides():
			continue
		case s.out != nil:
			s.value = r.totalOf(s.out)
			continue
		}
		if err := r.ready(s.static); err != nil {
			return err
		}
		if r.divides() {
			s.value = r.portionTotal(s.static)
		} else {
			s.value = s.static.total(r.Counter)
		}
	}
	return nil
}

// pass runs a pass over the values of its pivot.
func (r *execution) pass(p *passPlan) error {
	for _, n := range p.nodes {
		if err := r.prepare(n); err != nil {
			return err
		}
	}
	for _, a := range p.accs {
		if err := r.build(a.rows); err != nil {
			return err
		}
	}
	if p.second != nil {
		if err := r.build(p.second); err != nil {
			return err
		}
	}
	search, err := r.outputs(p)
	if err != nil {
		return err
	}
	if !search {
		return nil
	}
	pivots := int(r.s.N())
	var list []csr.VertexID
	if c := r.sets[p.set]; c != nil {
		list, pivots = c.List(), c.Len()
	}
	list, from, to := r.pivotRange(p, list, pivots)
	if from >= to {
		return nil
	}
	if t := r.env.Tally; t != nil {
		t.Units.Add(uint64(to - from))
		defer func() { t.UnitsDone.Add(uint64(to - from)) }()
	}
	many := max(1, min(r.env.Workers, (to-from)/minPivots))
	last := r.portion.lasts(p)
	keep := many == 1 && (last || r.divides() && !p.kept())
	if before := r.charges.Load(); !keep {
		defer func() { r.scratch += r.charges.Load() - before }()
	}
	x := &pivotLoop{p: p, outs: sought(r, p), list: list, from: from, to: to, taken: pivotsTaken, mayEnd: !p.kept() && r.portion.mayEnd() || last && !r.portion.until.IsZero()}
	if x.mayEnd {
		x.taken = 1
	}
	x.next.Store(int64(from))
	workers := workgroup.Group{Stop: func() { r.stop.Store(true) }}
	for range many {
		workers.Go(func() { r.work(x, keep) })
	}
	workers.Wait()
	if x.mayEnd {
		next := int(min(x.next.Load(), int64(to)))
		r.portion.end(x.value(next-1), x.value(next))
	}
	return r.err
}

// pivotLoop is a loop over values of a pivot: the places [from, to) of list, or these numbers where list is nil.
type pivotLoop struct {
	p        *passPlan
	outs     []int // the numbers sought
	list     []csr.VertexID
	from, to int
	next     atomic.Int64 // the first place that nobody has taken
	taken    int          // places that a worker takes at a time
	mayEnd   bool         // it ends when the portion should
}

// value returns the value at a place; beyond the last one, a number above all.
func (x *pivotLoop) value(i int) csr.VertexID {
	switch {
	case i >= x.to:
		return csr.NoVertex
	case x.list != nil:
		return x.list[i]
	}
	return csr.VertexID(i)
}

// sought lists the numbers that the arrays of a pass are for.
func sought(r *execution, p *passPlan) (outs []int) {
	for i, o := range p.outs {
		if o.arrays() && !r.skips(p, o) {
			outs = append(outs, i)
		}
	}
	return outs
}

// outputs prepares the outputs of a pass, and computes those that need no arrays. search reports whether there are others.
func (r *execution) outputs(p *passPlan) (search bool, err error) {
	for _, o := range p.outs {
		if r.skips(p, o) {
			continue
		}
		if err := r.ready(o.own); err != nil {
			return false, err
		}
		if o.mate != nil {
			if err := r.ready(o.mate); err != nil {
				return false, err
			}
		}
		if o.total = (pattern.Count128{}); o.keep {
			if err := makeNumbers(r, p, o); err != nil {
				return false, err
			}
		}
		switch {
		case o.fan != nil && r.divides() && !o.keep: // fanPortions
		case o.fan != nil:
			err = r.triangles(o)
		case o.cycle != nil:
			err = r.cycle(o)
		default:
			search = true
		}
		if err != nil {
			return false, err
		}
	}
	return search, nil
}

// triangles computes the numbers of o by package triangle.
func (r *execution) triangles(o *outputPlan) error {
	total, by, err := triangle.Count(r.ctx, r.s, *o.fan, o.keep || o.own.each != nil, r.env)
	if err != nil {
		return err
	}
	if by == nil {
		o.total, err = pattern.Count(total).Mul(6)
		return err
	}
	for v, n := range by {
		x, err := pattern.Count(o.own.at(csr.VertexID(v))).Mul(2 * n)
		if err == nil {
			o.total, err = o.total.Add(x)
		}
		if o.keep {
			o.each[v] = 2 * n
		}
		if err != nil {
			return err
		}
	}
	return nil
}

const (
	minPivots   = 1 << 9 // values that repay starting a worker
	pivotsTaken = 16     // values that a worker takes at a time, unless it may have to stop after each
)

func (r *execution) prepare(n *nodePlan) error {
	for _, rows := range []*rowsPlan{n.rows, n.also} {
		if rows != nil {
			if err := r.build(rows); err != nil {
				return err
			}
		}
	}
	if n.own != nil {
		if err := r.ready(n.own); err != nil {
			return err
		}
	}
	for i := range n.feeds {
		if n.feeds[i].acc < 0 {
			if err := r.build(n.feeds[i].rows); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *execution) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil {
		r.err = err
	}
	r.stop.Store(true)
}

// work takes values of the pivot until none is left. keep: its arrays are those of the portion.
func (r *execution) work(x *pivotLoop, keep bool) {
	p := x.p
	begin := newWorker
	if keep {
		begin = keptWorker
	}
	w, err := begin(r, p)
	if err != nil {
		r.fail(err)
		return
	}
	w.outs = x.outs
	for !r.stop.Load() {
		if next := x.next.Load(); x.mayEnd && next > int64(x.from) && r.late.Load() && x.value(int(next)) >= r.portion.least {
			break
		}
		from := int(x.next.Add(int64(x.taken))) - x.taken
		if from >= x.to {
			break
		}
		for i := from; i < min(x.to, from+x.taken) && !r.stop.Load(); i++ {
			if err := w.pivot(x.value(i)); err != nil {
				r.fail(err)
				return
			}
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, o := range p.outs {
		total, err := o.total.Add(w.totals[i])
		if o.total = total; err != nil && r.err == nil {
			r.err = err
		}
	}
}
