package lang

import "strings"

func (p *printer) procedure(c *CallClause) {
	if c.Show {
		p.WriteString("SHOW ")
		if len(c.Args) == 1 {
			if m, ok := c.Args[0].(*MapLit); ok && len(m.Values) == 1 {
				if kind, ok := m.Values[0].(*Literal); ok {
					text, _ := kind.Value.(string)
					p.WriteString(text + " ")
				}
			}
		}
		for _, w := range showWords {
			if w.procedure == c.Name {
				p.WriteString(w.word)
			}
		}
	} else {
		p.WriteString("CALL ")
		p.dotted(c.Name)
	}
	if !c.Implicit && !c.Show {
		p.WriteByte('(')
		list(p, ", ", c.Args, p.anyExpr)
		p.WriteByte(')')
	}
	if len(c.Yield) == 0 && !c.Star {
		return
	}
	p.WriteString("\nYIELD ")
	if c.Star {
		p.WriteByte('*')
		p.clause("\nWHERE ", c.Where)
		return
	}
	list(p, ", ", c.Yield, func(y *YieldItem) {
		p.WriteString(QuoteName(y.Column.Text))
		if y.As.Text != y.Column.Text {
			p.WriteString(" AS " + QuoteName(y.As.Text))
		}
	})
	p.clause("\nWHERE ", c.Where)
}

func (p *printer) callSubquery(c *CallSubquery) {
	if c.Optional {
		p.WriteString("OPTIONAL ")
	}
	p.WriteString("CALL ")
	if c.Scoped {
		p.WriteByte('(')
		if c.Star {
			p.WriteByte('*')
		}
		list(p, ", ", c.Imports, func(n Name) { p.WriteString(QuoteName(n.Text)) })
		p.WriteString(") ")
	}
	p.WriteString("{ ")
	p.within(func() { p.query(c.Query) })
	p.WriteString(" }")
	if c.Transactions {
		p.WriteString(" IN TRANSACTIONS")
	}
	if c.Rows != nil {
		p.clause(" OF ", c.Rows)
		p.WriteString(" ROWS")
	}
	p.WriteString([...]string{"", " ON ERROR CONTINUE", " ON ERROR BREAK"}[c.OnError])
	if c.Status.Text != "" {
		p.WriteString(" REPORT STATUS AS " + QuoteName(c.Status.Text))
	}
}

// dotted writes the name of a function or procedure.
func (p *printer) dotted(name string) {
	for i, part := range strings.Split(name, ".") {
		if i == 0 {
			p.WriteString(QuoteName(part))
		} else {
			p.WriteString("." + QuoteKey(part))
		}
	}
}
