//go:build cuda && cgo && linux

package cuda

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/kernels/core"
)

// The bound of every root is that of its definition, and the roots of each size are those of its bounds, in their order.
func TestCliqueBounds(t *testing.T) {
	d, r := device(t), seeds(t)
	dropped := 0
	check := func(name string, s *csr.Snapshot) {
		d.turn = r.IntN(2) * (1 + r.IntN(32))
		o := core.Orientation(s, nil, 1)
		roots, least := byDegree(o.Offsets)
		want := slowBounds(o, roots)
		err := d.run(background, func(task *task) error {
			g, err := orientedOf(task, background, s, nil, nil, env())
			if err != nil {
				return err
			}
			q := &cliqueCount{task: task, env: env(), g: g, k: boundsFrom}
			bounds, err := q.bounds(background)
			if err != nil {
				return err
			}
			got := make([]uint32, g.atLeast(boundsFrom-1))
			if err := download(bounds, got); err != nil {
				return err
			}
			if !slices.Equal(got, want[:len(got)]) {
				t.Errorf("%s: bounds %v, want %v", name, got, want[:len(got)])
			}
			for k := boundsFrom; k < boundsFrom+6; k++ {
				some, err := g.bounded(task, bounds, k)
				if err != nil {
					return err
				}
				var stay []uint32
				for at, root := range roots[:g.atLeast(k-1)] {
					if want[at] >= uint32(k) {
						stay = append(stay, root)
					}
				}
				list := make([]uint32, some.atLeast(0))
				if err := download(some.roots, list); err != nil {
					return err
				}
				if !slices.Equal(list, stay) {
					t.Errorf("%s, %d-cliques: roots %v, want %v", name, k, list, stay)
				}
				for degree := range least {
					if n := some.atLeast(degree); n != degreesFrom(o, stay, uint64(degree)) {
						t.Errorf("%s, %d-cliques: %d roots have %d out-neighbours or more", name, k, n, degree)
					}
				}
				dropped += g.atLeast(k-1) - len(stay)
			}
			return nil
		})
		if err != nil {
			t.Fatal(name, err)
		}
	}
	for name, s := range graphs(r) {
		if s.N() > 0 {
			check(name, s)
		}
	}
	for name, s := range denseGraphs(r) {
		check(name, s)
	}
	check("large hoods", hubsAndCliques(r))
	if dropped == 0 {
		t.Error("no root was dropped")
	}
}

// hubsAndCliques is a random graph whose roots have few to many out-neighbours, some more than 64.
func hubsAndCliques(r *rand.Rand) *csr.Snapshot {
	n := 120 + r.Uint32N(40)
	return testgraph.Graph(int(n), func(yield func(uint32, uint32) bool) {
		for b := range n {
			for a := range b {
				if (r.Uint32N(n) > b || b%7 == 0) && !yield(a, b) {
					return
				}
			}
		}
	}, true)
}

// slowBounds finds for each root the largest k for which at least k-1 of its out-neighbours have k-2 neighbours or more among these.
func slowBounds(o *core.Oriented, roots []uint32) []uint32 {
	list := make([]uint32, len(roots))
	for at, root := range roots {
		hood, degrees := o.Out(root), map[uint32]int{}
		for _, a := range hood {
			for _, b := range hood {
				if slices.Contains(o.Out(a), b) {
					degrees[a]++
					degrees[b]++
				}
			}
		}
		for k := 2; k <= len(hood)+1; k++ {
			n := 0
			for _, a := range hood {
				if degrees[a] >= k-2 {
					n++
				}
			}
			if n >= k-1 {
				list[at] = uint32(k)
			}
		}
	}
	return list
}

func degreesFrom(o *core.Oriented, roots []uint32, least uint64) (n int) {
	for _, root := range roots {
		if uint64(len(o.Out(root))) >= least {
			n++
		}
	}
	return n
}

// Counts of one graph find the bounds once, and those of one size the roots.
func TestCliqueBoundsStay(t *testing.T) {
	d, r := device(t), seeds(t)
	s := testgraph.Graph(100, planted(r, 100, 40), true)
	kept := func() int { return len(d.memory.graphs) }
	counts := make(map[int]pattern.Count128)
	before := 0
	for i, k := range []int{4, 6, 6, 7, 6} {
		e := env()
		n, err := d.CountCliques(background, s, (&pattern.Subgraph{}).Clique(k), e)
		if err != nil {
			t.Fatal(err)
		}
		if was, again := counts[k]; again && was != n {
			t.Errorf("%d-cliques: %v, and %v before", k, n, was)
		}
		counts[k] = n
		if grew, want := kept()-before, []int{0, 2, 0, 1, 0}[i]; i > 0 && grew != want {
			t.Errorf("%d-cliques: %d things more stay, want %d", k, grew, want)
		}
		before = kept()
	}
}
