package eval

import (
	"fmt"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/lang"
	"github.com/motifql/motif/planner"
)

// subplan compiles EXISTS { }, COUNT { }, COLLECT { }, a pattern comprehension or a pattern as a predicate.
func (c *Compiler) subplan(x lang.Expr) (Closure, error) {
	var sub *planner.SubPlan
	if c.Plans != nil {
		sub = c.Plans.Subplan(x)
	}
	switch {
	case sub == nil:
		return Closure{}, &Error{Code: CodeInternal, Msg: fmt.Sprintf("the plan lacks a %T", x), Pos: x.Position()}
	case sub.Hop != nil:
		return c.hop(sub.Hop, x)
	case c.worker:
		return Closure{}, &Error{Code: CodeInternal, Msg: "a subquery cannot be tested inside of a pattern", Pos: x.Position()}
	}
	run, err := c.Plans.Subquery(c, sub, x)
	if err != nil {
		return Closure{}, err
	}
	return Closure{Fn: func(e *Input) (value.Value, error) {
		v, err := run(e)
		return v, At(x.Position(), err)
	}}, nil
}

// hop compiles the test whether a relationship exists. It reads only the snapshot, so workers may run it.
func (c *Compiler) hop(h *planner.Hop, x lang.Expr) (Closure, error) {
	from, err := c.Compile(&lang.Var{Pos: x.Position(), Name: h.From})
	if err != nil {
		return from, err
	}
	to := Closure{}
	if h.To != "" {
		if to, err = c.Compile(&lang.Var{Pos: x.Position(), Name: h.To}); err != nil {
			return to, err
		}
	}
	s := c.Snapshot
	adj, err := s.View(c.Ctx, h.Types, h.Direction)
	if err != nil {
		return Closure{}, err
	}
	return Closure{Fn: func(e *Input) (value.Value, error) {
		v, ok, err := nodeOf(from, e, x)
		if err != nil || !ok || !labelled(s, h.Labels[0], v) {
			return value.OfBool(false), err
		}
		if to.Fn != nil {
			w, ok, err := nodeOf(to, e, x)
			return value.OfBool(ok && labelled(s, h.Labels[1], w) && adj.Has(v, w)), err
		}
		near := adj.Neighbours(v)
		if h.Labels[1] == nil {
			return value.OfBool(len(near) > 0), nil
		}
		for _, w := range near {
			if labelled(s, h.Labels[1], w) {
				return value.OfBool(true), nil
			}
		}
		return value.OfBool(false), nil
	}}, nil
}

func labelled(s *csr.Snapshot, l *pattern.Label, v csr.VertexID) bool {
	return l == nil || l.Admits(s.LabelsOf(v))
}

// nodeOf returns the node that a pattern starts from. ok is false for null, which has no matches.
func nodeOf(of Closure, e *Input, x lang.Expr) (csr.VertexID, bool, error) {
	v, err := of.Fn(e)
	switch {
	case err != nil || Absent(v):
		return 0, false, err
	case v.Kind() != value.Node:
		return 0, false, At(x.Position(), Errorf(CodeArgumentType, "the pattern starts from %s where a node should be", Describe(v)))
	}
	return v.Node(), true, nil
}
