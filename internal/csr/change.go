package csr

import "fmt"

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
)

// Rule is an index or a constraint: on the nodes of one label or the relationships of one type, and one property.
type Rule struct {
	Kind  RuleKind
	OnRel bool   // of the relationships of type On; else of the nodes of label On
	Name  string // of the rule
	On    string
	Key   string
}

func (r *Rule) wellFormed() bool {
	return r.Name != "" && r.On != "" && r.Key != "" && r.Kind >= RuleIndex && r.Kind <= RuleExists
}

// Schema lists the indexes and constraints of a graph, each in order of creation.
type Schema struct{ Indexes, Constraints []Rule }
