package eval

import (
	"maps"
	"slices"

	"github.com/motifql/motif/internal/temporal"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/lang"
)

var kindTypes = [...]string{value.Null: "NULL", value.Bool: "BOOLEAN", value.Int: "INTEGER", value.Float: "FLOAT", value.String: "STRING", value.List: "LIST",
	value.Map: "MAP", value.Node: "NODE", value.Rel: "RELATIONSHIP", value.Path: "PATH", value.Temporal: "DURATION", value.Deleted: "DELETED ELEMENT", value.Spatial: "POINT"}

var pointTypes = [...]string{temporal.Date: "DATE", temporal.LocalTime: "LOCAL TIME", temporal.Time: "ZONED TIME",
	temporal.LocalDateTime: "LOCAL DATETIME", temporal.DateTime: "ZONED DATETIME"}

// typeName is the name of the type of v, of lists without that of their elements.
func typeName(v value.Value) string {
	if p, ok := v.Point(); ok {
		return pointTypes[p.Kind]
	}
	return kindTypes[v.Kind()]
}

// typeOrder is the order of the types in a choice.
var typeOrder = []string{"BOOLEAN", "STRING", "INTEGER", "FLOAT", "DATE", "LOCAL TIME", "ZONED TIME", "LOCAL DATETIME", "ZONED DATETIME", "DURATION",
	"POINT", "NODE", "RELATIONSHIP", "MAP", "LIST", "PATH"}

// KindOf is the name of the type of v, of lists without that of their elements.
func KindOf(v value.Value) string { return typeName(v) }

// IsOfType reports whether v is a value of the type t.
func IsOfType(v value.Value, t *lang.ValueType) bool {
	return slices.ContainsFunc(t.Any, func(n lang.TypeName) bool { return isOfName(v, &n) })
}

func isOfName(v value.Value, n *lang.TypeName) bool {
	switch {
	case v.Kind() == value.Null:
		return !n.NotNull
	case n.Name == "ANY":
		return true
	case n.Name == "PROPERTY VALUE":
		_, err := v.Cell()
		return err == nil
	case n.Name != typeName(v):
		return false
	case n.Of == nil:
		return true
	}
	return !slices.ContainsFunc(v.List(), func(e value.Value) bool { return !IsOfType(e, n.Of) })
}

// TypeOf is the most exact type of v: an INTEGER NOT NULL, a LIST<INTEGER NOT NULL | STRING NOT NULL> NOT NULL.
func TypeOf(v value.Value) string { return exactType(v).String() }

func exactType(v value.Value) *lang.ValueType {
	n := lang.TypeName{Name: typeName(v), NotNull: v.Kind() != value.Null}
	if v.Kind() == value.List {
		n.Of = &lang.ValueType{}
		for _, e := range v.List() {
			n.Of.Any = append(n.Of.Any, exactType(e).Any...)
		}
		n.Of.Any = simplify(n.Of.Any)
	}
	return &lang.ValueType{Any: []lang.TypeName{n}}
}

// simplify leaves every type of a choice once. If null is one of them, the others take it in.
func simplify(list []lang.TypeName) []lang.TypeName {
	null := slices.ContainsFunc(list, func(n lang.TypeName) bool { return n.Name == "NULL" })
	seen := map[string]lang.TypeName{}
	for _, n := range list {
		if n.Name == "NULL" {
			continue
		}
		n.NotNull = !null
		seen[(&lang.ValueType{Any: []lang.TypeName{n}}).String()] = n
	}
	if len(seen) == 0 {
		if null {
			return []lang.TypeName{{Name: "NULL"}}
		}
		return []lang.TypeName{{Name: "NOTHING"}}
	}
	out := make([]lang.TypeName, 0, len(seen))
	for _, text := range slices.Sorted(maps.Keys(seen)) {
		out = append(out, seen[text])
	}
	slices.SortStableFunc(out, func(a, b lang.TypeName) int { return slices.Index(typeOrder, a.Name) - slices.Index(typeOrder, b.Name) })
	return out
}
