package testgraph

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// graphOf reads "0>1 1>2:S": relationships of type R unless they say another.
func graphOf(t *testing.T, n int, edges string) *csr.Snapshot {
	t.Helper()
	b := csr.NewBuilder()
	b.AddVertices(n)
	b.Type("R")
	b.Type("S")
	for _, word := range strings.Fields(edges) {
		typ := b.Type("R")
		if ends, name, ok := strings.Cut(word, ":"); ok {
			word, typ = ends, b.Type(name)
		}
		b.AddEdge(uint32(word[0]-'0'), uint32(word[2]-'0'), typ)
	}
	s, _, err := b.Build(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// patternOf reads "a-b b>c c=d e": undirected, directed and AtLeastOne edges and single vertices, all in one
// scope. A suffix such as :S restricts the type.
func patternOf(text string, mode pattern.Mode) *pattern.Pattern {
	p := &pattern.Pattern{Scopes: []pattern.Scope{{Mode: mode}}}
	s := &p.Scopes[0]
	at := map[byte]int{}
	use := func(name byte) int {
		u, ok := at[name]
		if !ok {
			u = len(p.Vertices)
			at[name] = u
			p.Vertices = append(p.Vertices, pattern.Vertex{Name: string(name)})
			s.Vertices, s.Order = append(s.Vertices, u), append(s.Order, u)
		}
		return u
	}
	for _, word := range strings.Fields(text) {
		ends, typ, typed := strings.Cut(word, ":")
		from := use(ends[0])
		if len(ends) == 1 {
			continue
		}
		e := len(p.Edges)
		s.Edges, s.Order = append(s.Edges, e), append(s.Order, ^e)
		p.Edges = append(p.Edges, pattern.Edge{From: from, To: use(ends[2]), Undirected: ends[1] != '>', AtLeastOne: ends[1] == '='})
		if typed {
			p.Edges[e].Types = csr.TypeSet{map[string]csr.TypeID{"R": 0, "S": 1}[typ]}
		}
	}
	return p
}

func jobOf(s *csr.Snapshot, p *pattern.Pattern) *pattern.Job {
	return &pattern.Job{Snapshot: s, Pattern: p, Vertices: make([]csr.VertexID, len(p.Vertices)), Edges: make([]csr.EdgeID, len(p.Edges))}
}

func countOf(t *testing.T, j *pattern.Job) uint64 {
	t.Helper()
	c, err := Brute{}.Count(t.Context(), j, &pattern.Env{})
	if err != nil {
		t.Fatal(err)
	}
	return c.Lo
}

const (
	hom      = pattern.RepeatableElements
	rels     = pattern.DifferentRelationships
	nodes    = pattern.DifferentNodes
	petersen = "0>1 1>2 2>3 3>4 4>0 0>5 1>6 2>7 3>8 4>9 5>7 7>9 9>6 6>8 8>5"
	both3    = "0>1 1>0 1>2 2>1 2>0 0>2"
)

func TestBruteModes(t *testing.T) {
	for _, c := range []struct {
		n            int
		graph        string
		pattern      string
		hom, rel, nd uint64
	}{
		{2, "0>1", "a", 2, 2, 2},
		{2, "0>1", "a b", 4, 4, 2},
		{2, "0>1", "a>b", 1, 1, 1},
		{2, "0>1", "a-b", 2, 2, 2},
		{2, "0>1", "a-b b-c", 2, 0, 0},
		{2, "0>1", "a>b c>d", 1, 0, 0},
		{3, "0>1 0>2", "a>b a>c", 4, 2, 2},
		{3, "0>1 1>2", "a>b b>c", 1, 1, 1},
		// loops: an undirected edge matches one once
		{1, "0>0", "a-b", 1, 1, 0},
		{1, "0>0", "a>b", 1, 1, 0},
		{1, "0>0", "a-a", 1, 1, 1},
		{1, "0>0 0>0", "a-a", 2, 2, 2},
		{1, "0>0", "a-b b-c", 1, 0, 0},
		// parallel and reciprocal relationships count one by one
		{2, "0>1 0>1", "a>b", 2, 2, 2},
		{2, "0>1 0>1", "a-b", 4, 4, 4},
		{2, "0>1 0>1", "a-b a-b", 8, 4, 4},
		{2, "0>1 1>0", "a>b b>a", 2, 2, 2},
		{2, "0>1 1>0", "a>b", 2, 2, 2},
		{2, "0>1 0>1", "a-b b-c", 8, 4, 0},
		// AtLeastOne: as adjacency, and its ends differ in every mode
		{2, "0>1 0>1", "a=b", 2, 2, 2},
		{1, "0>0", "a=b", 0, 0, 0},
		{3, both3, "a=b b=c c=a", 6, 6, 6},
		// types
		{2, "0>1 0>1:S", "a>b:S", 1, 1, 1},
		{2, "0>1 0>1:S", "a-b:R a-b:S", 2, 2, 2},
		{2, "0>1 0>1:S", "a-b a-b:S", 4, 2, 2},
		// known counts
		{3, both3, "a-b b-c c-a", 48, 48, 48},
		{3, both3, "a>b b>c c>a", 6, 6, 6},
		{3, "0>1 1>2 2>0", "a-b b-c c-a", 6, 6, 6},
		{10, petersen, "a-b b-c c-d d-e e-a", 120, 120, 120},
		{10, petersen, "a-b b-c c-a", 0, 0, 0},
		{10, petersen, "a-b b-c", 90, 60, 60},
	} {
		s := graphOf(t, c.n, c.graph)
		for mode, want := range map[pattern.Mode]uint64{hom: c.hom, rels: c.rel, nodes: c.nd} {
			if got := countOf(t, jobOf(s, patternOf(c.pattern, mode))); got != want {
				t.Errorf("%s in %s, mode %d: %d, want %d", c.pattern, c.graph, mode, got, want)
			}
		}
	}
}

func TestBruteSubgraphs(t *testing.T) {
	const k4 = "0>1 0>2 0>3 1>2 1>3 2>3"
	for _, c := range []struct {
		n                         int
		graph, pattern            string
		types                     csr.TypeSet
		induced, distinct, either uint64 // either: distinct and induced
	}{
		{3, both3, "a-b b-c c-a", nil, 0, 8, 0},
		{3, "0>1 1>2 2>0", "a-b b-c", nil, 0, 3, 0},
		{4, "0>1 1>2 2>3 3>0", "a-b b-c", nil, 8, 4, 4},
		{4, "0>1 1>2 2>3 3>0", "a-b b-c c-d d-a", nil, 8, 1, 1},
		{4, k4, "a-b b-c c-d d-a", nil, 0, 3, 0},
		{4, k4, "a-b b-c c-a", nil, 24, 4, 4},
		{4, k4, "a=b b=c c=d d=a a=c b=d", nil, 24, 1, 1},
		{10, petersen, "a-b b-c c-d d-e e-a", nil, 120, 12, 12},
		{4, "0>1 0>2 0>3", "h-x h-y h-z", nil, 6, 1, 1},
		{2, "0>1", "a b", nil, 0, 1, 0},
		{3, "0>1", "a b", nil, 4, 3, 2},
		// loops are ignored, further relationships of the types are not
		{2, "0>1 0>0", "a>b", nil, 1, 1, 1},
		{2, "0>1 0>1", "a>b", nil, 0, 2, 0},
		{2, "0>1 0>1", "a-b a-b", nil, 4, 1, 1},
		{2, "0>1 1>0", "a>b", nil, 0, 2, 0},
		{2, "0>1 1>0:S", "a>b:R", csr.TypeSet{0}, 1, 1, 1},
		{2, "0>1 1>0:S", "a>b:R", nil, 0, 1, 0},
		{2, "0>1 1>0:S", "a b", csr.TypeSet{}, 2, 1, 1},
	} {
		s := graphOf(t, c.n, c.graph)
		run := func(induced, distinct bool, want uint64) {
			t.Helper()
			p := patternOf(c.pattern, nodes)
			p.Scopes[0].Induced, p.Scopes[0].Distinct, p.Scopes[0].InducedTypes = induced, distinct, c.types
			if got := countOf(t, jobOf(s, p)); got != want {
				t.Errorf("%s in %s, induced %t, distinct %t: %d, want %d", c.pattern, c.graph, induced, distinct, got, want)
			}
		}
		run(true, false, c.induced)
		run(false, true, c.distinct)
		run(true, true, c.either)
	}
}

func TestBruteBoundAndDifferent(t *testing.T) {
	s := graphOf(t, 4, "0>1 0>2 0>3")
	hub, _ := s.VertexByNodeID(0)
	p := patternOf("a>b a>c", hom)
	p.Different = [][2]int{{1, 2}}
	j := jobOf(s, p)
	if got := countOf(t, j); got != 6 {
		t.Errorf("different: %d", got)
	}
	p.Vertices[0].Bound = true
	for v := range csr.VertexID(4) {
		j.Vertices[0] = v
		want := uint64(0)
		if v == hub {
			want = 6
		}
		if got := countOf(t, j); got != want {
			t.Errorf("a bound to %d: %d", v, got)
		}
	}
	p.Vertices[0].Bound, p.Edges[1].Bound, j.Edges[1] = false, true, 2
	if got := countOf(t, j); got != 2 {
		t.Errorf("edge bound: %d", got)
	}
	j.Edges[1] = csr.NoEdge
	if got := countOf(t, j); got != 0 {
		t.Errorf("edge bound to nothing: %d", got)
	}
}

func TestBruteScopes(t *testing.T) {
	s := graphOf(t, 2, "0>1")
	p := patternOf("a>b c>d", nodes)
	p.Edges[1].Scope = 1
	p.Scopes = []pattern.Scope{
		{Mode: nodes, Vertices: []int{0, 1}, Edges: []int{0}, Order: []int{0, ^0, 1}},
		{Mode: nodes, Vertices: []int{2, 3}, Edges: []int{1}, Order: []int{2, ^1, 3}},
	}
	if got := countOf(t, jobOf(s, p)); got != 1 {
		t.Errorf("uniqueness across scopes: %d", got)
	}
}

func TestBruteDistinctRepresentative(t *testing.T) {
	s := graphOf(t, 3, "0>1 1>2 2>0")
	id := func(v csr.VertexID) csr.NodeID { return s.NodeID(v) }
	smallest := func(test pattern.Test) (tuples [][3]csr.NodeID) {
		p := patternOf("a-b b-c c-a", nodes)
		p.Scopes[0].Distinct = true
		if test != nil {
			p.Predicates = []pattern.Predicate{{Test: test}}
		}
		err := Brute{}.Match(t.Context(), jobOf(s, p), &pattern.Env{}, emitter(func(b []pattern.Embedding) (bool, error) {
			v := b[0].Vertices
			tuples = append(tuples, [3]csr.NodeID{id(v[0]), id(v[1]), id(v[2])})
			return true, nil
		}))
		if err != nil {
			t.Fatal(err)
		}
		return tuples
	}
	if got := smallest(nil); len(got) != 1 || got[0] != [3]csr.NodeID{0, 1, 2} {
		t.Errorf("got %v", got)
	}
	// The condition chooses among the matches before the smallest is taken.
	got := smallest(func(v []csr.VertexID, _ []csr.EdgeID) (bool, error) { return id(v[0]) > id(v[1]), nil })
	if len(got) != 1 || got[0] != [3]csr.NodeID{1, 0, 2} {
		t.Errorf("got %v", got)
	}
}

// edgeSink keeps edges.
type edgeSink struct {
	t    *testing.T
	s    *csr.Snapshot
	p    *pattern.Pattern
	seen int
	stop int
}

func (k *edgeSink) NeedEdges() bool { return true }
func (k *edgeSink) Emit(batch []pattern.Embedding) (bool, error) {
	for _, m := range batch {
		k.seen++
		for i, q := range k.p.Edges {
			if q.AtLeastOne {
				if m.Edges[i] != csr.NoEdge {
					k.t.Error("an AtLeastOne edge is bound")
				}
				continue
			}
			src, dst := k.s.Endpoints(m.Edges[i])
			v, w := m.Vertices[q.From], m.Vertices[q.To]
			if !(src == v && dst == w) && !(q.Undirected && src == w && dst == v) || m.Weight != 1 {
				k.t.Errorf("edge %d is bound to %d>%d between %d and %d", i, src, dst, v, w)
			}
		}
	}
	return k.seen != k.stop, nil
}

func TestBruteEdgesAndStop(t *testing.T) {
	s := graphOf(t, 3, both3+" 0>0")
	p := patternOf("a-b b>c c=a", rels)
	sink := &edgeSink{t: t, s: s, p: p}
	env := &pattern.Env{Tally: new(pattern.Tally)}
	if err := (Brute{}).Match(t.Context(), jobOf(s, p), env, sink); err != nil || sink.seen == 0 || env.Tally.Embeddings.Load() != uint64(sink.seen) {
		t.Fatal(err, sink.seen)
	}
	sink = &edgeSink{t: t, s: s, p: p, stop: 3}
	if err := (Brute{}).Match(t.Context(), jobOf(s, p), env, sink); err != nil || sink.seen != 3 {
		t.Fatal(err, sink.seen)
	}
}

func TestBruteLimits(t *testing.T) {
	s := Graph(40, ER(40, 300, 1), true)
	j := jobOf(s, patternOf("a-b b-c c-d d-e e-f", nodes))
	ctx, cancel := context.WithCancel(t.Context())
	sink := emitter(func([]pattern.Embedding) (bool, error) { cancel(); return true, nil })
	if err := (Brute{}).Match(ctx, j, &pattern.Env{}, sink); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := (Brute{}).Count(ctx, jobOf(s, patternOf("a", nodes)), &pattern.Env{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled before: %v", err)
	}
	j.Pattern.Scopes[0].Distinct = true
	env := &pattern.Env{Memory: &pattern.Memory{Limit: 10_000}}
	if _, err := (Brute{}).Count(t.Context(), j, env); !errors.Is(err, pattern.ErrMemory) {
		t.Errorf("memory: %v", err)
	}
	if used := env.Memory.Used(); used != 0 {
		t.Errorf("%d bytes not given back", used)
	}
	boom := errors.New("boom")
	p := patternOf("a-b", nodes)
	p.Predicates = []pattern.Predicate{{Test: func([]csr.VertexID, []csr.EdgeID) (bool, error) { return false, boom }}}
	if _, err := (Brute{}).Count(t.Context(), jobOf(s, p), &pattern.Env{}); err != boom {
		t.Errorf("predicate: %v", err)
	}
	p.Predicates[0].Test = nil
	if _, err := (Brute{}).Count(t.Context(), jobOf(s, p), &pattern.Env{}); err == nil {
		t.Error("a predicate without test passed")
	}
}

// TestBruteAgainstMatrixPowers counts homomorphisms of cycles: the trace of a power of the matrix of relationship
// counts.
func TestBruteAgainstMatrixPowers(t *testing.T) {
	for seed := range uint64(40) {
		s := Random(seed, Options{})
		n := int(s.N())
		for _, q := range []struct {
			pattern    string
			undirected bool
		}{{"a>b b>c c>a", false}, {"a-b b-c c-a", true}, {"a-b b-c c-d d-a", true}, {"a>b b>c c>d d>a", false}} {
			if n > 8 && len(q.pattern) > 11 {
				continue
			}
			a := make([][]uint64, n)
			for i := range a {
				a[i] = make([]uint64, n)
			}
			for e := range s.AllEdges() {
				v, w := s.Endpoints(e)
				a[v][w]++
				if q.undirected && v != w {
					a[w][v]++
				}
			}
			power := a
			for range strings.Count(q.pattern, " ") {
				power = multiply(power, a)
			}
			want := uint64(0)
			for i := range n {
				want += power[i][i]
			}
			if got := countOf(t, jobOf(s, patternOf(q.pattern, hom))); got != want {
				t.Fatalf("seed %d: %s: %d, want %d", seed, q.pattern, got, want)
			}
		}
	}
}

func multiply(a, b [][]uint64) [][]uint64 {
	c := make([][]uint64, len(a))
	for i := range a {
		c[i] = make([]uint64, len(a))
		for j := range a {
			for k := range a {
				c[i][j] += a[i][k] * b[k][j]
			}
		}
	}
	return c
}

func TestBruteLabels(t *testing.T) {
	b := csr.NewBuilder()
	x, y := b.Label("X"), b.Label("Y")
	b.AddVertex()
	b.AddVertex(x)
	b.AddVertex(y)
	b.AddVertex(x, y)
	s, _, err := b.Build(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	isX, isY := &pattern.Label{ID: x}, &pattern.Label{ID: y}
	for want, l := range map[uint64]*pattern.Label{
		4: nil, 2: isX, 3: {Op: pattern.LabelAny}, 1: {Op: pattern.LabelAnd, Args: []*pattern.Label{isX, isY}}, 0: {Unknown: true},
	} {
		p := patternOf("a", rels)
		p.Vertices[0].Labels = l
		if got := countOf(t, jobOf(s, p)); got != want {
			t.Errorf("%v: %d, want %d", l, got, want)
		}
	}
}

func TestBruteFilter(t *testing.T) {
	s := Random(1, Options{Vertices: 7})
	c, err := Brute{}.Filter(t.Context(), s, patternOf("a-b", rels), &pattern.Env{})
	if err != nil || len(c.Sets) != 2 || c.Sets[1].Len() != 7 {
		t.Fatal(c, err)
	}
}

func TestBruteCliques(t *testing.T) {
	s := Graph(9, Cliques(2, 5, 4), true)
	env := &pattern.Env{}
	count := func(c pattern.Clique) uint64 {
		t.Helper()
		got, err := Brute{}.CountCliques(t.Context(), s, &c, env)
		if err != nil {
			t.Fatal(err)
		}
		return got.Lo
	}
	all := func(k int) pattern.Clique {
		return pattern.Clique{K: k, Sets: []*pattern.CandidateSet{nil}, Sizes: []int{k}}
	}
	for k, want := range []uint64{1: 9, 2: 16, 3: 14, 4: 6, 5: 1, 6: 0} {
		if k > 0 && count(all(k)) != want {
			t.Errorf("%d-cliques: %d, want %d", k, count(all(k)), want)
		}
	}
	var five []csr.VertexID // the vertices of the 5-clique
	if err := (Brute{}).ListCliques(t.Context(), s, &pattern.Clique{K: 5, Sets: []*pattern.CandidateSet{nil}, Sizes: []int{5}}, env,
		func(c []csr.VertexID) (bool, error) { five = append(five, c...); return true, nil }); err != nil {
		t.Fatal(err)
	}
	two := pattern.NewCandidateSet(9, append([]csr.VertexID(nil), five[:2]...))
	three := pattern.NewCandidateSet(9, append([]csr.VertexID(nil), five[2:]...))
	if got := count(pattern.Clique{K: 3, Sets: []*pattern.CandidateSet{two, three}, Sizes: []int{1, 2}}); got != 6 {
		t.Errorf("grouped: %d", got)
	}
	if got := count(pattern.Clique{K: 3, Types: csr.TypeSet{}, Sets: []*pattern.CandidateSet{nil}, Sizes: []int{3}}); got != 0 {
		t.Errorf("without types: %d", got)
	}
	seen := 0
	three3 := all(3)
	if err := (Brute{}).ListCliques(t.Context(), s, &three3, env, func([]csr.VertexID) (bool, error) { seen++; return seen < 2, nil }); err != nil || seen != 2 {
		t.Error(err, seen)
	}
	three3.Sizes = []int{2}
	if _, err := (Brute{}).CountCliques(t.Context(), s, &three3, env); err == nil {
		t.Error("sizes that do not add up passed")
	}
}
