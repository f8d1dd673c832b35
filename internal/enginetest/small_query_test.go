package enginetest

import (
	"context"
	"testing"

	"github.com/motifql/motif"
)

// smallQueries are answered in far less time than it takes to start them.
var smallQueries = []struct {
	name, text  string
	allocations float64 // of a prepared run, at most
}{
	{"edge", "MATCH (a:A)-[:R]->(b:B) RETURN count(*)", 135},
	{"clauses", `MATCH (a:A {i: 3})-[r:R]->(b:B), (a)-[:R]->(c:B) WHERE a.i < 10 AND b.i > 2
OPTIONAL MATCH (b)-[:R]->(d:A) RETURN a.i AS x, count(*) AS n, collect(d.i) AS ds ORDER BY n DESC, x LIMIT 10`, 245}, // 242 with the race detector
	{"eight nodes", `MATCH (a:A)-[:R]->(b:B), (c:A)-[:R]->(b), (c)-[:R]->(d:B), (e:A)-[:R]->(d), (e)-[:R]->(f:B),
(g:A)-[:R]->(f), (g)-[:R]->(h:B) RETURN count(*)`, 145},
	{"call", "CALL algo.degree() YIELD node, score RETURN node, score", 65},
}

// smallGraph opens a graph of forty nodes.
func smallGraph(t testing.TB) *motif.DB {
	db, err := motif.Open(":memory:")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	if _, err := db.Exec(context.Background(), "UNWIND range(1, 20) AS i CREATE (:A {i: i})-[:R]->(:B {i: i})", nil); err != nil {
		t.Fatal(err)
	}
	return db
}

// Starting a prepared query allocates little.
func TestSmallQueryAllocations(t *testing.T) {
	db, ctx := smallGraph(t), context.Background()
	for _, q := range smallQueries {
		s, err := db.Prepare(ctx, q.text)
		if err != nil {
			t.Fatal(err)
		}
		n := testing.AllocsPerRun(200, func() {
			if _, err := s.Exec(ctx, nil); err != nil {
				t.Fatal(err)
			}
		})
		if n > q.allocations {
			t.Errorf("%s: %v allocations, at most %v expected", q.name, n, q.allocations)
		}
	}
}

// BenchmarkTiny measures what it costs to start a query: prepared, from its text, and to prepare it.
func BenchmarkTiny(b *testing.B) {
	ctx := context.Background()
	for _, q := range smallQueries {
		b.Run("prepared/"+q.name, func(b *testing.B) {
			s, err := smallGraph(b).Prepare(ctx, q.text)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := s.Exec(ctx, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("text/"+q.name, func(b *testing.B) {
			db := smallGraph(b)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := db.Exec(ctx, q.text, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("prepare/"+q.name, func(b *testing.B) {
			db := smallGraph(b)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := db.Prepare(ctx, q.text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
