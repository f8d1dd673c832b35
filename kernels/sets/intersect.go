package sets

import (
	"math"
	"slices"
)

// Intersection of sorted vertex lists, the inner loop of the join. Input: lists that rise and hold no vertex twice.
//
// What makes it fast: the choice by length, from times on random lists, in ns an intersection (BenchmarkIntersection on a Xeon;
// 512 marks code for AVX-512, 256 for AVX2). A merge takes 3 to 10 ns an element because the processor cannot predict its
// branches. Blocks (asm_amd64.s) have no such branches. "Marked" tests all of the longer list against a bitmap of the shorter.
//
//	lengths      merge  blocks256  blocks512   gallop  gallop512   marked  marked512
//	4x4             26         34          9       24         29        9          9
//	16x16           88         26         12       90         60       14         13
//	64x64          238         63         43      492         70       61         18
//	1000x1000     9910        871        638    12600       1560      829        221
//	32x512         783        231        156      297         79      432        116
//	1000x10000   22100       4570       3540    26500       6740     8400       2370
//	32x2048       2480        828        630      793        292     1650        437
//	50x10000     11300       4440       3230     2830       1080     8150       2320
//
// So blocks win on lists of at least a block. Galloping wins from lengths of 1:32 (512) or 1:64 (256) on. A list in many intersections
// is worth a bitmap unless the other lists are some 30 times longer. Arithmetic in place of branches, and unrolled
// loops, were slower than the plain loops. No code gathers bits with AVX2: it has no instruction to compress the result, and
// gathers slowly on many processors.

// ways holds, by simdLevel, the ratio of lengths from which galloping wins, and the length of the shorter list from which
// blocks beat a merge.
var ways = [...]struct{ gallop, block int }{{8, math.MaxInt}, {64, 8}, {32, 3}}

// Intersect appends the intersection of a and b to dst. dst may be a[:0] but must not overlap a or b otherwise.
func Intersect[T ~uint32](dst, a, b []T) []T {
	if len(a) > len(b) {
		a, b = b, a // writing never overtakes reading, of either list
	}
	n := len(dst)
	dst = slices.Grow(dst, len(a))[:n+len(a)]
	way := &ways[simd]
	switch {
	case len(b) > way.gallop*len(a):
		return dst[:n+gallopInto(dst[n:], a, b)]
	case len(a) >= way.block:
		return dst[:n+blockInto(dst[n:], a, b)]
	}
	return dst[:n+mergeInto(dst[n:], a, b)]
}

// IntersectCount returns the size of the intersection of a and b.
func IntersectCount[T ~uint32](a, b []T) int {
	if len(a) > len(b) {
		a, b = b, a
	}
	way := &ways[simd]
	switch {
	case len(b) > way.gallop*len(a):
		return gallopCount(a, b)
	case len(a) >= way.block:
		return blockCount(a, b)
	}
	return mergeCount(a, b)
}

// Gallop returns the first position of b whose vertex is not below x, or len(b). It steps from the start and doubles the step.
func Gallop[T ~uint32](b []T, x T) int {
	lo, step := 0, 1
	for lo+step <= len(b) && b[lo+step-1] < x {
		lo += step
		step <<= 1
	}
	return lo + LowerBound(b[lo:min(len(b), lo+step)], x)
}

// LowerBound returns the first position of list whose vertex is not below x, or len(list), by binary search.
func LowerBound[T ~uint32](list []T, x T) int {
	lo, hi := 0, len(list)
	for lo < hi {
		if mid := int(uint(lo+hi) >> 1); list[mid] < x {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// Cut returns the part of list with vertices in [lo, hi).
func Cut[T ~uint32](list []T, lo, hi T) []T {
	if len(list) == 0 {
		return list
	}
	if list[0] < lo {
		list = list[LowerBound(list, lo):]
	}
	if n := len(list); n > 0 && list[n-1] >= hi {
		list = list[:LowerBound(list, hi)]
	}
	return list
}

// Contains reports whether list holds x.
func Contains[T ~uint32](list []T, x T) bool {
	i := LowerBound(list, x)
	return i < len(list) && list[i] == x
}

// Bitmaps over vertices: bit (v-base)%64 of word (v-base)/64 stands for vertex v. A bitmap must cover every vertex of the list that
// comes with it.

// Mark sets the bits of the vertices in list.
func Mark[T ~uint32](bitmap []uint64, base T, list []T) {
	for _, v := range list {
		v -= base
		bitmap[v>>6] |= 1 << (v & 63)
	}
}

// Unmark clears the bits of the vertices in list.
func Unmark[T ~uint32](bitmap []uint64, base T, list []T) {
	for _, v := range list {
		bitmap[(v-base)>>6] = 0
	}
}

// Marked reports whether the bit of v is set.
func Marked[T ~uint32](bitmap []uint64, base, v T) bool {
	v -= base
	return bitmap[v>>6]>>(v&63)&1 != 0
}

// minGather is the length of a list from which gathering its bits beats a loop.
const minGather = 16

// FilterMarked appends the vertices of list whose bit is set to dst. dst may be list[:0] but must not overlap list
// otherwise.
func FilterMarked[T ~uint32](dst, list []T, bitmap []uint64, base T) []T {
	n := len(dst)
	dst = slices.Grow(dst, len(list))[:n+len(list)]
	if len(list) >= minGather {
		return dst[:n+filterMarkedLong(dst[n:], list, bitmap, base)]
	}
	return dst[:n+filterMarkedTwin(dst[n:], list, bitmap, base)]
}

// CountMarked returns how many vertices of list have their bit set.
func CountMarked[T ~uint32](list []T, bitmap []uint64, base T) int {
	if len(list) >= minGather {
		return countMarkedLong(list, bitmap, base)
	}
	return countMarkedTwin(list, bitmap, base)
}

// PlacesMarked writes the positions in list of the values whose bit is set to dst and returns them. dst must be at least as long as list.
func PlacesMarked(dst, list []uint32, bitmap []uint64) []uint32 {
	dst = dst[:len(list)]
	if len(list) >= minGather {
		return dst[:placesMarkedLong(dst, list, bitmap)]
	}
	return dst[:placesMarkedTwin(dst, list, bitmap)]
}

// AnyMarked reports whether any vertex of list has its bit set.
func AnyMarked[T ~uint32](list []T, bitmap []uint64, base T) bool {
	for _, v := range list {
		if Marked(bitmap, base, v) {
			return true
		}
	}
	return false
}
