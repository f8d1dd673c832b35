package hom_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/hom"
)

// oneSidedCounts is the seed of a graph of which the view in one direction has counts of parallel relationships, and the other has none,
// since transactions changed it. Cycles in it once failed with an index out of range.
const oneSidedCounts = 1795437377797684703

// TestHomsDivided counts random graphs in portions: random ranges of the pivots' values, in any order, by one counter and by two that share the
// ranges. Some portions end early. The portions add up to the count of all.
func TestHomsDivided(t *testing.T) {
	first, several, early, tally := uint64(time.Now().UnixNano()), 0, 0, new(pattern.Tally)
	fans, weighted, adopted, sums := 0, 0, 0, 0
	for i := range uint64(2000) {
		seed := first + i
		if i == 0 {
			seed = oneSidedCounts
		}
		c := newHomCase(seed)
		x := variants[seed%uint64(len(variants))]
		restore := hom.SetGains(x.cycles, x.tips, seed%2 == 0)
		asked := append(c.asked, cycle(3), cycle(4), tailed(), looped()) // triangles and cycles of four are numbers of one pass
		if seed%4 == 0 {
			restoreTriangles, restoreGains := hom.PreferTriangles(), restore
			restore = func() { restoreTriangles(); restoreGains() }
		}
		if seed%3 == 0 {
			restoreGain := hom.SetCyclicGain(1e18)
			restoreGains := restore
			restore = func() { restoreGain(); restoreGains() }
			asked = append(asked, c.cyclic(), c.cyclic(), c.cyclic())
		}
		counters := []*hom.Counter{c.counter(x.without), c.counter(x.without), c.counter(x.without)}
		for _, g := range asked {
			for _, h := range counters {
				h.Add(g)
			}
		}
		all, some := hom.Fans(counters[2])
		fans, weighted = fans+all, weighted+some
		want := c.count(t, seed, counters[2], nil)
		several += len(want)
		if hom.Describe(counters[0]) != hom.Describe(counters[1]) {
			t.Fatalf("seed %d: two counters of the same graphs have other plans", seed)
		}
		if c.rng.IntN(2) == 0 {
			adopted++
			c.adopt(t, seed, counters, func(h *hom.Counter) { h.Divide(0, 0, time.Time{}) })
		}
		got := make([]pattern.Count128, len(want))
		for _, r := range randomRanges(c.rng, csr.VertexID(c.s.N())) {
			for lo := r[0]; lo < r[1]; {
				h, until := counters[c.rng.IntN(2)], time.Time{}
				if c.rng.IntN(2) == 0 {
					until = time.Now().Add(time.Duration(c.rng.IntN(20)-10) * time.Microsecond)
				}
				h.Divide(lo, r[1], until)
				for i, n := range c.count(t, seed, h, tally) {
					var err error
					if got[i], err = got[i].Add(n); err != nil {
						t.Fatal(err)
					}
				}
				if end := hom.Counted(h); end <= lo || end > r[1] {
					t.Fatalf("seed %d: the portion from %d to %d ended at %d", seed, lo, r[1], end)
				} else if lo = end; lo < r[1] {
					early++
				}
			}
		}
		sums += hom.SupportSums(counters[0])
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("seed %d, graph %d of %d: portions add up to %v, want %v", seed, i, len(want), got[i], want[i])
			}
		}
		restore()
	}
	if n := tally.Taken[pattern.CyclicKernel].Load(); several < 2000 || early < 100 || n < 1000 || fans < 100 || weighted < 20 || adopted < 500 || sums < 1000 {
		t.Errorf("only %d graphs were counted, %d portions ended early, %d cyclic graphs and %d triangles, %d of them with weights, were counted in portions; %d adopted, %d sums over supports", several,
			early, n, fans, weighted, adopted, sums)
	}
}

// adopt has the second counter use what the first one prepares. empty gives a counter a portion without values.
func (c *homCase) adopt(t *testing.T, seed uint64, counters []*hom.Counter, empty func(h *hom.Counter)) {
	t.Helper()
	empty(counters[0])
	c.count(t, seed, counters[0], nil)
	prepared := hom.PreparedBy(counters[0])
	empty(counters[1])
	if !hom.Fresh(counters[1]) || !hom.Adopt(counters[1], prepared) || hom.Fresh(counters[1]) || hom.Fresh(counters[0]) {
		t.Fatalf("seed %d: one counter does not adopt what another one of the same graphs has prepared", seed)
	}
	if other := c.counter(pattern.Techniques{}); hom.Adopt(other, prepared) {
		t.Fatalf("seed %d: a counter without graphs adopts what one with graphs has prepared", seed)
	}
}

// looped is a triangle whose vertices may be the same where they have loops.
func looped() hom.Graph {
	g := cycle(3)
	for i := range g.Factors {
		g.Factors[i].Loops = true
	}
	return g
}

// tailed is a triangle with a fourth vertex at one of its own.
func tailed() hom.Graph {
	g := cycle(3)
	g.Sets, g.Factors = append(g.Sets, 0), append(g.Factors, pattern.Factor{From: 0, To: 3, Undirected: true})
	return g
}

// cyclic returns a graph that package cyclic counts.
func (c *homCase) cyclic() hom.Graph {
	x := pattern.CyclicGraph(c.rng.IntN(int(pattern.CyclicGraphs)))
	edges, _ := x.Edges()
	g := randomGraph(c.rng, edges, len(c.sets), 2)
	for i := range g.Factors {
		f := &g.Factors[i]
		*f = pattern.Factor{From: f.From, To: f.To, Undirected: true, Types: g.Factors[0].Types}
	}
	for v := range g.Sets {
		g.Sets[v] = g.Sets[0]
	}
	return g
}

// randomRanges cuts [0, n) at random places, and shuffles the ranges.
func randomRanges(rng *rand.Rand, n csr.VertexID) (ranges [][2]csr.VertexID) {
	for lo := csr.VertexID(0); lo < n; {
		hi := lo + 1 + csr.VertexID(rng.IntN(int(n-lo)))
		ranges = append(ranges, [2]csr.VertexID{lo, hi})
		lo = hi
	}
	rng.Shuffle(len(ranges), func(i, j int) { ranges[i], ranges[j] = ranges[j], ranges[i] })
	return ranges
}
