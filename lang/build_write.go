package lang

import (
	"strings"
)

// writing reads a clause that changes the graph.
func (b *builder) writing(g *gClause) Clause {
	switch {
	case g.Create != nil:
		return &Create{Pos: posOf(g.Create.Create), Paths: b.paths(g.Create.Paths)}
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
	m := &Merge{Pos: posOf(g.Merge), Path: b.path(g.Path)}
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
			it.Kind, it.Labels = SetLabels, b.labelNames(g.Labels)
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
			it.Kind, it.Labels = SetLabels, b.labelNames(item.Labels)
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

func show(g *gShow) *Show {
	what := map[string]string{"INDEX": "INDEXES", "CONSTRAINT": "CONSTRAINTS"}
	s := &Show{Pos: posOf(g.Show), What: strings.ToUpper(g.What.Value)}
	if all, ok := what[s.What]; ok {
		s.What = all
	}
	return s
}

func (b *builder) define(g *gDefine) Command {
	if g.Index != nil {
		c := &CreateIndex{Pos: posOf(g.Create)}
		c.Name, c.IfNotExists, c.Rel, c.Of, c.Keys = b.schema(g.Index.Head, g.Index.Keys)
		return c
	}
	c := &CreateConstraint{Pos: posOf(g.Create), Unique: g.Constraint.Unique.Value != ""}
	keys := g.Constraint.Keys
	if g.Constraint.Key != nil {
		keys = []*gKey{g.Constraint.Key}
	}
	c.Name, c.IfNotExists, c.Rel, c.Of, c.Keys = b.schema(g.Constraint.Head, keys)
	if !c.Unique && len(c.Keys) > 1 {
		b.fail(codeSyntax, c.Keys[1].Pos, "write a constraint for each", "IS NOT NULL is said of one property")
	}
	return c
}

// schema reads what the definitions of indexes and constraints have in common.
func (b *builder) schema(g *gSchemaName, gs []*gKey) (name Name, ifNotExists, rel bool, of Name, keys []Name) {
	if g.Name.Value != "" {
		name = b.named(g.Name)
	}
	variable, what := g.Of.Node, g.Of.Label
	if rel = g.Of.Rel.Value != ""; rel {
		variable, what = g.Of.Rel, g.Of.Type
	}
	for _, k := range gs {
		if b.name(k.Of) != b.name(variable) {
			b.fail("SyntaxError.UndefinedVariable", posOf(k.Of), "write "+variable.Value+"."+k.Key.Token.Value, "variable `%s` is not defined", b.name(k.Of))
		}
		keys = append(keys, b.named(k.Key.Token))
	}
	return name, g.IfNot, rel, b.named(what.Token), keys
}

func (b *builder) drop(g *gDrop) *Drop {
	return &Drop{Pos: posOf(g.Drop), Constraint: strings.EqualFold(g.What.Value, "CONSTRAINT"), Name: b.named(g.Name), IfExists: g.IfExists}
}
