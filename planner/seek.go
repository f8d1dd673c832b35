package planner

import (
	"fmt"
	"strings"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/lang"
)

// Seek says that an index finds the vertices that a predicate of a Match can hold for.
type Seek struct {
	Predicate, Vertex int
	Label             csr.LabelID
	Key               csr.KeyID
	Op                csr.LookupOp
	Value             lang.Expr // what the property is compared with, or with In the list of such; reads nothing of the pattern
	In                bool
}

var seekOps = map[lang.Op]csr.LookupOp{"=": csr.LookupEqual, "IN": csr.LookupEqual, "STARTS WITH": csr.LookupPrefix,
	"<": csr.LookupLess, "<=": csr.LookupLess, ">": csr.LookupGreater, ">=": csr.LookupGreater}

var mirrorOps = map[lang.Op]lang.Op{"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}

// seeks finds the predicates that an index helps with.
func seeks(m *Match, s *csr.Snapshot) (found []Seek) {
	if len(s.Schema.Indexes)+len(s.Schema.Constraints) == 0 {
		return nil
	}
	for i := range m.Pattern.Predicates {
		q := &m.Pattern.Predicates[i]
		if len(q.Vertices) != 1 || len(q.Edges) > 0 || m.Pattern.Vertices[q.Vertices[0]].Bound {
			continue
		}
		v := &m.Pattern.Vertices[q.Vertices[0]]
		b, ok := m.Exprs[i].(*lang.Binary)
		if !ok {
			continue
		}
		key, value, op := propertyOf(b.L, v.Name), b.R, b.Op
		if key == "" && mirrorOps[op] != "" {
			key, value, op = propertyOf(b.R, v.Name), b.L, mirrorOps[op]
		}
		k, known := s.Keys.Lookup(key)
		if !known || seekOps[op] == 0 || !settled(value, v.Name) {
			continue
		}
		for _, l := range v.Labels.Required() {
			if s.Indexed(l, csr.KeyID(k)) {
				found = append(found, Seek{i, q.Vertices[0], l, csr.KeyID(k), seekOps[op], value, op == "IN"})
				break
			}
		}
	}
	return found
}

// propertyOf is the key if x is a property of the variable name, else "".
func propertyOf(x lang.Expr, name string) string {
	if p, ok := x.(*lang.Property); ok {
		if v, ok := p.Of.(*lang.Var); ok && v.Name == name {
			return p.Key
		}
	}
	return ""
}

// steady lists functions whose value depends on nothing but their arguments.
var steady = map[string]bool{"tointeger": true, "tofloat": true, "tostring": true, "trim": true, "coalesce": true}

// settled reports whether x has one value for a whole row: that it reads nothing of a vertex, and calls nothing that
// might tell calls apart.
func settled(x lang.Expr, vertex string) bool {
	ok := true
	lang.Walk(x, func(x lang.Expr) bool {
		switch x := x.(type) {
		case *lang.Literal, *lang.Param, *lang.Property, *lang.Index, *lang.ListLit, *lang.Unary, *lang.Binary:
		case *lang.Var:
			ok = ok && x.Name != vertex
		case *lang.Call:
			ok = ok && steady[strings.ToLower(x.Name)]
		default:
			ok = false
		}
		return ok
	})
	return ok
}

// seekNotes says which indexes help with what.
func (m *Match) seekNotes(s *csr.Snapshot) (notes []string) {
	for _, k := range m.Seeks {
		when := "the filter starts from"
		if m.Pattern.Predicates[k.Predicate].Given {
			when = "each row starts from"
		}
		notes = append(notes, fmt.Sprintf("index on :%s(%s): %s what it finds for %s", s.Labels.Name(uint32(k.Label)),
			s.Keys.Name(uint32(k.Key)), when, m.Pattern.Predicates[k.Predicate].Text))
	}
	return notes
}
