package sets

import (
	"math"
	"slices"
)

// Intersection of sorted vertex lists, the inner loop of the join. All lists rise and hold no vertex twice.
//
// What was measured on random lists, in ns an intersection (BenchmarkIntersection; Xeon with AVX-512, code for which is
// marked 512, and for AVX2 256). A merge takes 3 to 10 ns an element because its branches cannot be predicted; blocks
// (asm_amd64.s) have no such branches. "Marked" tests all of the longer list against a bitmap of the shorter.
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
// So blocks win where there are some, galloping from lengths of 1:32 (512) or 1:64 (256) on, and a list that is
// intersected again and again is worth a bitmap unless the others are some 30 times longer. Arithmetic in place of
// branches, and unrolled loops, were slower than the plain loops. Gathering with AVX2 is left out: it has no instruction
// to close up what was found, and is slow on many processors that have no more.

// ways says, by simdLevel, how many times longer one list must be for galloping to win, and how long the shorter must
// be for blocks to win over a merge.
var ways = [...]struct{ gallop, block int }{{8, math.MaxInt}, {64, 8}, {32, 3}}

// Intersect appends what a and b have in common to dst, which may be a[:0] but must not overlap them otherwise.
func Intersect[T ~uint32](dst, a, b []T) []T {
	if len(a) > len(b) {
		a, b = b, a // what is written never overtakes what was read of either
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

// IntersectCount is how many vertices a and b have in common.
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

// Gallop is the first position of b whose vertex is not below x, found in steps that double from the start.
func Gallop[T ~uint32](b []T, x T) int {
	lo, step := 0, 1
	for lo+step <= len(b) && b[lo+step-1] < x {
		lo += step
		step <<= 1
	}
	return lo + LowerBound(b[lo:min(len(b), lo+step)], x)
}

// LowerBound is the first position of list whose vertex is not below x.
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

// Cut is the part of list in [lo, hi).
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

// Bitmaps over vertices: bit v-base of word (v-base)/64 stands for vertex v. Every vertex of a list passed
// with a bitmap must lie inside it.

// Mark sets the bits of list.
func Mark[T ~uint32](bitmap []uint64, base T, list []T) {
	for _, v := range list {
		v -= base
		bitmap[v>>6] |= 1 << (v & 63)
	}
}

// Unmark clears the bits of list.
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

// minGather is the length of a list from which gathering its bits wins.
const minGather = 16

// FilterMarked appends the vertices of list whose bit is set to dst, which may be list[:0] but must not
// overlap it otherwise.
func FilterMarked[T ~uint32](dst, list []T, bitmap []uint64, base T) []T {
	n := len(dst)
	dst = slices.Grow(dst, len(list))[:n+len(list)]
	if len(list) >= minGather {
		return dst[:n+filterMarkedLong(dst[n:], list, bitmap, base)]
	}
	return dst[:n+filterMarkedTwin(dst[n:], list, bitmap, base)]
}

// CountMarked is how many vertices of list have their bit set.
func CountMarked[T ~uint32](list []T, bitmap []uint64, base T) int {
	if len(list) >= minGather {
		return countMarkedLong(list, bitmap, base)
	}
	return countMarkedTwin(list, bitmap, base)
}

// PlacesMarked returns the places in list of the values whose bit is set; it writes them to dst, which is at least as long.
func PlacesMarked(dst, list []uint32, bitmap []uint64) []uint32 {
	dst = dst[:len(list)]
	if len(list) >= minGather {
		return dst[:placesMarkedLong(dst, list, bitmap)]
	}
	return dst[:placesMarkedTwin(dst, list, bitmap)]
}

// AnyMarked reports whether some vertex of list has its bit set.
func AnyMarked[T ~uint32](list []T, bitmap []uint64, base T) bool {
	for _, v := range list {
		if Marked(bitmap, base, v) {
			return true
		}
	}
	return false
}
