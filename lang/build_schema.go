package lang

import (
	"maps"
	"slices"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"
)

// schemaBuilder makes the trees of commands about the schema, and of types.
type schemaBuilder struct{ *builder }

// showWords are the words after SHOW, each with the procedure that it calls.
var showWords = []struct{ word, procedure string }{
	{"PROCEDURES", "db.procedures"}, {"FUNCTIONS", "db.functions"}, {"INDEXES", "db.indexes"}, {"CONSTRAINTS", "db.constraints"}, {"DATABASES", "db.databases"},
}

// shown is the procedure that SHOW with a word calls. The word may be a singular.
func shown(word string) *Procedure {
	for _, w := range showWords {
		if word = strings.ToUpper(word); w.word == word || w.word == word+"S" || w.word == word+"ES" {
			return FindProcedure(w.procedure)
		}
	}
	return nil
}

// show reads SHOW as a call, with WITH for what sorts and limits its rows.
func (b schemaBuilder) show(g *gShow) *Query {
	p := shown(g.What.Value)
	call := &CallClause{Pos: posOf(g.Show), Show: true, Name: p.Name, NamePos: posOf(g.What), Where: b.optional(g.Where)}
	if kind := b.showKind(g, p); kind != "" {
		pos := span(g.Kind[0], g.Kind[len(g.Kind)-1])
		call.Args = []Expr{&MapLit{Pos: pos, Keys: []Name{{Pos: pos, Text: "type"}}, Values: []Expr{&Literal{Pos: pos, Value: kind}}}}
	}
	sorts := len(g.Order) > 0 || g.Skip != nil || g.Limit != nil
	for _, y := range g.Yield {
		call.Yield = append(call.Yield, yieldItem(b.builder, y))
	}
	if call.Yield == nil && (g.Star.Value != "" || g.Where != nil || sorts || len(g.Clauses) > 0) {
		for _, col := range p.given(g.Star.Value != "") {
			name := Name{Pos: call.NamePos, Text: col.Name}
			call.Yield = append(call.Yield, &YieldItem{Column: name, As: name})
		}
	}
	q := &Query{Clauses: append([]Clause{call}, b.clauses(g.Clauses)...)}
	if !sorts {
		if len(g.Yield) == 0 && len(q.Clauses) == 1 {
			b.filterByExtra(q, call, p)
		}
		return q
	}
	with := &With{Where: call.Where}
	call.Where = nil
	b.projection(&with.Return, g.Show, &gProjection{Star: true, Order: g.Order, Skip: g.Skip, Limit: g.Limit})
	q.Clauses = slices.Insert(q.Clauses, 1, Clause(with))
	if len(g.Clauses) == 0 {
		q.Clauses = append(q.Clauses, &Return{Pos: with.Pos, Items: b.yielded(call)})
	}
	return q
}

// filterByExtra has WHERE read columns that SHOW without YIELD does not show.
func (b schemaBuilder) filterByExtra(q *Query, call *CallClause, p *Procedure) {
	shown := b.yielded(call)
	Walk(call.Where, func(x Expr) bool {
		v, ok := x.(*Var)
		if !ok || slices.ContainsFunc(call.Yield, func(y *YieldItem) bool { return y.As.Text == v.Name }) {
			return true
		}
		if i := p.Column(v.Name); i >= 0 {
			name := Name{Pos: call.NamePos, Text: v.Name}
			call.Yield = append(call.Yield, &YieldItem{Column: name, As: name})
		}
		return true
	})
	if len(call.Yield) > len(shown) {
		q.Clauses = append(q.Clauses, &Return{Pos: call.Pos, Items: shown})
	}
}

// showKind is the option of p that the words before what SHOW shows mean; "" for ALL and BUILT IN, which all are.
func (b schemaBuilder) showKind(g *gShow, p *Procedure) string {
	var words []string
	for _, t := range g.Kind {
		switch w := strings.ToUpper(t.Value); w {
		case "REL":
			words = append(words, "RELATIONSHIP")
		case "UNIQUE":
			words = append(words, "UNIQUENESS")
		case "EXIST":
			words = append(words, "EXISTENCE")
		default:
			words = append(words, w)
		}
	}
	kind := strings.Replace(strings.Join(words, " "), "PROPERTY EXISTENCE", "EXISTENCE", 1)
	what := strings.ToUpper(g.What.Value)
	if kind == "" || kind == "ALL" || kind == "BUILT IN" && p.Name == "db.functions" {
		return ""
	}
	if o := p.Option("type"); o == nil || !slices.Contains(o.Words, kind) {
		b.fail(codeSyntax, span(g.Kind[0], g.Kind[len(g.Kind)-1]), "write SHOW "+what, "there are no %s %s", kind, what)
	}
	return kind
}

// yielded returns the columns of a call in their order.
func (b schemaBuilder) yielded(call *CallClause) (items []*ReturnItem) {
	for _, y := range call.Yield {
		items = append(items, &ReturnItem{Pos: y.As.Pos, Expr: &Var{Pos: y.As.Pos, Name: y.As.Text}, Name: y.As.Text})
	}
	return items
}

func (b schemaBuilder) define(g *gDefine) Command {
	if g.Constraint != nil {
		c := b.demand(g.Constraint.Rule)
		c.Pos, c.Options = posOf(g.Create), b.options(g.Constraint.Options)
		c.Name, c.NameParam, c.IfNotExists = b.schemaName(g.Constraint.Head)
		return c
	}
	if g.Lookup != nil {
		return b.lookup(g)
	}
	c := &CreateIndex{Pos: posOf(g.Create), Options: b.options(g.Index.Options)}
	c.Name, c.NameParam, c.IfNotExists = b.schemaName(g.Index.Head)
	if g.Form.Value != "" {
		c.Form = Name{posOf(g.Form), strings.ToUpper(g.Form.Value)}
	}
	if g.Index.Old != nil {
		c.Of, c.Keys = b.labelKeys(g.Index.Old)
		return c
	}
	c.Rel, c.Of, c.Keys = b.element(g.Index.Of, g.Index.Key, g.Index.Keys)
	return c
}

// lookup reads CREATE LOOKUP INDEX.
func (b schemaBuilder) lookup(g *gDefine) *CreateIndex {
	l := g.Lookup
	c := &CreateIndex{Pos: posOf(g.Create), Form: Name{posOf(l.Form), strings.ToUpper(l.Form.Value)}, Rel: l.Rel.Value != ""}
	c.Name, c.NameParam, c.IfNotExists = b.schemaName(l.Head)
	of, want := first(l.Of, l.Type), first(l.Node, l.Rel)
	if b.name(of) != b.name(want) {
		b.fail("SyntaxError.UndefinedVariable", posOf(of), "write "+want.Value, "variable `%s` is not defined", b.name(of))
	}
	return c
}

func (b schemaBuilder) schemaName(g *gSchemaName) (name Name, param *Param, ifNotExists bool) {
	if g == nil {
		return name, nil, false
	}
	if g.Name.Value != "" {
		name, param = b.ruleName(g.Name)
	}
	return name, param, g.IfNot
}

// ruleName reads the name of an index or a constraint, or the parameter that gives it.
func (b schemaBuilder) ruleName(t lexer.Token) (Name, *Param) {
	if t.Type == kindParam {
		return Name{Pos: posOf(t)}, b.param(t)
	}
	return b.named(t), nil
}

func (b schemaBuilder) options(g *gOptions) *MapLit {
	if g == nil {
		return nil
	}
	m := b.mapLit(g.Map)
	m.Pos = posOf(g.Word)
	return m
}

// labelKeys reads :Label(key, ...).
func (b schemaBuilder) labelKeys(g *gLabelKeys) (of Name, keys []Name) {
	return b.named(g.Label.Token), b.differentKeys(b.labelNames(g.Keys))
}

// demand reads what a constraint says, without its name.
func (b schemaBuilder) demand(g *gDemand) *CreateConstraint {
	c := &CreateConstraint{Demand: DemandNotNull}
	if g.Exists != nil {
		c.Rel, c.Of, c.Keys = b.element(g.Of, g.Exists, nil)
		return c
	}
	c.Rel, c.Of, c.Keys = b.element(g.Of, g.Key, g.Keys)
	switch is := g.Is; {
	case is.Unique.Value != "":
		if c.Demand = DemandUnique; strings.EqualFold(is.Unique.Value, "KEY") {
			c.Demand = DemandKey
		}
		if of := is.Of.Value; of != "" && strings.EqualFold(of, "NODE") == c.Rel {
			b.fail(codeSyntax, posOf(is.Of), "leave "+of+" out", "the constraint is not on a %s", strings.ToLower(of))
		}
	case is.Type != nil:
		c.Demand, c.Type = DemandType, b.propertyType(is.Type)
	}
	if (c.Demand == DemandNotNull || c.Demand == DemandType) && len(c.Keys) > 1 {
		b.fail(codeSyntax, c.Keys[1].Pos, "write a constraint for each", "IS NOT NULL and IS :: are said of one property")
	}
	return c
}

// element reads of what an index or a constraint is, and which properties it names.
func (b schemaBuilder) element(g *gElement, one *gKey, several []*gKey) (rel bool, of Name, keys []Name) {
	if one != nil {
		several = []*gKey{one}
	}
	variable, what := g.Node, g.Label
	if rel = g.Rel.Value != ""; rel {
		variable, what = g.Rel, g.Type
	}
	for _, k := range several {
		if b.name(k.Of) != b.name(variable) {
			b.fail("SyntaxError.UndefinedVariable", posOf(k.Of), "write "+variable.Value+"."+k.Key.Token.Value, "variable `%s` is not defined", b.name(k.Of))
		}
		keys = append(keys, b.named(k.Key.Token))
	}
	return rel, b.named(what.Token), b.differentKeys(keys)
}

func (b schemaBuilder) differentKeys(keys []Name) []Name {
	seen := map[string]bool{}
	for _, k := range keys {
		if seen[k.Text] {
			b.fail(codeSyntax, k.Pos, "leave one out", "the property %s is named twice", k.Text)
		}
		seen[k.Text] = true
	}
	return keys
}

func (b schemaBuilder) drop(g *gDrop) *Drop {
	d := &Drop{Pos: posOf(g.Drop), Constraint: g.Constraint.Value != "", IfExists: g.IfExists}
	switch {
	case g.Old != nil:
		d.Index = &CreateIndex{Pos: posOf(g.Index)}
		d.Index.Of, d.Index.Keys = b.labelKeys(g.Old)
	case g.Rule != nil:
		d.Rule = b.demand(g.Rule)
		d.Rule.Pos = posOf(g.Constraint)
	case d.Constraint:
		d.Name, d.NameParam = b.ruleName(g.Name)
	default:
		d.Name, d.NameParam = b.ruleName(g.IndexName)
	}
	return d
}

// typeNames gives every spelling of a type the name that valueType() writes.
var typeNames = map[string]string{
	"BOOLEAN": "BOOLEAN", "BOOL": "BOOLEAN", "STRING": "STRING", "VARCHAR": "STRING",
	"INTEGER": "INTEGER", "INT": "INTEGER", "SIGNED INTEGER": "INTEGER", "INT64": "INTEGER", "INTEGER64": "INTEGER",
	"FLOAT": "FLOAT", "FLOAT64": "FLOAT",
	"DATE": "DATE", "LOCAL TIME": "LOCAL TIME", "TIME WITHOUT TIME ZONE": "LOCAL TIME", "ZONED TIME": "ZONED TIME", "TIME WITH TIME ZONE": "ZONED TIME",
	"LOCAL DATETIME": "LOCAL DATETIME", "TIMESTAMP WITHOUT TIME ZONE": "LOCAL DATETIME",
	"ZONED DATETIME": "ZONED DATETIME", "TIMESTAMP WITH TIME ZONE": "ZONED DATETIME", "DURATION": "DURATION", "POINT": "POINT",
	"NODE": "NODE", "VERTEX": "NODE", "RELATIONSHIP": "RELATIONSHIP", "EDGE": "RELATIONSHIP", "PATH": "PATH", "MAP": "MAP",
	"NULL": "NULL", "NOTHING": "NOTHING", "PROPERTY VALUE": "PROPERTY VALUE", "ANY": "ANY", "ANY VALUE": "ANY",
}

// typeHints says what to write for types of other dialects.
var typeHints = map[string]string{
	"TIME": "write LOCAL TIME or ZONED TIME", "TIMESTAMP": "write LOCAL DATETIME or ZONED DATETIME", "DATETIME": "write LOCAL DATETIME or ZONED DATETIME",
	"LIST": "write LIST<ANY>, or the type of the elements", "ARRAY": "write LIST<ANY>, or the type of the elements", "NUMBER": "write INTEGER | FLOAT", "VECTOR": "write LIST<FLOAT>",
}

func (b schemaBuilder) valueType(g *gType) *ValueType {
	t := &ValueType{}
	for _, n := range g.Any {
		name := TypeName{Name: "LIST", NotNull: n.NotNull}
		if n.List != nil {
			name.Of = b.valueType(n.List)
		} else {
			name.Name = b.typeName(n.Words)
		}
		t.Any = append(t.Any, name)
	}
	first, last := g.Any[0].Tokens, g.Any[len(g.Any)-1].Tokens
	t.Pos = span(first[0], last[len(last)-1])
	return t
}

func (b schemaBuilder) typeName(words []lexer.Token) string {
	var text []string
	for _, w := range words {
		text = append(text, strings.ToUpper(w.Value))
	}
	spelling := strings.Join(text, " ")
	name, ok := typeNames[spelling]
	if !ok {
		hint := typeHints[spelling]
		if hint == "" {
			hint = didYouMean(spelling, slices.Sorted(maps.Keys(typeNames)), func(s string) string { return s })
		}
		b.fail("SyntaxError.InvalidType", span(words[0], words[len(words)-1]), hint, "there is no type %s", spelling)
	}
	return name
}

// propertyType reads the type of a constraint: values that properties may have.
func (b schemaBuilder) propertyType(g *gType) *ValueType {
	t := b.valueType(g)
	for _, n := range t.Any {
		switch {
		case n.NotNull:
			b.fail(codeSyntax, t.Pos, "write a second constraint that says IS NOT NULL", "a constraint of a type holds for the values that there are")
		case n.Name == "NODE" || n.Name == "RELATIONSHIP" || n.Name == "PATH" || n.Name == "MAP" || n.Name == "NULL" || n.Name == "NOTHING" || n.Name == "ANY":
			b.fail(codeSyntax, t.Pos, "write STRING, INTEGER or another type of properties", "no property has the type %s", n.Name)
		}
	}
	return t
}

// ParseType reads a type that stands alone, such as that of a constraint in a store.
func ParseType(text string) (*ValueType, error) {
	s := scanner{text: text}
	src := source{text: text, toks: s.all(), end: s.end()}
	g, err := parseTokens[gType](&src)
	if err != nil {
		return nil, err
	}
	b := schemaBuilder{&builder{text: text}}
	return built(b.builder, func() *ValueType { return b.valueType(g) })
}
