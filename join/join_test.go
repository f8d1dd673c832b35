package join_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/motifql/motif/filter"
	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/join"
	"github.com/motifql/motif/planner/match"
)

// collector is a sink that keeps everything.
type collector struct {
	edges bool
	mu    sync.Mutex
	found []string
}

func (c *collector) NeedEdges() bool { return c.edges }

func (c *collector) Emit(batch []pattern.Embedding) (bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range batch {
		if (m.Edges != nil) != c.edges && len(m.Edges) > 0 {
			return false, fmt.Errorf("edges %v, wanted: %v", m.Edges, c.edges)
		}
		for range m.Weight {
			c.found = append(c.found, fmt.Sprint(m.Vertices, m.Edges))
		}
	}
	return true, nil
}

func (c *collector) sorted() []string {
	slices.Sort(c.found)
	return c.found
}

// columnCollector is a collector that takes columns.
type columnCollector struct {
	collector
	p    *pattern.Pattern
	rows int // of a batch
}

func (c *columnCollector) ReadVertices() []int { return numbersBelow(len(c.p.Vertices)) }

func (c *columnCollector) BatchRows() int { return c.rows }

func (c *columnCollector) Repeats() bool { return c.rows%2 == 0 }

func (c *columnCollector) ReadEdges() []int {
	if !c.edges {
		return nil
	}
	return numbersBelow(len(c.p.Edges))
}

// TakesRuns makes the collector a pattern.RunSink.
func (c *columnCollector) TakesRuns() bool { return c.rows%3 != 0 }

func (c *columnCollector) EmitColumns(columns *pattern.Columns) (bool, error) {
	columns = expanded(columns)
	batch := make([]pattern.Embedding, columns.Len)
	for i := range batch {
		m := pattern.Embedding{Vertices: make([]csr.VertexID, len(c.p.Vertices)), Weight: 1}
		for j := range m.Vertices {
			m.Vertices[j] = columns.Vertices[j][i]
		}
		if c.edges {
			m.Edges = make([]csr.EdgeID, len(c.p.Edges))
		}
		for j := range m.Edges {
			m.Edges[j] = columns.Edges[j][i]
		}
		if len(columns.Weights) > 0 {
			m.Weight = columns.Weights[i]
		}
		batch[i] = m
	}
	return c.Emit(batch)
}

// expanded returns a copy of columns that has a value for each row. It looks for the run of each row anew.
func expanded(c *pattern.Columns) *pattern.Columns {
	d := *c
	d.Vertices, d.Starts = slices.Clone(c.Vertices), nil
	for i, starts := range c.Starts {
		if starts == nil {
			continue
		}
		d.Vertices[i] = nil
		for row := range c.Len {
			run := 0
			for k, start := range starts {
				if int(start) <= row {
					run = k
				}
			}
			d.Vertices[i] = append(d.Vertices[i], c.Vertices[i][run])
		}
	}
	return &d
}

func numbersBelow(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// prefixes is a sink that counts the matches by the vertices that they give to the first steps of an order.
type prefixes struct {
	vertices []int // the query vertices of these steps
	mu       sync.Mutex
	given    int
	found    map[string]uint64
}

func newPrefixes(o pattern.Order, steps int) *prefixes {
	c := &prefixes{found: map[string]uint64{}}
	for _, st := range o.Steps[:steps] {
		c.vertices = append(c.vertices, st.Vertex)
	}
	return c
}

func (c *prefixes) NeedEdges() bool { return false }

func (c *prefixes) Emit(batch []pattern.Embedding) (bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range batch {
		key := ""
		for _, u := range c.vertices {
			key += fmt.Sprint(m.Vertices[u], " ")
		}
		c.found[key] += m.Weight
		c.given++
	}
	return true, nil
}

// randomOrder is any matching order with the bound vertices first.
func randomOrder(rng *rand.Rand, p *pattern.Pattern) pattern.Order {
	seq := rng.Perm(len(p.Vertices))
	slices.SortStableFunc(seq, func(a, b int) int {
		rank := func(u int) int {
			if p.Vertices[u].Bound {
				return 0
			}
			return 1
		}
		return cmp.Compare(rank(a), rank(b))
	})
	return orderOf(p, seq...)
}

// orderOf is the matching order that takes the vertices as listed.
func orderOf(p *pattern.Pattern, seq ...int) pattern.Order {
	steps := make([]pattern.Step, len(seq))
	for k, u := range seq {
		steps[k].Vertex = u
		for i, e := range p.Edges {
			at := max(slices.Index(seq, e.From), slices.Index(seq, e.To))
			if at == k {
				steps[k].Backward = append(steps[k].Backward, i)
			}
		}
	}
	return pattern.Order{Steps: steps, Symmetric: make([]bool, len(p.Scopes)), Chains: make([]pattern.Chain, len(p.Scopes))}
}

// check compares a job's count and matches with brute force.
func check(t *testing.T, what string, j *pattern.Job, workers int) {
	t.Helper()
	checkIn(t, what, j, &pattern.Env{Workers: workers, Tally: new(pattern.Tally), Memory: new(pattern.Memory)})
}

// checkIn is check in an environment of the caller's.
func checkIn(t *testing.T, what string, j *pattern.Job, env *pattern.Env) {
	t.Helper()
	ctx, workers := context.Background(), env.Workers
	fail := func(format string, args ...any) {
		t.Helper()
		t.Fatalf("%s, workers %d: %s\n%v\norder %+v\nbound %v %v\ncandidates\n%v", what, workers, fmt.Sprintf(format, args...), j.Pattern, j.Order,
			j.Vertices, j.Edges, j.Candidates)
	}
	total := uint64(0)
	for _, edges := range []bool{false, true} {
		want, got := &collector{edges: edges}, &collector{edges: edges}
		if err := (testgraph.Brute{}).Match(ctx, j, &pattern.Env{}, want); err != nil {
			t.Fatal(err)
		}
		if err := join.Match(ctx, j, env, got); err != nil {
			fail("Match: %v", err)
		}
		if !slices.Equal(want.sorted(), got.sorted()) {
			fail("edges %v: found\n%v, want\n%v", edges, got.found, want.found)
		}
		total = uint64(len(want.found))
		columns := &columnCollector{collector: collector{edges: edges}, p: j.Pattern, rows: 1 + len(want.found)%5}
		if err := join.Match(ctx, j, env, columns); err != nil {
			fail("Match into columns: %v", err)
		}
		if !slices.Equal(want.sorted(), columns.sorted()) {
			fail("edges %v: columns are\n%v, want\n%v", edges, columns.found, want.found)
		}
		n, err := join.Count(ctx, j, env)
		if err != nil || n != pattern.Count(uint64(len(want.found))) {
			fail("Count is %v (%v), want %d", n, err, len(want.found))
		}
	}
	checkUnread(t, what, j, env, total)
	if used := env.Memory.Used(); used != 0 {
		fail("%d bytes of the memory budget not given back", used)
	}
	if u, done := env.Tally.Units.Load(), env.Tally.UnitsDone.Load(); u != done {
		fail("%d of %d root candidates done", done, u)
	}
}

// rounds is how many random cases to try: fewer in short runs.
func rounds(n uint64) uint64 {
	if testing.Short() {
		return n / 10
	}
	return n
}

func TestRandomAgainstBrute(t *testing.T) {
	for seed := range rounds(6000) {
		randomRound(t, seed)
	}
}

func randomRound(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	s := testgraph.Random(seed, testgraph.Options{Simple: seed%4 == 0})
	p := testgraph.RandomPattern(rng, s)
	j := testgraph.RandomJob(rng, s, p)
	if seed%2 == 0 {
		filter.Spent(s, p, 1<<60) // builds all signatures that the pattern can use
	}
	var err error
	if j.Candidates, err = filter.Run(context.Background(), s, p, &pattern.Env{}); err != nil {
		t.Fatal(err)
	}
	if seed%3 > 0 {
		defer join.Tiny(seed / 3)()
	}
	j.Order = randomOrder(rng, p)
	check(t, fmt.Sprintf("seed %d, random order", seed), j, 1+2*int(seed/2%2))
	sizes := make([]float64, len(p.Vertices))
	for u, c := range j.Candidates.Sets {
		sizes[u] = float64(c.Len())
	}
	strategy := pattern.OrderStrategy(seed % uint64(len(pattern.AllOrderStrategies())))
	j.Order = match.OrderFor(match.Filtered, &match.Question{Pattern: p, Snapshot: s, Sizes: sizes, Strategy: strategy}).Order
	check(t, fmt.Sprintf("seed %d, order by %v", seed, strategy), j, 3-2*int(seed/2%2))
}

// TestLargerPatterns tries plain patterns of more vertices, in which parts come apart and steps keep numbers.
func TestLargerPatterns(t *testing.T) {
	for seed := range rounds(1500) {
		largerRound(t, seed)
	}
}

func largerRound(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 2))
	s := testgraph.Random(seed, testgraph.Options{Simple: rng.IntN(3) > 0, Vertices: 3 + rng.IntN(5), Edges: 4 + rng.IntN(14), Types: 1})
	p := plainPattern(rng, s, 3+rng.IntN(4))
	j := &pattern.Job{Snapshot: s, Pattern: p, Vertices: make([]csr.VertexID, len(p.Vertices)), Edges: make([]csr.EdgeID, len(p.Edges))}
	for u := range j.Vertices {
		j.Vertices[u] = csr.VertexID(rng.Uint64N(s.N()))
	}
	var err error
	if j.Candidates, err = filter.Run(context.Background(), s, p, &pattern.Env{}); err != nil {
		t.Fatal(err)
	}
	defer join.Tiny(seed / 3)()
	want, err := testgraph.Brute{}.Count(context.Background(), j, &pattern.Env{})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		j.Order = randomOrder(rng, p)
		workers := 1 + rng.IntN(3)
		if got, err := join.Count(context.Background(), j, &pattern.Env{Workers: workers}); err != nil || got != want {
			t.Fatalf("seed %d, workers %d: %v (%v), want %v\n%v\norder %+v", seed, workers, got, err, want, p, j.Order)
		}
	}
}

// TestApart counts patterns whose parts touch only by what must differ, in every order.
func TestApart(t *testing.T) {
	for seed := range uint64(12) {
		s := testgraph.Random(seed, testgraph.Options{Simple: seed%2 == 0, Vertices: 5, Edges: 8, Types: 1, Labels: 1})
		for _, k := range []int{4, 5} {
			p := chain(pattern.DifferentRelationships, k, false)
			p.Edges = slices.Delete(p.Edges, 1, 2) // a-b c-d(-e)
			for i := range p.Edges {
				p.Edges[i].Undirected = seed/2%2 == 0
			}
			p.Scopes[0].Edges = p.Scopes[0].Edges[:len(p.Edges)]
			j := job(t, s, p)
			want, err := testgraph.Brute{}.Count(context.Background(), j, &pattern.Env{})
			if err != nil {
				t.Fatal(err)
			}
			permutations(k, func(seq []int) {
				j.Order = orderOf(p, seq...)
				for _, tune := range []func() func(){func() func() { return join.Tiny(seed) }, join.KeepOrder} {
					restore := tune()
					if got, err := join.Count(context.Background(), j, &pattern.Env{}); err != nil || got != want {
						t.Fatalf("seed %d, order %v: %v (%v), want %v", seed, seq, got, err, want)
					}
					restore()
				}
			})
		}
	}
}

// TestCycles counts cycles of labelled vertices, which tables are made for.
func TestCycles(t *testing.T) {
	for seed := range rounds(400) {
		rng := rand.New(rand.NewPCG(seed, 6))
		s := testgraph.Random(seed, testgraph.Options{Simple: true, Vertices: 8, Edges: 24, Types: 1, Labels: 2})
		p := chain(pattern.RepeatableElements, 4+rng.IntN(2), true)
		for u := range p.Vertices {
			if id := csr.LabelID(rng.IntN(3)); id < 2 {
				p.Vertices[u].Labels = &pattern.Label{ID: id}
			}
		}
		j := job(t, s, p)
		want, err := testgraph.Brute{}.Count(context.Background(), j, &pattern.Env{})
		if err != nil {
			t.Fatal(err)
		}
		restore := join.Tiny(seed)
		if got, err := join.Count(context.Background(), j, &pattern.Env{}); err != nil || got != want {
			t.Fatalf("seed %d: %v (%v), want %v\n%v", seed, got, err, want, p)
		}
		restore()
	}
}

// TestSymmetric gives each subgraph of a symmetric pattern once, as its smallest match, under the planner's constraints.
func TestSymmetric(t *testing.T) {
	star := [][2]int{{0, 1}, {0, 2}, {0, 3}}
	for seed := range rounds(60) {
		s := testgraph.Random(seed, testgraph.Options{Simple: seed%3 == 0, Vertices: 6, Edges: 10, Types: 1, Labels: 1})
		for _, edges := range [][][2]int{star, star[:2], {{1, 0}, {1, 2}, {2, 3}}, {{0, 1}, {1, 2}, {2, 0}}, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}} {
			p := &pattern.Pattern{Vertices: make([]pattern.Vertex, 0, 4), Scopes: []pattern.Scope{{Distinct: true, Induced: seed%4 == 0}}}
			sc := &p.Scopes[0]
			use := func(u int) {
				if !slices.Contains(sc.Vertices, u) {
					p.Vertices = append(p.Vertices, pattern.Vertex{})
					sc.Vertices, sc.Order = append(sc.Vertices, u), append(sc.Order, u)
				}
			}
			for i, e := range edges {
				p.Edges = append(p.Edges, pattern.Edge{From: e[0], To: e[1], Undirected: seed%2 == 0})
				use(e[0])
				sc.Edges, sc.Order = append(sc.Edges, i), append(sc.Order, ^i)
				use(e[1])
			}
			j := job(t, s, p)
			j.Order = match.OrderFor(match.Filtered, &match.Question{Pattern: p, Snapshot: s, Sizes: []float64{6, 6, 6, 6}[:len(p.Vertices)]}).Order
			restore := join.Tiny(seed / 3)
			check(t, fmt.Sprintf("seed %d", seed), j, 1+int(seed%2))
			restore()
		}
	}
}

// TestTakenOrder wants the order that a search took reported, and an order that was asked for kept.
func TestTakenOrder(t *testing.T) {
	defer join.Tiny(2)() // any other order is good enough
	p := chain(pattern.RepeatableElements, 5, true)
	j, others := job(t, testgraph.Random(5, testgraph.Options{Simple: true, Vertices: 9, Edges: 24, Types: 1, Labels: 1}), p), 0
	given := []int{0, 2, 4, 1, 3}
	for _, strategy := range pattern.AllOrderStrategies() {
		env := &pattern.Env{Order: strategy, Tally: new(pattern.Tally)}
		j.Order = orderOf(p, given...)
		if err := join.Match(context.Background(), j, env, &collector{}); err != nil || !slices.Equal(*env.Tally.Order.Load(), given) {
			t.Errorf("%v: a match takes %v (%v)", strategy, *env.Tally.Order.Load(), err)
		}
		if _, err := join.Count(context.Background(), j, env); err != nil {
			t.Fatal(err)
		}
		taken := *env.Tally.Order.Load()
		if !slices.Equal(taken, given) {
			others++
		}
		if (strategy == pattern.OrderAuto) == slices.Equal(taken, given) || !slices.Equal(slices.Sorted(slices.Values(taken)), []int{0, 1, 2, 3, 4}) {
			t.Errorf("%v: a count takes %v", strategy, taken)
		}
	}
	if others != 1 {
		t.Errorf("%d strategies let a count choose", others)
	}
}

// permutations calls fn with every order of 0 ... n-1.
func permutations(n int, fn func(seq []int)) {
	seq := make([]int, 0, n)
	var extend func()
	extend = func() {
		if len(seq) == n {
			fn(seq)
			return
		}
		for u := range n {
			if !slices.Contains(seq, u) {
				seq = append(seq, u)
				extend()
				seq = seq[:len(seq)-1]
			}
		}
	}
	extend()
}

// plainPattern is a tree or a cycle of k vertices with a few more edges, in one scope.
func plainPattern(rng *rand.Rand, s *csr.Snapshot, k int) *pattern.Pattern {
	p := &pattern.Pattern{Vertices: make([]pattern.Vertex, k), Scopes: []pattern.Scope{{Mode: pattern.Mode(rng.IntN(3))}}}
	sc := &p.Scopes[0]
	undirected := rng.IntN(3) > 0
	edge := func(u, w int) {
		sc.Edges = append(sc.Edges, len(p.Edges))
		p.Edges = append(p.Edges, pattern.Edge{From: u, To: w, Undirected: undirected || rng.IntN(3) == 0})
	}
	cycle := rng.IntN(2) == 0
	for u := range k {
		sc.Vertices, sc.Order = append(sc.Vertices, u), append(sc.Order, u)
		p.Vertices[u].Bound = rng.IntN(15) == 0
		if n := s.Labels.Len(); n > 0 && rng.IntN(2) == 0 {
			id := csr.LabelID(rng.IntN(n))
			p.Vertices[u].Labels = &pattern.Label{ID: id, Name: s.Labels.Name(uint32(id))}
		}
		if u > 0 && (cycle || rng.IntN(12) > 0) {
			w := u - 1
			if !cycle {
				w = rng.IntN(u)
			}
			edge(w, u)
		}
	}
	if cycle {
		edge(k-1, 0)
	}
	for range rng.IntN(3) {
		if u, w := rng.IntN(k), rng.IntN(k); u != w {
			edge(u, w)
		}
	}
	return p
}
