package planner

import (
	"context"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/lang"
)

// Warnings about what can never hold: a comparison of types that are never equal, labels that no node has together, a
// relationship that the graph has in the other direction only. They are read off the snapshot's statistics and the kinds of its property
// values. A warned condition has no match; what is not certain is not warned of.

// maxImpossible is how many warnings of this kind a statement gets.
const maxImpossible = 20

// warner looks for conditions of a statement that never hold.
type warner struct {
	*poller
	snap  *csr.Snapshot
	dict  dictionary
	found []*lang.Error
	vars  []*known

	parameters []parameterComparison
}

// known is what is known of a variable in scope. Later entries hide earlier ones of the same name.
type known struct {
	name   string
	kinds  kinds
	labels []*lang.LabelExpr // that a node has, all of them; not of other kinds
}

// warnings lists the conditions of a query that never hold in a snapshot, and its comparisons with parameters.
func warnings(p *poller, q *lang.Query, s *csr.Snapshot) ([]*lang.Error, []parameterComparison) {
	w := &warner{poller: p, snap: s, dict: dictionary{s}}
	if s.N() > 0 {
		w.query(q)
	}
	return w.found, w.parameters
}

// SameWarnings reports whether p, a plan without warnings, has none in another snapshot either, and compares the same kinds of values
// with parameters there.
func (p *Plan) SameWarnings(q *lang.Query, s *csr.Snapshot) bool {
	found, parameters := warnings(&poller{ctx: context.Background()}, q, s)
	return len(found) == 0 && slices.EqualFunc(parameters, p.parameters, func(a, b parameterComparison) bool {
		return a.kinds == b.kinds && a.pos == b.pos && slices.Equal(a.texts, b.texts)
	})
}

func (w *warner) warn(code string, pos lang.Pos, msg, hint string) {
	if len(w.found) < maxImpossible && !slices.ContainsFunc(w.found, func(e *lang.Error) bool { return e.Pos == pos }) {
		w.found = append(w.found, &lang.Error{Code: "Warning." + code, Msg: msg, Hint: hint, Pos: pos})
	}
}

// scoped runs f and then forgets the variables that it added.
func (w *warner) scoped(f func()) {
	before := slices.Clone(w.vars)
	f()
	w.vars = before
}

func (w *warner) find(name string) *known {
	for _, v := range slices.Backward(w.vars) {
		if v.name == name {
			return v
		}
	}
	return nil
}

func (w *warner) declare(name string, k kinds) *known {
	v := &known{name: name, kinds: k}
	w.vars = append(w.vars, v)
	return v
}

// query reads the parts of a query up to the first clause that writes: what follows it sees another graph.
func (w *warner) query(q *lang.Query) (reads bool) {
	reads = true
	w.scoped(func() { reads = w.clauses(q.Clauses) })
	for _, u := range q.Unions {
		if reads {
			w.scoped(func() { reads = w.clauses(u.Clauses) })
		}
	}
	return reads
}

func (w *warner) clauses(clauses []lang.Clause) (reads bool) {
	for _, c := range clauses {
		w.poll()
		if lang.Writes(c) {
			return false
		}
		w.clause(c)
	}
	return true
}

func (w *warner) clause(c lang.Clause) {
	switch c := c.(type) {
	case *lang.Match:
		w.match(c)
	case *lang.Unwind:
		w.expr(c.List)
		w.declare(c.As.Text, anyKind)
		if c.At.Text != "" {
			w.declare(c.At.Text, numberKind)
		}
	case *lang.With:
		after := w.projection(&c.Return)
		w.condition(c.Where)
		w.vars = after
	case *lang.Return:
		w.projection(c)
	case *lang.CallClause:
		for _, y := range c.Yield {
			w.declare(y.As.Text, anyKind)
		}
		w.condition(c.Where)
	case *lang.CallSubquery:
		w.subquery(c)
	case *lang.LoadCSV:
		w.declare(c.As.Text, anyKind)
	}
}

// subquery reads the query of CALL { }. The columns that it returns are new variables.
func (w *warner) subquery(c *lang.CallSubquery) {
	w.scoped(func() {
		if !c.Star {
			imported := []*known{}
			for _, name := range c.Imports {
				if v := w.find(name.Text); v != nil {
					imported = append(imported, v)
				}
			}
			w.vars = imported
		}
		w.query(c.Query)
	})
	if last, ok := c.Query.Clauses[len(c.Query.Clauses)-1].(*lang.Return); ok {
		if last.Star {
			w.vars = nil // new variables, whose names nobody has written
		}
		for _, it := range last.Items {
			w.declare(it.Name, anyKind)
		}
	}
}

// projection reads the items of WITH or RETURN, and returns what they pass on. The conditions behind it may read the old
// variables, too.
func (w *warner) projection(r *lang.Return) (after []*known) {
	if r.Star {
		after = slices.Clone(w.vars)
	}
	for _, it := range r.Items {
		w.expr(it.Expr)
		to := &known{name: it.Name, kinds: anyKind}
		if v, ok := it.Expr.(*lang.Var); ok {
			if from := w.find(v.Name); from != nil {
				to.kinds, to.labels = from.kinds, from.labels
			}
		}
		after = append(after, to)
	}
	w.vars = append(w.vars, after...) // ORDER BY and WHERE may read both
	for _, s := range r.Order {
		w.expr(s.Expr)
		columnNumber(w, r, s.Expr)
	}
	return after
}

// match declares what the patterns of a MATCH bind, and looks at them and at the conditions.
func (w *warner) match(m *lang.Match) {
	bound := len(w.vars)
	read := func() {
		for _, p := range m.Paths {
			w.path(p)
		}
		for _, p := range m.Paths {
			w.elements(p)
		}
		w.condition(m.Where)
	}
	if !m.Optional {
		read()
		return
	}
	// The labels that an OPTIONAL MATCH asks of a bound node hold within it only.
	var fresh []*known
	before := slices.Clone(w.vars)
	read()
	for _, v := range w.vars[bound:] {
		if !slices.ContainsFunc(before, func(o *known) bool { return o.name == v.name }) {
			fresh = append(fresh, v)
		}
	}
	w.vars = append(before, fresh...)
}

// path declares the variables of a path, and collects the labels of its nodes.
func (w *warner) path(p *lang.PathPattern) {
	for i, n := range p.Nodes {
		if i > 0 {
			w.relationship(p.Rels[i-1])
		}
		if n.Name == "" {
			continue
		}
		v := &known{name: n.Name, kinds: nodeKind}
		if was := w.find(n.Name); was != nil {
			v.labels = slices.Clone(was.labels)
			if was.kinds&nodeKind == 0 {
				v.labels = nil
			}
		}
		if n.Labels != nil {
			v.labels = append(v.labels, n.Labels)
		}
		w.vars = append(w.vars, v)
	}
	if p.Name != "" {
		w.declare(p.Name, pathKind)
	}
}

func (w *warner) relationship(r *lang.RelPattern) {
	switch {
	case r.Group != nil && r.Length == nil:
		w.path(r.Group.Path)
	case r.Group != nil:
		w.hideGroup(r.Group.Path)
	case r.Name == "":
	case r.Length != nil:
		w.declare(r.Name, listKind)
	default:
		w.declare(r.Name, relKind)
	}
}

// hideGroup declares the variables of a repeated path, which are lists outside of it.
func (w *warner) hideGroup(p *lang.PathPattern) {
	for i, n := range p.Nodes {
		if i > 0 {
			if r := p.Rels[i-1]; r.Group != nil {
				w.hideGroup(r.Group.Path)
			} else if r.Name != "" {
				w.declare(r.Name, anyKind)
			}
		}
		if n.Name != "" {
			w.declare(n.Name, anyKind)
		}
	}
	if p.Name != "" {
		w.declare(p.Name, anyKind)
	}
}

// elements looks at the nodes and relationships of a path. It leaves out what repeats.
func (w *warner) elements(p *lang.PathPattern) {
	for i, n := range p.Nodes {
		w.node(n)
		if i == 0 {
			continue
		}
		switch r := p.Rels[i-1]; {
		case r.Group != nil && r.Length == nil:
			w.elements(r.Group.Path)
			w.condition(r.Group.Where)
		case r.Group == nil:
			w.direction(p.Nodes[i-1], r, n)
			if r.Length == nil {
				w.properties(r.Name, relKind, nil, r.Props)
				w.condition(r.Where)
			}
		}
	}
}

func (w *warner) node(n *lang.NodePattern) {
	labels := w.labelsOf(n)
	if w.together(n, labels) {
		w.properties(n.Name, nodeKind, labels, n.Props)
	}
	w.condition(n.Where)
}

// labelsOf is the label expressions that all hold of a node.
func (w *warner) labelsOf(n *lang.NodePattern) []*lang.LabelExpr {
	if n.Name != "" {
		if v := w.find(n.Name); v != nil && v.kinds == nodeKind {
			return v.labels
		}
	}
	if n.Labels == nil {
		return nil
	}
	return []*lang.LabelExpr{n.Labels}
}
