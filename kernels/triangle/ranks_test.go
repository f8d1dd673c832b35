package triangle

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/internal/kerneltest"
)

// TestRanks adds up the numbers of random ranges of ranks, in any order, with and without weights. They are the numbers of all triangles.
func TestRanks(t *testing.T) {
	seed, most := uint64(time.Now().UnixNano()), uint64(0)
	rng := rand.New(rand.NewPCG(seed, 0))
	for round := range 300 {
		s := kerneltest.RandomGraph(t, rng, 1+rng.IntN(40), []float64{0.02, 0.1, 0.3, 0.7}[round%4])
		env := &pattern.Env{Workers: 1 + round%2, Memory: new(pattern.Memory)}
		all, by, err := Count(t.Context(), s, nil, true, env)
		if err != nil {
			t.Fatal(err)
		}
		weights, want, cuts := make([]uint64, s.N()), uint64(0), []uint64{0, s.N()}
		for v := range weights {
			weights[v] = rng.Uint64N(1000)
			want += weights[v] * by[v]
		}
		for range rng.IntN(6) {
			cuts = append(cuts, rng.Uint64N(s.N()+1))
		}
		slices.Sort(cuts)
		clique := func() *pattern.Clique {
			return &pattern.Clique{K: 3, Sets: []*pattern.CandidateSet{nil}, Sizes: []int{3}}
		}
		plain, total, sum := clique(), uint64(0), uint64(0)
		weighed := plain // they may keep the same
		if rng.IntN(2) == 0 {
			weighed = clique()
		}
		for _, i := range rng.Perm(len(cuts) - 1) {
			plain.Ranks = &pattern.RankRange{Lo: cuts[i], Hi: cuts[i+1]}
			weighed.Ranks = plain.Ranks
			n, err := CountRanks(t.Context(), s, plain, env)
			if err != nil {
				t.Fatal(err)
			}
			x, err := WeighRanks(t.Context(), s, weighed, weights, env)
			if err != nil || x.Hi > 0 || env.Memory.Used() > 0 {
				t.Fatal(err, x, env.Memory.Used())
			}
			total, sum = total+n, sum+x.Lo
		}
		if total != all || sum != want {
			t.Fatalf("seed %d, round %d: %d triangles that weigh %d, want %d and %d", seed, round, total, sum, all, want)
		}
		most = max(most, all)
	}
	if most == 0 {
		t.Error("no triangles")
	}
}
