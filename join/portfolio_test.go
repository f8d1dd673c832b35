package join_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/join"
)

// TestOrderTurns has orders take turns all the time, and compares with brute force. It also checks that other orders than the first
// win.
func TestOrderTurns(t *testing.T) {
	turns, changes := uint64(0), 0
	for seed := range rounds(1000) {
		rng := rand.New(rand.NewPCG(seed, 34))
		s := testgraph.Random(seed, testgraph.Options{Simple: rng.IntN(3) > 0, Vertices: 5 + rng.IntN(4), Edges: 8 + rng.IntN(10), Types: 1, Labels: rng.IntN(3)})
		p := plainPattern(rng, s, 4+rng.IntN(2))
		sc := &p.Scopes[0]
		for u := range p.Vertices {
			p.Vertices[u].Bound = false
		}
		sc.Distinct, sc.Induced = rng.IntN(4) == 0, rng.IntN(4) == 0
		for i := range p.Edges {
			sc.Order = append(sc.Order, ^i)
		}
		if rng.IntN(3) == 0 { // reads vertices that are far apart, and a relationship
			p.Predicates = []pattern.Predicate{{Vertices: []int{0, 3}, Edges: []int{0}, Test: func(v []csr.VertexID, e []csr.EdgeID) (bool, error) {
				return (uint64(v[0]+v[3])+uint64(e[0]))%5 == 0, nil
			}}}
		}
		j := prepared(t, s, p, &pattern.Env{})
		if rng.IntN(2) == 0 {
			j.Order = randomOrder(rng, p)
			others := []pattern.Order{randomOrder(rng, p), randomOrder(rng, p)}
			j.AlternativeOrders = func() []pattern.Order { return others }
		}
		if n, err := (testgraph.Brute{}).Count(context.Background(), j, &pattern.Env{}); err != nil || n.Lo > 1000 {
			continue // takes long to compare
		}
		restore, always := join.Tiny(seed/3), join.AlwaysTurns()
		workers := 1 + rng.IntN(4)
		check(t, fmt.Sprintf("seed %d", seed), j, workers)
		env := &pattern.Env{Workers: workers, Tally: new(pattern.Tally), Without: pattern.Techniques{}.With(pattern.RootRounds)}
		if err := join.Match(context.Background(), j, env, &collector{edges: rng.IntN(2) == 0}); err != nil {
			t.Fatal(err)
		}
		turns += env.Tally.Taken[pattern.OrderTurns].Load()
		if r := env.Tally.Replanned.Load(); r != nil && fmt.Sprint(r.From) != fmt.Sprint(r.To) {
			changes++
		}
		always()
		restore()
	}
	if turns == 0 || changes == 0 {
		t.Errorf("%d searches took turns, and another order won in %d", turns, changes)
	}
}

// TestRootRounds lists matches that come late, with first vertices put off all the time and without.
func TestRootRounds(t *testing.T) {
	tally := new(pattern.Tally)
	late := 0
	for seed := range rounds(300) {
		rng := rand.New(rand.NewPCG(seed, 35))
		s := testgraph.Random(seed, testgraph.Options{Simple: rng.IntN(3) > 0, Vertices: 10 + rng.IntN(15), Edges: 20 + rng.IntN(25), Types: 1, Labels: rng.IntN(3)})
		p := plainPattern(rng, s, 4+rng.IntN(3))
		for u := range p.Vertices {
			p.Vertices[u].Bound = false
		}
		p.Scopes[0].Induced = rng.IntN(4) == 0
		u, w, m := rng.IntN(len(p.Vertices)), rng.IntN(len(p.Vertices)), csr.VertexID(3+rng.IntN(20))
		p.Predicates = []pattern.Predicate{{Text: "u * w divides", Vertices: []int{min(u, w), max(u, w)},
			Test: func(v []csr.VertexID, _ []csr.EdgeID) (bool, error) { return (v[u]*v[w]+v[w])%m == 1, nil }}}
		j := prepared(t, s, p, &pattern.Env{})
		j.Order = randomOrder(rng, p)
		a, b := &collector{}, &collector{}
		if err := join.Match(context.Background(), j, &pattern.Env{Without: pattern.Techniques{}.With(pattern.OrderTurns)}, a); err != nil {
			t.Fatal(err)
		}
		if len(a.found) > 300 {
			continue
		}
		restore, always := join.Tiny(seed/3), join.AlwaysTurns()
		before := tally.Taken[pattern.RootRounds].Load()
		if err := join.Match(context.Background(), j, &pattern.Env{Workers: 1 + rng.IntN(4), Tally: tally}, b); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(a.sorted(), b.sorted()) {
			t.Fatalf("seed %d: %d matches, %d without turns\n%v\norder %+v", seed, len(b.found), len(a.found), p, j.Order)
		}
		if len(a.found) > 0 && tally.Taken[pattern.RootRounds].Load() > before {
			late++
		}
		always()
		restore()
	}
	if late == 0 {
		t.Error("no search that put first vertices off found a match")
	}
}

// TestOrderTurnsSpare lists matches where the estimate misleads: with turns, far fewer list elements are gone through until the first row.
func TestOrderTurnsSpare(t *testing.T) {
	s, p := misleading(t)
	j := prepared(t, s, p, &pattern.Env{})
	var spent atomic.Uint64
	defer join.Balance(func(work uint64) { spent.Add(work) })()
	first := func(env *pattern.Env) uint64 {
		spent.Store(0)
		sink := &taker{left: 1}
		if err := join.Match(context.Background(), j, env, sink); err != nil || sink.got.Load() < 1 {
			t.Fatalf("%d rows (%v)", sink.got.Load(), err)
		}
		return spent.Load()
	}
	without := pattern.Techniques{}.With(pattern.Replan)
	alone := first(&pattern.Env{Workers: 1, Without: without.With(pattern.OrderTurns)})
	for workers := range 3 {
		env := &pattern.Env{Workers: 1 + workers, Without: without, Tally: new(pattern.Tally), Memory: new(pattern.Memory)}
		if work := first(env); work*2 > alone || env.Memory.Used() != 0 {
			t.Errorf("workers %d: %d list elements, and %d without turns; %d bytes", 1+workers, work, alone, env.Memory.Used())
		}
	}
	a := first(&pattern.Env{Workers: 1, Without: without})
	if b := first(&pattern.Env{Workers: 1, Without: without}); a != b {
		t.Errorf("one worker: %d list elements, then %d", a, b)
	}
}

// TestOrderTurnsStop ends searches whose orders take turns: by time, by an error, for want of memory, and by a panic.
func TestOrderTurnsStop(t *testing.T) {
	defer join.SmallTicks()()
	defer join.AlwaysTurns()()
	s := complete(t, 60, 1)
	rng := rand.New(rand.NewPCG(1, 33))
	for workers := range 3 {
		p := chain(pattern.DifferentNodes, 12, false)
		calls, act := new(atomic.Int64), func() error { return nil }
		p.Predicates = []pattern.Predicate{{Vertices: []int{3, 9}, Test: func([]csr.VertexID, []csr.EdgeID) (bool, error) {
			if calls.Add(1) > 5000 {
				return false, act()
			}
			return false, nil
		}}}
		j := job(t, s, p)
		j.AlternativeOrders = func() []pattern.Order {
			return []pattern.Order{randomOrder(rng, j.Pattern), randomOrder(rng, j.Pattern)}
		}
		run := func() error {
			calls.Store(0)
			ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
			defer cancel()
			env := &pattern.Env{Workers: 1 + workers, Tally: new(pattern.Tally), Memory: new(pattern.Memory)}
			err := join.Match(ctx, j, env, &collector{})
			if env.Memory.Used() != 0 || env.Tally.Taken[pattern.OrderTurns].Load() != 1 {
				t.Errorf("workers %d: %d bytes, %d turns", 1+workers, env.Memory.Used(), env.Tally.Taken[pattern.OrderTurns].Load())
			}
			return err
		}
		if err := run(); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("time: %v", err)
		}
		broken := errors.New("broken")
		act = func() error { return broken }
		if err := run(); !errors.Is(err, broken) {
			t.Errorf("error: %v", err)
		}
		act = func() error { panic("hidden") }
		func() {
			defer func() {
				if recover() == nil {
					t.Error("the panic is gone")
				}
			}()
			_ = run()
		}()
	}
}
