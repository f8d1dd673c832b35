package enginetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/motifql/motif"
)

// statementsPerTx is the number of statements in a transaction of BenchmarkTransaction.
const statementsPerTx = 10_000

// statementKinds are small statements: with parameters, and as text whose literals differ each time.
var statementKinds = []struct {
	name   string
	text   string
	typed  string
	params func(i int) motif.Params
	large  bool // for the graphs of 200,000 nodes only
}{
	{"create", "CREATE (:M {id: $i, x: $x})", "CREATE (:M {id: %d, x: %d})", func(i int) motif.Params { return motif.Params{"i": i, "x": i} }, false},
	{"set", "MATCH (n:N {id: $i}) SET n.x = $x", "MATCH (n:N {id: %d}) SET n.x = %d", func(i int) motif.Params { return motif.Params{"i": i % 1000, "x": i} }, false},
	{"read", "MATCH (n:N {id: $i}) RETURN n.id, n.x", "MATCH (n:N {id: %d}) RETURN n.id, n.x", func(i int) motif.Params { return motif.Params{"i": i % 1000} }, false},
	{"connect", "MATCH (a:N {id: $i}), (b:N {id: $x}) CREATE (a)-[:R]->(b)", "MATCH (a:N {id: %d}), (b:N {id: %d}) CREATE (a)-[:R]->(b)",
		func(i int) motif.Params { return motif.Params{"i": i % 1000, "x": (i + 7) % 1000} }, false},
	{"merge", "MERGE (n:N {id: $i}) SET n.x = $x", "MERGE (n:N {id: %d}) SET n.x = %d", func(i int) motif.Params { return motif.Params{"i": 500 + i%1000, "x": i} }, false},
	{"create-key", "CREATE (:N {id: $i, x: $x})", "CREATE (:N {id: %d, x: %d})", newKey, true},
	{"merge-key", "MERGE (n:N {id: $i}) SET n.x = $x", "MERGE (n:N {id: %d}) SET n.x = %d", newKey, true},
	{"connect-key", "MATCH (a:N {id: $i}), (b:N {id: $x}) CREATE (a)-[:R]->(b)", "MATCH (a:N {id: %d}), (b:N {id: %d}) CREATE (a)-[:R]->(b)", twoKeys, true},
	{"set-key", "MATCH (n:N {id: $i}) SET n.x = $x", "MATCH (n:N {id: %d}) SET n.x = %d", twoKeys, true},
	{"merge-rel", "MATCH (a:N {id: $i}), (b:N {id: $x}) MERGE (a)-[:R]->(b)", "MATCH (a:N {id: %d}), (b:N {id: %d}) MERGE (a)-[:R]->(b)", twoKeys, true},
	{"merge-path", "MERGE (a:N {id: $i}) MERGE (b:N {id: $x}) MERGE (a)-[:R]->(b)", "MERGE (a:N {id: %d}) MERGE (b:N {id: %d}) MERGE (a)-[:R]->(b)", twoKeys, true},
	{"create-rel", "CREATE (:Q {id: $i})-[:R]->(:S {id: $x})", "CREATE (:Q {id: %d})-[:R]->(:S {id: %d})", newKey, true},
	{"grow", "MATCH (a:N {id: $x}) CREATE (a)-[:R]->(:N {id: $i})", "MATCH (a:N {id: %[2]d}) CREATE (a)-[:R]->(:N {id: %[1]d})", newKey, true},
	{"set-id", "MATCH (a:N {id: $x}) SET a.id = $i", "MATCH (a:N {id: %[2]d}) SET a.id = %[1]d", newKey, true},
	{"set-label", "MATCH (a:N {id: $i}) SET a:L", "MATCH (a:N {id: %d}) SET a:L", oneKey, true},
	{"set-rel", "MATCH (:P {id: $i})-[r:R]->() SET r.w = $x", "MATCH (:P {id: %d})-[r:R]->() SET r.w = %d", func(i int) motif.Params { return motif.Params{"i": i, "x": i} }, true},
	{"delete", "MATCH (n:N {id: $i}) DELETE n", "MATCH (n:N {id: %d}) DELETE n", oneKey, true},
	{"delete-rel", "MATCH (:P {id: $i})-[r:R]->() DELETE r", "MATCH (:P {id: %d})-[r:R]->() DELETE r", oneKey, true},
	{"detach-delete", "MATCH (n:P {id: $i}) DETACH DELETE n", "MATCH (n:P {id: %d}) DETACH DELETE n", oneKey, true},
}

// newKey gives keys that no node has, oneKey those of nodes, each once.
func newKey(i int) motif.Params  { return motif.Params{"i": 200_000 + i, "x": i} }
func twoKeys(i int) motif.Params { return motif.Params{"i": i * 17 % 200_000, "x": i * 31 % 200_000} }
func oneKey(i int) motif.Params  { return motif.Params{"i": i} }

// statementGraphs are the graphs that small statements run on.
var statementGraphs = []struct {
	name string
	open func(testing.TB) *motif.DB
}{
	{"small", func(t testing.TB) *motif.DB { return thousandNodes(t, ":memory:") }},
	{"large", func(t testing.TB) *motif.DB {
		return indexedNodes(t, "CREATE INDEX FOR (n:P) ON (n.id)", "UNWIND range(0, 9999) AS i CREATE (:P {id: i})-[:R]->()")
	}},
	{"unique", func(t testing.TB) *motif.DB {
		return indexedNodes(t, "CREATE CONSTRAINT FOR (n:N) REQUIRE n.id IS UNIQUE", "CREATE CONSTRAINT FOR (n:P) REQUIRE n.id IS UNIQUE", "UNWIND range(0, 9999) AS i CREATE (:P {id: i})-[:R]->()")
	}},
}

// indexedNodes opens a store of 200,000 nodes with an index on their key, and runs further statements.
func indexedNodes(t testing.TB, more ...string) *motif.DB {
	db := thousandNodes(t, ":memory:")
	for _, text := range append([]string{"UNWIND range(1000, 199999) AS i CREATE (:N {id: i, x: 0})", "CREATE INDEX FOR (n:N) ON (n.id)"}, more...) {
		if _, err := db.Exec(context.Background(), text, nil); err != nil {
			t.Fatal(err)
		}
	}
	return db
}

// errRollback ends a transaction of BenchmarkTransaction, so that the next one finds the same graph.
var errRollback = errors.New("roll back")

// BenchmarkTransaction runs 10,000 small statements in one transaction, which is rolled back if each of them needs what it changed.
func BenchmarkTransaction(b *testing.B) {
	ctx := context.Background()
	for _, g := range statementGraphs {
		for _, k := range statementKinds {
			for _, form := range []string{"params", "text"} {
				if k.large && g.name == "small" {
					continue
				}
				b.Run(g.name+"/"+k.name+"/"+form, func(b *testing.B) {
					db := g.open(b)
					b.ReportAllocs()
					run := func() {
						err := db.Update(ctx, func(tx *motif.Tx) error {
							for i := range statementsPerTx {
								text, params := k.text, k.params(i)
								if form == "text" {
									text, params = typed(k.typed, params), nil
								}
								if _, err := tx.Exec(ctx, text, params); err != nil {
									return err
								}
							}
							if k.large {
								return errRollback
							}
							return nil
						})
						if err != nil && !errors.Is(err, errRollback) {
							b.Fatal(err)
						}
					}
					used := cpuOf(b, func() {
						for b.Loop() {
							run()
						}
					})
					b.ReportMetric(float64(used.Microseconds())/statementsPerTx/float64(b.N), "cpu-us/statement")
					b.ReportMetric(statementsPerTx*float64(b.N)/b.Elapsed().Seconds(), "statements/s")
				})
			}
		}
	}
}

// BenchmarkNeighbours starts at a node found by its key, on a graph of 200,000 nodes in a ring.
func BenchmarkNeighbours(b *testing.B) {
	ctx := context.Background()
	db := indexedNodes(b)
	if _, err := db.Exec(ctx, "MATCH (a:N) WITH a, a.id % 199999 + 1 AS next MATCH (b:N {id: next}) CREATE (a)-[:R]->(b)", nil); err != nil {
		b.Fatal(err)
	}
	for _, q := range []struct{ name, text string }{
		{"rows", "MATCH (a:N {id: $i})-[:R]->(b:N) RETURN b.id"},
		{"count", "MATCH (a:N {id: $i})-[:R]->(b:N)-[:R]->(c:N) RETURN count(*)"},
		{"set", "MATCH (a:N {id: $i})-[:R]->(b:N) SET b.x = $i"},
	} {
		b.Run(q.name, func(b *testing.B) {
			b.ReportAllocs()
			err := db.Update(ctx, func(tx *motif.Tx) error {
				for i := 0; b.Loop(); i++ {
					if _, err := tx.Exec(ctx, q.text, motif.Params{"i": i % 1000}); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				b.Fatal(err)
			}
		})
	}
}

// typed writes the parameters into the text.
func typed(format string, params motif.Params) string {
	if x, ok := params["x"]; ok {
		return fmt.Sprintf(format, params["i"], x)
	}
	return fmt.Sprintf(format, params["i"])
}

// thousandNodes opens a store of a thousand nodes.
func thousandNodes(t testing.TB, path string, opts ...motif.Option) *motif.DB {
	db, err := motif.Open(path, append([]motif.Option{motif.WithCreate()}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	if _, err := db.Exec(context.Background(), "UNWIND range(0, 999) AS i CREATE (:N {id: i, x: 0})", nil); err != nil {
		t.Fatal(err)
	}
	return db
}

// BenchmarkInserters inserts single nodes, each in a transaction of its own.
func BenchmarkInserters(b *testing.B) {
	for _, d := range []struct {
		name string
		d    motif.Durability
	}{{"durable", motif.DurabilitySync}, {"relaxed", motif.DurabilityRelaxed}} {
		for _, n := range []int{1, 8} {
			b.Run(fmt.Sprintf("%s/%d", d.name, n), func(b *testing.B) {
				db := thousandNodes(b, b.TempDir(), motif.WithDurability(d.d))
				var next atomic.Int64
				b.ReportAllocs()
				b.ResetTimer()
				var group sync.WaitGroup
				for range n {
					group.Go(func() {
						for i := next.Add(1); i <= int64(b.N); i = next.Add(1) {
							if _, err := db.Exec(context.Background(), "CREATE (:N {id: $i})", motif.Params{"i": i}); err != nil {
								b.Error(err)
								return
							}
						}
					})
				}
				group.Wait()
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "inserts/s")
			})
		}
	}
}
