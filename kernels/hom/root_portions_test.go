package hom_test

import (
	"testing"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/hom"
)

// TestRootsDivided counts random rooted graphs in portions: random ranges of the roots' values, in any order, some of them twice, by one counter
// and by two that share the ranges. Some portions end early. Every value has the number that a counter of all values gives it.
func TestRootsDivided(t *testing.T) {
	first, added, early, tally := uint64(time.Now().UnixNano()), 0, 0, new(pattern.Tally)
	rounds := 2000
	if testing.Short() {
		rounds = 500
	}
	for i := range uint64(rounds) {
		seed := first + i
		c := newHomCase(seed)
		x := variants[seed%uint64(len(variants))]
		restore := hom.SetGains(x.cycles, x.tips, seed%2 == 0)
		counters := []*hom.Counter{c.counter(x.without), c.counter(x.without), c.counter(x.without)}
		roots := make([][]*hom.Rooted, len(counters))
		for _, g := range append(c.asked, cycle(3), cycle(3), cycle(4), cycle(5)) {
			root := c.rng.IntN(len(g.Sets))
			for k, h := range counters {
				if r := h.AddRooted(g, root); r != nil {
					roots[k] = append(roots[k], r)
				}
			}
		}
		whole := len(counters) - 1
		c.count(t, seed, counters[whole], nil)
		added += len(roots[whole])
		if c.rng.IntN(2) == 0 {
			c.adopt(t, seed, counters, func(h *hom.Counter) { hom.DivideRoots(h, 0, 0, time.Time{}) })
		}
		ranges := randomRanges(c.rng, csr.VertexID(c.s.N()))
		for _, r := range append(ranges, ranges[0]) {
			for lo := r[0]; lo < r[1]; {
				k, until := c.rng.IntN(2), time.Time{}
				if c.rng.IntN(2) == 0 {
					until = time.Now().Add(time.Duration(c.rng.IntN(20)-10) * time.Microsecond)
				}
				h := counters[k]
				if c.rng.IntN(4) == 0 {
					hom.DivideRoots(h, 0, 0, until)
					c.count(t, seed, h, tally)
				}
				hom.DivideRoots(h, lo, r[1], until)
				c.count(t, seed, h, tally)
				end := hom.Counted(h)
				if end <= lo || end > r[1] {
					t.Fatalf("seed %d: the portion from %d to %d ended at %d", seed, lo, r[1], end)
				}
				for v := lo; v < end; v++ {
					for j, r := range roots[k] {
						want, _ := roots[whole][j].At(v)
						if got, err := r.At(v); got != want || err != nil {
							t.Fatalf("seed %d, root %d of %d at %d: %v, want %v, %v", seed, j, len(roots[k]), v, got, want, err)
						}
					}
				}
				if lo = end; lo < r[1] {
					early++
				}
			}
		}
		restore()
	}
	if n := tally.Taken[pattern.OrderedWedges].Load(); added < 3*rounds || early < rounds/20 || n < uint64(rounds/20) {
		t.Errorf("only %d graphs were counted, %d portions ended early, cycles were counted by ordered wedges %d times", added, early, n)
	}
}
