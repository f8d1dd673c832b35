package lang

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
)

// difference says where two trees differ, places aside; "" if nowhere. An empty list is the same as none.
func difference(a, b any) string { return differ("", reflect.ValueOf(a), reflect.ValueOf(b)) }

func differ(path string, a, b reflect.Value) string {
	if a.IsValid() != b.IsValid() || a.IsValid() && a.Type() != b.Type() {
		return fmt.Sprintf("%s: %v and %v", path, a, b)
	}
	if !a.IsValid() || a.Type() == reflect.TypeFor[Pos]() {
		return ""
	}
	switch a.Kind() {
	case reflect.Pointer, reflect.Interface:
		return differ(path, a.Elem(), b.Elem())
	case reflect.Slice:
		if a.Len() != b.Len() {
			return fmt.Sprintf("%s: %d and %d elements", path, a.Len(), b.Len())
		}
		for i := range a.Len() {
			if d := differ(fmt.Sprint(path, "[", i, "]"), a.Index(i), b.Index(i)); d != "" {
				return d
			}
		}
	case reflect.Struct:
		for i := range a.NumField() {
			f := a.Type().Field(i)
			if !f.IsExported() || f.Name == "Text" && a.Type() == reflect.TypeFor[Statement]() {
				continue
			}
			if d := differ(path+"."+f.Name, a.Field(i), b.Field(i)); d != "" {
				return d
			}
		}
	case reflect.Float64:
		if math.Float64bits(a.Float()) != math.Float64bits(b.Float()) {
			return fmt.Sprintf("%s: %v and %v", path, a, b)
		}
	default:
		if !a.Equal(b) {
			return fmt.Sprintf("%s: %v and %v", path, a, b)
		}
	}
	return ""
}

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
		s.Query = &Query{Clauses: []Clause{&CallClause{Show: true, Name: showProcedures}}}
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
		q.Unions = append(q.Unions, &Union{All: g.some(2), Clauses: g.clauses(depth)})
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
		return &Unwind{List: g.expr(3), As: Name{Text: g.name()}}
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
			it.Labels = g.nameList(1 + g.IntN(2))
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
		return &CreateIndex{Name: name, IfNotExists: g.some(2), Rel: g.some(2), Of: Name{Text: g.name()}, Keys: g.nameList(1 + g.IntN(2))}
	case 1:
		c := &CreateConstraint{Name: name, IfNotExists: g.some(2), Rel: g.some(2), Of: Name{Text: g.name()}, Unique: g.some(2), Keys: g.nameList(1)}
		if c.Unique && g.some(2) {
			c.Keys = g.nameList(2)
		}
		return c
	case 2:
		return &Drop{Constraint: g.some(2), Name: Name{Text: g.name()}, IfExists: g.some(2)}
	}
	return &Show{What: pick(g, "INDEXES", "CONSTRAINTS", "FUNCTIONS")}
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
	"+", "-", "*", "/", "%", "^"}

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
		0.0, 1.5, -2.5e-300, 1e21, 1e-7, 5e-324, math.MaxFloat64, 100.0,
		"", "a", "it's", `"`, "\\", "\n\t\r\b\f\x00\u007f", "日本\u0301\u00a0\u200b🧐", "\uFFFD", "--", "//", "`")}
}

// Parse reads what the formatter writes as the same tree.
func TestRoundTrip(t *testing.T) {
	seed := rand.Uint64()
	g := generator{rand.New(rand.NewPCG(seed, 0))}
	for i := range 300 {
		want := g.statement()
		text := want.String()
		script, err := Parse(text)
		if err != nil {
			t.Fatalf("seed %d, tree %d: %s\n%v", seed, i, text, err.(*Error).Pretty())
		}
		if diff := difference(want, script.Statements[0]); diff != "" {
			t.Fatalf("seed %d, tree %d: %s\n%s", seed, i, text, diff)
		}
		if again := script.Statements[0].String(); again != text {
			t.Fatalf("seed %d, tree %d: %s\nis written as\n%s", seed, i, text, again)
		}
	}
}
