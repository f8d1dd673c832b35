package lang

import (
	"slices"
	"strings"
)

// returns checks RETURN and gives the columns.
func (c *checker) returns(r *Return) []*variable {
	out := c.projection(r, "RETURN")
	return out.columns
}

// withClause checks WITH: its columns are what is in scope after it.
func (c *checker) withClause(w *With) {
	out := c.projection(&w.Return, "WITH")
	out.where(w.Where)
	for _, it := range w.Items {
		if _, isVar := it.Expr.(*Var); !it.Aliased && !isVar {
			c.fail("NoExpressionAlias", it.Pos, "name it with AS: "+Text(it.Expr)+" AS name", "an expression in WITH needs a name")
		}
	}
	before := c.scope
	c.scope = newScope(before.outer)
	for _, col := range out.columns {
		c.scope.add(col)
	}
	for _, v := range before.vars {
		if c.scope.find(v.Name) == nil {
			if c.dropped == nil {
				c.dropped = map[string]bool{}
			}
			c.dropped[v.Name] = true
		}
	}
}

// importing checks the WITH that begins CALL { }, which names the variables that the subquery may use.
func (c *checker) importing(w *With, from *scope) {
	if w.Star && len(w.Items) == 0 {
		for s := from; s != nil; s = s.outer {
			for _, b := range s.vars {
				if c.scope.names[b.Name] == nil {
					c.scope.add(b)
				}
			}
		}
		return
	}
	plain := w.Distinct || w.Star || w.Order != nil || w.Skip != nil || w.Limit != nil || w.Where != nil
	for _, it := range w.Items {
		v, isVar := it.Expr.(*Var)
		if !isVar || plain || it.Name != v.Name {
			c.fail("InvalidClauseComposition", w.Pos, "write WITH a, b, and another WITH for the rest", "the WITH that begins CALL { } only names variables")
		}
		b := from.find(v.Name)
		if b == nil {
			c.scope = from
			x := exprChecker{checker: c}
			x.undefined(v) // does not return
		}
		c.scope.add(b)
	}
}

// projection checks what RETURN and WITH have in common.
func (c *checker) projection(r *Return, clause string) *projection {
	out := &projection{
		checker: c, interner: newInterner(), clause: clause,
		distinct: r.Distinct, exprs: map[int]bool{}, aggs: map[int]bool{},
		byName: map[string]*variable{}, aliases: map[string]Expr{},
	}
	if r.Star {
		out.star(r.Pos)
	}
	for _, it := range r.Items {
		out.item(it)
	}
	for _, it := range r.Items {
		if len(out.aggs) > 0 && aggregateIn(it.Expr) != nil {
			out.grouped(it.Expr)
		}
	}
	for _, s := range r.Order {
		out.order(s.Expr)
	}
	c.amount(r.Skip, "SKIP")
	c.amount(r.Limit, "LIMIT")
	return out
}

// projection is what RETURN or WITH puts out. Expressions are compared by the interner's numbers.
type projection struct {
	*checker
	*interner
	clause   string
	distinct bool
	columns  []*variable
	exprs    map[int]bool         // the items
	aggs     map[int]bool         // the aggregates inside of items
	byName   map[string]*variable // the columns that ORDER BY can refer to by name
	aliases  map[string]Expr      // those that have the name from AS
}

func (p *projection) star(pos Pos) {
	if len(p.scope.vars) == 0 && p.clause == "RETURN" {
		p.fail("NoVariablesInScope", pos, "name what is to be returned", "RETURN * finds no variables in scope")
	}
	byName := slices.Clone(p.scope.vars)
	slices.SortStableFunc(byName, func(a, b *variable) int { return strings.Compare(a.Name, b.Name) })
	for _, v := range byName {
		p.columns = append(p.columns, v)
		p.byName[v.Name] = v
		p.exprs[p.id(&Var{Name: v.Name})] = true
	}
}

func (p *projection) item(it *ReturnItem) {
	x := exprChecker{checker: p.checker, place: p.clause, aggregates: true}
	kind := x.kindOf(it.Expr)
	for _, col := range p.columns {
		if col.Name == it.Name {
			p.fail("ColumnNameConflict", it.Pos, "give one of them another name with AS", "there are two columns `%s`", it.Name)
		}
	}
	col := &variable{Variable: Variable{Name: it.Name, Kind: kind.varKind(), Pos: it.Pos}, kinds: kind, elems: p.checker.elements(it.Expr)}
	p.columns = append(p.columns, col)
	p.exprs[p.id(it.Expr)] = true
	if _, isVar := it.Expr.(*Var); it.Aliased || isVar {
		p.byName[it.Name] = col
	}
	if it.Aliased {
		p.aliases[it.Name] = it.Expr
	}
	Walk(it.Expr, func(x Expr) bool {
		if isAggregate(x) {
			p.aggs[p.id(x)] = true
			return false
		}
		return true
	})
}

func isAggregate(x Expr) bool {
	switch x := x.(type) {
	case *CountStar:
		return true
	case *Call:
		f := functionIndex[x.Name]
		return f != nil && f.Aggregate
	}
	return false
}

// ReadsCSV reports whether x is linenumber() or file(), which belong to the row of LOAD CSV.
func ReadsCSV(x Expr) bool {
	call, ok := x.(*Call)
	return ok && (call.Name == "linenumber" || call.Name == "file")
}

// aggregateIn returns the first aggregate in x, or nil.
func aggregateIn(x Expr) (first Expr) {
	Walk(x, func(x Expr) bool {
		if first == nil && isAggregate(x) {
			first = x
		}
		return first == nil
	})
	return first
}

// given reports whether a variable comes from around the subquery, and is the same for all its rows.
func (p *projection) given(v *Var) bool {
	return p.scope.names[v.Name] == nil && p.scope.outer.find(v.Name) != nil
}

// grouped checks the parts of x outside of its aggregates. What they read must be the same for all rows of a group:
// a variable or property that is an item of its own.
func (p *projection) grouped(x Expr) {
	p.walkFree(x, func(x Expr) bool {
		switch x.(type) {
		case *Call:
			if ReadsCSV(x) && !p.exprs[p.id(x)] {
				p.fail("AmbiguousAggregationExpression", placeOf(x), "return "+Text(x)+" as a column of its own, too", "%s is neither grouped by nor inside an aggregate", Text(x))
			}
		case *Var, *Property:
			switch inner := p.innermost(x).(type) {
			case *Var:
				if !p.exprs[p.id(inner)] && !p.given(inner) {
					p.fail("AmbiguousAggregationExpression", placeOf(x), "return "+Text(x)+" as a column of its own, too",
						"%s is neither grouped by nor inside an aggregate", Text(x))
				}
			case *Property: // an item
			default:
				p.grouped(inner)
			}
			return false
		}
		return !isAggregate(x)
	})
}

// innermost goes from x.a.b to x.a and x, as far as none is an item.
func (p *projection) innermost(x Expr) Expr {
	for {
		prop, ok := x.(*Property)
		if !ok || p.exprs[p.id(x)] {
			return x
		}
		x = prop.Of
	}
}

// order checks an expression of ORDER BY. The names of columns hide variables there. An expression that is an item, to
// the letter, refers to that column. After DISTINCT or aggregation, only what the columns hold is left.
func (p *projection) order(x Expr) {
	if p.isItem(x) {
		return
	}
	agg := aggregateIn(x)
	if agg != nil && len(p.aggs) == 0 {
		p.fail("InvalidAggregation", placeOf(agg), "return the aggregate, and sort by it", "ORDER BY cannot aggregate where %s does not", p.clause)
	}
	if p.distinct || len(p.aggs) > 0 {
		p.available(x, agg != nil, "ORDER BY")
	}
	p.inOrder(func() {
		check := exprChecker{checker: p.checker, place: "ORDER BY", aggregates: true}
		check.kindOf(x)
	})
}

// where checks the condition of WITH. Like ORDER BY it can use the columns, and what was in scope before as far as that is left.
func (p *projection) where(x Expr) {
	if x == nil {
		return
	}
	if p.distinct || len(p.aggs) > 0 {
		p.available(x, false, "WHERE")
	}
	p.inOrder(func() { p.condition(x) })
}

// inOrder runs f in the scope of ORDER BY.
func (p *projection) inOrder(f func()) {
	p.with(func(s *scope) {
		for _, col := range p.columns {
			if p.byName[col.Name] != nil {
				s.add(col)
			}
		}
		f()
	})
}

// isItem tells whether x is an item, and means the same here as there.
func (p *projection) isItem(x Expr) bool { return p.exprs[p.id(x)] && !p.hidden(x) }

// hidden tells whether a name in x means another thing in ORDER BY than in the items, because AS gave it away.
func (p *projection) hidden(x Expr) bool {
	found := false
	p.walkFree(x, func(x Expr) bool {
		if v, ok := x.(*Var); ok {
			of, aliased := p.aliases[v.Name]
			found = found || aliased && p.id(of) != p.id(v)
		}
		return !found
	})
	return found
}

// available checks that x reads nothing but columns.
func (p *projection) available(x Expr, aggregates bool, clause string) {
	p.walkFree(x, func(x Expr) bool {
		isItem := p.isItem(x)
		switch x := x.(type) {
		case *Var:
			if _, ok := p.byName[x.Name]; !ok && !isItem && !p.given(x) {
				p.gone(x, clause)
			}
			return false
		case *Property:
			return !isItem
		}
		if isAggregate(x) && (!p.aggs[p.id(x)] || p.hidden(x)) || ReadsCSV(x) && !isItem {
			p.gone(x, clause)
		}
		if isAggregate(x) {
			return false
		}
		if isItem && aggregates {
			p.fail("AmbiguousAggregationExpression", placeOf(x), "give the column a name with AS, and sort by that",
				"%s cannot stand beside an aggregate here", Text(x))
		}
		return !isItem
	})
}

func (p *projection) gone(x Expr, clause string) {
	after := "DISTINCT"
	if len(p.aggs) > 0 {
		after = "aggregation"
	}
	if v, ok := x.(*Var); ok {
		if p.scope.find(v.Name) == nil {
			p.inOrder(func() {
				c := exprChecker{checker: p.checker}
				c.variable(v)
			})
			return // it is UNKNOWN
		}
	}
	p.fail("UndefinedVariable", placeOf(x), "add it to "+p.clause, "after %s, %s can only use what %s gives, not %s", after, clause, p.clause, Text(x))
}

// amount checks the number of rows that SKIP or LIMIT takes.
func (c *checker) amount(x Expr, clause string) {
	if x == nil {
		return
	}
	c.walkFree(x, func(y Expr) bool {
		if _, isVar := y.(*Var); isVar || isAggregate(y) || ReadsCSV(y) {
			c.fail("NonConstantExpression", placeOf(y), "use a literal or a parameter", "%s needs a number that is the same for all rows", clause)
		}
		return true
	})
	check := exprChecker{checker: c, place: clause}
	if got := check.kindOf(x); got&kInt == 0 {
		c.fail("InvalidArgumentType", placeOf(x), "", "%s needs an integer, not %s", clause, got)
	}
	if lit, ok := x.(*Literal); ok && lit.Value.(int64) < 0 {
		c.fail("NegativeIntegerArgument", placeOf(x), "", "%s needs a number that is not negative", clause)
	}
}
