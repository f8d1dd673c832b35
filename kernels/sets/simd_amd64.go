//go:build amd64 && !noasm

package sets

import "golang.org/x/sys/cpu"

// detectSIMD asks the processor for its instructions, and the operating system whether it saves their registers.
func detectSIMD() simdLevel {
	x := &cpu.X86
	switch {
	case !x.HasAVX2 || !x.HasBMI2 || !x.HasPOPCNT:
		return simdNone
	case x.HasAVX512F && x.HasAVX512VPOPCNTDQ:
		return simdAVX512
	}
	return simdAVX2
}

func andCountLong(a, b []uint64) int {
	b = b[:len(a)]
	switch simd {
	case simdAVX512:
		return andCount512(&a[0], &b[0], len(a))
	case simdAVX2:
		return andCount256(&a[0], &b[0], len(a))
	}
	return andCountTwin(a, b)
}

func andIntoLong(dst, a, b []uint64) int {
	dst, b = dst[:len(a)], b[:len(a)]
	switch simd {
	case simdAVX512:
		return andInto512(&dst[0], &a[0], &b[0], len(a))
	case simdAVX2:
		return andInto256(&dst[0], &a[0], &b[0], len(a))
	}
	return andIntoTwin(dst, a, b)
}

// blockInto writes the intersection of the rising lists a and b to dst and returns its size. dst is as long as the shorter and may
// lie at the start of a or b.
func blockInto[T ~uint32](dst, a, b []T) int {
	switch simd {
	case simdAVX512:
		return intersect512(data32(dst), data32(a), len(a), data32(b), len(b))
	case simdAVX2:
		n, i, j := intersect256(data32(dst), data32(a), len(a), data32(b), len(b))
		return n + mergeInto(dst[n:], a[i:], b[j:])
	}
	return mergeInto(dst, a, b)
}

// blockCount returns the size of the intersection of the rising lists a and b.
func blockCount[T ~uint32](a, b []T) int {
	switch simd {
	case simdAVX512:
		return intersectCount512(data32(a), len(a), data32(b), len(b))
	case simdAVX2:
		n, i, j := intersectCount256(data32(a), len(a), data32(b), len(b))
		return n + mergeCount(a[i:], b[j:])
	}
	return mergeCount(a, b)
}

// gallopInto writes the intersection of the short list a with b to dst and returns its size.
func gallopInto[T ~uint32](dst, a, b []T) int {
	if simd == simdAVX512 && len(b) >= 16 {
		return gallop512(data32(dst), data32(a), len(a), data32(b), len(b))
	}
	return gallopIntoTwin(dst, a, b)
}

// gallopCount returns the size of the intersection of the short list a with b.
func gallopCount[T ~uint32](a, b []T) int {
	if simd == simdAVX512 && len(b) >= 16 {
		return gallopCount512(data32(a), len(a), data32(b), len(b))
	}
	return gallopCountTwin(a, b)
}

func filterMarkedLong[T ~uint32](dst, list []T, bitmap []uint64, base T) int {
	if simd == simdAVX512 {
		return filterMarked512(data32(dst), data32(list), len(list), &bitmap[0], uint32(base))
	}
	return filterMarkedTwin(dst, list, bitmap, base)
}

func countMarkedLong[T ~uint32](list []T, bitmap []uint64, base T) int {
	if simd == simdAVX512 {
		return countMarked512(data32(list), len(list), &bitmap[0], uint32(base))
	}
	return countMarkedTwin(list, bitmap, base)
}

func placesMarkedLong(dst, list []uint32, bitmap []uint64) int {
	if simd == simdAVX512 {
		return placesMarked512(&dst[0], &list[0], len(list), &bitmap[0])
	}
	return placesMarkedTwin(dst, list, bitmap)
}
