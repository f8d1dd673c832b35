package lang

import (
	"fmt"
	"strings"
)

// The String methods of this file are the formatter: Parse reads what they write as the same tree, but for places. Keywords are in
// upper case, each clause begins a line, brackets stand only where they are needed, and comments are gone. A column
// without an alias keeps its text as it was written, because that text is its name.

func (s *Script) String() string {
	var b strings.Builder
	for _, stmt := range s.Statements {
		b.WriteString(stmt.String() + ";\n")
	}
	return b.String()
}

func (s *Statement) String() string {
	text := ""
	if s.Command != nil {
		text = fmt.Sprint(s.Command)
	} else {
		text = s.Query.String()
	}
	if s.Periodic {
		text = "USING PERIODIC COMMIT\n" + text
	}
	switch s.Explain {
	case Explain:
		text = "EXPLAIN " + text
	case Profile:
		text = "PROFILE " + text
	}
	if s.Dialect != "" {
		text = s.Dialect + "\n" + text
	}
	return text
}

func (q *Query) String() string { return write((*printer).query, q) }

func (m *Match) String() string            { return write((*printer).match, m) }
func (c *CallClause) String() string       { return write((*printer).procedure, c) }
func (c *CallSubquery) String() string     { return write((*printer).callSubquery, c) }
func (c *Unwind) String() string           { return write((*printer).unwind, c) }
func (c *With) String() string             { return write((*printer).with, c) }
func (r *Return) String() string           { return write((*printer).returns, r) }
func (f *Finish) String() string           { return "FINISH" }
func (c *Create) String() string           { return write((*printer).create, c) }
func (c *Merge) String() string            { return write((*printer).merge, c) }
func (c *Set) String() string              { return write((*printer).set, c) }
func (c *Remove) String() string           { return write((*printer).remove, c) }
func (c *Delete) String() string           { return write((*printer).delete, c) }
func (c *Foreach) String() string          { return write((*printer).foreach, c) }
func (c *LoadCSV) String() string          { return write((*printer).load, c) }
func (c *CreateIndex) String() string      { return writeSchema(schemaPrinter.createIndex, c) }
func (c *CreateConstraint) String() string { return writeSchema(schemaPrinter.createConstraint, c) }
func (c *Drop) String() string             { return writeSchema(schemaPrinter.drop, c) }
func (x *PathPattern) String() string      { return write((*printer).path, x) }
func (x *NodePattern) String() string      { return write((*printer).node, x) }
func (x *RelPattern) String() string       { return write((*printer).rel, x) }
func (x *LabelExpr) String() string        { return write((*printer).anyLabels, x) }
func (x *ReturnItem) String() string       { return write((*printer).item, x) }
func (x *SortItem) String() string         { return write((*printer).sort, x) }
func (x *SetItem) String() string          { return write((*printer).setItem, x) }

func (x *Literal) String() string              { return write((*printer).anyExpr, Expr(x)) }
func (x *Param) String() string                { return write((*printer).anyExpr, Expr(x)) }
func (x *Var) String() string                  { return write((*printer).anyExpr, Expr(x)) }
func (x *Property) String() string             { return write((*printer).anyExpr, Expr(x)) }
func (x *Index) String() string                { return write((*printer).anyExpr, Expr(x)) }
func (x *Slice) String() string                { return write((*printer).anyExpr, Expr(x)) }
func (x *Unary) String() string                { return write((*printer).anyExpr, Expr(x)) }
func (x *Binary) String() string               { return write((*printer).anyExpr, Expr(x)) }
func (x *IsNull) String() string               { return write((*printer).anyExpr, Expr(x)) }
func (x *IsType) String() string               { return write((*printer).anyExpr, Expr(x)) }
func (x *HasLabels) String() string            { return write((*printer).anyExpr, Expr(x)) }
func (x *Call) String() string                 { return write((*printer).anyExpr, Expr(x)) }
func (x *CountStar) String() string            { return write((*printer).anyExpr, Expr(x)) }
func (x *ListLit) String() string              { return write((*printer).anyExpr, Expr(x)) }
func (x *MapLit) String() string               { return write((*printer).anyExpr, Expr(x)) }
func (x *Case) String() string                 { return write((*printer).anyExpr, Expr(x)) }
func (x *ListComprehension) String() string    { return write((*printer).anyExpr, Expr(x)) }
func (x *Quantifier) String() string           { return write((*printer).anyExpr, Expr(x)) }
func (x *Reduce) String() string               { return write((*printer).anyExpr, Expr(x)) }
func (x *MapProjection) String() string        { return write((*printer).anyExpr, Expr(x)) }
func (x *PatternExpr) String() string          { return write((*printer).anyExpr, Expr(x)) }
func (x *PatternComprehension) String() string { return write((*printer).anyExpr, Expr(x)) }
func (x *Subquery) String() string             { return write((*printer).anyExpr, Expr(x)) }

// Text is x as the formatter writes it.
func Text(x Expr) string { return write((*printer).anyExpr, x) }

type printer struct {
	strings.Builder
	bar int // how many comprehensions and the like are around: in them an | in labels needs brackets
}

// within writes what stands in braces of its own.
func (p *printer) within(print func()) {
	bar := p.bar
	p.bar = 0
	print()
	p.bar = bar
}

func write[T any](print func(*printer, T), x T) string {
	var p printer
	print(&p, x)
	return p.String()
}

// list writes the elements of xs with sep between them.
func list[T any](p *printer, sep string, xs []T, print func(T)) {
	for i, x := range xs {
		if i > 0 {
			p.WriteString(sep)
		}
		print(x)
	}
}

// clause writes x after word, if there is an x.
func (p *printer) clause(word string, x Expr) {
	if x != nil {
		p.WriteString(word)
		p.anyExpr(x)
	}
}

func (p *printer) query(q *Query) {
	p.clauses(q.Clauses)
	for _, u := range q.Unions {
		p.WriteString("\n" + u.Op.String() + " ")
		if u.All {
			p.WriteString("ALL ")
		}
		p.WriteByte('\n')
		p.clauses(u.Clauses)
	}
}

func (p *printer) clauses(cs []Clause) {
	list(p, "\n", cs, p.anyClause)
}

func (p *printer) anyClause(c Clause) {
	switch c := c.(type) {
	case *Match:
		p.match(c)
	case *With:
		p.with(c)
	case *Return:
		p.returns(c)
	case *Unwind:
		p.unwind(c)
	case *CallClause:
		p.procedure(c)
	case *CallSubquery:
		p.callSubquery(c)
	case *Finish:
		p.WriteString("FINISH")
	default:
		p.writing(c)
	}
}

func (p *printer) returns(r *Return) {
	p.WriteString("RETURN ")
	p.projection(r)
}

func (p *printer) with(w *With) {
	p.WriteString("WITH ")
	p.projection(&w.Return)
	p.clause("\nWHERE ", w.Where)
}

func (p *printer) unwind(u *Unwind) {
	if u.At.Text != "" {
		p.clause("FOR "+QuoteName(u.As.Text)+" IN ", u.List)
		p.WriteString(map[bool]string{false: " WITH OFFSET ", true: " WITH ORDINALITY "}[u.Ordinal] + QuoteName(u.At.Text))
		return
	}
	p.clause("UNWIND ", u.List)
	p.WriteString(" AS " + QuoteName(u.As.Text))
}

func (p *printer) projection(r *Return) {
	if r.Distinct {
		p.WriteString("DISTINCT ")
	}
	if r.Star {
		p.WriteByte('*')
		if len(r.Items) > 0 {
			p.WriteString(", ")
		}
	}
	list(p, ", ", r.Items, p.item)
	if len(r.Order) > 0 {
		p.WriteString("\nORDER BY ")
		list(p, ", ", r.Order, p.sort)
	}
	p.clause("\nSKIP ", r.Skip)
	p.clause("\nLIMIT ", r.Limit)
}

func (p *printer) item(it *ReturnItem) {
	_, isVar := it.Expr.(*Var)
	switch {
	case it.Aliased:
		p.anyExpr(it.Expr)
		p.WriteString(" AS " + QuoteName(it.Name))
	case isVar || it.Name == "":
		p.anyExpr(it.Expr)
	default:
		p.WriteString(it.Name)
	}
}

func (p *printer) sort(s *SortItem) {
	p.anyExpr(s.Expr)
	if s.Descending {
		p.WriteString(" DESC")
	}
}
