package join_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/join"
	"github.com/motifql/motif/planner/match"
)

// groupNumbers is a sink that adds up the matches by the parts of the vertices that it reads.
type groupNumbers struct {
	read   []int
	partOf []map[csr.VertexID]int // by vertex that is read
	mu     sync.Mutex
	given  int
	found  map[string]uint64
}

func (c *groupNumbers) NeedEdges() bool { return false }

func (c *groupNumbers) Emit(batch []pattern.Embedding) (bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range batch {
		key := ""
		for i, u := range c.read {
			key += fmt.Sprint(c.partOf[i][m.Vertices[u]], " ")
		}
		c.found[key] += m.Weight
		c.given++
	}
	return true, nil
}

// randomGroups reads one to three vertices of p and divides their candidates at random.
func randomGroups(rng *rand.Rand, s *csr.Snapshot, p *pattern.Pattern, c *pattern.Candidates) (*pattern.Groups, []map[csr.VertexID]int) {
	var partOf []map[csr.VertexID]int
	var parts [][]*pattern.CandidateSet
	g := &pattern.Groups{Read: rng.Perm(len(p.Vertices))[:min(len(p.Vertices), 1+rng.IntN(3))]}
	for _, u := range g.Read {
		k := 1 + rng.IntN(3)
		lists, of := make([][]csr.VertexID, k), map[csr.VertexID]int{}
		for v := range c.Sets[u].All() {
			of[v] = rng.IntN(k)
			lists[of[v]] = append(lists[of[v]], v)
		}
		sets := []*pattern.CandidateSet{}
		for _, l := range lists {
			if len(l) > 0 {
				sets = append(sets, pattern.NewCandidateSet(s.N(), l))
			}
		}
		parts, partOf = append(parts, sets), append(partOf, of)
	}
	g.Parts = func(i int) ([]*pattern.CandidateSet, error) { return parts[i], nil }
	return g, partOf
}

// TestGroupSums compares grouped counts by formulas with brute force, in every mode, on graphs with loops, parallel and reciprocal
// relationships, types and labels.
func TestGroupSums(t *testing.T) {
	defer join.AlwaysFormula()()
	taken, several := 0, 0
	for seed := range rounds(2000) {
		rng := rand.New(rand.NewPCG(seed, 21))
		s := testgraph.Random(seed, testgraph.Options{Simple: rng.IntN(3) == 0, Vertices: 2 + rng.IntN(6), Edges: rng.IntN(18), Types: 1 + rng.IntN(2), Labels: 2})
		p := formulaPattern(rng, s)
		j := job(t, s, p)
		j.Order = match.OrderFor(match.Filtered, &match.Question{Pattern: p, Snapshot: s, Sizes: sizesOf(j)}).Order
		g, partOf := randomGroups(rng, s, p, j.Candidates)
		if g.Formula, _ = match.GroupFormula(p, s, g.Read, 1e12); g.Formula == nil {
			continue
		}
		want := &groupNumbers{read: g.Read, partOf: partOf, found: map[string]uint64{}}
		if err := (testgraph.Brute{}).Match(context.Background(), j, &pattern.Env{}, want); err != nil {
			t.Fatal(err)
		}
		j.Groups = g
		restore := func() {}
		if rng.IntN(2) == 0 {
			restore = join.NoRoots()
		}
		for _, without := range []pattern.Techniques{{}, pattern.Techniques{}.With(pattern.GroupSums)} {
			got := &groupNumbers{read: g.Read, partOf: partOf, found: map[string]uint64{}}
			env := &pattern.Env{Workers: 1 + rng.IntN(3), Tally: new(pattern.Tally), Memory: new(pattern.Memory), Without: without}
			if err := join.Match(context.Background(), j, env, got); err != nil {
				t.Fatal(err)
			}
			if !maps.Equal(got.found, want.found) {
				t.Fatalf("seed %d: groups %v, want %v\n%v\n%v\n%v", seed, got.found, want.found, p, g.Formula, s.Stats)
			}
			if used := env.Memory.Used(); used != 0 {
				t.Fatalf("seed %d: %d bytes of the memory budget not given back", seed, used)
			}
			if n := env.Tally.Taken[pattern.GroupSums].Load(); n > 0 {
				if taken++; without != (pattern.Techniques{}) || int(n) != got.given || got.given > len(got.found) {
					t.Fatalf("seed %d: %d groups in %d rows", seed, n, got.given)
				}
				if len(g.Formula.Terms) > 1 {
					several++
				}
			}
		}
		restore()
	}
	if taken < int(rounds(2000))/10 || several < int(rounds(2000))/30 {
		t.Errorf("%d patterns counted by groups, %d by several terms", taken, several)
	}
}
