package planner

import (
	"slices"
	"strings"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/lang"
)

// condition adds one conjunct of scope s: as structure of the pattern where one of the rewrites below applies, else
// as a predicate.
func (g *group) condition(s int, x lang.Expr) {
	if !g.b.opt.Brute && (g.constant(x) || g.labels(x) || g.different(s, x) || g.clique(s, x) || g.hop(s, x)) {
		return
	}
	var vertices, edges []int
	given := false
	for _, name := range g.variables(x) {
		if g.fromRow(name) {
			given = true
			g.b.vars[name].read = true
		} else if u, ok := g.lookupVertex(name); ok {
			vertices = append(vertices, u)
		} else if e, ok := g.lookupEdge(name); ok {
			edges = append(edges, e)
		}
	}
	g.predicate(pattern.Predicate{Text: text(x), Vertices: vertices, Edges: edges, Scope: s, Given: given, Absent: g.absent(x), Equal: g.equality(x)}, x)
}

// hop turns a pattern of one undirected relationship between two vertices, as a condition, into an edge of the AtLeastOne
// kind. Not where the two may be the same, which such an edge rules out, nor under INDUCED; see clique.
func (g *group) hop(s int, x lang.Expr) bool {
	e := g.looked(x)
	if e == nil || !e.Undirected || g.p.Scopes[s].Induced {
		return false
	}
	if vertices := []int{e.From, e.To}; !within(vertices, g.p.Scopes[s].Vertices) {
		s = g.freeScope(vertices)
	}
	g.joined(s, e.From, e.To, e.Types)
	return true
}

// absent returns the edge that x says is missing, or nil.
func (g *group) absent(x lang.Expr) *pattern.Edge {
	if u, ok := x.(*lang.Unary); ok && u.Op == "NOT" && !g.b.opt.Brute {
		return g.looked(u.X)
	}
	return nil
}

// equality returns what x says if it says that a value of one vertex of the pattern equals a value of another one; else nil.
func (g *group) equality(x lang.Expr) *pattern.Equality {
	b, ok := x.(*lang.Binary)
	if !ok || b.Op != "=" || g.b.opt.Brute {
		return nil
	}
	var of [2]int
	for i, side := range []lang.Expr{b.L, b.R} {
		names := g.variables(side)
		if len(names) != 1 || g.fromRow(names[0]) || !g.plain(side) {
			return nil
		}
		if of[i], ok = g.lookupVertex(names[0]); !ok {
			return nil
		}
	}
	if of[0] == of[1] {
		return nil
	}
	return &pattern.Equality{Of: of}
}

// plain reports whether x is an expression of variables, properties, constants and functions whose value stays the same, without
// subqueries.
func (g *group) plain(x lang.Expr) bool {
	ok := true
	lang.Walk(x, func(x lang.Expr) bool {
		switch x := x.(type) {
		case *lang.Var, *lang.Property, *lang.Literal, *lang.Param, *lang.Unary, *lang.Binary:
		case *lang.Call:
			ok = ok && !slices.ContainsFunc(lang.Functions, func(f lang.Function) bool { return f.Volatile && strings.EqualFold(f.Name, x.Name) })
		default:
			ok = false
		}
		return ok && g.b.plan.Subs[x] == nil
	})
	return ok
}

// looked returns the edge that x looks up between two vertices of the pattern. It returns nil where there are loops: such a look-up
// is not like an edge of the AtLeastOne kind.
func (g *group) looked(x lang.Expr) *pattern.Edge {
	sub := g.b.plan.Subs[x]
	if sub == nil || sub.Hop == nil || sub.Hop.Labels[0] != nil || sub.Hop.Labels[1] != nil || g.b.snap.Stats.Loops(sub.Hop.Types) > 0 {
		return nil
	}
	from, ok := g.vertex[sub.Hop.From]
	to, ok2 := g.vertex[sub.Hop.To]
	if !ok || !ok2 || from == to {
		return nil
	}
	if sub.Hop.Direction == csr.In {
		from, to = to, from
	}
	return &pattern.Edge{From: from, To: to, Types: sub.Hop.Types, Undirected: sub.Hop.Direction == csr.Both, AtLeastOne: true}
}

// predicate adds q, whose expression is x.
func (g *group) predicate(q pattern.Predicate, x lang.Expr) {
	slices.Sort(q.Vertices)
	if _, ok := q.Single(); ok {
		q.Shape = shapeOf(x)
	}
	g.p.Predicates = append(g.p.Predicates, q)
	g.exprs = append(g.exprs, x)
}

// constant takes conditions that read no variable out of the pattern: they are decided once, before it is matched. One that may be an error
// stays, for it is one only if there is a match.
func (g *group) constant(x lang.Expr) bool {
	if len(g.variables(x)) > 0 || computes(x) && g.plain(x) {
		return false
	}
	if l, ok := x.(*lang.Literal); !ok || l.Value != true {
		g.consts = append(g.consts, x)
	}
	return true
}

// computes reports whether x has an operator or a function that may be an error.
func computes(x lang.Expr) (found bool) {
	lang.Walk(x, func(x lang.Expr) bool {
		switch x := x.(type) {
		case *lang.Binary:
			found = found || slices.Contains([]lang.Op{"+", "-", "*", "/", "%", "^", "||", "=~"}, x.Op)
		case *lang.Call:
			found = true
		}
		return !found
	})
	return found
}

// labels makes a condition on nothing but the labels of one node part of its vertex.
func (g *group) labels(x lang.Expr) bool {
	names := g.variables(x)
	if len(names) != 1 || g.fromRow(names[0]) {
		return false
	}
	l := g.b.dict.labelCondition(x)
	if l == nil {
		return false
	}
	u, ok := g.lookupVertex(names[0])
	if ok {
		g.narrow(u, l)
	}
	return ok
}

// different reads a <> b, NOT a = b, both also of id(a) and id(b), and ALL_DIFFERENT(a, b, ...). Pairs of nodes go to
// Pattern.Different. Relationships of one clause differ anyway, unless it is REPEATABLE ELEMENTS.
func (g *group) different(s int, x lang.Expr) bool {
	names, ok := unequal(x)
	if !ok {
		return false
	}
	var vertices, edges []int
	for _, name := range names {
		if u, ok := g.lookupVertex(name); ok {
			vertices = append(vertices, u)
		} else if e, ok := g.lookupEdge(name); ok {
			edges = append(edges, e)
		}
	}
	switch {
	case len(vertices) == len(names):
		slices.Sort(vertices)
		for i, u := range vertices {
			for _, w := range vertices[i+1:] {
				g.p.Different = append(g.p.Different, [2]int{u, w})
			}
		}
		return true
	case len(edges) == len(names):
		scope := &g.p.Scopes[g.p.Edges[edges[0]].Scope]
		return scope.Mode != pattern.RepeatableElements && within(edges, scope.Edges)
	}
	return false
}

// unequal returns the variables that x says are pairwise different elements, if that is all it says.
func unequal(x lang.Expr) ([]string, bool) {
	if c, ok := call(x, "all_different"); ok {
		return varNames(c.Args)
	}
	op := lang.Op("<>")
	if u, ok := x.(*lang.Unary); ok && u.Op == "NOT" {
		x, op = u.X, "="
	}
	b, ok := x.(*lang.Binary)
	if !ok || b.Op != op {
		return nil, false
	}
	l, lok := call(b.L, "id")
	r, rok := call(b.R, "id")
	if lok && rok && len(l.Args) == 1 && len(r.Args) == 1 {
		return varNames([]lang.Expr{l.Args[0], r.Args[0]})
	}
	return varNames([]lang.Expr{b.L, b.R})
}

// clique turns IS_CLIQUE over node variables of the pattern into edges of the AtLeastOne kind. Not under INDUCED:
// it forbids relationships that no relationship pattern names, which such an edge would allow.
func (g *group) clique(s int, x lang.Expr) bool {
	c, ok := call(x, "is_clique")
	if !ok || len(c.Args) == 0 || len(c.Args) > 2 || g.p.Scopes[s].Induced {
		return false
	}
	list, ok := c.Args[0].(*lang.ListLit)
	if !ok {
		return false
	}
	names, distinct := varNames(list.Items)
	types, known := g.b.dict.cliqueTypes(c.Args[1:])
	if !distinct || !known {
		return false
	}
	var vertices []int
	for _, name := range names {
		u, ok := g.lookupVertex(name)
		if !ok {
			return false
		}
		vertices = append(vertices, u)
	}
	if !within(vertices, g.p.Scopes[s].Vertices) {
		s = g.freeScope(vertices)
	}
	for i, u := range vertices {
		for _, w := range vertices[i+1:] {
			g.joined(s, u, w, types)
		}
	}
	return true
}

// freeScope adds a scope that demands nothing of vertices: edges that bind nothing may stand in any scope, but the
// ends of an edge belong to its scope.
func (g *group) freeScope(vertices []int) int {
	g.p.Scopes = append(g.p.Scopes, pattern.Scope{Mode: pattern.RepeatableElements, Vertices: vertices, Order: slices.Clone(vertices)})
	return len(g.p.Scopes) - 1
}

// joined demands a relationship between u and w, once.
func (g *group) joined(s, u, w int, types csr.TypeSet) {
	e := pattern.Edge{From: min(u, w), To: max(u, w), Types: types, Undirected: true, AtLeastOne: true, Scope: s}
	for i := range g.p.Edges {
		o := &g.p.Edges[i]
		if o.AtLeastOne && o.From == e.From && o.To == e.To && o.Types.Equal(types) {
			return
		}
	}
	g.addEdge(e, nil)
}

// dropImplied removes the Different pairs that hold anyhow: repeats, and pairs that a scope's mode or an edge of
// the AtLeastOne kind keeps apart.
func (g *group) dropImplied() {
	slices.SortFunc(g.p.Different, func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
	g.p.Different = slices.DeleteFunc(slices.Compact(g.p.Different), func(d [2]int) bool {
		return slices.ContainsFunc(g.p.Scopes, func(s pattern.Scope) bool { return injective(&s) && within(d[:], s.Vertices) }) ||
			slices.ContainsFunc(g.p.Edges, func(e pattern.Edge) bool { return e.AtLeastOne && e.From == d[0] && e.To == d[1] })
	})
}

// injective reports whether a scope keeps all its vertices apart.
func injective(s *pattern.Scope) bool {
	return s.Mode == pattern.DifferentNodes || s.Induced || s.Distinct
}

// within reports whether all items are in set.
func within(items, set []int) bool {
	for _, x := range items {
		if !slices.Contains(set, x) {
			return false
		}
	}
	return true
}
