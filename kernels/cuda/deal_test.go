//go:build cuda && cgo && linux

package cuda

import (
	"cmp"
	"slices"
	"testing"
)

// Every item is in one part, and parts know how many they have.
func TestParts(t *testing.T) {
	for of := 1; of <= 9; of++ {
		for first := range 12 {
			for last := first; last < first+20; last++ {
				in := make([]int, last)
				for at := range of {
					p, n := part{at, of}, 0
					for i := p.from(first); i < last; i += of {
						in[i]++
						n++
					}
					if p.count(p.from(first), last) != n {
						t.Fatalf("%v has %d of [%d, %d), not %d", p, n, first, last, p.count(p.from(first), last))
					}
				}
				for i := first; i < last; i++ {
					if in[i] != 1 {
						t.Fatalf("item %d is in %d of %d parts", i, in[i], of)
					}
				}
			}
		}
	}
}

// Roots come by falling out-degree, equal ones in their order.
func TestByDegree(t *testing.T) {
	r := seeds(t)
	for range 200 {
		offsets := make([]uint64, 1+r.IntN(40))
		for i := range offsets[1:] {
			offsets[i+1] = offsets[i] + uint64(r.IntN(1+r.IntN(9)))
		}
		want := make([]uint32, len(offsets)-1)
		for i := range want {
			want[i] = uint32(i)
		}
		degree := func(r uint32) uint32 { return uint32(offsets[r+1] - offsets[r]) }
		slices.SortStableFunc(want, func(a, b uint32) int { return cmp.Compare(degree(b), degree(a)) })
		roots, least := byDegree(offsets)
		g := &oriented{least: least}
		if !slices.Equal(roots, want) {
			t.Fatalf("offsets %v: roots %v, want %v", offsets, roots, want)
		}
		for i, r := range roots {
			if d := int(degree(r)); g.degree(i) != d || g.atLeast(d) <= i || g.atLeast(d+1) > i || g.most() != int(degree(roots[0])) {
				t.Fatalf("offsets %v: roots %v, by degree %v", offsets, roots, least)
			}
		}
	}
}
