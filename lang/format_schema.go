package lang

import "strings"

// schemaPrinter writes commands about the schema.
type schemaPrinter struct{ *printer }

func writeSchema[T any](print func(schemaPrinter, T), x T) string {
	return write(func(p *printer, x T) { print(schemaPrinter{p}, x) }, x)
}

func (p schemaPrinter) createIndex(c *CreateIndex) {
	p.WriteString("CREATE ")
	if c.Form.Text != "" {
		p.WriteString(c.Form.Text + " ")
	}
	p.WriteString("INDEX ")
	if c.Form.Text == "LOOKUP" {
		p.ruleHead(c.Name, c.NameParam, c.IfNotExists)
		p.WriteString(map[bool]string{false: "(n) ON EACH labels(n)", true: "()-[r]-() ON EACH type(r)"}[c.Rel])
		return
	}
	variable := p.schema(c.Name, c.NameParam, c.IfNotExists, c.Rel, c.Of)
	p.WriteString(" ON (")
	p.keys(variable, c.Keys)
	p.WriteByte(')')
	p.options(c.Options)
}

func (p schemaPrinter) createConstraint(c *CreateConstraint) {
	p.WriteString("CREATE CONSTRAINT ")
	variable := p.schema(c.Name, c.NameParam, c.IfNotExists, c.Rel, c.Of)
	p.WriteString(" REQUIRE ")
	p.demand(c, variable)
	p.options(c.Options)
}

func (p schemaPrinter) demand(c *CreateConstraint, variable string) {
	p.WriteString("(")
	p.keys(variable, c.Keys)
	p.WriteString(") IS ")
	switch c.Demand {
	case DemandUnique:
		p.WriteString("UNIQUE")
	case DemandKey:
		p.WriteString("KEY")
	case DemandNotNull:
		p.WriteString("NOT NULL")
	case DemandType:
		p.WriteString(":: " + c.Type.String())
	}
}

func (p schemaPrinter) options(o *MapLit) {
	if o != nil {
		p.WriteString(" OPTIONS ")
		p.anyExpr(o)
	}
}

// schema writes what the definitions of indexes and constraints have in common, and returns the variable that it uses.
func (p schemaPrinter) schema(name Name, param *Param, ifNotExists, rel bool, of Name) (variable string) {
	p.ruleHead(name, param, ifNotExists)
	return p.ruleElement(rel, of)
}

// ruleHead writes the name of a rule and the words up to FOR.
func (p schemaPrinter) ruleHead(name Name, param *Param, ifNotExists bool) {
	if text := p.ruleName(name, param); text != "" {
		p.WriteString(text + " ")
	}
	if ifNotExists {
		p.WriteString("IF NOT EXISTS ")
	}
	p.WriteString("FOR ")
}

// ruleName is a name, or the parameter that gives it.
func (p schemaPrinter) ruleName(name Name, param *Param) string {
	switch {
	case param != nil:
		return Text(param)
	case name.Text != "":
		return QuoteName(name.Text)
	}
	return ""
}

// ruleElement writes (n:Label) or ()-[r:TYPE]-(), and returns the variable.
func (p schemaPrinter) ruleElement(rel bool, of Name) (variable string) {
	if rel {
		p.WriteString("()-[r:" + QuoteKey(of.Text) + "]-()")
		return "r"
	}
	p.WriteString("(n:" + QuoteKey(of.Text) + ")")
	return "n"
}

func (p schemaPrinter) keys(variable string, keys []Name) {
	list(p.printer, ", ", keys, func(k Name) { p.WriteString(variable + "." + QuoteKey(k.Text)) })
}

func (p schemaPrinter) drop(d *Drop) {
	switch {
	case d.Index != nil:
		p.WriteString("DROP INDEX ON :" + QuoteKey(d.Index.Of.Text) + "(")
		list(p.printer, ", ", d.Index.Keys, func(k Name) { p.WriteString(QuoteKey(k.Text)) })
		p.WriteByte(')')
	case d.Rule != nil:
		p.WriteString("DROP CONSTRAINT ON ")
		variable := p.ruleElement(d.Rule.Rel, d.Rule.Of)
		p.WriteString(" ASSERT ")
		p.demand(d.Rule, variable)
	case d.Constraint:
		p.WriteString("DROP CONSTRAINT " + p.ruleName(d.Name, d.NameParam))
	default:
		p.WriteString("DROP INDEX " + p.ruleName(d.Name, d.NameParam))
	}
	if d.IfExists {
		p.WriteString(" IF EXISTS")
	}
}

// String writes the type as valueType() does.
func (t *ValueType) String() string {
	var names []string
	for _, n := range t.Any {
		text := n.Name
		if n.Of != nil {
			text += "<" + n.Of.String() + ">"
		}
		if n.NotNull {
			text += " NOT NULL"
		}
		names = append(names, text)
	}
	return strings.Join(names, " | ")
}
