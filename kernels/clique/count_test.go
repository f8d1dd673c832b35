package clique_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/kernels/clique"
)

// cliquesBySize counts the cliques of each size by trying every rising sequence.
func cliquesBySize(s *csr.Snapshot, upTo int) []uint64 {
	counts := make([]uint64, upTo+1)
	adj := s.Adjacency(nil, csr.Both)
	var extend func(cand []csr.VertexID, size int)
	extend = func(cand []csr.VertexID, size int) {
		counts[size]++
		if size == upTo {
			return
		}
		for i, v := range cand {
			var next []csr.VertexID
			for _, w := range cand[i+1:] {
				if adj.Has(v, w) {
					next = append(next, w)
				}
			}
			extend(next, size+1)
		}
	}
	var all []csr.VertexID
	for v := range csr.VertexID(s.N()) {
		all = append(all, v)
	}
	extend(all, 0)
	return counts
}

// cliqueTechniques are those of counting cliques.
var cliqueTechniques = []pattern.Technique{pattern.CompleteHood, pattern.CliqueCore, pattern.CliqueThin, pattern.CliqueWord,
	pattern.CliqueLevel1, pattern.CliqueLevel2, pattern.CliqueLevel3, pattern.CliqueEnumerate, pattern.CliquePivot,
	pattern.CliqueComplement, pattern.CliqueTail, pattern.CliqueSplit}

// switches is one technique off, one on, all off, or some.
func switches(r *rand.Rand) (off pattern.Techniques) {
	one := cliqueTechniques[r.IntN(len(cliqueTechniques))]
	kind := r.IntN(4)
	for _, m := range cliqueTechniques {
		if kind == 0 && m == one || kind == 1 && m != one || kind == 2 && r.IntN(2) == 0 {
			off = off.With(m)
		}
	}
	return off
}

// TestCliqueTechniques counts cliques of every size with techniques switched on and off, on graphs of every density.
func TestCliqueTechniques(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	r := rand.New(rand.NewPCG(seed, 4))
	taken := new(pattern.Tally)
	for i := 0; i < 60 || i < 600 && len(neverTaken(taken)) > 0; i++ {
		n, density, upTo := 1+r.IntN(24), 0.1+0.9*float64(i%10)/9, 24
		switch {
		case density > 0.9:
			n = min(n, 16)
		case i%12 == 5: // bitmaps of two words
			n, density, upTo = 100+r.IntN(50), 0.2+0.2*r.Float64(), 4
		}
		s := gnp(r, n, density)
		if i%12 == 11 {
			s, upTo = nearClique(r, 70+r.IntN(60), r.IntN(80)), 3
		}
		want := cliquesBySize(s, upTo)
		compareAllCliques(t, s, want, &pattern.Env{Workers: 1 + r.IntN(4), Without: switches(r)})
		for range 6 {
			env := &pattern.Env{Workers: 1 + r.IntN(4), Without: switches(r), Tally: taken}
			for k := 1; k <= upTo; k++ {
				got, err := clique.Count(t.Context(), s, new(pattern.Subgraph).Clique(k), env)
				if err != nil || got != pattern.Count(want[k]) {
					t.Fatalf("seed %d, graph %d (%d vertices, density %.2f), %d-cliques without %v by %d workers: %v, %v; want %d",
						seed, i, s.N(), density, k, env.Without, env.Workers, got, err, want[k])
				}
			}
		}
	}
	if never := neverTaken(taken); len(never) > 0 {
		t.Errorf("seed %d: %v were never taken", seed, never)
	}
}

// neverTaken lists the techniques that no count has taken, but for CliqueSplit, which small graphs do not need.
func neverTaken(tally *pattern.Tally) (never []pattern.Technique) {
	for _, m := range cliqueTechniques {
		if m != pattern.CliqueSplit && tally.Taken[m].Load() == 0 {
			never = append(never, m)
		}
	}
	return never
}

func compareAllCliques(t *testing.T, s *csr.Snapshot, want []uint64, env *pattern.Env) {
	t.Helper()
	counts, err := clique.CountBySize(t.Context(), s, new(pattern.Subgraph), len(want)-1, env)
	counts = append(counts, make([]pattern.Count128, len(want)-len(counts))...)
	for k, n := range want {
		if k > 0 && counts[k] != pattern.Count(n) || err != nil {
			t.Errorf("cliques of every size without %v by %d workers: %v, %v; want %v", env.Without, env.Workers, counts, err, want)
			return
		}
	}
}

// nearClique is a complete graph but for some random pairs.
func nearClique(r *rand.Rand, n, missing int) *csr.Snapshot {
	apart := map[[2]uint32]bool{}
	for len(apart) < missing {
		u, v := r.Uint32N(uint32(n)), r.Uint32N(uint32(n))
		if u < v {
			apart[[2]uint32{u, v}] = true
		}
	}
	return testgraph.Graph(n, func(yield func(uint32, uint32) bool) {
		for v := range uint32(n) {
			for u := range v {
				if !apart[[2]uint32{u, v}] && !yield(u, v) {
					return
				}
			}
		}
	}, true)
}

// TestNearClique compares with what inclusion and exclusion say of a complete graph without a matching, a path and a
// cycle, and by the two ways of counting with each other.
func TestNearClique(t *testing.T) {
	const n = 383
	r := rand.New(rand.NewPCG(9, 9))
	s := nearClique(r, n, 240)
	env := &pattern.Env{Workers: 1, Tally: new(pattern.Tally)}
	all := new(pattern.Subgraph)
	seven, err := clique.Count(t.Context(), s, all.Clique(7), env)
	if err != nil || seven.Hi != 0 || env.Tally.Taken[pattern.CliqueTail].Load() == 0 {
		t.Fatalf("%v, %v", seven, err)
	}
	// Without the end in one go each root is a sub-problem of its own.
	without := &pattern.Env{Workers: 2, Without: pattern.Techniques{}.With(pattern.CliqueTail)}
	if again, err := clique.Count(t.Context(), s, all.Clique(7), without); err != nil || again != seven {
		t.Errorf("7-cliques of a near-clique: %v in one go, %v, %v root by root", seven, again, err)
	}
	// Each pair that is apart takes C(n-2, 1) triples, and two that share an end are in one triple.
	for k, want := range map[int]int64{3: n*(n-1)*(n-2)/6 - 240*(n-2)} {
		adj := s.Adjacency(nil, csr.Both)
		for v := range csr.VertexID(n) {
			d := int64(n - 1 - adj.Degree(v))
			want += d * (d - 1) / 2
		}
		want -= apartTriples(s)
		if got, err := clique.Count(t.Context(), s, all.Clique(k), env); err != nil || got != pattern.Count(uint64(want)) {
			t.Errorf("%d-cliques of a near-clique: %v, %v; want %d", k, got, err, want)
		}
	}
	if _, err := clique.Count(t.Context(), s, all.Clique(150), env); err != pattern.ErrOverflow {
		t.Errorf("150-cliques of a near-clique: %v", err)
	}
}

// apartTriples counts three vertices of which no two are joined.
func apartTriples(s *csr.Snapshot) (n int64) {
	adj := s.Adjacency(nil, csr.Both)
	apart := make([][]csr.VertexID, s.N())
	for v := range csr.VertexID(s.N()) {
		for w := v + 1; uint64(w) < s.N(); w++ {
			if !adj.Has(v, w) {
				apart[v] = append(apart[v], w)
			}
		}
	}
	for _, list := range apart {
		for i, w := range list {
			for _, x := range list[i+1:] {
				if slices.Contains(apart[w], x) {
					n++
				}
			}
		}
	}
	return n
}

// TestManyPivots counts large cliques where most vertices of a sub-problem are pivots, so that numbers beyond a word meet code
// for a word: by pivots, by missing edges, and by the leaves of one tree for all sizes.
func TestManyPivots(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	r := rand.New(rand.NewPCG(seed, 5))
	off := pattern.Techniques{}.With(pattern.CliqueComplement).With(pattern.CliqueTail)
	for range 4 {
		n := 90 + r.IntN(20)
		s := nearClique(r, n, 8+r.IntN(6)) // pivots alone take 2^missing leaves
		sizes, err := clique.CountBySize(t.Context(), s, new(pattern.Subgraph), 30, &pattern.Env{Workers: 2, Without: off})
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range []int{5, 12, 15, 18, 20, 22, 25, 30} {
			for _, without := range []pattern.Techniques{{}, off} {
				got, err := clique.Count(t.Context(), s, new(pattern.Subgraph).Clique(k), &pattern.Env{Workers: 2, Without: without})
				if err != nil || got != sizes[k] {
					t.Errorf("seed %d: %d-cliques of %d vertices without %v: %v, %v; want %v", seed, k, n, without, got, err, sizes[k])
				}
			}
		}
	}
}

// TestLargeTask has more than 1,024 candidates below a vertex: a complete bipartite graph with a perfect matching inside
// each side. A triangle is an edge of a matching and a vertex of the other side; a 4-clique is one of each matching.
func TestLargeTask(t *testing.T) {
	const side = 1060
	s := testgraph.Graph(2*side, func(yield func(uint32, uint32) bool) {
		for u := range uint32(side) {
			for v := range uint32(side) {
				if !yield(u, side+v) {
					return
				}
			}
			if u%2 == 1 && !(yield(u-1, u) && yield(side+u-1, side+u)) {
				return
			}
		}
	}, true)
	env := &pattern.Env{Workers: 3, Tally: new(pattern.Tally)}
	shared := &env.Tally.Taken[pattern.CliqueSplit]
	for try := 0; try < 20 && (try == 0 || shared.Load() == 0); try++ {
		for k, want := range map[int]uint64{3: 2 * side / 2 * side, 4: side / 2 * side / 2, 5: 0} {
			got, err := clique.Count(t.Context(), s, new(pattern.Subgraph).Clique(k), env)
			if err != nil || got != pattern.Count(want) {
				t.Fatalf("%d-cliques: %v, %v; want %d", k, got, err, want)
			}
		}
	}
	if shared.Load() == 0 {
		t.Error("no worker took over a branch of another")
	}
	t.Log(fmt.Sprint(shared.Load(), " branches taken over"))
}
