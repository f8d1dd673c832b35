package lang

import "math"

func (g generator) maybe(depth int) Expr {
	if g.some(2) {
		return nil
	}
	return g.expr(depth)
}

func (g generator) exprs(n, depth int) (xs []Expr) {
	for range n {
		xs = append(xs, g.expr(depth))
	}
	return xs
}

var binaryOps = []Op{"OR", "XOR", "AND", "=", "<>", "<", "<=", ">", ">=", "IN", "STARTS WITH", "ENDS WITH", "CONTAINS", "=~",
	"+", "||", "-", "*", "/", "%", "^"}

func (g generator) expr(depth int) Expr {
	if depth == 0 || g.some(6) {
		return g.leaf()
	}
	depth--
	switch g.IntN(21) {
	case 14, 15, 16:
		return g.each(depth)
	case 17:
		if depth > 1 {
			return &Subquery{Kind: pick(g, "exists", "count", "collect"), Query: g.query(0)}
		}
		return g.leaf()
	case 18:
		return &PatternExpr{Path: g.pattern()}
	case 0:
		return &Property{Of: g.expr(depth), Key: g.key()}
	case 1:
		return &Index{Of: g.expr(depth), At: g.expr(depth)}
	case 2:
		return &Slice{Of: g.expr(depth), From: g.maybe(depth), To: g.maybe(depth)}
	case 3:
		return g.unary(depth)
	case 4:
		if g.some(2) {
			return &IsType{X: g.expr(depth), Not: g.some(2), Type: g.valueType(1)}
		}
		return &IsNull{X: g.expr(depth), Not: g.some(2)}
	case 5:
		return &HasLabels{X: g.expr(depth), Labels: g.labels(2)}
	case 6:
		args := g.exprs(g.IntN(3), depth)
		return &Call{Name: pick(g, "count", "is_clique", "tointeger", "collect", "foo", "my.ns.fn", "rand"), Distinct: args != nil && g.some(3), Args: args}
	case 7:
		return &ListLit{Items: g.exprs(g.IntN(3), depth)}
	case 8:
		return g.mapLit(depth)
	case 9:
		c := &Case{Test: g.maybe(depth), Else: g.maybe(depth)}
		for range 1 + g.IntN(2) {
			c.Whens = append(c.Whens, When{Cond: g.expr(depth), Then: g.expr(depth)})
		}
		return c
	}
	return &Binary{Op: pick(g, binaryOps...), L: g.expr(depth), R: g.expr(depth)}
}

// each makes an expression that goes through a list, or through the matches of a pattern.
func (g generator) each(depth int) Expr {
	v := Name{Text: g.name()}
	switch g.IntN(5) {
	case 0:
		return &ListComprehension{Var: v, List: g.expr(depth), Where: g.maybe(depth), Map: g.maybe(depth)}
	case 1:
		return &Quantifier{Kind: pick(g, "all", "any", "none", "single"), Var: v, List: g.expr(depth), Where: g.expr(depth)}
	case 2:
		return &Reduce{Acc: Name{Text: g.name()}, Init: g.expr(depth), Var: v, List: g.expr(depth), Step: g.expr(depth)}
	case 3:
		p := g.pattern()
		if g.some(2) {
			p.Name = g.name()
		}
		return &PatternComprehension{Path: p, Where: g.maybe(depth), Map: g.expr(depth)}
	}
	m := &MapProjection{Of: &Var{Name: g.name()}}
	if g.some(3) {
		m.Of = &Property{Of: m.Of, Key: g.name()}
	}
	for range g.IntN(4) {
		item := MapProjectionItem{All: g.some(4)}
		if !item.All {
			item.Key.Text, item.Value = g.name(), g.expr(depth)
			switch g.IntN(3) {
			case 0:
				item.Value = &Property{Of: copyReference(m.Of), Key: item.Key.Text}
			case 1:
				item.Value = &Var{Name: item.Key.Text}
			}
		}
		m.Items = append(m.Items, item)
	}
	return m
}

func (g generator) unary(depth int) Expr {
	return &Unary{Op: pick(g, Op("NOT"), "NOT", "-", "+"), X: g.expr(depth)}
}

func (g generator) mapLit(depth int) *MapLit {
	m := &MapLit{}
	for range g.IntN(3) {
		m.Keys = append(m.Keys, Name{Text: g.key()})
		m.Values = append(m.Values, g.expr(depth))
	}
	return m
}

func (g generator) param() *Param {
	return &Param{Name: pick(g, "p", "0", "17", "from", "a b", "größe", "in", "1x")}
}

func (g generator) leaf() Expr {
	switch g.IntN(4) {
	case 0:
		return &Var{Name: g.name()}
	case 1:
		return g.param()
	case 2:
		if g.some(4) {
			return &CountStar{}
		}
	}
	return &Literal{Value: pick[any](g, nil, true, false, int64(0), int64(7), int64(-7), int64(math.MaxInt64), int64(math.MinInt64),
		0.0, math.Copysign(0, -1), 1.5, -2.5e-300, 1e21, 1e-7, 5e-324, math.MaxFloat64, 100.0,
		"", "a", "it's", `"`, "\\", "\n\t\r\b\f\x00\u007f", "日本\u0301\u00a0\u200b🧐", "\uFFFD", "--", "//", "`")}
}

func (g generator) valueType(depth int) *ValueType {
	t := &ValueType{}
	for range 1 + g.IntN(2) {
		n := TypeName{Name: pick(g, "INTEGER", "STRING", "LOCAL TIME", "ZONED DATETIME", "NODE", "ANY", "PROPERTY VALUE", "NULL"), NotNull: g.some(3)}
		if depth > 0 && g.some(3) {
			n.Name, n.Of = "LIST", g.valueType(depth-1)
		}
		t.Any = append(t.Any, n)
	}
	return t
}
