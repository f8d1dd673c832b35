// Package sets intersects sorted lists of 32-bit numbers and tests them against bitmaps.
//
// Input: lists that rise and hold no number twice; bitmaps of 64-bit words. Output: a list, a count or a position. What makes it fast:
// blocks of vector instructions where lists have like lengths, galloping where they do not, and bitmaps for a list that is used again
// (simd.go has the dispatch, asm_amd64.s the code, simd_twins.go the same in Go). It never allocates but to extend dst,
// never keeps an argument and starts no goroutine.
package sets
