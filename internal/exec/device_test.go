package exec

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/eval"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/internal/value"
)

// flood is a device whose workers send the vertices 0, 1, 2 ... as matches, in batches, without end.
type flood struct {
	testgraph.Brute
	workers int
	batch   int
	weight  uint64
	total   int64 // matches in all; 0: no end
	fail    error // instead of ending well
	sent    atomic.Int64
	started atomic.Int64
}

func (*flood) Name() string { return "flood" }

func (f *flood) Match(ctx context.Context, j *pattern.Job, env *pattern.Env, sink pattern.Sink) error {
	f.started.Add(1)
	var next atomic.Int64
	errs := make([]error, f.workers)
	var wg sync.WaitGroup
	for w := range f.workers {
		wg.Go(func() { errs[w] = f.work(ctx, j, env, sink, &next) })
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	return f.fail
}

// Count counts what Match would send.
func (f *flood) Count(ctx context.Context, j *pattern.Job, env *pattern.Env) (pattern.Count128, error) {
	if f.total == 0 {
		return f.Brute.Count(ctx, j, env)
	}
	err := f.Match(ctx, j, env, deaf{})
	n, _ := pattern.Count(uint64(f.total)).Mul(f.weight)
	return n, err
}

// Answer sends the numbers, and has brute force answer the rest.
func (f *flood) Answer(ctx context.Context, r *pattern.Request, env *pattern.Env) (a pattern.Answer, err error) {
	switch r.Kind {
	case pattern.KindMatch:
		return a, f.Match(ctx, r.Job, env, r.Sink)
	case pattern.KindCount:
		a.Count, err = f.Count(ctx, r.Job, env)
		return a, err
	}
	return f.Brute.Answer(ctx, r, env)
}

// deaf is a sink that takes everything and keeps nothing.
type deaf struct{}

func (deaf) NeedEdges() bool                        { return false }
func (deaf) Emit([]pattern.Embedding) (bool, error) { return true, nil }

func (f *flood) work(ctx context.Context, j *pattern.Job, env *pattern.Env, sink pattern.Sink, next *atomic.Int64) error {
	vertices := make([]csr.VertexID, f.batch*len(j.Pattern.Vertices)) // reused, as the contract allows
	batch := make([]pattern.Embedding, f.batch)
	order := make([]int, len(j.Pattern.Vertices)) // the last one first
	for i := range order {
		order[i] = len(order) - 1 - i
	}
	env.Tally.Order.Store(&order)
	for more := true; more; {
		if err := ctx.Err(); err != nil {
			return err
		}
		lo := next.Add(int64(f.batch)) - int64(f.batch)
		n := f.batch
		if f.total > 0 {
			n = int(min(int64(f.batch), f.total-lo))
		}
		if n <= 0 {
			return nil
		}
		for i := range n {
			k := len(j.Pattern.Vertices)
			vs := vertices[i*k : (i+1)*k]
			for u := range vs {
				vs[u] = csr.VertexID((uint64(lo) + uint64(i)) % j.Snapshot.N())
			}
			batch[i] = pattern.Embedding{Vertices: vs, Weight: f.weight}
			if sink.NeedEdges() {
				batch[i].Edges = slices.Repeat([]csr.EdgeID{csr.EdgeID(i)}, len(j.Pattern.Edges))
			}
		}
		env.Tally.Partial.Add(uint64(n))
		f.sent.Add(int64(n))
		var err error
		if more, err = sink.Emit(batch[:n]); err != nil {
			return err
		}
	}
	return nil
}

// line returns the graph 0 -> 1 -> 2 ... of n vertices, with their number as the property x.
func line(t testing.TB, n int) *csr.Snapshot {
	b := csr.NewBuilder()
	x, e := b.Key("x"), b.Type("E")
	b.AddVertices(n)
	for v := range n {
		b.SetVertex(uint32(v), x, csr.IntCell(int64(v)))
		if v > 0 {
			b.AddEdge(uint32(v-1), uint32(v), e)
		}
	}
	s, _, err := b.Build(context.Background(), 1)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// quiet fails the test if goroutines are left over.
func quiet(t *testing.T) func() {
	before := runtime.NumGoroutine()
	return func() {
		t.Helper()
		for range 100 {
			if runtime.NumGoroutine() <= before {
				return
			}
			time.Sleep(5 * time.Millisecond)
		}
		t.Errorf("%d goroutines before, %d after", before, runtime.NumGoroutine())
	}
}

func TestLimitStopsTheSearch(t *testing.T) {
	s := line(t, 100)
	for _, text := range []string{
		"MATCH (a) RETURN a LIMIT 10", "MATCH (a) RETURN a SKIP 3 LIMIT 7", "MATCH (a) RETURN a LIMIT $n", "MATCH (a) WHERE a.x >= 0 RETURN a.x + 1 LIMIT $n",
		"MATCH (a) RETURN DISTINCT a LIMIT 10", "MATCH (a), (b) RETURN a, b LIMIT 10",
	} {
		done := quiet(t)
		d := &flood{workers: 4, batch: 64, weight: 1}
		q := &query{s: s, device: d, params: map[string]value.Value{"n": value.OfInt(10)}}
		rows, err := q.rows(t, text)
		if wanted := 10 - 3*strings.Count(text, "SKIP"); err != nil || len(rows) != wanted {
			t.Errorf("%s: %d rows, %v", text, len(rows), err)
		}
		if sent := d.sent.Load(); sent > 64*100 {
			t.Errorf("%s: %d matches for 10 rows", text, sent)
		}
		done()
	}
}

// TestPushedLimit: with a pushed LIMIT each worker stops after the batch that reaches it.
func TestPushedLimit(t *testing.T) {
	d := &flood{workers: 1, batch: 16, weight: 1}
	q := &query{s: line(t, 10), device: d, env: &pattern.Env{Workers: 1, Without: pattern.Techniques{}.With(pattern.RowProbe)}}
	if rows, err := q.rows(t, "MATCH (a) RETURN a LIMIT 40"); err != nil || len(rows) != 40 || d.sent.Load() != 48 {
		t.Errorf("%d rows, %d matches, %v", len(rows), d.sent.Load(), err)
	}
}

func TestLimitZeroDoesNothing(t *testing.T) {
	s := line(t, 10)
	for _, text := range []string{"MATCH (a) RETURN a LIMIT 0", "MATCH (a) RETURN a.x ORDER BY a.x LIMIT 0", "MATCH (a) RETURN count(*) LIMIT 0", "RETURN 1 LIMIT 0"} {
		d := &flood{workers: 2, batch: 8, weight: 1}
		if rows, err := (&query{s: s, device: d}).rows(t, text); err != nil || len(rows) != 0 || d.started.Load() != 0 {
			t.Errorf("%s: %d rows, %d searches, %v", text, len(rows), d.started.Load(), err)
		}
	}
}

// TestWeights: a match of weight w is w rows. The first vertices of a line are its inner ones, x = 1 and 2.
func TestWeights(t *testing.T) {
	s := line(t, 4)
	for text, wanted := range map[string][]string{
		"MATCH (a)-->(b) RETURN a.x": {"1", "1", "1", "2", "2", "2"},
		"MATCH (a)-->(b) RETURN count(a.x), sum(a.x), avg(a.x), collect(a.x), max(a.x)": {"6 | 9 | 1.5 | [1, 1, 1, 2, 2, 2] | 2"},
		"MATCH (a)-->(b) RETURN count(DISTINCT a.x), sum(DISTINCT a.x)":                 {"2 | 3"},
		"MATCH (a)-->(b) RETURN a.x, count(*) ORDER BY a.x":                             {"1 | 3", "2 | 3"},
		"MATCH (a)-->(b) RETURN a.x ORDER BY a.x DESC SKIP 1 LIMIT 4":                   {"2", "2", "1", "1"},
		"MATCH (a)-->(b) RETURN a.x ORDER BY a.x DESC SKIP 2":                           {"2", "1", "1", "1"},
		"MATCH (a)-->(b) RETURN a.x SKIP 5":                                             {"2"},
		"MATCH (a)-->(b) RETURN a.x LIMIT 2":                                            {"1", "1"},
		"MATCH (a)-->(b) RETURN DISTINCT a.x":                                           {"1", "2"},
		"MATCH (a)-->(b) MATCH INDUCED SUBGRAPHS (c)-->(d) RETURN sum(1)":               {"36"}, // two matches of weight 3, for each two again
	} {
		q := &query{s: s, device: &flood{workers: 1, batch: 2, weight: 3, total: 2}}
		rows, err := q.rows(t, text)
		if err != nil || !slices.Equal(rows, wanted) {
			t.Errorf("%s: %q, %v, want %q", text, rows, err, wanted)
		}
	}
	q := &query{s: s, device: &flood{workers: 1, batch: 2, weight: 1 << 40, total: 2}}
	if _, err := q.rows(t, "MATCH (a)-->(b) MATCH INDUCED SUBGRAPHS (c)-->(d) RETURN sum(1)"); !errors.Is(err, pattern.ErrOverflow) {
		t.Errorf("2^80 rows: %v", err)
	}
	q.device = &flood{workers: 1, batch: 2, weight: 1 << 62, total: 2}
	if _, err := q.rows(t, "MATCH (a)-->(b) RETURN count(a.x)"); !errors.Is(err, pattern.ErrOverflow) {
		t.Errorf("2^63 rows: %v", err)
	}
}

func TestDeviceErrors(t *testing.T) {
	s := line(t, 10)
	mine := errors.New("mine")
	for _, text := range []string{"MATCH (a) RETURN a", "MATCH (a) RETURN a ORDER BY a", "MATCH (a) MATCH INDUCED SUBGRAPHS (a), (b) RETURN a, b"} {
		done := quiet(t)
		d := &flood{workers: 2, batch: 4, weight: 1, total: 20, fail: mine}
		if _, err := (&query{s: s, device: d}).rows(t, text); !errors.Is(err, mine) {
			t.Errorf("%s: %v", text, err)
		}
		done()
	}
	for fail, code := range map[error]string{pattern.ErrOverflow: eval.CodeOverflow, fmt.Errorf("join: %w", pattern.ErrMemory): eval.CodeMemory} {
		_, err := (&query{s: s, device: &flood{workers: 1, batch: 4, weight: 1, total: 4, fail: fail}}).rows(t, "MATCH (a) RETURN a")
		var e *eval.Error
		if !errors.As(err, &e) || e.Code != code || !errors.Is(err, e.Err) {
			t.Errorf("%v: %v", fail, err)
		}
	}
}

// TestCancel checks that a cancelled query returns soon, wherever it is, and leaves nothing running.
func TestCancel(t *testing.T) {
	s := line(t, 1000)
	for _, text := range []string{
		"MATCH (a) RETURN a", "MATCH (a) RETURN a.x ORDER BY a.x", "MATCH (a) RETURN a.x, count(*)", "MATCH (a) WHERE a.x < 0 RETURN a",
		"MATCH (a) MATCH INDUCED SUBGRAPHS (a), (b) RETURN count(*)", "MATCH (a) MATCH INDUCED SUBGRAPHS (a), (b) RETURN b", "MATCH (a) RETURN DISTINCT a",
	} {
		best := time.Hour
		for range 5 { // a busy machine may delay any one of them
			if best = min(best, cancelled(t, s, text)); best < 100*time.Millisecond {
				break
			}
		}
		if best > 100*time.Millisecond {
			t.Errorf("%s: returned %v after it was cancelled", text, best)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := (&query{s: s, ctx: ctx}).rows(t, "MATCH (a)-->(b) RETURN a"); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled before it began: %v", err)
	}
}

// cancelled cancels a query after 20 ms and measures how long it takes to return.
func cancelled(t *testing.T, s *csr.Snapshot, text string) time.Duration {
	t.Helper()
	defer quiet(t)()
	ctx, cancel := context.WithCancel(context.Background())
	var at time.Time
	time.AfterFunc(20*time.Millisecond, func() { at = time.Now(); cancel() })
	q := &query{s: s, ctx: ctx, device: &flood{workers: 2, batch: 128, weight: 1}}
	err := q.each(t, text, func([]value.Value) (bool, error) { return true, nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%s: %v", text, err)
	}
	return time.Since(at)
}

// counting is a device that claims a number of matches and of cliques.
type counting struct {
	testgraph.Brute
	n pattern.Count128
}

func (c counting) Answer(ctx context.Context, r *pattern.Request, env *pattern.Env) (pattern.Answer, error) {
	if r.Kind == pattern.KindCount || r.Kind == pattern.KindCliqueCount {
		return pattern.Answer{Count: c.n}, nil
	}
	return c.Brute.Answer(ctx, r, env)
}

func TestCountOverflow(t *testing.T) {
	s := line(t, 4)
	clique := "MATCH (a),(b),(c) WHERE IS_CLIQUE([a,b,c]) RETURN count(*)"
	for _, c := range []struct {
		text string
		n    pattern.Count128
		want string
	}{
		{"MATCH (a)-->(b) RETURN count(*)", pattern.Count128{Lo: 1<<63 - 1}, "9223372036854775807"},
		{"MATCH (a)-->(b) RETURN count(*)", pattern.Count128{Lo: 1 << 63}, ""},
		{"MATCH (a)-->(b) RETURN count(*)", pattern.Count128{Hi: 1}, ""},
		{clique, pattern.Count128{Lo: 1 << 60}, "6917529027641081856"},
		{clique, pattern.Count128{Lo: 1 << 62}, ""},
		{clique, pattern.Count128{Hi: 1 << 63}, ""},
		{"MATCH (a) MATCH INDUCED SUBGRAPHS (a)-->(b) RETURN count(*)", pattern.Count128{Lo: 1 << 60}, "4611686018427387904"},
		{"MATCH (a) MATCH INDUCED SUBGRAPHS (a)-->(b) RETURN count(*)", pattern.Count128{Lo: 1 << 61}, ""},
	} {
		rows, err := (&query{s: s, device: counting{n: c.n}}).rows(t, c.text)
		var e *eval.Error
		switch {
		case c.want != "" && (err != nil || rows[0] != c.want):
			t.Errorf("%s of %v: %v, %v", c.text, c.n, rows, err)
		case c.want == "" && (!errors.As(err, &e) || e.Code != eval.CodeOverflow || !errors.Is(err, pattern.ErrOverflow)):
			t.Errorf("%s of %v: %v, %v", c.text, c.n, rows, err)
		}
	}
}

func TestMemoryBudget(t *testing.T) {
	s := line(t, 2000)
	for text, op := range map[string]string{
		"MATCH (a) RETURN a.x ORDER BY a.x":            "ORDER BY",
		"MATCH (a) RETURN a.x ORDER BY a.x LIMIT 1999": "ORDER BY",
		"MATCH (a) RETURN a.x, count(*)":               "grouping",
		"MATCH (a) RETURN collect(a.x)":                "grouping",
		"MATCH (a) RETURN count(DISTINCT a.x + 0)":     "grouping",
		"MATCH (a) RETURN DISTINCT a.x":                "DISTINCT",
	} {
		q := &query{s: s, env: &pattern.Env{Workers: 1, Memory: &pattern.Memory{Limit: 20000}}}
		_, err := q.rows(t, text)
		var e *eval.Error
		if !errors.Is(err, pattern.ErrMemory) || !errors.As(err, &e) || !strings.Contains(e.Msg, op) || !strings.Contains(e.Msg, "held") || e.Hint == "" {
			t.Errorf("%s: %v", text, err)
		}
		if used := q.env.Memory.Used(); used != 0 {
			t.Errorf("%s: %d bytes still charged", text, used)
		}
		q.env = &pattern.Env{Workers: 1, Memory: &pattern.Memory{Limit: 1 << 30}}
		if _, err := q.rows(t, text); err != nil || q.env.Memory.Used() != 0 {
			t.Errorf("%s: %v, %d bytes still charged", text, err, q.env.Memory.Used())
		}
		held := int64(0)
		for _, n := range q.stats.Nodes {
			held += n.Memory
		}
		if held < 20000 || held != q.env.Memory.Peak() {
			t.Errorf("%s: Stats say %d bytes, the budget %d", text, held, q.env.Memory.Peak())
		}
	}
	// Top keeps few rows however many come.
	q := &query{s: s, env: &pattern.Env{Workers: 1, Memory: &pattern.Memory{Limit: 20000}}}
	want(t, q, "MATCH (a) RETURN a.x ORDER BY a.x DESC LIMIT 3", true, "1999", "1998", "1997")
}

func TestStats(t *testing.T) {
	s := line(t, 500)
	d := &flood{workers: 2, batch: 50, weight: 1, total: 500}
	q := &query{s: s, device: d, env: &pattern.Env{Workers: 2, Tally: new(pattern.Tally)}}
	err := q.each(t, "MATCH (a) MATCH INDUCED SUBGRAPHS (b), (c) WHERE c.x >= 0 RETURN a.x % 5 AS m, count(*) AS n ORDER BY m", func([]value.Value) (bool, error) { return true, nil })
	if err != nil {
		t.Fatal(err)
	}
	rows, matches, total := []uint64{}, []*MatchProfile{}, time.Duration(0)
	for node := q.plan.Root; node != nil; {
		n := q.stats.Nodes[node]
		if n == nil {
			t.Fatalf("%T has no statistics", node)
		}
		rows = append(rows, n.Rows)
		total += n.Time
		if n.Match != nil {
			matches = append(matches, n.Match)
		}
		inputs := node.Inputs()
		if len(inputs) == 0 {
			break
		}
		node = inputs[0]
	}
	if fmt.Sprint(rows) != "[5 5 250000 500]" {
		t.Errorf("rows out, from the root down: %v", rows)
	}
	if total > q.stats.Elapsed*5/4 || total < q.stats.Elapsed/4 {
		t.Errorf("the operators took %v, all together %v", total, q.stats.Elapsed)
	}
	inner, outer := matches[0], matches[1]
	if inner.Runs != 500 || inner.Partial != 250000 || outer.Partial != 500 || inner.Device != "flood" || inner.Kernel != "join" || len(inner.Sizes) == 0 || outer.Search == 0 {
		t.Errorf("inner %+v\nouter %+v", inner, outer)
	}
	if fmt.Sprint(inner.SearchOrder, outer.SearchOrder) != "[1 0] [0]" { // as flood says
		t.Errorf("orders taken: %v, %v", inner.SearchOrder, outer.SearchOrder)
	}
	if all := q.env.Tally.Partial.Load(); all != 250500 {
		t.Errorf("the query's tally says %d", all)
	}
}
