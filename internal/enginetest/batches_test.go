package enginetest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/motifql/motif"
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
func batchGraph(t *testing.T, size int, unique bool) *motif.DB {
	db, err := motif.Open(":memory:", motif.WithCreate())
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

// batchOracle runs each batch in a transaction of its own.
func batchOracle(t *testing.T, db *motif.DB, numbers []int64, inner string, most int, breaks bool) (rows []string) {
	broken := false
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
		if failed != nil {
			list = nil
			for _, i := range batch {
				list = append(list, fmt.Sprintf("%d <nil> <nil> %v false", i, !broken))
			}
			broken = broken || breaks
		}
		rows = append(rows, list...)
	}
	slices.Sort(rows)
	return rows
}

// A batch of CALL { } IN TRANSACTIONS that fails leaves nothing, and the others are as if each were a transaction.
func TestBatches(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	failures := 0
	for round := range 150 {
		unique := r.IntN(3) == 0
		want, got := batchGraph(t, 10, unique), batchGraph(t, 10, unique)
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
		text := strings.Join(append(inner, "RETURN p.k AS k, i + 1 AS j"), " ")
		numbers := make([]int64, r.IntN(25))
		for j := range numbers {
			numbers[j] = r.Int64N(60)
		}
		most, rule := 1+r.IntN(6), []string{"CONTINUE", "BREAK"}[r.IntN(2)]
		query := "FOR i IN $numbers WITH ORDINALITY o MATCH (p:P {k: i % 10}) WITH p, i ORDER BY o CALL (p, i) { " + text + " } IN TRANSACTIONS OF $most ROWS ON ERROR " + rule +
			" REPORT STATUS AS s RETURN i, [k, j], s.started, s.committed"
		rows, err := batchRows(t, got, query, motif.Params{"numbers": numbers, "most": most})
		if err != nil {
			t.Fatalf("seed %d, round %d: %s\n%v", seed, round, query, err)
		}
		wanted := batchOracle(t, want, numbers, text, most, rule == "BREAK")
		for _, row := range rows {
			if strings.Contains(row, "false") {
				failures++
			}
		}
		if a, b := strings.Join(wanted, "\n"), strings.Join(rows, "\n"); a != b {
			t.Fatalf("seed %d, round %d: %s\nnumbers %v, most %d\nwant\n%s\ngot\n%s", seed, round, query, numbers, most, a, b)
		}
		if a, b := graphText(t, want), graphText(t, got); a != b {
			t.Fatalf("seed %d, round %d: %s\nnumbers %v, most %d\nwant\n%s\ngot\n%s", seed, round, query, numbers, most, a, b)
		}
	}
	if failures == 0 {
		t.Errorf("seed %d: no batch failed", seed)
	}
}
