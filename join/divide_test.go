package join_test

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/join"
	"github.com/motifql/motif/planner/match"
)

// divided returns how the count of j is divided.
func divided(t *testing.T, j *pattern.Job, without pattern.Techniques) *pattern.Scheme {
	t.Helper()
	env := &pattern.Env{Workers: 1, Memory: new(pattern.Memory), Without: without}
	sc, err := join.Divide(context.Background(), j, env, nil)
	if err != nil || env.Memory.Used() != 0 {
		t.Fatal(err, env.Memory.Used())
	}
	return sc
}

// shares counts j in n shares of a scheme; a search has one.
func shares(t *testing.T, j *pattern.Job, sc *pattern.Scheme, n uint64) pattern.Count128 {
	t.Helper()
	job, sum := *j, pattern.Signed{}
	if len(sc.Order) > 0 {
		sizes := make([]float64, len(j.Candidates.Sets))
		for u, set := range j.Candidates.Sets {
			sizes[u] = float64(set.Len())
		}
		job.Order = match.FixedOrder(&match.Question{Pattern: j.Pattern, Snapshot: j.Snapshot, Sizes: sizes}, sc.Order, sc.Free)
	}
	for i := range n {
		job.Share = &pattern.Share{Scheme: sc, Lo: i * sc.Domain / n, Hi: (i + 1) * sc.Domain / n, All: j.Candidates.Sets}
		plus, minus, err := join.CountShare(context.Background(), &job, &pattern.Env{Workers: 1, Memory: new(pattern.Memory)})
		if err == nil {
			sum, err = sum.Add(pattern.Signed{Plus: plus, Minus: minus})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	total, ok := sum.Plus.Sub(sum.Minus)
	if !ok {
		t.Fatalf("%+v is below 0", sum)
	}
	total, rest := total.Div(sc.Divisor)
	if rest != 0 {
		t.Fatalf("%+v is no multiple of %d", sum, sc.Divisor)
	}
	return total
}

// TestDivideTriesOrders divides a count whose order is a bad one, as the search of a whole query would find out.
func TestDivideTriesOrders(t *testing.T) {
	s, p := misleading(t)
	j := prepared(t, s, p, &pattern.Env{})
	var spent atomic.Uint64
	defer join.Balance(func(work uint64) { spent.Add(work) })()
	defer join.ShortReplan(1 << 18)()
	first := divided(t, j, pattern.Techniques{}.With(pattern.Replan))
	want := shares(t, j, first, 1)
	most := spent.Swap(0)
	better := divided(t, j, pattern.Techniques{})
	if first.Route != pattern.RouteSearch || better.Route != pattern.RouteSearch || slices.Equal(first.Order, better.Order) {
		t.Fatalf("%+v, then %+v", first, better)
	}
	spent.Store(0)
	if got := shares(t, j, better, 1); got != want || got.Lo == 0 || spent.Load()*5 > most {
		t.Errorf("%v through %d elements, want %v and not %d", got, spent.Load(), want, most)
	}
}

// TestDivideOutgrown divides counts whose formula was taken to be dearer than the search.
func TestDivideOutgrown(t *testing.T) {
	defer join.AlwaysReplan()()
	defer join.DearFormulas()()
	for seed := range uint64(3) {
		s := testgraph.Graph(1<<8, testgraph.Undirected(testgraph.RMAT(8, 8, seed)), true)
		for _, x := range []pattern.CyclicGraph{pattern.Cycle5, pattern.Wheel4, pattern.House, pattern.NearClique} {
			p := cyclicGraphPattern(x)
			j := prepared(t, s, p, &pattern.Env{})
			if j.Formula, _ = match.CountFormula(p, s, j.Order.Symmetric, 1e12); j.Formula == nil {
				t.Fatal("no formula")
			}
			bySearch, byFormula := divided(t, j, pattern.Techniques{}.With(pattern.Replan)), divided(t, j, pattern.Techniques{})
			if bySearch.Route != pattern.RouteSearch || byFormula.Route != pattern.RouteFormula {
				t.Fatalf("seed %d, %v: divided by %s and %s", seed, x, bySearch.Route, byFormula.Route)
			}
			if got, want := shares(t, j, byFormula, 5), shares(t, j, bySearch, 1); got != want {
				t.Errorf("seed %d, %v: %v by the formula, %v by the search", seed, x, got, want)
			}
		}
	}
}
