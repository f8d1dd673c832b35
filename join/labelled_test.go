package join_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/motifql/motif/filter"
	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/shared"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/join"
	"github.com/motifql/motif/planner/match"
)

// kron16 is a Kronecker graph with the parameters of Graph500 (scale 16, 16 edges a vertex, most of them different), five
// labels dealt by a hash.
var kron16 = sync.OnceValues(func() (*csr.Snapshot, error) {
	const scale, factor = 16, 16
	b := csr.NewBuilder()
	for v := range 1 << scale {
		b.AddVertex(b.Label(fmt.Sprint("L", splitmix64(uint64(v)^42)%5)))
	}
	t := b.Type("E")
	b.DropRepeats(t)
	for u, v := range testgraph.RMAT(scale, factor, 1) {
		if u != v {
			b.AddEdge(min(u, v), max(u, v), t)
		}
	}
	s, _, err := b.Build(context.Background(), 2)
	return s, err
})

var kronPatterns = []struct {
	name  string
	edges [][2]int
}{
	{"triangle", cliqueEdges(3)},
	{"diamond", [][2]int{{0, 1}, {0, 2}, {1, 2}, {1, 3}, {2, 3}}},
	{"clique4", cliqueEdges(4)},
	{"cycle4", [][2]int{{0, 1}, {1, 2}, {2, 3}, {0, 3}}},
	{"house", [][2]int{{0, 1}, {0, 3}, {0, 4}, {1, 2}, {1, 4}, {2, 3}}},
	{"clique5", cliqueEdges(5)},
}

func cliqueEdges(k int) (edges [][2]int) {
	for v := range k {
		for u := range v {
			edges = append(edges, [2]int{u, v})
		}
	}
	return edges
}

// BenchmarkKron counts the labelled patterns on kron16.
func BenchmarkKron(b *testing.B) {
	s, err := kron16()
	if err != nil {
		b.Fatal(err)
	}
	for _, q := range kronPatterns {
		p := labelled(s, q.edges)
		b.Run(q.name, func(b *testing.B) {
			warm(b, s, p)
			defer reportCPU(b)()
			var n uint64
			for b.Loop() {
				n = countLabelled(b, s, p, nil, &pattern.Env{Workers: 1})
			}
			b.ReportMetric(float64(n), "matches")
		})
	}
}

// warm lets the snapshot build now what it keeps for filters, which many queries share.
func warm(b *testing.B, s *csr.Snapshot, p *pattern.Pattern) {
	filter.Spent(s, p, 1<<60)
	countLabelled(b, s, p, nil, &pattern.Env{Workers: 1})
}

// tve reads a graph of lines t, v and e into fn.
func tve(t testing.TB, name string, vertex func(label string), edge func(u, v uint32)) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(strings.NewReader(string(text))); lines.Scan(); {
		f := strings.Fields(lines.Text())
		switch f[0] {
		case "v":
			vertex(f[2])
		case "e":
			var u, v uint32
			if _, err := fmt.Sscan(f[1]+" "+f[2], &u, &v); err != nil {
				t.Fatal(err)
			}
			edge(u, v)
		}
	}
}

// querySet is a data graph and patterns of vertices that must differ.
type querySet struct {
	s        *csr.Snapshot
	names    []string
	patterns []*pattern.Pattern
}

// readSet unpacks an archive of labelled queries and reads the named ones of a folder, and its one graph.
func readSet(t testing.TB, archive, folder string, queries func(name string) bool) *querySet {
	t.Helper()
	dir := shared.Unpack(t, archive)
	b := csr.NewBuilder()
	e := b.Type("E")
	graphs, err := filepath.Glob(filepath.Join(dir, folder, "data_graph", "*.graph"))
	if err != nil || len(graphs) != 1 {
		t.Fatal(graphs, err)
	}
	tve(t, graphs[0], func(l string) { b.AddVertex(b.Label("L" + l)) }, func(u, v uint32) { b.AddEdge(u, v, e) })
	s, _, err := b.Build(context.Background(), 2)
	if err != nil {
		t.Fatal(err)
	}
	set := &querySet{s: s}
	files, err := filepath.Glob(filepath.Join(dir, folder, "query_graph", "*.graph"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		name := strings.TrimSuffix(filepath.Base(f), ".graph")
		if !queries(name) {
			continue
		}
		p := &pattern.Pattern{Scopes: []pattern.Scope{{Mode: pattern.DifferentNodes}}}
		tve(t, f, func(l string) {
			id, ok := s.Labels.Lookup("L" + l)
			p.Scopes[0].Vertices = append(p.Scopes[0].Vertices, len(p.Vertices))
			p.Vertices = append(p.Vertices, pattern.Vertex{Labels: &pattern.Label{ID: csr.LabelID(id), Name: "L" + l, Unknown: !ok}})
		}, func(u, v uint32) {
			p.Scopes[0].Edges = append(p.Scopes[0].Edges, len(p.Edges))
			p.Edges = append(p.Edges, pattern.Edge{From: int(u), To: int(v), Undirected: true})
		})
		set.names, set.patterns = append(set.names, name), append(set.patterns, p)
	}
	return set
}

// prepared is a job with candidates and an order, as the engine makes it.
func prepared(t testing.TB, s *csr.Snapshot, p *pattern.Pattern, env *pattern.Env) *pattern.Job {
	c, err := filter.Run(context.Background(), s, p, env)
	if err != nil {
		t.Fatal(err)
	}
	sizes := make([]float64, len(p.Vertices))
	for u := range sizes {
		sizes[u] = float64(c.Sets[u].Len())
	}
	return &pattern.Job{Snapshot: s, Pattern: p, Candidates: c, Order: match.OrderFor(match.Filtered, &match.Question{Pattern: p, Snapshot: s, Sizes: sizes, Strategy: env.Order}).Order,
		AlternativeOrders: func() []pattern.Order {
			return match.OrderFor(match.Replanned, &match.Question{Pattern: p, Snapshot: s, Sizes: sizes}).Alternatives
		}}
}

// counter is a sink that counts up to a limit.
type counter struct {
	limit int64
	n     atomic.Int64
}

func (*counter) NeedEdges() bool { return false }

func (c *counter) Emit(batch []pattern.Embedding) (bool, error) {
	for _, m := range batch {
		c.n.Add(int64(m.Weight))
	}
	return c.n.Load() < c.limit, nil
}

// first matches until there are limit matches and returns how many.
func first(t testing.TB, j *pattern.Job, env *pattern.Env, limit int64) int64 {
	sink := &counter{limit: limit}
	if err := join.Match(context.Background(), j, env, sink); err != nil {
		t.Fatal(err)
	}
	return min(limit, sink.n.Load())
}

const allMatches = int64(1) << 62

// hprd reads the 200 dense queries of 16 vertices with what they should give.
func hprd(t testing.TB) (*querySet, map[string]int64) {
	set := readSet(t, "lsm_hprd.tar.zst", "hprd_rapids_test", func(string) bool { return true })
	want, total := map[string]int64{}, int64(0)
	dir := shared.Unpack(t, "lsm_hprd.tar.zst")
	text, err := os.ReadFile(filepath.Join(dir, "hprd_rapids_test", "expected_output.res"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		name, n, _ := strings.Cut(strings.TrimSpace(line), ":")
		var count int64
		if _, err := fmt.Sscan(n, &count); err != nil {
			t.Fatal(err)
		}
		want[name] = count
		total += count
	}
	if len(set.patterns) != 200 || total != 14235 {
		t.Fatalf("%d queries, %d matches", len(set.patterns), total)
	}
	return set, want
}

func TestHPRD(t *testing.T) {
	set, want := hprd(t)
	env := &pattern.Env{Workers: 1}
	for i, p := range set.patterns {
		j := prepared(t, set.s, p, env)
		n, err := join.Count(context.Background(), j, env)
		if m := first(t, j, env, allMatches); err != nil || n.Lo != uint64(m) || m != want[set.names[i]] {
			t.Errorf("%s: counted %v (%v), matched %d, want %d", set.names[i], n, err, m, want[set.names[i]])
		}
	}
}

// BenchmarkHPRD filters, orders and finds all matches of the 200 queries.
func BenchmarkHPRD(b *testing.B) {
	set, _ := hprd(b)
	env := &pattern.Env{Workers: 1}
	for name, find := range map[string]func(j *pattern.Job) int64{
		"match": func(j *pattern.Job) int64 { return first(b, j, env, allMatches) },
		"count": func(j *pattern.Job) int64 {
			n, err := join.Count(context.Background(), j, env)
			if err != nil {
				b.Fatal(err)
			}
			return int64(n.Lo)
		},
		"prepare": func(*pattern.Job) int64 { return 0 },
	} {
		b.Run(name, func(b *testing.B) {
			defer reportCPU(b)()
			for b.Loop() {
				total := int64(0)
				for _, p := range set.patterns {
					total += find(prepared(b, set.s, p, env))
				}
				if total != 14235 && name != "prepare" {
					b.Fatal(total)
				}
			}
		})
	}
}

// BenchmarkWordNet finds the first 100,000 matches of each of 15 queries of 16 vertices.
func BenchmarkWordNet(b *testing.B) {
	set := readSet(b, "lsm_wordnet.tar.zst", "wordnet", func(name string) bool {
		var i int
		_, err := fmt.Sscanf(name, "query_dense_16_%d", &i)
		return err == nil && i <= 15
	})
	env := &pattern.Env{Workers: 1}
	b.Run("all", func(b *testing.B) {
		defer reportCPU(b)()
		for b.Loop() {
			for _, p := range set.patterns {
				first(b, prepared(b, set.s, p, env), env, 100_000)
			}
		}
	})
	for i, p := range set.patterns {
		b.Run(set.names[i], func(b *testing.B) {
			defer reportCPU(b)()
			var n int64
			for b.Loop() {
				n = first(b, prepared(b, set.s, p, env), env, 100_000)
			}
			b.ReportMetric(float64(n), "matches")
		})
	}
}
