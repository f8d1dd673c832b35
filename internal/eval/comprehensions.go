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

// elementsOf returns the list that a comprehension goes through; null has no elements.
func elementsOf(v value.Value, what string) ([]value.Value, error) {
	switch v.Kind() {
	case value.List:
		return v.List(), nil
	case value.Null:
		return nil, nil
	}
	return nil, Errorf(CodeArgumentType, "%s goes through a list, not %s", what, Describe(v))
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
		if v, err := fn(&Input{}); err == nil {
			return constant(v), nil
		}
	}
	return Closure{Fn: fn}, nil
}

// listComprehension compiles [x IN list WHERE cond | map].
func (c *Compiler) listComprehension(x *lang.ListComprehension) (Func, error) {
	list, err := c.Compile(x.List)
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
	rt := c.Runtime
	return func(e *Input) (value.Value, error) {
		v, err := list.Fn(e)
		if err != nil || v.IsNull() {
			return v, err
		}
		from, err := elementsOf(v, "a list comprehension")
		if err != nil {
			return v, At(x.Pos, err)
		}
		var to []value.Value
		for i, v := range from {
			if err := rt.grown(i, len(to)); err != nil {
				return v, At(x.Pos, err)
			}
			e.set(place, v)
			if where.Fn != nil {
				w, err := where.Fn(e)
				if err != nil {
					return w, err
				}
				if keep, err := Holds(w, x.Where); err != nil || !keep {
					if err != nil {
						return w, err
					}
					continue
				}
			}
			if out.Fn != nil {
				if v, err = out.Fn(e); err != nil {
					return v, err
				}
			}
			to = append(to, v)
		}
		return value.OfList(to), nil
	}, nil
}

// quantifier compiles all, any, none and single in three-valued logic: a null condition may be true or false.
func (c *Compiler) quantifier(x *lang.Quantifier) (Func, error) {
	list, err := c.Compile(x.List)
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
		v, err := list.Fn(e)
		if err != nil || v.IsNull() {
			return v, err
		}
		from, err := elementsOf(v, x.Kind+"()")
		if err != nil {
			return v, At(x.Pos, err)
		}
		var n tally
		for i, v := range from {
			if err := rt.poll(i); err != nil {
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
	fns, _, err := c.CompileAll([]lang.Expr{x.Init, x.List})
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
			return l, At(x.Pos, err)
		}
		for i, w := range from {
			if err := rt.poll(i); err != nil {
				return v, err
			}
			e.set(acc, v)
			e.set(item, w)
			if v, err = step.Fn(e); err != nil {
				return v, err
			}
		}
		return v, nil
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
		return value.OfMap(m), nil
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
