package lang

func (p *printer) writing(c Clause) {
	switch c := c.(type) {
	case *Create:
		p.create(c)
	case *Merge:
		p.merge(c)
	case *Set:
		p.set(c)
	case *Remove:
		p.remove(c)
	case *Delete:
		p.delete(c)
	case *Foreach:
		p.foreach(c)
	case *LoadCSV:
		p.load(c)
	}
}

func (p *printer) create(c *Create) {
	p.WriteString("CREATE ")
	list(p, ", ", c.Paths, p.path)
}

func (p *printer) merge(m *Merge) {
	p.WriteString("MERGE ")
	p.path(m.Path)
	if m.OnCreate != nil {
		p.WriteString("\nON CREATE SET ")
		list(p, ", ", m.OnCreate, p.setItem)
	}
	if m.OnMatch != nil {
		p.WriteString("\nON MATCH SET ")
		list(p, ", ", m.OnMatch, p.setItem)
	}
}

func (p *printer) set(s *Set) {
	p.WriteString("SET ")
	list(p, ", ", s.Items, p.setItem)
}

func (p *printer) remove(r *Remove) {
	p.WriteString("REMOVE ")
	list(p, ", ", r.Items, p.setItem)
}

func (p *printer) setItem(it *SetItem) {
	p.target(it.Of)
	for _, l := range it.Labels {
		p.WriteString(":" + QuoteKey(l.Text))
	}
	if it.Kind == SetLabels && it.Value != nil {
		p.WriteString(":$(")
		p.anyExpr(it.Value)
		p.WriteByte(')')
		return
	}
	if it.Kind == AddMap {
		p.WriteString(" +")
	}
	if it.Value == nil {
		return
	}
	if it.Kind != AddMap {
		p.WriteByte(' ')
	}
	p.clause("= ", it.Value)
}

// target writes what SET changes: a variable or an expression in brackets, with properties behind it.
func (p *printer) target(x Expr) {
	switch x := x.(type) {
	case *Var:
		p.anyExpr(x)
	case *Property:
		p.target(x.Of)
		p.WriteString("." + QuoteKey(x.Key))
	case *Index:
		p.target(x.Of)
		p.WriteByte('[')
		p.anyExpr(x.At)
		p.WriteByte(']')
	default:
		p.WriteByte('(')
		p.anyExpr(x)
		p.WriteByte(')')
	}
}

func (p *printer) delete(d *Delete) {
	if d.Detach {
		p.WriteString("DETACH ")
	}
	p.WriteString("DELETE ")
	list(p, ", ", d.Exprs, p.anyExpr)
}

func (p *printer) foreach(f *Foreach) {
	p.WriteString("FOREACH (" + QuoteName(f.Var.Text))
	p.bar++
	p.clause(" IN ", f.List)
	p.bar--
	p.WriteString(" | ")
	p.within(func() { p.clauses(f.Clauses) })
	p.WriteByte(')')
}

func (p *printer) load(l *LoadCSV) {
	p.WriteString("LOAD CSV ")
	if l.Headers {
		p.WriteString("WITH HEADERS ")
	}
	p.clause("FROM ", l.From)
	p.WriteString(" AS " + QuoteName(l.As.Text))
	if l.Terminator != "" {
		p.WriteString(" FIELDTERMINATOR " + quoteString(l.Terminator))
	}
}
