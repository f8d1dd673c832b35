package kernels

import (
	"slices"

	"github.com/motifql/motif/internal/csr"
)

// Intersection of sorted vertex lists, the inner loop of the join. All lists rise and hold no vertex twice.
//
// What was measured on random lists (amd64): a merge takes 3 to 10 ns an element because its branches
// cannot be predicted; galloping wins from lengths of about 1:8 on; testing a list against a bitmap of the
// other takes 1 ns an element, so who intersects with one list again and again should keep it as Marks.
// Arithmetic in place of branches, and unrolled loops, were slower than the plain loops below.

// gallopRatio is how many times longer one list must be for galloping to beat merging.
const gallopRatio = 8

// Intersect appends what a and b have in common to dst, which may be a[:0] but must not overlap them otherwise.
func Intersect(dst, a, b []csr.VertexID) []csr.VertexID {
	if len(a) > len(b) {
		a, b = b, a // what is written never overtakes what was read of either
	}
	n := len(dst)
	dst = slices.Grow(dst, len(a))[:n+len(a)]
	if len(b) > gallopRatio*len(a) {
		return dst[:n+gallopInto(dst[n:], a, b)]
	}
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch x, y := a[i], b[j]; {
		case x < y:
			i++
		case x > y:
			j++
		default:
			dst[n] = x
			n, i, j = n+1, i+1, j+1
		}
	}
	return dst[:n]
}

// gallopInto writes what the short list a and b have in common to dst and returns how many.
func gallopInto(dst, a, b []csr.VertexID) int {
	n := 0
	for _, x := range a {
		b = b[gallop(b, x):]
		if len(b) == 0 {
			break
		}
		if b[0] == x {
			dst[n] = x
			n++
		}
	}
	return n
}

// IntersectCount is how many vertices a and b have in common.
func IntersectCount(a, b []csr.VertexID) int {
	if len(a) > len(b) {
		a, b = b, a
	}
	n := 0
	if len(b) > gallopRatio*len(a) {
		for _, x := range a {
			b = b[gallop(b, x):]
			if len(b) == 0 {
				break
			}
			if b[0] == x {
				n++
			}
		}
		return n
	}
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch x, y := a[i], b[j]; {
		case x < y:
			i++
		case x > y:
			j++
		default:
			n, i, j = n+1, i+1, j+1
		}
	}
	return n
}

// gallop is the first position of b whose vertex is not below x, found in steps that double from the start.
func gallop[T ~uint32](b []T, x T) int {
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
func Cut(list []csr.VertexID, lo, hi csr.VertexID) []csr.VertexID {
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
func Contains(list []csr.VertexID, x csr.VertexID) bool {
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
func Marked(bitmap []uint64, base, v csr.VertexID) bool {
	v -= base
	return bitmap[v>>6]>>(v&63)&1 != 0
}

// FilterMarked appends the vertices of list whose bit is set to dst, which may be list[:0] but must not
// overlap it otherwise.
func FilterMarked(dst, list []csr.VertexID, bitmap []uint64, base csr.VertexID) []csr.VertexID {
	n := len(dst)
	dst = slices.Grow(dst, len(list))[:n+len(list)]
	for _, v := range list {
		dst[n] = v
		v -= base
		n += int(bitmap[v>>6] >> (v & 63) & 1)
	}
	return dst[:n]
}

// CountMarked is how many vertices of list have their bit set.
func CountMarked[T ~uint32](list []T, bitmap []uint64, base T) int {
	n := uint64(0)
	for _, v := range list {
		v -= base
		n += bitmap[v>>6] >> (v & 63) & 1
	}
	return int(n)
}

// AnyMarked reports whether some vertex of list has its bit set.
func AnyMarked(list []csr.VertexID, bitmap []uint64, base csr.VertexID) bool {
	for _, v := range list {
		if Marked(bitmap, base, v) {
			return true
		}
	}
	return false
}
