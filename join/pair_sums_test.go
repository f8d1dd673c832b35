package join_test

import (
	"context"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/join"
	"github.com/motifql/motif/planner/match"
)

// pairNumbers is a sink that adds up the matches by the two vertices that it reads.
type pairNumbers struct {
	read   []int
	rows   int
	mu     sync.Mutex
	repeat bool // a batch said that its rows are distinct, and one was not
	found  map[[2]csr.VertexID]uint64
}

func (c *pairNumbers) NeedEdges() bool     { return false }
func (c *pairNumbers) ReadVertices() []int { return c.read }
func (c *pairNumbers) ReadEdges() []int    { return nil }
func (c *pairNumbers) Repeats() bool       { return false }
func (c *pairNumbers) BatchRows() int      { return c.rows }

func (c *pairNumbers) Emit(batch []pattern.Embedding) (bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range batch {
		c.found[[2]csr.VertexID{m.Vertices[c.read[0]], m.Vertices[c.read[1]]}] += m.Weight
	}
	return true, nil
}

func (c *pairNumbers) EmitColumns(b *pattern.Columns) (bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range b.Len {
		at, n := [2]csr.VertexID{b.Vertices[0][i], b.Vertices[1][i]}, uint64(1)
		if len(b.Weights) > 0 {
			n = b.Weights[i]
		}
		c.repeat = c.repeat || b.Distinct && c.found[at] > 0
		c.found[at] += n
	}
	return true, nil
}

// randomConditions adds conditions on two vertices to p. It returns comparisons of numbers that have the same answers as some.
func randomConditions(rng *rand.Rand, s *csr.Snapshot, p *pattern.Pattern, read [2]int) (found []pattern.Comparison) {
	for range rng.IntN(3) {
		a, b := read[0], read[1]
		switch rng.IntN(4) {
		case 0:
			absent(rng, s, p, a, b)
		case 1:
			absent(rng, s, p, b, a)
		case 2:
			salt := csr.VertexID(rng.IntN(10))
			p.Predicates = append(p.Predicates, pattern.Predicate{Text: "odd", Vertices: []int{a, b}, Test: func(v []csr.VertexID, _ []csr.EdgeID) (bool, error) { return (v[a]+3*v[b]+salt)%4 < 3, nil }})
		default:
			x := pattern.Comparison{Predicate: len(p.Predicates), Less: rng.IntN(2) == 0, Equal: rng.IntN(2) == 0, Greater: rng.IntN(2) == 0}
			for i := range x.Numbers {
				for range s.N() {
					x.Numbers[i] = append(x.Numbers[i], int64(rng.IntN(4)))
				}
			}
			p.Predicates = append(p.Predicates, pattern.Predicate{Text: "compare", Vertices: []int{b, a}, Test: func(v []csr.VertexID, _ []csr.EdgeID) (bool, error) {
				m, n := x.Numbers[0][v[a]], x.Numbers[1][v[b]]
				return m < n && x.Less || m == n && x.Equal || m > n && x.Greater, nil
			}})
			found = append(found, x)
		}
	}
	return found
}

// TestPairSums compares counts by two vertices with brute force, in every mode, on graphs with loops, parallel and reciprocal
// relationships, types and labels, and with conditions on the two vertices.
func TestPairSums(t *testing.T) {
	defer join.AlwaysFormula()()
	defer join.AlwaysPairs()()
	taken, several, conditional := 0, 0, 0
	for seed := range rounds(2000) {
		rng := rand.New(rand.NewPCG(seed, 61))
		s := testgraph.Random(seed, testgraph.Options{Simple: rng.IntN(3) == 0, Vertices: 3 + rng.IntN(5), Edges: 4 + rng.IntN(14), Types: 1 + rng.IntN(2), Labels: 2})
		p := formulaPattern(rng, s)
		if rng.IntN(3) == 0 {
			p = cyclicPattern(rng, s, cyclic)
		}
		if len(p.Vertices) < 3 {
			continue
		}
		perm := rng.Perm(len(p.Vertices))
		read := [2]int{perm[0], perm[1]}
		comparisons := randomConditions(rng, s, p, read)
		j := job(t, s, p)
		j.Order = match.OrderFor(match.Filtered, &match.Question{Pattern: p, Snapshot: s, Sizes: sizesOf(j)}).Order
		pairs, _ := match.Pairs(p, s, read, 1e12)
		if pairs == nil {
			continue
		}
		if rng.IntN(2) == 0 {
			pairs.Compare = func() ([]pattern.Comparison, error) { return comparisons, nil }
		}
		found := func() *pairNumbers {
			return &pairNumbers{read: slices.Clone(read[:]), rows: 1 + rng.IntN(5), found: map[[2]csr.VertexID]uint64{}}
		}
		want, got := found(), found()
		if err := (testgraph.Brute{}).Match(context.Background(), j, &pattern.Env{}, want); err != nil {
			t.Fatal(err)
		}
		j.Pairs = pairs
		if rng.IntN(2) == 0 {
			slices.Reverse(got.read)
		}
		env := &pattern.Env{Workers: 1 + rng.IntN(3), Tally: new(pattern.Tally), Memory: new(pattern.Memory)}
		if err := join.Match(context.Background(), j, env, got); err != nil {
			t.Fatal(err)
		}
		if got.read[0] != read[0] {
			turned := map[[2]csr.VertexID]uint64{}
			for at, n := range got.found {
				turned[[2]csr.VertexID{at[1], at[0]}] = n
			}
			got.found = turned
		}
		if !maps.Equal(got.found, want.found) || got.repeat {
			t.Fatalf("seed %d: pairs %v (%v), want %v\n%v\n%v\n%v", seed, got.found, got.repeat, want.found, p, pairs.Formula, s.Stats)
		}
		if used := env.Memory.Used(); used != 0 {
			t.Fatalf("seed %d: %d bytes of the memory budget not given back", seed, used)
		}
		if n := env.Tally.Taken[pattern.PairSums].Load(); n > 0 {
			if taken++; int(n) != len(got.found) {
				t.Fatalf("seed %d: %d pairs, counted %d", seed, len(got.found), n)
			}
			if len(pairs.Formula.Terms) > 1 {
				several++
			}
			if len(pairs.Conditions) > 0 {
				conditional++
			}
		}
	}
	if least := int(rounds(2000)) / 40; taken < 2*least || several < least || conditional < least {
		t.Errorf("%d patterns counted by pairs, %d by several terms, %d with conditions", taken, several, conditional)
	}
}

// TestPairSumsLimits looks at counts by two vertices that do not fit, run out of memory, are cancelled, or are not wanted any more.
func TestPairSumsLimits(t *testing.T) {
	defer join.AlwaysPairs()()
	s := testgraph.Random(3, testgraph.Options{Simple: true, Vertices: 60, Edges: 900, Types: 1, Labels: 1})
	p := &pattern.Pattern{Vertices: make([]pattern.Vertex, 5), Scopes: []pattern.Scope{{Mode: pattern.RepeatableElements, Vertices: []int{0, 1, 2, 3, 4}, Edges: []int{0, 1, 2, 3}}}}
	for i := range 4 {
		p.Edges = append(p.Edges, pattern.Edge{From: i, To: i + 1, Undirected: true})
	}
	j := job(t, s, p)
	j.Order = match.OrderFor(match.Filtered, &match.Question{Pattern: p, Snapshot: s, Sizes: sizesOf(j)}).Order
	if j.Pairs, _ = match.Pairs(p, s, [2]int{0, 4}, 1e12); j.Pairs == nil {
		t.Fatal("no pairs")
	}
	run := func(ctx context.Context, memory int64, rows int) (*pairNumbers, *pattern.Env, error) {
		sink := &pairNumbers{read: []int{0, 4}, rows: 8, found: map[[2]csr.VertexID]uint64{}}
		env := &pattern.Env{Workers: 2, Tally: new(pattern.Tally), Memory: new(pattern.Memory)}
		if memory > 0 {
			env.Memory.Limit = memory
		}
		return sink, env, join.Match(ctx, j, env, &fewRows{sink, rows})
	}
	whole, env, err := run(t.Context(), 0, 1<<30)
	if err != nil || env.Tally.Taken[pattern.PairSums].Load() == 0 {
		t.Fatal("no pairs", err)
	}
	if small, env, err := run(t.Context(), 2000, 1<<30); err != nil || env.Tally.Taken[pattern.PairSums].Load() > 0 || !maps.Equal(small.found, whole.found) {
		t.Error("with little memory a search should count", err)
	} else if env.Memory.Used() != 0 {
		t.Errorf("%d bytes of the memory budget not given back", env.Memory.Used())
	}
	if some, _, err := run(t.Context(), 0, 3); err != nil || len(some.found) >= len(whole.found) {
		t.Errorf("%d of %d pairs for a sink that wants three rows, %v", len(some.found), len(whole.found), err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := run(ctx, 0, 1<<30); err == nil {
		t.Error("a cancelled count ended well")
	}
}

// fewRows is a sink that stops the search after some rows.
type fewRows struct {
	*pairNumbers
	left int
}

func (f *fewRows) EmitColumns(b *pattern.Columns) (bool, error) {
	f.pairNumbers.EmitColumns(b)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.left -= b.Len
	return f.left > 0, nil
}

// TestPairOverflow counts walks whose numbers exceed 63 bits between some vertices.
func TestPairOverflow(t *testing.T) {
	defer join.AlwaysPairs()()
	b := csr.NewBuilder()
	b.Type("R")
	const n = 5
	for range n {
		b.AddVertex()
	}
	for v := range uint32(n - 1) {
		for range 1 << 13 {
			b.AddEdge(v, v+1, 0)
		}
	}
	s, _, err := b.Build(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range [][2]int{{2, 1}, {2, 2}, {2, 3}, {3, 1}, {3, 2}, {4, 1}, {4, 2}} {
		length, edges := x[0], x[1]
		p := &pattern.Pattern{Scopes: []pattern.Scope{{Mode: pattern.RepeatableElements}}}
		sc := &p.Scopes[0]
		for i := range length + 1 {
			p.Vertices, sc.Vertices = append(p.Vertices, pattern.Vertex{}), append(sc.Vertices, i)
		}
		for i := range length {
			for range edges {
				sc.Edges = append(sc.Edges, len(p.Edges))
				p.Edges = append(p.Edges, pattern.Edge{From: i, To: i + 1})
			}
		}
		j := job(t, s, p)
		j.Order = match.OrderFor(match.Filtered, &match.Question{Pattern: p, Snapshot: s, Sizes: sizesOf(j)}).Order
		if j.Pairs, _ = match.Pairs(p, s, [2]int{0, length}, 1e12); j.Pairs == nil {
			t.Fatal("no pairs")
		}
		sink := &pairNumbers{read: []int{0, length}, rows: 8, found: map[[2]csr.VertexID]uint64{}}
		err := join.Match(t.Context(), j, &pattern.Env{Workers: 1, Tally: new(pattern.Tally), Memory: new(pattern.Memory)}, sink)
		bits := 13 * len(p.Edges)
		if fits := bits < 63; fits != (err == nil) {
			t.Errorf("numbers of %d bits: %v", bits, err)
		}
		for at, n := range sink.found {
			if n != 1<<bits {
				t.Errorf("%v: %d, want 2^%d", at, n, bits)
			}
		}
	}
}
