package hom_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/kernels/hom"
)

// bruteHoms goes through all assignments.
func bruteHoms(t *testing.T, s *csr.Snapshot, sets []*pattern.CandidateSet, g hom.Graph) pattern.Count128 {
	t.Helper()
	total, match := pattern.Count128{}, make([]csr.VertexID, len(g.Sets))
	var place func(v int, weight uint64)
	place = func(v int, weight uint64) {
		if v == len(match) {
			var err error
			if total, err = total.Add(pattern.Count(weight)); err != nil {
				t.Fatal(err)
			}
			return
		}
		for match[v] = 0; uint64(match[v]) < s.N(); match[v]++ {
			x := weight
			if c := sets[g.Sets[v]]; c != nil && !c.Has(match[v]) {
				continue
			}
			for i := range g.Factors {
				f := &g.Factors[i]
				if max(f.From, f.To) != v {
					continue
				}
				a, b, dir := match[f.From], match[f.To], csr.Out
				if f.Undirected {
					dir = csr.Both
				}
				m := uint64(len(s.Relationships(nil, a, b, f.Types, dir)))
				if f.From != f.To && a == b && !f.Loops {
					m = 0
				}
				w, err := f.Weight(m)
				if err != nil {
					t.Fatal(err)
				}
				x *= w
			}
			if x > 0 {
				place(v+1, x)
			}
		}
	}
	place(0, 1)
	return total
}

// homCase is a random graph of data with sets, and graphs to count.
type homCase struct {
	s     *csr.Snapshot
	sets  []*pattern.CandidateSet
	asked []hom.Graph
	rng   *rand.Rand
}

func newHomCase(seed uint64) *homCase {
	rng := rand.New(rand.NewPCG(seed, 3))
	c := &homCase{rng: rng, sets: []*pattern.CandidateSet{nil}}
	c.s = testgraph.Random(seed, testgraph.Options{Vertices: 1 + rng.IntN(6), Edges: rng.IntN(14), Types: 2, Simple: rng.IntN(3) == 0})
	for range 2 {
		var list []csr.VertexID
		for v := range csr.VertexID(c.s.N()) {
			if rng.IntN(4) > 0 {
				list = append(list, v)
			}
		}
		c.sets = append(c.sets, pattern.NewCandidateSet(c.s.N(), list))
	}
	for range 1 + rng.IntN(4) {
		var g hom.Graph
		g.Sets, g.Factors = testgraph.HomGraph(rng, len(c.sets), 2)
		c.asked = append(c.asked, g)
	}
	return c
}

func (c *homCase) counter(without pattern.Techniques) *hom.Counter {
	h := hom.NewCounter(c.s)
	h.Leave(without)
	for _, set := range c.sets {
		h.AddSet(set)
	}
	return h
}

// variants are the gains of ordered wedges and of supports, and what is switched off.
var variants = []struct {
	cycles, tips float64
	without      pattern.Techniques
}{
	{1, 1, pattern.Techniques{}},
	{1e18, 0, pattern.Techniques{}},
	{0, 1e18, pattern.Techniques{}},
	{1e18, 1e18, pattern.Techniques{}},
	{1e18, 1e18, pattern.Techniques{}.With(pattern.OrderedWedges).With(pattern.EdgeSupports)},
}

// count counts and checks that the memory is given back.
func (c *homCase) count(t *testing.T, seed uint64, h *hom.Counter, tally *pattern.Tally) []pattern.Count128 {
	t.Helper()
	memory := new(pattern.Memory)
	got, err := h.Count(context.Background(), &pattern.Env{Workers: 1 + c.rng.IntN(2), Memory: memory, Tally: tally})
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	if memory.Used() != 0 {
		t.Fatalf("seed %d: %d bytes not given back", seed, memory.Used())
	}
	return got
}

func TestHoms(t *testing.T) { compareHoms(t) }

// TestHomsShared is TestHoms with several workers for every list.
func TestHomsShared(t *testing.T) {
	hom.ShareAll(t)
	compareHoms(t)
}

// compareHoms compares random counts with brute force.
func compareHoms(t *testing.T) {
	t.Helper()
	added, tally := 0, new(pattern.Tally)
	for seed := range uint64(1500) {
		c := newHomCase(seed)
		x := variants[seed%uint64(len(variants))]
		restore := hom.SetGains(x.cycles, x.tips, seed%2 == 0)
		h := c.counter(x.without)
		var want []pattern.Count128
		for _, g := range c.asked {
			if h.Add(g) {
				want = append(want, bruteHoms(t, c.s, c.sets, g))
			}
		}
		got := c.count(t, seed, h, tally)
		restore()
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("seed %d, graph %d of %d: %v, want %v", seed, i, len(want), got[i], want[i])
			}
		}
		added += len(want)
	}
	if added < 2500 {
		t.Errorf("only %d graphs were taken on", added)
	}
	for _, m := range []pattern.Technique{pattern.OrderedWedges, pattern.EdgeSupports} {
		if n := tally.Taken[m].Load(); n < 100 {
			t.Errorf("%v was used %d times", m, n)
		}
	}
}

// TestHomsSharedLimits has memory, the context and a count that does not fit end work that workers share.
func TestHomsSharedLimits(t *testing.T) {
	s := testgraph.Graph(1<<11, testgraph.ER(1<<11, 1<<17, 3), true)
	edge := hom.Graph{Sets: []int{0, 0}, Factors: []pattern.Factor{{From: 0, To: 1, Undirected: true}}}
	wedge := hom.Graph{Sets: []int{0, 0, 0}, Factors: []pattern.Factor{{From: 0, To: 1, Undirected: true}, {From: 0, To: 2, Undirected: true}}}
	count := func(ctx context.Context, g hom.Graph, from csr.VertexID, limit int64) (pattern.Count128, error) {
		h := hom.NewCounter(s)
		var list []csr.VertexID
		for v := from; uint64(v) < s.N(); v++ {
			list = append(list, v)
		}
		h.AddSet(pattern.NewCandidateSet(s.N(), list))
		if !h.Add(g) {
			t.Fatal("not taken on")
		}
		memory := &pattern.Memory{Limit: limit}
		got, err := h.Count(ctx, &pattern.Env{Workers: 4, Memory: memory})
		if memory.Used() != 0 {
			t.Errorf("%d bytes not given back", memory.Used())
		}
		if err != nil {
			return pattern.Count128{}, err
		}
		return got[0], nil
	}
	if n, err := count(context.Background(), edge, 0, 0); err != nil || n != pattern.Count(2*s.M()) {
		t.Errorf("%v %v", n, err)
	}
	if _, err := count(context.Background(), wedge, 1, 100_000); !errors.Is(err, pattern.ErrMemory) { // two parts read the lists, so they are kept
		t.Errorf("with little memory: %v", err)
	}
	if n, err := count(context.Background(), edge, 1, 100_000); err != nil || n != pattern.Count(2*(s.M()-uint64(s.Adjacency(nil, csr.Both).Degree(0)))) {
		t.Errorf("lists that nobody keeps: %v %v", n, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, g := range []hom.Graph{edge, wedge} {
		if _, err := count(ctx, g, 1, 0); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
	}
}

// TestRooted compares numbers by the value of a vertex with brute force. They add up to the total.
func TestRooted(t *testing.T) {
	added, tally := 0, new(pattern.Tally)
	for seed := range uint64(1500) {
		c := newHomCase(seed)
		x := variants[seed%uint64(len(variants))]
		restore := hom.SetGains(x.cycles, x.tips, seed%2 == 0)
		h := c.counter(x.without)
		g := c.asked[0]
		root := c.rng.IntN(len(g.Sets))
		r := h.AddRooted(g, root)
		if r == nil {
			restore()
			continue
		}
		c.count(t, seed, h, tally)
		restore()
		added++
		of := g.Sets[root]
		for v := range csr.VertexID(c.s.N()) {
			sets := slices.Clone(c.sets)
			sets = append(sets, pattern.NewCandidateSet(c.s.N(), []csr.VertexID{v}))
			want, one := pattern.Count128{}, hom.Graph{Sets: slices.Clone(g.Sets), Factors: g.Factors}
			if one.Sets[root] = len(sets) - 1; sets[of] == nil || sets[of].Has(v) {
				want = bruteHoms(t, c.s, sets, one)
			}
			got, err := r.At(v)
			if err != nil || got != want && (sets[of] == nil || sets[of].Has(v)) {
				t.Fatalf("seed %d, variant %d, root %d of %+v at %d: %v, want %v, %v", seed, seed%5, root, g, v, got, want, err)
			}
		}
	}
	if added < 900 {
		t.Errorf("only %d graphs were taken on", added)
	}
	for _, m := range []pattern.Technique{pattern.OrderedWedges, pattern.EdgeSupports} {
		if n := tally.Taken[m].Load(); n < 30 {
			t.Errorf("%v was used %d times", m, n)
		}
	}
}

// cycle is one of k vertices.
func cycle(k int) (g hom.Graph) {
	for v := range k {
		g.Sets = append(g.Sets, 0)
		g.Factors = append(g.Factors, pattern.Factor{From: v, To: (v + 1) % k, Undirected: true})
	}
	return g
}

func TestHomsLimits(t *testing.T) {
	s := testgraph.Graph(1<<11, testgraph.ER(1<<11, 1<<17, 3), true)
	homs := func(g hom.Graph) *hom.Counter {
		h := hom.NewCounter(s)
		h.AddSet(nil)
		if !h.Add(g) {
			t.Fatal("not taken on")
		}
		return h
	}
	if _, err := homs(cycle(4)).Count(context.Background(), &pattern.Env{Memory: &pattern.Memory{Limit: 100}}); !errors.Is(err, pattern.ErrMemory) {
		t.Errorf("with little memory: %v", err)
	}
	if _, err := homs(cycle(21)).Count(context.Background(), &pattern.Env{}); !errors.Is(err, pattern.ErrOverflow) { // 128^21
		t.Errorf("a number that does not fit: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := homs(cycle(5)).Count(ctx, &pattern.Env{Workers: 2}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	ctx, cancel = context.WithCancel(context.Background())
	defer cancel()
	time.AfterFunc(20*time.Millisecond, cancel)
	if _, err := homs(cycle(9)).Count(ctx, &pattern.Env{Workers: 2}); !errors.Is(err, context.Canceled) { // that would take seconds
		t.Errorf("cancelled on the way: %v", err)
	}
	k5 := cycle(5)
	for v := range 5 {
		k5.Factors = append(k5.Factors, pattern.Factor{From: v, To: (v + 2) % 5, Undirected: true})
	}
	if h := hom.NewCounter(s); h.AddSet(nil) != 0 || h.Add(k5) {
		t.Error("a complete graph of five vertices was taken on")
	}
}
