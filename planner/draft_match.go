package planner

import (
	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/lang"
)

// DraftMatch says how a Match finds its matches in a draft, so that it needs no snapshot of what the transaction has changed. Nodes are looked
// up by the values of properties. At most one relationship leads to a node that is not.
type DraftMatch struct {
	Nodes []DraftNode // by query vertex
	Rel   *DraftRel   // nil: there is none
}

// DraftNode is what a node of the pattern must have. A node without Props is the other end of the relationship.
type DraftNode struct {
	Labels []string
	Props  []DraftProp
}

// DraftRel is what the relationship of the pattern must have.
type DraftRel struct {
	From, To   int      // query vertices, which differ
	Types      []string // nil: any
	Undirected bool
	Props      []DraftProp
}

// DraftProp says which value a property equals: a literal or a parameter.
type DraftProp struct {
	Key   string
	Value lang.Expr
}

// useDraft has the Match of a small statement read the draft, if it can: a statement that looks up a few nodes, writes and returns nothing.
func (p *Plan) useDraft() {
	if p.Brute {
		return
	}
	for n := p.Root; n != nil; {
		switch op := n.(type) {
		case *Create, *Merge, *Set, *Delete, *Discard: // they read the draft
		case *Eager:
			if op.Advance {
				return
			}
		case *Match:
			if op.Input == nil {
				op.Draft = draftMatch(op)
			}
			return
		default:
			return
		}
		in := n.Inputs()
		if len(in) == 0 {
			return
		}
		n = in[0]
	}
}

// draftMatch returns how m finds its matches in a draft; nil if it cannot.
func draftMatch(m *Match) *DraftMatch {
	p := m.Pattern
	if _, _, plain := m.Parts(); !plain || len(p.Edges) > 1 || len(p.Different) > 0 {
		return nil
	}
	for _, s := range p.Scopes {
		if s.Mode != pattern.DifferentRelationships {
			return nil
		}
	}
	d := &DraftMatch{Nodes: make([]DraftNode, len(p.Vertices))}
	for u := range p.Vertices {
		names, ok := conjunction(nil, p.Vertices[u].Labels)
		if !ok || p.Vertices[u].Bound {
			return nil
		}
		d.Nodes[u].Labels = names
	}
	if len(p.Edges) > 0 {
		if d.Rel = draftRel(m, &p.Edges[0]); d.Rel == nil {
			return nil
		}
	}
	for i := range p.Predicates {
		if !d.takes(m, &p.Predicates[i], m.Exprs[i]) {
			return nil
		}
	}
	return d.complete()
}

// complete returns d if each node is looked up, or is next to one that is.
func (d *DraftMatch) complete() *DraftMatch {
	for u := range d.Nodes {
		if len(d.Nodes[u].Props) > 0 {
			continue
		}
		if r := d.Rel; r == nil || u != r.From && u != r.To || len(d.Nodes[r.From].Props)+len(d.Nodes[r.To].Props) == 0 {
			return nil
		}
	}
	return d
}

// draftRel describes the relationship of a pattern; nil if a draft cannot be asked for it.
func draftRel(m *Match, e *pattern.Edge) *DraftRel {
	if e.Bound || e.AtLeastOne || e.From == e.To {
		return nil
	}
	r := &DraftRel{From: e.From, To: e.To, Undirected: e.Undirected}
	if e.Types == nil {
		return r
	}
	r.Types = make([]string, 0, len(e.Types))
	for _, t := range e.Types {
		r.Types = append(r.Types, m.types.Name(uint32(t)))
	}
	return r
}

// takes notes a condition if it says that a property equals a value. An equality that cannot fail: a draft meets its nodes in another order.
func (d *DraftMatch) takes(m *Match, q *pattern.Predicate, x lang.Expr) bool {
	b, binary := x.(*lang.Binary)
	if !binary || b.Op != "=" || len(q.Vertices)+len(q.Edges) != 1 || q.Absent != nil {
		return false
	}
	name, props := "", (*[]DraftProp)(nil)
	if len(q.Vertices) == 1 {
		name, props = m.Pattern.Vertices[q.Vertices[0]].Name, &d.Nodes[q.Vertices[0]].Props
	} else {
		name, props = m.Pattern.Edges[q.Edges[0]].Name, &d.Rel.Props
	}
	for _, side := range [][2]lang.Expr{{b.L, b.R}, {b.R, b.L}} {
		key := propertyOf(side[0], name)
		switch side[1].(type) {
		case *lang.Literal, *lang.Param:
			if key != "" {
				*props = append(*props, DraftProp{key, side[1]})
				return true
			}
		}
	}
	return false
}

// conjunction appends the names of a label expression that joins names by &; false if it is another.
func conjunction(names []string, l *pattern.Label) (_ []string, ok bool) {
	switch {
	case l == nil:
		return names, true
	case l.Op == pattern.LabelName:
		return append(names, l.Name), true
	case l.Op != pattern.LabelAnd:
		return nil, false
	}
	for _, part := range l.Args {
		if names, ok = conjunction(names, part); !ok {
			return nil, false
		}
	}
	return names, true
}

// reads says what d is about.
func (d *DraftMatch) reads(found *csr.Reads) {
	found.Drafted = true
	for i := range d.Nodes {
		n := &d.Nodes[i]
		found.Labels = append(found.Labels, n.Labels...)
		found.AnyNode = found.AnyNode || len(n.Labels) == 0
		for _, q := range n.Props {
			found.Keys = append(found.Keys, q.Key)
		}
	}
	if d.Rel != nil {
		for _, q := range d.Rel.Props {
			found.RelKeys = append(found.RelKeys, q.Key)
		}
	}
}
