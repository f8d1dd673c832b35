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

// misleading is a graph of labels A, B, C and D, and the pattern of a cycle through all four, with three more
// of A at D so that a count does not go through all orders by itself. A vertex of B has few
// neighbours of A and of C on average, but a few hubs have very many of both, whereas all those of D have as many
// of A and C as the others. So the pairs around B look fewer than those around D, and are far more. The cycles through hubs are
// never closed; a few others are.
func misleading(t testing.TB) (*csr.Snapshot, *pattern.Pattern) {
	const hubs, wide, others, each = 4, 600, 3000, 4
	rng := rand.New(rand.NewPCG(1, 31))
	b := csr.NewBuilder()
	e := b.Type("E")
	vertices := func(n int, label string) uint32 { return b.AddVertices(n, b.Label(label)) }
	bs, as, cs, ds := vertices(hubs+others, "B"), vertices(hubs*wide+others, "A"), vertices(hubs*wide+others, "C"), vertices(2*others, "D")
	for h := range uint32(hubs) {
		for i := range uint32(wide) {
			b.AddEdge(bs+h, as+h*wide+i, e)
			b.AddEdge(bs+h, cs+h*wide+i, e)
		}
	}
	at := uint32(hubs * wide)
	for i := range uint32(others) {
		b.AddEdge(bs+hubs+i, as+at+i, e)
		b.AddEdge(bs+hubs+i, cs+at+i, e)
	}
	for i := range uint32(2 * others) {
		from, to := as, cs+at
		if i < others {
			from, to = as+at, cs
		}
		near, far := uint32(hubs*wide), uint32(others)
		if i < others {
			near, far = far, near
		}
		for range each {
			b.AddEdge(ds+i, from+rng.Uint32N(near), e)
			b.AddEdge(ds+i, to+rng.Uint32N(far), e)
		}
	}
	for i := range uint32(others) {
		if i%100 == 0 {
			b.AddEdge(ds+i, as+at+i, e)
			b.AddEdge(ds+i, cs+at+i, e)
		}
	}
	s, _, err := b.Build(context.Background(), 1)
	if err != nil {
		t.Fatal(err)
	}
	p := chain(pattern.RepeatableElements, 4, true)
	for u := 4; u < 7; u++ {
		p.Vertices, p.Edges = append(p.Vertices, pattern.Vertex{}), append(p.Edges, pattern.Edge{From: 3, To: u, Undirected: true})
		p.Scopes[0].Vertices, p.Scopes[0].Edges = append(p.Scopes[0].Vertices, u), append(p.Scopes[0].Edges, u)
	}
	for u, name := range []string{"A", "B", "C", "D", "A", "A", "A"} {
		id, _ := s.Labels.Lookup(name)
		p.Vertices[u].Labels = &pattern.Label{ID: csr.LabelID(id), Name: name}
	}
	return s, p
}

// TestReplan counts and matches where the estimate misleads: with another order on the way, far fewer list elements are
// gone through.
func TestReplan(t *testing.T) {
	s, p := misleading(t)
	j := prepared(t, s, p, &pattern.Env{})
	var spent atomic.Uint64
	defer join.Balance(func(work uint64) { spent.Add(work) })()
	defer join.EarlyReplan()()
	// find counts or matches and returns how many there were and the list elements gone through.
	find := func(rows bool, env *pattern.Env) (found, work uint64) {
		spent.Store(0)
		c := &collector{}
		if rows {
			if err := join.Match(context.Background(), j, env, c); err != nil {
				t.Fatal(err)
			}
			return uint64(len(c.found)), spent.Load()
		}
		n, err := join.Count(context.Background(), j, env)
		if err != nil {
			t.Fatal(err)
		}
		return n.Lo, spent.Load()
	}
	noTurns := pattern.Techniques{}.With(pattern.OrderTurns)
	for _, rows := range []bool{false, true} {
		want, most := find(rows, &pattern.Env{Workers: 1, Without: noTurns.With(pattern.Replan)})
		if want == 0 || most < 1e6 {
			t.Fatalf("rows %v: %d found through %d elements", rows, want, most)
		}
		for workers := range 4 {
			env := &pattern.Env{Workers: 1 + workers, Tally: new(pattern.Tally), Memory: new(pattern.Memory), Without: noTurns}
			got, work := find(rows, env)
			r := env.Tally.Replanned.Load()
			if got != want || work*5 > most || r == nil || env.Tally.Taken[pattern.Replan].Load() != 1 {
				t.Fatalf("rows %v, workers %d: %d found through %d elements, want %d and not %d; %+v", rows, 1+workers, got, work, want, most, r)
			}
			if slices.Equal(r.From, r.To) || !slices.Equal(r.To, *env.Tally.Order.Load()) || r.Instead*2 > r.Left {
				t.Errorf("rows %v, workers %d: told %+v", rows, 1+workers, r)
			}
			if env.Memory.Used() != 0 || env.Tally.Units.Load() != env.Tally.UnitsDone.Load() || env.Tally.Embeddings.Load() != want {
				t.Errorf("rows %v, workers %d: %d bytes, %d of %d roots, %d embeddings", rows, 1+workers, env.Memory.Used(),
					env.Tally.UnitsDone.Load(), env.Tally.Units.Load(), env.Tally.Embeddings.Load())
			}
		}
	}
	env := &pattern.Env{Workers: 1, Tally: new(pattern.Tally), Memory: &pattern.Memory{Limit: 4 << 20}} // not enough for trials
	if _, work := find(false, env); env.Tally.Replanned.Load() != nil || work < 1e6 || env.Memory.Used() != 0 {
		t.Errorf("memory is short: %d elements, %d bytes", work, env.Memory.Used())
	}
	env = &pattern.Env{Workers: 1, Tally: new(pattern.Tally), Order: pattern.OrderCost}
	if _, work := find(false, env); env.Tally.Replanned.Load() != nil || work < 1e6 {
		t.Errorf("an order that was asked for: %d elements", work)
	}
}

// TestReplanAtOnce changes orders all the time, for better or worse, and compares with brute force.
func TestReplanAtOnce(t *testing.T) {
	changed := [2]uint64{}
	for seed := range rounds(600) {
		replanRound(t, seed, &changed)
	}
	if changed[0] == 0 || changed[1] == 0 {
		t.Errorf("%d counts and %d matches changed their order", changed[0], changed[1])
	}
}

func replanRound(t *testing.T, seed uint64, changed *[2]uint64) {
	rng := rand.New(rand.NewPCG(seed, 32))
	s := testgraph.Random(seed, testgraph.Options{Simple: rng.IntN(3) > 0, Vertices: 5 + rng.IntN(3), Edges: 8 + rng.IntN(10), Types: 1, Labels: rng.IntN(3)})
	p := plainPattern(rng, s, 4+rng.IntN(2))
	sc := &p.Scopes[0]
	for u := range p.Vertices {
		p.Vertices[u].Bound = false
	}
	sc.Distinct, sc.Induced = rng.IntN(4) == 0, rng.IntN(4) == 0
	for i := range p.Edges {
		sc.Order = append(sc.Order, ^i)
	}
	if rng.IntN(4) == 0 { // reads vertices that are far apart, and a relationship
		p.Predicates = []pattern.Predicate{{Vertices: []int{0, 3}, Edges: []int{0}, Test: func(v []csr.VertexID, e []csr.EdgeID) (bool, error) {
			return (uint64(v[0]+v[3])+uint64(e[0]))%3 > 0, nil
		}}}
	}
	j := prepared(t, s, p, &pattern.Env{})
	if rng.IntN(2) == 0 {
		j.Order = randomOrder(rng, p)
		others := []pattern.Order{randomOrder(rng, p), randomOrder(rng, p)}
		j.AlternativeOrders = func() []pattern.Order { return others }
	}
	if n, err := (testgraph.Brute{}).Count(context.Background(), j, &pattern.Env{}); err != nil || n.Lo > 1000 {
		return // takes long to compare
	}
	defer join.Tiny(seed / 3)()
	defer join.AlwaysReplan()()
	workers := 1 + rng.IntN(4)
	check(t, fmt.Sprintf("seed %d", seed), j, workers)
	env := &pattern.Env{Workers: workers, Tally: new(pattern.Tally)}
	if _, err := join.Count(context.Background(), j, env); err != nil {
		t.Fatal(err)
	}
	counts := env.Tally.Taken[pattern.Replan].Load()
	if err := join.Match(context.Background(), j, env, &collector{edges: rng.IntN(2) == 0}); err != nil {
		t.Fatal(err)
	}
	changed[0] += counts
	changed[1] += env.Tally.Taken[pattern.Replan].Load() - counts
}

// TestReplanStops cancels searches that try orders, and takes only some rows of others.
func TestReplanStops(t *testing.T) {
	defer join.SmallTicks()()
	defer join.AlwaysReplan()()
	s := complete(t, 60, 1)
	j := job(t, s, chain(pattern.DifferentNodes, 12, false))
	rng := rand.New(rand.NewPCG(1, 33))
	j.AlternativeOrders = func() []pattern.Order { return []pattern.Order{randomOrder(rng, j.Pattern)} }
	for workers := range 3 {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
		env := &pattern.Env{Workers: 1 + workers, Tally: new(pattern.Tally), Memory: new(pattern.Memory)}
		if _, err := join.Count(ctx, j, env); !errors.Is(err, context.DeadlineExceeded) || env.Memory.Used() != 0 {
			t.Errorf("%v, %d bytes", err, env.Memory.Used())
		}
		cancel()
		sink := &taker{left: 1000}
		if err := join.Match(context.Background(), j, env, sink); err != nil || sink.got.Load() < 1000 || env.Memory.Used() != 0 {
			t.Errorf("%d rows (%v), %d bytes", sink.got.Load(), err, env.Memory.Used())
		}
	}
}
