package planner

import (
	"math"
	"slices"

	"github.com/motifql/motif/lang"
)

// projection plans RETURN, and WITH where that is more than a change of names. It is made before the elements get their slots,
// because it says which of them are read.
type projection struct {
	b       *builder
	ret     *lang.Return
	columns []column
	sort    []lang.SortItem
	where   lang.Expr // of a WITH
	grouped bool      // aggregates occur

	plain    map[string]string // text of an expression over the input -> slot that has its value
	computed []Item            // for Project
	keys     []Item            // for Aggregate
	aggs     []Agg
}

// column is one column of the result.
type column struct {
	name    string
	expr    lang.Expr
	source  string // of expr, as the query has it
	aliased bool
	slot    string
}

// project plans RETURN, or a WITH and its WHERE, over the steps of the frame.
func (b *builder) project(ret *lang.Return, where lang.Expr) ([]column, error) {
	r, err := newProjection(b, ret, where)
	if err != nil {
		return nil, err
	}
	last := b.lastGroup()
	b.finish()
	b.advance()
	b.top, err = r.build(b.top, last)
	return r.columns, err
}

func newProjection(b *builder, ret *lang.Return, where lang.Expr) (*projection, error) {
	r := &projection{b: b, ret: ret, plain: map[string]string{}}
	if ret.Star {
		for _, name := range slices.Sorted(slices.Values(b.scope.order)) {
			x := b.see(&lang.Var{Pos: ret.Pos, Name: name})
			r.columns = append(r.columns, column{name: name, expr: r.neverNull(x), source: name})
		}
	}
	for _, it := range ret.Items {
		r.columns = append(r.columns, column{name: it.Name, expr: r.neverNull(b.rename(it.Expr)), source: text(it.Expr), aliased: it.Aliased})
	}
	for i := range r.columns {
		c := &r.columns[i]
		b.readAll(c.expr)
		r.grouped = r.grouped || hasAggregate(c.expr)
	}
	if b.err != nil {
		return nil, b.err
	}
	if r.grouped {
		if err := r.group(); err != nil {
			return nil, err
		}
	} else {
		r.compute()
	}
	return r, r.above(where)
}

// above renames ORDER BY and the WHERE of a WITH: an alias means its column there and hides a variable.
func (r *projection) above(where lang.Expr) error {
	b := r.b
	before := b.scope
	s := before.inner()
	for _, c := range r.columns {
		s.set(c.name, &lang.Var{Pos: r.ret.Pos, Name: c.slot})
	}
	b.scope = s
	for _, it := range r.ret.Order {
		x, err := r.resolve(r.neverNull(b.rename(it.Expr)))
		if err != nil {
			return err
		}
		b.readAll(x)
		r.sort = append(r.sort, lang.SortItem{Expr: x, Descending: it.Descending})
	}
	if where != nil {
		x, err := r.resolve(r.neverNull(b.rename(where)))
		if err != nil {
			return err
		}
		b.readAll(x)
		r.where = x
	}
	before.reads = s.reads
	b.scope = before
	return b.err
}

// neverNull turns count(x) of a variable, which is never null here, into count(*): then nobody reads x.
func (r *projection) neverNull(x lang.Expr) lang.Expr {
	if r.b.opt.Brute {
		return x
	}
	return rewrite(x, func(x lang.Expr) lang.Expr {
		c, ok := call(x, "count")
		if !ok || c.Distinct || len(c.Args) != 1 {
			return nil
		}
		if name, ok := varName(c.Args[0]); !ok || r.b.vars[name] == nil || r.b.vars[name].nullable || r.b.vars[name].kind == ValueSlot {
			return nil
		}
		return &lang.CountStar{Pos: c.Pos}
	})
}

// build puts the operators of RETURN over top, which ends with the last group if that is not nil.
func (r *projection) build(top Node, last *group) (Node, error) {
	if r.ret.Distinct && !r.grouped && !r.b.opt.Brute {
		countOnce(top)
	}
	if r.grouped {
		top = r.aggregate(top)
	}
	if len(r.computed) > 0 {
		top = &Project{Input: top, Items: r.computed}
	}
	if r.ret.Distinct {
		var out []int
		for _, c := range r.columns {
			out = append(out, r.b.slots[c.slot])
		}
		top = &Distinct{Input: top, Slots: slices.Compact(slices.Sorted(slices.Values(out)))}
	}
	if len(r.sort) == 0 && !r.grouped && !r.ret.Distinct {
		r.pushLimit(last)
	}
	if len(r.sort) > 0 {
		var keys []SortKey
		for i, k := range r.sort {
			keys = append(keys, SortKey{Expr: k.Expr, Descending: k.Descending, source: text(r.ret.Order[i].Expr)})
		}
		top = &Sort{Input: top, Keys: keys, Top: r.top()}
	}
	if r.ret.Skip != nil {
		top = &Skip{Input: top, N: r.ret.Skip}
	}
	if r.ret.Limit != nil {
		top = &Limit{Input: top, N: r.ret.Limit}
	}
	if r.where != nil {
		top = &Filter{Input: top, Cond: r.where}
	}
	return top, nil
}

// compute gives every column a slot: a variable has one, other expressions are computed.
func (r *projection) compute() {
	for i := range r.columns {
		c := &r.columns[i]
		if v := r.variable(c.expr); v != nil {
			c.slot = v.name
			r.b.slotOf(v)
		} else {
			c.slot = r.newSlot(c.name)
			r.computed = append(r.computed, Item{Expr: c.expr, Slot: r.b.slots[c.slot], source: c.source})
		}
		r.plain[text(c.expr)] = c.slot
	}
}

// variable is the variable that x is, or nil.
func (r *projection) variable(x lang.Expr) *variable {
	name, ok := varName(x)
	if !ok {
		return nil
	}
	return r.b.vars[name]
}

// newSlot makes a slot for a value, named name if that is free.
func (r *projection) newSlot(name string) string {
	if name == "" || r.b.taken[name] || r.b.used[name] {
		name = r.b.makeUp()
	}
	v := r.b.declare(name, ValueSlot, nil, 0)
	v.nullable, v.read = true, true
	r.b.slot(name, ValueSlot)
	return name
}

// resolve replaces what a column computes by the column's slot. ORDER BY, and the WHERE of a WITH, see the columns and the
// variables of before unless DISTINCT or aggregation has taken them away.
func (r *projection) resolve(x lang.Expr) (lang.Expr, error) {
	gone := r.grouped || r.ret.Distinct
	var err error
	y := rewrite(x, func(x lang.Expr) lang.Expr {
		v, isVar := x.(*lang.Var)
		if isVar && slices.ContainsFunc(r.columns, func(c column) bool { return c.slot == v.Name }) {
			return v
		}
		if slot, ok := r.plain[text(x)]; ok {
			return &lang.Var{Pos: x.Position(), Name: slot}
		}
		if isVar && gone && r.b.vars[v.Name] != nil && !r.b.scope.outer[v.Name] {
			err = unavailable(v, r.ret)
		}
		return nil
	})
	return y, err
}

// top is SKIP + LIMIT: how many rows of the order are wanted at most; nil if there is no LIMIT.
func (r *projection) top() lang.Expr {
	skip, limit := r.ret.Skip, r.ret.Limit
	if skip == nil || limit == nil {
		return limit
	}
	s, sok := integer(skip)
	l, lok := integer(limit)
	if !sok || !lok {
		return &lang.Binary{Pos: limit.Position(), Op: "+", L: skip, R: limit}
	}
	if s > math.MaxInt64-l {
		return nil
	}
	return &lang.Literal{Pos: limit.Position(), Value: s + l}
}

// pushLimit tells the last pattern how many matches are wanted.
func (r *projection) pushLimit(g *group) {
	if r.b.opt.Brute || g == nil || len(g.after) > 0 {
		return
	}
	if top := r.top(); top != nil {
		if n, ok := integer(top); ok {
			g.match.Limit = n
		}
	}
}

// integer is the value of x if it is an integer literal, not negative.
func integer(x lang.Expr) (int64, bool) {
	l, ok := x.(*lang.Literal)
	if !ok {
		return 0, false
	}
	n, ok := l.Value.(int64)
	return n, ok && n >= 0
}

func undefined(x lang.Expr, name string) error {
	return &lang.Error{Code: "SyntaxError.UndefinedVariable", Msg: "variable " + name + " is not defined", Pos: x.Position()}
}

func unavailable(v *lang.Var, ret *lang.Return) error {
	what := "aggregation"
	if ret.Distinct {
		what = "DISTINCT"
	}
	return &lang.Error{Code: "SyntaxError.UndefinedVariable", Msg: "variable " + v.Name + " is no longer there after " + what,
		Hint: "return it too, or use only what is returned", Pos: v.Pos}
}
