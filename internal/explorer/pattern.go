package explorer

import (
	"fmt"
	"slices"
	"strings"

	"github.com/motifql/motif/lang"
)

// pattern is the drawing of a MATCH clause: what its text says, without the order of words. Texts in it are as the formatter writes them.
type pattern struct {
	Mode    string `json:"mode"`
	From    int    `json:"from"` // the place of the paths in the text
	To      int    `json:"to"`
	Whole   bool   `json:"whole"`   // whether the drawing says all that the text says
	Clause  int    `json:"clause"`  // which of the MATCH clauses of the text
	Clauses int    `json:"clauses"` // how many there are
	Nodes   []node `json:"nodes"`
	Edges   []edge `json:"edges"`
}

// node is a node of a drawing. Two mentions of one name are one node.
type node struct {
	Name   string `json:"name"`
	Labels string `json:"labels"` // a label expression, without the colon
	Props  string `json:"props"`
	Where  string `json:"where"`
	Path   string `json:"path,omitempty"` // the name of a path that is this node alone
}

// edge is a relationship of a drawing.
type edge struct {
	From       int    `json:"from"`
	To         int    `json:"to"`
	Name       string `json:"name"`
	Types      string `json:"types"` // without the colon
	Directed   bool   `json:"directed"`
	Length     string `json:"length"`
	Quantifier bool   `json:"quantifier,omitempty"` // Length stands behind the arrow
	Props      string `json:"props"`
	Where      string `json:"where"`
	Path       string `json:"path,omitempty"` // the name of the path that it is a part of
	Back       bool   `json:"back,omitempty"` // its path goes from To to From
}

// matchesIn lists the MATCH clauses of a script, those of unions and of CALL { } included, in the order of the text.
func matchesIn(script *lang.Script) (list []*lang.Match) {
	var visit func(q *lang.Query)
	clauses := func(cs []lang.Clause) {
		for _, c := range cs {
			switch c := c.(type) {
			case *lang.Match:
				list = append(list, c)
			case *lang.CallSubquery:
				visit(c.Query)
			}
		}
	}
	visit = func(q *lang.Query) {
		clauses(q.Clauses)
		for _, u := range q.Unions {
			clauses(u.Clauses)
		}
	}
	for _, stmt := range script.Statements {
		if stmt.Query != nil {
			visit(stmt.Query)
		}
	}
	return list
}

// at returns the number of the last match that begins at or before a byte of the text, else of the first; -1 if there is none.
func at(matches []*lang.Match, cursor int) int {
	found := -1
	for i, m := range matches {
		if i == 0 || m.Pos.Offset <= cursor {
			found = i
		}
	}
	return found
}

// draw draws the match at a byte of a text. A nil pattern has a reason, and so has a pattern that is not whole. Places are bytes.
func draw(text string, script *lang.Script, cursor int) (p *pattern, reason string) {
	matches := matchesIn(script)
	i := at(matches, cursor)
	if i < 0 {
		return nil, "There is no MATCH clause to draw."
	}
	d := drawer{pattern: pattern{Clause: i, Clauses: len(matches), Mode: modeOf(matches[i]), Nodes: []node{}, Edges: []edge{}}, named: map[string]int{}, labels: map[int]*lang.LabelExpr{}}
	m := matches[i]
	last := m.Paths[len(m.Paths)-1].Pos
	d.From, d.To = m.Paths[0].Pos.Offset, last.Offset+last.Len
	for _, path := range m.Paths {
		d.path(path)
	}
	for _, t := range lang.Tokens(text[d.From:d.To]) {
		if t.Kind == lang.TokenComment {
			d.lock("The pattern holds a comment, which a drawing would lose.")
		}
	}
	d.Whole = d.reason == ""
	return &d.pattern, d.reason
}

// modeOf returns the match mode as it is written.
func modeOf(m *lang.Match) string {
	switch {
	case m.Subgraphs:
		words := "SUBGRAPHS"
		if m.Induced {
			words = "INDUCED " + words
		}
		if m.Distinct {
			words = "DISTINCT " + words
		}
		return words
	case m.Mode == lang.RepeatableElements:
		return "REPEATABLE ELEMENTS"
	case m.Mode == lang.DifferentNodes:
		return "DIFFERENT NODES"
	}
	return ""
}

// drawer draws the paths of a clause.
type drawer struct {
	pattern
	named  map[string]int          // nodes by name
	labels map[int]*lang.LabelExpr // by node
	reason string
}

// lock keeps the first reason why the drawing is not whole.
func (d *drawer) lock(format string, args ...any) {
	if d.reason == "" {
		d.reason = fmt.Sprintf(format, args...)
	}
}

// path draws a path.
func (d *drawer) path(p *lang.PathPattern) {
	switch {
	case p.Function != lang.NoPathFunction:
		d.lock("A shortest path cannot be drawn.")
	case p.Selector.Kind != lang.AllPaths:
		d.lock("A path with a selector such as ANY or SHORTEST cannot be drawn.")
	case p.Mode != lang.NoPathMode:
		d.lock("A path with a mode such as TRAIL or ACYCLIC cannot be drawn.")
	case p.Name != "" && slices.ContainsFunc(d.Edges, func(e edge) bool { return e.Path == p.Name }):
		d.lock("The path %s occurs twice.", p.Name)
	}
	from := d.node(p.Nodes[0])
	if len(p.Rels) == 0 && p.Name != "" {
		if n := &d.Nodes[from]; n.Path == "" {
			n.Path = p.Name
		} else {
			d.lock("The paths %s and %s are the same node, which cannot be drawn.", n.Path, p.Name)
		}
	}
	for i, r := range p.Rels {
		to := d.node(p.Nodes[i+1])
		d.edge(r, p.Name, from, to)
		from = to
	}
}

// node draws a mention of a node, and returns the number of the node.
func (d *drawer) node(n *lang.NodePattern) int {
	i, known := d.named[n.Name]
	if !known || n.Name == "" {
		i = len(d.Nodes)
		d.Nodes = append(d.Nodes, node{Name: n.Name})
		d.named[n.Name] = i
	}
	to := &d.Nodes[i]
	if n.Labels != nil {
		d.labels[i] = both(d.labels[i], n.Labels)
		to.Labels = d.labels[i].String()
	}
	if n.Props != nil {
		if text := lang.Text(n.Props); to.Props == "" || to.Props == text {
			to.Props = text
		} else {
			d.lock("The node %s has properties in two places, which cannot be drawn.", n.Name)
		}
	}
	if n.Where != nil {
		if text := lang.Text(n.Where); to.Where == "" || to.Where == text {
			to.Where = text
		} else {
			d.lock("The node %s has conditions in two places, which cannot be drawn.", n.Name)
		}
	}
	return i
}

// both returns the label expression that holds where two hold. Either may be nil.
func both(a, b *lang.LabelExpr) *lang.LabelExpr {
	out := &lang.LabelExpr{Op: lang.LabelAnd}
	for _, x := range []*lang.LabelExpr{a, b} {
		args := []*lang.LabelExpr{x}
		switch {
		case x == nil:
			continue
		case x.Op == lang.LabelAnd:
			args = x.Args
		}
		for _, arg := range args {
			if !slices.ContainsFunc(out.Args, func(o *lang.LabelExpr) bool { return o.String() == arg.String() }) {
				out.Args = append(out.Args, arg)
			}
		}
	}
	if len(out.Args) == 1 {
		return out.Args[0]
	}
	return out
}

// edge draws a relationship that a path crosses on its way from a node to another.
func (d *drawer) edge(r *lang.RelPattern, path string, from, to int) {
	if r.Group != nil {
		d.lock("A path in brackets with a quantifier cannot be drawn.")
		return
	}
	e := edge{From: from, To: to, Name: r.Name, Directed: r.Direction != lang.Undirected, Path: path}
	if r.Direction == lang.Left {
		e.From, e.To, e.Back = to, from, true
	}
	if r.TypeExpr != nil {
		e.Types = r.TypeExpr.String()
	}
	for i, t := range r.Types {
		if i > 0 {
			e.Types += "|"
		}
		e.Types += lang.QuoteKey(t.Text)
	}
	if r.Length != nil {
		bare := (&lang.RelPattern{Length: r.Length}).String()
		if e.Quantifier = !r.Length.Star; e.Quantifier {
			e.Length = strings.TrimPrefix(bare, "--")
		} else {
			e.Length = strings.TrimSuffix(strings.TrimPrefix(bare, "-["), "]-")
		}
	}
	if r.Props != nil {
		e.Props = lang.Text(r.Props)
	}
	if r.Where != nil {
		e.Where = lang.Text(r.Where)
	}
	d.Edges = append(d.Edges, e)
}
