package value

import (
	"encoding/binary"
	"math"
)

// The first byte of a key. Int stands for every number that an int64 holds.
const (
	keyNull byte = iota
	keyFalse
	keyTrue
	keyInt
	keyFloat
	keyString
	keyList
	keyMap
	keyNode
	keyRel
	keyPath
	keyDeleted
	keyTemporal
	keySpatial
)

// AppendKey appends bytes that two values share exactly if they are equivalent, which is what DISTINCT and grouping ask:
// as =, but null is equivalent to null and NaN to NaN, inside lists and maps too, and the order of a map's
// keys does not matter. 1 and 1.0 are equivalent, as are 0.0 and -0.0. No key is a prefix of another, so
// keys of several values may follow each other.
func AppendKey(dst []byte, v Value) []byte {
	switch v.Kind() {
	case Bool:
		return append(dst, keyFalse+byte(v.num))
	case Int:
		return appendWord(dst, keyInt, v.num)
	case Float:
		return appendFloatKey(dst, v.Float())
	case String:
		return appendStringKey(append(dst, keyString), v.Str())
	case List:
		l := v.List()
		dst = binary.AppendUvarint(append(dst, keyList), uint64(len(l)))
		for _, e := range l {
			dst = AppendKey(dst, e)
		}
		return dst
	case Map:
		m := v.Map()
		dst = binary.AppendUvarint(append(dst, keyMap), uint64(len(m.Keys)))
		for _, i := range m.sorted() {
			dst = AppendKey(appendStringKey(dst, m.Keys[i]), m.Values[i])
		}
		return dst
	case Node:
		return appendWord(dst, keyNode, v.num)
	case Rel:
		return appendWord(dst, keyRel, v.num)
	case Path:
		return appendPathKey(dst, v.Path())
	case Deleted:
		return appendWord(dst, keyDeleted, v.num)
	case Temporal:
		return appendTemporal(append(dst, keyTemporal), v)
	case Spatial:
		return appendSpatial(append(dst, keySpatial), v)
	}
	return append(dst, keyNull)
}

func appendWord(dst []byte, tag byte, w uint64) []byte {
	return binary.LittleEndian.AppendUint64(append(dst, tag), w)
}

func appendStringKey(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

func appendFloatKey(dst []byte, f float64) []byte {
	switch {
	case f != f:
		return appendWord(dst, keyFloat, math.Float64bits(math.NaN()))
	case f >= -0x1p63 && f < 0x1p63 && f == math.Trunc(f):
		return appendWord(dst, keyInt, uint64(int64(f)))
	}
	return appendWord(dst, keyFloat, math.Float64bits(f))
}
