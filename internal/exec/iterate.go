package exec

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/lang"
)

// The expressions that bind variables of their own: list comprehensions, all, any, none and single, and reduce.

// bind compiles x while name stands for a new local variable, whose place it returns.
func (c *compiler) bind(name string, compile func() error) (place int, err error) {
	place = c.locals
	before, hidden := c.vars[name]
	c.vars[name] = variable{inLocal, place}
	c.locals++
	err = compile()
	c.locals--
	if hidden {
		c.vars[name] = before
	} else {
		delete(c.vars, name)
	}
	return place, err
}

// set gives a local variable a value.
func (e *env) set(place int, v value.Value) {
	for len(e.locals) <= place {
		e.locals = append(e.locals, value.Value{})
	}
	e.locals[place] = v
}

// pollEvery is how many steps of a loop are made between two looks at whether the query has been cancelled.
const pollEvery = 1024

// poll returns an error at some steps of a loop if the query has been cancelled.
func (c *compiler) poll(i int) error {
	if i%pollEvery != pollEvery-1 || c.ctx == nil {
		return nil
	}
	return context.Cause(c.ctx)
}

// room tells whether a value of n bytes has room in the memory budget.
func (c *compiler) room(n int64) error {
	err := c.memory.Grow(n)
	_ = c.memory.Grow(-n)
	if errors.Is(err, pattern.ErrMemory) || n > maxValue {
		return tooLarge(n)
	}
	return err
}

// maxValue is how many bytes one value may take at most, and maxJoined how many one that + makes: what a query doubles again and
// again is stopped before it has taken a second.
const (
	maxValue  = 1 << 34
	maxJoined = 1 << 28
)

// roomToJoin is room for what + makes; short ones are not asked for.
func (c *compiler) roomToJoin(n int) error {
	switch {
	case n < 1<<16:
		return nil
	case n > maxJoined:
		return tooLarge(int64(n))
	}
	return c.room(int64(n))
}

func tooLarge(n int64) error {
	return &Error{Code: codeMemory, Err: pattern.ErrMemory, Msg: fmt.Sprintf("%v: one value takes about %s", pattern.ErrMemory, byteSize(n)),
		Hint: "make shorter lists and strings, or raise the memory budget"}
}

// elementsOf is the list that a comprehension goes through; of null there is none.
func elementsOf(v value.Value, what string) ([]value.Value, error) {
	switch v.Kind() {
	case value.List:
		return v.List(), nil
	case value.Null:
		return nil, nil
	}
	return nil, fail(codeArgumentType, "%s goes through a list, not %s", what, a(v))
}

// freeReads is what expressions read that is not constant.
type freeReads struct {
	row   bool // a variable of the row or the match, a subquery, or a function that gives another value each time
	local int  // the local variable that the outermost of the expressions around binds; noLocal for none
}

const noLocal = math.MaxInt

// closed compiles an expression that binds variables. If it reads no others and nothing that changes it is computed once and for all.
func (c *compiler) closed(build func() (eval, error)) (compiled, error) {
	outer := c.reads
	c.reads = freeReads{local: noLocal}
	fn, err := build()
	inner := c.reads
	c.reads = freeReads{outer.row || inner.row, outer.local}
	if inner.local < c.locals {
		c.reads.local = min(outer.local, inner.local)
	}
	if err != nil {
		return compiled{}, err
	}
	if !inner.row && inner.local >= c.locals {
		if v, err := fn(&env{}); err == nil {
			return constant(v), nil
		}
	}
	return compiled{fn: fn}, nil
}

// listComprehension is [x IN list WHERE cond | map].
func (c *compiler) listComprehension(x *lang.ListComprehension) (eval, error) {
	list, err := c.compile(x.List)
	if err != nil {
		return nil, err
	}
	var where, out compiled
	place, err := c.bind(x.Var.Text, func() (err error) {
		if x.Where != nil {
			if where, err = c.compile(x.Where); err != nil {
				return err
			}
		}
		if x.Map != nil {
			out, err = c.compile(x.Map)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return func(e *env) (value.Value, error) {
		v, err := list.fn(e)
		if err != nil || v.IsNull() {
			return v, err
		}
		from, err := elementsOf(v, "a list comprehension")
		if err != nil {
			return v, at(x.Pos, err)
		}
		var to []value.Value
		for i, v := range from {
			if err := c.grown(i, len(to)); err != nil {
				return v, at(x.Pos, err)
			}
			e.set(place, v)
			if where.fn != nil {
				w, err := where.fn(e)
				if err != nil {
					return w, err
				}
				if keep, err := holds(w, x.Where); err != nil || !keep {
					if err != nil {
						return w, err
					}
					continue
				}
			}
			if out.fn != nil {
				if v, err = out.fn(e); err != nil {
					return v, err
				}
			}
			to = append(to, v)
		}
		return value.OfList(to), nil
	}, nil
}

// grown polls, and looks whether a list of n values, which grows, still has room.
func (c *compiler) grown(step, n int) error {
	if step%pollEvery != pollEvery-1 {
		return nil
	}
	if err := c.room(24 * int64(n)); err != nil {
		return err
	}
	return c.poll(step)
}

// quantifier is all, any, none or single, in three-valued logic: a condition that is null may be either.
func (c *compiler) quantifier(x *lang.Quantifier) (eval, error) {
	list, err := c.compile(x.List)
	if err != nil {
		return nil, err
	}
	var where compiled
	place, err := c.bind(x.Var.Text, func() (err error) {
		where, err = c.compile(x.Where)
		return err
	})
	if err != nil {
		return nil, err
	}
	return func(e *env) (value.Value, error) {
		v, err := list.fn(e)
		if err != nil || v.IsNull() {
			return v, err
		}
		from, err := elementsOf(v, x.Kind+"()")
		if err != nil {
			return v, at(x.Pos, err)
		}
		var n tally
		for i, v := range from {
			if err := c.poll(i); err != nil {
				return v, err
			}
			e.set(place, v)
			w, err := where.fn(e)
			if err != nil {
				return w, err
			}
			b, known, err := truth(w, lang.Op(x.Kind+"()"))
			if err != nil {
				return w, at(x.Where.Position(), err)
			}
			n.add(b, known)
			if n.decides(x.Kind) {
				break
			}
		}
		return n.result(x.Kind), nil
	}, nil
}

// tally counts the answers of a condition.
type tally struct{ yes, no, unknown int }

func (t *tally) add(b, known bool) {
	switch {
	case !known:
		t.unknown++
	case b:
		t.yes++
	default:
		t.no++
	}
}

// decides tells whether more answers cannot change the result.
func (t *tally) decides(kind string) bool {
	switch kind {
	case "all":
		return t.no > 0
	case "single":
		return t.yes > 1
	}
	return t.yes > 0
}

func (t *tally) result(kind string) value.Value {
	switch kind {
	case "all":
		return logic(t.no == 0, t.no > 0 || t.unknown == 0)
	case "any":
		return logic(t.yes > 0, t.yes > 0 || t.unknown == 0)
	case "none":
		return logic(t.yes == 0, t.yes > 0 || t.unknown == 0)
	}
	return logic(t.yes == 1, t.yes > 1 || t.unknown == 0)
}

// reduce is reduce(acc = init, x IN list | step).
func (c *compiler) reduce(x *lang.Reduce) (eval, error) {
	fns, _, err := c.all([]lang.Expr{x.Init, x.List})
	if err != nil {
		return nil, err
	}
	var step compiled
	var item int
	acc, err := c.bind(x.Acc.Text, func() (err error) {
		item, err = c.bind(x.Var.Text, func() (err error) {
			step, err = c.compile(x.Step)
			return err
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	return func(e *env) (value.Value, error) {
		v, err := fns[0](e)
		if err != nil {
			return v, err
		}
		l, err := fns[1](e)
		if err != nil || l.IsNull() {
			return l, err
		}
		from, err := elementsOf(l, "reduce()")
		if err != nil {
			return l, at(x.Pos, err)
		}
		for i, w := range from {
			if err := c.poll(i); err != nil {
				return v, err
			}
			e.set(acc, v)
			e.set(item, w)
			if v, err = step.fn(e); err != nil {
				return v, err
			}
		}
		return v, nil
	}, nil
}

// mapProjection is of{.key, .*, key: value, name}. Of keys that come twice the last value counts.
func (c *compiler) mapProjection(x *lang.MapProjection) (compiled, error) {
	of, err := c.compile(x.Of)
	if err != nil {
		return of, err
	}
	fns := make([]eval, len(x.Items))
	for i, it := range x.Items {
		if it.All {
			continue
		}
		k, err := c.compile(it.Value)
		if err != nil {
			return k, err
		}
		fns[i] = k.fn
	}
	return compiled{fn: func(e *env) (value.Value, error) {
		v, err := of.fn(e)
		if err != nil || v.IsNull() {
			return v, err
		}
		if k := v.Kind(); k != value.Node && k != value.Rel && k != value.Map {
			return v, at(x.Pos, fail(codeArgumentType, "%s has no properties to project", a(v)))
		}
		m := &value.MapValue{}
		for i, it := range x.Items {
			if it.All {
				all, err := properties(c, v)
				if err != nil {
					return v, at(it.Pos, err)
				}
				for j, key := range all.Map().Keys {
					put(m, key, all.Map().Values[j])
				}
				continue
			}
			w, err := fns[i](e)
			if err != nil {
				return w, err
			}
			put(m, it.Key.Text, w)
		}
		return value.OfMap(m), nil
	}}, nil
}

// put sets a key of a map that is being made.
func put(m *value.MapValue, key string, v value.Value) {
	if i := slices.Index(m.Keys, key); i >= 0 {
		m.Values[i] = v
		return
	}
	m.Keys, m.Values = append(m.Keys, key), append(m.Values, v)
}
