package join_test

import (
	"bufio"
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/motifql/motif/filter"
	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/shared"
	"github.com/motifql/motif/join"
	"github.com/motifql/motif/planner/match"
)

// The labelled patterns that subgraph matching programs are compared on: soc-Slashdot0902 as an undirected simple graph, five
// labels dealt by a hash of the original ids, every query vertex with a label of its own, all matches counted. The
// counts are those that other programs find.
var labelledPatterns = []struct {
	name  string
	edges [][2]int
	want  uint64
	order []int // one in which parts of the pattern come apart early
}{
	{"triangle", [][2]int{{0, 1}, {1, 2}, {0, 2}}, 25963, []int{0, 1, 2}},
	{"diamond", [][2]int{{0, 1}, {0, 2}, {1, 2}, {1, 3}, {2, 3}}, 302672, []int{1, 2, 0, 3}},
	{"clique4", [][2]int{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}, 85150, []int{0, 1, 2, 3}},
	{"cycle4", [][2]int{{0, 1}, {1, 2}, {2, 3}, {0, 3}}, 722991, []int{0, 1, 2, 3}},
	{"house", [][2]int{{0, 1}, {0, 3}, {0, 4}, {1, 2}, {1, 4}, {2, 3}}, 3530511, []int{0, 1, 4, 2, 3}},
	{"cycle5", [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {0, 4}}, 13902775, []int{0, 1, 2, 3, 4}},
}

var slashdotOnce struct {
	sync.Once
	s *csr.Snapshot
}

// slashdot loads the graph.
func slashdot(t testing.TB) *csr.Snapshot {
	text := shared.Open(t, "soc-Slashdot0902.txt.zst")
	slashdotOnce.Do(func() {
		var edges [][2]uint32
		n := uint32(0)
		for lines := bufio.NewScanner(text); lines.Scan(); {
			a, b, ok := strings.Cut(strings.TrimSpace(lines.Text()), "\t")
			u, err1 := strconv.ParseUint(a, 10, 32)
			v, err2 := strconv.ParseUint(b, 10, 32)
			if ok && err1 == nil && err2 == nil {
				edges = append(edges, [2]uint32{uint32(min(u, v)), uint32(max(u, v))})
				n = max(n, uint32(u)+1, uint32(v)+1)
			}
		}
		b := csr.NewBuilder()
		for v := range n {
			b.AddVertex(b.Label(fmt.Sprint("L", splitmix64(uint64(v)^42)%5)))
		}
		knows := b.Type("E")
		b.DropRepeats(knows)
		for _, e := range edges {
			b.AddEdge(e[0], e[1], knows)
		}
		var err error
		if slashdotOnce.s, _, err = b.Build(context.Background(), 2); err != nil {
			t.Fatal(err)
		}
	})
	if slashdotOnce.s == nil {
		t.Fatal("the graph could not be loaded")
	}
	return slashdotOnce.s
}

func splitmix64(x uint64) uint64 {
	z := x + 0x9E3779B97F4A7C15
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

// labelled is a pattern of undirected edges whose vertices ask for the labels L0, L1, ...
func labelled(s *csr.Snapshot, edges [][2]int) *pattern.Pattern {
	p := &pattern.Pattern{Scopes: []pattern.Scope{{Mode: pattern.DifferentNodes}}}
	for _, e := range edges {
		for len(p.Vertices) <= max(e[0], e[1]) {
			name := fmt.Sprint("L", len(p.Vertices))
			id, _ := s.Labels.Lookup(name)
			p.Scopes[0].Vertices = append(p.Scopes[0].Vertices, len(p.Vertices))
			p.Vertices = append(p.Vertices, pattern.Vertex{Labels: &pattern.Label{ID: csr.LabelID(id), Name: name}})
		}
		p.Scopes[0].Edges = append(p.Scopes[0].Edges, len(p.Edges))
		p.Edges = append(p.Edges, pattern.Edge{From: e[0], To: e[1], Undirected: true})
	}
	return p
}

// countLabelled filters, orders and counts. Without an order of its own the planner's is taken.
func countLabelled(t testing.TB, s *csr.Snapshot, p *pattern.Pattern, order []int, env *pattern.Env) uint64 {
	c, err := filter.Run(context.Background(), s, p, env)
	if err != nil {
		t.Fatal(err)
	}
	sizes := make([]float64, len(p.Vertices))
	for u := range sizes {
		sizes[u] = float64(c.Sets[u].Len())
	}
	j := &pattern.Job{Snapshot: s, Pattern: p, Candidates: c}
	j.AlternativeOrders = func() []pattern.Order {
		return match.OrderFor(match.Replanned, &match.Question{Pattern: p, Snapshot: s, Sizes: sizes}).Alternatives
	}
	if j.Order = match.OrderFor(match.Filtered, &match.Question{Pattern: p, Snapshot: s, Sizes: sizes}).Order; order != nil {
		j.Order = orderOf(p, order...)
	}
	n, err := join.Count(context.Background(), j, env)
	if err != nil || n.Hi != 0 {
		t.Fatal(n, err)
	}
	return n.Lo
}

func TestSlashdot(t *testing.T) {
	s := slashdot(t)
	if s.M() != 504230 {
		t.Fatalf("%d edges", s.M())
	}
	for _, q := range labelledPatterns {
		for _, order := range [][]int{nil, q.order} {
			if got := countLabelled(t, s, labelled(s, q.edges), order, &pattern.Env{Workers: 2}); got != q.want {
				t.Errorf("%s, order %v: %d, want %d", q.name, order, got, q.want)
			}
		}
	}
}

func BenchmarkSlashdot(b *testing.B) {
	s := slashdot(b)
	for _, q := range labelledPatterns {
		p := labelled(s, q.edges)
		for name, order := range map[string][]int{"planner": nil, "own": q.order} {
			b.Run(q.name+"/"+name, func(b *testing.B) {
				warm(b, s, p)
				defer reportCPU(b)()
				for b.Loop() {
					if got := countLabelled(b, s, p, order, &pattern.Env{Workers: 1}); got != q.want {
						b.Fatalf("%d, want %d", got, q.want)
					}
				}
			})
		}
	}
}
