package exec

import (
	"context"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/value"
)

// weighted is a graph of 20,000 nodes with a label number lab and a unique number key, and 200,000 relationships with a weight w and a
// float f.
func weighted(t testing.TB) *csr.Snapshot {
	const n, m = 20_000, 200_000
	rng := rand.New(rand.NewPCG(8, 8))
	b := csr.NewBuilder()
	b.AddVertices(n)
	lab, key, name, w, f := b.Key("lab"), b.Key("key"), b.Key("name"), b.Key("w"), b.Key("f")
	for i := range n {
		b.SetVertex(uint32(i), lab, csr.IntCell(rng.Int64N(5)))
		b.SetVertex(uint32(i), key, csr.IntCell(int64(i)*7))
		b.SetVertex(uint32(i), name, csr.StringCell([]string{"ab", "cd", "ef"}[rng.IntN(3)]))
	}
	for range m {
		e := b.AddEdge(uint32(rng.IntN(n)), uint32(rng.IntN(n)), b.Type("R"))
		b.SetEdge(e, w, csr.IntCell(rng.Int64N(100)))
		b.SetEdge(e, f, csr.FloatCell(rng.NormFloat64()*float64(int64(1)<<rng.IntN(60))))
	}
	s, _, err := b.Build(context.Background(), 1)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// BenchmarkOperators measures grouping, DISTINCT and ORDER BY above a search that lists relationships: time a row.
func BenchmarkOperators(b *testing.B) {
	s := weighted(b)
	for _, returned := range []string{"count(r.w)", "a.lab, c.lab, avg(r.w), count(*)", "a.name, min(r.w), max(r.w), sum(r.w)", "a.lab, sum(r.f), avg(r.f)", "a.lab, max(r.w + r.w)",
		"r.w, count(*)", "a.key, c.key, count(*)", "a.lab, count(DISTINCT c.key)", "DISTINCT a.key, c.lab", "DISTINCT r.w", "r.w AS w, a.key ORDER BY w DESC LIMIT 10", "r.w AS w, a.key ORDER BY w"} {
		b.Run(strings.ReplaceAll(returned, " ", "_"), func(b *testing.B) {
			b.ReportAllocs()
			rows := 0
			for b.Loop() {
				q := &query{s: s, device: onCPU{}, batch: 1024, env: &pattern.Env{Workers: 1}}
				if err := q.each(b, "MATCH (a)-[r]->(c) RETURN "+returned, func([]value.Value) (bool, error) { return true, nil }); err != nil {
					b.Fatal(err)
				}
				rows += 200_000
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(rows), "ns/row")
		})
	}
}

// TestSumsOfThreads: workers find the rows in any order, and sums of floats are the same.
func TestSumsOfThreads(t *testing.T) {
	s := weighted(t)
	const text = "MATCH (a)-[r]->(c) RETURN a.lab AS x, sum(r.f), avg(r.f), sum(DISTINCT r.f), sum(r.w) ORDER BY x"
	var want []string
	for _, batch := range []int{0, 7, 1024} {
		for _, workers := range []int{1, 2, 4} {
			got, err := (&query{s: s, device: onCPU{}, batch: batch, env: &pattern.Env{Workers: workers}}).rows(t, text)
			if err != nil || len(got) != 5 {
				t.Fatal(got, err)
			}
			if want == nil {
				want = got
			}
			if strings.Join(got, "\n") != strings.Join(want, "\n") {
				t.Errorf("%d workers, batches of %d: %q, want %q", workers, batch, got, want)
			}
		}
	}
}

// TestOperatorMemory: what operators hold is at most 1.3 times what they charge.
func TestOperatorMemory(t *testing.T) {
	s := weighted(t)
	for _, returned := range []string{"a.key, c.key, count(*)", "a.key, c.key, sum(r.f)", "r.w, a.key, c.key, max(r.w)", "a.lab, count(DISTINCT r.f)", "id(r), sum(r.f)", "DISTINCT a.key AS x, c.key AS y ORDER BY x", "DISTINCT r.f AS f ORDER BY f",
		"r.w AS w, a.key AS x, c.key AS y ORDER BY w, x, y"} {
		text := "MATCH (a)-[r]->(c) RETURN " + returned
		if _, err := (&query{s: s, device: onCPU{}}).rows(t, text+" LIMIT 1"); err != nil { // the graph derives what the query needs
			t.Error(err)
		}
		memory := new(pattern.Memory)
		before := heapBytes()
		first := true
		err := (&query{s: s, device: onCPU{}, env: &pattern.Env{Workers: 1, Memory: memory}}).each(t, text, func([]value.Value) (bool, error) {
			if first {
				held := heapBytes() - before
				first = false
				if charged := memory.Used(); float64(held) > 1.3*float64(charged)+1<<20 {
					t.Errorf("%s: %d bytes are charged, %d held", returned, charged, held)
				}
			}
			return true, nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// heapBytes is how much memory is in use.
func heapBytes() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestKeysLookLikeTheirRows: a group shows the keys of its first row, also where another group has an equivalent one.
func TestKeysLookLikeTheirRows(t *testing.T) {
	defer countKeysOfNodes()()
	minKeyRows = 1e18
	b := csr.NewBuilder()
	b.AddVertices(4)
	for i, x := range []csr.Cell{csr.IntCell(1), csr.FloatCell(1), csr.FloatCell(2), csr.IntCell(2)} {
		b.SetVertex(uint32(i), b.Key("x"), x)
		b.SetVertex(uint32(i), b.Key("y"), csr.IntCell(int64(i)))
	}
	s, _, err := b.Build(context.Background(), 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, batch := range []int{0, 1, 2, 1024} {
		q := &query{s: s, batch: batch}
		want(t, q, "MATCH (n) RETURN n.x, n.y, count(*)", false, "1 | 0 | 1", "1.0 | 1 | 1", "2.0 | 2 | 1", "2 | 3 | 1")
		want(t, q, "MATCH (n) RETURN DISTINCT [n.x], n.y", false, "[1] | 0", "[1.0] | 1", "[2.0] | 2", "[2] | 3")
		want(t, q, "MATCH (n) WITH n.x + 0 AS x, n.y AS y RETURN x, y, count(*)", false, "1 | 0 | 1", "1.0 | 1 | 1", "2.0 | 2 | 1", "2 | 3 | 1")
	}
}
