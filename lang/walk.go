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
			all = append(all, r.Props, r.Where)
			if r.Group != nil {
				all = append(append(all, r.Group.Path.exprs()...), r.Group.Where)
			}
		}
		all = append(all, n.Props, n.Where)
	}
	return all
}
