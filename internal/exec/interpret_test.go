package exec

import (
	"fmt"
	"slices"
	"strings"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/eval"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/lang"
)

// interpreter runs clauses as their definition says: row by row, with every row a map of variables, and every pattern by going
// through all nodes and relationships. It shares with the engine how an expression of plain values is evaluated, and no more:
// no planner, no slots, no matcher. Errors end it by a panic.
type interpreter struct {
	s      *csr.Snapshot
	params map[string]value.Value
	base   bindings // what a subquery in an expression can always see
	steps  *int     // so far
}

// over returns b with the variables that only base has.
func (b bindings) over(base bindings) bindings {
	for name, v := range base {
		if _, ok := b[name]; !ok {
			b = b.with(name, v)
		}
	}
	return b
}

type bindings map[string]value.Value

// with returns a copy with one more variable.
func (b bindings) with(name string, v value.Value) bindings {
	c := make(bindings, len(b)+1)
	for k, w := range b {
		c[k] = w
	}
	if name != "" {
		c[name] = v
	}
	return c
}

// query returns the columns and rows of a query that starts from one row.
func (in *interpreter) query(q *lang.Query, start bindings) (columns []string, rows []bindings) {
	columns, rows = in.clauses(q.Clauses, []bindings{start})
	for _, u := range q.Unions {
		_, more := in.clauses(u.Clauses, []bindings{start})
		rows = append(rows, more...)
		if !u.All {
			rows = in.distinct(columns, rows)
		}
	}
	return columns, rows
}

func (in *interpreter) distinct(columns []string, rows []bindings) (out []bindings) {
	seen := map[string]bool{}
	for _, r := range rows {
		var key []byte
		for _, c := range columns {
			key = value.AppendKey(key, r[c])
		}
		if !seen[string(key)] {
			seen[string(key)] = true
			out = append(out, r)
		}
	}
	return out
}

func (in *interpreter) clauses(clauses []lang.Clause, rows []bindings) (columns []string, _ []bindings) {
	for _, c := range clauses {
		var next []bindings
		switch c := c.(type) {
		case *lang.Match:
			for _, r := range rows {
				next = append(next, in.match(c, r)...)
			}
		case *lang.Unwind:
			for _, r := range rows {
				if v := in.eval(c.List, r); v.Kind() == value.List {
					for _, e := range v.List() {
						next = append(next, r.with(c.As.Text, e))
					}
				} else if !v.IsNull() {
					next = append(next, r.with(c.As.Text, v))
				}
			}
		case *lang.With:
			_, next = in.project(&c.Return, c.Where, rows)
			for i := range next {
				next[i] = next[i].over(in.base)
			}
		case *lang.Return:
			columns, next = in.project(c, nil, rows)
		case *lang.CallSubquery:
			for _, r := range rows {
				next = append(next, in.call(c, r)...)
			}
		default:
			panic(fmt.Sprintf("clause %T", c))
		}
		rows = next
	}
	return columns, rows
}

func (in *interpreter) call(c *lang.CallSubquery, r bindings) (out []bindings) {
	start := bindings{}
	switch {
	case c.Star || importing(c.Query.Clauses):
		start = r
	default:
		for _, n := range c.Imports {
			start[n.Text] = r[n.Text]
		}
	}
	columns, rows := (&interpreter{s: in.s, params: in.params, steps: in.steps}).query(c.Query, start)
	for _, row := range rows {
		all := r
		for _, name := range columns {
			all = all.with(name, row[name])
		}
		out = append(out, all)
	}
	return out
}

func importing(clauses []lang.Clause) bool {
	_, ok := clauses[0].(*lang.With)
	return ok
}

// match returns r with every match, or with nulls. Paths with a selector come last.
func (in *interpreter) match(m *lang.Match, r bindings) (out []bindings) {
	order := slices.Clone(m.Paths)
	slices.SortStableFunc(order, func(a, b *lang.PathPattern) int {
		switch {
		case selects(a) == selects(b):
			return 0
		case selects(b):
			return -1
		}
		return 1
	})
	var paths func(i int, r bindings, rels []value.Value, nodes []element)
	paths = func(i int, r bindings, rels []value.Value, nodes []element) {
		if i < len(order) {
			for _, w := range in.path(m, order[i], r, rels, nodes) {
				paths(i+1, w.r, slices.Concat(rels, w.rels()), slices.Concat(nodes, w.elements()))
			}
			return
		}
		if m.Where == nil || in.meets(m.Where, r) {
			out = append(out, r)
		}
	}
	paths(0, r, nil, nil)
	if len(out) > 0 || !m.Optional {
		return out
	}
	for _, p := range m.Paths {
		names := []string{p.Name}
		for i, n := range p.Nodes {
			names = append(names, n.Name)
			if i > 0 {
				names = append(names, namesIn(p.Rels[i-1])...)
			}
		}
		for _, name := range names {
			if _, bound := r[name]; !bound {
				r = r.with(name, value.Value{})
			}
		}
	}
	return []bindings{r}
}

// element is a node of a match with its variable.
type element struct {
	name string
	v    value.Value
}

// different reports whether no two pattern nodes have the same node. One variable is one pattern node.
func different(nodes []element) bool {
	for i, a := range nodes {
		for _, b := range nodes[:i] {
			if a.v == b.v && (a.name == "" || a.name != b.name) {
				return false
			}
		}
	}
	return true
}

func pathValue(elements []value.Value) value.Value {
	p := &value.PathValue{}
	for i, x := range elements {
		if i%2 == 0 {
			p.Nodes = append(p.Nodes, x.Node())
		} else {
			p.Rels = append(p.Rels, x.Rel())
		}
	}
	return value.OfPath(p)
}

// may reports whether the variable may stand for x: it is free or stands for x already.
func may(r bindings, name string, x value.Value) bool {
	was, bound := r[name]
	return !bound || was == x
}

func (in *interpreter) typed(r *lang.RelPattern, e csr.EdgeID) bool {
	name := in.s.Types.Name(uint32(in.s.TypeOf(e)))
	return len(r.Types) == 0 || slices.ContainsFunc(r.Types, func(t lang.Name) bool { return t.Text == name })
}

// inside tests the conditions inside named elements. In these queries other elements have none.
func (in *interpreter) inside(m *lang.Match, r bindings) bool {
	for _, p := range m.Paths {
		for _, n := range p.Nodes {
			if props, ok := n.Props.(*lang.MapLit); ok {
				for i, k := range props.Keys {
					eq := &lang.Binary{Op: "=", L: &lang.Property{Of: &lang.Var{Name: n.Name}, Key: k.Text}, R: props.Values[i]}
					if !in.holds(eq, r) {
						return false
					}
				}
			}
			if n.Where != nil && !in.holds(n.Where, r) {
				return false
			}
		}
	}
	return true
}

// meets tests the condition of a MATCH on a whole match. If a part of a conjunction is false or null, no other part is an error.
func (in *interpreter) meets(x lang.Expr, r bindings) bool {
	var failure any
	var all func(x lang.Expr) bool
	all = func(x lang.Expr) (ok bool) {
		if b, is := x.(*lang.Binary); is && strings.EqualFold(string(b.Op), "AND") {
			left := all(b.L) // which may have failed
			return all(b.R) && left
		}
		defer func() {
			if e := recover(); e == (tooLong{}) {
				panic(e)
			} else if e != nil {
				failure, ok = e, true
			}
		}()
		return in.holds(x, r)
	}
	if !all(x) {
		return false
	}
	if failure != nil {
		panic(failure)
	}
	return true
}

func (in *interpreter) holds(x lang.Expr, r bindings) bool {
	v := in.eval(x, r)
	return v.Kind() == value.Bool && v.Bool()
}

// eval evaluates an expression. It replaces by variables what the engine's closures cannot compute alone.
func (in *interpreter) eval(x lang.Expr, r bindings) value.Value {
	vars := r
	y := substitute(x, func(x lang.Expr) lang.Expr {
		v, ok := in.special(x, r)
		if !ok {
			return nil
		}
		name := fmt.Sprint("special ", len(vars))
		vars = vars.with(name, v)
		return &lang.Var{Name: name}
	})
	v, err := in.evaluate(y, vars)
	if err != nil {
		panic(err)
	}
	return v
}

// special evaluates subqueries and patterns.
func (in *interpreter) special(x lang.Expr, r bindings) (value.Value, bool) {
	switch x := x.(type) {
	case *lang.PatternExpr:
		p := *x.Path
		if p.Function != lang.NoPathFunction {
			p.Name = " path"
		}
		rows := in.match(&lang.Match{Paths: []*lang.PathPattern{&p}}, r)
		switch x.Path.Function {
		case lang.ShortestPath:
			if len(rows) == 0 {
				return value.Value{}, true
			}
			return rows[0][" path"], true
		case lang.AllShortestPaths:
			list := []value.Value{}
			for _, row := range rows {
				list = append(list, row[" path"])
			}
			return value.OfList(list), true
		}
		return value.OfBool(len(rows) > 0), true
	case *lang.PatternComprehension:
		list := []value.Value{}
		for _, row := range in.match(&lang.Match{Paths: []*lang.PathPattern{x.Path}, Where: x.Where}, r) {
			list = append(list, in.eval(x.Map, row))
		}
		return value.OfList(list), true
	case *lang.Subquery:
		columns, rows := (&interpreter{s: in.s, params: in.params, base: r, steps: in.steps}).query(x.Query, r)
		switch x.Kind {
		case "exists":
			return value.OfBool(len(rows) > 0), true
		case "count":
			return value.OfInt(int64(len(rows))), true
		}
		list := []value.Value{}
		for _, row := range rows {
			list = append(list, row[columns[0]])
		}
		return value.OfList(list), true
	}
	return value.Value{}, false
}

// project runs RETURN or WITH.
func (in *interpreter) project(ret *lang.Return, where lang.Expr, rows []bindings) (columns []string, _ []bindings) {
	items := ret.Items
	if ret.Star {
		var names []string
		for _, r := range rows {
			for name := range r {
				if !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
		}
		slices.Sort(names)
		var all []*lang.ReturnItem
		for _, name := range names {
			all = append(all, &lang.ReturnItem{Name: name, Expr: &lang.Var{Name: name}})
		}
		items = append(all, items...)
	}
	for _, it := range items {
		columns = append(columns, it.Name)
	}
	var outs []outRow
	if slices.ContainsFunc(items, func(it *lang.ReturnItem) bool { return aggregates(it.Expr) }) {
		outs = in.grouped(items, rows)
	} else {
		for _, r := range rows {
			out := bindings{}
			for _, it := range items {
				out[it.Name] = in.eval(it.Expr, r)
			}
			outs = append(outs, outRow{out, r})
		}
	}
	if ret.Distinct {
		var only []outRow
		seen := map[string]bool{}
		for _, o := range outs {
			var key []byte
			for _, c := range columns {
				key = value.AppendKey(key, o.out[c])
			}
			if !seen[string(key)] {
				seen[string(key)] = true
				only = append(only, outRow{o.out, bindings{}})
			}
		}
		outs = only
	}
	return columns, in.cut(ret, where, outs)
}

// outRow is a row with the variables that ORDER BY and WHERE may see besides its columns.
type outRow struct{ out, from bindings }

// cut sorts, skips, limits and filters.
func (in *interpreter) cut(ret *lang.Return, where lang.Expr, outs []outRow) (rows []bindings) {
	both := func(o outRow) bindings {
		r := o.from.over(in.base)
		for name, v := range o.out {
			r = r.with(name, v)
		}
		return r
	}
	order := value.Ordering{Snapshot: in.s}
	slices.SortStableFunc(outs, func(a, b outRow) int {
		for _, k := range ret.Order {
			c := order.Compare(in.eval(k.Expr, both(a)), in.eval(k.Expr, both(b)))
			if k.Descending {
				c = -c
			}
			if c != 0 {
				return c
			}
		}
		return 0
	})
	if ret.Skip != nil {
		outs = outs[min(len(outs), int(in.eval(ret.Skip, nil).Int())):]
	}
	if ret.Limit != nil {
		outs = outs[:min(len(outs), int(in.eval(ret.Limit, nil).Int()))]
	}
	for _, o := range outs {
		if where == nil || in.holds(where, both(o)) {
			rows = append(rows, o.out)
		}
	}
	return rows
}

// grouped computes items with aggregates.
func (in *interpreter) grouped(items []*lang.ReturnItem, rows []bindings) (outs []outRow) {
	groups, keys := map[string][]bindings{}, []string{}
	global := true
	for _, it := range items {
		global = global && aggregates(it.Expr)
	}
	if global {
		groups[""], keys = nil, []string{""}
	}
	for _, r := range rows {
		var key []byte
		for _, it := range items {
			if !aggregates(it.Expr) {
				key = value.AppendKey(key, in.eval(it.Expr, r))
			}
		}
		if _, ok := groups[string(key)]; !ok {
			keys = append(keys, string(key))
		}
		groups[string(key)] = append(groups[string(key)], r)
	}
	for _, key := range slices.Compact(keys) {
		out, group := bindings{}, groups[key]
		first := in.base
		if len(group) > 0 {
			first = group[0]
		}
		for _, it := range items {
			vars := first
			x := substitute(it.Expr, func(x lang.Expr) lang.Expr {
				v, ok := in.aggregate(x, group)
				if !ok {
					return nil
				}
				name := fmt.Sprint("aggregate ", len(vars))
				vars = vars.with(name, v)
				return &lang.Var{Name: name}
			})
			out[it.Name] = in.eval(x, vars)
		}
		outs = append(outs, outRow{out, bindings{}})
	}
	return outs
}

// aggregate computes one aggregate of a group.
func (in *interpreter) aggregate(x lang.Expr, group []bindings) (value.Value, bool) {
	if _, ok := x.(*lang.CountStar); ok {
		return value.OfInt(int64(len(group))), true
	}
	c, ok := x.(*lang.Call)
	if !ok || !slices.Contains([]string{"count", "sum", "min", "max", "collect"}, c.Name) {
		return value.Value{}, false
	}
	var values []value.Value
	seen := map[string]bool{}
	for _, r := range group {
		v := in.eval(c.Args[0], r)
		key := string(value.AppendKey(nil, v))
		if !v.IsNull() && !(c.Distinct && seen[key]) {
			values = append(values, v)
		}
		seen[key] = true
	}
	switch c.Name {
	case "count":
		return value.OfInt(int64(len(values))), true
	case "sum":
		n, f, floats := int64(0), 0.0, false
		for _, v := range values {
			if v.Kind() == value.Float {
				f, floats = f+v.Float(), true
			} else {
				n += v.Int()
			}
		}
		if floats {
			return value.OfFloat(f + float64(n)), true
		}
		return value.OfInt(n), true
	case "collect":
		return value.OfList(values), true
	}
	if len(values) == 0 {
		return value.Value{}, true
	}
	order := value.Ordering{Snapshot: in.s}
	if c.Name == "min" {
		return slices.MinFunc(values, order.Compare), true
	}
	return slices.MaxFunc(values, order.Compare), true
}

func aggregates(x lang.Expr) bool {
	found := false
	lang.Walk(x, func(x lang.Expr) bool {
		switch x := x.(type) {
		case *lang.CountStar:
			found = true
		case *lang.Call:
			found = found || slices.Contains([]string{"count", "sum", "min", "max", "collect"}, x.Name)
		case *lang.PatternExpr, *lang.PatternComprehension, *lang.Subquery:
			return false
		}
		return !found
	})
	return found
}

// substitute replaces each part of x for which f returns something.
func substitute(x lang.Expr, f func(lang.Expr) lang.Expr) lang.Expr {
	if x == nil {
		return nil
	}
	if y := f(x); y != nil {
		return y
	}
	switch x := x.(type) {
	case *lang.Unary:
		return &lang.Unary{Pos: x.Pos, Op: x.Op, X: substitute(x.X, f)}
	case *lang.Binary:
		return &lang.Binary{Pos: x.Pos, Op: x.Op, L: substitute(x.L, f), R: substitute(x.R, f)}
	case *lang.IsNull:
		return &lang.IsNull{Pos: x.Pos, X: substitute(x.X, f), Not: x.Not}
	case *lang.Property:
		return &lang.Property{Pos: x.Pos, Of: substitute(x.Of, f), Key: x.Key}
	case *lang.Call:
		c := *x
		c.Args = nil
		for _, a := range x.Args {
			c.Args = append(c.Args, substitute(a, f))
		}
		return &c
	case *lang.ListLit:
		l := &lang.ListLit{Pos: x.Pos}
		for _, a := range x.Items {
			l.Items = append(l.Items, substitute(a, f))
		}
		return l
	}
	return x
}

// evaluate returns the value of an expression of plain values.
func (in *interpreter) evaluate(x lang.Expr, vars map[string]value.Value) (value.Value, error) {
	c := eval.NewCompiler(&eval.Runtime{Snapshot: in.s, Params: in.params})
	e := &eval.Input{}
	for name, v := range vars {
		c.Declare(name, len(e.Row))
		e.Row = append(e.Row, v)
	}
	k, err := c.Compile(x)
	if err != nil {
		return value.Value{}, err
	}
	return k.Fn(e)
}
