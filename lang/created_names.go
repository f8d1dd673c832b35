package lang

// createdNames holds the labels, types and property keys that a query may create. The checker does not warn that they are not
// in the graph yet.
type createdNames map[string]bool

// createdBy collects the names that the changes in q mention.
func createdBy(q *Query) createdNames {
	m := createdNames{}
	m.query(q)
	return m
}

func (m createdNames) query(q *Query) {
	m.clauses(q.Clauses)
	for _, u := range q.Unions {
		m.clauses(u.Clauses)
	}
}

func (m createdNames) clauses(list []Clause) {
	for _, c := range list {
		switch c := c.(type) {
		case *Create:
			for _, p := range c.Paths {
				m.path(p)
			}
		case *Merge:
			m.path(c.Path)
			m.items(c.OnCreate)
			m.items(c.OnMatch)
		case *Set:
			m.items(c.Items)
		case *Remove:
			m.items(c.Items)
		case *Foreach:
			m.clauses(c.Clauses)
		case *CallSubquery:
			m.query(c.Query)
		}
	}
}

func (m createdNames) path(p *PathPattern) {
	for i, n := range p.Nodes {
		if i > 0 {
			for _, t := range p.Rels[i-1].Types {
				m[t.Text] = true
			}
			m.keys(p.Rels[i-1].Props)
		}
		m.labels(n.Labels)
		m.keys(n.Props)
	}
}

func (m createdNames) labels(l *LabelExpr) {
	if l == nil {
		return
	}
	m[l.Name] = true
	for _, arg := range l.Args {
		m.labels(arg)
	}
}

func (m createdNames) keys(x Expr) {
	if props, ok := x.(*MapLit); ok {
		for _, k := range props.Keys {
			m[k.Text] = true
		}
	}
}

func (m createdNames) items(list []*SetItem) {
	for _, it := range list {
		for _, l := range it.Labels {
			m[l.Text] = true
		}
		if p, ok := it.Of.(*Property); ok {
			m[p.Key] = true
		}
		m.keys(it.Value)
	}
}
