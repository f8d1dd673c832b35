package selectortest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// truth is one of three values.
type truth int8

const (
	no truth = iota
	unknown
	yes
)

// condition is an expression and its meaning.
type condition struct {
	text string
	eval func(g *graph, e env) truth
}

func of(b bool) truth {
	if b {
		return yes
	}
	return no
}

// compare compares two numbers, of which -1 is null.
func compare(op string, a, b int) truth {
	switch {
	case a < 0 || b < 0:
		return unknown
	case op == "<":
		return of(a < b)
	case op == ">=":
		return of(a >= b)
	case op == "=":
		return of(a == b)
	}
	return of(a != b)
}

// visible is what a condition may read.
type visible struct {
	nodes, rels, nodeLists, relLists []string
	path, bracket                    bool // p, q
}

// number is a numeric expression and its meaning; -1 is null.
type number struct {
	text string
	eval func(g *graph, e env) int
}

func (g *graph) property(x any) int {
	switch x := x.(type) {
	case nodeID:
		return g.nodes[x].n
	case relID:
		return g.rels[x].n
	}
	return -1
}

// at is an element of a list, or nil.
func at(list any, i int) any {
	switch l := list.(type) {
	case []nodeID:
		if i < len(l) {
			return l[i]
		}
	case []relID:
		if i < len(l) {
			return l[i]
		}
	}
	return nil
}

func size(list any) int {
	switch l := list.(type) {
	case []nodeID:
		return len(l)
	case []relID:
		return len(l)
	}
	return -1
}

// degree counts the relationships that leave a node.
func (g *graph) degree(v int, typ string) (n int) {
	for _, r := range g.rels {
		if r.from == v && (typ == "" || r.typ == typ) {
			n++
		}
	}
	return n
}

func randomNumber(r *rand.Rand, v visible) number {
	singles, lists := slices.Concat(v.nodes, v.rels), slices.Concat(v.nodeLists, v.relLists)
	switch k := r.IntN(9); {
	case k == 8 && v.bracket:
		return number{"length(q)", func(_ *graph, e env) int { return e["q"].(int) }}
	case k < 2 && len(lists) > 0:
		name := lists[r.IntN(len(lists))]
		return number{"size(" + name + ")", func(_ *graph, e env) int { return size(e[name]) }}
	case k < 4 && len(lists) > 0:
		name, i := lists[r.IntN(len(lists))], r.IntN(2)
		return number{fmt.Sprintf("%s[%d].n", name, i), func(g *graph, e env) int { return g.property(at(e[name], i)) }}
	case k == 4 && v.path:
		return number{"length(p)", func(_ *graph, e env) int { return len(e["p"].(match).rels) }}
	case k == 5 && len(v.nodes) > 0:
		name := v.nodes[r.IntN(len(v.nodes))]
		return number{"COUNT { (" + name + ")-->() }", func(g *graph, e env) int { return g.degree(int(e[name].(nodeID)), "") }}
	case k < 8 && len(singles) > 0:
		name := singles[r.IntN(len(singles))]
		return number{name + ".n", func(g *graph, e env) int { return g.property(e[name]) }}
	}
	c := r.IntN(3)
	return number{fmt.Sprint(c), func(*graph, env) int { return c }}
}

func randomCondition(r *rand.Rand, v visible, depth int) *condition {
	ops := []string{"<", ">=", "=", "<>"}
	op := ops[r.IntN(len(ops))]
	lists := slices.Concat(v.nodeLists, v.relLists)
	switch k := r.IntN(12); {
	case k == 0 && depth > 0:
		x := randomCondition(r, v, depth-1)
		return &condition{"NOT (" + x.text + ")", func(g *graph, e env) truth { return yes - x.eval(g, e) }}
	case k < 4 && depth > 0:
		x, y := randomCondition(r, v, depth-1), randomCondition(r, v, depth-1)
		if k == 1 {
			return &condition{"(" + x.text + " OR " + y.text + ")", func(g *graph, e env) truth { return max(x.eval(g, e), y.eval(g, e)) }}
		}
		return &condition{x.text + " AND " + y.text, func(g *graph, e env) truth { return min(x.eval(g, e), y.eval(g, e)) }}
	case k == 4 && len(v.nodes) > 0:
		name, typ := v.nodes[r.IntN(len(v.nodes))], []string{"R", "S"}[r.IntN(2)]
		text := []string{"(%s)-[:%s]->()", "EXISTS { (%s)-[:%s]->() }", "EXISTS { MATCH (%s)-[:%s]->(other) WHERE other.n IS NULL OR other.n IS NOT NULL }"}[r.IntN(3)]
		return &condition{fmt.Sprintf(text, name, typ), func(g *graph, e env) truth { return of(g.degree(int(e[name].(nodeID)), typ) > 0) }}
	case k == 5 && len(lists) > 0:
		name := lists[r.IntN(len(lists))]
		return &condition{"EXISTS { MATCH (other) WHERE other.n = size(" + name + ") }", func(g *graph, e env) truth {
			return of(slices.ContainsFunc(g.nodes, func(n node) bool { return n.n >= 0 && n.n == size(e[name]) }))
		}}
	case k < 8 && len(lists) > 0:
		return each(r, lists[r.IntN(len(lists))], op)
	}
	x, y := randomNumber(r, v), randomNumber(r, v)
	return &condition{x.text + " " + op + " " + y.text, func(g *graph, e env) truth { return compare(op, x.eval(g, e), y.eval(g, e)) }}
}

// each is all, any or none over a list.
func each(r *rand.Rand, name, op string) *condition {
	word, c := []string{"all", "any", "none"}[r.IntN(3)], r.IntN(3)
	return &condition{fmt.Sprintf("%s(z IN %s WHERE z.n %s %d)", word, name, op, c), func(g *graph, e env) truth {
		least, most := yes, no
		for i := range size(e[name]) {
			t := compare(op, g.property(at(e[name], i)), c)
			least, most = min(least, t), max(most, t)
		}
		switch word {
		case "all":
			return least
		case "any":
			return most
		}
		return yes - most
	}}
}

// text is the condition after WHERE, if there is one.
func whereText(c *condition) string {
	if c == nil {
		return ""
	}
	return " WHERE " + c.text
}

func (n nodePattern) text() string {
	b := "(" + n.name
	if n.label != "" {
		b += ":" + n.label
	}
	return b + whereText(n.cond) + ")"
}

func (h hop) text() string {
	in := h.name
	if h.typ != "" {
		in += ":" + h.typ
	}
	times := ""
	if h.loop {
		times = fmt.Sprintf("{%d,}", h.min)
		if h.max >= 0 {
			times = fmt.Sprintf("{%d,%d}", h.min, h.max)
		}
	}
	if h.star {
		in += fmt.Sprintf("*%d..", h.min)
		if h.max >= 0 {
			in += fmt.Sprint(h.max)
		}
		times = ""
	}
	if !h.group {
		in += whereText(h.cond)
	}
	arrow := "-[" + in + "]-"
	switch h.dir {
	case '>':
		arrow += ">"
	case '<':
		arrow = "<" + arrow
	}
	if h.group {
		return "((" + h.x + ")" + arrow + "(" + h.y + ")" + whereText(h.cond) + ")" + times
	}
	return arrow + times
}

func (p *path) text() string {
	var b strings.Builder
	for i, n := range p.nodes {
		for _, k := range p.brackets {
			if k[0] == i && p.named {
				b.WriteString("(q = ")
			} else if k[0] == i {
				b.WriteByte('(')
			}
		}
		b.WriteString(n.text())
		for j, k := range p.brackets {
			if k[1] == i {
				b.WriteString(whereText(p.conds[j]) + ")")
			}
		}
		if i < len(p.hops) {
			b.WriteString(p.hops[i].text())
		}
	}
	return b.String()
}
