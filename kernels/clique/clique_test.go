package clique

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/internal/kerneltest"
)

// naiveCliques lists the cliques of c by trying every rising choice per group.
func naiveCliques(s *csr.Snapshot, c *pattern.Clique) (found [][]csr.VertexID) {
	joined := func(v, w csr.VertexID) bool {
		return v != w && len(s.Relationships(nil, v, w, c.Types, csr.Both)) > 0
	}
	var extend func(clique []csr.VertexID, group, left int, from csr.VertexID)
	extend = func(clique []csr.VertexID, group, left int, from csr.VertexID) {
		for left == 0 {
			if group++; group == len(c.Sizes) {
				found = append(found, slices.Clone(clique))
				return
			}
			left, from = c.Sizes[group], 0
		}
		for v := from; uint64(v) < s.N(); v++ {
			if set := c.Sets[group]; set != nil && !set.Has(v) {
				continue
			}
			if !slices.ContainsFunc(clique, func(w csr.VertexID) bool { return !joined(v, w) }) {
				extend(append(clique, v), group, left-1, v+1)
			}
		}
	}
	extend(nil, -1, 0, 0)
	return found
}

// randomClique is a clique over all vertices, or over disjoint label classes.
func randomClique(r *rand.Rand, s *csr.Snapshot) *pattern.Clique {
	c := &pattern.Clique{}
	if r.IntN(2) == 0 {
		c.Types = csr.TypeSet{csr.TypeID(r.IntN(2))}
	}
	if r.IntN(3) == 0 {
		c.Sets, c.Sizes = []*pattern.CandidateSet{nil}, []int{1 + r.IntN(6)}
	} else {
		groups := 1 + r.IntN(3)
		lists := make([][]csr.VertexID, groups)
		for v := range csr.VertexID(s.N()) {
			if g := r.IntN(groups + 1); g < groups {
				lists[g] = append(lists[g], v)
			}
		}
		for _, l := range lists {
			c.Sets = append(c.Sets, pattern.NewCandidateSet(s.N(), l))
			c.Sizes = append(c.Sizes, 1+r.IntN(3))
		}
	}
	for _, n := range c.Sizes {
		c.K += n
	}
	return c
}

func TestCliquesRandom(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	r := rand.New(rand.NewPCG(seed, 1))
	for i := range 400 {
		n, density := 1+r.IntN(30), r.Float64()*0.4
		if i%100 == 0 {
			n, density = 150, 0.12 // neighbourhoods of more than one word
		}
		s := kerneltest.RandomGraph(t, r, n, density)
		c := randomClique(r, s)
		if n > 100 {
			c = &pattern.Clique{K: 3, Sets: []*pattern.CandidateSet{nil}, Sizes: []int{3}}
		}
		name := fmt.Sprintf("seed %d, graph %d (%d vertices), k=%d sizes %v types %v", seed, i, n, c.K, c.Sizes, c.Types)
		want := naiveCliques(s, c)
		env := &pattern.Env{Workers: 1 + r.IntN(3)}
		got, err := Count(t.Context(), s, c, env)
		if err != nil || got != pattern.Count(uint64(len(want))) {
			t.Fatalf("%s: counted %v, %v; want %d", name, got, err, len(want))
		}
		var list [][]csr.VertexID
		err = List(t.Context(), s, c, env, func(q []csr.VertexID) (bool, error) {
			list = append(list, slices.Clone(q))
			return true, nil
		})
		slices.SortFunc(list, slices.Compare)
		slices.SortFunc(want, slices.Compare)
		if err != nil || !slices.EqualFunc(list, want, slices.Equal) {
			t.Fatalf("%s: listed %v, %v; want %v", name, list, err, want)
		}
	}
}

func TestListCliquesStops(t *testing.T) {
	s := complete(t, 40)
	c := &pattern.Clique{K: 5, Sets: []*pattern.CandidateSet{nil}, Sizes: []int{5}}
	env := &pattern.Env{Workers: 2}
	calls := 0
	err := List(t.Context(), s, c, env, func([]csr.VertexID) (bool, error) { calls++; return calls < 10, nil })
	if err != nil || calls != 10 {
		t.Errorf("stopped after %d cliques with %v; want 10", calls, err)
	}
	mine := errors.New("mine")
	err = List(t.Context(), s, c, env, func([]csr.VertexID) (bool, error) { return false, mine })
	if err != mine {
		t.Errorf("emit's error came back as %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	r := rand.New(rand.NewPCG(2, 2))
	big := completeBut(t, 400, func(u, v int) bool { return r.Float64() < 0.15 })
	if _, err = Count(ctx, big, &pattern.Clique{K: 30, Sets: c.Sets, Sizes: []int{30}}, env); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a search beyond its deadline gave %v", err)
	}
}

func complete(t testing.TB, n int) *csr.Snapshot {
	return completeBut(t, n, func(u, v int) bool { return false })
}

// TestCliquesDense has neighbourhoods that are complete, and nearly so.
func TestCliquesDense(t *testing.T) {
	want, err := pattern.Binomial(140, 30)
	if err != nil || want.Hi == 0 {
		t.Fatal(want, err)
	}
	c := &pattern.Clique{K: 30, Sets: []*pattern.CandidateSet{nil}, Sizes: []int{30}}
	got, err := Count(t.Context(), complete(t, 140), c, &pattern.Env{Workers: 2})
	if err != nil || got != want {
		t.Errorf("30-cliques of K140 = %v, %v; want %v", got, err, want)
	}
	// K16 without a perfect matching: choose k of the 8 pairs and one of each.
	s := completeBut(t, 16, func(u, v int) bool { return u/2 == v/2 })
	for k := 3; k <= 8; k++ {
		b, _ := pattern.Binomial(8, k)
		want, _ := b.Mul(1 << k)
		c := &pattern.Clique{K: k, Sets: []*pattern.CandidateSet{nil}, Sizes: []int{k}}
		if got, err := Count(t.Context(), s, c, &pattern.Env{}); err != nil || got != want {
			t.Errorf("%d-cliques of K16 without a matching = %v, %v; want %v", k, got, err, want)
		}
	}
}

// completeBut joins every two of n vertices that are not apart.
func completeBut(t testing.TB, n int, apart func(u, v int) bool) *csr.Snapshot {
	b := csr.NewBuilder()
	b.AddVertices(n)
	e := b.Type("E")
	for u := range n {
		for v := range u {
			if !apart(u, v) {
				b.AddEdge(uint32(u), uint32(v), e)
			}
		}
	}
	s, _, err := b.Build(context.Background(), 1)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
