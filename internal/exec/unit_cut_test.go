package exec

import (
	"math/rand/v2"
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/testgraph"
)

// The guesses for blocks of numbers cover all numbers in order. Up to the end of each block they are about those of number by number, also where a
// block has a vertex with most neighbours.
func TestBlockWeights(t *testing.T) {
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 8))
	scale := 10 + rng.IntN(3)
	hub := rng.Uint32N(1 << scale)
	snap := testgraph.Graph(1<<scale, func(yield func(u, v uint32) bool) {
		for u, v := range testgraph.RMAT(scale, 1+rng.IntN(4), seed) {
			if !yield(u, v) {
				return
			}
		}
		for v := range uint32(1 << scale) {
			if v%2 == 0 && !yield(hub, v) {
				return
			}
		}
	}, true)
	views := []*csr.Adjacency{snap.Adjacency(nil, csr.Out), snap.Adjacency(nil, csr.In)}
	n := snap.N()
	weights, numbers := blockWeights(views, n)
	var got, want, most float64
	next := uint64(0)
	for i, number := range numbers {
		if uint64(number) < next || uint64(number) >= n {
			t.Fatalf("seed %d: number %d after %d, of %d", seed, number, next, n)
		}
		for ; next <= uint64(number); next++ {
			d := float64(views[0].Degree(csr.VertexID(next)) + views[1].Degree(csr.VertexID(next)))
			want += 1 + d*d
		}
		got += weights[i]
		most = max(most, want-got, got-want)
	}
	if next != n || most > want/2 {
		t.Errorf("seed %d: up to number %d of %d, %g instead of %g, up to %g off", seed, next, n, got, want, most)
	}
	if len(numbers) > int(n)/4 {
		t.Errorf("seed %d: %d degrees of %d read", seed, len(numbers), n)
	}
}
