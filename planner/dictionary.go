package planner

import (
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/lang"
)

// dictionary resolves the names of labels and relationship types in a snapshot.
type dictionary struct{ snap *csr.Snapshot }

// label resolves a label expression.
func (d dictionary) label(x *lang.LabelExpr) *pattern.Label {
	l := &pattern.Label{Op: pattern.LabelOp(x.Op), Name: x.Name}
	if x.Op == lang.LabelName {
		id, ok := d.snap.Labels.Lookup(x.Name)
		l.ID, l.Unknown = csr.LabelID(id), !ok
	}
	for _, a := range x.Args {
		l.Args = append(l.Args, d.label(a))
	}
	return l
}

// and joins label expressions, flat and without repeats.
func and(a, b *pattern.Label) *pattern.Label {
	if a == nil {
		return b
	}
	args := []*pattern.Label{a}
	if a.Op == pattern.LabelAnd {
		args = slices.Clone(a.Args)
	}
	more := []*pattern.Label{b}
	if b.Op == pattern.LabelAnd {
		more = b.Args
	}
	for _, l := range more {
		if !slices.ContainsFunc(args, func(o *pattern.Label) bool { return o.String() == l.String() }) {
			args = append(args, l)
		}
	}
	if len(args) == 1 {
		return args[0]
	}
	return &pattern.Label{Op: pattern.LabelAnd, Args: args}
}

// types resolves relationship types. Names the graph does not have add nothing: of such names alone, the set is
// empty and admits no relationship.
func (d dictionary) types(names []lang.Name) csr.TypeSet {
	if len(names) == 0 {
		return nil
	}
	set := csr.TypeSet{}
	for _, n := range names {
		if t, ok := d.snap.Types.Lookup(n.Text); ok {
			set = append(set, csr.TypeID(t))
		}
	}
	slices.Sort(set)
	return slices.Compact(set)
}

// relTypes resolves the types of a relationship pattern, operators between them included.
func (d dictionary) relTypes(r *lang.RelPattern) csr.TypeSet {
	if r.TypeExpr == nil {
		return d.types(r.Types)
	}
	set := csr.TypeSet{}
	for t := range d.snap.Types.Len() {
		if hasType(r.TypeExpr, d.snap.Types.Name(uint32(t))) {
			set = append(set, csr.TypeID(t))
		}
	}
	return set
}

// hasType reports whether an expression over types admits one.
func hasType(x *lang.LabelExpr, name string) bool {
	switch x.Op {
	case lang.LabelName:
		return x.Name == name
	case lang.LabelNot:
		return !hasType(x.Args[0], name)
	case lang.LabelAnd:
		return !slices.ContainsFunc(x.Args, func(a *lang.LabelExpr) bool { return !hasType(a, name) })
	case lang.LabelOr:
		return slices.ContainsFunc(x.Args, func(a *lang.LabelExpr) bool { return hasType(a, name) })
	}
	return true
}

// labelCondition reads AND, OR and NOT over n:Label as a label expression; nil if anything else occurs. Label
// predicates are never null, so that both have the same two-valued logic.
func (d dictionary) labelCondition(x lang.Expr) *pattern.Label {
	switch x := x.(type) {
	case *lang.HasLabels:
		if _, ok := varName(x.X); ok {
			return d.label(x.Labels)
		}
	case *lang.Unary:
		if l := d.labelCondition(x.X); x.Op == "NOT" && l != nil {
			return &pattern.Label{Op: pattern.LabelNot, Args: []*pattern.Label{l}}
		}
	case *lang.Binary:
		op, ok := map[lang.Op]pattern.LabelOp{"AND": pattern.LabelAnd, "OR": pattern.LabelOr}[x.Op]
		if !ok {
			return nil
		}
		l, r := d.labelCondition(x.L), d.labelCondition(x.R)
		if l != nil && r != nil {
			return &pattern.Label{Op: op, Args: []*pattern.Label{l, r}}
		}
	}
	return nil
}

// cliqueTypes reads the second argument of IS_CLIQUE: a type or a list of types, all literal. Without it any
// type will do.
func (d dictionary) cliqueTypes(args []lang.Expr) (set csr.TypeSet, ok bool) {
	if len(args) == 0 {
		return nil, true
	}
	items := args
	if l, ok := args[0].(*lang.ListLit); ok {
		items = l.Items
	}
	var names []lang.Name
	for _, x := range items {
		l, ok := x.(*lang.Literal)
		if !ok {
			return nil, false
		}
		name, ok := l.Value.(string)
		if !ok {
			return nil, false
		}
		names = append(names, lang.Name{Pos: l.Pos, Text: name})
	}
	return d.types(names), len(names) > 0
}
