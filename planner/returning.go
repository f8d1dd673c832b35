package planner

import (
	"math"
	"slices"

	"github.com/motifql/motif/lang"
)

// returning plans RETURN. It is made before the elements get their slots, because it says which of them are read.
type returning struct {
	b       *builder
	ret     *lang.Return
	columns []column
	sort    []lang.SortItem
	grouped bool // aggregates occur

	plain    map[string]string // text of an expression over the input -> slot that has its value
	alias    map[string]string // alias -> slot
	computed []Item            // for Project
	keys     []Item            // for Aggregate
	aggs     []Agg
}

// column is one column of the result.
type column struct {
	name    string
	expr    lang.Expr
	aliased bool
	slot    string
}

func newReturning(b *builder, ret *lang.Return) (*returning, error) {
	r := &returning{b: b, ret: ret, plain: map[string]string{}, alias: map[string]string{}}
	if ret.Star {
		for _, name := range b.named() {
			r.columns = append(r.columns, column{name: name, expr: &lang.Var{Pos: ret.Pos, Name: name}})
		}
	}
	for _, it := range ret.Items {
		r.columns = append(r.columns, column{name: it.Name, expr: r.neverNull(it.Expr), aliased: it.Aliased})
	}
	for _, it := range ret.Order {
		r.sort = append(r.sort, lang.SortItem{Expr: r.neverNull(it.Expr), Descending: it.Descending})
	}
	for _, c := range r.columns {
		r.grouped = r.grouped || hasAggregate(c.expr)
	}
	return r, r.markRead()
}

// named lists the variables of the query in order of first appearance.
func (b *builder) named() []string {
	var names []string
	for _, s := range b.steps {
		for _, v := range s.variables() {
			if v != nil && !v.hidden && !slices.Contains(names, v.name) {
				names = append(names, v.name)
			}
		}
	}
	return names
}

// neverNull turns count(x) of a variable, which is never null here, into count(*): then nobody reads x.
func (r *returning) neverNull(x lang.Expr) lang.Expr {
	if r.b.opt.Brute {
		return x
	}
	return rewrite(x, func(x lang.Expr) lang.Expr {
		c, ok := call(x, "count")
		if !ok || c.Distinct || len(c.Args) != 1 {
			return nil
		}
		if name, ok := varName(c.Args[0]); !ok || r.b.vars[name] == nil || r.b.vars[name].nullable {
			return nil
		}
		return &lang.CountStar{Pos: c.Pos}
	})
}

// markRead marks the variables that columns and sort keys read. In a sort key an alias hides a variable.
func (r *returning) markRead() error {
	read := func(x lang.Expr, hidden map[string]bool) error {
		for _, name := range variables(x) {
			if hidden[name] {
				continue
			}
			v := r.b.vars[name]
			if v == nil {
				return undefined(x, name)
			}
			v.read = true
		}
		return nil
	}
	aliases := map[string]bool{}
	for _, c := range r.columns {
		aliases[c.name] = aliases[c.name] || c.aliased
		if err := read(c.expr, nil); err != nil {
			return err
		}
	}
	for _, k := range r.sort {
		if err := read(k.Expr, aliases); err != nil {
			return err
		}
	}
	return nil
}

// build puts the operators of RETURN over top.
func (r *returning) build(top Node) (Node, error) {
	var err error
	if m, ok := top.(*Match); ok && !r.grouped && !r.b.opt.Brute {
		m.Once = r.ret.Distinct
	}
	if r.grouped {
		top, err = r.aggregate(top)
	} else {
		r.project()
	}
	if err != nil {
		return nil, err
	}
	keys, err := r.sortKeys()
	if err != nil {
		return nil, err
	}
	if len(r.computed) > 0 {
		top = &Project{Input: top, Items: r.computed}
	}
	r.output()
	if r.ret.Distinct {
		top = &Distinct{Input: top, Slots: slices.Compact(slices.Sorted(slices.Values(r.b.plan.Out)))}
	}
	if len(keys) == 0 && !r.grouped && !r.ret.Distinct {
		r.pushLimit()
	}
	if len(keys) > 0 {
		top = &Sort{Input: top, Keys: keys, Top: r.top()}
	}
	if r.ret.Skip != nil {
		top = &Skip{Input: top, N: r.ret.Skip}
	}
	if r.ret.Limit != nil {
		top = &Limit{Input: top, N: r.ret.Limit}
	}
	return top, nil
}

// project gives every column a slot: a variable has one, other expressions are computed.
func (r *returning) project() {
	for i := range r.columns {
		c := &r.columns[i]
		if name, ok := varName(c.expr); ok {
			c.slot = name
		} else {
			c.slot = r.newSlot(c.name)
			r.computed = append(r.computed, Item{Expr: c.expr, Slot: r.b.slots[c.slot]})
		}
		r.known(c)
	}
}

// known notes under which text and alias later expressions may mean column c.
func (r *returning) known(c *column) {
	r.plain[text(c.expr)] = c.slot
	if c.aliased {
		r.alias[c.name] = c.slot
	}
}

// newSlot makes a slot for a value, named name if that is free.
func (r *returning) newSlot(name string) string {
	if name == "" || r.b.taken[name] {
		name = r.b.makeUp()
	}
	r.b.slot(name, ValueSlot)
	return name
}

// output says where the columns are.
func (r *returning) output() {
	for _, c := range r.columns {
		r.b.plan.Columns = append(r.b.plan.Columns, c.name)
		r.b.plan.Out = append(r.b.plan.Out, r.b.slots[c.slot])
	}
}

// sortKeys resolves ORDER BY. It sees the columns by alias or by their very expression, and the variables of the
// pattern unless DISTINCT or aggregation has taken them away.
func (r *returning) sortKeys() ([]SortKey, error) {
	var keys []SortKey
	for _, k := range r.sort {
		x, err := r.resolve(k.Expr)
		if err != nil {
			return nil, err
		}
		keys = append(keys, SortKey{Expr: x, Descending: k.Descending, source: text(k.Expr)})
	}
	return keys, nil
}

func (r *returning) resolve(x lang.Expr) (lang.Expr, error) {
	gone := r.grouped || r.ret.Distinct
	var err error
	y := rewrite(x, func(x lang.Expr) lang.Expr {
		if v, ok := x.(*lang.Var); ok {
			if slot, ok := r.alias[v.Name]; ok {
				return &lang.Var{Pos: v.Pos, Name: slot}
			}
		}
		if slot, ok := r.plain[text(x)]; ok && !r.hides(x) {
			return &lang.Var{Pos: x.Position(), Name: slot}
		}
		if v, ok := x.(*lang.Var); ok && gone {
			err = unavailable(v, r.ret)
		}
		return nil
	})
	return y, err
}

// hides reports whether an alias hides a variable that x reads, so that in ORDER BY x means something else than in
// the columns.
func (r *returning) hides(x lang.Expr) bool {
	for _, name := range variables(x) {
		if slot, ok := r.alias[name]; ok && slot != name {
			return true
		}
	}
	return false
}

// top is SKIP + LIMIT: how many rows of the order are wanted at most; nil if there is no LIMIT.
func (r *returning) top() lang.Expr {
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
func (r *returning) pushLimit() {
	g := r.b.lastGroup()
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
