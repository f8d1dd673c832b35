package value

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/motifql/motif/internal/csr"
)

// Equal is the operator = in three-valued logic: known is false where the answer is null. Values of different
// types differ, but an integer equals the float of the same mathematical value, without rounding.
func Equal(a, b Value) (eq, known bool) {
	ka, kb := a.Kind(), b.Kind()
	if ka == Null || kb == Null {
		return false, false
	}
	if isNumber(ka) && isNumber(kb) {
		return relateNumbers(a, b) == equal, true
	}
	if ka != kb {
		return false, true
	}
	switch ka {
	case String:
		return a.Str() == b.Str(), true
	case List:
		return equalLists(a.List(), b.List())
	case Map:
		return equalMaps(a.Map(), b.Map())
	case Path, Temporal, Spatial:
		return Compare(a, b) == 0, true
	}
	return a.num == b.num, true
}

// equalLists is false as soon as two elements differ, whatever the others are; else null if one comparison is.
func equalLists(a, b []Value) (eq, known bool) {
	if len(a) != len(b) {
		return false, true
	}
	known = true
	for i := range a {
		e, k := Equal(a[i], b[i])
		if k && !e {
			return false, true
		}
		known = known && k
	}
	return known, known
}

func equalMaps(a, b *MapValue) (eq, known bool) {
	if len(a.Keys) != len(b.Keys) {
		return false, true
	}
	known = true
	for i, key := range a.Keys {
		v, ok := b.Get(key)
		if !ok {
			return false, true
		}
		e, k := Equal(a.Values[i], v)
		if k && !e {
			return false, true
		}
		known = known && k
	}
	return known, known
}

// relation is what <, <=, > and >= see of two values.
type relation uint8

const (
	less relation = iota
	equal
	greater
	unordered // a NaN is among them: every comparison is false
	unknown   // null, or types that have no order between them: every comparison is null
)

// Less is the operator < in three-valued logic: known is false where the answer is null. Numbers, strings,
// booleans, lists and dates or times of one type have an order, each among themselves.
func Less(a, b Value) (lt, known bool) {
	r := relate(a, b)
	return r == less, r != unknown
}

// LessEqual is the operator <= in three-valued logic.
func LessEqual(a, b Value) (le, known bool) {
	r := relate(a, b)
	return r == less || r == equal, r != unknown
}

func relate(a, b Value) relation {
	ka, kb := a.Kind(), b.Kind()
	if isNumber(ka) && isNumber(kb) {
		return relateNumbers(a, b)
	}
	if ka != kb {
		return unknown
	}
	switch ka {
	case String:
		return relation(strings.Compare(a.Str(), b.Str()) + 1)
	case Bool:
		return relation(cmp.Compare(a.num, b.num) + 1)
	case List:
		return relateLists(a.List(), b.List())
	case Temporal:
		return relateTemporals(a, b)
	}
	return unknown
}

// relateLists compares element by element; a list comes before those it is a prefix of.
func relateLists(a, b []Value) relation {
	for i := range min(len(a), len(b)) {
		if r := relate(a[i], b[i]); r != equal {
			return r
		}
	}
	return relation(cmp.Compare(len(a), len(b)) + 1)
}

func relateNumbers(a, b Value) relation {
	switch ai, bi := a.Kind() == Int, b.Kind() == Int; {
	case ai && bi:
		return relation(cmp.Compare(a.Int(), b.Int()) + 1)
	case ai:
		return relateIntFloat(a.Int(), b.Float())
	case bi:
		r := relateIntFloat(b.Int(), a.Float())
		if r <= greater {
			r = greater - r
		}
		return r
	}
	x, y := a.Float(), b.Float()
	if x != x || y != y {
		return unordered
	}
	return relation(cmp.Compare(x, y) + 1)
}

// relateIntFloat compares without rounding i: float64(i) would make 2^53 and 2^53+1 equal.
func relateIntFloat(i int64, f float64) relation {
	switch {
	case f != f:
		return unordered
	case f >= 0x1p63:
		return less
	case f < -0x1p63:
		return greater
	}
	t := int64(f)
	if i != t {
		return relation(cmp.Compare(i, t) + 1)
	}
	return relation(cmp.Compare(0, f-float64(t)) + 1)
}

func isNumber(k Kind) bool { return k == Int || k == Float }

// rank is the place of each type in the order of ORDER BY (openCypher's orderability).
var rank = [...]uint8{Map: 0, Node: 1, Rel: 2, List: 3, Path: 4, Temporal: 5, Spatial: 6, String: 7, Bool: 8, Int: 9, Float: 9, Null: 10, Deleted: 11}

// Ordering is the total order of ORDER BY, min and max. With a Snapshot, nodes and relationships are ordered by
// their stable ids, which is what users see; without, by their dense ones.
type Ordering struct{ Snapshot *csr.Snapshot }

// Compare orders any two values as ORDER BY does: maps, nodes, relationships, lists, paths, temporal values, points, strings,
// booleans, numbers, NaN, null. It returns 0 exactly for equivalent values (see AppendKey).
func Compare(a, b Value) int { return Ordering{}.Compare(a, b) }

// Compare orders any two values, see the function Compare.
func (o Ordering) Compare(a, b Value) int {
	ka, kb := a.Kind(), b.Kind()
	if c := cmp.Compare(rank[ka], rank[kb]); c != 0 {
		return c
	}
	switch ka {
	case Null:
		return 0
	case Int, Float:
		return compareNumbers(a, b)
	case String:
		return strings.Compare(a.Str(), b.Str())
	case List:
		return o.compareLists(a.List(), b.List())
	case Map:
		return o.compareMaps(a.Map(), b.Map())
	case Path:
		return o.comparePaths(a.Path(), b.Path())
	case Temporal:
		return compareTemporals(a, b)
	case Spatial:
		return compareSpatials(a, b)
	case Node:
		if o.Snapshot != nil {
			return cmp.Compare(o.Snapshot.NodeID(a.Node()), o.Snapshot.NodeID(b.Node()))
		}
	case Rel:
		if o.Snapshot != nil {
			return cmp.Compare(o.Snapshot.RelID(a.Rel()), o.Snapshot.RelID(b.Rel()))
		}
	}
	return cmp.Compare(a.num, b.num)
}

func compareNumbers(a, b Value) int {
	if r := relateNumbers(a, b); r != unordered {
		return int(r) - 1
	}
	return cmp.Compare(btoi(isNaN(a)), btoi(isNaN(b)))
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func isNaN(v Value) bool { return v.Kind() == Float && math.IsNaN(v.Float()) }

func (o Ordering) compareLists(a, b []Value) int {
	for i := range min(len(a), len(b)) {
		if c := o.Compare(a[i], b[i]); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(a), len(b))
}

// compareMaps orders by size, then by the sorted keys, then by the values in order of the keys.
func (o Ordering) compareMaps(a, b *MapValue) int {
	if c := cmp.Compare(len(a.Keys), len(b.Keys)); c != 0 {
		return c
	}
	sa, sb := a.sorted(), b.sorted()
	for i := range sa {
		if c := strings.Compare(a.Keys[sa[i]], b.Keys[sb[i]]); c != 0 {
			return c
		}
	}
	for i := range sa {
		if c := o.Compare(a.Values[sa[i]], b.Values[sb[i]]); c != 0 {
			return c
		}
	}
	return 0
}

// sorted lists the positions of m's keys in order of the keys.
func (m *MapValue) sorted() []int {
	at := make([]int, len(m.Keys))
	for i := range at {
		at[i] = i
	}
	slices.SortFunc(at, func(i, j int) int { return strings.Compare(m.Keys[i], m.Keys[j]) })
	return at
}
