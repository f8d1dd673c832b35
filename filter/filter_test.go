package filter_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/motifql/motif/filter"
	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
)

// matched is a sink that notes which vertices each query vertex is matched to.
type matched []map[csr.VertexID]bool

func (matched) NeedEdges() bool { return false }

func (m matched) Emit(batch []pattern.Embedding) (bool, error) {
	for _, x := range batch {
		for u, v := range x.Vertices {
			m[u][v] = true
		}
	}
	return true, nil
}

// rounds is how many random cases to try: fewer in short runs.
func rounds(n uint64) uint64 {
	if testing.Short() {
		return n / 10
	}
	return n
}

// TestSound checks on random graphs and patterns that no vertex of any match is filtered out, in any match mode, with all
// signatures built and with none, and that labels and predicates hold on what is left.
func TestSound(t *testing.T) {
	for seed := range rounds(6000) {
		rng := rand.New(rand.NewPCG(seed, 3))
		s := testgraph.Random(seed, testgraph.Options{Simple: seed%3 == 0})
		p := testgraph.RandomPattern(rng, s)
		j := testgraph.RandomJob(rng, s, p)
		checkSound(t, seed, j, rng.IntN(4) > 0)
	}
}

// TestGathered checks that neighbours gathered from lists give the same candidates as marked ones.
func TestGathered(t *testing.T) {
	for seed := range rounds(3000) {
		rng := rand.New(rand.NewPCG(seed, 5))
		s := testgraph.Random(seed, testgraph.Options{Vertices: 10 + rng.IntN(30), Edges: 5 + rng.IntN(20), Labels: 1 + rng.IntN(3), Types: 1 + rng.IntN(2)})
		p := testgraph.RandomPattern(rng, s)
		env := &pattern.Env{Filter: pattern.FilterRefine}
		marked, err := filter.Run(context.Background(), s, p, env)
		if err != nil {
			t.Fatal(err)
		}
		restore := filter.GatherOften()
		gathered, err := filter.Run(context.Background(), s, p, env)
		restore()
		if err != nil {
			t.Fatal(err)
		}
		for u := range p.Vertices {
			if a, b := marked.Sets[u].List(), gathered.Sets[u].List(); !slices.Equal(a, b) {
				t.Fatalf("seed %d, vertex %d of %v: marked %v, gathered %v", seed, u, p, a, b)
			}
		}
	}
}

// TestRepeatable compares what a repeatable filter leaves on a graph before and after that has forgotten that no relationships are parallel, as it does
// by some changes.
func TestRepeatable(t *testing.T) {
	others := 0
	for seed := uint64(0); seed < rounds(2000) || others == 0 && seed < 2000; seed++ { // a few of them make a difference
		rng := rand.New(rand.NewPCG(seed, 7))
		s := testgraph.Random(seed, testgraph.Options{Simple: seed%4 > 0})
		p := testgraph.RandomPattern(rng, s)
		var lists [2][2][][]csr.VertexID // by what the graph knows, and by whether the filter is repeatable
		for forgotten := range 2 {
			for i := range s.Stats.Types {
				t := &s.Stats.Types[i]
				t.Parallel, t.Reciprocal = t.Parallel || forgotten == 1, t.Reciprocal || forgotten == 1
			}
			for repeatable := range 2 {
				c, err := filter.Run(context.Background(), s, p, &pattern.Env{Repeatable: repeatable == 1})
				if err != nil {
					t.Fatal(err)
				}
				for _, set := range c.Sets {
					lists[forgotten][repeatable] = append(lists[forgotten][repeatable], set.List())
				}
			}
		}
		for u := range p.Vertices {
			if a, b := lists[0][1][u], lists[1][1][u]; !slices.Equal(a, b) {
				t.Fatalf("seed %d, vertex %d of %v: %v and %v", seed, u, p, a, b)
			}
			if !slices.Equal(lists[0][0][u], lists[1][0][u]) {
				others++
			}
		}
	}
	if others == 0 {
		t.Error("the graphs make no difference where they may")
	}
}

// TestSparse checks that short lists give the same candidates as bitmaps.
func TestSparse(t *testing.T) {
	s := testgraph.Random(1, testgraph.Options{Vertices: 6000, Edges: 20000, Labels: 2, Types: 2})
	for seed := range rounds(600) {
		rng := rand.New(rand.NewPCG(seed, 6))
		p := testgraph.RandomPattern(rng, s)
		for u := range p.Vertices {
			if rest := csr.VertexID(rng.IntN(900)); u == 0 || rng.IntN(2) == 0 {
				test := func(at []csr.VertexID, _ []csr.EdgeID) (bool, error) { return at[u]%900 == rest, nil }
				p.Predicates = append(p.Predicates, pattern.Predicate{Vertices: []int{u}, Test: test})
			}
		}
		env := &pattern.Env{Filter: pattern.FilterRefine}
		sparse, err := filter.Run(context.Background(), s, p, env)
		if err != nil {
			t.Fatal(err)
		}
		restore := filter.AlwaysMark()
		marked, err := filter.Run(context.Background(), s, p, env)
		restore()
		if err != nil {
			t.Fatal(err)
		}
		for u := range p.Vertices {
			if a, b := sparse.Sets[u].List(), marked.Sets[u].List(); !slices.Equal(a, b) {
				t.Fatalf("seed %d, vertex %d of %v: by lists %v, by bitmaps %v", seed, u, p, a, b)
			}
		}
	}
}

// TestSoundLabelled does the same on graphs of one type and larger patterns, in which signatures have much to say.
func TestSoundLabelled(t *testing.T) {
	for seed := range rounds(3000) {
		rng := rand.New(rand.NewPCG(seed, 4))
		s := testgraph.Random(seed, testgraph.Options{Simple: seed%3 > 0, Vertices: 3 + rng.IntN(5), Edges: 5 + rng.IntN(12), Labels: 1 + rng.IntN(3), Types: 1})
		checkSound(t, seed, &pattern.Job{Snapshot: s, Pattern: labelledPattern(rng, s)}, true)
	}
}

// labelledPattern is a connected pattern of up to five vertices with many labels.
func labelledPattern(rng *rand.Rand, s *csr.Snapshot) *pattern.Pattern {
	p := &pattern.Pattern{Vertices: make([]pattern.Vertex, 3+rng.IntN(3)), Scopes: make([]pattern.Scope, 1+rng.IntN(2))}
	label := func() *pattern.Label {
		id := csr.LabelID(rng.IntN(s.Labels.Len()))
		return &pattern.Label{ID: id, Name: s.Labels.Name(uint32(id))}
	}
	for i := range p.Scopes {
		p.Scopes[i].Mode = pattern.Mode(rng.IntN(3))
	}
	edge := func(u, w int) {
		e := pattern.Edge{From: u, To: w, Undirected: rng.IntN(4) > 0, AtLeastOne: rng.IntN(8) == 0, Scope: rng.IntN(len(p.Scopes))}
		testgraph.AddEdge(p, e)
	}
	for u := range p.Vertices {
		switch rng.IntN(5) {
		case 0:
		case 1:
			p.Vertices[u].Labels = &pattern.Label{Op: pattern.LabelAnd, Args: []*pattern.Label{label(), label()}}
		default:
			p.Vertices[u].Labels = label()
		}
		if u > 0 {
			edge(rng.IntN(u), u)
		}
	}
	for range rng.IntN(3) {
		if u, w := rng.IntN(len(p.Vertices)), rng.IntN(len(p.Vertices)); u != w {
			edge(u, w)
		}
	}
	return p
}

func checkSound(t *testing.T, seed uint64, j *pattern.Job, signatures bool) {
	t.Helper()
	ctx, p := context.Background(), j.Pattern
	found := make(matched, len(p.Vertices))
	for u := range found {
		found[u] = map[csr.VertexID]bool{}
	}
	if err := (testgraph.Brute{}).Match(ctx, j, &pattern.Env{}, found); err != nil {
		t.Fatal(err)
	}
	if signatures {
		if seed%2 == 0 {
			defer filter.FewBuckets()()
		}
		filter.Spent(j.Snapshot, p, 1<<60)
	}
	env := &pattern.Env{Workers: 1 + int(seed%3), Memory: new(pattern.Memory)}
	if seed%4 == 0 {
		env.Filter = pattern.FilterDepth(seed / 4 % uint64(len(pattern.FilterDepths)))
	}
	c, err := filter.Run(ctx, j.Snapshot, p, env)
	if err != nil {
		t.Fatal(err)
	}
	for u := range found {
		if p.Vertices[u].Bound {
			continue
		}
		for v := range found[u] {
			if !c.Sets[u].Has(v) {
				t.Fatalf("seed %d: vertex %d is matched to query vertex %d but no candidate\n%v\n%v", seed, v, u, p, c)
			}
		}
		checkExact(t, seed, j.Snapshot, p, c, u)
	}
	if used := env.Memory.Used(); used != 0 {
		t.Fatalf("seed %d: %d bytes not given back", seed, used)
	}
}

// checkExact checks what the candidates of u promise for certain.
func checkExact(t *testing.T, seed uint64, s *csr.Snapshot, p *pattern.Pattern, c *pattern.Candidates, u int) {
	t.Helper()
	at := make([]csr.VertexID, len(p.Vertices))
	for v := range c.Sets[u].All() {
		at[u] = v
		ok := p.Vertices[u].Labels.Admits(s.LabelsOf(v))
		for i := range p.Predicates {
			if w, single := p.Predicates[i].Single(); single && w == u && ok && !slices.Contains(c.Deferred, i) {
				ok, _ = p.Predicates[i].Test(at, nil)
			}
		}
		if !ok {
			t.Fatalf("seed %d: vertex %d must not be a candidate of %d\n%v\n%v", seed, v, u, p, c)
		}
	}
}

// named is the pattern of undirected edges whose vertex i carries the i-th label, all vertices different.
func named(s *csr.Snapshot, labels []string, edges ...[2]int) *pattern.Pattern {
	p := &pattern.Pattern{Scopes: []pattern.Scope{{Mode: pattern.DifferentNodes}}}
	for u, l := range labels {
		id, ok := s.Labels.Lookup(l)
		p.Vertices = append(p.Vertices, pattern.Vertex{Labels: &pattern.Label{ID: csr.LabelID(id), Unknown: !ok, Name: l}})
		p.Scopes[0].Vertices = append(p.Scopes[0].Vertices, u)
	}
	for i, e := range edges {
		p.Edges = append(p.Edges, pattern.Edge{From: e[0], To: e[1], Undirected: true})
		p.Scopes[0].Edges = append(p.Scopes[0].Edges, i)
	}
	return p
}

// graph has a vertex for each label and the given edges.
func graph(t testing.TB, labels []string, edges ...[2]uint32) *csr.Snapshot {
	b := csr.NewBuilder()
	for _, l := range labels {
		b.AddVertex(b.Label(l))
	}
	e := b.Type("E")
	for _, x := range edges {
		b.AddEdge(x[0], x[1], e)
	}
	s, _, err := b.Build(context.Background(), 1)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func tier(c *pattern.Candidates, name string) []int {
	for _, x := range c.Tiers {
		if x.Name == name {
			return x.Sizes
		}
	}
	return nil
}

// TestTriangleSignature has a six-cycle, in which every vertex sees what it would see in a triangle, and a triangle.
func TestTriangleSignature(t *testing.T) {
	s := graph(t, []string{"A", "B", "C", "A", "B", "C", "A", "B", "C"},
		[2]uint32{0, 1}, [2]uint32{1, 2}, [2]uint32{2, 3}, [2]uint32{3, 4}, [2]uint32{4, 5}, [2]uint32{5, 0},
		[2]uint32{6, 7}, [2]uint32{7, 8}, [2]uint32{8, 6})
	p := named(s, []string{"A", "B", "C"}, [2]int{0, 1}, [2]int{1, 2}, [2]int{0, 2})
	before, err := filter.Run(context.Background(), s, p, &pattern.Env{})
	if err != nil {
		t.Fatal(err)
	}
	if sizes := tier(before, "refine"); !slices.Equal(sizes, []int{3, 3, 3}) {
		t.Fatalf("without signatures:\n%v", before)
	}
	if n := filter.Due(s, p); n != 0 {
		t.Errorf("%d elements due before any work was seen", n)
	}
	filter.Spent(s, p, 1<<60)
	if n := filter.Due(s, p); n < 9 {
		t.Errorf("%d elements due for 9 edges", n)
	}
	after, err := filter.Run(context.Background(), s, p, &pattern.Env{})
	if err != nil {
		t.Fatal(err)
	}
	if sizes := tier(after, "signature"); !slices.Equal(sizes, []int{1, 1, 1}) {
		t.Fatalf("with signatures:\n%v", after)
	}
	if n := filter.Due(s, p); n != 0 {
		t.Errorf("%d elements due after signatures were built", n)
	}
}

// TestTiers follows a pattern that every tier has something to say about.
func TestTiers(t *testing.T) {
	b := csr.NewBuilder()
	a, c, e, x := b.Label("A"), b.Label("C"), b.Type("E"), b.Key("x")
	hub := func(neighbours ...csr.LabelID) uint32 {
		v := b.AddVertex(a)
		for _, l := range neighbours {
			b.AddEdge(v, b.AddVertex(l), e)
		}
		b.SetVertex(v, x, csr.IntCell(1))
		return v
	}
	hub()          // goes by degree
	hub(c)         // likewise
	hub(a, c)      // by its neighbours' labels
	hub(c, c)      // by arc consistency: its neighbours have no further neighbour
	good := hub(c) // stays
	poor := hub(c) // by predicate
	b.SetVertex(poor, x, csr.IntCell(0))
	for _, v := range []uint32{good, poor} {
		w := b.AddVertex(c)
		b.AddEdge(v, w, e)
		b.AddEdge(w, b.AddVertex(c), e)
	}
	s, _, err := b.Build(context.Background(), 1)
	if err != nil {
		t.Fatal(err)
	}
	p := named(s, []string{"A", "C", "C", "C"}, [2]int{0, 1}, [2]int{0, 2}, [2]int{2, 3})
	p.Predicates = []pattern.Predicate{{Vertices: []int{0}, Test: func(v []csr.VertexID, _ []csr.EdgeID) (bool, error) {
		cell, _ := s.VertexProp(v[0], x)
		return cell.Num == 1, nil
	}}}
	got, err := filter.Run(context.Background(), s, p, &pattern.Env{})
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"label", "degree", "neighbours", "predicate", "refine"} {
		if sizes := tier(got, name); sizes == nil || sizes[0] != []int{7, 4, 3, 2, 1}[i] {
			t.Errorf("tier %s: %v, want %d for the first\n%v", name, sizes, []int{7, 4, 3, 2, 1}[i], got)
		}
	}
}

// TestDepths checks that every depth runs its tiers and no others, and that signatures are built where they are asked for.
func TestDepths(t *testing.T) {
	s := graph(t, []string{"A", "B", "A"}, [2]uint32{0, 1}, [2]uint32{1, 2}, [2]uint32{2, 0})
	p := named(s, []string{"A", "B", "A"}, [2]int{0, 1}, [2]int{0, 2}, [2]int{1, 2})
	p.Predicates = []pattern.Predicate{{Vertices: []int{1}, Test: func([]csr.VertexID, []csr.EdgeID) (bool, error) { return true, nil }}}
	for depth, want := range [][]string{
		pattern.FilterAuto:      {"label", "degree", "neighbours", "predicate", "refine"}, // no query has paid for signatures yet
		pattern.FilterLabel:     {"label", "predicate"},
		pattern.FilterDegree:    {"label", "degree", "predicate"},
		pattern.FilterSignature: {"label", "degree", "signature", "predicate"},
		pattern.FilterRefine:    {"label", "degree", "signature", "neighbours", "predicate", "refine"},
	} {
		c, err := filter.Run(context.Background(), s, p, &pattern.Env{Filter: pattern.FilterDepth(depth)})
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, tier := range c.Tiers {
			names = append(names, tier.Name)
		}
		if !slices.Equal(names, want) {
			t.Errorf("%v: tiers %v, want %v", pattern.FilterDepth(depth), names, want)
		}
	}
}

// TestSignatureParts builds a graph in which each part of the signature alone drops one vertex, and expects that it counts
// it, and drops nothing when it is off.
func TestSignatureParts(t *testing.T) {
	s := graph(t, []string{"A", "B", "C", "A", "B", "C", "A", "B", "B", "C", "A", "B", "C", "C"},
		[2]uint32{0, 1}, [2]uint32{1, 2}, [2]uint32{2, 0}, // a triangle
		[2]uint32{3, 4}, [2]uint32{3, 5}, [2]uint32{4, 13}, [2]uint32{5, 11}, // both labels near and two steps away, but none
		[2]uint32{6, 7}, [2]uint32{6, 8}, // no C near
		[2]uint32{10, 11}, [2]uint32{10, 12}) // C and B near, 11 leads to a C, but 12 to no B
	p := named(s, []string{"A", "B", "C"}, [2]int{0, 1}, [2]int{1, 2}, [2]int{2, 0})
	for _, off := range []pattern.Technique{0, pattern.SignatureQuantity, pattern.SignaturePath, pattern.SignatureTriangle} {
		env := &pattern.Env{Filter: pattern.FilterSignature, Tally: new(pattern.Tally)}
		if off != 0 {
			env.Without = env.Without.With(off)
		}
		c, err := filter.Run(context.Background(), s, p, env)
		if err != nil {
			t.Fatal(err)
		}
		sizes := tier(c, "signature")
		for m := pattern.SignatureQuantity; m <= pattern.SignatureTriangle; m++ {
			n := env.Tally.Taken[m].Load()
			if (n > 0) != (m != off) {
				t.Errorf("without %v: %v dropped %d\n%v", off, m, n, c)
			}
		}
		if want := 1; off == pattern.SignatureTriangle && sizes[0] <= want || off != pattern.SignatureTriangle && sizes[0] != want {
			t.Errorf("without %v: %v", off, c)
		}
	}
}

// TestLookup finds one vertex by a predicate among many and expects the other sets to shrink before they are
// looked through.
func TestLookup(t *testing.T) {
	const n = 5000
	b := csr.NewBuilder()
	b.AddVertices(n, b.Label("A"))
	for v := range uint32(n) {
		b.AddEdge(v, (v+1)%n, b.Type("E"))
	}
	s, _, err := b.Build(context.Background(), 1)
	if err != nil {
		t.Fatal(err)
	}
	p := named(s, []string{"A", "A", "A"}, [2]int{0, 1}, [2]int{1, 2})
	tested := 0
	wanted, _ := s.VertexByNodeID(77)
	p.Predicates = []pattern.Predicate{{Vertices: []int{1}, Test: func(v []csr.VertexID, _ []csr.EdgeID) (bool, error) {
		tested++
		return v[1] == wanted, nil
	}}}
	c, err := filter.Run(context.Background(), s, p, &pattern.Env{})
	if err != nil {
		t.Fatal(err)
	}
	if sizes := tier(c, "lookup"); !slices.Equal(sizes, []int{2, 1, 2}) || tested > n+100 {
		t.Fatalf("%d tests\n%v", tested, c)
	}
}

// TestPredicateError checks that a predicate that fails on a vertex leaves that to the join.
func TestPredicateError(t *testing.T) {
	s := graph(t, []string{"A", "A", "A"}, [2]uint32{0, 1})
	p := named(s, []string{"A"})
	p.Predicates = []pattern.Predicate{
		{Vertices: []int{0}, Test: func(v []csr.VertexID, _ []csr.EdgeID) (bool, error) {
			if v[0] == 1 {
				return false, errors.New("not a number")
			}
			return v[0] == 2, nil
		}},
		{Vertices: []int{0}, Test: func([]csr.VertexID, []csr.EdgeID) (bool, error) { return true, nil }},
	}
	c, err := filter.Run(context.Background(), s, p, &pattern.Env{})
	if err != nil || !slices.Equal(c.Sets[0].List(), []csr.VertexID{1, 2}) || !slices.Equal(c.Deferred, []int{0}) {
		t.Fatalf("%v, deferred %v (%v)", c.Sets[0].List(), c.Deferred, err)
	}
}

// TestAnchored checks that a pattern that starts from a bound vertex costs next to nothing to filter.
func TestAnchored(t *testing.T) {
	s := graph(t, []string{"A", "A", "A", "B"}, [2]uint32{0, 1}, [2]uint32{1, 2})
	p := named(s, []string{"A", "A", "B", "B"}, [2]int{0, 1}, [2]int{1, 2})
	p.Vertices[0].Bound = true
	p.Predicates = []pattern.Predicate{
		{Vertices: []int{1}, Test: func([]csr.VertexID, []csr.EdgeID) (bool, error) { t.Error("tested"); return true, nil }},
		{Vertices: []int{3}, Test: func([]csr.VertexID, []csr.EdgeID) (bool, error) { return false, nil }},
	}
	c, err := filter.Run(context.Background(), s, p, &pattern.Env{})
	if err != nil || !slices.Equal(c.Deferred, []int{0}) {
		t.Fatalf("deferred %v (%v)", c.Deferred, err)
	}
	for u, want := range []int{4, 3, 1, 0} {
		if got := c.Sets[u].Len(); got != want {
			t.Errorf("%d candidates of %d, want %d", got, u, want)
		}
	}
}

func TestLimits(t *testing.T) {
	s := testgraph.Random(5, testgraph.Options{Vertices: 10, Edges: 20})
	p := named(s, []string{"A", "B"}, [2]int{0, 1})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := filter.Run(ctx, s, p, &pattern.Env{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	m := &pattern.Memory{Limit: 1}
	if _, err := filter.Run(context.Background(), s, p, &pattern.Env{Memory: m}); !errors.Is(err, pattern.ErrMemory) || m.Used() != 0 {
		t.Errorf("no memory: %v, %d bytes left taken", err, m.Used())
	}
}

// A pattern of one edge needs no view: the degrees settle its arcs, and the tiers are reported as ever.
func TestCompleteArcs(t *testing.T) {
	b := csr.NewBuilder()
	typ := b.Type("T")
	for range 6 {
		b.AddVertex()
	}
	for _, e := range [][2]uint32{{0, 1}, {0, 2}, {3, 2}, {4, 1}} {
		b.AddEdge(e[0], e[1], typ)
	}
	s, _, err := b.Build(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	p := &pattern.Pattern{Vertices: make([]pattern.Vertex, 2), Edges: []pattern.Edge{{From: 0, To: 1}},
		Scopes: []pattern.Scope{{Vertices: []int{0, 1}, Edges: []int{0}}}}
	got, err := filter.Run(t.Context(), s, p, &pattern.Env{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.Sets[0].List(), []csr.VertexID{0, 3, 4}) || !slices.Equal(got.Sets[1].List(), []csr.VertexID{1, 2}) {
		t.Errorf("candidates %v and %v", got.Sets[0].List(), got.Sets[1].List())
	}
	if n := len(got.Tiers); n == 0 || got.Tiers[n-1].Name != "refine" {
		t.Errorf("tiers %v", got.Tiers)
	}
}
