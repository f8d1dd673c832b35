package storage

import (
	"encoding/binary"
	"math/bits"
)

// A run of integers is stored in the shorter of two ways. Columns of ids are the reason for both: numbers in
// arbitrary order need their full width, but inside a class vertices of equal degree keep their order of
// addition, so the differences of their ids are small.
const (
	intsPacked byte = 0 // least value, width, then the differences to it in width bits each
	intsDelta  byte = 1 // every value as the difference to the one before, zigzag varint
)

// appendInts appends the coding of values. Their number is not stored.
func appendInts[T ~int64 | ~uint64](dst []byte, values []T) []byte {
	if len(values) == 0 {
		return dst
	}
	least, most, delta, prev := int64(values[0]), int64(values[0]), 0, int64(0)
	for _, v := range values {
		x := int64(v)
		least, most = min(least, x), max(most, x)
		delta += uvarintLen(zigzag(x - prev)) // differences wrap, and wrap back
		prev = x
	}
	width := bits.Len64(uint64(most) - uint64(least))
	if delta < uvarintLen(zigzag(least))+1+(len(values)*width+7)/8 {
		dst = append(dst, intsDelta)
		prev = 0
		for _, v := range values {
			dst = appendVarint(dst, int64(v)-prev)
			prev = int64(v)
		}
		return dst
	}
	dst = appendVarint(append(dst, intsPacked), least)
	return appendPacked(append(dst, byte(width)), values, uint64(least), width)
}

func uvarintLen(u uint64) int { return (bits.Len64(u|1) + 6) / 7 }

// appendPacked appends value-base of every value in width bits, the first value in the lowest bits.
func appendPacked[T ~int64 | ~uint64](dst []byte, values []T, base uint64, width int) []byte {
	var word uint64
	filled := 0
	for _, v := range values {
		x := uint64(v) - base
		word |= x << filled
		if filled += width; filled >= 64 {
			dst = binary.LittleEndian.AppendUint64(dst, word)
			filled -= 64
			word = x >> (width - filled) // a shift by 64 gives 0
		}
	}
	for ; filled > 0; filled -= 8 {
		dst = append(dst, byte(word))
		word >>= 8
	}
	return dst
}

// readInts fills values from what appendInts wrote.
func readInts[T ~int64 | ~uint64](c *cursor, values []T) {
	if len(values) == 0 {
		return
	}
	switch mode := c.byte(); mode {
	case intsDelta:
		readDeltas(c, values)
	case intsPacked:
		least, width := uint64(c.varint()), int(c.byte())
		if width > 64 {
			c.fail(errVersion)
			return
		}
		if packed := c.take(uint64(len(values)*width+7) / 8); c.err == nil {
			readPacked(values, packed, least, width)
		}
	default:
		c.fail(errVersion)
	}
}

// readDeltas reads differences as appendInts writes them.
func readDeltas[T ~int64 | ~uint64](c *cursor, values []T) {
	b, prev := c.b, int64(0)
	for i := range values {
		u, size := uvarint(b)
		if size <= 0 {
			c.fail(errTruncated)
			clear(values[i:])
			return
		}
		b = b[size:]
		prev += unzigzag(u)
		values[i] = T(prev)
	}
	c.b = b
}

// readPacked undoes appendPacked.
func readPacked[T ~int64 | ~uint64](values []T, packed []byte, base uint64, width int) {
	mask := uint64(1)<<width - 1 // all ones for 64
	done := 0
	if width <= 56 { // a value lies in the eight bytes from its first on
		for ; done < len(values) && done*width>>3+8 <= len(packed); done++ {
			bit := done * width
			values[done] = T(base + binary.LittleEndian.Uint64(packed[bit>>3:])>>(bit&7)&mask)
		}
	}
	for i := done; i < len(values); i++ {
		bit := i * width
		values[i] = T(base + load(packed, bit>>3)>>(bit&7)&mask)
		if spill := bit&7 + width - 64; spill > 0 { // the top bits lie in a ninth byte
			values[i] = T(base + (load(packed, bit>>3)>>(bit&7)|uint64(packed[bit>>3+8])<<(64-bit&7))&mask)
		}
	}
}

// load reads the eight bytes at offset at, taking zeros past the end.
func load(b []byte, at int) uint64 {
	if at+8 <= len(b) {
		return binary.LittleEndian.Uint64(b[at:])
	}
	var word uint64
	for i := len(b) - 1; i >= at; i-- {
		word = word<<8 | uint64(b[i])
	}
	return word
}
