package sets

import (
	"math/bits"
	"unsafe"
)

// Bitmaps are ANDed and counted, and sorted lists intersected, by assembly where the processor and the operating system
// have AVX-512 (with VPOPCNTDQ) or AVX2. asm_amd64.s is written by the generator in _generate, a module of its own. Each
// function there has a twin in Go in simd_twins.go, which other processors and builds with the tag noasm take, and
// which the tests compare it with.
//
// None of the functions on bitmaps is inlined, and one that goes on to assembly takes about 4 ns before the first word.
// Whoever has rows of a few words loops himself, and chooses between the two outside his loops. As measured
// (BenchmarkAnd, ns): 4 words 4.5 in a plain loop and 6 by a call; 8 words 7 and 6; 16 words 12 and 6; 64 words 45 and 10; 1024
// words 700 and 81 (AVX2: 8, 20 and 268 for the last three).

//go:generate go -C _generate run . -pkg sets -out ../asm_amd64.s -stubs ../asm_amd64.go

// simdLevel is a set of vector instructions; each includes those before it.
type simdLevel uint8

const (
	simdNone simdLevel = iota
	simdAVX2
	simdAVX512
)

// simd is what this machine has. EachLevel lowers it.
var simd = detectSIMD()

// EachLevel calls f once with every set of vector instructions that this machine has in use, from none on. Tests of what calls
// this package need it: nothing else may run meanwhile.
func EachLevel(f func(level int)) {
	most := simd
	defer func() { simd = most }()
	for level := simdNone; level <= most; level++ {
		simd = level
		f(int(level))
	}
}

// LongRow is how many words bitmaps must have for AndCount and AndInto to beat a loop where they are called.
const LongRow = 8

// AndCount is how many bits a AND b has. b is at least as long as a.
func AndCount(a, b []uint64) int {
	if len(a) >= LongRow {
		return andCountLong(a, b)
	}
	n := 0
	for i, x := range a {
		n += bits.OnesCount64(x & b[i])
	}
	return n
}

// AndInto writes a AND b to the front of dst, which may be one of them, and returns how many bits that has. b and dst
// are at least as long as a.
func AndInto(dst, a, b []uint64) int {
	if len(a) >= LongRow {
		return andIntoLong(dst, a, b)
	}
	n := 0
	for i, x := range a {
		x &= b[i]
		dst[i] = x
		n += bits.OnesCount64(x)
	}
	return n
}

// data32 is where a list starts, as assembly wants it.
func data32[T ~uint32](list []T) *uint32 { return (*uint32)(unsafe.Pointer(unsafe.SliceData(list))) }
