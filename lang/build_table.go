package lang

import (
	"cmp"
	"strings"
)

// tableBuilder builds the clauses of GQL that only change the table of rows. They become the WITH or UNWIND that means the same.
type tableBuilder struct{ *builder }

// clause returns nil if g is another clause.
func (b tableBuilder) clause(g *gClause) Clause {
	switch {
	case g.Page != nil:
		p := g.Page
		w := &With{Return: Return{Pos: posOf(p.Tokens[0]), Star: true, Order: b.sorts(p.Order)}}
		w.Skip, w.Limit = b.optional(cmp.Or(p.Skip, p.From)), b.optional(cmp.Or(p.Limit, p.To, p.Most))
		return w
	case g.Let != nil:
		return b.let(g.Let)
	case g.Filter != nil:
		w := &With{Return: Return{Pos: posOf(g.Filter.Filter), Star: true}, Where: b.expr(g.Filter.Cond)}
		b.noAggregates(w.Where, "FILTER")
		return w
	case g.For != nil:
		u := &Unwind{Pos: posOf(g.For.For), List: b.expr(g.For.List), As: b.named(g.For.Var)}
		if g.For.At.Value != "" {
			u.At, u.Ordinal = b.named(g.For.At), strings.EqualFold(g.For.With.Value, "ORDINALITY")
		}
		return u
	case g.Finish != nil:
		return &Finish{Pos: posOf(g.Finish.Finish)}
	}
	return nil
}

// let reads LET a = x, b = y as WITH *, x AS a, y AS b.
func (b tableBuilder) let(g *gLet) *With {
	w := &With{Return: Return{Pos: posOf(g.Let), Star: true}}
	for _, it := range g.Items {
		name, x := b.named(it.Name), b.expr(it.Value)
		b.noAggregates(x, "LET")
		w.Items = append(w.Items, &ReturnItem{Pos: name.Pos, Expr: x, Name: name.Text, Aliased: true})
	}
	return w
}

func (b tableBuilder) noAggregates(x Expr, clause string) {
	if agg := aggregateIn(x); agg != nil {
		b.fail("SyntaxError.InvalidAggregation", agg.Position(), "write WITH, which groups the rows", "%s looks at one row at a time and cannot aggregate", clause)
	}
}

// next puts the query behind NEXT to the query before it, whose RETURN becomes a WITH.
func (b tableBuilder) next(q *Query, g *gNext) *Query {
	after := b.query(g.Query)
	if len(after.Unions) > 0 {
		b.fail(codeNotSupported, after.Unions[0].Pos, "write CALL (*) { ... "+after.Unions[0].Op.String()+" ... RETURN ... } behind NEXT", "%s behind NEXT is not supported", after.Unions[0].Op)
	}
	ret, ok := q.Clauses[len(q.Clauses)-1].(*Return)
	if !ok {
		b.fail("SyntaxError.InvalidClauseComposition", posOf(g.Word), "write RETURN before it", "NEXT goes on with the rows that RETURN gives")
	}
	if len(q.Unions) > 0 {
		call := &CallSubquery{Pos: posOf(g.Word), Scoped: true, Query: q}
		return &Query{Clauses: append([]Clause{call}, after.Clauses...)}
	}
	w := &With{Return: *ret}
	for _, it := range w.Items {
		it.Aliased = true
	}
	q.Clauses[len(q.Clauses)-1] = w
	q.Clauses = append(q.Clauses, after.Clauses...)
	return q
}
