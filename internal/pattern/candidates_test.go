package pattern_test

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// setOf is what a candidate set must hold.
type setOf map[csr.VertexID]bool

func (want setOf) check(t *testing.T, c *pattern.CandidateSet, n csr.VertexID) {
	t.Helper()
	if c.Len() != len(want) {
		t.Fatalf("%d candidates, want %d", c.Len(), len(want))
	}
	for v := range n {
		if c.Has(v) != want[v] {
			t.Fatalf("Has(%d) is %v", v, c.Has(v))
		}
	}
	if len(c.List()) != len(want) || !slices.IsSorted(c.List()) {
		t.Fatalf("the list is %v, want %v", c.List(), want)
	}
	for _, v := range c.List() {
		if !want[v] || c.Bits()[v>>6]>>(v&63)&1 == 0 {
			t.Fatalf("%d is in the list", v)
		}
	}
}

// Sets that make their lists and bitmaps late hold the same vertices as others, also for several readers at once.
func TestLateCandidateSets(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		n := csr.VertexID(1 + r.IntN(20_000))
		want, list := setOf{}, []csr.VertexID(nil)
		for range r.IntN(100) {
			want[csr.VertexID(r.IntN(int(n)))] = true
		}
		var ranges []csr.Range
		for v := range n {
			if !want[v] {
				continue
			}
			if list = append(list, v); len(list) > 1 && list[len(list)-2] == v-1 {
				ranges[len(ranges)-1].Hi++
			} else {
				ranges = append(ranges, csr.Range{Lo: v, Hi: v + 1})
			}
		}
		made := 0
		for _, c := range []*pattern.CandidateSet{
			pattern.NewCandidateSet(uint64(n), slices.Clone(list)),
			pattern.LateCandidateSet(uint64(n), ranges, func(v csr.VertexID) bool { return want[v] }, func() func() {
				made++
				return func() {}
			}),
		} {
			if most := r.IntN(120); !slices.Equal(c.First(most), list[:min(most, len(list))]) {
				t.Fatalf("seed %d: others among the first %d", seed, most)
			}
			for i, v := range list {
				if c.At(i) != v {
					t.Fatalf("seed %d: candidate %d is %d, want %d", seed, i, c.At(i), v)
				}
			}
			var group sync.WaitGroup
			for i := range 3 {
				group.Go(func() {
					for v := csr.VertexID(i); v < n; v += 2 {
						if c.Has(v) != want[v] {
							t.Errorf("Has(%d) is %v", v, !want[v])
						}
					}
				})
			}
			group.Wait()
			want.check(t, c, n)
			if c.Sparse() {
				t.Fatal("a set with a bitmap is sparse")
			}
		}
		if made != 1 {
			t.Fatalf("the list was made %d times", made)
		}
		c, half := pattern.NewCandidateSet(uint64(n), list), setOf{}
		if r.IntN(2) == 0 {
			c.Bits()
		}
		c.Retain(slices.DeleteFunc(slices.Clone(list), func(v csr.VertexID) bool { return v%2 == 0 }))
		for v := range want {
			if v%2 == 1 {
				half[v] = true
			}
		}
		half.check(t, c, n)
	}
}
