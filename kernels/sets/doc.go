// Package sets intersects sorted lists of 32-bit numbers and tests them against bitmaps. It is the inner loop of the join.
//
// Input: lists that rise and hold no number twice; bitmaps of 64-bit words.
//
// Output: a list appended to dst, a count, or a position.
//
// What makes it fast: blocks of vector instructions (AVX-512 or AVX2) where lists have like lengths, galloping where one is
// much longer, and a bitmap for a list that is used again and again. intersect.go has the table of measured times that set the limits.
// The assembly (asm_amd64.s) is written by the generator in _generate; each function has a twin in Go (simd_twins.go), which other
// processors take and tests compare it with.
//
// It never keeps an argument, never starts a goroutine, and allocates only to extend dst.
//
// Source: the limits are measured here (intersect.go); galloping is the unbounded search of Bentley and Yao (1976).
// Oracle: a plain merge, and the twins, at every set of instructions (simd_test.go, intersect_test.go).
package sets
