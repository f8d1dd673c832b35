package eval

import (
	"math"
	"slices"

	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/lang"
)

// Expressions that bind variables of their own: list comprehensions, all, any, none, single and reduce.

// bind compiles x while name stands for a new local variable, and returns the place of that variable.
func (c *Compiler) bind(name string, compile func() error) (place int, err error) {
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

// set gives the local variable at place a value.
func (e *Input) set(place int, v value.Value) {
	for len(e.locals) <= place {
		e.locals = append(e.locals, value.Value{})
	}
	e.locals[place] = v
}

// freeReads records which variables an expression reads from outside.
type freeReads struct {
	row   bool // a variable of the row or match, a subquery, or a function that changes from call to call
	local int  // the outermost local variable it reads; noLocal for none
}

const noLocal = math.MaxInt

// closed compiles an expression that binds variables. It computes the value at once if the expression reads nothing from
// outside.
func (c *Compiler) closed(build func() (Func, error)) (Closure, error) {
	outer := c.reads
	c.reads = freeReads{local: noLocal}
	fn, err := build()
	inner := c.reads
	c.reads = freeReads{outer.row || inner.row, outer.local}
	if inner.local < c.locals {
		c.reads.local = min(outer.local, inner.local)
	}
	if err != nil {
		return Closure{}, err
	}
	if !inner.row && inner.local >= c.locals {
		if v, err := c.now(fn); err == nil {
			return constant(v), nil
		}
	}
	return Closure{Fn: fn}, nil
}

// listComprehension compiles [x IN list WHERE cond | map].
func (c *Compiler) listComprehension(x *lang.ListComprehension) (Func, error) {
	list, err := c.Loop(x.List)
	if err != nil {
		return nil, err
	}
	var where, out Closure
	place, err := c.bind(x.Var.Text, func() (err error) {
		if x.Where != nil {
			if where, err = c.Compile(x.Where); err != nil {
				return err
			}
		}
		if x.Map != nil {
			out, err = c.Compile(x.Map)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	k := &comprehension{rt: c.Runtime, x: x, list: list, where: where.Fn, out: out.Fn, place: place}
	return k.eval, nil
}

// comprehension is a list comprehension ready to run.
type comprehension struct {
	rt         *Runtime
	x          *lang.ListComprehension
	list       Loop
	where, out Func // nil: there is none
	place      int
}

func (k *comprehension) eval(e *Input) (value.Value, error) {
	outside := e.Mark()
	v, from, err := k.list(e)
	if err != nil || v.IsNull() {
		return v, err
	}
	mark := e.Mark() // what the list and the values so far take
	var to []value.Value
	if k.where == nil {
		if err := k.rt.room(24 * int64(from.Len())); err != nil {
			return v, At(k.x.Pos, err)
		}
		to = make([]value.Value, 0, from.Len())
		mark += 24 * int64(from.Len())
	}
	for i := range from.Len() {
		if err := k.rt.step(e); err != nil {
			return v, err
		}
		v, keep, err := k.element(e, from.At(i))
		if err != nil {
			return v, err
		}
		if !keep {
			k.rt.Settle(e, mark)
			continue
		}
		if k.out != nil {
			mark += v.Bytes() - 24
		}
		before := cap(to)
		if to, err = k.rt.grow(to); err != nil {
			return v, At(k.x.Pos, err)
		}
		to = append(to, v)
		mark += 24 * int64(cap(to)-before)
		if err := k.rt.settle(e, mark); err != nil {
			return v, At(k.x.Pos, err)
		}
	}
	l := value.OfList(to)
	return l, At(k.x.Pos, k.rt.keep(e, outside, 0, l))
}

// element returns what the comprehension makes of an element, unless the condition drops the element.
func (k *comprehension) element(e *Input, v value.Value) (_ value.Value, keep bool, err error) {
	e.set(k.place, v)
	if k.where != nil {
		w, err := k.where(e)
		if err != nil {
			return w, false, err
		}
		if keep, err := Holds(w, k.x.Where); err != nil || !keep {
			return w, false, err
		}
	}
	if k.out != nil {
		v, err = k.out(e)
	}
	return v, true, err
}

// quantifier compiles all, any, none and single in three-valued logic: a null condition may be true or false.
func (c *Compiler) quantifier(x *lang.Quantifier) (Func, error) {
	list, err := c.Loop(x.List)
	if err != nil {
		return nil, err
	}
	var where Closure
	place, err := c.bind(x.Var.Text, func() (err error) {
		where, err = c.Compile(x.Where)
		return err
	})
	if err != nil {
		return nil, err
	}
	rt := c.Runtime
	return func(e *Input) (value.Value, error) {
		outside := e.Mark()
		v, from, err := list(e)
		if err != nil || v.IsNull() {
			return v, err
		}
		var n tally
		mark := e.Mark()
		for i := range from.Len() {
			v := from.At(i)
			rt.Settle(e, mark)
			if err := rt.step(e); err != nil {
				return v, err
			}
			e.set(place, v)
			w, err := where.Fn(e)
			if err != nil {
				return w, err
			}
			b, known, err := truth(w, lang.Op(x.Kind+"()"))
			if err != nil {
				return w, At(x.Where.Position(), err)
			}
			n.add(b, known)
			if n.decides(x.Kind) {
				break
			}
		}
		rt.Settle(e, outside)
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

// decides reports whether no further answer can change the result.
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

// reduce compiles reduce(acc = init, x IN list | step).
func (c *Compiler) reduce(x *lang.Reduce) (Func, error) {
	init, err := c.Compile(x.Init)
	if err != nil {
		return nil, err
	}
	list, err := c.Loop(x.List)
	if err != nil {
		return nil, err
	}
	var step Closure
	var item int
	acc, err := c.bind(x.Acc.Text, func() (err error) {
		item, err = c.bind(x.Var.Text, func() (err error) {
			step, err = c.Compile(x.Step)
			return err
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	rt := c.Runtime
	return func(e *Input) (value.Value, error) {
		outside := e.Mark()
		l, from, err := list(e)
		if err != nil {
			return l, err
		}
		mark := e.Mark() // what the list takes
		v, err := init.Fn(e)
		if err != nil || l.IsNull() {
			return value.Value{}, err
		}
		for i := range from.Len() {
			if err := rt.step(e); err != nil {
				return v, err
			}
			e.set(acc, v)
			e.set(item, from.At(i))
			if v, err = step.Fn(e); err == nil && v.Depth() > maxDepth {
				err = At(x.Pos, tooDeep())
			}
			if err == nil {
				err = At(x.Pos, rt.settle(e, mark+v.Bytes()-24))
			}
			if err != nil {
				return v, err
			}
		}
		return v, At(x.Pos, rt.keep(e, outside, 0, v))
	}, nil
}

// mapProjection compiles of{.key, .*, key: value, name}. The last value of a repeated key counts.
func (c *Compiler) mapProjection(x *lang.MapProjection) (Closure, error) {
	of, err := c.Compile(x.Of)
	if err != nil {
		return of, err
	}
	fns := make([]Func, len(x.Items))
	for i, it := range x.Items {
		if it.All {
			continue
		}
		k, err := c.Compile(it.Value)
		if err != nil {
			return k, err
		}
		fns[i] = k.Fn
	}
	rt := c.Runtime
	return Closure{Fn: func(e *Input) (value.Value, error) {
		v, err := of.Fn(e)
		if err != nil || v.IsNull() {
			return v, err
		}
		if k := v.Kind(); k != value.Node && k != value.Rel && k != value.Map {
			return v, At(x.Pos, Errorf(CodeArgumentType, "%s has no properties to project", Describe(v)))
		}
		m := &value.MapValue{}
		for i, it := range x.Items {
			if it.All {
				all, err := properties(rt, v)
				if err != nil {
					return v, At(it.Pos, err)
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
		v = value.OfMap(m)
		return v, At(x.Pos, rt.contain(e, 48+40*int64(len(m.Keys)), v))
	}}, nil
}

// put sets a key of a map under construction.
func put(m *value.MapValue, key string, v value.Value) {
	if i := slices.Index(m.Keys, key); i >= 0 {
		m.Values[i] = v
		return
	}
	m.Keys, m.Values = append(m.Keys, key), append(m.Values, v)
}
