package join_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/motifql/motif/filter"
	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/join"
)

// complete is the graph in which every two of n vertices are joined, each pair by several relationships.
func complete(t testing.TB, n, parallel int) *csr.Snapshot {
	b := csr.NewBuilder()
	b.AddVertices(n)
	e := b.Type("E")
	for u := range uint32(n) {
		for v := range u {
			for range parallel {
				b.AddEdge(u, v, e)
			}
		}
	}
	s, _, err := b.Build(context.Background(), 1)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// chain is a path of k vertices, or a cycle.
func chain(mode pattern.Mode, k int, closed bool) *pattern.Pattern {
	p := &pattern.Pattern{Vertices: make([]pattern.Vertex, k), Scopes: []pattern.Scope{{Mode: mode}}}
	sc := &p.Scopes[0]
	for u := range k {
		sc.Vertices = append(sc.Vertices, u)
		if u > 0 {
			p.Edges = append(p.Edges, pattern.Edge{From: u - 1, To: u, Undirected: true})
		}
	}
	if closed {
		p.Edges = append(p.Edges, pattern.Edge{From: k - 1, To: 0, Undirected: true})
	}
	for i := range p.Edges {
		sc.Edges = append(sc.Edges, i)
	}
	return p
}

func job(t testing.TB, s *csr.Snapshot, p *pattern.Pattern) *pattern.Job {
	c, err := filter.Run(context.Background(), s, p, &pattern.Env{})
	if err != nil {
		t.Fatal(err)
	}
	seq := make([]int, len(p.Vertices))
	for i := range seq {
		seq[i] = i
	}
	return &pattern.Job{Snapshot: s, Pattern: p, Candidates: c, Order: orderOf(p, seq...)}
}

// taker is a sink that stops after some embeddings, or fails.
type taker struct {
	left int64
	err  error
	got  atomic.Int64
}

func (*taker) NeedEdges() bool { return false }

func (s *taker) Emit(batch []pattern.Embedding) (bool, error) {
	if s.got.Add(int64(len(batch))) >= s.left {
		return false, s.err
	}
	return true, nil
}

// TestStop ends searches that would go on for years.
func TestStop(t *testing.T) {
	s := complete(t, 100, 1)
	j := job(t, s, chain(pattern.DifferentNodes, 30, false))
	for _, workers := range []int{1, 4} {
		env := &pattern.Env{Workers: workers}
		sink := &taker{left: 1}
		if err := join.Match(context.Background(), j, env, sink); err != nil || sink.got.Load() > int64(workers) {
			t.Errorf("first match: %v, %d found", err, sink.got.Load())
		}
		sink = &taker{left: 1000}
		if err := join.Match(context.Background(), j, env, sink); err != nil {
			t.Errorf("1000 matches: %v", err)
		}
		failed := errors.New("full")
		sink = &taker{left: 10, err: failed}
		if err := join.Match(context.Background(), j, env, sink); !errors.Is(err, failed) {
			t.Errorf("failing sink: %v", err)
		}
	}
}

// TestCancel cancels searches at work and wants them to end soon. The bound is wide, for busy machines.
func TestCancel(t *testing.T) {
	s := complete(t, 200, 1)
	multi := complete(t, 60, 3)
	edges := chain(pattern.DifferentRelationships, 8, true)
	edges.Predicates = []pattern.Predicate{{Edges: []int{0, 5}, Test: func(_ []csr.VertexID, e []csr.EdgeID) (bool, error) { return e[0] < e[5], nil }}}
	distinct := chain(pattern.DifferentNodes, 8, true)
	distinct.Scopes[0].Distinct = true
	for name, j := range map[string]*pattern.Job{
		"nodes": job(t, s, chain(pattern.DifferentNodes, 12, false)), "relationships": job(t, multi, chain(pattern.DifferentRelationships, 10, true)),
		"edges": job(t, multi, edges), "distinct": job(t, multi, distinct),
	} {
		for _, workers := range []int{1, 3} {
			ctx, cancel := context.WithCancel(context.Background())
			tally := new(pattern.Tally)
			at := make(chan time.Time, 1)
			go func() { // cancels once the search says that it is under way
				for start := time.Now(); tally.Partial.Load() == 0 && time.Since(start) < 5*time.Second; {
					time.Sleep(time.Millisecond)
				}
				at <- time.Now()
				cancel()
			}()
			_, err := join.Count(ctx, j, &pattern.Env{Workers: workers, Tally: tally, Memory: new(pattern.Memory)})
			if ctx.Err() == nil {
				t.Fatalf("%s: done before it was cancelled", name)
			}
			if late := time.Since(<-at); !errors.Is(err, context.Canceled) || late > time.Second {
				t.Errorf("%s, workers %d: %v after %v", name, workers, err, late)
			}
			if tally.Partial.Load() == 0 {
				t.Errorf("%s: nothing in the tally", name)
			}
			if err := join.Match(ctx, j, &pattern.Env{Workers: workers}, &taker{left: 1}); !errors.Is(err, context.Canceled) {
				t.Errorf("%s: starts although cancelled: %v", name, err)
			}
		}
	}
}

// TestBigCounts counts what does not fit into 64 bits, and what does not fit into 128.
func TestBigCounts(t *testing.T) {
	s := complete(t, 101, 1)
	count := func(p *pattern.Pattern) (pattern.Count128, error) {
		return join.Count(context.Background(), job(t, s, p), &pattern.Env{Workers: 2})
	}
	star := func(k int) *pattern.Pattern {
		p := chain(pattern.RepeatableElements, k, false)
		for i := range p.Edges {
			p.Edges[i].From = 0
		}
		return p
	}
	trees, lots := pattern.Count(101), pattern.Count(101) // 101 starts and 100 neighbours each; 101 vertices each
	for k := 1; k <= 19; k++ {
		for _, p := range []*pattern.Pattern{chain(pattern.RepeatableElements, k, false), star(k)} {
			if n, err := count(p); err != nil || n != trees {
				t.Errorf("trees of %d vertices: %v (%v), want %v", k, n, err, trees)
			}
		}
		apart := &pattern.Pattern{Vertices: make([]pattern.Vertex, k), Scopes: []pattern.Scope{{Mode: pattern.RepeatableElements}}}
		if n, err := count(apart); err != nil || n != lots {
			t.Errorf("%d vertices: %v (%v), want %v", k, n, err, lots)
		}
		trees, _ = trees.Mul(100)
		lots, _ = lots.Mul(101)
	}
	for _, p := range []*pattern.Pattern{chain(pattern.RepeatableElements, 22, false), star(22)} {
		if _, err := count(p); !errors.Is(err, pattern.ErrOverflow) {
			t.Errorf("10^44 trees: %v", err)
		}
	}
}

// TestManyRelationships multiplies relationships past 64 bits.
func TestManyRelationships(t *testing.T) {
	b := csr.NewBuilder()
	b.AddVertices(2)
	for range 1000 {
		b.AddEdge(0, 1, b.Type("E"))
	}
	s, _, err := b.Build(context.Background(), 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		mode pattern.Mode
		k    int
		want string
	}{
		{pattern.RepeatableElements, 8, "2000000000000000000000"}, // 2 * 1000^7
		{pattern.DifferentRelationships, 5, "1988021988000"},      // 2 * 1000 * 999 * 998 * 997
		{pattern.DifferentNodes, 2, "2000"},
	} {
		for _, workers := range []int{1, 2} {
			n, err := join.Count(context.Background(), job(t, s, chain(c.mode, c.k, false)), &pattern.Env{Workers: workers})
			if err != nil || n.String() != c.want {
				t.Errorf("mode %d: %v (%v), want %s", c.mode, n, err, c.want)
			}
		}
	}
}

// TestEmptyPatterns matches patterns without vertices, without free vertices, and without edges.
func TestEmptyPatterns(t *testing.T) {
	s := complete(t, 4, 1)
	yes := func([]csr.VertexID, []csr.EdgeID) (bool, error) { return true, nil }
	no := func([]csr.VertexID, []csr.EdgeID) (bool, error) { return false, nil }
	for _, test := range []pattern.Test{yes, no} {
		p := &pattern.Pattern{Predicates: []pattern.Predicate{{Test: test}}}
		check(t, "no vertices", job(t, s, p), 1)
		p = chain(pattern.DifferentNodes, 2, false)
		p.Predicates = []pattern.Predicate{{Test: test}}
		p.Vertices[0].Bound, p.Vertices[1].Bound, p.Edges[0].Bound = true, true, true
		for _, at := range [][]csr.VertexID{{0, 1}, {1, 0}, {0, 0}, {2, 3}} {
			j := job(t, s, p)
			j.Vertices, j.Edges = at, []csr.EdgeID{0}
			check(t, "all bound", j, 2)
		}
		p.Edges = append(p.Edges, p.Edges[0])
		p.Scopes[0] = pattern.Scope{Vertices: []int{0, 1}, Edges: []int{0, 1}}
		for _, given := range []csr.EdgeID{0, 1} {
			j := job(t, complete(t, 4, 2), p)
			j.Vertices, j.Edges = []csr.VertexID{1, 0}, []csr.EdgeID{0, given}
			check(t, "one relationship given twice", j, 1)
		}
		p = &pattern.Pattern{Vertices: make([]pattern.Vertex, 3), Scopes: []pattern.Scope{{Mode: pattern.DifferentNodes, Vertices: []int{0, 1, 2}}}}
		p.Predicates = []pattern.Predicate{{Vertices: []int{0, 2}, Test: test}}
		check(t, "no edges", job(t, s, p), 2)
	}
}

// TestPredicateErrors wants the error of a predicate, wherever it is tested, and only where a match depends on it.
func TestPredicateErrors(t *testing.T) {
	s := complete(t, 5, 2)
	bad := errors.New("not a number")
	for name, q := range map[string]pattern.Predicate{
		"nothing": {}, "vertex": {Vertices: []int{1}}, "vertices": {Vertices: []int{0, 1}}, "edge": {Edges: []int{0}}, "edges": {Edges: []int{0, 1}},
	} {
		p := chain(pattern.DifferentNodes, 3, false)
		q.Test = func([]csr.VertexID, []csr.EdgeID) (bool, error) { return false, bad }
		p.Predicates = []pattern.Predicate{q}
		if _, err := join.Count(context.Background(), job(t, s, p), &pattern.Env{Workers: 2}); !errors.Is(err, bad) {
			t.Errorf("%s: Count gives %v", name, err)
		}
		if err := join.Match(context.Background(), job(t, s, p), &pattern.Env{Workers: 2}, &taker{left: 1}); !errors.Is(err, bad) {
			t.Errorf("%s: Match gives %v", name, err)
		}
	}
}

// TestWithoutCandidates leaves filtering to the join.
func TestWithoutCandidates(t *testing.T) {
	j := job(t, complete(t, 6, 1), chain(pattern.DifferentNodes, 3, true))
	j.Candidates = nil
	if n, err := join.Count(context.Background(), j, &pattern.Env{}); err != nil || n != pattern.Count(120) {
		t.Errorf("%v (%v)", n, err)
	}
	j.Order.Steps = j.Order.Steps[:2]
	if _, err := join.Count(context.Background(), j, &pattern.Env{}); err == nil {
		t.Error("an order without all vertices is taken")
	}
}

// TestTightMemory runs with a budget that leaves no room for tables and bitmaps, which only speed things up.
func TestTightMemory(t *testing.T) {
	defer join.Tiny(1)()
	for seed := range rounds(200) {
		rng := rand.New(rand.NewPCG(seed, 5))
		s := testgraph.Random(seed, testgraph.Options{Simple: true, Vertices: 6, Edges: 12, Types: 1})
		j := job(t, s, plainPattern(rng, s, 4))
		j.Order = randomOrder(rng, j.Pattern)
		j.Vertices, j.Edges = make([]csr.VertexID, 4), make([]csr.EdgeID, len(j.Pattern.Edges))
		want, err := join.Count(context.Background(), j, &pattern.Env{})
		if err != nil {
			t.Fatal(err)
		}
		m := &pattern.Memory{Limit: 1}
		if got, err := join.Count(context.Background(), j, &pattern.Env{Memory: m}); err != nil || got != want || m.Used() != 0 {
			t.Fatalf("seed %d: %v (%v), want %v; %d bytes left taken", seed, got, err, want, m.Used())
		}
	}
}

// TestSpread searches below a single root on several workers.
func TestSpread(t *testing.T) {
	s := complete(t, 40, 1)
	p := chain(pattern.DifferentNodes, 5, false)
	p.Vertices[0].Bound = true
	j := job(t, s, p)
	j.Vertices, j.Edges = make([]csr.VertexID, 5), make([]csr.EdgeID, 4)
	p.Predicates = []pattern.Predicate{{Vertices: []int{3, 4}, Test: func(v []csr.VertexID, _ []csr.EdgeID) (bool, error) { return v[3] < v[4], nil }}}
	for _, workers := range []int{1, 2, 5} {
		tally := new(pattern.Tally)
		n, err := join.Count(context.Background(), j, &pattern.Env{Workers: workers, Tally: tally})
		if want := uint64(39 * 38 * 37 * 36 / 2); err != nil || n != pattern.Count(want) || tally.Embeddings.Load() != want {
			t.Errorf("workers %d: %v (%v), want %d; tally %d", workers, n, err, want, tally.Embeddings.Load())
		}
	}
}

func TestFirstBatchIsSmall(t *testing.T) {
	sink := &batches{}
	if err := join.Match(context.Background(), job(t, complete(t, 30, 1), chain(pattern.DifferentNodes, 3, false)), &pattern.Env{}, sink); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(sink.sizes[:5], []int{1, 2, 4, 8, 16}) || slices.Max(sink.sizes) > 256 {
		t.Errorf("batches of %v", sink.sizes)
	}
}

type batches struct{ sizes []int }

func (*batches) NeedEdges() bool { return true }
func (b *batches) Emit(batch []pattern.Embedding) (bool, error) {
	b.sizes = append(b.sizes, len(batch))
	return true, nil
}
