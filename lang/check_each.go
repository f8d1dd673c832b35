package lang

// each checks the expressions that have variables of their own.
func (c *exprChecker) each(x Expr) (k kinds) {
	switch x := x.(type) {
	case *ListComprehension:
		c.over(x.Var, x.List, "a list comprehension", func(c *exprChecker) {
			c.where(x.Where, "WHERE")
			if x.Map != nil {
				c.kindOf(x.Map)
			}
		})
		return kList
	case *Quantifier:
		c.over(x.Var, x.List, x.Kind+"()", func(c *exprChecker) { c.where(x.Where, "WHERE") })
		return kBool
	case *Reduce:
		c.kindOf(x.Init)
		c.over(x.Var, x.List, "reduce()", func(c *exprChecker) {
			if x.Acc.Text == x.Var.Text {
				c.fail("VariableAlreadyBound", x.Var.Pos, "use another name", "`%s` is the result so far", x.Var.Text)
			}
			c.scope.value(x.Acc, kAny, kAny)
			c.kindOf(x.Step)
		})
		return kAny
	case *MapProjection:
		c.mapProjection(x)
		return kMap
	case *PatternComprehension:
		c.with(func(*scope) {
			p := patternChecker{checker: c.checker, rels: map[string]bool{}, place: "a pattern comprehension"}
			p.patterns([]*PathPattern{x.Path})
			inner := c.apart("a pattern comprehension")
			inner.where(x.Where, "WHERE")
			inner.kindOf(x.Map)
		})
		return kList
	case *PatternExpr:
		if x.Path.Function != NoPathFunction {
			return c.pattern(x)
		}
		c.fail("UnexpectedSyntax", x.Pos, "write EXISTS { pattern }, or COUNT { pattern } for how many there are",
			"a pattern is a condition, and can stand only where one is asked for")
	case *Subquery:
		return c.subquery(x)
	}
	return kAny
}

// apart is c for what is computed many times for a row: no aggregates stand there.
func (c *exprChecker) apart(place string) *exprChecker {
	return &exprChecker{checker: c.checker, place: place}
}

// where checks a condition. what names who wants it.
func (c *exprChecker) where(x Expr, what string) {
	if x != nil {
		inner := *c
		inner.predicate = true
		inner.need(x, kBool, what)
	}
}

// over checks a list, and then what is said of its elements.
func (c *exprChecker) over(v Name, list Expr, place string, check func(*exprChecker)) {
	if got := c.kindOf(list); wrong(got, kList) {
		c.fail("InvalidArgumentType", placeOf(list), "write ["+Text(list)+"]", "IN needs a list, not %s", got)
	}
	elems := c.elements(list)
	c.with(func(s *scope) {
		s.value(v, elems, kAny)
		check(c.apart(place))
	})
}

func (c *exprChecker) mapProjection(x *MapProjection) {
	c.need(x.Of, kNode|kRel|kMap, "a map projection")
	for _, it := range x.Items {
		if it.Value != nil {
			c.kindOf(it.Value)
		}
	}
}

func (c *exprChecker) pattern(x *PatternExpr) kinds {
	p := patternChecker{checker: c.checker, rels: map[string]bool{}, place: "a pattern", fixed: true}
	p.patterns([]*PathPattern{x.Path})
	switch x.Path.Function {
	case ShortestPath:
		return kPath | kNull
	case AllShortestPaths:
		return kList
	}
	return kBool
}

func (c *exprChecker) subquery(x *Subquery) kinds {
	place := existsQuery
	if x.Kind == "collect" {
		place = collectQuery
	}
	columns := c.query(x.Query, place)
	switch x.Kind {
	case "exists":
		return kBool
	case "count":
		return kInt
	}
	if len(columns) != 1 {
		c.fail("InvalidClauseComposition", x.Pos, "RETURN one expression in it", "COLLECT { } returns one column, not %d", len(columns))
	}
	return kList
}

// elements is what the elements of a list may be, as far as that is plain to see.
func (c *checker) elements(list Expr) kinds {
	switch x := list.(type) {
	case *ListLit:
		var k kinds
		for _, it := range x.Items {
			switch it := it.(type) {
			case *Literal:
				k |= literalKind(it)
			case *ListLit:
				k |= kList
			case *MapLit:
				k |= kMap
			default:
				return kAny
			}
		}
		if k != 0 {
			return k
		}
	case *Var:
		if b := c.scope.find(x.Name); b != nil && b.elems != 0 {
			return b.elems
		}
	case *Call:
		switch x.Name {
		case "nodes":
			return kNode
		case "relationships":
			return kRel
		case "labels", "keys":
			return kString
		case "range":
			return kInt
		}
	}
	return kAny
}
