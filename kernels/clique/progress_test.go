package clique_test

import (
	"context"
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/kernels/clique"
)

// shareOf is what a user is shown.
func shareOf(t *pattern.Tally) float64 { return float64(t.UnitsDone.Load()) / float64(t.Units.Load()) }

// TestProgressOfCliques compares the share of the work that is said to be done with that of the maximal cliques that have been
// found, on a graph on which nearly all of them lie below few roots.
func TestProgressOfCliques(t *testing.T) {
	s := testgraph.Graph(1<<11, testgraph.RMAT(11, 16, 1), true)
	var shares []float64
	env := &pattern.Env{Workers: 1, Tally: new(pattern.Tally)}
	if err := clique.Maximal(context.Background(), s, &pattern.Subgraph{}, 1, env, func([]csr.VertexID) (bool, error) {
		shares = append(shares, shareOf(env.Tally))
		return true, nil
	}); err != nil {
		t.Fatal(err)
	}
	if got := shareOf(env.Tally); got != 1 {
		t.Errorf("%v at the end", got)
	}
	for i := 1; i < len(shares); i++ {
		if shares[i] < shares[i-1] || shares[i] > 1 {
			t.Fatalf("after %d cliques %v, then %v", i, shares[i-1], shares[i])
		}
	}
	for _, part := range []float64{0.1, 0.25, 0.5, 0.75, 0.9} {
		at := shares[int(part*float64(len(shares)))]
		t.Logf("%.2f of %d cliques: %.3f", part, len(shares), at)
		if at < part/2.5 || at > part*2.5 {
			t.Errorf("%.2f done where %.2f of the cliques are found", at, part)
		}
	}
}

// TestProgressEnds checks that every search for cliques says of all its work that it is done at the end.
func TestProgressEnds(t *testing.T) {
	s := testgraph.Graph(1<<9, testgraph.RMAT(9, 16, 3), true)
	ctx, g, list := context.Background(), &pattern.Subgraph{}, func([]csr.VertexID) (bool, error) { return true, nil }
	var even, odd []csr.VertexID
	for v := range csr.VertexID(s.N()) {
		if even = append(even, v); v%2 == 1 {
			even, odd = even[:len(even)-1], append(odd, v)
		}
	}
	groups := &pattern.Clique{K: 4, Sizes: []int{2, 2},
		Sets: []*pattern.CandidateSet{pattern.NewCandidateSet(s.N(), even), pattern.NewCandidateSet(s.N(), odd)}}
	for name, search := range map[string]func(env *pattern.Env) error{
		"all sizes":  func(env *pattern.Env) error { _, err := clique.CountBySize(ctx, s, g, 0, env); return err },
		"size 5":     func(env *pattern.Env) error { _, err := clique.Count(ctx, s, g.Clique(5), env); return err },
		"groups":     func(env *pattern.Env) error { _, err := clique.Count(ctx, s, groups, env); return err },
		"list":       func(env *pattern.Env) error { return clique.List(ctx, s, g.Clique(3), env, list) },
		"maximal":    func(env *pattern.Env) error { return clique.Maximal(ctx, s, g, 3, env, list) },
		"maximum":    func(env *pattern.Env) error { _, err := clique.Maximum(ctx, s, g, env); return err },
		"per vertex": func(env *pattern.Env) error { _, err := clique.CountPerVertex(ctx, s, g.Clique(4), env); return err },
	} {
		for _, workers := range []int{1, 3} {
			env := &pattern.Env{Workers: workers, Tally: new(pattern.Tally)}
			if err := search(env); err != nil {
				t.Fatal(err)
			}
			if got := shareOf(env.Tally); got != 1 {
				t.Errorf("%s, %d workers: %v at the end", name, workers, got)
			}
		}
	}
}
