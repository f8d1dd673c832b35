package hom_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/kernels/hom"
)

// shapes have cycles of four and tips.
var shapes = map[string][][2]int{
	"cycle":                {{0, 1}, {1, 2}, {2, 3}, {0, 3}},
	"diamond":              {{0, 1}, {1, 2}, {2, 3}, {0, 3}, {0, 2}},
	"house":                {{0, 1}, {1, 2}, {2, 3}, {0, 3}, {0, 4}, {1, 4}},
	"two roofs":            {{0, 1}, {1, 2}, {2, 3}, {0, 3}, {0, 4}, {1, 4}, {2, 5}, {3, 5}},
	"book":                 {{0, 1}, {0, 2}, {1, 2}, {0, 3}, {1, 3}, {0, 4}, {1, 4}},
	"fan":                  {{0, 1}, {0, 2}, {0, 3}, {0, 4}, {1, 2}, {2, 3}, {3, 4}},
	"cycle with tails":     {{0, 1}, {1, 2}, {2, 3}, {0, 3}, {0, 4}, {2, 5}, {3, 6}},
	"two cycles, a vertex": {{0, 1}, {1, 2}, {2, 3}, {0, 3}, {3, 4}, {4, 5}, {5, 6}, {3, 6}},
	"triangle":             {{0, 1}, {1, 2}, {0, 2}},
}

// randomGraph gives the edges of a shape sets and factors: all alike, alike but for the sets, or each as it comes.
func randomGraph(rng *rand.Rand, edges [][2]int, sets, types int) (g hom.Graph) {
	falls := [][]int{nil, {1}, {1, 1}, {2}}
	same := pattern.Factor{Undirected: rng.IntN(3) > 0, Falls: falls[rng.IntN(4)]}
	alike, set := rng.IntN(3), rng.IntN(sets)
	n := 0
	for _, e := range edges {
		f := same
		if alike == 2 {
			f = pattern.Factor{Undirected: rng.IntN(2) == 0, Falls: falls[rng.IntN(4)]}
			if rng.IntN(2) == 0 {
				f.Types = csr.TypeSet{csr.TypeID(rng.IntN(types))}
			}
		}
		f.From, f.To = e[0], e[1]
		g.Factors = append(g.Factors, f)
		n = max(n, e[0]+1, e[1]+1)
	}
	for range n {
		if alike > 0 {
			set = rng.IntN(sets)
		}
		g.Sets = append(g.Sets, set)
	}
	return g
}

// TestCycles compares ordered wedges and supports of edges with arrays on graphs of some hundred vertices, in total and by root.
func TestCycles(t *testing.T) {
	tally, compared := new(pattern.Tally), 0
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 8))
		n := 20 + rng.IntN(200)
		if seed%20 == 0 {
			n = 1500 // for two workers
		}
		s := testgraph.Random(seed, testgraph.Options{Vertices: n, Edges: n * (2 + rng.IntN(10)), Types: 2, Simple: rng.IntN(3) == 0})
		sets := []*pattern.CandidateSet{nil}
		for range 2 {
			var list []csr.VertexID
			for v := range csr.VertexID(s.N()) {
				if rng.IntN(3) > 0 {
					list = append(list, v)
				}
			}
			sets = append(sets, pattern.NewCandidateSet(s.N(), list))
		}
		for _, name := range slices.Sorted(maps.Keys(shapes)) {
			g := randomGraph(rng, shapes[name], len(sets), 2)
			root := rng.IntN(len(g.Sets))
			count := func(x int) (total string, each []string) {
				defer hom.SetGains(variants[x].cycles, variants[x].tips, seed%3 > 0)()
				h := hom.NewCounter(s)
				h.Leave(variants[x].without)
				for _, set := range sets {
					h.AddSet(set)
				}
				taken, r := h.Add(g), h.AddRooted(g, root)
				got, err := h.Count(context.Background(), &pattern.Env{Workers: 2, Tally: tally})
				if errors.Is(err, pattern.ErrOverflow) {
					return "", nil
				}
				if err != nil {
					t.Fatal(err)
				}
				if taken {
					total = got[0].String()
				}
				if r == nil {
					return total, nil
				}
				sum := pattern.Count128{}
				for v := range csr.VertexID(s.N()) {
					if set := sets[g.Sets[root]]; set != nil && !set.Has(v) {
						continue
					}
					n, err := r.At(v)
					if err == nil {
						sum, err = sum.Add(n)
					}
					if err != nil {
						return total, nil
					}
					each = append(each, n.String())
				}
				if taken && sum.String() != total {
					t.Fatalf("seed %d, %s, variant %d: the numbers add up to %v, not %v", seed, name, x, sum, total)
				}
				return total, each
			}
			want, byRoot := count(len(variants) - 1)
			for x := range variants[:len(variants)-1] {
				total, each := count(x)
				if total != "" && want != "" {
					compared++
				}
				if want != "" && total != "" && total != want || byRoot != nil && each != nil && fmt.Sprint(each) != fmt.Sprint(byRoot) {
					t.Fatalf("seed %d, %s, variant %d, %+v: %v, want %v; root %d: %v, want %v", seed, name, x, g, total, want, root, each, byRoot)
				}
			}
		}
	}
	if compared < 1500 {
		t.Errorf("%d totals compared", compared)
	}
	for _, m := range []pattern.Technique{pattern.OrderedWedges, pattern.EdgeSupports} {
		if n := tally.Taken[m].Load(); n < 300 {
			t.Errorf("%v was used %d times", m, n)
		}
	}
}

// TestCycleMutants checks that wrong rules for ties and for credits are noticed.
func TestCycleMutants(t *testing.T) {
	defer hom.SetGains(1e18, 0, false)()
	for name, change := range hom.Mutants {
		caught := 0
		for seed := range uint64(20) {
			s := testgraph.Random(seed, testgraph.Options{Vertices: 7, Edges: 14, Types: 1, Simple: true})
			count := func(mutate bool) (numbers string) {
				h := hom.NewCounter(s)
				h.AddSet(nil)
				g := cycle(4)
				h.Add(g)
				r := h.AddRooted(g, 1)
				if mutate && !hom.Mutate(h, change) {
					t.Fatal("no cycle")
				}
				total, err := h.Count(context.Background(), &pattern.Env{})
				if err != nil {
					t.Fatal(err)
				}
				for v := range csr.VertexID(s.N()) {
					n, _ := r.At(v)
					numbers += fmt.Sprint(n, " ")
				}
				return fmt.Sprint(total[0], " ", numbers)
			}
			if count(true) != count(false) {
				caught++
			}
		}
		if caught < 10 {
			t.Errorf("%s: noticed on %d of 20 graphs", name, caught)
		}
	}
}
