//go:build cuda && cgo && linux

package cuda

import "testing"

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
