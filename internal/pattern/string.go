package pattern

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/motifql/motif/internal/csr"
)

// String prints the vertices, edges, scopes and conditions of p, one a line, with types by number.
func (p *Pattern) String() string {
	var b strings.Builder
	for u := range p.Vertices {
		v := &p.Vertices[u]
		fmt.Fprintf(&b, "vertex %d %s%s\n", u, node(p.VertexName(u), v.Labels), flags(v.Bound, "bound"))
	}
	for i := range p.Edges {
		e := &p.Edges[i]
		fmt.Fprintf(&b, "edge ^%d (%s)%s(%s) scope %d%s%s\n", i, p.VertexName(e.From), e.arrow(e.From, nil), p.VertexName(e.To),
			e.Scope, flags(e.AtLeastOne, "at least one"), flags(e.Bound, "bound"))
	}
	for i := range p.Scopes {
		s := &p.Scopes[i]
		fmt.Fprintf(&b, "scope %d %s vertices %v edges %v order %s", i, s.mode(), s.Vertices, s.Edges, s.orderText())
		if s.Induced {
			b.WriteString(" induced types " + cmp.Or(TypesText(s.InducedTypes, nil), "any"))
		}
		b.WriteByte('\n')
	}
	for _, d := range p.Different {
		fmt.Fprintf(&b, "different %s <> %s\n", p.VertexName(d[0]), p.VertexName(d[1]))
	}
	for i := range p.Predicates {
		q := &p.Predicates[i]
		fmt.Fprintf(&b, "where %s reads vertices %v edges %v scope %d\n", q.Text, q.Vertices, q.Edges, q.Scope)
	}
	return b.String()
}

// Text prints p on one line much as a query would say it, without its predicates. types names the relationship
// types; nil leaves them as numbers.
func (p *Pattern) Text(types *csr.Dict) string {
	w := writer{p: p, types: types, labelled: make([]bool, len(p.Vertices)), anonymous: p.anonymous()}
	for i := range p.Scopes {
		if i > 0 {
			w.b.WriteString(" MATCH ")
		}
		w.scope(i)
	}
	return w.b.String()
}

// VertexName is the variable of u, or its number.
func (p *Pattern) VertexName(u int) string {
	if n := p.Vertices[u].Name; n != "" {
		return n
	}
	return fmt.Sprint("#", u)
}

// NodeText prints vertex u with its labels.
func (p *Pattern) NodeText(u int) string { return node(p.VertexName(u), p.Vertices[u].Labels) }

// EdgeText prints edge i as seen from the end from, without labels.
func (p *Pattern) EdgeText(i, from int, types *csr.Dict) string {
	e := p.Edges[i]
	e.AtLeastOne = false
	return node(p.VertexName(from), nil) + e.arrow(from, types) + node(p.VertexName(e.From+e.To-from), nil)
}

// HopText prints edge i as seen from the end from, with the labels of the other end.
func (p *Pattern) HopText(i, from int, types *csr.Dict) string {
	e := p.Edges[i]
	e.AtLeastOne = false
	return node(p.VertexName(from), nil) + e.arrow(from, types) + p.NodeText(e.From+e.To-from)
}

// anonymous says which unnamed vertices Text mentions once only, so that they may stay without a name.
func (p *Pattern) anonymous() []bool {
	mentions := make([]int, len(p.Vertices))
	for i := range p.Scopes {
		for _, path := range p.paths(i) {
			for _, u := range path.vertices {
				mentions[u]++
			}
		}
	}
	once := make([]bool, len(p.Vertices))
	for u, n := range mentions {
		once[u] = n == 1 && p.Vertices[u].Name == ""
	}
	return once
}

// path is a chain of edges, each from one vertex to the next.
type path struct {
	vertices []int
	edges    []int
}

// paths cuts the binding edges of a scope into chains in order of their numbers; vertices that no chain has
// follow alone.
func (p *Pattern) paths(scope int) []path {
	var out []path
	used := map[int]bool{}
	for _, i := range p.Scopes[scope].Edges {
		e := &p.Edges[i]
		if e.AtLeastOne {
			continue
		}
		if n := len(out) - 1; n >= 0 {
			last := &out[n]
			if at := last.vertices[len(last.vertices)-1]; at == e.From || at == e.To {
				last.vertices = append(last.vertices, e.From+e.To-at)
				last.edges = append(last.edges, i)
				used[e.From], used[e.To] = true, true
				continue
			}
		}
		out = append(out, path{vertices: []int{e.From, e.To}, edges: []int{i}})
		used[e.From], used[e.To] = true, true
	}
	for _, u := range p.Scopes[scope].Vertices {
		if !used[u] {
			out = append(out, path{vertices: []int{u}})
		}
	}
	return out
}

// writer builds Text.
type writer struct {
	p         *Pattern
	types     *csr.Dict
	b         strings.Builder
	labelled  []bool // vertices whose labels were printed
	anonymous []bool
}

func (w *writer) scope(i int) {
	if m := w.p.Scopes[i].mode(); m != "DIFFERENT RELATIONSHIPS" {
		w.b.WriteString(m + " ")
	}
	for n, path := range w.p.paths(i) {
		if n > 0 {
			w.b.WriteString(", ")
		}
		w.vertex(path.vertices[0])
		for k, e := range path.edges {
			w.b.WriteString(w.p.Edges[e].arrow(path.vertices[k], w.types))
			w.vertex(path.vertices[k+1])
		}
	}
	w.atLeastOne(i)
}

// vertex prints u, with its labels at the first mention.
func (w *writer) vertex(u int) {
	name, labels := "", w.p.Vertices[u].Labels
	if !w.anonymous[u] {
		name = w.p.VertexName(u)
	}
	if w.labelled[u] {
		labels = nil
	}
	w.labelled[u] = true
	w.b.WriteString(node(name, labels))
}

// atLeastOne prints the edges of a scope that bind nothing: as IS_CLIQUE where those of one type set join all
// their vertices pairwise, else one by one.
func (w *writer) atLeastOne(scope int) {
	var groups [][]int
	for _, i := range w.p.Scopes[scope].Edges {
		if !w.p.Edges[i].AtLeastOne {
			continue
		}
		e := &w.p.Edges[i]
		g := slices.IndexFunc(groups, func(g []int) bool {
			o := &w.p.Edges[g[0]]
			return o.Undirected == e.Undirected && o.Types.Equal(e.Types)
		})
		if g < 0 {
			g, groups = len(groups), append(groups, nil)
		}
		groups[g] = append(groups[g], i)
	}
	for _, g := range groups {
		var ends []int
		for _, i := range g {
			ends = append(ends, w.p.Edges[i].From, w.p.Edges[i].To)
		}
		slices.Sort(ends)
		ends = slices.Compact(ends)
		if e := &w.p.Edges[g[0]]; e.Undirected && len(g) == len(ends)*(len(ends)-1)/2 {
			fmt.Fprintf(&w.b, ", IS_CLIQUE([%s]%s)", strings.Join(w.names(ends), ", "), prefixed(", ", TypesText(e.Types, w.types)))
			continue
		}
		for _, i := range g {
			e := &w.p.Edges[i]
			fmt.Fprintf(&w.b, ", (%s)%s(%s)", w.p.VertexName(e.From), e.arrow(e.From, w.types), w.p.VertexName(e.To))
		}
	}
}

func (w *writer) names(us []int) []string {
	out := make([]string, len(us))
	for i, u := range us {
		out[i] = w.p.VertexName(u)
	}
	return out
}

// node prints a vertex with its labels.
func node(name string, labels *Label) string {
	return "(" + name + prefixed(":", labels.String()) + ")"
}

// arrow prints e as seen from the vertex that stands to its left; ~ marks edges of the AtLeastOne kind.
func (e *Edge) arrow(left int, types *csr.Dict) string {
	inner := e.Name + prefixed(":", TypesText(e.Types, types))
	if inner != "" {
		inner = "[" + inner + "]"
	}
	line := "-"
	if e.AtLeastOne {
		line = "~"
	}
	switch {
	case e.Undirected:
		return line + inner + line
	case e.From == left:
		return line + inner + line + ">"
	}
	return "<" + line + inner + line
}

// TypesText prints a type set; any type is "". types names the types; nil leaves them as numbers.
func TypesText(set csr.TypeSet, types *csr.Dict) string {
	if set == nil {
		return ""
	}
	if len(set) == 0 {
		return "(no such type)"
	}
	names := make([]string, len(set))
	for i, t := range set {
		if names[i] = fmt.Sprint("t", t); types != nil {
			names[i] = types.Name(uint32(t))
		}
	}
	return strings.Join(names, "|")
}

// mode is the match mode in the words of the query language.
func (s *Scope) mode() string {
	words := ""
	if s.Distinct {
		words += "DISTINCT "
	}
	if s.Induced {
		words += "INDUCED "
	}
	switch {
	case words != "":
		return words + "SUBGRAPHS"
	case s.Mode == RepeatableElements:
		return "REPEATABLE ELEMENTS"
	case s.Mode == DifferentNodes:
		return "DIFFERENT NODES"
	}
	return "DIFFERENT RELATIONSHIPS"
}

func (s *Scope) orderText() string {
	parts := make([]string, len(s.Order))
	for i, x := range s.Order {
		if parts[i] = fmt.Sprint(x); x < 0 {
			parts[i] = fmt.Sprint("^", ^x)
		}
	}
	return "[" + strings.Join(parts, " ") + "]"
}

func prefixed(prefix, s string) string {
	if s == "" {
		return ""
	}
	return prefix + s
}

func flags(set bool, name string) string {
	if set {
		return " " + name
	}
	return ""
}
