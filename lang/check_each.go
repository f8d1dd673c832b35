package lang

// each checks the expressions that have variables of their own.
func (c *exprChecker) each(x Expr) (k kinds) {
	switch x := x.(type) {
	case *ListComprehension:
		c.over(x.Var, x.List, func() {
			c.where(x.Where)
			if x.Map != nil {
				c.kindOf(x.Map)
			}
		})
		return kList
	case *Quantifier:
		c.over(x.Var, x.List, func() { c.where(x.Where) })
		return kBool
	case *Reduce:
		init := c.kindOf(x.Init)
		c.over(x.Var, x.List, func() {
			c.scope.value(x.Acc, kAny, kAny)
			c.kindOf(x.Step)
		})
		if init == kNull {
			return kAny
		}
		return kAny
	case *MapProjection:
		c.mapProjection(x)
		return kMap
	case *PatternComprehension:
		c.with(func(*scope) {
			p := patternChecker{checker: c.checker, rels: map[string]bool{}, place: "a pattern"}
			p.patterns([]*PathPattern{x.Path})
			c.where(x.Where)
			c.kindOf(x.Map)
		})
		return kList
	case *PatternExpr:
		return c.pattern(x)
	case *Subquery:
		return c.subquery(x)
	}
	return kAny
}

func (c *exprChecker) where(x Expr) {
	if x != nil {
		inner := *c
		inner.predicate = true
		inner.need(x, kBool, "WHERE")
	}
}

// over checks a list, and then what is said of its elements.
func (c *exprChecker) over(v Name, list Expr, check func()) {
	c.need(list, kList, "IN")
	elems := c.elements(list)
	c.with(func(s *scope) {
		s.value(v, elems, kAny)
		check()
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

// elements is what the elements of a list may be.
func (c *checker) elements(list Expr) kinds {
	switch x := list.(type) {
	case *ListLit:
		var k kinds
		for _, it := range x.Items {
			check := exprChecker{checker: c, aggregates: true, predicate: true}
			k |= check.kindOf(it)
		}
		if len(x.Items) == 0 {
			return kAny
		}
		return k
	case *Var:
		if b := c.scope.find(x.Name); b != nil && b.elems != 0 {
			return b.elems
		}
	}
	return kAny
}
