//go:build cuda && cgo && linux

package cuda

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/kernels/hom"
)

var homTechniques = []pattern.Technique{pattern.JoinClasses, pattern.HomOrder, pattern.HomParts}

// Homomorphisms of graphs of all kinds are as many as the CPU counts.
func TestHomsRandom(t *testing.T) {
	d, r := device(t), seeds(t)
	taken := new(pattern.Tally)
	added := 0
	for range 40 * *roundFlag {
		s := testgraph.Random(r.Uint64(), testgraph.Options{Vertices: 1 + r.IntN(9), Edges: r.IntN(30), Types: 2, Simple: r.IntN(3) == 0})
		added += homsAgainst(t, d, r, s, 2, taken)
	}
	if added < 40**roundFlag {
		t.Errorf("only %d graphs were counted", added)
	}
}

// The same on graphs that cross the sizes of rows at which the kernels change their ways.
func TestHomsLarge(t *testing.T) {
	d, r := device(t), seeds(t)
	taken := new(pattern.Tally)
	for name, s := range graphs(r) {
		if s.N() > 0 && s.M() < 5000 && (name == "star" || r.IntN(3) == 0) {
			homsAgainst(t, d, r, s, 1, taken)
		}
	}
	driven(t, taken, homTechniques...)
}

// homsAgainst compares a few graphs. It returns how many there were.
func homsAgainst(t *testing.T, d *Device, r *rand.Rand, s *csr.Snapshot, types int, taken *pattern.Tally) int {
	t.Helper()
	defer smallHoms(r)()
	var h *hom.Counter
	var added []string
	for share := 1 + r.IntN(3); ; share *= 2 { // small sets keep the emulator's work on large graphs small
		h, added = hom.NewCounter(s), nil
		for i := range 3 {
			h.AddSet(someOf(r, s, share+i))
		}
		for range 1 + r.IntN(2) {
			var g hom.Graph
			if g.Sets, g.Factors = testgraph.HomGraph(r, 3, types); h.Add(g) {
				added = append(added, fmt.Sprint(g))
			}
		}
		if h.Cost() < 8e3 {
			break
		}
	}
	if _, ok := h.ForDevice(); !ok {
		if _, err := d.CountHoms(background, s, h, env()); !errors.Is(err, errors.ErrUnsupported) {
			t.Fatalf("%v, though no program has been made", err)
		}
		return 0
	}
	e := without(r, homTechniques...)
	want, wantErr := h.Count(background, env())
	got, err := NewGroup(slices.Repeat([]*Device{d}, 1+r.IntN(3))...).CountHoms(background, s, h, e)
	if errors.Is(wantErr, pattern.ErrOverflow) && errors.Is(err, pattern.ErrOverflow) {
		return 0
	}
	if wantErr != nil || err != nil || !slices.Equal(got, want) {
		t.Fatalf("%v, %v; want %v, %v\n%v\n%d vertices, %d relationships", got, err, want, wantErr, added, s.N(), s.M())
	}
	if u, done := e.Tally.Units.Load(), e.Tally.UnitsDone.Load(); u != done {
		t.Fatalf("%d of %d pivots done", done, u)
	}
	taken.TakeOver(e.Tally)
	return len(added)
}

// someOf is one in so many vertices, by chance; nil: all.
func someOf(r *rand.Rand, s *csr.Snapshot, share int) *pattern.CandidateSet {
	if share == 1 {
		return nil
	}
	list := []csr.VertexID{}
	for v := range csr.VertexID(s.N()) {
		if r.IntN(share) == 0 {
			list = append(list, v)
		}
	}
	return pattern.NewCandidateSet(s.N(), list)
}

// smallHoms makes small counts take several launches of few lanes.
func smallHoms(r *rand.Rand) (restore func()) {
	a, b, c, e := homLoad, homPairs, homLanes, homAlone
	homLoad, homPairs, homLanes, homAlone = 1+r.Uint64N(1<<(4+r.IntN(12))), 1+r.Uint64N(40), 32<<r.IntN(3), 32<<r.IntN(2)
	return func() { homLoad, homPairs, homLanes, homAlone = a, b, c, e }
}

// Rows of more than 1,024 entries are the block's, where weights are summed up, and arrays.
func TestHomsRows(t *testing.T) {
	d, r := device(t), seeds(t)
	star := func(hubs, leaves uint32) *csr.Snapshot {
		return testgraph.Graph(int(hubs+leaves), pairs(hubs*leaves, func(i uint32) (uint32, uint32) { return i % hubs, hubs + i/hubs }), true)
	}
	some := func(s *csr.Snapshot) *pattern.CandidateSet { return someOf(r, s, 60) }
	hubs := func(s *csr.Snapshot) *pattern.CandidateSet {
		return pattern.NewCandidateSet(s.N(), []csr.VertexID{0, 1, 2, 3})
	}
	for _, x := range []struct {
		s        *csr.Snapshot
		vertices int
		closed   bool // a cycle, or a path
		set      func(s *csr.Snapshot) *pattern.CandidateSet
		in       []int // the vertices that are in the set
	}{
		{star(1, 1030), 4, false, some, nil},
		{star(2, 1100), 4, true, some, []int{1, 3}},
		{star(2, 1100), 6, true, some, []int{1, 3, 5}},
		{star(2, 1100), 4, true, hubs, []int{0, 1, 2}}, // sums along rows of the hubs
	} {
		restore := smallHoms(r)
		h, g := hom.NewCounter(x.s), hom.Graph{}
		h.AddSet(nil)
		h.AddSet(x.set(x.s))
		g.Sets = make([]int, x.vertices)
		for _, v := range x.in {
			g.Sets[v] = 1
		}
		for v := range x.vertices {
			if v+1 < x.vertices || x.closed {
				g.Factors = append(g.Factors, pattern.Factor{From: v, To: (v + 1) % x.vertices, Undirected: true})
			}
		}
		if !h.Add(g) {
			t.Fatal("not taken on")
		}
		want, wantErr := h.Count(background, env())
		got, err := d.CountHoms(background, x.s, h, env())
		restore()
		if wantErr != nil || err != nil || !slices.Equal(got, want) {
			t.Errorf("%d vertices: %v, %v; want %v, %v", x.vertices, got, err, want, wantErr)
		}
	}
}

// walks are the closed walks of k steps, which weigh what falls say.
func walks(s *csr.Snapshot, k int, falls ...int) *hom.Counter {
	h, g := hom.NewCounter(s), hom.Graph{}
	for v := range k {
		g.Sets = append(g.Sets, h.AddSet(nil))
		g.Factors = append(g.Factors, pattern.Factor{From: v, To: (v + 1) % k, Undirected: true, Falls: falls})
	}
	h.Add(g)
	return h
}

// Numbers beyond 32 bits are right, those beyond 64 are refused, and a count ends when its query does.
func TestHomsNumbers(t *testing.T) {
	d := device(t)
	clique := testgraph.Graph(17, testgraph.Cliques(1, 17), true)
	halves := testgraph.Graph(32, pairs(256, func(i uint32) (uint32, uint32) { return i % 16, 16 + i/16 }), true)
	count := func(ctx context.Context, s *csr.Snapshot, k int) (got []pattern.Count128, err error, h *hom.Counter) {
		h = walks(s, k)
		got, err = d.CountHoms(ctx, s, h, env())
		return got, err, h
	}
	got, err, h := count(background, clique, 17) // 16^17 is more than 2^64, and no number on the way is
	want, wantErr := h.Count(background, env())
	if err != nil || wantErr != nil || got[0] != want[0] || got[0].Hi == 0 {
		t.Errorf("%v, %v; want %v, %v", got, err, want, wantErr)
	}
	for _, s := range []*csr.Snapshot{clique, halves} { // 16^16 is 0 in 64 bits
		if _, err, _ := count(background, s, 40); !errors.Is(err, pattern.ErrOverflow) {
			t.Errorf("a number that does not fit: %v", err)
		}
	}
	twice := testgraph.Graph(64, pairs(2048, func(i uint32) (uint32, uint32) { return i % 32, 32 + i/32%32 }), false)
	if _, err := d.CountHoms(background, twice, walks(twice, 5, slices.Repeat([]int{1}, 32)...), env()); !errors.Is(err, pattern.ErrOverflow) { // 2^32 a step
		t.Errorf("weights that do not fit: %v", err)
	}
	most := d.sharedMost
	d.sharedMost = 1600 // of which the driver wants some, too
	if _, err, _ := count(background, clique, 9); !errors.Is(err, ErrDeclined) {
		t.Errorf("more operations than there is room for: %v", err)
	}
	d.sharedMost = most
	ctx, cancel := context.WithCancel(background)
	cancel()
	if _, err, _ := count(ctx, clique, 5); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
