package enginetest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/motifql/motif"
	"github.com/motifql/motif/internal/exec"
)

// batchClauses are writing clauses that know p, a node, and i, a number. Some fail for some i.
var batchClauses = []string{
	"CREATE (:Q {k: 100 / (i % 3)})",
	"MERGE (q:Q {k: i % 5}) SET q.v = 10 / (i % 4)",
	"SET p.v = 10 / (i % 5), p:L",
	"REMOVE p:L, p.v",
	"CREATE (p)-[:R {w: 10 / (i % 7)}]->(:Q {k: i})",
	"CREATE (p)-[:R {w: i}]->(:Q {k: i, c: COUNT { (:Q) } / (i % 4)})",
	"OPTIONAL MATCH (q:Q {k: i % 5}) DETACH DELETE q",
	"OPTIONAL MATCH (q:Q) WITH p, i, count(q) AS c CREATE (:S {c: c / (i % 6)})",
	"OPTIONAL MATCH (p)-[r:R]->(q) SET q:M, r.w = 3 / (i % 5)",
	"MERGE (p)-[r:R]->(q:Q {k: 7}) ON CREATE SET r.w = 12 / (i % 3) ON MATCH SET r.seen = i",
	"MERGE (:Q:M {k: i % 4})",
	"FOREACH (x IN range(0, i % 3) | CREATE (:Q {k: x, inverse: 2 / (x - 1)}))",
}

// batchGraph makes nodes :P with numbers k, and some other nodes. With unique, no two :Q may have the same k.
func batchGraph(t *testing.T, path string, size int, unique bool) *motif.DB {
	db, err := motif.Open(path, motif.WithCreate())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	texts := []string{fmt.Sprintf("UNWIND range(0, %d) AS k CREATE (:P {k: k})", size-1), "MATCH (p:P) WHERE p.k % 3 = 0 SET p:L"}
	if unique {
		texts = append(texts, "CREATE CONSTRAINT FOR (q:Q) REQUIRE q.k IS UNIQUE")
	}
	for _, text := range texts {
		if _, err := db.Exec(context.Background(), text, nil); err != nil {
			t.Fatal(err)
		}
	}
	return db
}

// batchRows are the rows of a query as texts, sorted.
func batchRows(t *testing.T, q interface {
	Query(context.Context, string, motif.Params, ...motif.QueryOption) (*motif.Rows, error)
}, text string, params motif.Params) (list []string, err error) {
	t.Helper()
	rows, err := q.Query(context.Background(), text, params)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		list = append(list, strings.Trim(strings.NewReplacer("[", "", "]", "").Replace(fmt.Sprint(rows.Row().Values())), " "))
	}
	slices.Sort(list)
	return list, rows.Err()
}

// graphText is all nodes and relationships of a graph, without ids.
func graphText(t *testing.T, db *motif.DB) string {
	var all []string
	for _, text := range []string{"MATCH (n) RETURN labels(n), properties(n)", "MATCH (a)-[r]->(b) RETURN labels(a), a.k, type(r), properties(r), properties(b)"} {
		list, err := batchRows(t, db, text, nil)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, list...)
	}
	return strings.Join(all, "\n")
}

// batchOracle runs each batch in a transaction of its own. With the rule FAIL it ends at the first that fails; stored says how much
// was committed before.
func batchOracle(t *testing.T, db *motif.DB, numbers []int64, inner string, most int, rule string) (rows []string, stored string, failed error) {
	broken, batches, inBatches := false, 0, 0
	for len(numbers) > 0 {
		batch := numbers[:min(most, len(numbers))]
		numbers = numbers[len(batch):]
		var list []string
		failed := errors.New("not begun")
		if !broken {
			failed = db.Update(context.Background(), func(tx *motif.Tx) error {
				for _, i := range batch {
					found, err := batchRows(t, tx, "MATCH (p:P {k: $i % 10}) WITH p, $i AS i "+inner, motif.Params{"i": i})
					if err != nil {
						return err
					}
					for _, row := range found {
						list = append(list, fmt.Sprintf("%d %s true true", i, row))
					}
				}
				return nil
			})
		}
		if failed == nil {
			batches, inBatches = batches+1, inBatches+len(batch)
		}
		if failed != nil && rule == "FAIL" {
			return nil, exec.Stored(batches, inBatches), failed
		}
		if failed != nil {
			list = nil
			for _, i := range batch {
				list = append(list, fmt.Sprintf("%d <nil> <nil> %v false", i, !broken))
			}
			broken = broken || rule == "BREAK"
		}
		rows = append(rows, list...)
	}
	slices.Sort(rows)
	return rows, "", nil
}

// A batch of CALL { } IN TRANSACTIONS that fails leaves nothing, and the others are as if each were a transaction. So they are after the
// store was opened again.
func TestBatches(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	failures := map[string]int{}
	for round := range 200 {
		unique, path := r.IntN(3) == 0, ":memory:"
		if round%20 == 0 {
			path = filepath.Join(t.TempDir(), "store")
		}
		want, got := batchGraph(t, ":memory:", 10, unique), batchGraph(t, path, 10, unique)
		text := batchText(r, unique)
		numbers := make([]int64, r.IntN(25))
		for j := range numbers {
			numbers[j] = r.Int64N(60)
		}
		most, rule := 1+r.IntN(6), []string{"CONTINUE", "BREAK", "FAIL"}[r.IntN(3)]
		report, status := " REPORT STATUS AS s ", "s.started, s.committed"
		if rule == "FAIL" {
			report, status = " ", "true AS started, true AS committed"
		}
		query := "FOR i IN $numbers WITH ORDINALITY o MATCH (p:P {k: i % 10}) WITH p, i ORDER BY o CALL (p, i) { " + text + " } IN TRANSACTIONS OF $most ROWS ON ERROR " + rule +
			report + "RETURN i, [k, j], " + status
		about := fmt.Sprintf("seed %d, round %d: %s\nnumbers %v, most %d", seed, round, query, numbers, most)
		rows, err := batchRows(t, got, query, motif.Params{"numbers": numbers, "most": most})
		wanted, stored, failed := batchOracle(t, want, numbers, text, most, rule)
		if (err != nil) != (failed != nil) || err != nil && strings.Contains(err.Error(), "stored before: "+stored) == strings.HasPrefix(stored, "0 ") {
			t.Fatalf("%s\nerror %v, want %v, stored before: %s", about, err, failed, stored)
		}
		for _, row := range rows {
			if strings.Contains(row, "false") {
				failures[rule]++
			}
		}
		if err != nil {
			failures[rule]++
		}
		if a, b := strings.Join(wanted, "\n"), strings.Join(rows, "\n"); a != b {
			t.Fatalf("%s\nwant\n%s\ngot\n%s", about, a, b)
		}
		if path != ":memory:" {
			got = openAgain(t, got, path)
		}
		if a, b := graphText(t, want), graphText(t, got); a != b {
			t.Fatalf("%s\nwant\n%s\ngot\n%s", about, a, b)
		}
	}
	if len(failures) < 3 {
		t.Errorf("seed %d: failures by rule %v", seed, failures)
	}
}

// batchText is a subquery of a few clauses.
func batchText(r *rand.Rand, unique bool) string {
	var inner []string
	for range 1 + r.IntN(3) {
		clause := batchClauses[r.IntN(len(batchClauses))]
		if unique && strings.Contains(clause, "DELETE") { // it would take back in the same batch what the constraint forbids
			continue
		}
		inner = append(inner, clause, "WITH DISTINCT p, i")
	}
	if inner == nil {
		inner = []string{batchClauses[0], "WITH DISTINCT p, i"}
	}
	return strings.Join(append(inner, "RETURN p.k AS k, i + 1 AS j"), " ")
}

func openAgain(t *testing.T, db *motif.DB, path string) *motif.DB {
	t.Helper()
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := motif.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { again.Close() })
	return again
}

// TestBatchesDelete deletes nodes that rows still to come hold: each batch is a transaction that begins with the ids of the one before.
func TestBatchesDelete(t *testing.T) {
	db := batchGraph(t, ":memory:", 100, false)
	text := "MATCH (p:P) WITH p ORDER BY p.k MATCH (q:P {k: (p.k + 7) % 100}) CALL (p, q) { CREATE (q)-[:R {w: p.k}]->(:Q {k: p.k}) DETACH DELETE p RETURN 1 AS one } " +
		"IN TRANSACTIONS OF 8 ROWS RETURN count(*)"
	_, err := db.Exec(t.Context(), text, nil)
	if err == nil || !strings.Contains(err.Error(), "stored before: 11 batches of 88 rows") { // p.k = 93 is the first whose q is gone, in the batch of 88 to 95
		t.Errorf("%v", err)
	}
	sum, err := db.Exec(t.Context(), "MATCH (n:P) CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 3 ROWS", nil)
	if err != nil || sum.Changes.NodesDeleted != 12 || nodes(t, db) != 88 {
		t.Errorf("%v, %v, %d nodes", sum.Changes, err, nodes(t, db))
	}
	rows, err := batchRows(t, db, "MATCH (q:Q) WITH q ORDER BY q.k LIMIT 40 CALL (q) { WITH q WHERE q.k % 2 = 0 DETACH DELETE q CREATE (n:N {k: q.k}) RETURN n } IN TRANSACTIONS OF 3 ROWS RETURN n.k, labels(n)", nil)
	if err == nil || rows != nil {
		t.Errorf("a deleted node has a property: %v, %v", rows, err)
	}
	rows, err = batchRows(t, db, "MATCH (q:Q) WITH q ORDER BY q.k LIMIT 40 CALL (q) { WITH q, q.k AS k WHERE k % 2 = 0 DETACH DELETE q CREATE (n:N {k: k}) RETURN n } IN TRANSACTIONS OF 3 ROWS RETURN n", nil)
	if err != nil || len(rows) != 20 || !strings.Contains(fmt.Sprint(rows), "k:38") {
		t.Errorf("%v, %v", rows, err)
	}
}

// TestBatchesSeen looks at the store from outside while a statement runs: it has the batches that were committed, no part of another, and
// they stay when the statement is stopped.
func TestBatchesSeen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store")
	db, err := motif.Open(path, motif.WithCreate())
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	look := func(_ context.Context, call *motif.Call) error {
		var i int64
		if err := call.Scan(&i); err != nil {
			return err
		}
		if want := (i - 1) / 3 * 3; nodes(t, db) != want {
			t.Errorf("row %d: %d nodes, want %d", i, nodes(t, db), want)
		}
		if i == 17 {
			stop()
		}
		return call.Emit(i)
	}
	if err := db.Declare("my.look(i :: INTEGER) :: (j :: INTEGER)", look); err != nil {
		t.Fatal(err)
	}
	text := "UNWIND range(1, 20) AS i CALL (i) { CALL my.look(i) YIELD j CREATE (:A {k: j}) } IN TRANSACTIONS OF 3 ROWS"
	var stopped *motif.StoppedError
	if _, err := db.Exec(ctx, text, nil); !errors.As(err, &stopped) || stopped.Batches != 5 || !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "5 batches") {
		t.Errorf("stopped: %v", err)
	}
	db = openAgain(t, db, path)
	if n := nodes(t, db); n != 15 {
		t.Errorf("%d nodes are stored, not 15", n)
	}
	if _, err := db.Exec(t.Context(), "UNWIND range(1, 20) AS i CALL (i) { CREATE (:A) RETURN 1 AS x } IN TRANSACTIONS OF 4 ROWS RETURN x", nil, motif.WithMaxRows(10)); !errors.As(err, &stopped) || stopped.Batches != 5 { // rows come when all was written
		t.Errorf("with a limit of rows: %v", err)
	}
	if n := nodes(t, db); n != 35 {
		t.Errorf("%d nodes are stored, not 35", n)
	}
}

// TestBatchesInStatements runs batches in all ways to run a statement. A transaction that others end refuses them.
func TestBatchesInStatements(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store")
	db, err := motif.Open(path, motif.WithCreate(), motif.WithSharing())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(t.Context(), "CREATE (:B)", nil); err != nil {
		t.Fatal(err)
	}
	other, err := motif.Open(path, motif.WithSharing())
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	const text = "UNWIND range(1, 10) AS i CALL (i) { CREATE (:A {k: i}) } IN TRANSACTIONS OF 3 ROWS"
	stmt, err := db.Prepare(t.Context(), text)
	if err != nil {
		t.Fatal(err)
	}
	for _, run := range []func() (motif.Summary, error){
		func() (motif.Summary, error) { return db.Exec(t.Context(), text, nil) },
		func() (motif.Summary, error) { return db.Exec(t.Context(), text, nil) }, // by the plan that was kept
		func() (motif.Summary, error) {
			return db.Exec(t.Context(), strings.ReplaceAll(text, "10", "11")+"", nil)
		},
		func() (motif.Summary, error) { return db.Exec(t.Context(), "PROFILE "+text, nil) },
		func() (motif.Summary, error) { return stmt.Exec(t.Context(), nil) },
		func() (motif.Summary, error) { return other.Exec(t.Context(), text, nil) },
	} {
		before := nodes(t, other)
		sum, err := run()
		if n := nodes(t, other) - before; err != nil || n < 10 || n > 11 || sum.Changes.NodesCreated != uint64(n) || sum.Changes.PropertiesSet != uint64(n) {
			t.Errorf("%v, %v, %d nodes", sum.Changes, err, n)
		}
	}
	before := nodes(t, db)
	err = db.Update(t.Context(), func(tx *motif.Tx) error {
		for _, text := range []string{text, "PROFILE " + text, text + " ON ERROR CONTINUE"} {
			var mistake *motif.QueryError
			if _, err := tx.Exec(t.Context(), text, nil); !errors.As(err, &mistake) || mistake.Code != "TransactionError.BatchesInTransaction" || mistake.Column != strings.Index(text, "IN TRANS")+1 {
				t.Errorf("in a transaction: %v", err)
			}
		}
		_, err := tx.Exec(t.Context(), "EXPLAIN "+text, nil)
		return err
	})
	if n := nodes(t, db); err != nil || n != before {
		t.Errorf("%v, %d nodes, before %d", err, n, before)
	}
	sum, err := db.Exec(t.Context(), "USING PERIODIC COMMIT 2 UNWIND range(1, 10) AS i CREATE (:A {x: i})", nil)
	if err != nil || len(sum.Warnings) == 0 || !strings.Contains(fmt.Sprint(sum.Warnings), "has no effect: the statement is one transaction") {
		t.Errorf("%v %v", err, sum.Warnings)
	}
}

// TestBatchesInOrder has clauses around the subquery: what changes the graph behind it does so after the last batch, and all of it or none.
func TestBatchesInOrder(t *testing.T) {
	db := batchGraph(t, ":memory:", 10, false)
	batches := "MATCH (p:P) CALL (p) { SET p.a = 1 RETURN p.k AS k } IN TRANSACTIONS OF 3 ROWS "
	if _, err := db.Exec(t.Context(), batches+"SET p.b = 1 / (k - 7)", nil); err == nil || !strings.Contains(err.Error(), "stored before: 4 batches of 10 rows") {
		t.Errorf("%v", err)
	}
	const counts = "MATCH (p:P) RETURN count(p.a), count(p.b), count(p.c)"
	if rows, err := batchRows(t, db, counts, nil); err != nil || fmt.Sprint(rows) != "[10 0 0]" {
		t.Errorf("%v, %v", rows, err)
	}
	if rows, err := batchRows(t, db, batches+"CALL (p) { SET p.b = p.a + 1 RETURN p.b AS b } IN TRANSACTIONS OF 4 ROWS SET p.c = b + 1 WITH max(p.c) AS c MATCH (q:P {c: c}) RETURN count(*)", nil); err != nil || fmt.Sprint(rows) != "[10]" {
		t.Errorf("%v, %v", rows, err)
	}
	if rows, err := batchRows(t, db, counts, nil); err != nil || fmt.Sprint(rows) != "[10 10 10]" {
		t.Errorf("%v, %v", rows, err)
	}
	if rows, err := batchRows(t, db, "UNWIND range(1, 10) AS i CALL (i) { CREATE (:Z {i: i}) } IN TRANSACTIONS OF 2 ROWS RETURN i LIMIT 1", nil); err != nil || len(rows) != 1 {
		t.Errorf("%v, %v", rows, err)
	}
	if rows, err := batchRows(t, db, "MATCH (l:Z) RETURN count(*)", nil); err != nil || fmt.Sprint(rows) != "[10]" {
		t.Errorf("LIMIT ended the changes: %v, %v", rows, err)
	}
}

// TestBatchesMemory makes more nodes than a transaction has memory for.
func TestBatchesMemory(t *testing.T) {
	db := batchGraph(t, ":memory:", 1, false)
	text := "UNWIND range(1, 30000) AS i CALL (i) { CREATE (:Q {k: i}) }"
	if _, err := db.Exec(t.Context(), text, nil, motif.WithMemory(8<<20)); !errors.Is(err, motif.ErrMemory) {
		t.Errorf("in one transaction: %v", err)
	}
	sum, err := db.Exec(t.Context(), text+" IN TRANSACTIONS OF 500 ROWS", nil, motif.WithMemory(8<<20))
	if err != nil || sum.Changes.NodesCreated != 30000 {
		t.Errorf("in batches: %v, %v, %d bytes", sum.Changes, err, sum.PeakMemory)
	}
}
