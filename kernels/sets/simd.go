package sets

import (
	"math/bits"
	"unsafe"
)

// AND and popcount of bitmaps. Input: rows of at least as many words as the first. What makes them fast: assembly, where the processor
// and the operating system have AVX-512 (with VPOPCNTDQ) or AVX2. The generator in _generate, a module of its own, writes
// asm_amd64.s. Each function there has a twin in Go in simd_twins.go. Other processors and builds with the tag noasm run the
// twins, and tests compare the two.
//
// The compiler inlines none of the functions on bitmaps, and a call of assembly takes about 4 ns before the first word. A caller
// with rows of a few words uses a loop of its own, and chooses between loop and call outside of its loops. In ns
// (BenchmarkAnd): 4 words 4.5 in a plain loop and 6 by a call; 8 words 7 and 6; 16 words 12 and 6; 64 words 45 and 10; 1024
// words 700 and 81 (AVX2: 8, 20 and 268 for the last three).

//go:generate go -C _generate run . -pkg sets -out ../asm_amd64.s -stubs ../asm_amd64.go

// simdLevel is a set of vector instructions; each includes those before it.
type simdLevel uint8

const (
	simdNone simdLevel = iota
	simdAVX2
	simdAVX512
)

// simd is the level of this machine. EachLevel lowers it.
var simd = detectSIMD()

// EachLevel calls f once for every set of vector instructions of this machine, from none on, with that set in use. Tests of callers
// need it. Nothing else may use this package meanwhile.
func EachLevel(f func(level int)) {
	most := simd
	defer func() { simd = most }()
	for level := simdNone; level <= most; level++ {
		simd = level
		f(int(level))
	}
}

// LongRow is the number of words from which AndCount and AndInto beat a loop at the caller.
const LongRow = 8

// AndCount returns how many bits a AND b has. b must be at least as long as a.
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

// AndInto writes a AND b to the front of dst, which may be a or b, and returns how many bits it has. b and dst must be at least as
// long as a.
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

// data32 returns a pointer to the first value of list, for assembly.
func data32[T ~uint32](list []T) *uint32 { return (*uint32)(unsafe.Pointer(unsafe.SliceData(list))) }
