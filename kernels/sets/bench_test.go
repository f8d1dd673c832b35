package sets

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// BenchmarkAnd counts the common bits of two bitmaps that stay in the cache, by each set of instructions.
func BenchmarkAnd(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	most := simd
	defer func() { simd = most }()
	for _, n := range []int{2, 4, 8, 12, 16, 64, 128, 1024, 16384} {
		x, y, z := make([]uint64, n), make([]uint64, n), make([]uint64, n)
		for i := range x {
			x[i], y[i] = rng.Uint64(), rng.Uint64()
		}
		sum := 0
		b.Run(fmt.Sprintf("words=%d/loop", n), func(b *testing.B) {
			for range b.N {
				sum += andCountTwin(x, y)
			}
		})
		for level := simdNone; level <= most; level++ {
			simd = level
			b.Run(fmt.Sprintf("words=%d/count/level=%d", n, level), func(b *testing.B) {
				for range b.N {
					sum += AndCount(x, y)
				}
			})
			b.Run(fmt.Sprintf("words=%d/into/level=%d", n, level), func(b *testing.B) {
				for range b.N {
					sum += AndInto(z, x, y)
				}
			})
		}
		if sum < 0 {
			b.Fatal(sum)
		}
	}
}

// BenchmarkIntersection intersects random lists, about one in ten of whose values match, in each way.
func BenchmarkIntersection(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	most := simd
	defer func() { simd = most }()
	for _, size := range [][2]int{
		{4, 4}, {8, 8}, {16, 16}, {32, 32}, {64, 64}, {1000, 1000}, {8, 16}, {4, 32}, {8, 64}, {32, 128}, {32, 512}, {32, 2048}, {4, 128},
		{1000, 4000}, {1000, 10000}, {1000, 32000}, {50, 10000}, {10, 20000},
	} {
		var as, bs [64][]uint32
		for i := range as {
			as[i], bs[i] = risingList(rng, size[0], 0, uint64(10*size[1])), risingList(rng, size[1], 0, uint64(10*size[1]))
		}
		dst := make([]uint32, size[0])
		bitmap := make([]uint64, 10*size[1]/64+1)
		for _, way := range []struct {
			name  string
			level simdLevel
			count func(a, b []uint32) int
		}{
			{"merge", 0, mergeCount[uint32]},
			{"avx2", simdAVX2, blockCount[uint32]},
			{"avx512", simdAVX512, blockCount[uint32]},
			{"gallop", 0, gallopCount[uint32]},
			{"gallop512", simdAVX512, gallopCount[uint32]},
			{"chosen", most, IntersectCount[uint32]},
			{"chosenInto", most, func(a, b []uint32) int { return len(Intersect(dst[:0], a, b)) }},
			{"marked", most, func(a, b []uint32) int { return CountMarked(b, bitmap, 0) }},
			{"markedTwin", 0, func(a, b []uint32) int { return countMarkedTwin(b, bitmap, 0) }},
			{"filter", most, func(a, b []uint32) int { return len(FilterMarked(dst[:0], a, bitmap, 0)) }},
			{"filterTwin", 0, func(a, b []uint32) int { return filterMarkedTwin(dst, a, bitmap, 0) }},
		} {
			if simd = way.level; simd > most {
				continue
			}
			b.Run(fmt.Sprintf("%dx%d/%s", size[0], size[1], way.name), func(b *testing.B) {
				sum := 0
				for i := range b.N {
					sum += way.count(as[i%64], bs[i%64])
				}
				if sum < 0 {
					b.Fatal(sum)
				}
			})
		}
	}
}
