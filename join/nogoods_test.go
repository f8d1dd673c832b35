package join_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/join"
)

// TestGuards lists and counts matches of patterns in which searches fail again and again, with nogoods and reservations and without; the
// smaller ones by brute force too. Stars and copies of vertices make hubs run short of neighbours.
func TestGuards(t *testing.T) {
	tally := new(pattern.Tally)
	for seed := range rounds(1800) {
		rng := rand.New(rand.NewPCG(seed, 43))
		small := seed%4 == 0
		options := testgraph.Options{Simple: seed%3 > 0, Vertices: 8 + rng.IntN(14), Edges: 16 + rng.IntN(30), Types: 1 + rng.IntN(2), Labels: rng.IntN(3)}
		if small {
			options.Vertices, options.Edges = 5+rng.IntN(3), 8+rng.IntN(8)
		}
		s := testgraph.Random(seed, options)
		p := plainPattern(rng, s, 3+rng.IntN(4))
		p.Scopes[0].Mode = []pattern.Mode{pattern.DifferentNodes, pattern.DifferentNodes, pattern.DifferentNodes, pattern.DifferentRelationships, pattern.RepeatableElements}[rng.IntN(5)]
		for range rng.IntN(3) {
			copyVertex(rng, p)
		}
		if rng.IntN(3) == 0 {
			failMore(rng, p)
		}
		j := job(t, s, p)
		j.Vertices, j.Edges = make([]csr.VertexID, len(p.Vertices)), make([]csr.EdgeID, len(p.Edges))
		j.Order = randomOrder(rng, p)
		if rng.IntN(2) == 0 {
			others := []pattern.Order{randomOrder(rng, p), randomOrder(rng, p)}
			j.AlternativeOrders = func() []pattern.Order { return others }
		}
		without := &pattern.Env{Without: pattern.Techniques{}.With(pattern.Nogoods).With(pattern.Reservations)}
		want, err := join.Count(context.Background(), j, without)
		if err != nil || want.Hi > 0 || want.Lo > 3000 {
			continue
		}
		undo := []func(){join.Tiny(seed / 3 &^ 2), join.NogoodsTrial(uint64(4) << (seed % 16))}
		if rng.IntN(3) == 0 {
			undo = append(undo, join.AlwaysTurns())
		}
		a, b := &collector{}, &collector{}
		if err := join.Match(context.Background(), j, without, a); err != nil {
			t.Fatal(err)
		}
		for _, off := range []pattern.Techniques{{}, pattern.Techniques{}.With(pattern.Nogoods), pattern.Techniques{}.With(pattern.Reservations)} {
			env := &pattern.Env{Workers: 1 + rng.IntN(3), Tally: tally, Without: off, Memory: new(pattern.Memory)}
			if got, err := join.Count(context.Background(), j, env); err != nil || got != want {
				t.Fatalf("seed %d, without %v: %v (%v), want %v\n%v\norder %+v", seed, off, got, err, want, p, j.Order)
			}
			b.found = nil
			if err := join.Match(context.Background(), j, env, b); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(a.sorted(), b.sorted()) || uint64(len(b.found)) != want.Lo {
				t.Fatalf("seed %d, without %v: %d matches, want %d\n%v\norder %+v", seed, off, len(b.found), len(a.found), p, j.Order)
			}
			if used := env.Memory.Used(); used != 0 {
				t.Fatalf("seed %d: %d bytes of the memory budget not given back", seed, used)
			}
		}
		if small && len(p.Vertices) < 6 && len(p.Edges) < 7 && want.Lo < 200 {
			check(t, "guards", j, 1+int(seed%2))
		}
		for _, f := range undo {
			f()
		}
	}
	for _, m := range []pattern.Technique{pattern.Nogoods, pattern.Reservations} {
		if tally.Taken[m].Load() == 0 {
			t.Errorf("%v spared no vertex", m)
		}
	}
}
