package hom_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/hom"
)

// pairShapes are graphs that fall into paths between two ends once what hangs on an edge or on a vertex is a weight.
var pairShapes = [][][2]int{
	{{0, 1}, {1, 2}, {0, 2}, {2, 3}},
	{{0, 1}, {1, 2}, {2, 3}, {0, 3}, {0, 2}},
	{{0, 1}, {1, 2}, {2, 3}, {0, 3}, {0, 4}, {1, 4}},
	{{0, 1}, {0, 2}, {1, 2}, {0, 3}, {1, 3}, {0, 4}, {1, 4}},
	{{0, 1}, {1, 2}, {0, 2}, {2, 3}, {3, 4}, {2, 4}},
	{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {0, 4}, {1, 3}},
	{{0, 1}, {0, 2}, {0, 3}, {1, 4}, {2, 4}, {3, 4}},
	{{0, 1}, {1, 2}, {0, 2}, {2, 3}, {3, 4}, {0, 4}},
}

// pairNumbers counts g by the values of two vertices, in one call or in parts.
func (c *homCase) pairNumbers(t *testing.T, g hom.Graph, ends [2]int, env *pattern.Env) (found map[[2]csr.VertexID]uint64, ok bool) {
	t.Helper()
	h := c.counter(env.Without)
	if !h.AddPairs(g, ends[0], ends[1], 1) {
		return nil, false
	}
	var firsts []csr.VertexID
	for v := range csr.VertexID(c.s.N()) {
		if set := c.sets[g.Sets[ends[0]]]; set == nil || set.Has(v) {
			firsts = append(firsts, v)
		}
	}
	var mu sync.Mutex
	found, env.Memory = map[[2]csr.VertexID]uint64{}, new(pattern.Memory)
	for parts := c.rng.IntN(2) == 0; ; {
		if parts {
			hom.DividePairs(h, time.Now().Add(time.Duration(c.rng.IntN(20)-10)*time.Microsecond))
		}
		err := h.EachPair(context.Background(), env, firsts, func(_ int, v csr.VertexID, seconds []csr.VertexID, numbers []uint64) error {
			mu.Lock()
			defer mu.Unlock()
			for _, w := range seconds {
				if n := numbers[w]; n > 0 {
					found[[2]csr.VertexID{v, w}] += n
				}
			}
			return nil
		})
		if err != nil || env.Memory.Used() != 0 {
			t.Fatal(err, env.Memory.Used())
		}
		if !parts {
			return found, true
		}
		if firsts = firsts[hom.PairsDone(h):]; len(firsts) == 0 {
			return found, true
		}
	}
}

// TestAddPairs compares numbers by the values of two vertices with brute force. They add up to the total.
func TestAddPairs(t *testing.T) {
	added, tally := 0, new(pattern.Tally)
	for seed := range uint64(600) {
		c := newHomCase(seed)
		rng := rand.New(rand.NewPCG(seed, 9))
		g := c.asked[0]
		if seed%3 > 0 {
			g = randomGraph(rng, pairShapes[rng.IntN(len(pairShapes))], len(c.sets), 2)
		}
		ends := [2]int{rng.IntN(len(g.Sets)), rng.IntN(len(g.Sets))}
		env := &pattern.Env{Workers: 1 + rng.IntN(2), Tally: tally}
		if seed%5 == 0 {
			env.Without = env.Without.With(pattern.EdgeSupports)
		}
		found, ok := c.pairNumbers(t, g, ends, env)
		if !ok {
			continue
		}
		added++
		total := pattern.Count128{}
		for v := range csr.VertexID(c.s.N()) {
			for w := range csr.VertexID(c.s.N()) {
				sets := slices.Clone(c.sets)
				one := hom.Graph{Sets: slices.Clone(g.Sets), Factors: g.Factors}
				some := ends[0] != ends[1] || v == w
				for k, u := range []csr.VertexID{v, w} {
					of := c.sets[g.Sets[ends[k]]]
					some = some && (of == nil || of.Has(u))
					sets = append(sets, pattern.NewCandidateSet(c.s.N(), []csr.VertexID{u}))
					one.Sets[ends[k]] = len(sets) - 1
				}
				want := pattern.Count128{}
				if some {
					want = bruteHoms(t, c.s, sets, one)
				}
				if got := pattern.Count(found[[2]csr.VertexID{v, w}]); got != want && some {
					t.Fatalf("seed %d, ends %v of %+v at %d, %d: %v, want %v", seed, ends, g, v, w, got, want)
				}
				total, _ = total.Add(want)
			}
		}
		if all := bruteHoms(t, c.s, c.sets, g); all != total {
			t.Fatalf("seed %d: the numbers add up to %v, not to %v", seed, total, all)
		}
	}
	if n := tally.Taken[pattern.EdgeSupports].Load(); added < 300 || n < 50 {
		t.Errorf("%d graphs were taken on, %d lists had supports", added, n)
	}
}
