package sets

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// atEveryLevel runs f with each set of vector instructions that this machine has.
func atEveryLevel(t *testing.T, f func(t *testing.T)) {
	EachLevel(func(level int) { t.Run(fmt.Sprintf("level=%d", level), f) })
}

const guard = 0xfeed_face_dead_beef

// fenced is n words at an odd place, and the whole that they lie in.
func fenced(rng *rand.Rand, n int) (whole, words []uint64) {
	whole = slices.Repeat([]uint64{guard}, n+40)
	at := 1 + rng.IntN(16)
	words = whole[at : at+n : at+n]
	density := rng.IntN(4)
	for i := range words {
		words[i] = rng.Uint64()
		switch density {
		case 0:
			words[i] = 0
		case 1:
			words[i] &= rng.Uint64() & rng.Uint64()
		case 2:
			words[i] = math.MaxUint64
		}
	}
	return whole, words
}

func TestAndRandom(t *testing.T) {
	atEveryLevel(t, func(t *testing.T) {
		const seed = 71
		rng := rand.New(rand.NewPCG(seed, 0))
		for round := range 4000 {
			n := round % 150
			if round > 3900 {
				n = rng.IntN(5000)
			}
			_, a := fenced(rng, n)
			_, b := fenced(rng, n+rng.IntN(3))
			whole, dst := fenced(rng, n)
			if got, want := AndCount(a, b), andCountTwin(a, b); got != want {
				t.Fatalf("seed %d round %d: AndCount of %d words: %d, want %d", seed, round, n, got, want)
			}
			want := make([]uint64, n)
			count := andIntoTwin(want, a, b)
			check := func(what string, got int, dst []uint64) {
				if got != count || !slices.Equal(dst, want) {
					t.Fatalf("seed %d round %d: %s of %d words: %d, want %d", seed, round, what, n, got, count)
				}
			}
			check("AndInto", AndInto(dst, a, b), dst)
			guards := 0
			for _, w := range whole {
				if w == guard {
					guards++
				}
			}
			if guards < 40 {
				t.Fatalf("seed %d round %d: AndInto of %d words wrote outside: %x", seed, round, n, whole)
			}
			x := slices.Clone(a)
			check("AndInto in place of a", AndInto(x, x, b), x)
			x = slices.Clone(b)
			check("AndInto in place of b", AndInto(x, a, x), x[:n])
		}
	})
}

// risingList is a rising list of about n values that lies between values that would go on with it.
func risingList(rng *rand.Rand, n int, lo, span uint64) []uint32 {
	in := map[uint32]bool{}
	for range n {
		in[uint32(lo+rng.Uint64N(span))] = true
	}
	list := make([]uint32, 0, n)
	for v := range in {
		list = append(list, v)
	}
	slices.Sort(list)
	return list
}

// bedded is a copy of list at an odd place among guards.
func bedded(rng *rand.Rand, list []uint32, after []uint32) (whole, copied []uint32) {
	at := 1 + rng.IntN(20)
	whole = slices.Repeat([]uint32{0xdeadbeef}, at)
	whole = append(append(whole, list...), after...)
	whole = append(whole, slices.Repeat([]uint32{0xdeadbeef}, 40)...)
	return whole, whole[at : at+len(list) : at+len(list)]
}

// naiveCommon is what two lists have in common.
func naiveCommon(a, b []uint32) []uint32 {
	in := map[uint32]bool{}
	for _, v := range b {
		in[v] = true
	}
	return slices.DeleteFunc(slices.Clone(a), func(v uint32) bool { return !in[v] })
}

// TestBlocksRandom compares the intersections by blocks, and those that choose a way, with a naive one.
func TestBlocksRandom(t *testing.T) {
	atEveryLevel(t, func(t *testing.T) {
		const seed = 72
		rng := rand.New(rand.NewPCG(seed, 0))
		for round := range 6000 {
			a, b := pairOfLists(rng, round)
			want := naiveCommon(a, b)
			// What follows each list in memory would be matches if it were read.
			_, a = bedded(rng, a, []uint32{math.MaxUint32})
			_, b = bedded(rng, b, []uint32{math.MaxUint32})
			if len(want) > 0 && want[len(want)-1] == math.MaxUint32 {
				_, b = bedded(rng, b, nil)
			}
			for name, count := range map[string]func(a, b []uint32) int{
				"blockCount": blockCount[uint32], "IntersectCount": IntersectCount[uint32], "gallopCount": gallopCount[uint32],
			} {
				if got := count(a, b); got != len(want) {
					t.Fatalf("seed %d round %d: %s of %v and %v: %d, want %d", seed, round, name, a, b, got, len(want))
				}
			}
			testInto(t, fmt.Sprintf("seed %d round %d", seed, round), rng, a, b, want)
		}
	})
}

// pairOfLists is two lists: usually random; else equal, apart, one above the other, or one of them short.
func pairOfLists(rng *rand.Rand, round int) (a, b []uint32) {
	lo := []uint64{0, 1 << 31, 1<<31 - 50, 1<<32 - 1000}[rng.IntN(4)]
	span := uint64([]int{20, 100, 1000}[rng.IntN(3)])
	a, b = risingList(rng, rng.IntN(200), lo, span), risingList(rng, rng.IntN(200), lo, span)
	switch round % 8 {
	case 0:
		b = slices.Clone(a)
	case 1:
		b = nil
	case 2:
		a, b = risingList(rng, rng.IntN(70), 0, 1000), risingList(rng, rng.IntN(70), 1<<31, 1000)
	case 3:
		a = risingList(rng, 1+rng.IntN(9), lo, span)
	}
	if rng.IntN(2) == 0 {
		a, b = b, a
	}
	return a, b
}

func testInto(t *testing.T, where string, rng *rand.Rand, a, b, want []uint32) {
	t.Helper()
	short := min(len(a), len(b))
	for name, into := range map[string]func(dst, a, b []uint32) int{
		"blockInto":  blockInto[uint32],
		"gallopInto": gallopInto[uint32],
		"Intersect":  func(dst, a, b []uint32) int { return len(Intersect(dst[:0], a, b)) },
	} {
		whole, dst := bedded(rng, make([]uint32, short), nil)
		if n := into(dst, a, b); !slices.Equal(dst[:n], want) {
			t.Fatalf("%s: %s of %v and %v: %v, want %v", where, name, a, b, dst[:n], want)
		}
		fences := 0
		for _, w := range whole {
			if w == 0xdeadbeef {
				fences++
			}
		}
		if fences != len(whole)-short {
			t.Fatalf("%s: %s of %v and %v wrote outside: %x", where, name, a, b, whole)
		}
		whole, x := bedded(rng, a, []uint32{7})
		if n := into(x, x, b); !slices.Equal(x[:n], want) || whole[len(whole)-41] != 7 {
			t.Fatalf("%s: %s of %v and %v in place of the first: %v, want %v", where, name, a, b, x[:n], want)
		}
		whole, x = bedded(rng, b, []uint32{7})
		if n := into(x, a, x); !slices.Equal(x[:n], want) || whole[len(whole)-41] != 7 {
			t.Fatalf("%s: %s of %v and %v in place of the second: %v, want %v", where, name, a, b, x[:n], want)
		}
	}
}

func TestMarkedRandom(t *testing.T) {
	atEveryLevel(t, func(t *testing.T) {
		const seed = 73
		rng := rand.New(rand.NewPCG(seed, 0))
		for round := range 3000 {
			lo := []uint64{0, 64, 1 << 31, 1<<31 - 64, 1<<32 - 1024}[rng.IntN(5)]
			_, list := bedded(rng, risingList(rng, rng.IntN(120), lo, 1000), []uint32{uint32(lo), uint32(lo) + 1})
			whole, bitmap := fenced(rng, 16)
			want := slices.DeleteFunc(slices.Clone(list), func(v uint32) bool {
				v -= uint32(lo)
				return bitmap[v/64]>>(v%64)&1 == 0
			})
			before := slices.Clone(whole)
			if n := CountMarked(list, bitmap, uint32(lo)); n != len(want) {
				t.Fatalf("seed %d round %d: CountMarked of %v: %d, want %d", seed, round, list, n, len(want))
			}
			got := FilterMarked([]uint32{5}, list, bitmap, uint32(lo))
			if !slices.Equal(got[1:], want) || got[0] != 5 || !slices.Equal(whole, before) {
				t.Fatalf("seed %d round %d: FilterMarked of %v: %v, want %v", seed, round, list, got, want)
			}
			for i := range list {
				list[i] -= uint32(lo)
			}
			outer, places := bedded(rng, make([]uint32, len(list)), []uint32{7})
			there := make([]uint32, 0, len(list))
			for _, p := range PlacesMarked(places, list, bitmap) {
				there = append(there, list[p]+uint32(lo))
			}
			if !slices.Equal(there, want) || outer[len(outer)-41] != 7 {
				t.Fatalf("seed %d round %d: placesMarked of %v: those of %v, want %v", seed, round, list, there, want)
			}
			for i := range list {
				list[i] += uint32(lo)
			}
			outer, x := bedded(rng, list, []uint32{7})
			if got := FilterMarked(x[:0], x, bitmap, uint32(lo)); !slices.Equal(got, want) || outer[len(outer)-41] != 7 {
				t.Fatalf("seed %d round %d: FilterMarked of %v in place: %v, want %v", seed, round, list, got, want)
			}
		}
	})
}
