package graphlet_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/kernels/graphlet"
	"github.com/motifql/motif/kernels/internal/kerneltest"
)

// TestOrbitsRandom compares all counts with brute force on random graphs with loops, parallel relationships and sets of vertices.
func TestOrbitsRandom(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 7))
		n := rng.IntN(17)
		s := kerneltest.RandomMulti(t, rng, n+1, rng.IntN(5*n+1))
		sub := &pattern.Subgraph{Within: kerneltest.SomeVertices(rng, s)}
		env := &pattern.Env{Workers: 1 + int(seed)%3}
		for size := 3; size <= 5; size++ {
			want, err := testgraph.Brute{}.Orbits(t.Context(), s, sub, size)
			if err != nil {
				t.Fatal(err)
			}
			got, err := graphlet.Orbits(t.Context(), s, sub, size, env)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			for o := range want {
				if !slices.Equal(got[o], want[o]) {
					t.Errorf("seed %d, size %d, orbit %d: %v, want %v", seed, size, o, got[o], want[o])
				}
			}
			for _, induced := range []bool{true, false} {
				if size == 5 && !induced && (n > 7 || seed%4 > 0) {
					continue // too many sets of edges
				}
				want, _ := testgraph.Brute{}.Motifs(t.Context(), s, sub, size, induced)
				if got, err := graphlet.Motifs(t.Context(), s, sub, size, induced, env); err != nil || !slices.Equal(got, want) {
					t.Errorf("seed %d, size %d, induced %v: %v, want %v, %v", seed, size, induced, got, want, err)
				}
			}
		}
		want, _ := testgraph.Brute{}.Triads(t.Context(), s, sub)
		if got, err := graphlet.Triads(t.Context(), s, sub, env); err != nil || !slices.Equal(got, want) {
			t.Errorf("seed %d: triads %v, want %v, %v", seed, got, want, err)
		}
	}
}

// TestOrbitsLarger compares workers with each other, and sums with totals: an orbit of k vertices of a graphlet gets k for each occurrence,
// and every set of vertices that holds a graphlet less a vertex has it.
func TestOrbitsLarger(t *testing.T) {
	for seed := range uint64(4) {
		s := testgraph.Graph(1<<8, testgraph.RMAT(8, 6+2*int(seed), seed), seed%2 == 0)
		one, err := graphlet.Orbits(t.Context(), s, &pattern.Subgraph{}, 5, &pattern.Env{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		many, err := graphlet.Orbits(t.Context(), s, &pattern.Subgraph{}, 5, &pattern.Env{Workers: 4})
		if err != nil {
			t.Fatal(err)
		}
		sums := make([]uint64, len(one))
		for o := range one {
			if !slices.Equal(one[o], many[o]) {
				t.Errorf("seed %d, orbit %d: workers differ", seed, o)
			}
			for _, n := range one[o] {
				sums[o] += n
			}
		}
		for _, g := range pattern.Graphlets {
			total := sums[g.Orbit[0]] / uint64(g.Members(g.Orbit[0]))
			for _, o := range g.Orbit {
				if sums[o] != total*uint64(g.Members(o)) {
					t.Errorf("seed %d, %s: %d times on orbit %d, %d of them", seed, g.Name, sums[o], o, total)
				}
			}
		}
		degree := one[0]
		for v, d := range degree { // what ORCA's paper gives for three and four nodes
			if pairs := one[2][v] + one[3][v]; pairs != d*(max(d, 1)-1)/2 {
				t.Errorf("seed %d, vertex %d: %d pairs of neighbours", seed, v, pairs)
			}
			if triples := one[7][v] + one[11][v] + one[13][v] + one[14][v]; triples != choose3(d) {
				t.Errorf("seed %d, vertex %d: %d triples of neighbours", seed, v, triples)
			}
		}
	}
}

func choose3(n uint64) uint64 {
	if n < 3 {
		return 0
	}
	return n * (n - 1) * (n - 2) / 6
}

// TestGraphletList checks the lists of graphlets and triads: every graph is like one of them, and two vertices have one orbit exactly if an
// automorphism maps one to the other.
func TestGraphletList(t *testing.T) {
	orbits := map[int]string{}
	for size := 2; size <= 5; size++ {
		var pairs [][2]int
		for v := range size {
			for u := range v {
				pairs = append(pairs, [2]int{u, v})
			}
		}
		for set := range 1 << len(pairs) {
			var edges [][2]int
			for i, p := range pairs {
				if set>>i&1 != 0 {
					edges = append(edges, p)
				}
			}
			like := 0
			for i := range pattern.Graphlets {
				if g := &pattern.Graphlets[i]; g.Size() == size && len(g.Edges) == len(edges) && len(maps(g.Edges, edges, size, false)) > 0 {
					like++
				}
			}
			if connected := len(reached(edges)) == size; connected != (like == 1) || like > 1 {
				t.Errorf("%v is like %d graphlets", edges, like)
			}
		}
	}
	for _, g := range pattern.Graphlets {
		same := map[[2]int]bool{}
		for _, to := range maps(g.Edges, g.Edges, g.Size(), false) {
			for u, v := range to {
				same[[2]int{u, v}] = true
			}
		}
		for u, o := range g.Orbit {
			for v, p := range g.Orbit {
				if (o == p) != same[[2]int{u, v}] {
					t.Errorf("%s: orbits %d and %d", g.Name, o, p)
				}
			}
			if name, ok := orbits[o]; ok && name != g.Name || o >= pattern.Orbits(g.Size()) {
				t.Errorf("%s has orbit %d of %s", g.Name, o, name)
			}
			orbits[o] = g.Name
		}
	}
	if len(orbits) != pattern.Orbits(5) {
		t.Errorf("%d orbits", len(orbits))
	}
	arcs := [][2]int{{0, 1}, {1, 0}, {0, 2}, {2, 0}, {1, 2}, {2, 1}}
	for set := range 1 << len(arcs) {
		var edges [][2]int
		for i, a := range arcs {
			if set>>i&1 != 0 {
				edges = append(edges, a)
			}
		}
		like := 0
		for i := range pattern.Triads {
			if len(maps(pattern.Triads[i].Edges, edges, 3, true)) > 0 {
				like++
			}
		}
		if like != 1 {
			t.Errorf("%v is like %d triads", edges, like)
		}
	}
}

// maps lists the numberings that make b of a.
func maps(a, b [][2]int, size int, directed bool) (all [][]int) {
	var place func(to []int)
	place = func(to []int) {
		for v := range size {
			if len(to) < size && !slices.Contains(to, v) {
				place(append(slices.Clone(to), v))
			}
		}
		fits := len(to) == size && len(a) == len(b)
		for _, e := range a {
			fits = fits && (slices.Contains(b, [2]int{to[e[0]], to[e[1]]}) || !directed && slices.Contains(b, [2]int{to[e[1]], to[e[0]]}))
		}
		if fits {
			all = append(all, to)
		}
	}
	place(nil)
	return all
}

// reached is the set of vertices that edges join with vertex 0.
func reached(edges [][2]int) map[int]bool {
	in := map[int]bool{0: true}
	for range edges {
		for _, e := range edges {
			if in[e[0]] || in[e[1]] {
				in[e[0]], in[e[1]] = true, true
			}
		}
	}
	return in
}

// TestOrbitsEnd stops a count, and gives it too little memory: the error comes, and no memory stays charged.
func TestOrbitsEnd(t *testing.T) {
	s := testgraph.Graph(1<<9, testgraph.RMAT(9, 8, 1), false)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	calls := map[string]func(ctx context.Context, env *pattern.Env) error{
		"orbits": func(ctx context.Context, env *pattern.Env) error {
			_, err := graphlet.Orbits(ctx, s, &pattern.Subgraph{}, 5, env)
			return err
		},
		"triads": func(ctx context.Context, env *pattern.Env) error {
			_, err := graphlet.Triads(ctx, s, &pattern.Subgraph{}, env)
			return err
		},
	}
	for name, call := range calls {
		env := &pattern.Env{Workers: 2, Memory: new(pattern.Memory)}
		if err := call(ctx, env); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
		if err := call(t.Context(), env); err != nil || env.Memory.Used() != 0 {
			t.Errorf("%s: %v, %d bytes charged", name, err, env.Memory.Used())
		}
		failed := 0
		for limit := int64(1); ; limit += limit/3 + 1 {
			env.Memory = &pattern.Memory{Limit: limit}
			err := call(t.Context(), env)
			if env.Memory.Used() != 0 {
				t.Fatalf("%s with %d bytes: %d stay charged", name, limit, env.Memory.Used())
			}
			if err == nil {
				break
			}
			if !errors.Is(err, pattern.ErrMemory) {
				t.Fatalf("%s with %d bytes: %v", name, limit, err)
			}
			failed++
		}
		if failed < 10 {
			t.Errorf("%s needs %d steps of memory", name, failed)
		}
	}
}

// TestOrbitsOverflow has stars whose hub has as many neighbours as the numbers allow, and one more. A low limit ends the count after
// the check.
func TestOrbitsOverflow(t *testing.T) {
	for leaves, want := range map[int]error{1<<16 - 1: pattern.ErrMemory, 1 << 16: pattern.ErrOverflow} {
		s := star(leaves)
		env := &pattern.Env{Workers: 1, Memory: &pattern.Memory{Limit: 40 << 20}}
		if _, err := graphlet.Orbits(t.Context(), s, &pattern.Subgraph{}, 5, env); !errors.Is(err, want) {
			t.Errorf("%d leaves: %v, want %v", leaves, err, want)
		}
		env.Memory = nil
		rows, err := graphlet.Orbits(t.Context(), s, &pattern.Subgraph{}, 4, env)
		if err != nil || slices.Max(rows[7]) != choose3(uint64(leaves)) || slices.Max(rows[5]) != 0 {
			t.Errorf("%d leaves: %v", leaves, err)
		}
	}
	const leaves = 2000
	rows, err := graphlet.Orbits(t.Context(), star(leaves), &pattern.Subgraph{}, 5, &pattern.Env{Workers: 1})
	if want := uint64(choose3(leaves) * (leaves - 3) / 4); err != nil || slices.Max(rows[23]) != want {
		t.Errorf("%d, want %d, %v", slices.Max(rows[23]), want, err)
	}
}

// star has a hub with so many neighbours.
func star(leaves int) *csr.Snapshot {
	return testgraph.Graph(leaves+1, func(yield func(uint32, uint32) bool) {
		for v := range uint32(leaves) {
			if !yield(0, v+1) {
				return
			}
		}
	}, false)
}
