package join_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/join"
)

// number is a sink that reads nothing of a match. It wants most matches, or all if most is 0.
type number struct {
	mu    sync.Mutex
	rows  int // that it wants at once
	most  uint64
	total uint64
}

func (c *number) NeedEdges() bool     { return false }
func (c *number) ReadVertices() []int { return nil }
func (c *number) ReadEdges() []int    { return nil }
func (c *number) Repeats() bool       { return false }
func (c *number) BatchRows() int      { return c.rows }

func (c *number) Emit(batch []pattern.Embedding) (bool, error) {
	return false, fmt.Errorf("%d matches, not as columns", len(batch))
}

func (c *number) EmitColumns(columns *pattern.Columns) (bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(columns.Weights) == 0 {
		c.total += uint64(columns.Len)
	}
	for _, weight := range columns.Weights {
		c.total += weight
	}
	return c.most == 0 || c.total < c.most, nil
}

// some is a sink that reads some vertices of a match, and counts the matches by these.
type some struct {
	number
	vertices []int
	found    map[string]uint64
}

func (c *some) ReadVertices() []int { return c.vertices }

func (c *some) EmitColumns(columns *pattern.Columns) (bool, error) {
	more, err := c.number.EmitColumns(columns)
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range columns.Len {
		weight := uint64(1)
		if len(columns.Weights) > 0 {
			weight = columns.Weights[i]
		}
		key := ""
		for j := range c.vertices {
			key += fmt.Sprintf("%d ", columns.Vertices[j][i])
		}
		c.found[key] += weight
	}
	return more, err
}

// checkSome compares the matches that a sink gets which reads some vertices with those that one gets which reads all.
func checkSome(t *testing.T, what string, rng *rand.Rand, j *pattern.Job, env *pattern.Env, n uint64) {
	t.Helper()
	all := &some{number: number{rows: 100}, vertices: numbersBelow(len(j.Pattern.Vertices)), found: map[string]uint64{}}
	if err := join.Match(context.Background(), j, &pattern.Env{}, all); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	for range 3 {
		c := &some{number: number{rows: 1 + rng.IntN(30)}, found: map[string]uint64{}}
		if rng.IntN(4) == 0 {
			c.most = 1 + rng.Uint64N(n+1)
		}
		want := map[string]uint64{}
		for u := range j.Pattern.Vertices {
			if rng.IntN(3) == 0 {
				c.vertices = append(c.vertices, u)
			}
		}
		for match, n := range all.found {
			key, vertices := "", strings.Fields(match)
			for _, u := range c.vertices {
				key += vertices[u] + " "
			}
			want[key] += n
		}
		if err := join.Match(context.Background(), j, env, c); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		for key, n := range c.found {
			if n > want[key] {
				t.Fatalf("%s: %v %s: %d matches, want %d\n%v\norder %+v\nbound %v %v", what, c.vertices, key, n, want[key], j.Pattern, j.Order, j.Vertices, j.Edges)
			}
		}
		if c.most == 0 && c.total != n || c.total < min(n, c.most) {
			t.Fatalf("%s: %v, most %d: %d matches, want %d\n%v\norder %+v\nbound %v %v", what, c.vertices, c.most, c.total, n, j.Pattern, j.Order, j.Vertices, j.Edges)
		}
	}
}

// checkUnread compares the number of matches that a sink gets which reads nothing of them with n.
func checkUnread(t *testing.T, what string, j *pattern.Job, env *pattern.Env, n uint64) {
	t.Helper()
	for most := range uint64(3) {
		c := &number{rows: 1 + int(n%7), most: most * (n + 1) / 2}
		if err := join.Match(context.Background(), j, &pattern.Env{Workers: env.Workers, Memory: env.Memory}, c); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if c.total != n && (c.most == 0 || c.total < c.most || c.total > n) {
			t.Fatalf("%s, most %d: %d matches, want %d\n%v\norder %+v\nbound %v %v\ncandidates\n%v", what, c.most, c.total, n, j.Pattern, j.Order, j.Vertices, j.Edges, j.Candidates)
		}
	}
}

// TestUnread counts matches one by one for a sink that reads nothing of them, on graphs too large for brute force, with techniques
// on and off and with other orders that take turns.
func TestUnread(t *testing.T) {
	tally := new(pattern.Tally)
	equal, dense := uint64(0), uint64(0)
	for seed := range rounds(1500) {
		rng := rand.New(rand.NewPCG(seed, 41))
		s := testgraph.Random(seed, testgraph.Options{Simple: rng.IntN(4) > 0, Vertices: 8 + rng.IntN(12), Edges: 15 + rng.IntN(40), Types: 1 + rng.IntN(2), Labels: rng.IntN(3)})
		p := plainPattern(rng, s, 2+rng.IntN(4))
		for u := range p.Vertices {
			p.Vertices[u].Bound = rng.IntN(40) == 0
		}
		for range rng.IntN(3) {
			copyVertex(rng, p)
		}
		p.Scopes[0].Induced, p.Scopes[0].Distinct = rng.IntN(8) == 0, rng.IntN(12) == 0
		for i := range p.Edges {
			p.Scopes[0].Order = append(p.Scopes[0].Order, ^i)
		}
		if rng.IntN(4) == 0 {
			failMore(rng, p)
		}
		j := job(t, s, p)
		j.Vertices, j.Edges = make([]csr.VertexID, len(p.Vertices)), make([]csr.EdgeID, len(p.Edges))
		if !p.Scopes[0].Distinct {
			j.Order = randomOrder(rng, p)
			others := []pattern.Order{randomOrder(rng, p), randomOrder(rng, p)}
			j.AlternativeOrders = func() []pattern.Order { return others }
		}
		restore, always := func() {}, func() {}
		if rng.IntN(2) == 0 {
			restore = join.Tiny(seed / 3)
		}
		if rng.IntN(3) == 0 {
			always = join.AlwaysTurns()
		}
		if n, err := join.Count(context.Background(), j, &pattern.Env{}); err == nil && n.Hi == 0 && n.Lo < 1e6 {
			before := [2]uint64{tally.Taken[pattern.EqualVertices].Load(), tally.Taken[pattern.DenseSearch].Load()}
			for _, without := range []pattern.Technique{pattern.CountedTail, pattern.EqualVertices, pattern.DenseSearch, pattern.FailingSets, pattern.CountedChoices} {
				for range 4 { // what several workers do differs each time
					c := &number{rows: 1 + rng.IntN(50)}
					env := &pattern.Env{Workers: 1 + rng.IntN(4), Without: pattern.Techniques{}.With(without), Tally: tally}
					if err := join.Match(context.Background(), j, env, c); err != nil || c.total != n.Lo {
						t.Fatalf("seed %d, workers %d, without %v: %d matches, want %d (%v)\n%v\norder %+v\nbound %v %v", seed, env.Workers, without, c.total, n.Lo, err, p, j.Order, j.Vertices, j.Edges)
					}
				}
			}
			if n.Lo < 3000 {
				checkSome(t, fmt.Sprintf("seed %d", seed), rng, j, &pattern.Env{Workers: 1 + rng.IntN(4), Tally: tally, Memory: new(pattern.Memory)}, n.Lo)
			}
			equal += tally.Taken[pattern.EqualVertices].Load() - before[0]
			dense += tally.Taken[pattern.DenseSearch].Load() - before[1]
		}
		always()
		restore()
	}
	if tally.Taken[pattern.CountedChoices].Load() == 0 || equal == 0 || dense == 0 {
		t.Errorf("%d lists taken by their number, %d matches of equal vertices, %d dense parts", tally.Taken[pattern.CountedChoices].Load(), equal, dense)
	}
}

// TestUnreadLarge takes numbers whose product has more than 64 bits, up to a limit.
func TestUnreadLarge(t *testing.T) {
	s := complete(t, 400, 1)
	p := &pattern.Pattern{Vertices: make([]pattern.Vertex, 12), Scopes: []pattern.Scope{{Mode: pattern.RepeatableElements}}}
	for u := range p.Vertices {
		p.Scopes[0].Vertices = append(p.Scopes[0].Vertices, u)
		if u > 0 {
			p.Scopes[0].Edges = append(p.Scopes[0].Edges, u-1)
			p.Edges = append(p.Edges, pattern.Edge{From: 0, To: u, Undirected: true})
		}
	}
	j := prepared(t, s, p, &pattern.Env{})
	c := &number{rows: 1024, most: 1 << 62}
	if err := join.Match(context.Background(), j, &pattern.Env{}, c); err != nil || c.total < c.most {
		t.Errorf("%d matches (%v)", c.total, err)
	}
}
