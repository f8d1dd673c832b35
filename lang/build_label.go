package lang

import "strings"

// Labels and types from expressions. In CREATE and MERGE they become a part of the pattern. Elsewhere they become conditions:
//
//	(n:$(x))       (n WHERE all(label IN [] + x WHERE label IN labels(n)))
//	-[r:$any(x)]-  -[r WHERE any(label IN [] + x WHERE label = type(r))]-

// labelFromOf reads $(x), $all(x) or $any(x). A name in quotes is a label as any other.
func labelFromOf(b *builder, g *gLabelFrom) *LabelExpr {
	l := &LabelExpr{Pos: span(g.Tokens[0], g.Tokens[len(g.Tokens)-1]), Op: labelFrom, from: b.expr(g.From)}
	switch how := strings.ToUpper(strings.TrimPrefix(g.How.Value, "$")); how {
	case "", "ALL":
	case "ANY":
		l.any = true
	default:
		b.fail(codeSyntax, posOf(g.How), "write $("+g.How.Value+")", "a label from an expression begins with $(, $all( or $any(")
	}
	if lit, ok := l.from.(*Literal); ok {
		if name, ok := lit.Value.(string); ok && name != "" {
			return &LabelExpr{Pos: l.Pos, Op: LabelName, Name: name}
		}
	}
	return l
}

// labelsFrom takes the labels from expressions out of a conjunction.
func labelsFrom(b *builder, l *LabelExpr) (rest *LabelExpr, from []*LabelExpr) {
	switch {
	case l == nil:
		return nil, nil
	case l.Op == labelFrom:
		return nil, []*LabelExpr{l}
	case l.Op != LabelAnd:
		noLabelsFrom(b, l)
		return l, nil
	}
	var args []*LabelExpr
	for _, arg := range l.Args {
		if arg.Op == labelFrom {
			from = append(from, arg)
			continue
		}
		noLabelsFrom(b, arg)
		args = append(args, arg)
	}
	if len(from) == 0 {
		return l, nil
	}
	if len(args) == 0 {
		return nil, from
	}
	return joinLabels(LabelAnd, args), from
}

// noLabelsFrom refuses labels from expressions inside of l.
func noLabelsFrom(b *builder, l *LabelExpr) {
	if l == nil {
		return
	}
	if l.Op == labelFrom {
		b.fail(codeNotSupported, l.Pos, "write WHERE x IN labels(n), or WHERE type(r) = x", "a label from an expression stands in a pattern, alone or joined by &")
	}
	for _, arg := range l.Args {
		noLabelsFrom(b, arg)
	}
}

// joinedFrom is the expression for the labels of a node to be made.
func joinedFrom(b *builder, from []*LabelExpr) Expr {
	var all []Expr
	for _, l := range from {
		if l.any {
			b.fail(codeSyntax, l.Pos, "write $(x)", "a new element has all of its labels, so there is no $any()")
		}
		all = append(all, l.from)
	}
	if len(all) == 1 {
		return all[0]
	}
	return &ListLit{Pos: from[0].Pos, Items: all}
}

// fromConditions are the conditions for an element that has labels from expressions.
func fromConditions(b *builder, of Name, from []*LabelExpr, isRel bool) (all Expr) {
	if of.Text == "" {
		hint := "write (n:$(x))"
		if isRel {
			hint = "write -[r:$(x)]-"
		}
		b.fail(codeSyntax, from[0].Pos, hint, "an element with a label from an expression needs a name")
	}
	label := "label"
	if of.Text == label {
		label = "name"
	}
	for _, l := range from {
		b.count(3, l.Pos)
		q := &Quantifier{Pos: l.Pos, Kind: "all", Var: Name{Pos: l.Pos, Text: label}, List: &Binary{Pos: l.Pos, Op: "+", L: &ListLit{Pos: l.Pos}, R: l.from}}
		if l.any {
			q.Kind = "any"
		}
		x, element := &Var{Pos: l.Pos, Name: label}, &Var{Pos: l.Pos, Name: of.Text}
		if q.Where = (&Binary{Pos: l.Pos, Op: "IN", L: x, R: &Call{Pos: l.Pos, Name: "labels", Args: []Expr{element}}}); isRel {
			q.Where = &Binary{Pos: l.Pos, Op: "=", L: x, R: &Call{Pos: l.Pos, Name: "type", Args: []Expr{element}}}
		}
		all = both(all, q)
	}
	return all
}

// both joins two conditions, of which the first may be nil.
func both(x, y Expr) Expr {
	if x == nil {
		return y
	}
	return &Binary{Pos: y.Position(), Op: "AND", L: x, R: y}
}
