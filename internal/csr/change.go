package csr

import (
	"fmt"
	"slices"
)

// ChangeKind says what a Change does. The numbers are part of the store's format.
type ChangeKind uint8

// A change names nodes and relationships by their stable ids, and labels, types and keys by name, so that it means the
// same on every snapshot of the graph it was made on.
const (
	CreateNode       ChangeKind = 1  // ID, Labels, Props
	CreateRel        ChangeKind = 2  // ID, Name is its type, From, To, Props
	DeleteNode       ChangeKind = 3  // ID; the node has no relationships left
	DeleteRel        ChangeKind = 4  // ID
	SetNodeProps     ChangeKind = 5  // ID, Props; a value without kind removes the property
	SetRelProps      ChangeKind = 6  // ID, Props; likewise
	AddLabel         ChangeKind = 7  // ID, Name
	RemoveLabel      ChangeKind = 8  // ID, Name
	CreateIndex      ChangeKind = 9  // Rule
	DropIndex        ChangeKind = 10 // Name
	CreateConstraint ChangeKind = 11 // Rule
	DropConstraint   ChangeKind = 12 // Name

	LastChangeKind = DropConstraint
)

var changeNames = [...]string{CreateNode: "create node", CreateRel: "create relationship", DeleteNode: "delete node",
	DeleteRel: "delete relationship", SetNodeProps: "set node properties", SetRelProps: "set relationship properties",
	AddLabel: "add label", RemoveLabel: "remove label", CreateIndex: "create index", DropIndex: "drop index",
	CreateConstraint: "create constraint", DropConstraint: "drop constraint"}

func (k ChangeKind) String() string {
	if k == 0 || k > LastChangeKind {
		return fmt.Sprintf("change of kind %d", uint8(k))
	}
	return changeNames[k]
}

// Change is one logical change of a graph: what a transaction leaves in the change log. Which fields mean something
// depends on Kind.
type Change struct {
	Kind     ChangeKind
	ID       uint64 // the NodeID or RelID
	From, To NodeID
	Name     string
	Labels   []string
	Props    []Prop
	Rule     *Rule
}

// Prop is a property with its value. A value without kind stands for no value.
type Prop struct {
	Key   string
	Value Cell
}

// RuleKind says what a Rule demands. The numbers are part of the store's format.
type RuleKind uint8

const (
	RuleIndex  RuleKind = 1 // look-ups by the property are fast
	RuleUnique RuleKind = 2 // no two elements have the same value
	RuleExists RuleKind = 3 // every element has a value
	RuleKey    RuleKind = 4 // as RuleUnique, and every element has all values
	RuleType   RuleKind = 5 // every value has a type
)

// Rule is an index or a constraint: on the nodes of one label or the relationships of one type, and their properties.
type Rule struct {
	Kind  RuleKind
	OnRel bool   // of the relationships of type On; else of the nodes of label On
	Name  string // of the rule
	On    string
	Keys  []string // the properties, at least one; RuleExists and RuleType have one
	Type  string   // of RuleType, as package lang reads it
}

func (r *Rule) wellFormed() bool {
	for i, k := range r.Keys {
		if k == "" || slices.Contains(r.Keys[:i], k) {
			return false
		}
	}
	one := r.Kind == RuleExists || r.Kind == RuleType
	return r.Name != "" && r.On != "" && len(r.Keys) > 0 && r.Kind >= RuleIndex && r.Kind <= RuleType &&
		(r.Type != "") == (r.Kind == RuleType) && (!one || len(r.Keys) == 1)
}

// Same reports whether two rules say the same. Their names may differ.
func (r *Rule) Same(o *Rule) bool {
	return r.Kind == o.Kind && r.OnRel == o.OnRel && r.On == o.On && r.Type == o.Type && slices.Equal(r.Keys, o.Keys)
}

// Plain reports whether the first version of rules could say this: an index, uniqueness of nodes, or existence, on one property.
func (r *Rule) Plain() bool {
	return len(r.Keys) == 1 && r.Kind <= RuleExists && !(r.OnRel && r.Kind == RuleUnique)
}

// Plain reports whether all rules are plain.
func (s *Schema) Plain() bool {
	odd := func(r Rule) bool { return !r.Plain() }
	return !slices.ContainsFunc(s.Indexes, odd) && !slices.ContainsFunc(s.Constraints, odd)
}

// Schema lists the indexes and constraints of a graph, each in order of creation.
type Schema struct{ Indexes, Constraints []Rule }
