package lang

import "strings"

// kinds is a set of kinds of value that an expression may have, as far as the checker knows before the query runs.
type kinds uint16

const (
	kNull kinds = 1 << iota
	kBool
	kInt
	kFloat
	kString
	kList
	kMap
	kNode
	kRel
	kPath
	kTemporal
	kPoint

	kAny    = kNull | kBool | kInt | kFloat | kString | kList | kMap | kNode | kRel | kPath | kTemporal | kPoint
	kNumber = kInt | kFloat
)

var kindNames = []struct {
	kinds kinds
	name  string
}{
	{kNumber, "number"}, {kInt, "integer"}, {kFloat, "float"}, {kBool, "boolean"}, {kString, "string"},
	{kList, "list"}, {kMap, "map"}, {kNode, "node"}, {kRel, "relationship"}, {kPath, "path"}, {kTemporal, "temporal value"}, {kPoint, "point"}, {kNull, "null"},
}

// String names the kinds with an article: "a number or a string".
func (k kinds) String() string {
	var list []string
	for _, n := range kindNames {
		if k&n.kinds != n.kinds {
			continue
		}
		k &^= n.kinds
		switch {
		case n.kinds == kNull:
			list = append(list, n.name)
		case strings.Contains("aeiou", n.name[:1]):
			list = append(list, "an "+n.name)
		default:
			list = append(list, "a "+n.name)
		}
	}
	return joinOr(list)
}

// known tells whether something is known of the kinds.
func (k kinds) known() bool { return k != kAny }

// varKind is what a column holds.
func (k kinds) varKind() VarKind {
	switch k {
	case kNode:
		return NodeVar
	case kRel:
		return RelVar
	}
	return ValueVar
}

// kindTypes are the types of the kinds, in the order in which valueType() writes them.
var kindTypes = []struct {
	kinds kinds
	name  string
}{
	{kBool, "BOOLEAN"}, {kInt, "INTEGER"}, {kFloat, "FLOAT"}, {kString, "STRING"}, {kTemporal, "ZONED DATETIME"}, {kPoint, "POINT"},
	{kNode, "NODE"}, {kRel, "RELATIONSHIP"}, {kMap, "MAP"}, {kList, "LIST<ANY>"}, {kPath, "PATH"},
}

// typeName is the type that holds the kinds and null, as the columns of procedures have it: their only temporal values are instants.
func (k kinds) typeName() string {
	if k |= kNull; k == kAny {
		return "ANY"
	}
	var list []string
	for _, n := range kindTypes {
		if k&n.kinds != 0 {
			list = append(list, n.name)
		}
	}
	return strings.Join(list, " | ")
}
