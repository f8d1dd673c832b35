package exec

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/lang"
	"github.com/motifql/motif/planner"
)

// subquery is the sub-plan of an expression.
type subquery struct {
	*chain
	plan   *planner.SubPlan
	locals []eval // their values go into plan.Locals
	held   *holding

	rows uint64
	list []value.Value

	known value.Value   // of plan.Same: for graph at, which is nil before the first run
	at    *csr.Snapshot // the graph changes in a query that writes
}

// subPlan compiles EXISTS { }, COUNT { }, COLLECT { }, a pattern comprehension or a pattern as a predicate.
func (c *compiler) subPlan(x lang.Expr) (compiled, error) {
	sub := c.x.plan.Subs[x]
	switch {
	case sub == nil:
		return compiled{}, &Error{Code: codeInternal, Msg: fmt.Sprintf("the plan lacks a %T", x), Pos: x.Position()}
	case sub.Hop != nil:
		return c.hop(sub.Hop, x)
	case c.pattern:
		return compiled{}, &Error{Code: codeInternal, Msg: "a subquery cannot be tested inside of a pattern", Pos: x.Position()}
	}
	s := &subquery{plan: sub, held: &holding{memory: c.x.pattern.Memory, op: "a subquery"}}
	c.x.holdings = append(c.x.holdings, s.held)
	for _, l := range sub.Locals {
		k, err := c.compile(&lang.Var{Pos: x.Position(), Name: l.Name})
		if err != nil {
			return k, err
		}
		s.locals = append(s.locals, k.fn)
	}
	sets := []int{}
	if sub.Kind == planner.SubValue || sub.Kind == planner.SubCollect {
		if !c.used[sub.Slot] {
			sets = append(sets, sub.Slot)
		}
		c.used[sub.Slot] = true
	}
	var err error
	s.chain, err = c.x.innerChain(sub.Root, &port{s.give}, sets)
	if err != nil {
		return compiled{}, err
	}
	for _, l := range sub.Locals {
		delete(c.used, l.Slot)
	}
	s.chain.node = sub
	c.x.host.subs = append(c.x.host.subs, s.chain)
	return compiled{fn: func(e *env) (value.Value, error) {
		v, err := s.value(e)
		return v, at(x.Position(), err)
	}}, nil
}

// give takes a row of the chain.
func (s *subquery) give(mult uint64) (bool, error) {
	s.rows = addSaturated(s.rows, mult)
	switch s.plan.Kind {
	case planner.SubExists:
		return false, nil
	case planner.SubCollect:
		v := s.x.row[s.plan.Slot]
		for ; mult > 0; mult-- {
			s.held.rows++
			if err := s.held.grow(v.Bytes()); err != nil {
				return false, err
			}
			s.list = append(s.list, v)
		}
	case planner.SubValue:
		s.list = append(s.list[:0], s.x.row[s.plan.Slot])
		return false, nil
	}
	return true, nil
}

// value runs the chain, once for all rows where it always gives the same.
func (s *subquery) value(e *env) (v value.Value, err error) {
	if s.plan.Same && s.at == s.x.s {
		return s.known, nil
	}
	for i, fn := range s.locals {
		v, err := fn(e)
		if err != nil {
			return v, err
		}
		s.x.row[s.plan.Locals[i].Slot] = v
	}
	if v, err = s.drain(); err == nil && s.plan.Same {
		s.known, s.at = v, s.x.s
	}
	return v, err
}

// drain makes one value of all that the chain gives.
func (s *subquery) drain() (v value.Value, err error) {
	s.rows, s.list = 0, nil
	s.held.release()
	s.held.rows = 0
	if err := s.run(); err != nil {
		return v, err
	}
	switch s.plan.Kind {
	case planner.SubExists:
		return value.OfBool(s.rows > 0), nil
	case planner.SubCount:
		if s.rows > math.MaxInt64 {
			return v, overflow("the number of rows")
		}
		return value.OfInt(int64(s.rows)), nil
	case planner.SubValue:
		return s.list[0], nil
	}
	return value.OfList(s.list), nil
}

// times is a product of numbers of equal rows.
func times(a, b uint64) (uint64, error) {
	hi, n := bits.Mul64(a, b)
	if hi != 0 {
		return 0, overflow("the number of equal rows")
	}
	return n, nil
}

// hop compiles the look-up of a relationship. It reads the snapshot only, so that workers may evaluate it.
func (c *compiler) hop(h *planner.Hop, x lang.Expr) (compiled, error) {
	from, err := c.compile(&lang.Var{Pos: x.Position(), Name: h.From})
	if err != nil {
		return from, err
	}
	to := compiled{}
	if h.To != "" {
		if to, err = c.compile(&lang.Var{Pos: x.Position(), Name: h.To}); err != nil {
			return to, err
		}
	}
	adj, err := c.s.View(c.x.ctx, h.Types, h.Direction)
	if err != nil {
		return compiled{}, err
	}
	return compiled{fn: func(e *env) (value.Value, error) {
		v, ok, err := nodeOf(from, e, x)
		if err != nil || !ok || !labelled(c.s, h.Labels[0], v) {
			return value.OfBool(false), err
		}
		if to.fn != nil {
			w, ok, err := nodeOf(to, e, x)
			return value.OfBool(ok && labelled(c.s, h.Labels[1], w) && adj.Has(v, w)), err
		}
		near := adj.Neighbours(v)
		if h.Labels[1] == nil {
			return value.OfBool(len(near) > 0), nil
		}
		for _, w := range near {
			if labelled(c.s, h.Labels[1], w) {
				return value.OfBool(true), nil
			}
		}
		return value.OfBool(false), nil
	}}, nil
}

func labelled(s *csr.Snapshot, l *pattern.Label, v csr.VertexID) bool {
	return l == nil || l.Admits(s.LabelsOf(v))
}

// nodeOf is the node that a pattern starts from; null has no matches.
func nodeOf(of compiled, e *env, x lang.Expr) (csr.VertexID, bool, error) {
	v, err := of.fn(e)
	switch {
	case err != nil || absent(v):
		return 0, false, err
	case v.Kind() != value.Node:
		return 0, false, at(x.Position(), fail(codeArgumentType, "the pattern starts from %s where a node should be", a(v)))
	}
	return v.Node(), true, nil
}
