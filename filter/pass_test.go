package filter

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/motifql/motif/internal/csr"
)

// TestPass compares the loops over signatures of one and two words with the definition, on random signatures.
func TestPass(t *testing.T) {
	for seed := range uint64(500) {
		rng := rand.New(rand.NewPCG(seed, 10))
		n, words := 1+rng.IntN(200), 1+rng.IntN(3)
		if seed%50 == 0 {
			n = chunk + rng.IntN(chunk)
		}
		random := func(size, ones int) []uint64 {
			sig := make([]uint64, size)
			for i := range sig {
				for range ones {
					sig[i] |= 1 << rng.IntN(8)
				}
			}
			return sig
		}
		test := sigTest{sig: random(n*words, 8), words: words}
		for range rng.IntN(3) {
			test.queries = append(test.queries, random(words, rng.IntN(3)))
		}
		var list, want []csr.VertexID
		for v := range n {
			if rng.IntN(4) > 0 {
				list = append(list, csr.VertexID(v))
			}
		}
		for _, v := range list {
			if covers(&test, int(v)) {
				want = append(want, v)
			}
		}
		f := &filter{ctx: context.Background(), workers: 2, scratch: new(scratch)}
		before := slices.Clone(list)
		got, err := f.pass(list, &test)
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("seed %d: %v pass (%v), want %v", seed, got, err, want)
		}
		for range got { // the room belongs to the next list
			clear(f.roomFor(len(list)))
		}
		if !slices.Equal(got, want) || !slices.Equal(list, before) {
			t.Fatalf("seed %d: the lists share the room", seed)
		}
	}
}

// covers reports bit by bit whether the signature of v has what all queries have.
func covers(t *sigTest, v int) bool {
	for _, q := range t.queries {
		for i := range 64 * t.words {
			if q[i/64]>>(i%64)&1 > t.sig[v*t.words+i/64]>>(i%64)&1 {
				return false
			}
		}
	}
	return true
}
