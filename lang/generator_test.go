package lang

import (
	"math/rand/v2"
	"slices"
)

// generator makes random trees, such as Parse can make them.
type generator struct{ *rand.Rand }

func pick[T any](g generator, xs ...T) T { return xs[g.IntN(len(xs))] }

func (g generator) some(n int) bool { return g.IntN(n) == 0 }

func (g generator) name() string {
	return pick(g, "a", "b", "x1", "_y", "größe", "名前", "différent", "nodes", "INDUCED", "offset", "with", "Match", "in", "a b", "`", "1st",
		"any", "count", "profile", "ends", "$", "case")
}

func (g generator) key() string {
	if g.some(20) {
		return ""
	}
	return g.name()
}

func (g generator) statement() *Statement {
	s := &Statement{Explain: pick(g, Run, Explain, Profile)}
	switch {
	case g.some(20):
		s.Query = &Query{Clauses: []Clause{&CallClause{Show: true, Name: pick(g, showWords...).procedure}}}
	case g.some(8):
		s.Command = g.command()
	default:
		s.Query = g.query(2)
	}
	return s
}

// query makes a query with subqueries inside each other at most so deep.
func (g generator) query(depth int) *Query {
	q := &Query{Clauses: g.clauses(depth)}
	for range g.IntN(2) * g.IntN(3) {
		u := &Union{Op: SetOp(g.IntN(len(setOps))), Clauses: g.clauses(depth)}
		u.All = u.Op != OtherwiseOp && g.some(2)
		q.Unions = append(q.Unions, u)
	}
	return q
}

func (g generator) clauses(depth int) (list []Clause) {
	for range 1 + g.IntN(3) {
		list = append(list, g.clause(depth))
	}
	if g.some(2) {
		list = append(list, g.returns())
	}
	return list
}

func (g generator) clause(depth int) Clause {
	switch g.IntN(14) {
	case 0:
		return g.procedure()
	case 1:
		u := &Unwind{List: g.expr(3), As: Name{Text: g.name()}}
		if g.some(3) {
			u.At.Text, u.Ordinal = g.name(), g.some(2)
		}
		return u
	case 2, 3:
		return &With{Return: *g.returns(), Where: g.maybe(2)}
	case 4:
		if depth > 0 {
			return g.subquery(depth - 1)
		}
	case 5, 6, 7:
		return g.writing(depth)
	}
	return g.match()
}

func (g generator) subquery(depth int) Clause {
	c := &CallSubquery{Scoped: g.some(2), Query: g.query(depth)}
	if c.Transactions = g.some(4); c.Transactions {
		c.Rows, c.OnError = g.maybe(1), ErrorRule(g.IntN(3))
		if c.OnError != ErrorFails && g.some(2) {
			c.Status = Name{Text: g.name()}
		}
	}
	if c.Scoped {
		if c.Star = g.some(3); !c.Star {
			c.Imports = g.nameList(g.IntN(3))
		}
	}
	return c
}

func (g generator) nameList(n int) (list []Name) {
	for range n {
		list = append(list, Name{Text: g.name()})
	}
	return list
}

func (g generator) writing(depth int) Clause {
	switch g.IntN(7) {
	case 0:
		return &Create{Paths: g.paths()}
	case 1:
		return &Merge{Path: g.path(2), OnCreate: g.setItems(g.IntN(2)), OnMatch: g.setItems(g.IntN(3))}
	case 2:
		return &Set{Items: g.setItems(1 + g.IntN(2))}
	case 3:
		r := &Remove{}
		for range 1 + g.IntN(2) {
			it := &SetItem{Of: &Property{Of: g.expr(1), Key: g.key()}}
			if g.some(2) {
				it = &SetItem{Kind: SetLabels, Of: &Var{Name: g.name()}, Labels: g.nameList(1 + g.IntN(2))}
			}
			r.Items = append(r.Items, it)
		}
		return r
	case 4:
		return &Delete{Detach: g.some(2), Exprs: g.exprs(1+g.IntN(2), 2)}
	case 5:
		if depth > 0 {
			return &Foreach{Var: Name{Text: g.name()}, List: g.expr(2), Clauses: []Clause{g.writing(depth - 1)}}
		}
	}
	return &LoadCSV{Headers: g.some(2), From: g.expr(2), As: Name{Text: g.name()}, Terminator: pick(g, "", ";", "\t")}
}

func (g generator) setItems(n int) (list []*SetItem) {
	for range n {
		it := &SetItem{Kind: pick(g, SetProperty, SetMap, AddMap, SetLabels), Of: &Var{Name: g.name()}}
		switch it.Kind {
		case SetLabels:
			if it.Labels = g.nameList(1 + g.IntN(2)); g.some(3) {
				it.Value = g.expr(1)
			}
		case SetProperty:
			if it.Of = (&Property{Of: g.expr(1), Key: g.key()}); g.some(4) {
				it.Of = &Index{Of: g.expr(1), At: g.expr(1)}
			}
			fallthrough
		default:
			it.Value = g.expr(2)
		}
		list = append(list, it)
	}
	return list
}

func (g generator) command() Command {
	name := Name{Text: pick(g, "", "idx", "if", "for", "a b")}
	switch g.IntN(4) {
	case 0:
		c := &CreateIndex{Name: name, IfNotExists: g.some(2), Rel: g.some(2), Of: Name{Text: g.name()}, Keys: g.differentNames(1 + g.IntN(2))}
		c.Form.Text = pick(g, "", "", "RANGE", "TEXT")
		if g.some(6) {
			c.Options = g.mapLit(1)
		}
		return c
	case 1:
		c := g.constraint()
		c.Name, c.IfNotExists = name, g.some(2)
		return c
	case 2:
		d := &Drop{Constraint: g.some(2), IfExists: g.some(2)}
		switch {
		case g.some(2):
			d.Name.Text = g.name()
		case d.Constraint:
			d.Rule = g.constraint()
		default:
			d.Index = &CreateIndex{Of: Name{Text: g.name()}, Keys: g.differentNames(1 + g.IntN(2))}
		}
		return d
	}
	return &CreateIndex{Of: Name{Text: g.name()}, Keys: g.differentNames(1)}
}

func (g generator) constraint() *CreateConstraint {
	c := &CreateConstraint{Rel: g.some(2), Of: Name{Text: g.name()}, Demand: pick(g, DemandUnique, DemandNotNull, DemandKey, DemandType), Keys: g.differentNames(1)}
	switch c.Demand {
	case DemandUnique, DemandKey:
		c.Keys = g.differentNames(1 + g.IntN(2))
	case DemandType:
		c.Type = &ValueType{Any: []TypeName{{Name: pick(g, "INTEGER", "LOCAL TIME", "STRING")}}}
		if g.some(2) {
			c.Type.Any = append(c.Type.Any, TypeName{Name: "LIST", Of: &ValueType{Any: []TypeName{{Name: "STRING", NotNull: g.some(2)}}}})
		}
	}
	return c
}

// differentNames makes n names that are not equal.
func (g generator) differentNames(n int) (list []Name) {
	for len(list) < n {
		name := Name{Text: g.name()}
		if !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

func (g generator) procedure() *CallClause {
	c := &CallClause{Name: pick(g, "algo.kcore", "db.labels", "foo", "my.ns.proc"), Implicit: g.some(4)}
	if !c.Implicit {
		c.Args = g.exprs(g.IntN(3), 2)
	}
	for range g.IntN(3) {
		item := &YieldItem{Column: Name{Text: g.name()}}
		if item.As = item.Column; g.some(2) {
			item.As.Text = g.name()
		}
		c.Yield = append(c.Yield, item)
	}
	if len(c.Yield) > 0 {
		c.Where = g.maybe(2)
	}
	return c
}

func (g generator) match() *Match {
	m := &Match{Optional: g.some(4), Mode: pick(g, DifferentRelationships, RepeatableElements, DifferentNodes), Paths: g.paths()}
	if m.Mode == DifferentNodes && g.some(2) {
		m.Subgraphs, m.Distinct, m.Induced = true, g.some(2), g.some(2)
	}
	m.Where = g.maybe(3)
	return m
}

func (g generator) paths() (list []*PathPattern) {
	for range 1 + g.IntN(3) {
		list = append(list, g.path(2))
	}
	return list
}

func (g generator) path(depth int) *PathPattern {
	p := g.chain(depth)
	if g.some(4) {
		p.Name = g.name()
	}
	if g.some(6) {
		p.Function = pick(g, ShortestPath, AllShortestPaths)
		return p
	}
	p.Mode = pick(g, NoPathMode, NoPathMode, WalkMode, TrailMode, SimpleMode, AcyclicMode)
	p.Selector.Kind = pick(g, AllPaths, AllPaths, AllPaths, AnyPaths, AllShortest, ShortestPaths, ShortestGroups)
	if k := p.Selector.Kind; (k == AnyPaths || k == ShortestPaths || k == ShortestGroups) && g.some(2) {
		p.Selector.K = pick[Expr](g, &Literal{Value: int64(3)}, g.param())
	}
	return p
}

// chain makes nodes and relationships, and parenthesised paths that are inside each other at most so deep.
func (g generator) chain(depth int) *PathPattern {
	p := &PathPattern{Nodes: []*NodePattern{g.node()}}
	for range g.IntN(3) {
		r := g.rel()
		if depth > 0 && g.some(5) {
			r = &RelPattern{Group: &Group{Path: g.chain(depth - 1), Where: g.maybe(1)}, Length: g.quantifier()}
			if g.some(3) {
				r.Group.Path.Name = g.name()
			}
		}
		p.Rels = append(p.Rels, r)
		p.Nodes = append(p.Nodes, g.node())
	}
	return p
}

// pattern makes a path that can stand in an expression.
func (g generator) pattern() *PathPattern {
	p := &PathPattern{Nodes: []*NodePattern{g.node()}}
	for range 1 + g.IntN(2) {
		p.Rels = append(p.Rels, g.rel())
		p.Nodes = append(p.Nodes, g.node())
	}
	return p
}

func (g generator) quantifier() *Length {
	switch g.IntN(4) {
	case 0:
		return nil
	case 1:
		return &Length{Max: -1, Min: int64(g.IntN(3))}
	}
	l := &Length{Min: int64(g.IntN(3))}
	l.Max = l.Min + int64(g.IntN(3))
	return l
}

func (g generator) node() *NodePattern {
	n := &NodePattern{}
	if g.some(2) {
		n.Name = g.name()
	}
	if g.some(2) {
		n.Labels = g.labels(3)
	}
	n.Props, n.Where = g.props()
	return n
}

func (g generator) rel() *RelPattern {
	r := &RelPattern{Direction: pick(g, Undirected, Left, Right)}
	if g.some(2) {
		r.Name = g.name()
	}
	r.Types = g.nameList(g.IntN(3))
	if r.Types == nil && g.some(3) {
		for r.TypeExpr == nil || onlyNames(r.TypeExpr) {
			r.TypeExpr = g.labels(2)
		}
	}
	if r.Length = g.quantifier(); r.Length != nil {
		r.Length.Star = g.some(2)
	}
	r.Props, r.Where = g.props()
	return r
}

// onlyNames tells whether l is what Types holds: names joined by |.
func onlyNames(l *LabelExpr) bool {
	if l.Op == LabelName {
		return true
	}
	for _, arg := range l.Args {
		if arg.Op != LabelName {
			return false
		}
	}
	return l.Op == LabelOr
}

func (g generator) props() (props, where Expr) {
	switch g.IntN(6) {
	case 0:
		props = g.mapLit(2)
	case 1:
		props = g.param()
	}
	if g.some(4) {
		where = g.expr(2)
	}
	return props, where
}

func (g generator) labels(depth int) *LabelExpr {
	if depth == 0 || g.some(3) {
		if g.some(4) {
			return &LabelExpr{Op: LabelAny}
		}
		return &LabelExpr{Op: LabelName, Name: g.name()}
	}
	l := &LabelExpr{Op: pick(g, LabelNot, LabelAnd, LabelOr), Args: []*LabelExpr{g.labels(depth - 1)}}
	if l.Op != LabelNot {
		for range 1 + g.IntN(2) {
			l.Args = append(l.Args, g.labels(depth-1))
		}
	}
	return l
}

func (g generator) returns() *Return {
	r := &Return{Distinct: g.some(3), Star: g.some(4)}
	n := g.IntN(3)
	if !r.Star {
		n++
	}
	for range n {
		it := &ReturnItem{Expr: g.expr(4), Aliased: true}
		if it.Name = g.name(); g.some(2) {
			it.Aliased = false
			it.Name = Text(it.Expr)
			if v, ok := it.Expr.(*Var); ok {
				it.Name = v.Name
			}
		}
		r.Items = append(r.Items, it)
	}
	for range g.IntN(3) {
		r.Order = append(r.Order, &SortItem{Expr: g.expr(3), Descending: g.some(2)})
	}
	r.Skip, r.Limit = g.maybe(2), g.maybe(2)
	return r
}
