package lang

import (
	"fmt"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"
)

// builder makes the syntax tree out of what the grammar read. It fails by panicking with an *Error, which built
// recovers.
type builder struct {
	text      string
	depth     int // prefix operators that enclose the current expression
	operators int // so far, see maxOperators
	copies    int // middle operands of comparison chains that enclose the current one, see chain
}

// built runs build and returns its result, or the error that it panicked with.
func built[T any](b *builder, build func() T) (result T, err error) {
	defer func() {
		if e, ok := recover().(*Error); ok {
			err = e
		}
	}()
	return build(), nil
}

func (b *builder) fail(code string, pos Pos, hint, format string, args ...any) {
	panic(&Error{Code: code, Msg: fmt.Sprintf(format, args...), Hint: hint, Pos: pos, Query: b.text})
}

func (b *builder) statement(g *gStatement) *Statement {
	stmt := &Statement{Query: &Query{}}
	switch strings.ToUpper(g.Explain.Value) {
	case "EXPLAIN":
		stmt.Explain = Explain
	case "PROFILE":
		stmt.Explain = Profile
	}
	if g.Show.Value != "" {
		show := &CallClause{Pos: posOf(g.Show), Show: true, Name: showProcedures, NamePos: posOf(g.Show)}
		stmt.Query.Clauses = append(stmt.Query.Clauses, show)
	}
	for _, c := range g.Clauses {
		stmt.Query.Clauses = append(stmt.Query.Clauses, b.clause(c))
	}
	return stmt
}

func (b *builder) clause(g *gClause) Clause {
	switch {
	case g.Match != nil:
		return b.match(g.Match)
	case g.Call != nil:
		return b.procedure(g.Call)
	}
	return b.returns(g.Return)
}

// procedure reads CALL. The name of a procedure that exists is taken as it is usually written.
func (b *builder) procedure(g *gProc) *CallClause {
	c := &CallClause{Pos: posOf(g.Call), Args: b.exprs(g.Args), Where: b.optional(g.Where)}
	c.Name, c.NamePos = b.dotted(g.Head, g.Path)
	if p := FindProcedure(c.Name); p != nil {
		c.Name = p.Name
	}
	if g.Star.Value != "" {
		c.Star = true
		if p := FindProcedure(c.Name); p != nil {
			for _, col := range p.With(c.Args).Columns {
				name := Name{Pos: posOf(g.Star), Text: col.Name}
				c.Yield = append(c.Yield, &YieldItem{Column: name, As: name})
			}
		}
	}
	for _, y := range g.Yield {
		column := Name{Pos: posOf(y.Column), Text: b.nonempty(y.Column)}
		item := &YieldItem{Column: column, As: column}
		if y.As.Value != "" {
			item.As = Name{Pos: posOf(y.As), Text: b.nonempty(y.As)}
		}
		c.Yield = append(c.Yield, item)
	}
	return c
}

// dotted is a name with dots.
func (b *builder) dotted(head lexer.Token, path []*gName) (name string, pos Pos) {
	name, pos = b.nonempty(head), posOf(head)
	for _, part := range path {
		name += "." + b.nonempty(part.Token)
		pos.Len = endOf(part.Token) - pos.Offset
	}
	return name, pos
}

func (b *builder) match(g *gMatch) *Match {
	m := &Match{Pos: posOf(g.Match), Where: b.optional(g.Where)}
	if mode := g.Mode; mode != nil {
		switch different := strings.ToUpper(mode.Different.Value); {
		case mode.Repeatable:
			m.Mode = RepeatableElements
		case different == "NODES" || different == "VERTICES":
			m.Mode = DifferentNodes
		case different == "":
			m.Mode, m.Subgraphs, m.Distinct, m.Induced = DifferentNodes, true, mode.Distinct, mode.Induced
		}
	}
	for _, p := range g.Paths {
		m.Paths = append(m.Paths, b.path(p))
	}
	return m
}

func (b *builder) path(g *gPath) *PathPattern {
	p := &PathPattern{Pos: span(g.Tokens[0], g.Tokens[len(g.Tokens)-1]), Nodes: []*NodePattern{b.node(g.Head)}}
	for _, h := range g.Hops {
		p.Rels = append(p.Rels, b.rel(h.Rel))
		p.Nodes = append(p.Nodes, b.node(h.Node))
	}
	return p
}

func (b *builder) node(g *gNode) *NodePattern {
	n := &NodePattern{Pos: span(g.Tokens[0], g.Tokens[len(g.Tokens)-1])}
	n.Name, n.NamePos = b.nonempty(g.Name), posOf(g.Name)
	n.Labels = b.labels(g.Labels)
	n.Props, n.Where = b.props(g.Props), b.optional(g.Where)
	return n
}

func (b *builder) rel(g *gRel) *RelPattern {
	r := &RelPattern{Pos: span(g.Tokens[0], g.Tokens[len(g.Tokens)-1])}
	switch {
	case g.Left && !g.Right:
		r.Direction = Left
	case g.Right && !g.Left:
		r.Direction = Right
	}
	d := g.Detail
	if d == nil {
		return r
	}
	r.Name, r.NamePos = b.nonempty(d.Name), posOf(d.Name)
	if d.Types != nil {
		for _, t := range d.Types.Names {
			r.Types = append(r.Types, Name{Pos: posOf(t.Token), Text: b.nonempty(t.Token)})
		}
	}
	r.Props, r.Where = b.props(d.Props), b.optional(d.Where)
	return r
}

func (b *builder) props(g *gProps) Expr {
	switch {
	case g == nil:
		return nil
	case g.Map != nil:
		return b.mapLit(g.Map)
	}
	return b.param(g.Param)
}

// labels joins :A:B, the old way to write a conjunction. It is not mixed with the operators: whether :A:B|C means
// A and (B or C) or (A and B) or C is anybody's guess.
func (b *builder) labels(g *gLabels) *LabelExpr {
	if g == nil {
		return nil
	}
	all := make([]*LabelExpr, len(g.Colons))
	for i, c := range g.Colons {
		all[i] = b.labelOr(c)
		if len(g.Colons) > 1 && all[i].Op != LabelName {
			b.fail(codeSyntax, all[i].Pos, "write & in place of the second colon, with brackets where they are needed",
				"labels joined by colons are not mixed with other operators")
		}
	}
	return joinLabels(LabelAnd, all)
}

// joinLabels returns the only operand, or a node that joins several.
func joinLabels(op LabelOp, args []*LabelExpr) *LabelExpr {
	if len(args) == 1 {
		return args[0]
	}
	return &LabelExpr{Pos: args[0].Pos, Op: op, Args: args}
}

func (b *builder) labelOr(g *gLabelOr) *LabelExpr {
	args := make([]*LabelExpr, len(g.Of))
	for i, and := range g.Of {
		factors := make([]*LabelExpr, len(and.Of))
		for j, not := range and.Of {
			factors[j] = b.labelNot(not)
		}
		args[i] = joinLabels(LabelAnd, factors)
	}
	return joinLabels(LabelOr, args)
}

func (b *builder) labelNot(g *gLabelNot) *LabelExpr {
	var l *LabelExpr
	switch {
	case g.Name != nil:
		l = &LabelExpr{Pos: posOf(g.Name.Token), Op: LabelName, Name: b.nonempty(g.Name.Token)}
	case g.Of != nil:
		l = b.labelOr(g.Of)
	default:
		l = &LabelExpr{Pos: posOf(g.Any), Op: LabelAny}
	}
	if len(g.Not) > maxNesting {
		panic(tooDeep(b.text, g.Not[maxNesting]))
	}
	for i := len(g.Not) - 1; i >= 0; i-- {
		l = &LabelExpr{Pos: posOf(g.Not[i]), Op: LabelNot, Args: []*LabelExpr{l}}
	}
	return l
}

func (b *builder) returns(g *gReturn) *Return {
	r := &Return{Pos: posOf(g.Return), Distinct: g.Distinct, Star: g.Star}
	for _, it := range append(g.More, g.Items...) {
		r.Items = append(r.Items, b.item(it))
	}
	for _, s := range g.Order {
		dir := strings.ToUpper(s.Dir.Value)
		r.Order = append(r.Order, &SortItem{Expr: b.expr(s.Expr), Descending: dir == "DESC" || dir == "DESCENDING"})
	}
	r.Skip, r.Limit = b.optional(g.Skip), b.optional(g.Limit)
	return r
}

// item names the column by the alias, or by the text of the expression. A lone variable's column has the variable's
// name, without backticks.
func (b *builder) item(g *gItem) *ReturnItem {
	first, last := g.Tokens[0], g.Tokens[len(g.Tokens)-1]
	it := &ReturnItem{Pos: span(first, last), Expr: b.expr(g.Expr)}
	if g.As.Value != "" {
		it.Name, it.Aliased = b.nonempty(g.As), true
		return it
	}
	it.Name = b.text[first.Pos.Offset:endOf(last)]
	if v, ok := it.Expr.(*Var); ok {
		it.Name = v.Name
	}
	return it
}

// name is the text of a name token: quoted names without their backticks. The empty token is "".
func (b *builder) name(t lexer.Token) string {
	if t.Type == kindQuoted {
		return strings.ReplaceAll(t.Value[1:len(t.Value)-1], "``", "`")
	}
	return t.Value
}

// nonempty is the text of a token that names anything but a property key: “ names nothing.
func (b *builder) nonempty(t lexer.Token) string {
	name := b.name(t)
	if name == "" && t.Value != "" {
		b.fail(codeSyntax, posOf(t), "", "only the name of a property can be empty")
	}
	return name
}
