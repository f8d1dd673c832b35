package clique_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/kernels/clique"
)

// gnp is a random simple graph of one type.
func gnp(r *rand.Rand, n int, density float64) *csr.Snapshot {
	return testgraph.Graph(n, func(yield func(uint32, uint32) bool) {
		for v := range uint32(n) {
			for u := range v {
				if r.Float64() < density && !yield(u, v) {
					return
				}
			}
		}
	}, true)
}

// randomSubgraph is all of a graph, or a part of its vertices or types.
func randomSubgraph(r *rand.Rand, s *csr.Snapshot) *pattern.Subgraph {
	g := new(pattern.Subgraph)
	if r.IntN(3) == 0 {
		g.Types = csr.TypeSet{0}
	}
	if r.IntN(2) == 0 {
		var list []csr.VertexID
		for v := range csr.VertexID(s.N()) {
			if r.IntN(4) > 0 {
				list = append(list, v)
			}
		}
		g.Within = pattern.NewCandidateSet(s.N(), list)
	}
	return g
}

// TestCliqueQuestions compares what is asked about all cliques with brute force, on multigraphs with loops and several
// types, and on simple graphs of every density.
func TestCliqueQuestions(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	r := rand.New(rand.NewPCG(seed, 3))
	for i := range 300 {
		s := testgraph.Random(r.Uint64(), testgraph.Options{})
		if i%2 == 0 {
			s = gnp(r, r.IntN(13), r.Float64()*1.1)
		}
		g := randomSubgraph(r, s)
		env := &pattern.Env{Workers: 1 + r.IntN(4)}
		t.Run(fmt.Sprintf("seed %d, graph %d", seed, i), func(t *testing.T) { compareQuestions(t, r, s, g, env) })
		if t.Failed() {
			break
		}
	}
}

func compareQuestions(t *testing.T, r *rand.Rand, s *csr.Snapshot, g *pattern.Subgraph, env *pattern.Env) {
	t.Helper()
	ctx, brute := t.Context(), testgraph.Brute{}
	upTo := r.IntN(6)
	want, err := brute.AllCliques(ctx, s, g, upTo, env)
	got, err2 := clique.CountBySize(ctx, s, g, upTo, env)
	if cmp.Or(err, err2) != nil || !slices.Equal(got, want) {
		t.Errorf("cliques by size up to %d: %v, %v; want %v, %v", upTo, got, err2, want, err)
	}
	k := 1 + r.IntN(6)
	want, err = brute.CliquesPerVertex(ctx, s, g.Clique(k))
	got, err2 = clique.CountPerVertex(ctx, s, g.Clique(k), env)
	if cmp.Or(err, err2) != nil || !slices.Equal(got, want) {
		t.Errorf("%d-cliques by vertex: %v, %v; want %v, %v", k, got, err2, want, err)
	}
	k = max(k, 2)
	wantEdges, err := brute.CliquesPerEdge(ctx, s, g, k, env)
	gotEdges, err2 := clique.CountPerEdge(ctx, s, g, k, env)
	if cmp.Or(err, err2) != nil || !slices.Equal(edgeLines(gotEdges), edgeLines(wantEdges)) {
		t.Errorf("%d-cliques by edge: %v, %v; want %v, %v", k, gotEdges, err2, wantEdges, err)
	}
	least := r.IntN(5)
	if got, want := maximal(t, clique.Maximal, s, g, least, env), maximal(t, brute.MaximalCliques, s, g, least, env); !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("maximal cliques of at least %d: %v; want %v", least, got, want)
	}
	compareMaximum(t, s, g, env)
}

func edgeLines(c *pattern.EdgeCounts) (lines []string) {
	for i, n := range c.Count {
		lines = append(lines, fmt.Sprint(c.Source[i], c.Target[i], n))
	}
	slices.Sort(lines)
	return lines
}

type maximalFunc func(context.Context, *csr.Snapshot, *pattern.Subgraph, int, *pattern.Env, func([]csr.VertexID) (bool, error)) error

func maximal(t *testing.T, find maximalFunc, s *csr.Snapshot, g *pattern.Subgraph, least int, env *pattern.Env) (found [][]csr.VertexID) {
	t.Helper()
	err := find(t.Context(), s, g, least, env, func(c []csr.VertexID) (bool, error) {
		found = append(found, slices.Clone(c))
		return true, nil
	})
	if err != nil {
		t.Error(err)
	}
	slices.SortFunc(found, slices.Compare)
	return found
}

// compareMaximum allows for another clique of the same size.
func compareMaximum(t *testing.T, s *csr.Snapshot, g *pattern.Subgraph, env *pattern.Env) {
	t.Helper()
	want, err := testgraph.Brute{}.MaximumClique(t.Context(), s, g, env)
	got, err2 := clique.Maximum(t.Context(), s, g, env)
	if cmp.Or(err, err2) != nil || len(got) != len(want) {
		t.Fatalf("largest clique %v, %v; want %v, %v", got, err2, want, err)
	}
	for i, v := range got {
		if g.Within != nil && !g.Within.Has(v) {
			t.Errorf("vertex %d of the largest clique %v is not one of those asked for", v, got)
		}
		for _, u := range got[:i] {
			if u >= v || len(s.Relationships(nil, u, v, g.Types, csr.Both)) == 0 {
				t.Errorf("largest clique %v: %d and %d", got, u, v)
			}
		}
	}
}

func TestMaximalCliquesStop(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	s := gnp(r, 90, 0.5)
	env := &pattern.Env{Workers: 2}
	calls := 0
	err := clique.Maximal(t.Context(), s, new(pattern.Subgraph), 0, env, func([]csr.VertexID) (bool, error) { calls++; return calls < 10, nil })
	if err != nil || calls != 10 {
		t.Errorf("stopped after %d cliques with %v; want 10", calls, err)
	}
	mine := errors.New("mine")
	err = clique.Maximal(t.Context(), s, new(pattern.Subgraph), 0, env, func([]csr.VertexID) (bool, error) { return false, mine })
	if err != mine {
		t.Errorf("emit's error came back as %v", err)
	}
}

// TestCliqueQuestionsEnd asks questions that take kerneltest.Distances too long under a deadline.
func TestCliqueQuestionsEnd(t *testing.T) {
	s := gnp(rand.New(rand.NewPCG(2, 2)), 400, 0.85)
	env := &pattern.Env{Workers: 2}
	all := new(pattern.Subgraph)
	for name, ask := range map[string]func(context.Context) error{
		"all": func(ctx context.Context) error { _, err := clique.CountBySize(ctx, s, all, 0, env); return err },
		"vertex": func(ctx context.Context) error {
			_, err := clique.CountPerVertex(ctx, s, all.Clique(20), env)
			return err
		},
		"edge":    func(ctx context.Context) error { _, err := clique.CountPerEdge(ctx, s, all, 20, env); return err },
		"maximum": func(ctx context.Context) error { _, err := clique.Maximum(ctx, s, all, env); return err },
		"maximal": func(ctx context.Context) error {
			return clique.Maximal(ctx, s, all, 100, env, func([]csr.VertexID) (bool, error) { return true, nil })
		},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		if err := ask(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: a search beyond its deadline gave %v", name, err)
		}
		cancel()
	}
	env.Memory = &pattern.Memory{Limit: 100}
	if _, err := clique.CountBySize(t.Context(), s, all, 0, env); !errors.Is(err, pattern.ErrMemory) {
		t.Errorf("a search without memory gave %v", err)
	}
}
