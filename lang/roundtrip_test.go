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
	s := &Statement{Explain: pick(g, Run, Explain, Profile), Query: &Query{}}
	if g.some(20) {
		s.Query.Clauses = []Clause{&CallClause{Show: true, Name: showProcedures}}
		return s
	}
	for range g.IntN(3) {
		if g.some(4) {
			s.Query.Clauses = append(s.Query.Clauses, g.procedure())
		} else {
			s.Query.Clauses = append(s.Query.Clauses, g.match())
		}
	}
	s.Query.Clauses = append(s.Query.Clauses, g.returns())
	return s
}

func (g generator) procedure() *CallClause {
	c := &CallClause{Name: pick(g, "algo.kcore", "db.labels", "foo", "my.ns.proc"), Args: g.exprs(g.IntN(3), 2)}
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
	m := &Match{Mode: pick(g, DifferentRelationships, RepeatableElements, DifferentNodes)}
	if m.Mode == DifferentNodes && g.some(2) {
		m.Subgraphs, m.Distinct, m.Induced = true, g.some(2), g.some(2)
	}
	for range 1 + g.IntN(3) {
		p := &PathPattern{Nodes: []*NodePattern{g.node()}}
		for range g.IntN(3) {
			p.Rels = append(p.Rels, g.rel())
			p.Nodes = append(p.Nodes, g.node())
		}
		m.Paths = append(m.Paths, p)
	}
	m.Where = g.maybe(3)
	return m
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
	for range g.IntN(3) {
		r.Types = append(r.Types, Name{Text: g.name()})
	}
	r.Props, r.Where = g.props()
	return r
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
	switch g.IntN(14) {
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
		return &Call{Name: pick(g, "count", "is_clique", "tointeger", "collect", "foo", "my.ns.fn", "rand"), Distinct: g.some(3), Args: g.exprs(g.IntN(3), depth)}
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

// Parse reads what the formatter writes as the same tree.
func TestRoundTrip(t *testing.T) {
	seed := rand.Uint64()
	g := generator{rand.New(rand.NewPCG(seed, 0))}
	for i := range 1500 {
		want := g.statement()
		text := want.String()
		script, err := Parse(text)
		if err != nil {
			t.Fatalf("seed %d, tree %d: %s\n%v", seed, i, text, err)
		}
		if diff := difference(want, script.Statements[0]); diff != "" {
			t.Fatalf("seed %d, tree %d: %s\n%s", seed, i, text, diff)
		}
		if again := script.Statements[0].String(); again != text {
			t.Fatalf("seed %d, tree %d: %s\nis written as\n%s", seed, i, text, again)
		}
	}
}
