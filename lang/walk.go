package lang

// Walk calls visit for x and all expressions inside it, from left to right, parents first. It does not go into the
// parts of an expression for which visit returns false, nor into the query of a Subquery. Variables that an expression binds
// for its own parts, such as that of a comprehension, are met like any other. A nil x is passed over.
func Walk(x Expr, visit func(Expr) bool) {
	if x == nil || !visit(x) {
		return
	}
	for _, part := range parts(x) {
		Walk(part, visit)
	}
}

// parts returns the expressions that x is made of, in the order of the text. Some may be nil.
func parts(x Expr) []Expr {
	switch x := x.(type) {
	case *Property:
		return []Expr{x.Of}
	case *Index:
		return []Expr{x.Of, x.At}
	case *Slice:
		return []Expr{x.Of, x.From, x.To}
	case *Unary:
		return []Expr{x.X}
	case *Binary:
		return []Expr{x.L, x.R}
	case *IsNull:
		return []Expr{x.X}
	case *IsType:
		return []Expr{x.X}
	case *HasLabels:
		return []Expr{x.X}
	case *Call:
		return x.Args
	case *ListLit:
		return x.Items
	case *MapLit:
		return x.Values
	case *Case:
		all := []Expr{x.Test}
		for _, w := range x.Whens {
			all = append(all, w.Cond, w.Then)
		}
		return append(all, x.Else)
	case *ListComprehension:
		return []Expr{x.List, x.Where, x.Map}
	case *Quantifier:
		return []Expr{x.List, x.Where}
	case *Reduce:
		return []Expr{x.Init, x.List, x.Step}
	case *MapProjection:
		all := []Expr{x.Of}
		for _, it := range x.Items {
			all = append(all, it.Value)
		}
		return all
	case *PatternExpr:
		return x.Path.exprs()
	case *PatternComprehension:
		return append(x.Path.exprs(), x.Where, x.Map)
	}
	return nil
}

// exprs is the expressions in the elements of p.
func (p *PathPattern) exprs() (all []Expr) {
	for i, n := range p.Nodes {
		if i > 0 {
			r := p.Rels[i-1]
			all = append(all, r.From, r.Props, r.Where)
			if r.Group != nil {
				all = append(append(all, r.Group.Path.exprs()...), r.Group.Where)
			}
		}
		all = append(all, n.From, n.Props, n.Where)
	}
	return all
}

// walkFree is Walk for what x reads of the scope that it stands in: it passes over the variables that parts of x bind for themselves, and
// for patterns and subqueries it visits what they take from the scope.
func (c *checker) walkFree(x Expr, visit func(Expr) bool) {
	w := freeWalker{c: c, visit: visit, local: map[string]int{}}
	w.expr(x)
}

type freeWalker struct {
	c     *checker
	visit func(Expr) bool
	local map[string]int // how many of the expressions around bind the name
}

func (w *freeWalker) exprs(xs ...Expr) {
	for _, x := range xs {
		w.expr(x)
	}
}

func (w *freeWalker) expr(x Expr) {
	if x == nil || w.own(x) || !w.visit(x) {
		return
	}
	switch x := x.(type) {
	case *ListComprehension:
		w.expr(x.List)
		w.binding([]string{x.Var.Text}, func() { w.exprs(x.Where, x.Map) })
	case *Quantifier:
		w.expr(x.List)
		w.binding([]string{x.Var.Text}, func() { w.expr(x.Where) })
	case *Reduce:
		w.exprs(x.Init, x.List)
		w.binding([]string{x.Acc.Text, x.Var.Text}, func() { w.expr(x.Step) })
	case *PatternExpr:
		w.pattern(x.Path, nil, nil)
	case *PatternComprehension:
		w.pattern(x.Path, x.Where, x.Map)
	case *Subquery:
		w.query(x.Query)
	default:
		w.exprs(parts(x)...)
	}
}

// own tells whether x is a variable that a part around it binds, or a property of one, or null.
func (w *freeWalker) own(x Expr) bool {
	switch x := x.(type) {
	case *Var:
		return x.Null || w.local[x.Name] > 0
	case *Property:
		return w.own(x.Of)
	}
	return false
}

func (w *freeWalker) binding(names []string, walk func()) {
	for _, name := range names {
		w.local[name]++
	}
	walk()
	for _, name := range names {
		w.local[name]--
	}
}

// pattern visits the names of p that the scope has; the others are its own.
func (w *freeWalker) pattern(p *PathPattern, where, result Expr) {
	own := w.names(p)
	w.binding(own, func() { w.exprs(append(p.exprs(), where, result)...) })
}

func (w *freeWalker) names(p *PathPattern) (own []string) {
	use := func(name string, pos Pos) {
		switch {
		case name == "":
		case w.c.scope.find(name) == nil:
			own = append(own, name)
		default:
			w.expr(&Var{Pos: pos, Name: name})
		}
	}
	use(p.Name, p.NamePos)
	for i, n := range p.Nodes {
		if i > 0 {
			r := p.Rels[i-1]
			use(r.Name, r.NamePos)
			if r.Group != nil {
				own = append(own, w.names(r.Group.Path)...)
			}
		}
		use(n.Name, n.NamePos)
	}
	return own
}

// query visits every variable in q whose name the scope has.
func (w *freeWalker) query(q *Query) {
	all := append([]Clause(nil), q.Clauses...)
	for _, u := range q.Unions {
		all = append(all, u.Clauses...)
	}
	for _, clause := range all {
		for _, p := range clausePaths(clause) {
			w.binding(w.names(p), func() { w.foreign(p.exprs()...) })
		}
		w.foreign(clauseExprs(clause)...)
		if sub, ok := clause.(*CallSubquery); ok && (sub.Star || len(sub.Imports) == 0) {
			w.query(sub.Query)
		}
	}
}

// foreign visits the variables of expressions in a subquery that its surroundings have.
func (w *freeWalker) foreign(xs ...Expr) {
	inner := freeWalker{c: w.c, local: w.local}
	inner.visit = func(x Expr) bool {
		if v, ok := x.(*Var); ok && w.c.scope.find(v.Name) != nil {
			w.visit(x)
		}
		return true
	}
	inner.exprs(xs...)
}

// clausePaths is the patterns of a reading clause.
func clausePaths(clause Clause) []*PathPattern {
	if m, ok := clause.(*Match); ok {
		return m.Paths
	}
	return nil
}

// clauseExprs is the expressions of a reading clause, but for those in its patterns.
func clauseExprs(clause Clause) []Expr {
	switch c := clause.(type) {
	case *Match:
		return []Expr{c.Where}
	case *Unwind:
		return []Expr{c.List}
	case *CallClause:
		return append(append([]Expr(nil), c.Args...), c.Where)
	case *With:
		return append(clauseExprs(&c.Return), c.Where)
	case *Return:
		all := []Expr{c.Skip, c.Limit}
		for _, it := range c.Items {
			all = append(all, it.Expr)
		}
		for _, s := range c.Order {
			all = append(all, s.Expr)
		}
		return all
	}
	return nil
}
