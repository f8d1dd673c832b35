package exec

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/planner"
)

// unitRunner runs units one after the other. It filters once.
type unitRunner struct {
	v         *Division
	x         *execution
	cancel    context.CancelCauseFunc
	leaf      *matchStage
	empty     bool // LIMIT 0 stands above the Match: units have no rows
	share     pattern.Share
	all       *pattern.Candidates // what the filter has found
	live      map[int]bool        // slots that the stages below the cut must set
	slots     []int               // these, rising
	groupTime time.Duration       // what it takes to put a group into a part, as far as is known
}

// newRunner builds the Match.
func (v *Division) newRunner() (*unitRunner, error) {
	r := &unitRunner{v: v, groupTime: perGroup}
	var ctx context.Context
	ctx, r.cancel = context.WithCancelCause(v.ctx)
	r.x = v.newExecution(ctx)
	if _, err := v.aboveLive(r.x, &port{}); err != nil {
		return nil, err
	}
	r.live = maps.Clone(r.x.compiler.Live)
	r.slots = slices.Sorted(maps.Keys(r.live))
	r.slots = slices.DeleteFunc(r.slots, func(slot int) bool { return !r.live[slot] })
	c, err := r.stages(&port{}, nil)
	if err == nil && c.noRows {
		r.empty = true
		c, err = r.x.makeChain(v.leaf, &port{}, nil)
	}
	if err != nil {
		return nil, err
	}
	r.leaf = c.outlets[0].match
	r.share.Scheme, r.share.Common = v.Scheme, &v.common
	return r, nil
}

// stages builds the stages of a unit above bottom; nil: with the Match.
func (r *unitRunner) stages(last stage, bottom planner.Node) (*chain, error) {
	x := r.x
	clear(x.compiler.Live)
	maps.Copy(x.compiler.Live, r.live)
	x.collectors = nil
	if r.v.lower == nil {
		if bottom != nil {
			return x.makeChain(nil, last, nil)
		}
		return x.makeChain(r.v.leaf, last, nil)
	}
	return x.makeChain(r.v.lower, last, bottom)
}

// end releases what r holds.
func (r *unitRunner) end() {
	r.cancel(nil)
	release(r.x)
}

// decide asks the device how the matches are divided.
func (r *unitRunner) decide() (*pattern.Scheme, error) {
	m := r.leaf
	if err := m.prepare(); err != nil {
		return nil, err
	}
	if m.clique != nil {
		return &pattern.Scheme{Route: pattern.RouteCliques, Domain: r.v.s.N(), Divisor: 1}, nil
	}
	q := &pattern.Request{Kind: pattern.KindDivide, Snapshot: m.job.Snapshot, Job: &m.job}
	if !r.v.leaf.Count {
		q.Sink = newStream(m)
	}
	if p := m.job.Pairs; p != nil {
		p.Told = [2]bool{r.v.tellsApart(r.x, p.Read[0]), r.v.tellsApart(r.x, p.Read[1])}
	}
	a, err := r.v.device.Answer(r.x.ctx, q, &m.env)
	if err != nil {
		return nil, err
	}
	a.Scheme.FormulaCost = max(m.job.Order.Cost, m.plan.Order.Cost)
	return a.Scheme, nil
}

// Prepare does what all units need first, so that the first of them can keep to its time: it filters, and makes the arrays of a formula. A new scheme
// thereby learns the plan of its formula. keep: a unit will use them. An error that leaves nothing unknown is the unit's, which will meet it again.
func (v *Division) Prepare(ctx context.Context, keep bool) error {
	if len(v.idle) > 0 { // Divide has done so
		if !keep {
			v.Close()
		}
		return nil
	}
	formula := v.Scheme.Route == pattern.RouteFormula || v.Scheme.Route == pattern.RouteGroups
	named := !formula || v.Scheme.Plan != ""
	if named && !keep {
		return nil
	}
	r, err := v.newRunner()
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { r.cancel(context.Cause(ctx)) })
	if err = r.ready(); err == nil {
		err = r.nothing()
	}
	if keep = stop() && err == nil && keep; keep {
		v.idle = append(v.idle, r)
	} else {
		r.end()
		v.common.Prepare(nil)
	}
	if named || ctx.Err() != nil {
		return ctx.Err()
	}
	return explain(err)
}

// nothing does a unit without numbers, of the routes that thereby do what all units need.
func (r *unitRunner) nothing() (err error) {
	if r.empty {
		return nil
	}
	r.share.Lo, r.share.Hi, r.leaf.job.Share = 0, 0, &r.share
	if c := r.leaf.clique; c != nil { // the kernel orders the graph
		c.clique.Ranks, c.clique.Due = new(pattern.RankRange), nil
	}
	switch route := r.v.Scheme.Route; {
	case route == pattern.RouteFormula, route == pattern.RouteGroups, route == pattern.RouteCliques && r.v.lower == nil:
		_, _, err = r.number()
	case route == pattern.RouteRoots, route == pattern.RouteCliques:
		t := &tally{unitRunner: r, part: &Part{}}
		if err = t.begin(); err == nil {
			err = t.work()
		}
		t.release()
	}
	return err
}

// first readies a runner that has done nothing yet. If no other one has prepared what all units need, it does so, while others wait.
func (r *unitRunner) first(ctx context.Context) error {
	v := r.v
	if r.leaf.ready || r.empty || v.common.Prepared() != nil || !v.prepares() {
		return nil
	}
	select {
	case v.making <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-v.making }()
	if v.common.Prepared() != nil {
		return nil
	}
	if err := r.ready(); err != nil {
		return err
	}
	return r.nothing()
}

// prepares reports whether a unit without numbers prepares something.
func (v *Division) prepares() bool {
	switch v.Scheme.Route {
	case pattern.RouteFormula, pattern.RouteGroups, pattern.RouteRoots, pattern.RouteCliques:
		return true
	}
	return false
}
