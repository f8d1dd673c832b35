package lang

import "strings"

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
	case *IsNull, *IsType:
		return precTest
	case *HasLabels:
		return precLabels
	case *PatternExpr:
		if x.Path.Function == NoPathFunction {
			return precNot // a - or < behind it would be taken for a further relationship
		}
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
	if binding(x) < min || p.bar > 0 && hasTypeBar(x) {
		around := "("
		if t, ok := x.(*HasLabels); ok && mayBeNode(t) {
			around = "((" // with an arrow behind it, (x:A) is read as a node
		}
		p.WriteString(around)
		defer p.WriteString("))"[:len(around)])
	}
	switch x := x.(type) {
	case *Literal:
		p.WriteString(literalText(x.Value))
	case *Param:
		p.WriteString("$" + quoteParam(x.Name))
	case *Var:
		p.WriteString(QuoteName(x.Name))
	case *Property:
		p.expr(x.Of, precAtom)
		p.WriteString("." + QuoteKey(x.Key))
	case *Unary:
		p.unary(x)
	case *Binary:
		p.binary(x)
	case *IsNull:
		p.expr(x.X, precTest)
		p.WriteString(map[bool]string{false: " IS NULL", true: " IS NOT NULL"}[x.Not])
	case *IsType:
		p.expr(x.X, precTest)
		p.WriteString(map[bool]string{false: " IS :: ", true: " IS NOT :: "}[x.Not] + x.Type.String())
	case *HasLabels:
		p.expr(x.X, precAtom)
		p.WriteByte(':')
		if p.bar > 0 {
			p.labels(x.Labels, LabelAnd)
		} else {
			p.anyLabels(x.Labels)
		}
	default:
		p.bracketed(x)
	}
}

// mayBeNode tells whether x in brackets looks like a node.
func mayBeNode(x *HasLabels) bool {
	_, ok := x.X.(*Var)
	return ok
}

// hasTypeBar tells whether x ends in a type with a "|", which might be taken for the end of a condition.
func hasTypeBar(x Expr) bool {
	t, ok := x.(*IsType)
	return ok && strings.Contains(t.Type.String(), "|")
}

// bracketed writes the expressions that end in a bracket or END.
func (p *printer) bracketed(x Expr) {
	switch x := x.(type) {
	case *Index:
		p.expr(x.Of, precAtom)
		p.WriteByte('[')
		p.bar++ // what begins with a path is read as a comprehension until it ends, as in list
		p.anyExpr(x.At)
		p.bar--
		p.WriteByte(']')
	case *Slice:
		p.expr(x.Of, precAtom)
		p.WriteByte('[')
		p.bar++
		p.clause("", x.From)
		p.WriteString("..")
		p.clause("", x.To)
		p.bar--
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
	case *PatternExpr:
		p.path(x.Path)
	case *Subquery:
		p.WriteString(strings.ToUpper(x.Kind) + " { ")
		p.within(func() { p.query(x.Query) })
		p.WriteString(" }")
	default:
		p.each(x)
	}
}

// each writes the expressions that go through a list, or through the matches of a pattern.
func (p *printer) each(x Expr) {
	in := func(v Name, of Expr) {
		p.WriteString(QuoteName(v.Text))
		p.clause(" IN ", of)
	}
	p.bar++ // what stands in further brackets need not be careful, but may
	defer func() { p.bar-- }()
	switch x := x.(type) {
	case *ListComprehension:
		p.WriteByte('[')
		in(x.Var, x.List)
		p.clause(" WHERE ", x.Where)
		p.clause(" | ", x.Map)
		p.WriteByte(']')
	case *PatternComprehension:
		p.WriteByte('[')
		p.path(x.Path)
		p.clause(" WHERE ", x.Where)
		p.clause(" | ", x.Map)
		p.WriteByte(']')
	case *Quantifier:
		p.WriteString(x.Kind + "(")
		in(x.Var, x.List)
		p.clause(" WHERE ", x.Where)
		p.WriteByte(')')
	case *Reduce:
		p.WriteString("reduce(" + QuoteName(x.Acc.Text))
		p.clause(" = ", x.Init)
		p.WriteString(", ")
		in(x.Var, x.List)
		p.clause(" | ", x.Step)
		p.WriteByte(')')
	case *MapProjection:
		p.expr(x.Of, precAtom)
		p.WriteByte('{')
		list(p, ", ", x.Items, func(it MapProjectionItem) { p.mapItem(x.Of, it) })
		p.WriteByte('}')
	}
}

func (p *printer) mapItem(of Expr, it MapProjectionItem) {
	prop, isProp := it.Value.(*Property)
	v, isVar := it.Value.(*Var)
	switch {
	case it.All:
		p.WriteString(".*")
	case isProp && prop.Key == it.Key.Text && Text(prop.Of) == Text(of):
		p.WriteString("." + QuoteKey(it.Key.Text))
	case isVar && v.Name == it.Key.Text:
		p.WriteString(QuoteName(v.Name))
	default:
		p.WriteString(QuoteKey(it.Key.Text))
		p.clause(": ", it.Value)
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
	if x.Name == "cast" && len(x.Args) == 2 {
		if t, ok := x.Args[1].(*Literal); ok {
			p.WriteString("CAST(")
			p.anyExpr(x.Args[0])
			text, _ := t.Value.(string)
			p.WriteString(" AS " + text + ")")
			return
		}
	}
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
		p.WriteString(QuoteKey(k.Text) + ": ")
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
	p.bar++
	list(p, ", ", x.Items, func(it Expr) { p.expr(it, min) })
	p.bar--
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
		case *IsType:
			x = y.X
		default:
			return false
		}
	}
}
