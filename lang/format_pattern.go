package lang

import (
	"fmt"
	"strings"
)

func (p *printer) match(m *Match) {
	if m.Optional {
		p.WriteString("OPTIONAL ")
	}
	p.WriteString("MATCH ")
	switch {
	case m.Subgraphs:
		if m.Distinct {
			p.WriteString("DISTINCT ")
		}
		if m.Induced {
			p.WriteString("INDUCED ")
		}
		p.WriteString("SUBGRAPHS ")
	case m.Mode == RepeatableElements:
		p.WriteString("REPEATABLE ELEMENTS ")
	case m.Mode == DifferentNodes:
		p.WriteString("DIFFERENT NODES ")
	}
	list(p, ", ", m.Paths, p.path)
	for _, h := range m.Hints {
		p.WriteString("\n" + h.Text)
	}
	p.clause("\nWHERE ", m.Where)
}

func (p *printer) path(x *PathPattern) {
	if x.Name != "" {
		p.WriteString(QuoteName(x.Name) + " = ")
	}
	p.selector(x.Selector)
	if x.Mode != NoPathMode {
		p.WriteString([...]string{"", "WALK", "TRAIL", "SIMPLE", "ACYCLIC"}[x.Mode] + " ")
	}
	if x.Selector.Kind == ShortestGroups {
		p.WriteString("GROUPS ")
	}
	switch x.Function {
	case ShortestPath:
		p.WriteString("shortestPath(")
		defer p.WriteByte(')')
	case AllShortestPaths:
		p.WriteString("allShortestPaths(")
		defer p.WriteByte(')')
	}
	for i, n := range x.Nodes {
		if i > 0 {
			p.rel(x.Rels[i-1])
		}
		if !x.leftOut(i) {
			p.node(n)
		}
	}
}

// leftOut tells whether the text does without node i, an anonymous one beside a parenthesised path.
func (x *PathPattern) leftOut(i int) bool {
	beside := i > 0 && x.Rels[i-1].Group != nil || i < len(x.Rels) && x.Rels[i].Group != nil
	n := x.Nodes[i]
	return beside && n.Name == "" && n.Labels == nil && n.Props == nil && n.Where == nil
}

func (p *printer) selector(s Selector) {
	word := [...]string{"", "ANY ", "ALL SHORTEST ", "SHORTEST ", "SHORTEST "}[s.Kind]
	p.WriteString(word)
	if s.K != nil {
		p.anyExpr(s.K)
		p.WriteByte(' ')
	}
}

func (p *printer) node(n *NodePattern) {
	p.WriteByte('(')
	labels := ""
	if n.Labels != nil {
		labels = ":" + n.Labels.String()
	}
	if n.From != nil {
		labels = strings.TrimPrefix(labels+"&", "&")
		labels = ":" + strings.TrimPrefix(labels, ":") + "$(" + Text(n.From) + ")"
	}
	p.element(n.Name, labels, n.Props, n.Where)
	p.WriteByte(')')
}

func (p *printer) rel(r *RelPattern) {
	if r.Group != nil {
		p.WriteByte('(')
		p.path(r.Group.Path)
		p.clause(" WHERE ", r.Group.Where)
		p.WriteByte(')')
		p.times(r.Length)
		return
	}
	if r.Direction == Left {
		p.WriteByte('<')
	}
	p.WriteByte('-')
	star := r.Length != nil && r.Length.Star
	if r.Name != "" || r.Types != nil || r.TypeExpr != nil || r.From != nil || star || r.Props != nil || r.Where != nil {
		text := p.typesText(r)
		if star {
			text += starText(r.Length)
		}
		p.WriteByte('[')
		p.element(r.Name, text, r.Props, r.Where)
		p.WriteByte(']')
	}
	p.WriteByte('-')
	if r.Direction == Right {
		p.WriteByte('>')
	}
	if !star {
		p.times(r.Length)
	}
}

func (p *printer) typesText(r *RelPattern) string {
	switch {
	case r.TypeExpr != nil:
		return ":" + r.TypeExpr.String()
	case r.From != nil:
		return ":$(" + Text(r.From) + ")"
	}
	types := make([]string, len(r.Types))
	for i, t := range r.Types {
		types[i] = QuoteKey(t.Text)
	}
	if len(types) == 0 {
		return ""
	}
	return ":" + strings.Join(types, "|")
}

func starText(l *Length) string {
	switch {
	case l.Max < 0 && l.Min == 1:
		return "*"
	case l.Max < 0:
		return fmt.Sprintf("*%d..", l.Min)
	case l.Max == l.Min:
		return fmt.Sprintf("*%d", l.Min)
	}
	return fmt.Sprintf("*%d..%d", l.Min, l.Max)
}

// times writes a quantifier.
func (p *printer) times(l *Length) {
	switch {
	case l == nil:
	case l.Max < 0 && l.Min == 0:
		p.WriteByte('*')
	case l.Max < 0 && l.Min == 1:
		p.WriteByte('+')
	case l.Max < 0:
		fmt.Fprintf(p, "{%d,}", l.Min)
	case l.Max == l.Min:
		fmt.Fprintf(p, "{%d}", l.Min)
	default:
		fmt.Fprintf(p, "{%d,%d}", l.Min, l.Max)
	}
}

// element writes what stands between the brackets of a node or relationship.
func (p *printer) element(name, labels string, props, where Expr) {
	start := p.Len()
	space := func() {
		if p.Len() > start {
			p.WriteByte(' ')
		}
	}
	if name != "" {
		p.WriteString(QuoteName(name))
	}
	p.WriteString(labels)
	if props != nil {
		space()
		p.anyExpr(props)
	}
	if where != nil {
		space()
		p.clause("WHERE ", where)
	}
}

func (p *printer) anyLabels(l *LabelExpr) { p.labels(l, LabelOr) }

// labels writes l in brackets if it binds less tightly than what stands around it admits. LabelOps are in the order
// of their precedence, the tightest first.
func (p *printer) labels(l *LabelExpr, loosest LabelOp) {
	if l.Op > loosest {
		p.WriteByte('(')
		defer p.WriteByte(')')
	}
	switch l.Op {
	case LabelName:
		p.WriteString(QuoteKey(l.Name))
	case LabelAny:
		p.WriteByte('%')
	case LabelNot:
		p.WriteByte('!')
		p.labels(l.Args[0], LabelNot)
	case LabelAnd:
		list(p, "&", l.Args, func(a *LabelExpr) { p.labels(a, LabelNot) })
	case LabelOr:
		list(p, "|", l.Args, func(a *LabelExpr) { p.labels(a, LabelAnd) })
	}
}
