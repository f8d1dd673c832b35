// Package sets intersects sorted lists of 32-bit numbers and tests them against bitmaps. It is the inner loop of the join.
//
// Input: lists that rise and hold no number twice; bitmaps of 64-bit words.
//
// Output: a list appended to dst, a count, or a position.
//
// What makes it fast: vector instructions (AVX-512 or AVX2) compare blocks of lists with similar lengths. Galloping skips through a
// much longer list. A bitmap serves a list that takes part in many intersections. intersect.go has the measured times behind the limits.
// The generator in _generate writes the assembly (asm_amd64.s). Each function has a twin in Go (simd_twins.go): other processors run it,
// and tests compare the two.
//
// It never keeps an argument, never starts a goroutine, and allocates only to extend dst.
//
// Source: galloping is the unbounded search of Bentley and Yao, "An almost optimal algorithm for unbounded searching" (1976). The limits
// are measured here.
// Oracle: a plain merge, and the twins, at every set of instructions (simd_test.go, intersect_test.go).
package sets
