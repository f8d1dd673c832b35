package join_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/motifql/motif/filter"
	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/join"
	"github.com/motifql/motif/planner/match"
)

// valued gives each vertex a value for TestValueLists: none for some, and for some one that others share the key of.
type valued struct {
	rng    uint64
	values int
}

// of returns the value of v, 0 for null. Values k and k+1000 have one key.
func (c valued) of(v csr.VertexID) int {
	r := rand.New(rand.NewPCG(c.rng, uint64(v)))
	switch n := r.IntN(10); {
	case n == 0:
		return 0
	case n == 1 && c.values%2 == 0:
		return 1001 + r.IntN(c.values)
	}
	return 1 + r.IntN(c.values)
}

func (c valued) key(dst []byte, v csr.VertexID) (key []byte, exact, ok bool, err error) {
	x := c.of(v)
	dst = append(dst, 7)
	if x%1000%2 == 0 { // keys of two lengths
		dst = append(dst, 1, 2, 3)
	}
	return binary.LittleEndian.AppendUint64(dst, uint64(x%1000)), c.values%2 == 1, x != 0, nil
}

// equality adds the condition that u and w have equal values.
func (c valued) equality(p *pattern.Pattern, u, w int) {
	p.Predicates = append(p.Predicates, pattern.Predicate{
		Text: fmt.Sprintf("value(%d) = value(%d)", u, w), Vertices: []int{min(u, w), max(u, w)}, Scope: 0,
		Equal: &pattern.Equality{Of: [2]int{u, w}, Keys: [2]pattern.Key{c.key, c.key}},
		Test: func(vertices []csr.VertexID, _ []csr.EdgeID) (bool, error) {
			x := c.of(vertices[u])
			return x != 0 && x == c.of(vertices[w]), nil
		},
	})
}

// TestValueLists joins parts of patterns by equal values and compares with brute force.
func TestValueLists(t *testing.T) {
	defer join.AllValueLists()()
	for seed := range rounds(3000) {
		rng := rand.New(rand.NewPCG(seed, 14))
		s := testgraph.Random(seed, testgraph.Options{Simple: rng.IntN(3) > 0, Vertices: 3 + rng.IntN(6), Edges: 3 + rng.IntN(9), Types: 1})
		p := plainPattern(rng, s, 2+rng.IntN(3))
		n := len(p.Vertices)
		for i := len(p.Edges) - 1; i >= 0; i-- { // most patterns fall apart
			if rng.IntN(2) == 0 {
				p.Scopes[0].Edges = slices.DeleteFunc(p.Scopes[0].Edges, func(e int) bool { return e == len(p.Edges)-1 })
				p.Edges = slices.Delete(p.Edges, i, i+1)
			}
		}
		values := valued{seed, 1 + rng.IntN(5)}
		for range 1 + rng.IntN(2) {
			u := rng.IntN(n)
			values.equality(p, u, (u+1+rng.IntN(n-1))%n)
		}
		j := &pattern.Job{Snapshot: s, Pattern: p, Vertices: make([]csr.VertexID, n), Edges: make([]csr.EdgeID, len(p.Edges))}
		for u := range j.Vertices {
			j.Vertices[u] = csr.VertexID(rng.Uint64N(s.N()))
		}
		var err error
		if j.Candidates, err = filter.Run(context.Background(), s, p, &pattern.Env{}); err != nil {
			t.Fatal(err)
		}
		j.Order = randomOrder(rng, p)
		check(t, fmt.Sprintf("seed %d, random order", seed), j, 1+rng.IntN(3))
		sizes := make([]float64, n)
		for u, c := range j.Candidates.Sets {
			sizes[u] = float64(c.Len())
		}
		j.Order = match.OrderFor(match.Filtered, &match.Question{Pattern: p, Snapshot: s, Sizes: sizes}).Order
		check(t, fmt.Sprintf("seed %d, the planner's order", seed), j, 1+rng.IntN(3))
		j.ReadPrefix = 1 + rng.IntN(n)
		readTail(t, seed, j)
	}
}

// readTail compares the numbers of matches by the vertices of the first steps with brute force.
func readTail(t *testing.T, seed uint64, j *pattern.Job) {
	t.Helper()
	want, got := newPrefixes(j.Order, j.ReadPrefix), newPrefixes(j.Order, j.ReadPrefix)
	if err := (testgraph.Brute{}).Match(context.Background(), j, &pattern.Env{}, want); err != nil {
		t.Fatal(err)
	}
	if err := join.Match(context.Background(), j, &pattern.Env{Workers: 2}, got); err != nil {
		t.Fatal(err)
	}
	if !maps.Equal(got.found, want.found) {
		t.Fatalf("seed %d: first %d steps of %+v: found %v, want %v\n%v", seed, j.ReadPrefix, j.Order, got.found, want.found, j.Pattern)
	}
}

// TestValueListsWithoutRoom has no memory for lists: the search goes through all pairs.
func TestValueListsWithoutRoom(t *testing.T) {
	defer join.AllValueLists()()
	s := testgraph.Random(3, testgraph.Options{Vertices: 40, Edges: 3, Types: 1})
	p := chain(pattern.DifferentRelationships, 2, false)
	p.Edges, p.Scopes[0].Edges = nil, nil
	valued{3, 4}.equality(p, 0, 1)
	j := job(t, s, p)
	want, err := join.Count(context.Background(), j, &pattern.Env{})
	if err != nil || want.Lo == 0 {
		t.Fatal(want, err)
	}
	made := uint64(0)
	for limit := int64(1); limit < 2000; limit += 97 {
		env := &pattern.Env{Memory: &pattern.Memory{Limit: limit}, Tally: new(pattern.Tally)}
		if n, err := join.Count(context.Background(), j, env); err != nil || n != want {
			t.Errorf("limit %d: %v (%v), want %v", limit, n, err, want)
		}
		if used := env.Memory.Used(); used != 0 {
			t.Errorf("limit %d: %d bytes not given back", limit, used)
		}
		made += env.Tally.Taken[pattern.ValueLists].Load()
	}
	if made == 0 || made == 21 {
		t.Errorf("lists were made %d times of 21", made)
	}
}
