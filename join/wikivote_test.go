package join_test

import (
	"bufio"
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/motifql/motif/filter"
	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/shared"
	"github.com/motifql/motif/join"
	"github.com/motifql/motif/planner/match"
)

// Patterns without labels that counting programs are compared on: wiki-Vote as an undirected simple graph, each subgraph
// once. The numbers of cycles of four and of houses are what other programs find; the others agree with a search.
var unlabelledPatterns = []struct {
	name    string
	edges   [][2]int
	induced bool
	want    uint64
}{
	{"diamond", [][2]int{{0, 1}, {0, 2}, {1, 2}, {1, 3}, {2, 3}}, false, 40544543},
	{"cycle4", [][2]int{{0, 1}, {1, 2}, {2, 3}, {0, 3}}, false, 57654491},
	{"house", [][2]int{{0, 1}, {0, 3}, {0, 4}, {1, 2}, {1, 4}, {2, 3}}, false, 9488779111},
	{"star4 induced", [][2]int{{0, 1}, {0, 2}, {0, 3}}, true, 1127174796},
	{"path4 induced", [][2]int{{0, 1}, {1, 2}, {2, 3}}, true, 1048807458},
	{"paw induced", [][2]int{{0, 1}, {1, 2}, {0, 2}, {2, 3}}, true, 283932309},
	{"cycle4 induced", [][2]int{{0, 1}, {1, 2}, {2, 3}, {0, 3}}, true, 23343657},
	{"diamond induced", [][2]int{{0, 1}, {0, 2}, {1, 2}, {1, 3}, {2, 3}}, true, 28077125},
	{"path5", [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 4}}, false, 258626815418},
	{"cycle5", [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {0, 4}}, false, 5260254667},
}

var wikiVoteOnce struct {
	sync.Once
	s *csr.Snapshot
}

func wikiVote(t testing.TB) *csr.Snapshot {
	text := shared.Open(t, "wiki-Vote.txt.zst")
	wikiVoteOnce.Do(func() {
		b := csr.NewBuilder()
		votes := b.Type("E")
		b.DropRepeats(votes)
		number := map[int]uint32{}
		node := func(id int) uint32 {
			if _, ok := number[id]; !ok {
				number[id] = b.AddVertex()
			}
			return number[id]
		}
		for lines := bufio.NewScanner(text); lines.Scan(); {
			var u, w int
			if n, _ := fmt.Sscan(lines.Text(), &u, &w); n == 2 && u != w {
				b.AddEdge(node(min(u, w)), node(max(u, w)), votes)
			}
		}
		var err error
		if wikiVoteOnce.s, _, err = b.Build(context.Background(), 2); err != nil {
			t.Fatal(err)
		}
	})
	if wikiVoteOnce.s == nil {
		t.Fatal("the graph could not be loaded")
	}
	return wikiVoteOnce.s
}

// distinctPattern is a pattern of undirected edges, each subgraph of which counts once.
func distinctPattern(edges [][2]int, induced bool) *pattern.Pattern {
	p := &pattern.Pattern{Scopes: []pattern.Scope{{Distinct: true, Induced: induced}}}
	sc := &p.Scopes[0]
	for i, e := range edges {
		for len(p.Vertices) <= max(e[0], e[1]) {
			sc.Vertices, sc.Order = append(sc.Vertices, len(p.Vertices)), append(sc.Order, len(p.Vertices))
			p.Vertices = append(p.Vertices, pattern.Vertex{})
		}
		sc.Edges, sc.Order = append(sc.Edges, i), append(sc.Order, ^i)
		p.Edges = append(p.Edges, pattern.Edge{From: e[0], To: e[1], Undirected: true})
	}
	return p
}

// countByFormula plans as a query does and counts.
func countByFormula(t testing.TB, s *csr.Snapshot, p *pattern.Pattern, env *pattern.Env) uint64 {
	c, err := filter.Run(context.Background(), s, p, env)
	if err != nil {
		t.Fatal(err)
	}
	j := &pattern.Job{Snapshot: s, Pattern: p, Candidates: c}
	j.Order = match.OrderFor(match.Filtered, &match.Question{Pattern: p, Snapshot: s, Sizes: sizesOf(j)}).Order
	j.Formula, _ = match.CountFormula(p, s, j.Order.Symmetric, 1e12)
	n, err := join.Count(context.Background(), j, env)
	if err != nil || n.Hi != 0 {
		t.Fatal(n, err)
	}
	return n.Lo
}

func TestWikiVote(t *testing.T) {
	s := wikiVote(t)
	if s.N() != uint64(shared.Truth(t, "wiki-Vote", "vertices")) || s.M() != uint64(shared.Truth(t, "wiki-Vote", "edges_undirected_simple")) {
		t.Fatalf("%d vertices, %d edges", s.N(), s.M())
	}
	for _, q := range unlabelledPatterns {
		env := &pattern.Env{Workers: 2, Tally: new(pattern.Tally)}
		if got := countByFormula(t, s, distinctPattern(q.edges, q.induced), env); got != q.want {
			t.Errorf("%s: %d, want %d", q.name, got, q.want)
		}
		if env.Tally.Taken[pattern.Separators].Load() == 0 {
			t.Logf("%s: counted by a search", q.name)
		}
	}
}

func BenchmarkWikiVote(b *testing.B) {
	s := wikiVote(b)
	for _, q := range unlabelledPatterns {
		p := distinctPattern(q.edges, q.induced)
		b.Run(q.name, func(b *testing.B) {
			defer reportCPU(b)()
			for b.Loop() {
				if got := countByFormula(b, s, p, &pattern.Env{Workers: 1}); got != q.want {
					b.Fatalf("%d, want %d", got, q.want)
				}
			}
		})
	}
}
