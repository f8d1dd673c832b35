// Package value holds the runtime values of the query language, with their order, equality and encoding. A Value is small,
// immutable and needs no allocation for numbers, booleans and nodes. The package never evaluates expressions.
package value

import (
	"math"
	"unsafe"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/spatial"
	"github.com/motifql/motif/internal/temporal"
)

// Kind is the type of a Value.
type Kind uint8

const (
	Null Kind = iota
	Bool
	Int
	Float
	String
	List
	Map
	Node
	Rel
	Path
	Temporal
	Deleted // a node or a relationship that the query has deleted
	Spatial
)

var kindNames = [...]string{"null", "boolean", "integer", "float", "string", "list", "map", "node", "relationship", "path", "temporal value", "deleted element", "point"}

// String returns the name of k for error messages.
func (k Kind) String() string { return kindNames[k] }

// Value is one value of the query language. The zero Value is null. Numbers, booleans, nodes and relationships take no
// memory beyond the 24 bytes; a string shares its bytes. Nodes and relationships are dense ids of the query's snapshot. Code
// that shows them to a user resolves them there.
type Value struct {
	num uint64 // for a list or a map, the bytes that it refers to, see Bytes
	ref any    // Kind for the kinds held in num; stringPtr; []Value; *MapValue; *PathValue; *temporal.Point; *temporal.Duration; *spatial.Point
}

type stringPtr *byte

// MapValue is a map with its keys, which are distinct, in the order they were written.
type MapValue struct {
	Keys   []string
	Values []Value
}

// Get returns the value of key, or null and false.
func (m *MapValue) Get(key string) (Value, bool) {
	for i, k := range m.Keys {
		if k == key {
			return m.Values[i], true
		}
	}
	return Value{}, false
}

// The constructors. OfList and OfMap take ownership of what they are given.
func OfBool(b bool) Value {
	if b {
		return Value{1, Bool}
	}
	return Value{0, Bool}
}
func OfInt(n int64) Value         { return Value{uint64(n), Int} }
func OfFloat(f float64) Value     { return Value{math.Float64bits(f), Float} }
func OfString(s string) Value     { return Value{uint64(len(s)), stringPtr(unsafe.StringData(s))} }
func OfList(l []Value) Value      { return Value{measureList(l), l} }
func OfMap(m *MapValue) Value     { return Value{m.measure(), m} }
func OfNode(v csr.VertexID) Value { return Value{uint64(v), Node} }
func OfRel(e csr.EdgeID) Value    { return Value{uint64(e), Rel} }

// Kind is the type of v.
func (v Value) Kind() Kind {
	switch r := v.ref.(type) {
	case nil:
		return Null
	case Kind:
		return r
	case stringPtr:
		return String
	case []Value:
		return List
	case *MapValue:
		return Map
	case *PathValue:
		return Path
	case *DeletedValue:
		return Deleted
	case *temporal.Point, *temporal.Duration:
		return Temporal
	case *spatial.Point:
		return Spatial
	}
	panic("value: unknown representation")
}

// The accessors. Each is for values of its own kind only.
func (v Value) IsNull() bool       { return v.ref == nil }
func (v Value) Bool() bool         { return v.num != 0 }
func (v Value) Int() int64         { return int64(v.num) }
func (v Value) Float() float64     { return math.Float64frombits(v.num) }
func (v Value) Str() string        { return unsafe.String(v.ref.(stringPtr), v.num) }
func (v Value) List() []Value      { return v.ref.([]Value) }
func (v Value) Map() *MapValue     { return v.ref.(*MapValue) }
func (v Value) Node() csr.VertexID { return csr.VertexID(v.num) }
func (v Value) Rel() csr.EdgeID    { return csr.EdgeID(v.num) }

// A list or a map knows its size and its depth, which share Value.num.
const (
	// maxBytes is the largest size that it knows of itself. A list that contains one list twice, again and again, takes little
	// memory but is as large as this when somebody walks it.
	maxBytes = 1 << 49

	depthShift = 50
	maxKnown   = 1<<(64-depthShift) - 1 // the largest depth that it knows of itself
)

// measured packs a size and a depth.
func measured(bytes int64, depth int) uint64 {
	return uint64(min(bytes, maxBytes)) | uint64(min(depth, maxKnown))<<depthShift
}

// Depth returns how many lists and maps v nests inside each other, up to 16383. It takes no time. Whoever walks through a value
// calls itself as often.
func (v Value) Depth() int {
	switch v.ref.(type) {
	case []Value, *MapValue:
		return int(v.num >> depthShift)
	}
	return 0
}

// Bytes is about how much memory v takes, for memory budgets: 24 bytes and what it refers to. Whatever occurs twice in v
// counts twice, so Bytes also says how long a walk through v takes. A string counts in full although it often shares the
// bytes of a property column. Bytes takes no time: lists and maps know their size.
func (v Value) Bytes() int64 {
	switch r := v.ref.(type) {
	case stringPtr:
		return 24 + int64(v.num)
	case []Value, *MapValue:
		return 24 + int64(v.num&(1<<depthShift-1))
	case *PathValue:
		return 24 + 48 + 4*int64(len(r.Nodes)) + 8*int64(len(r.Rels))
	case *temporal.Point, *temporal.Duration, *spatial.Point:
		return 24 + 48
	}
	return 24
}

// Large reports whether v refers to memory that it counts: whether it is a string, a list or a map.
func (v Value) Large() bool {
	switch v.ref.(type) {
	case stringPtr, []Value, *MapValue:
		return true
	}
	return false
}

// ShownBytes is about how much memory v takes as a value of the program, with its text: nodes and relationships have their properties there.
func (v Value) ShownBytes() int64 {
	const element = 448 + 160 // of a node or a relationship: with a map of some properties, and its text
	switch v.Kind() {
	case String:
		return 32 + 2*(v.Bytes()-24)
	case List:
		n := int64(64)
		for _, e := range v.List() {
			n += e.ShownBytes()
		}
		return n
	case Map:
		m := v.Map()
		n := 64 + 40*int64(len(m.Keys)+8)
		for i, k := range m.Keys {
			n += int64(len(k)) + m.Values[i].ShownBytes()
		}
		return n
	case Node, Rel:
		return element
	case Path:
		return element * int64(len(v.Path().Nodes)+len(v.Path().Rels))
	case Temporal, Spatial:
		return 128
	}
	return 40
}

func measureList(l []Value) uint64 {
	n, depth := int64(24), 0
	for i := range l {
		n = min(n+l[i].Bytes(), maxBytes)
		depth = max(depth, l[i].Depth())
	}
	return measured(n, depth+1)
}

func (m *MapValue) measure() uint64 {
	n, depth := int64(48), 0
	for i, k := range m.Keys {
		n = min(n+16+int64(len(k))+m.Values[i].Bytes(), maxBytes)
		depth = max(depth, m.Values[i].Depth())
	}
	return measured(n, depth+1)
}

// Part returns the elements lo to hi of a list, without hi. It looks at the kept elements or at the dropped ones,
// whichever are fewer.
func (v Value) Part(lo, hi int) Value {
	l := v.List()
	n := v.Bytes() - 24
	if part := l[lo:hi:hi]; hi-lo <= len(l)/2 || n == maxBytes {
		return OfList(part)
	}
	for _, dropped := range [...][]Value{l[:lo], l[hi:]} {
		for i := range dropped {
			n -= dropped[i].Bytes()
		}
	}
	return Value{measured(n, v.Depth()), l[lo:hi:hi]}
}
