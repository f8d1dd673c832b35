package planner

import (
	"slices"
	"strings"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/lang"
)

// Reads lists what a statement that writes and returns nothing reads of its snapshot, so that it can run on one that lacks changes which
// do not matter to it. It returns nil for a plan that may read more than a Reads can say. Expressions of writing operators do not
// count: they read the draft. With drafted, the Match of the plan reads the draft, too, where it can.
func (p *Plan) Reads(drafted bool) *csr.Reads {
	if p.Again == nil || len(p.Columns) > 0 || len(p.Subs) > 0 {
		return nil
	}
	if drafted {
		p.useDraft()
	}
	r := readsFinder{plan: p, values: map[string]bool{}, found: &csr.Reads{Monotone: true}}
	if !r.operator(p.Root) {
		return nil
	}
	return r.found
}

// readsFinder collects what a plan reads. Its methods return false where that cannot be said.
type readsFinder struct {
	plan   *Plan
	values map[string]bool // variables that hold no node, relationship or path
	found  *csr.Reads
}

// operator takes in an operator with those below, the lowest first.
func (r *readsFinder) operator(n Node) bool {
	for _, in := range n.Inputs() {
		if !r.operator(in) {
			return false
		}
	}
	switch n := n.(type) {
	case *Create, *Merge, *Set, *Delete, *Discard: // a MERGE looks for its path in the draft
		return true
	case *Eager:
		return !n.Advance
	case *Unwind:
		if n.Slot >= 0 {
			r.values[r.plan.Slots[n.Slot].Name] = true
		}
		return r.expression(n.List)
	case *Match:
		if n.Draft != nil {
			n.Draft.reads(r.found)
			return true
		}
		return r.match(n)
	}
	return false
}

func (r *readsFinder) match(m *Match) bool {
	_, _, told := m.Parts()
	r.found.Nodes, r.found.Monotone = true, r.found.Monotone && told && !slices.ContainsFunc(m.Exprs, r.mayFail)
	r.found.Rels = r.found.Rels || len(m.Pattern.Edges) > 0
	for i := range m.Pattern.Vertices {
		switch v := &m.Pattern.Vertices[i]; {
		case v.Bound && v.Labels == nil:
		case !r.labels(v.Labels): // of a bound vertex, too: it may have got or lost one since
			return false
		}
	}
	for i, x := range m.Exprs {
		r.found.Rels = r.found.Rels || m.Pattern.Predicates[i].Absent != nil
		if !r.expression(x) {
			return false
		}
	}
	return true
}

// Parts lists the vertices and edges of the pattern that tell whether a match has a node or a relationship that is gone: if theirs are there,
// so are the others. A relationship has its nodes. ok is false if a match needs more than that its own elements are there.
func (m *Match) Parts() (vertices, edges []int, ok bool) {
	p := m.Pattern
	whole := func(sc pattern.Scope) bool { return sc.Induced || sc.Distinct }
	absent := func(q pattern.Predicate) bool { return q.Absent != nil }
	exists := func(e pattern.Edge) bool { return e.AtLeastOne }
	if m.Optional || m.Count || m.Once || m.Grouped || m.Clique != nil || m.Formula != nil || m.Limit > 0 || slices.ContainsFunc(p.Scopes, whole) ||
		slices.ContainsFunc(p.Predicates, absent) || slices.ContainsFunc(p.Edges, exists) {
		return nil, nil, false
	}
	for i, e := range p.Edges {
		if !e.Bound { // else the match that has given it was whole
			edges = append(edges, i)
		}
	}
	for u, v := range p.Vertices {
		if !v.Bound && !slices.ContainsFunc(p.Edges, func(e pattern.Edge) bool { return e.From == u || e.To == u }) {
			vertices = append(vertices, u)
		}
	}
	return vertices, edges, true
}

// mayFail reports whether a condition of a pattern may be an error. It must not be one for a node that is gone.
func (r *readsFinder) mayFail(x lang.Expr) bool {
	b, binary := x.(*lang.Binary)
	return !binary || !slices.Contains([]lang.Op{"=", "<>", "<", "<=", ">", ">="}, b.Op) || !r.plain(b.L) || !r.plain(b.R)
}

// plain reports whether x is a literal, a parameter, a value of the row or a property of a node or a relationship.
func (r *readsFinder) plain(x lang.Expr) bool {
	switch x := x.(type) {
	case *lang.Literal, *lang.Param, *lang.Var:
		return true
	case *lang.Property:
		v, variable := x.Of.(*lang.Var)
		return variable && !r.values[v.Name]
	}
	return false
}

// labels takes in a label expression: none, or names joined by &.
func (r *readsFinder) labels(l *pattern.Label) bool {
	names, ok := conjunction(r.found.Labels, l)
	if ok {
		r.found.Labels, r.found.AnyNode = names, r.found.AnyNode || l == nil
	}
	return ok
}

// expression takes in an expression that reads of nodes and relationships no more than properties by name.
func (r *readsFinder) expression(x lang.Expr) bool {
	ok := true
	lang.Walk(x, func(x lang.Expr) bool {
		switch x := x.(type) {
		case *lang.Literal, *lang.Param, *lang.Unary, *lang.Binary, *lang.IsNull, *lang.ListLit, *lang.MapLit:
		case *lang.Var:
			ok = ok && r.values[x.Name]
		case *lang.Call:
			ok = ok && steady[strings.ToLower(x.Name)]
		case *lang.Property:
			r.found.Keys = append(r.found.Keys, x.Key)
			if _, variable := x.Of.(*lang.Var); variable {
				return false
			}
		default:
			ok = false
		}
		return ok
	})
	return ok
}
