package components_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/kernels/components"
	"github.com/motifql/motif/kernels/internal/kerneltest"
)

func TestComponentsRandom(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	rng := rand.New(rand.NewPCG(seed, 7))
	for i := range 400 {
		s := kerneltest.RandomSparse(t, rng)
		r := pattern.ComponentRequest{Types: []csr.TypeSet{nil, nil, {0}, {}}[rng.IntN(4)], Within: kerneltest.SomeVertices(rng, s), Strong: i%2 == 0}
		want := componentsBy(s, &r)
		brute, err := testgraph.Brute{}.Components(t.Context(), s, &r, &pattern.Env{})
		if err != nil || !slices.Equal(brute.Of, want.Of) || !slices.Equal(brute.Size, want.Size) {
			t.Fatalf("seed %d, graph %d: brute force finds %v, %v; want %v", seed, i, brute, err, want)
		}
		for workers := range 4 {
			got, err := components.Find(t.Context(), s, &r, &pattern.Env{Workers: workers})
			if err != nil || !slices.Equal(got.Of, want.Of) || !slices.Equal(got.Size, want.Size) {
				t.Fatalf("seed %d, graph %d, %d workers, %+v: %v, %v; want %v", seed, i, workers, r, got, err, want)
			}
		}
	}
}

// componentsBy groups vertices with ways to each other.
func componentsBy(s *csr.Snapshot, r *pattern.ComponentRequest) *pattern.Components {
	dir := csr.Both
	if r.Strong {
		dir = csr.Out
	}
	d := kerneltest.Distances(s, r.Types, dir, func(v csr.VertexID) bool { return kerneltest.InSet(r.Within, v) })
	c := &pattern.Components{Of: slices.Repeat([]uint32{pattern.NoComponent}, len(d))}
	for v := range d {
		if d[v][v] < 0 || c.Of[v] != pattern.NoComponent {
			continue
		}
		c.Size = append(c.Size, 0)
		for w := range d {
			if d[v][w] >= 0 && d[w][v] >= 0 {
				c.Of[w] = uint32(len(c.Size)) - 1
				c.Size[c.Of[w]]++
			}
		}
	}
	return c
}

// TestComponentsLarger has shapes that are deep for a recursion, or wide enough for several workers.
func TestComponentsLarger(t *testing.T) {
	const n = 200_000
	ring := func(yield func(uint32, uint32) bool) {
		for v := range uint32(n) {
			if !yield(v, (v+1)%n) {
				return
			}
		}
	}
	line := func(yield func(uint32, uint32) bool) {
		for v := range uint32(n - 1) {
			if !yield(v, v+1) {
				return
			}
		}
	}
	for _, c := range []struct {
		name              string
		s                 *csr.Snapshot
		strong            bool
		count, largestOne uint32
	}{
		{"ring", testgraph.Graph(n, ring, false), true, 1, n},
		{"line", testgraph.Graph(n, line, false), true, n, 1},
		{"line", testgraph.Graph(n, line, false), false, 1, n},
		{"cliques", testgraph.Graph(500*41+10, testgraph.Cliques(500, 41), true), false, 510, 41},
	} {
		for _, workers := range []int{1, 3} {
			tally := new(pattern.Tally)
			got, err := components.Find(t.Context(), c.s, &pattern.ComponentRequest{Strong: c.strong}, &pattern.Env{Workers: workers, Tally: tally})
			if err != nil || len(got.Size) != int(c.count) || got.Largest() != c.largestOne {
				t.Errorf("%s, %d workers: %d components up to %d, %v; want %d up to %d", c.name, workers, len(got.Size), got.Largest(), err, c.count, c.largestOne)
			}
			if done, all := tally.UnitsDone.Load(), tally.Units.Load(); done != all || all == 0 {
				t.Errorf("%s: %d of %d units done", c.name, done, all)
			}
		}
	}
}

// BenchmarkWeak reads 4 bytes a relationship, and 8 bytes a vertex four times.
func BenchmarkWeak(b *testing.B) {
	s := testgraph.Graph(1<<16, testgraph.RMAT(16, 16, 5), false)
	for b.Loop() {
		if _, err := components.Find(b.Context(), s, new(pattern.ComponentRequest), new(pattern.Env)); err != nil {
			b.Fatal(err)
		}
	}
}
