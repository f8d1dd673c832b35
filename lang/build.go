package lang

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"
)

// builder makes the syntax tree out of what the grammar read. It fails by panicking with an *Error, which built
// recovers.
type builder struct {
	text      string
	depth     int  // prefix operators that enclose the current expression
	operators int  // so far, see maxOperators
	creates   bool // the patterns are those of CREATE or MERGE
	copies    int  // middle operands of comparison chains that enclose the current one, see chain
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
	stmt := &Statement{}
	if d := cmp.Or(g.Dialect, g.Inner); d != nil {
		stmt.dialectPos = span(d.Tokens[0], d.Tokens[len(d.Tokens)-1])
		stmt.Dialect = b.text[stmt.dialectPos.Offset : stmt.dialectPos.Offset+stmt.dialectPos.Len]
	}
	switch strings.ToUpper(g.Explain.Value) {
	case "EXPLAIN":
		stmt.Explain = Explain
	case "PROFILE":
		stmt.Explain = Profile
	}
	switch {
	case g.Show != nil:
		stmt.Query = schemaBuilder{b}.show(g.Show)
	case g.Create != nil:
		stmt.Command = schemaBuilder{b}.define(g.Create)
	case g.Drop != nil:
		stmt.Command = schemaBuilder{b}.drop(g.Drop)
	default:
		stmt.Query = b.query(g.Query)
		if stmt.Periodic = g.Using.Value != ""; stmt.Periodic {
			stmt.usingPos = posOf(g.Using)
		}
	}
	return stmt
}

func (b *builder) query(g *gQuery) *Query {
	q := &Query{Clauses: b.clauses(g.Clauses)}
	for _, u := range g.Unions {
		word := first(u.Op, u.Else)
		op := SetOp(slices.Index(setOps[:], strings.ToUpper(word.Value)))
		q.Unions = append(q.Unions, &Union{Pos: posOf(word), Op: op, All: u.All, Clauses: b.clauses(u.Clauses)})
	}
	if g.Next != nil {
		return tableBuilder{b}.next(q, g.Next)
	}
	return q
}

func (b *builder) clauses(gs []*gClause) []Clause {
	out := make([]Clause, len(gs))
	for i, g := range gs {
		out[i] = b.clause(g)
	}
	return out
}

func (b *builder) clause(g *gClause) Clause {
	switch {
	case g.Match != nil:
		return b.match(g.Match)
	case g.Call != nil && g.Call.Sub != nil:
		return b.subquery(g.Call)
	case g.Call != nil && g.Call.Opt.Value != "":
		return optionalCall(b, g.Call)
	case g.Call != nil:
		return b.procedure(g.Call)
	case g.Unwind != nil:
		return &Unwind{Pos: posOf(g.Unwind.Unwind), List: b.expr(g.Unwind.List), As: b.named(g.Unwind.As)}
	case g.With != nil:
		w := &With{Where: b.optional(g.With.Where)}
		b.projection(&w.Return, g.With.With, &g.With.Body)
		return w
	case g.Return != nil:
		r := &Return{}
		b.projection(r, g.Return.Return, &g.Return.Body)
		return r
	}
	if c := (tableBuilder{b}).clause(g); c != nil {
		return c
	}
	return b.writing(g)
}

// named is the name that a token is.
func (b *builder) named(t lexer.Token) Name { return Name{Pos: posOf(t), Text: b.nonempty(t)} }

func (b *builder) subquery(g *gProc) *CallSubquery {
	c := &CallSubquery{Pos: posOf(g.Call), Scoped: g.Sub.Open, Star: g.Sub.Star}
	for _, v := range g.Sub.Imports {
		c.Imports = append(c.Imports, b.named(v.Token))
	}
	c.Query = b.query(g.Sub.Query)
	if c.Optional = g.Opt.Value != ""; c.Optional {
		c.Pos = span(g.Opt, g.Call)
	}
	if c.Transactions = g.Sub.In.Value != ""; c.Transactions {
		c.inPos, c.concurrentPos, c.Rows = posOf(g.Sub.In), posOf(g.Sub.Concurrent), b.optional(g.Sub.Rows)
		c.OnError = map[string]ErrorRule{"CONTINUE": ErrorContinues, "BREAK": ErrorBreaks}[strings.ToUpper(g.Sub.On.Value)]
		if g.Sub.As.Value != "" {
			c.Status = b.named(g.Sub.As)
		}
	}
	return c
}

// optionalCall reads OPTIONAL CALL of a procedure as OPTIONAL CALL (*) { CALL ... RETURN columns }.
func optionalCall(b *builder, g *gProc) *CallSubquery {
	call := b.procedure(g)
	if len(call.Yield) == 0 || call.Star {
		b.fail(codeSyntax, posOf(g.Opt), "write YIELD and the columns behind it", "OPTIONAL CALL must say which columns it yields")
	}
	items := schemaBuilder{b}.yielded(call)
	return &CallSubquery{Pos: span(g.Opt, g.Call), Scoped: true, Star: true, Optional: true,
		Query: &Query{Clauses: []Clause{call, &Return{Pos: call.Pos, Items: items}}}}
}

// procedure reads CALL. The name of a procedure that exists is taken as it is usually written.
func (b *builder) procedure(g *gProc) *CallClause {
	c := &CallClause{Pos: posOf(g.Call), Implicit: !g.Open, Args: b.exprs(g.Args), Where: b.optional(g.Where)}
	c.Name, c.NamePos = b.dotted(g.Head, g.Path)
	p := FindProcedure(c.Name)
	if p != nil {
		c.Name = p.Name
	}
	if g.Star.Value != "" {
		c.Star = true
		if p != nil {
			for _, col := range p.With(c.Args).Columns {
				name := Name{Pos: posOf(g.Star), Text: col.Name}
				c.Yield = append(c.Yield, &YieldItem{Column: name, As: name})
			}
		}
	}
	for _, y := range g.Yield {
		c.Yield = append(c.Yield, yieldItem(b, y))
	}
	return c
}

func yieldItem(b *builder, g *gYield) *YieldItem {
	item := &YieldItem{Column: b.named(g.Column)}
	if item.As = item.Column; g.As.Value != "" {
		item.As = b.named(g.As)
	}
	return item
}

// dotted is a name with dots.
func (b *builder) dotted(head lexer.Token, path []gName) (name string, pos Pos) {
	name, pos = b.nonempty(head), posOf(head)
	for _, part := range path {
		name += "." + b.nonempty(part.Token)
		pos.Len = endOf(part.Token) - pos.Offset
	}
	return name, pos
}

// projection fills in what RETURN and WITH have in common; t is the word.
func (b *builder) projection(r *Return, t lexer.Token, g *gProjection) {
	r.Pos, r.Distinct, r.Star = posOf(t), g.Distinct, g.Star
	items := g.Items
	if g.Star {
		items = g.More
	}
	for i := range items {
		r.Items = append(r.Items, b.item(&items[i]))
	}
	r.Order = tableBuilder{b}.sorts(g.Order)
	r.Skip, r.Limit = b.optional(g.Skip), b.optional(g.Limit)
}

func (b tableBuilder) sorts(gs []gSort) (items []*SortItem) {
	for i := range gs {
		s := &gs[i]
		dir := strings.ToUpper(s.Dir.Value)
		items = append(items, &SortItem{Expr: b.expr(&s.Expr), Descending: dir == "DESC" || dir == "DESCENDING"})
	}
	return items
}

// item names the column by the alias, or by the text of the expression. A lone variable's column has the variable's
// name, without backticks.
func (b *builder) item(g *gItem) *ReturnItem {
	first, last := g.Tokens[0], g.Tokens[len(g.Tokens)-1]
	it := &ReturnItem{Pos: span(first, last), Expr: b.expr(&g.Expr)}
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
