package planner

import "github.com/motifql/motif/lang"

// supported refuses what the language has and the planner does not run yet.
func supported(stmt *lang.Statement) error {
	if stmt.Command != nil {
		return notYet("a command about the schema", stmt.Command.Position())
	}
	if len(stmt.Query.Unions) > 0 {
		return notYet("UNION", stmt.Query.Unions[0].Pos)
	}
	for _, clause := range stmt.Query.Clauses {
		if err := supportedClause(clause); err != nil {
			return err
		}
	}
	return nil
}

func notYet(what string, pos lang.Pos) error {
	return &lang.Error{Code: "SyntaxError.NotSupported", Msg: what + " is not supported yet", Pos: pos}
}

func supportedClause(clause lang.Clause) error {
	switch c := clause.(type) {
	case *lang.Match:
		if c.Optional {
			return notYet("OPTIONAL MATCH", c.Pos)
		}
		for _, p := range c.Paths {
			if err := supportedPath(p); err != nil {
				return err
			}
		}
		return supportedExprs(c.Where)
	case *lang.CallClause:
		if c.Implicit && len(c.Args) > 0 {
			return notYet("CALL without brackets", c.Pos)
		}
		return supportedExprs(append(c.Args, c.Where)...)
	case *lang.Return:
		all := []lang.Expr{c.Skip, c.Limit}
		for _, it := range c.Items {
			all = append(all, it.Expr)
		}
		for _, s := range c.Order {
			all = append(all, s.Expr)
		}
		return supportedExprs(all...)
	}
	return notYet("this clause", clause.Position())
}

func supportedPath(p *lang.PathPattern) error {
	if p.Name != "" || p.Mode != lang.NoPathMode || p.Selector.Kind != lang.AllPaths || p.Function != lang.NoPathFunction {
		return notYet("a path with a name, a mode or a selector", p.Pos)
	}
	for _, n := range p.Nodes {
		if err := supportedExprs(n.Props, n.Where); err != nil {
			return err
		}
	}
	for _, r := range p.Rels {
		if r.Length != nil || r.Group != nil || r.TypeExpr != nil {
			return notYet("a path of variable length, or an operator between types", r.Pos)
		}
		if err := supportedExprs(r.Props, r.Where); err != nil {
			return err
		}
	}
	return nil
}

// supportedExprs looks at expressions, of which some may be nil.
func supportedExprs(all ...lang.Expr) (err error) {
	for _, x := range all {
		lang.Walk(x, func(x lang.Expr) bool {
			switch x.(type) {
			case *lang.ListComprehension, *lang.Quantifier, *lang.Reduce, *lang.MapProjection, *lang.PatternExpr, *lang.PatternComprehension, *lang.Subquery:
				if err == nil {
					err = notYet("this kind of expression", x.Position())
				}
			}
			return err == nil
		})
	}
	return err
}
