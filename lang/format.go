package lang

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
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
	switch s.Explain {
	case Explain:
		return "EXPLAIN " + s.Query.String()
	case Profile:
		return "PROFILE " + s.Query.String()
	}
	return s.Query.String()
}

func (q *Query) String() string {
	clauses := make([]string, len(q.Clauses))
	for i, c := range q.Clauses {
		clauses[i] = fmt.Sprint(c)
	}
	return strings.Join(clauses, "\n")
}

func (m *Match) String() string       { return write((*printer).match, m) }
func (c *CallClause) String() string  { return write((*printer).procedure, c) }
func (r *Return) String() string      { return write((*printer).returns, r) }
func (x *PathPattern) String() string { return write((*printer).path, x) }
func (x *NodePattern) String() string { return write((*printer).node, x) }
func (x *RelPattern) String() string  { return write((*printer).rel, x) }
func (x *LabelExpr) String() string   { return write((*printer).anyLabels, x) }
func (x *ReturnItem) String() string  { return write((*printer).item, x) }
func (x *SortItem) String() string    { return write((*printer).sort, x) }

func (x *Literal) String() string   { return write((*printer).anyExpr, Expr(x)) }
func (x *Param) String() string     { return write((*printer).anyExpr, Expr(x)) }
func (x *Var) String() string       { return write((*printer).anyExpr, Expr(x)) }
func (x *Property) String() string  { return write((*printer).anyExpr, Expr(x)) }
func (x *Index) String() string     { return write((*printer).anyExpr, Expr(x)) }
func (x *Slice) String() string     { return write((*printer).anyExpr, Expr(x)) }
func (x *Unary) String() string     { return write((*printer).anyExpr, Expr(x)) }
func (x *Binary) String() string    { return write((*printer).anyExpr, Expr(x)) }
func (x *IsNull) String() string    { return write((*printer).anyExpr, Expr(x)) }
func (x *HasLabels) String() string { return write((*printer).anyExpr, Expr(x)) }
func (x *Call) String() string      { return write((*printer).anyExpr, Expr(x)) }
func (x *CountStar) String() string { return write((*printer).anyExpr, Expr(x)) }
func (x *ListLit) String() string   { return write((*printer).anyExpr, Expr(x)) }
func (x *MapLit) String() string    { return write((*printer).anyExpr, Expr(x)) }
func (x *Case) String() string      { return write((*printer).anyExpr, Expr(x)) }

// Text is x as the formatter writes it.
func Text(x Expr) string { return write((*printer).anyExpr, x) }

type printer struct{ strings.Builder }

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

func (p *printer) match(m *Match) {
	p.WriteString("MATCH ")
	switch {
	case m.Subgraphs:
		if m.Distinct {
			p.WriteString("DISTINCT ")
		}
		if m.Induced {
			p.WriteString("INDUCED ")
		}
		p.WriteString("SUBGRAPHS ")
	case m.Mode == RepeatableElements:
		p.WriteString("REPEATABLE ELEMENTS ")
	case m.Mode == DifferentNodes:
		p.WriteString("DIFFERENT NODES ")
	}
	list(p, ", ", m.Paths, p.path)
	p.clause("\nWHERE ", m.Where)
}

// clause writes x after word, if there is an x.
func (p *printer) clause(word string, x Expr) {
	if x != nil {
		p.WriteString(word)
		p.anyExpr(x)
	}
}

func (p *printer) path(x *PathPattern) {
	for i, n := range x.Nodes {
		if i > 0 {
			p.rel(x.Rels[i-1])
		}
		p.node(n)
	}
}

func (p *printer) node(n *NodePattern) {
	p.WriteByte('(')
	labels := ""
	if n.Labels != nil {
		labels = ":" + n.Labels.String()
	}
	p.element(n.Name, labels, n.Props, n.Where)
	p.WriteByte(')')
}

func (p *printer) rel(r *RelPattern) {
	if r.Direction == Left {
		p.WriteByte('<')
	}
	p.WriteByte('-')
	if r.Name != "" || r.Types != nil || r.Props != nil || r.Where != nil {
		types := make([]string, len(r.Types))
		for i, t := range r.Types {
			types[i] = quoteKey(t.Text)
		}
		text := strings.Join(types, "|")
		if text != "" {
			text = ":" + text
		}
		p.WriteByte('[')
		p.element(r.Name, text, r.Props, r.Where)
		p.WriteByte(']')
	}
	p.WriteByte('-')
	if r.Direction == Right {
		p.WriteByte('>')
	}
}

// element writes what stands between the brackets of a node or relationship.
func (p *printer) element(name, labels string, props, where Expr) {
	start := p.Len()
	space := func() {
		if p.Len() > start {
			p.WriteByte(' ')
		}
	}
	if name != "" {
		p.WriteString(quoteName(name))
	}
	p.WriteString(labels)
	if props != nil {
		space()
		p.anyExpr(props)
	}
	if where != nil {
		space()
		p.clause("WHERE ", where)
	}
}

func (p *printer) anyLabels(l *LabelExpr) { p.labels(l, LabelOr) }

// labels writes l in brackets if it binds less tightly than what stands around it admits. LabelOps are in the order
// of their precedence, the tightest first.
func (p *printer) labels(l *LabelExpr, loosest LabelOp) {
	if l.Op > loosest {
		p.WriteByte('(')
		defer p.WriteByte(')')
	}
	switch l.Op {
	case LabelName:
		p.WriteString(quoteKey(l.Name))
	case LabelAny:
		p.WriteByte('%')
	case LabelNot:
		p.WriteByte('!')
		p.labels(l.Args[0], LabelNot)
	case LabelAnd:
		list(p, "&", l.Args, func(a *LabelExpr) { p.labels(a, LabelNot) })
	case LabelOr:
		list(p, "|", l.Args, func(a *LabelExpr) { p.labels(a, LabelAnd) })
	}
}

func (p *printer) returns(r *Return) {
	p.WriteString("RETURN ")
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
		p.WriteString(" AS " + quoteName(it.Name))
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

func (p *printer) anyExpr(x Expr) { p.expr(x, precOr) }

// binding is the precedence of x as a whole.
func binding(x Expr) int {
	switch x := x.(type) {
	case *Binary:
		return precedence[x.Op]
	case *Unary:
		if x.Op == "NOT" {
			return precNot
		}
		return precSign
	case *IsNull:
		return precTest
	case *HasLabels:
		return precLabels
	case *Literal:
		if isNumber(x) {
			return precSign // may have one; and (1).x reads better than 1.x
		}
	}
	return precAtom
}

func isNumber(x *Literal) bool {
	switch x.Value.(type) {
	case int64, float64:
		return true
	}
	return false
}

// expr writes x, in brackets if it binds less tightly than min.
func (p *printer) expr(x Expr, min int) {
	if binding(x) < min {
		p.WriteByte('(')
		defer p.WriteByte(')')
	}
	switch x := x.(type) {
	case *Literal:
		p.WriteString(literalText(x.Value))
	case *Param:
		p.WriteString("$" + quoteParam(x.Name))
	case *Var:
		p.WriteString(quoteName(x.Name))
	case *Property:
		p.expr(x.Of, precAtom)
		p.WriteString("." + quoteKey(x.Key))
	case *Unary:
		p.unary(x)
	case *Binary:
		p.binary(x)
	case *IsNull:
		p.expr(x.X, precTest)
		p.WriteString(map[bool]string{false: " IS NULL", true: " IS NOT NULL"}[x.Not])
	case *HasLabels:
		p.expr(x.X, precAtom)
		p.WriteByte(':')
		p.anyLabels(x.Labels)
	default:
		p.bracketed(x)
	}
}

// bracketed writes the expressions that end in a bracket or END.
func (p *printer) bracketed(x Expr) {
	switch x := x.(type) {
	case *Index:
		p.expr(x.Of, precAtom)
		p.WriteByte('[')
		p.anyExpr(x.At)
		p.WriteByte(']')
	case *Slice:
		p.expr(x.Of, precAtom)
		p.WriteByte('[')
		p.clause("", x.From)
		p.WriteString("..")
		p.clause("", x.To)
		p.WriteByte(']')
	case *Call:
		p.call(x)
	case *CountStar:
		p.WriteString("count(*)")
	case *ListLit:
		p.list(x)
	case *MapLit:
		p.mapLit(x)
	case *Case:
		p.WriteString("CASE")
		p.clause(" ", x.Test)
		for _, w := range x.Whens {
			p.clause(" WHEN ", w.Cond)
			p.clause(" THEN ", w.Then)
		}
		p.clause(" ELSE ", x.Else)
		p.WriteString(" END")
	}
}

func (p *printer) unary(x *Unary) {
	if x.Op == "NOT" {
		p.WriteString("NOT ")
		p.expr(x.X, precNot)
		return
	}
	p.WriteString(string(x.Op))
	min := precSign
	if lit, ok := x.X.(*Literal); ok && isNumber(lit) && x.Op == "-" && literalText(lit.Value)[0] != '-' {
		min = precAtom // -(1) is not the literal -1
	}
	p.expr(x.X, min)
}

func (p *printer) binary(x *Binary) {
	prec := precedence[x.Op]
	left := prec
	if prec == precCompare {
		left++ // (a < b) < c is not the chain a < b < c
	}
	p.expr(x.L, left)
	p.WriteString(" " + string(x.Op) + " ")
	p.expr(x.R, prec+1)
}

func (p *printer) call(x *Call) {
	if f := functionIndex[x.Name]; f != nil {
		p.WriteString(f.Name)
	} else {
		p.dotted(x.Name)
	}
	p.WriteByte('(')
	if x.Distinct {
		p.WriteString("DISTINCT ")
	}
	list(p, ", ", x.Args, p.anyExpr)
	p.WriteByte(')')
}

func (p *printer) mapLit(x *MapLit) {
	p.WriteByte('{')
	for i, k := range x.Keys {
		if i > 0 {
			p.WriteString(", ")
		}
		p.WriteString(quoteKey(k.Text) + ": ")
		p.anyExpr(x.Values[i])
	}
	p.WriteByte('}')
}

// list puts a lone x IN y into brackets, because [x IN y] is a list comprehension in openCypher.
func (p *printer) list(x *ListLit) {
	p.WriteByte('[')
	min := precOr
	if len(x.Items) == 1 && beginsWithIn(x.Items[0]) {
		min = precAtom
	}
	list(p, ", ", x.Items, func(it Expr) { p.expr(it, min) })
	p.WriteByte(']')
}

// beginsWithIn tells whether the text of x begins with a variable and IN.
func beginsWithIn(x Expr) bool {
	for {
		switch y := x.(type) {
		case *Binary:
			if _, ok := y.L.(*Var); ok {
				return y.Op == "IN"
			}
			x = y.L
		case *IsNull:
			x = y.X
		default:
			return false
		}
	}
}

func literalText(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case string:
		return quoteString(v)
	case float64:
		text := strconv.FormatFloat(v, 'g', -1, 64)
		if !strings.ContainsAny(text, ".e") && !math.IsInf(v, 0) && !math.IsNaN(v) {
			text += ".0"
		}
		return text
	}
	return fmt.Sprint(v)
}

// quoteString writes s as a string of the language.
func quoteString(s string) string {
	var b strings.Builder
	b.WriteByte('\'')
	for _, r := range s {
		switch short := strings.IndexRune("\b\f\n\r\t'\\", r); {
		case short >= 0:
			b.WriteString(`\` + `bfnrt'\`[short:short+1])
		case unicode.IsPrint(r):
			b.WriteRune(r)
		case r <= 0xFFFF:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			fmt.Fprintf(&b, `\U%08X`, r)
		}
	}
	b.WriteByte('\'')
	return b.String()
}

// quoteName writes the name of a variable, with backticks if it needs them.
func quoteName(name string) string {
	if isReserved(name) {
		return backticks(name)
	}
	return quoteKey(name)
}

// quoteKey writes the name of a label, type or property, which may be a word of the language.
func quoteKey(name string) string {
	for i, r := range name {
		if i == 0 && !isNameStart(r) || !isNamePart(r) {
			return backticks(name)
		}
	}
	if name == "" {
		return backticks(name)
	}
	return name
}

func quoteParam(name string) string {
	if name != "" && strings.Trim(name, "0123456789") == "" {
		return name
	}
	return quoteKey(name)
}

func backticks(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }
