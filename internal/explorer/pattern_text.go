package explorer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/motifql/motif/lang"
)

// change replaces a part of a text. Places are bytes.
type change struct {
	From   int    `json:"from"`
	To     int    `json:"to"`
	Insert string `json:"insert"`
}

// modes are the match modes that a drawing may have.
var modes = []string{"", "DIFFERENT RELATIONSHIPS", "DIFFERENT NODES", "REPEATABLE ELEMENTS", "SUBGRAPHS", "DISTINCT SUBGRAPHS", "INDUCED SUBGRAPHS", "DISTINCT INDUCED SUBGRAPHS"}

// write returns the change that puts a drawing into a text: in place of the match at the cursor or, if there is none, at the end.
func write(text string, script *lang.Script, cursor int, p *pattern) (change, error) {
	if !slices.Contains(modes, p.Mode) {
		return change{}, fmt.Errorf("there is no match mode %q; there are %s", p.Mode, strings.Join(modes[1:], ", "))
	}
	if len(p.Nodes) == 0 {
		return change{}, fmt.Errorf("a pattern without nodes has no text; draw a node first, or delete the clause in the text")
	}
	paths, err := pathsOf(text, p)
	if err != nil {
		return change{}, err
	}
	matches := matchesIn(script)
	i := at(matches, cursor)
	if i < 0 {
		head := "MATCH "
		if p.Mode != "" {
			head += p.Mode + " "
		}
		if rest := strings.TrimRight(text, " \t\r\n"); rest != "" && !strings.HasSuffix(rest, ";") {
			head = ";\n" + head
		} else if text != "" && !strings.HasSuffix(text, "\n") {
			head = "\n" + head
		}
		return change{len(text), len(text), head + paths + "\nRETURN *"}, nil
	}
	m := matches[i]
	last := m.Paths[len(m.Paths)-1].Pos
	c := change{m.Paths[0].Pos.Offset, last.Offset + last.Len, paths}
	if c.From > 0 && !strings.ContainsRune(" \t\r\n", rune(text[c.From-1])) && paths[0] != '(' {
		c.Insert = " " + paths // MATCH(a) may become MATCH p = (a)
	}
	if was := modeOf(m); p.Mode != was && !(was == "" && p.Mode == "DIFFERENT RELATIONSHIPS") {
		c.From = behindMatch(text, m)
		c.Insert = strings.TrimLeft(" "+p.Mode, " ")
		if c.Insert != "" {
			c.Insert += " "
		}
		c.Insert = " " + c.Insert + paths
	}
	return c, nil
}

// behindMatch returns the byte behind the word MATCH of a clause.
func behindMatch(text string, m *lang.Match) int {
	for _, t := range lang.Tokens(text) {
		end := t.Pos.Offset + t.Pos.Len
		if t.Pos.Offset >= m.Pos.Offset && t.Kind != lang.TokenComment && strings.EqualFold(text[t.Pos.Offset:end], "MATCH") {
			return end
		}
	}
	return m.Paths[0].Pos.Offset
}

// unit is a path of the text: a chain of edges, or a node alone.
type unit struct {
	name  string
	start int   // the first node
	edges []int // in the order of the path
	order int   // of the units: the largest node that they or those before have
}

// pathsOf writes a drawing as paths. Edges that follow one another become one path.
func pathsOf(text string, p *pattern) (string, error) {
	if err := checkDrawing(p); err != nil {
		return "", err
	}
	units, err := p.units()
	if err != nil {
		return "", err
	}
	w := writer{p: p, told: make([]bool, len(p.Nodes)), names: p.names(text, units)}
	for i, u := range units {
		if i > 0 {
			w.WriteString(", ")
		}
		w.unit(u)
	}
	return w.String(), nil
}

// ends returns the nodes from which and to which a path crosses an edge.
func (e *edge) ends() (from, to int) {
	if e.Back {
		return e.To, e.From
	}
	return e.From, e.To
}

// units cuts a drawing into paths, in the order of its nodes.
func (p *pattern) units() (units []unit, err error) {
	joined := make([]bool, len(p.Nodes))
	last, most := -1, 0
	for i := range p.Edges {
		e := &p.Edges[i]
		from, to := e.ends()
		joined[from], joined[to] = true, true
		most = max(most, from, to)
		if n := len(units) - 1; n >= 0 && units[n].name == e.Path && last == from {
			units[n].edges, units[n].order = append(units[n].edges, i), most
		} else {
			if e.Path != "" && slices.ContainsFunc(units, func(u unit) bool { return u.name == e.Path }) {
				return nil, fmt.Errorf("the path %s would fall apart: delete its name in the text, or keep its relationships together", e.Path)
			}
			units = append(units, unit{e.Path, from, []int{i}, most})
		}
		last = to
	}
	for i, n := range p.Nodes {
		if !joined[i] || n.Path != "" {
			units = append(units, unit{n.Path, i, nil, i})
		}
	}
	slices.SortStableFunc(units, func(a, b unit) int { return cmp.Compare(a.order, b.order) })
	return units, nil
}

// names returns the names of the nodes. A node without one gets one if the text mentions it twice.
func (p *pattern) names(text string, units []unit) []string {
	mentions := make([]int, len(p.Nodes))
	for _, u := range units {
		mentions[u.start]++
		for _, i := range u.edges {
			_, to := p.Edges[i].ends()
			mentions[to]++
		}
	}
	taken := map[string]bool{}
	for _, t := range lang.Tokens(text) {
		taken[strings.Trim(text[t.Pos.Offset:t.Pos.Offset+t.Pos.Len], "`")] = true
	}
	for _, n := range p.Nodes {
		taken[n.Name] = true
	}
	for _, e := range p.Edges {
		taken[e.Name] = true
	}
	names := make([]string, len(p.Nodes))
	for i, n := range p.Nodes {
		names[i] = n.Name
		for k := 0; names[i] == "" && mentions[i] > 1; k++ {
			name := string(rune('a' + k%26))
			if k >= 26 {
				name += fmt.Sprint(k / 26)
			}
			if !taken[name] {
				taken[name], names[i] = true, name
			}
		}
	}
	return names
}

// writer writes paths.
type writer struct {
	strings.Builder
	p     *pattern
	names []string
	told  []bool // nodes whose labels and the like are written
}

func (w *writer) unit(u unit) {
	if u.name != "" {
		w.WriteString(lang.QuoteName(u.name) + " = ")
	}
	w.node(u.start)
	for _, i := range u.edges {
		e := &w.p.Edges[i]
		_, to := e.ends()
		w.edge(e)
		w.node(to)
	}
}

func (w *writer) node(i int) {
	n := w.p.Nodes[i]
	if w.told[i] {
		n = node{}
	}
	w.told[i] = true
	w.WriteByte('(')
	w.inside(w.names[i], n.Labels, "", n.Props, n.Where)
	w.WriteByte(')')
}

func (w *writer) edge(e *edge) {
	if e.Directed && e.Back {
		w.WriteByte('<')
	}
	w.WriteByte('-')
	length := e.Length
	if e.Quantifier {
		length = ""
	}
	if e.Name != "" || e.Types != "" || length != "" || e.Props != "" || e.Where != "" {
		w.WriteByte('[')
		w.inside(e.Name, e.Types, length, e.Props, e.Where)
		w.WriteByte(']')
	}
	w.WriteByte('-')
	if e.Directed && !e.Back {
		w.WriteByte('>')
	}
	if e.Quantifier {
		w.WriteString(e.Length)
	}
}

// inside writes what stands between brackets.
func (w *writer) inside(name, labels, length, props, where string) {
	var parts []string
	head := ""
	if name != "" {
		head = lang.QuoteName(name)
	}
	if labels != "" {
		head += ":" + labels
	}
	for _, part := range []string{head + length, props} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	if where != "" {
		parts = append(parts, "WHERE "+where)
	}
	w.WriteString(strings.Join(parts, " "))
}

// checkDrawing refuses a drawing whose parts would not stay where they stand.
func checkDrawing(p *pattern) error {
	for i, n := range p.Nodes {
		for _, text := range []string{n.Labels, n.Props, n.Where} {
			if err := closed(text); err != nil {
				return fmt.Errorf("node %d: %w", i+1, err)
			}
		}
	}
	for i, e := range p.Edges {
		if e.From < 0 || e.To < 0 || e.From >= len(p.Nodes) || e.To >= len(p.Nodes) {
			return fmt.Errorf("relationship %d joins a node that the drawing lacks", i+1)
		}
		for _, text := range []string{e.Types, e.Length, e.Props, e.Where} {
			if err := closed(text); err != nil {
				return fmt.Errorf("relationship %d: %w", i+1, err)
			}
		}
	}
	return nil
}

// closed refuses a text that would end the brackets around it, or swallow them.
func closed(text string) error {
	open := ""
	pairs := map[string]byte{")": '(', "]": '[', "}": '{'}
	for _, t := range lang.Tokens(text) {
		s := text[t.Pos.Offset : t.Pos.Offset+t.Pos.Len]
		switch {
		case t.Kind == lang.TokenComment, t.Kind == lang.TokenInvalid, s == ";", strings.HasPrefix(s, "`") && !properlyQuoted(s, '`'),
			t.Kind == lang.TokenString && !properlyQuoted(s, s[0]):
			return fmt.Errorf("%q cannot stand in a pattern; write it in the text", text)
		case t.Kind == lang.TokenString:
		case s == "(" || s == "[" || s == "{":
			open += s
		case pairs[s] != 0:
			if open == "" || open[len(open)-1] != pairs[s] {
				return fmt.Errorf("%q closes a bracket that it does not open", text)
			}
			open = open[:len(open)-1]
		}
	}
	if open != "" {
		return fmt.Errorf("%q opens a bracket that it does not close", text)
	}
	return nil
}

// properlyQuoted reports whether a token that begins with a quote ends with one.
func properlyQuoted(s string, quote byte) bool {
	if len(s) < 2 || s[len(s)-1] != quote {
		return false
	}
	if quote == '`' {
		return strings.Count(s, "`")%2 == 0
	}
	slashes := 0
	for i := len(s) - 2; i > 0 && s[i] == '\\'; i-- {
		slashes++
	}
	return slashes%2 == 0
}
