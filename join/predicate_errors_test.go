package join_test

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
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
	"github.com/motifql/motif/planner/match"
)

var errPredicate = errors.New("a predicate fails")

// failing makes predicates of p raise errors for one in share of the elements that they read.
func failing(p *pattern.Pattern, seed uint64, share uint32, raised *atomic.Uint64) {
	p.Predicates = slices.Clone(p.Predicates)
	for i := range p.Predicates {
		q := &p.Predicates[i]
		test := q.Test
		q.Test = func(v []csr.VertexID, e []csr.EdgeID) (bool, error) {
			h := fnv.New32a()
			fmt.Fprint(h, seed, i)
			for _, u := range q.Vertices {
				fmt.Fprint(h, " v", v[u])
			}
			for _, x := range q.Edges {
				fmt.Fprint(h, " e", e[x])
			}
			if h.Sum32()>>8%share == 0 {
				raised.Add(1)
				return false, errPredicate
			}
			return test(v, e)
		}
		q.Sift = testgraph.SiftOf(q.Test)
	}
}

// addPredicates adds one to three predicates on a few elements each, which hold for most of them.
func addPredicates(rng *rand.Rand, p *pattern.Pattern) {
	for range 1 + rng.IntN(3) {
		q := pattern.Predicate{Test: func([]csr.VertexID, []csr.EdgeID) (bool, error) { return true, nil }}
		for range rng.IntN(3) {
			q.Vertices = append(q.Vertices, rng.IntN(len(p.Vertices)))
		}
		for range min(rng.IntN(5)/2, len(p.Edges)) {
			q.Edges = append(q.Edges, rng.IntN(len(p.Edges)))
		}
		slices.Sort(q.Vertices)
		slices.Sort(q.Edges)
		q.Vertices, q.Edges = slices.Compact(q.Vertices), slices.Compact(q.Edges)
		if salt := rng.IntN(100); rng.IntN(2) == 0 {
			q.Test = func(v []csr.VertexID, e []csr.EdgeID) (bool, error) {
				sum := salt
				for _, u := range q.Vertices {
					sum = 7*sum + int(v[u])
				}
				for _, x := range q.Edges {
					sum = 5*sum + int(e[x])
				}
				return sum%4 > 0, nil
			}
		}
		q.Sift = testgraph.SiftOf(q.Test)
		p.Predicates = append(p.Predicates, q)
	}
}

// TestRandomPredicateErrors compares patterns whose predicates raise errors with brute force, which tests predicates on whole matches only.
func TestRandomPredicateErrors(t *testing.T) {
	var raised, by atomic.Uint64
	matches, fails, spared := 0, 0, 0
	for seed := range rounds(4000) {
		rng := rand.New(rand.NewPCG(seed, 77))
		s := testgraph.Random(seed, testgraph.Options{Simple: seed%4 == 0, Vertices: 4 + rng.IntN(4), Edges: 5 + rng.IntN(9), Types: 1 + rng.IntN(2)})
		p := testgraph.RandomPattern(rng, s)
		if seed%4 < 3 {
			p = plainPattern(rng, s, 3+rng.IntN(3))
			addPredicates(rng, p)
			p.Scopes[0].Distinct = rng.IntN(4) == 0
		}
		failing(p, seed, 2+rng.Uint32N(8), &raised)
		j := testgraph.RandomJob(rng, s, p)
		var err error
		if j.Candidates, err = filter.Run(t.Context(), s, p, &pattern.Env{}); err != nil {
			t.Fatal(err)
		}
		restore := join.AskAllAfter(1 << (seed % 7))
		if seed%3 > 0 {
			first, tiny := restore, join.Tiny(seed/3)
			restore = func() { tiny(); first() }
		}
		want := &collector{}
		wantErr := testgraph.Brute{}.Match(t.Context(), j, &pattern.Env{}, want)
		j.Order = randomOrder(rng, p)
		if rng.IntN(2) == 0 {
			sizes := make([]float64, len(p.Vertices))
			for u, c := range j.Candidates.Sets {
				sizes[u] = float64(c.Len())
			}
			j.Order = match.OrderFor(match.Filtered, &match.Question{Pattern: p, Snapshot: s, Sizes: sizes}).Order
		}
		by.Store(raised.Load())
		sameOutcome(t, seed, j, want, wantErr)
		restore()
		switch {
		case wantErr != nil:
			fails++
		case raised.Load() > by.Load():
			spared++
		}
		matches += len(want.found)
	}
	t.Logf("%d fail, %d meet errors outside of matches only, %d matches", fails, spared, matches)
	if n := int(rounds(4000)); fails < n/20 || spared < n/20 || matches < n/4 {
		t.Error("the test tests too little")
	}
}

// sameOutcome counts and lists the matches of j, and compares them, or the error, with what is wanted.
func sameOutcome(t *testing.T, seed uint64, j *pattern.Job, want *collector, wantErr error) {
	t.Helper()
	for _, workers := range []int{1, 3} {
		env := &pattern.Env{Workers: workers, Memory: new(pattern.Memory)}
		n, err := join.Count(t.Context(), j, env)
		if !errors.Is(err, wantErr) || err == nil && n != pattern.Count(uint64(len(want.found))) {
			t.Fatalf("seed %d, %d workers: counted %v (%v), want %d (%v)\n%v\norder %+v\nbound %v %v", seed, workers, n, err, len(want.found), wantErr, j.Pattern, j.Order, j.Vertices, j.Edges)
		}
		for _, edges := range []bool{false, true} {
			got := &columnCollector{collector: collector{edges: edges}, p: j.Pattern, rows: 1 + int(seed%5)}
			err := join.Match(t.Context(), j, env, got)
			if !errors.Is(err, wantErr) || err == nil && len(got.found) != len(want.found) || err == nil && !edges && !slices.Equal(got.sorted(), want.sorted()) {
				t.Fatalf("seed %d, %d workers, edges %v: found %v (%v), want %v (%v)\n%v\norder %+v\nbound %v %v", seed, workers, edges, got.found, err, want.found, wantErr,
					j.Pattern, j.Order, j.Vertices, j.Edges)
			}
		}
		if used := env.Memory.Used(); used != 0 {
			t.Fatalf("seed %d: %d bytes are still charged", seed, used)
		}
	}
}

// TestManyPredicateErrors has a predicate fail for each relationship of a graph without triangles. To ask for each one would take some 30 us.
func TestManyPredicateErrors(t *testing.T) {
	b, rng := csr.NewBuilder(), rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		b.AddVertex()
	}
	for range 20_000 {
		b.AddEdge(2*rng.Uint32N(1000), 2*rng.Uint32N(1000)+1, b.Type("R"))
	}
	s, _, err := b.Build(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	p, pairs := chain(pattern.DifferentNodes, 3, true), map[[2]csr.VertexID]int{}
	for i := range p.Edges {
		p.Edges[i].Undirected = true
	}
	p.Predicates = []pattern.Predicate{{Vertices: []int{0, 1}, Test: func(v []csr.VertexID, _ []csr.EdgeID) (bool, error) {
		pairs[[2]csr.VertexID{v[0], v[1]}]++
		return false, errPredicate
	}}}
	start := time.Now()
	if n, err := join.Count(t.Context(), job(t, s, p), &pattern.Env{Workers: 1}); err != nil || n != pattern.Count(0) || len(pairs) < 30_000 {
		t.Errorf("%v (%v), errors for %d pairs", n, err, len(pairs))
	}
	t.Logf("%d pairs took %v", len(pairs), time.Since(start)) // 40 ms; 1.5 s where one asks for each pair
}

// TestPredicateErrorsEnd wants a search ended whose worker asks whether some match meets an error.
func TestPredicateErrorsEnd(t *testing.T) {
	s := testgraph.Random(3, testgraph.Options{Simple: true, Vertices: 400, Edges: 30_000, Types: 1, Labels: 1})
	p := chain(pattern.DifferentNodes, 9, true)
	var raised atomic.Uint64
	asked := make(chan struct{}, 1)
	p.Predicates = []pattern.Predicate{{Vertices: []int{0}, Test: func([]csr.VertexID, []csr.EdgeID) (bool, error) {
		raised.Add(1)
		return false, errPredicate
	}}, {Vertices: []int{4, 8}, Test: func([]csr.VertexID, []csr.EdgeID) (bool, error) {
		select {
		case asked <- struct{}{}:
		default:
		}
		return false, nil
	}}}
	j := job(t, s, p)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		<-asked
		cancel()
	}()
	start := time.Now()
	if _, err := join.Count(ctx, j, &pattern.Env{Workers: 2}); !errors.Is(err, context.Canceled) || raised.Load() == 0 {
		t.Errorf("a cancelled search gives %v after %d errors", err, raised.Load())
	}
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("a cancelled search took %v", took)
	}
}
