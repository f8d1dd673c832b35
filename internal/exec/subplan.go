package exec

import (
	"math"
	"math/bits"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/eval"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/lang"
	"github.com/motifql/motif/planner"
)

// subquery runs the sub-plan of an expression.
type subquery struct {
	*chain
	plan    *planner.SubPlan
	locals  []eval.Func // computes what goes into plan.Locals
	account *eval.Account

	rows uint64
	list []value.Value

	cache         value.Value   // the value on cacheSnapshot, if plan.Same
	cacheSnapshot *csr.Snapshot // nil before the first run; a query that writes changes it
}

// Subplan implements eval.Subplans.
func (x *execution) Subplan(of lang.Expr) *planner.SubPlan { return x.plan.Subs[of] }

// Subquery implements eval.Subplans. It builds the chain of a subquery, which runs for every row that asks.
func (x *execution) Subquery(c *eval.Compiler, sub *planner.SubPlan, of lang.Expr) (eval.Func, error) {
	s := &subquery{plan: sub, account: eval.NewAccount(x.pattern.Memory, "a subquery")}
	x.accounts = append(x.accounts, s.account)
	for _, l := range sub.Locals {
		k, err := c.Compile(&lang.Var{Pos: of.Position(), Name: l.Name})
		if err != nil {
			return nil, err
		}
		s.locals = append(s.locals, k.Fn)
	}
	sets := []int{}
	if sub.Kind == planner.SubValue || sub.Kind == planner.SubCollect {
		if !c.Live[sub.Slot] {
			sets = append(sets, sub.Slot)
		}
		c.Live[sub.Slot] = true
	}
	var err error
	s.chain, err = x.innerChain(sub.Root, &port{s.give}, sets)
	if err != nil {
		return nil, err
	}
	for _, l := range sub.Locals {
		delete(c.Live, l.Slot)
	}
	s.chain.node = sub
	x.host.subs = append(x.host.subs, s.chain)
	return s.value, nil
}

// give takes a row from the chain.
func (s *subquery) give(mult uint64) (bool, error) {
	s.rows = addSaturated(s.rows, mult)
	switch s.plan.Kind {
	case planner.SubExists:
		return false, nil
	case planner.SubCollect:
		v := s.x.row[s.plan.Slot]
		for ; mult > 0; mult-- {
			s.account.Rows++
			err := s.account.Charge(v.Bytes() - 24)
			if err == nil {
				s.list, err = eval.Append(s.account, s.list, v)
			}
			if err != nil {
				return false, err
			}
		}
	case planner.SubValue:
		s.list = append(s.list[:0], s.x.row[s.plan.Slot])
		return false, nil
	}
	return true, nil
}

// value runs the chain. It runs once for all rows if they all get the same value.
func (s *subquery) value(e *eval.Input) (v value.Value, err error) {
	if s.plan.Same && s.cacheSnapshot == s.x.s {
		return s.cache, nil
	}
	for i, fn := range s.locals {
		v, err := fn(e)
		if err != nil {
			return v, err
		}
		s.x.row[s.plan.Locals[i].Slot] = v
	}
	if v, err = s.drain(); err == nil && s.plan.Same {
		s.cache, s.cacheSnapshot = v, s.x.s
	}
	return v, err
}

// drain turns the rows of the chain into one value.
func (s *subquery) drain() (v value.Value, err error) {
	s.rows, s.list = 0, nil
	s.account.Release()
	s.account.Rows = 0
	if err := s.run(); err != nil {
		return v, err
	}
	switch s.plan.Kind {
	case planner.SubExists:
		return value.OfBool(s.rows > 0), nil
	case planner.SubCount:
		if s.rows > math.MaxInt64 {
			return v, eval.Overflow("the number of rows")
		}
		return value.OfInt(int64(s.rows)), nil
	case planner.SubValue:
		return s.list[0], nil
	}
	return value.OfList(s.list), nil
}

// times multiplies two numbers of equal rows.
func times(a, b uint64) (uint64, error) {
	hi, n := bits.Mul64(a, b)
	if hi != 0 {
		return 0, eval.Overflow("the number of equal rows")
	}
	return n, nil
}
