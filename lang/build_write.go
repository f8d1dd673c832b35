package lang

import (
	"strings"
)

// writing reads a clause that changes the graph.
func (b *builder) writing(g *gClause) Clause {
	switch {
	case g.Create != nil:
		b.creates = true
		c := &Create{Pos: posOf(g.Create.Create), Paths: b.paths(g.Create.Paths)}
		b.creates = false
		return c
	case g.Merge != nil:
		return b.merge(g.Merge)
	case g.Set != nil:
		return &Set{Pos: posOf(g.Set.Set), Items: b.setItems(g.Set.Items)}
	case g.Remove != nil:
		return b.remove(g.Remove)
	case g.Delete != nil:
		d := &Delete{Pos: posOf(g.Delete.Delete), Exprs: b.exprs(g.Delete.Exprs)}
		if g.Delete.Detach.Value != "" {
			d.Detach, d.Pos = true, span(g.Delete.Detach, g.Delete.Delete)
		}
		return d
	case g.Foreach != nil:
		f := g.Foreach
		return &Foreach{Pos: posOf(f.Foreach), Var: b.named(f.Var), List: b.expr(f.List), Clauses: b.clauses(f.Clauses)}
	}
	return b.load(g.Load)
}

func (b *builder) paths(gs []*gPath) []*PathPattern {
	out := make([]*PathPattern, len(gs))
	for i, g := range gs {
		out[i] = b.path(g)
	}
	return out
}

func (b *builder) merge(g *gMerge) *Merge {
	b.creates = true
	m := &Merge{Pos: posOf(g.Merge), Path: b.path(g.Path)}
	b.creates = false
	for _, on := range g.On {
		items := b.setItems(on.Items)
		if strings.EqualFold(on.Word.Value, "CREATE") {
			m.OnCreate = append(m.OnCreate, items...)
		} else {
			m.OnMatch = append(m.OnMatch, items...)
		}
	}
	return m
}

func (b *builder) setItems(gs []*gSetItem) []*SetItem {
	out := make([]*SetItem, len(gs))
	for i, g := range gs {
		it := &SetItem{Pos: span(g.Of.Tokens[0], g.Of.Tokens[len(g.Of.Tokens)-1]), Of: b.target(g.Of), Value: b.optional(g.Value)}
		_, whole := it.Of.(*Var)
		switch {
		case g.Labels != nil:
			newLabels(b, it, g.Labels)
		case g.Add:
			it.Kind = AddMap
		case whole:
			it.Kind = SetMap
		}
		b.settable(it)
		out[i] = it
	}
	return out
}

// settable checks that an item has what it changes on its left side.
func (b *builder) settable(it *SetItem) {
	switch it.Of.(type) {
	case *Var:
		if it.Kind == SetProperty {
			b.fail(codeSyntax, it.Pos, "write n.key", "a property or label is to be removed, and this names none")
		}
	case *Property, *Index:
		if it.Kind == SetLabels || it.Kind == AddMap {
			b.fail(codeSyntax, it.Pos, "name the element with WITH first", "this can only be done to a variable")
		}
	default:
		b.fail(codeSyntax, it.Pos, "write n.key, or n:Label", "this cannot be changed")
	}
}

// newLabels reads labels, and in Value the expressions that give more.
func newLabels(b *builder, it *SetItem, gs []*gNewLabel) {
	it.Kind = SetLabels
	var from []Expr
	for _, g := range gs {
		if g.Name != nil {
			it.Labels = append(it.Labels, b.named(g.Name.Token))
		} else {
			from = append(from, b.expr(g.From))
		}
	}
	switch len(from) {
	case 0:
	case 1:
		it.Value = from[0]
	default:
		it.Value = &ListLit{Pos: from[0].Position(), Items: from}
	}
}

func (b *builder) labelNames(gs []*gName) []Name {
	out := make([]Name, len(gs))
	for i, g := range gs {
		out[i] = b.named(g.Token)
	}
	return out
}

func (b *builder) target(g *gTarget) Expr {
	var x Expr
	if g.Paren != nil {
		x = b.expr(g.Paren)
	} else {
		x = &Var{Pos: posOf(g.Name), Name: b.nonempty(g.Name)}
	}
	return b.postfix(x, g.Ops)
}

func (b *builder) remove(g *gRemove) *Remove {
	r := &Remove{Pos: posOf(g.Remove)}
	for _, item := range g.Items {
		it := &SetItem{Pos: span(item.Of.Tokens[0], item.Of.Tokens[len(item.Of.Tokens)-1]), Of: b.target(item.Of)}
		if item.Labels != nil {
			newLabels(b, it, item.Labels)
		}
		b.settable(it)
		r.Items = append(r.Items, it)
	}
	return r
}

func (b *builder) load(g *gLoad) *LoadCSV {
	l := &LoadCSV{Pos: posOf(g.Load), Headers: g.Headers, From: b.expr(g.From), As: b.named(g.As)}
	if t := g.Terminator; t.Value != "" {
		l.Terminator = b.unquote(t)
		if len([]rune(l.Terminator)) != 1 {
			b.fail(codeSyntax, posOf(t), "such as ';'", "the sign between fields is one character")
		}
	}
	return l
}
