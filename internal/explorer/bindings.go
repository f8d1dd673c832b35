package explorer

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/motifql/motif/lang"
)

// bindings is a query whose rows also hold the elements of its pattern, those without a name included.
type bindings struct {
	text    string   // to run
	pattern *pattern // nil: the rows hold no elements besides
	reason  string   // why not
	shown   []string // the columns of the query as it was typed
	nodes   []int    // columns, by the pattern's nodes
	edges   []int    // columns, by the pattern's edges
	fresh   string   // the beginning of the names that were made up
}

// visible returns the names of the columns that the query has.
func (b *bindings) visible(columns []string) []string {
	if b.pattern == nil {
		return columns
	}
	return b.shown
}

// columns returns the numbers of these columns in a row of n.
func (b *bindings) columns(n int) []int {
	if b.pattern != nil {
		n = len(b.shown)
	}
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// bind changes a query, so that its rows end with the elements of its pattern. A query whose rows are not its matches stays as it is.
func (s *server) bind(ctx context.Context, text string) *bindings {
	b := &bindings{text: text}
	script, err := lang.Parse(text)
	if err != nil {
		return b
	}
	stmt := script.Statements[0]
	matches, last, reason := matchesOf(stmt)
	if reason != "" {
		b.reason = reason
		return b
	}
	typed, err := s.db.Prepare(ctx, text)
	if err != nil {
		return b // running it says why
	}
	d := drawer{pattern: pattern{Clauses: len(matches), Nodes: []node{}, Edges: []edge{}, Mode: modeOf(matches[0])}, named: map[string]int{}, labels: map[int]*lang.LabelExpr{}}
	fresh := freshPrefix(text)
	made := map[string]bool{} // names that were made up
	for _, m := range matches {
		nameElements(m, fresh, made)
		for _, path := range m.Paths {
			d.path(path)
		}
	}
	if d.reason != "" && strings.Contains(d.reason, "cannot be drawn") {
		b.reason = d.reason
		return b
	}
	b.shown = slices.Clone(typed.Columns())
	spellStar(b.shown, last)
	add := func(name string) int {
		last.Items = append(last.Items, &lang.ReturnItem{Expr: &lang.Var{Name: name}, Name: fmt.Sprint(fresh, "c", len(last.Items)), Aliased: true})
		return len(last.Items) - 1
	}
	for i := range d.Nodes {
		n := &d.Nodes[i]
		b.nodes = append(b.nodes, add(n.Name))
		if made[n.Name] {
			n.Name = ""
		}
	}
	for i := range d.Edges {
		e := &d.Edges[i]
		b.edges = append(b.edges, add(e.Name))
		if made[e.Name] {
			e.Name = ""
		}
	}
	stmt.Text = ""
	b.text, b.pattern, b.fresh = stmt.String(), &d.pattern, fresh
	if changed, err := s.db.Prepare(ctx, b.text); err != nil || len(changed.Columns()) != len(b.shown)+len(b.nodes)+len(b.edges) {
		return &bindings{text: text, reason: "The matches of this query cannot be shown one by one."}
	}
	return b
}

// spellStar puts the columns that RETURN * stands for in its place.
func spellStar(shown []string, r *lang.Return) {
	if !r.Star {
		return
	}
	r.Star = false
	var items []*lang.ReturnItem
	for _, name := range shown[:len(shown)-len(r.Items)] {
		items = append(items, &lang.ReturnItem{Expr: &lang.Var{Name: name}, Name: name, Aliased: true})
	}
	r.Items = append(items, r.Items...)
}

// matchesOf returns the MATCH clauses and the RETURN of a query whose rows are its matches, or says why it is none.
func matchesOf(stmt *lang.Statement) (matches []*lang.Match, last *lang.Return, reason string) {
	q := stmt.Query
	if q == nil || stmt.Explain != lang.Run || len(q.Unions) > 0 {
		return nil, nil, "Only the matches of a query without UNION, EXPLAIN and PROFILE can be shown one by one."
	}
	for i, c := range q.Clauses {
		switch c := c.(type) {
		case *lang.Match:
			matches = append(matches, c)
			continue
		case *lang.Unwind:
			continue
		case *lang.Return:
			if i == len(q.Clauses)-1 {
				last = c
				continue
			}
		}
		return nil, nil, "Only the matches of a query of MATCH, WHERE, UNWIND and RETURN can be shown one by one."
	}
	switch {
	case last == nil || len(matches) == 0:
		return nil, nil, "The query has no MATCH and RETURN, so there are no matches to show."
	case last.Distinct:
		return nil, nil, "RETURN DISTINCT joins equal rows, so a row is not one match."
	case slices.ContainsFunc(last.Items, func(it *lang.ReturnItem) bool { return aggregates(it.Expr) }),
		slices.ContainsFunc(last.Order, func(it *lang.SortItem) bool { return aggregates(it.Expr) }):
		return nil, nil, "The rows are groups, so a row is not one match. Return the nodes themselves to see the matches."
	}
	return matches, last, ""
}

// aggregates reports whether an aggregate occurs in an expression.
func aggregates(x lang.Expr) (found bool) {
	lang.Walk(x, func(x lang.Expr) bool {
		switch x := x.(type) {
		case *lang.CountStar:
			found = true
		case *lang.Call:
			found = found || lang.IsAggregate(x.Name)
		}
		return !found
	})
	return found
}

// freshPrefix returns a beginning of names that the text does not contain.
func freshPrefix(text string) string {
	for i := 0; ; i++ {
		if p := fmt.Sprintf("m%d_", i); !strings.Contains(text, p) {
			return p
		}
	}
}

// nameElements gives a name to each element of a clause that has none. The parts of a path in brackets with a quantifier stay without.
func nameElements(m *lang.Match, prefix string, made map[string]bool) {
	name := func(s *string) {
		if *s == "" {
			*s = fmt.Sprint(prefix, len(made))
			made[*s] = true
		}
	}
	for _, p := range m.Paths {
		for i, n := range p.Nodes {
			if i > 0 && p.Rels[i-1].Group == nil {
				name(&p.Rels[i-1].Name)
			}
			name(&n.Name)
		}
	}
}

// hide takes the names that were made up out of a plan. A node gets its number instead, as the engine calls nodes without a name.
func (b *bindings) hide(p *operator) {
	if p == nil || b.pattern == nil {
		return
	}
	var old []string
	if p.Match != nil {
		for i := range p.Match.Nodes {
			if n := &p.Match.Nodes[i]; strings.HasPrefix(n.Name, b.fresh) {
				old = append(old, n.Name, "#"+strconv.Itoa(i))
				n.Name = "#" + strconv.Itoa(i)
			}
		}
		for i := range p.Match.Edges {
			if e := &p.Match.Edges[i]; strings.HasPrefix(e.Name, b.fresh) {
				e.Name = ""
			}
		}
	}
	made := regexp.MustCompile(`(, )?[^ ,]+ as ` + b.fresh + `c\d+|` + b.fresh + `\d+`)
	clean := func(text string) string {
		return strings.ReplaceAll(made.ReplaceAllStringFunc(text, func(name string) string {
			if i := slices.Index(old, name); i >= 0 {
				return old[i+1]
			}
			return ""
		}), "[]", "")
	}
	p.Detail = clean(p.Detail)
	for i := range p.Notes {
		p.Notes[i] = clean(p.Notes[i])
	}
	for _, c := range p.Children {
		b.hide(c)
	}
}
