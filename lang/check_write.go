package lang

// writing checks a clause that changes the graph, and LOAD CSV.
func (c *checker) writing(clause Clause) {
	switch clause := clause.(type) {
	case *Create:
		p := patternChecker{checker: c, place: "CREATE", rels: map[string]bool{}}
		p.patterns(clause.Paths)
	case *Merge:
		p := patternChecker{checker: c, place: "MERGE", rels: map[string]bool{}}
		p.patterns([]*PathPattern{clause.Path})
		c.setItems(clause.OnCreate)
		c.setItems(clause.OnMatch)
	case *Set:
		c.setItems(clause.Items)
	case *Remove:
		c.setItems(clause.Items)
	case *Delete:
		x := exprChecker{checker: c, place: "DELETE"}
		for _, e := range clause.Exprs {
			x.kindOf(e)
		}
	case *Foreach:
		c.foreach(clause)
	case *LoadCSV:
		x := exprChecker{checker: c, place: "LOAD CSV"}
		x.need(clause.From, kString, "LOAD CSV")
		c.declareNew(clause.As, "AS")
		k := kList
		if clause.Headers {
			k = kMap
		}
		c.scope.value(clause.As, k, kString|kNull)
	}
}

func (c *checker) setItems(items []*SetItem) {
	x := exprChecker{checker: c, place: "SET"}
	for _, it := range items {
		x.kindOf(it.Of)
		if it.Value != nil {
			x.kindOf(it.Value)
		}
	}
}

func (c *checker) foreach(f *Foreach) {
	x := exprChecker{checker: c, place: "FOREACH"}
	x.need(f.List, kList, "FOREACH")
	elems := c.elements(f.List)
	c.with(func(s *scope) {
		c.declareNew(f.Var, "FOREACH")
		s.value(f.Var, elems, kAny)
		for _, clause := range f.Clauses {
			if !isWriting(clause) {
				c.fail("InvalidClauseComposition", clause.Position(), "", "FOREACH only takes clauses that change the graph")
			}
			c.clause(clause)
		}
	})
}

func (c *checker) command(cmd Command) {
	switch cmd.(type) {
	case *Show:
	default:
		c.info.Writes = true
	}
}
