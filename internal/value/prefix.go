package value

import (
	"encoding/binary"
	"math"
)

// Prefix returns a number that orders values as Compare does, as far as it goes: if a comes before b, its prefix is not larger. Nulls and
// integers of 44 bits have prefixes of their own.
func Prefix(v Value) uint64 {
	k := v.Kind()
	p := uint64(rank[k]) << 60
	switch k {
	case Bool:
		p |= v.num
	case Int:
		p |= floatPrefix(float64(v.Int()))
	case Float:
		p |= floatPrefix(v.Float())
	case String:
		var head [8]byte
		copy(head[:], v.Str())
		p |= binary.BigEndian.Uint64(head[:]) >> 4
	}
	return p
}

// floatPrefix orders floats by 60 bits, NaN last.
func floatPrefix(f float64) uint64 {
	if f != f {
		return 1<<60 - 1
	}
	b := math.Float64bits(f + 0) // -0.0 is 0.0
	if b>>63 == 1 {
		b = ^b
	} else {
		b |= 1 << 63
	}
	return b >> 4
}
