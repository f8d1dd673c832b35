package planner

import (
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/lang"
)

// declare makes a variable of an element that group home binds.
func (b *builder) declare(name string, kind SlotKind, home *group, index int) *variable {
	v := &variable{name: name, kind: kind, home: home, index: index}
	b.vars[name] = v
	b.taken[name], b.used[name] = true, true
	return v
}

// slotOf is the slot of a variable, or -1 if nothing needs one.
func (b *builder) slotOf(v *variable) int {
	if v == nil || !v.read {
		return -1
	}
	return b.slot(v.name, v.kind)
}

// label resolves a label expression against the snapshot's dictionary.
func (b *builder) label(x *lang.LabelExpr) *pattern.Label {
	l := &pattern.Label{Op: pattern.LabelOp(x.Op), Name: x.Name}
	if x.Op == lang.LabelName {
		id, ok := b.snap.Labels.Lookup(x.Name)
		l.ID, l.Unknown = csr.LabelID(id), !ok
	}
	for _, a := range x.Args {
		l.Args = append(l.Args, b.label(a))
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
func (b *builder) types(names []lang.Name) csr.TypeSet {
	if len(names) == 0 {
		return nil
	}
	set := csr.TypeSet{}
	for _, n := range names {
		if t, ok := b.snap.Types.Lookup(n.Text); ok {
			set = append(set, csr.TypeID(t))
		}
	}
	slices.Sort(set)
	return slices.Compact(set)
}
