package join_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/join"
)

// parts is a random graph of k classes of n vertices each, labelled A, B, C ..., with relationships of one or two types
// between vertices of different classes.
func parts(t *testing.T, rng *rand.Rand, k, n int, density float64) *csr.Snapshot {
	t.Helper()
	b := csr.NewBuilder()
	for range n {
		for c := range k {
			b.AddVertex(b.Label(string(rune('A' + c))))
		}
	}
	types := []csr.TypeID{b.Type("R"), b.Type("S")}
	for v := range uint32(k * n) {
		for u := range v {
			if u%uint32(k) == v%uint32(k) || rng.Float64() > density {
				continue
			}
			if rng.IntN(2) == 0 {
				b.AddEdge(u, v, types[rng.IntN(2)])
			} else {
				b.AddEdge(v, u, types[rng.IntN(2)])
			}
		}
	}
	s, _, err := b.Build(context.Background(), 1)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// hub is a pattern of k vertices of different labels that are all joined to the first one, and many to each other.
func hub(rng *rand.Rand, k int) *pattern.Pattern {
	p := &pattern.Pattern{Scopes: []pattern.Scope{{Mode: pattern.Mode(rng.IntN(3))}}}
	for u := range k {
		p.Vertices = append(p.Vertices, pattern.Vertex{Labels: &pattern.Label{ID: csr.LabelID(u)}})
		p.Scopes[0].Vertices = append(p.Scopes[0].Vertices, u)
		for w := range u {
			if w > 0 && rng.IntN(4) == 0 {
				continue
			}
			e := pattern.Edge{From: u, To: w, Undirected: rng.IntN(4) > 0}
			if rng.IntN(5) == 0 {
				e.Types = csr.TypeSet{csr.TypeID(rng.IntN(2))}
			}
			p.Scopes[0].Edges = append(p.Scopes[0].Edges, len(p.Edges))
			p.Edges = append(p.Edges, e)
		}
	}
	return p
}

// TestDenseSearch finds and counts with bitmaps and without, on few vertices by brute force as well, in orders that make
// the dense part start anywhere, with lists that end inside, at and past the words of a bitmap.
func TestDenseSearch(t *testing.T) {
	tally := new(pattern.Tally)
	for seed := range rounds(400) {
		rng := rand.New(rand.NewPCG(seed, 21))
		k, n := 4+rng.IntN(2), 1+rng.IntN(4)
		brute := seed%4 > 0
		if !brute {
			n = []int{20, 31, 32, 33, 63, 64, 65, 70}[rng.IntN(8)]
		}
		s, p := parts(t, rng, k, n, []float64{0.1, 0.3, 0.9}[rng.IntN(3)]*min(1, 12/float64(n)+0.1)), hub(rng, k)
		j := job(t, s, p)
		j.Order = orderOf(p, append([]int{0}, seqFrom1(rng, k)...)...)
		if seed%3 == 0 {
			j.Order = randomOrder(rng, p)
		}
		if brute {
			check(t, fmt.Sprintf("seed %d", seed), j, 1+int(seed%3))
		}
		env := &pattern.Env{Workers: 1 + rng.IntN(3), Tally: tally, Memory: new(pattern.Memory)}
		without := &pattern.Env{Without: pattern.Techniques{}.With(pattern.DenseSearch)}
		want, err := join.Count(context.Background(), j, without)
		if err != nil {
			t.Fatal(err)
		}
		restore := join.Tiny(seed)
		got, err := join.Count(context.Background(), j, env)
		if err != nil || got != want {
			t.Fatalf("seed %d: %v (%v), want %v\n%v\norder %+v", seed, got, err, want, p, j.Order)
		}
		a, b := &collector{}, &collector{}
		if want.Lo < 5000 {
			if err := join.Match(context.Background(), j, env, a); err != nil {
				t.Fatal(err)
			}
			if err := join.Match(context.Background(), j, without, b); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(a.sorted(), b.sorted()) || uint64(len(a.found)) != want.Lo {
				t.Fatalf("seed %d: %d matches, %d without bitmaps, %v counted", seed, len(a.found), len(b.found), want)
			}
		}
		restore()
		if env.Memory.Used() != 0 {
			t.Fatalf("seed %d: %d bytes not given back", seed, env.Memory.Used())
		}
	}
	if n := tally.Taken[pattern.DenseSearch].Load(); n == 0 {
		t.Error("bitmaps were never used")
	}
}

func seqFrom1(rng *rand.Rand, k int) []int {
	seq := rng.Perm(k - 1)
	for i := range seq {
		seq[i]++
	}
	return seq
}

// TestDenseLimits leaves lists that are too long, and budgets that are too small, to the usual search.
func TestDenseLimits(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 22))
	s := parts(t, rng, 4, 40, 0.5)
	p := &pattern.Pattern{Scopes: []pattern.Scope{{Mode: pattern.DifferentNodes, Vertices: []int{0, 1, 2, 3}}}}
	for u := range 4 {
		p.Vertices = append(p.Vertices, pattern.Vertex{Labels: &pattern.Label{ID: csr.LabelID(u)}})
	}
	for i, e := range cliqueEdges(4) {
		p.Scopes[0].Edges = append(p.Scopes[0].Edges, i)
		p.Edges = append(p.Edges, pattern.Edge{From: e[0], To: e[1], Undirected: true})
	}
	j := job(t, s, p)
	want, err := testgraph.Brute{}.Count(context.Background(), j, &pattern.Env{})
	if err != nil || want.Lo == 0 {
		t.Fatal(want, err)
	}
	for name, c := range map[string]struct {
		list, rows int
		memory     int64
		used       bool
	}{
		"usual": {1 << 13, 1 << 20, 0, true}, "long lists": {10, 1 << 20, 0, false}, "many rows": {1 << 13, 10, 0, false}, "no memory": {1 << 13, 1 << 20, 1, false},
	} {
		restore := join.DenseLimits(c.list, c.rows)
		env := &pattern.Env{Tally: new(pattern.Tally), Memory: &pattern.Memory{Limit: c.memory}}
		got, err := join.Count(context.Background(), j, env)
		restore()
		if used := env.Tally.Taken[pattern.DenseSearch].Load(); err != nil || got != want || (used > 0) != c.used {
			t.Errorf("%s: %v (%v), want %v; bitmaps were used %d times", name, got, err, want, used)
		}
	}
}

// TestSpreadDense has a single vertex for each of the first two steps of a clique, so that all work lies in one dense
// part, and wants every worker to have a share of it.
func TestSpreadDense(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 23))
	b := csr.NewBuilder()
	const n = 600
	for u := range n {
		b.AddVertex(b.Label(string(rune('A' + max(0, min(u, 2)+u%3*min(1, u/2))))))
	}
	e := b.Type("E")
	for v := range uint32(n) {
		for u := range v {
			if u < 2 || rng.IntN(2) == 0 {
				b.AddEdge(u, v, e)
			}
		}
	}
	s, _, err := b.Build(context.Background(), 1)
	if err != nil {
		t.Fatal(err)
	}
	p := &pattern.Pattern{Scopes: []pattern.Scope{{Mode: pattern.DifferentNodes}}}
	for u := range 5 {
		p.Vertices = append(p.Vertices, pattern.Vertex{Labels: &pattern.Label{ID: csr.LabelID(u)}})
		p.Scopes[0].Vertices = append(p.Scopes[0].Vertices, u)
	}
	for i, x := range cliqueEdges(5) {
		p.Scopes[0].Edges = append(p.Scopes[0].Edges, i)
		p.Edges = append(p.Edges, pattern.Edge{From: x[0], To: x[1], Undirected: true})
	}
	j := job(t, s, p)
	want, err := join.Count(context.Background(), j, &pattern.Env{Without: pattern.Techniques{}.With(pattern.DenseSearch)})
	if err != nil || want.Lo == 0 {
		t.Fatal(want, err)
	}
	tick := join.SmallTicks()
	defer tick()
	shares := 0
	for i := 0; i < 1000 && shares == 0; i++ { // on a busy machine help may come late
		var works []uint64
		restore := join.Balance(func(work uint64) { works = append(works, work) })
		env := &pattern.Env{Workers: 2, Order: pattern.OrderCost, Tally: new(pattern.Tally)}
		got, err := join.Count(context.Background(), j, env)
		restore()
		if err != nil || got != want {
			t.Fatalf("%v (%v), want %v", got, err, want)
		}
		if len(works) == 2 && 10*min(works[0], works[1]) > works[0]+works[1] {
			shares++
		}
	}
	if shares == 0 {
		t.Error("no search was shared by the two workers")
	}
}
