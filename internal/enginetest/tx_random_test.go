package enginetest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/motifql/motif"
)

// txStatements are statements over few ids, so that each meets what others changed. Some fail for some parameters.
var txStatements = []string{
	"CREATE (:N {id: $i, x: $x})",
	"CREATE (:N {id: $i}), (:M {id: $x, y: $i})",
	"CREATE ({id: $i})-[:R {w: $x}]->(:N:M {id: $x})",
	"CREATE (:N {id: $i}) CREATE (:N {id: 1 / ($i - $x)})",
	"CREATE (a:N {id: $i}) SET a.x = $x, a:M",
	"CREATE (a:N {id: $i}) RETURN id(a), a.id",
	"CREATE (a:N {id: $i}) WITH a MATCH (b:N {id: $i}) SET b.x = a.id + 1",
	"MATCH (n:N {id: $i}) SET n.x = $x",
	"MATCH (n:N {id: $i}) SET n.id = $x",
	"MATCH (n:N {id: $i}) SET n.x = n.x + 1, n.fresh = $x",
	"MATCH (n {id: $i}) SET n.y = $x",
	"MATCH (n:N {id: $i}) REMOVE n.x SET n += {z: $x}",
	"MATCH (n:N) WHERE n.x > $x SET n.y = $i",
	"MATCH (n:N) WHERE n.x IS NULL AND n.id = $i CREATE (:L {of: n.id})",
	"MATCH (n:N|M {id: $i}) SET n.z = $x",
	"MATCH (n:!N {id: $i}) SET n.z = $x",
	"MATCH (n:N {id: $i}) WHERE n:M SET n.z = $x",
	"MATCH (n:N {id: $i}) WHERE NOT (n)-[:R]->() SET n.leaf = $x",
	"MATCH (n:N {id: $i}) SET n:M",
	"MATCH (n:N {id: $i}) REMOVE n:N SET n:K",
	"MATCH (n:K {id: $i}) REMOVE n:K SET n:N",
	"MATCH (n:N {id: $i}) DELETE n",
	"MATCH (n:M {id: $i}) DETACH DELETE n",
	"MATCH (a:N {id: $i}), (b:N {id: $x}) CREATE (a)-[:R {w: $x}]->(b)",
	"MATCH (a:N {id: $i}), (b {id: $x}) CREATE (a)-[:Q]->(b)",
	"MATCH (a:N {id: $i})-[r:R]->(b) SET r.w = $x, b.y = $i",
	"MATCH (a:N {id: $i})-[r]-() WHERE r.w = $x DELETE r",
	"MATCH (a:N {id: $i})-[:R]->(b)-[:R|Q]->(c) CREATE (a)-[:Q]->(c)",
	"OPTIONAL MATCH (n:N {id: $i}) CREATE (:O {id: $x, x: n.x})",
	"MERGE (n:N {id: $i}) SET n.x = $x",
	"MERGE (n:N:M {id: $i}) ON CREATE SET n.y = $x ON MATCH SET n.z = $x",
	"MERGE (n {id: $i, x: $x})",
	"MERGE (:N {id: $i})-[:R]->(:M {id: $x})",
	"MATCH (a:N {id: $i}), (b:M {id: $x}) MERGE (a)-[:R]->(b)",
	"MATCH (a:N {id: $i}) MERGE (a)-[:Q]->(:M {id: $x})",
	"UNWIND [$i, $x] AS v CREATE (:N {id: v})",
	"UNWIND [$i, $x] AS v MERGE (:N {id: v})",
	"UNWIND $rows AS r MATCH (n:N {id: r.id}) SET n.x = r.x",
	"UNWIND $rows AS r MATCH (a:N {id: r.id}), (b:N {id: r.x}) CREATE (a)-[:R]->(b)",
	"UNWIND range(0, $i) AS v MATCH (n:M {id: v}) DETACH DELETE n",
	"FOREACH (v IN [$i, $x] | MERGE (:N {id: v}))",
	"MATCH (n:N {id: $i}) RETURN labels(n), n.x, n.id",
	"MATCH (n)-[r]->(m) RETURN count(*)",
	"CREATE (:N {id: 100 + $i, x: $x})",
	"CREATE (:N {id: toFloat(100 + $i)})",
	"CREATE (:N {id: 0.0 / 0.0, x: $x})",
	"CREATE (:M {id: 100 + $x})-[:R {w: 200 + $i}]->(:N {id: 110 + $i})",
	"UNWIND [$i, $x] AS v CREATE (:N {id: 100 + v, x: $x})",
	"UNWIND range(0, $i) AS v MERGE (n:N {id: 105 + v}) SET n.x = $x",
	"MERGE (n:N {id: 100 + $i}) SET n.x = $x",
	"MERGE (n:M {id: toFloat(100 + $i)}) ON CREATE SET n:N",
	"MERGE (n:N {id: 100 + $i}) SET n.id = 100 + $x",
	"MERGE (:P {id: $i})",
	"MATCH (n:N) WHERE n.id >= 100 SET n.id = n.id + $i - $x",
	"MATCH (n:N {id: 100 + $i}) DELETE n",
	"MATCH (n:N {id: 100 + $i}) DELETE n CREATE (:N {id: 100 + $x})",
	"MATCH (n:N {id: $i}), (m:M {id: $x}) DETACH DELETE n, m",
	"UNWIND [$i, $x, $i] AS v MATCH (n:N {id: 100 + v}) DETACH DELETE n",
	"MATCH (n:N) WHERE n.x = $x AND n.id > 90 DETACH DELETE n",
	"MATCH (n:N) WHERE 6 / (n.id - 100) > $x DETACH DELETE n",
	"MATCH (n {id: 100 + $i}) DETACH DELETE n",
	"MATCH (:N {id: $i})-[r:R]->() DELETE r",
	"MATCH (a:N {id: $i})-[r:Q]-(b) DELETE r CREATE (a)-[:S]->(b)",
	"MATCH (a:N {id: $i})-[r:Q]->(b)-[q:Q]->(c) DELETE r SET c.z = $x",
	"MATCH (a:N {id: $i})-[r]->(b)-[]->(c) DELETE r SET c.z = $x",
	"MATCH ()-[r:R {w: 200 + $i}]->(m) DELETE r SET m.y = $x",
	"MATCH (a:N {id: $i})-[r:Q]->(b:N) MATCH (b)-[q:Q]->(c) DELETE q SET a.z = $x",
	"MATCH (a:N {id: $i}) WHERE NOT EXISTS { (a)-[:Q]->() } SET a.z = $x",
	"MATCH (a:N {id: $i})-[:Q]->(b) SET b.z = $x",
	"MATCH (n:N {id: $i}) WITH n.x AS v, n MATCH (m:M {id: v}) SET m.y = n.id",
}

// txMerges need no snapshot, so that each looks up what all before it have changed.
var txMerges = []string{
	"MERGE (n:N {id: $i}) SET n.id = $x",
	"MERGE (n:N {id: $i}) SET n.id = $i, n.x = $x",
	"MERGE (n:N {id: $i}) SET n:M",
	"MERGE (n:N:M {id: $i}) SET n.z = $x",
}

// txGraph makes a graph with every name that the statements use, and so large that their plans hold for many changes.
var txGraph = []string{
	"UNWIND range(0, 39) AS i CREATE (:N {id: i, x: i % 4, y: i, z: i, fresh: i, leaf: i})-[:R {w: i + 100}]->(:K {id: i % 10})",
	"UNWIND range(40, 59) AS i CREATE (:M {id: i - 40, x: i})-[:Q]->(:N:M {id: i}), (:L {of: i}), (:O {id: i})",
	"MATCH (a:N), (b:N) WHERE b.id = a.id + 1 CREATE (a)-[:Q]->(b)",
}

// txSchemas are what the statements run under.
var txSchemas = [][]string{
	nil,
	{"CREATE INDEX FOR (n:N) ON (n.id)", "CREATE INDEX FOR (n:M) ON (n.id)"},
	{"CREATE CONSTRAINT FOR (n:N) REQUIRE n.id IS UNIQUE"},
	{"CREATE CONSTRAINT FOR (n:N) REQUIRE n.id IS UNIQUE", "CREATE CONSTRAINT FOR (n:M) REQUIRE n.id IS UNIQUE", "CREATE CONSTRAINT FOR (n:P) REQUIRE n.id IS UNIQUE"},
	{"CREATE CONSTRAINT FOR (n:N) REQUIRE (n.id, n.x) IS UNIQUE", "CREATE CONSTRAINT FOR (n:M) REQUIRE n.id IS NODE KEY"},
	{"CREATE CONSTRAINT FOR (n:M) REQUIRE n.id IS NOT NULL", "CREATE CONSTRAINT FOR ()-[r:R]-() REQUIRE r.w IS UNIQUE", "CREATE INDEX FOR (n:N) ON (n.id)"},
}

// TestTransactionsAgainstCommits runs random statements in one transaction, where a statement may not see a snapshot of its own, and in
// another database each in its own transaction. Rows, counts of changes, errors and graphs must agree.
func TestTransactionsAgainstCommits(t *testing.T) {
	seed, rounds := rand.Uint64(), 40
	if s := os.Getenv("MOTIF_SEED"); s != "" {
		seed, _ = strconv.ParseUint(s, 10, 64)
	}
	if s := os.Getenv("MOTIF_TX_ROUNDS"); s != "" {
		rounds, _ = strconv.Atoi(s)
	}
	for i := range uint64(rounds) {
		rng := rand.New(rand.NewPCG(seed+i, 1))
		pool := slices.Clone(txStatements)
		rng.Shuffle(len(pool), func(i, j int) { pool[i], pool[j] = pool[j], pool[i] })
		pool = pool[:2+rng.IntN(len(pool)-1)] // few, so that runs of the same occur
		if i%2 == 1 {                         // so few that most need no snapshot
			pool = []string{randomTxStatement(rng), randomTxChange(rng), txStatements[18]} // which sets a label
		}
		if i%4 == 2 {
			pool = txMerges
		}
		if transactionRound(t, rng, pool); t.Failed() {
			t.Fatalf("MOTIF_SEED=%d", seed+i)
		}
	}
}

// randomTxChange changes one thing that a statement may read.
func randomTxChange(rng *rand.Rand) string {
	match := "MATCH (a:N {id: $i})"
	return []string{match + " SET a:M", match + " REMOVE a:M", match + " SET a:M", match + " REMOVE a:M", match + " SET a:K", match + " SET a.x = $x", match + " SET a.id = $x", match + " REMOVE a.y",
		match + " MERGE (a)-[:Q]->(:M {id: $x})", match + "-[r:R]->() SET r.w = $x", match + "-[r]-() DELETE r", match + " DETACH DELETE a", "CREATE (:K {id: $i})"}[rng.IntN(13)]
}

// randomTxStatement matches by two or three clauses that share a variable, and then writes about what they found.
func randomTxStatement(rng *rand.Rand) string {
	text := "MATCH (a:N {id: $i})"
	for n := range 1 + rng.IntN(2) {
		if rng.IntN(3) > 0 { // else the clauses become one
			text += fmt.Sprintf(" UNWIND [$i, $x] AS q%d", n)
		}
		text += oneOf(rng, " MATCH ", " MATCH ", " OPTIONAL MATCH ") + randomTxPattern(rng) + oneOf(rng, "", "", "", "", "", " WHERE a:M", " WHERE a.x > $x",
			" WHERE NOT (a)-[:R]->()", " WHERE a.y IS NULL", " WHERE a.id + 1 > a.z", " WHERE a.id <> $x OR a:M", " WHERE EXISTS { (a)--(:M) }",
			" WHERE size(labels(a)) = 1", " WHERE a.fresh IS NOT NULL AND a:!M")
	}
	return text + oneOf(rng, " SET a.x = $x", " SET a:M", " REMOVE a:M", " SET a.y = a.x", " MERGE (a)-[:R]->(:M {id: $x})", " SET a.z = a.z + 1",
		" SET a.leaf = size(labels(a))", " REMOVE a.y", " SET a.fresh = $i RETURN count(*)")
}

// randomTxPattern is a small pattern about a.
func randomTxPattern(rng *rand.Rand) string {
	node := func(name string) string {
		return "(" + name + oneOf(rng, "", ":M", ":M", ":M&N", ":K|M", ":!M", ":!K", ":%") + oneOf(rng, "", "", "", " {x: $x}") + ")"
	}
	switch rng.IntN(5) {
	case 0, 1:
		return node("a")
	case 2:
		return node("a") + ", (b" + oneOf(rng, "", ":N", ":M&N", ":!K") + " {id: $x})"
	case 3:
		return node("a") + oneOf(rng, "-", "<-") + "[" + oneOf(rng, "", ":R", ":R|Q", ":Q", ":R {w: $x}", ":R*1..2", ":Q {w: $x}") + "]-" + node("b")
	}
	return node("a") + "--" + node("b") + "-->(:K)"
}

func oneOf(rng *rand.Rand, from ...string) string { return from[rng.IntN(len(from))] }

func transactionRound(t *testing.T, rng *rand.Rand, pool []string) {
	ctx := t.Context()
	schema, one, each := txSchemas[rng.IntN(len(txSchemas))], openMemory(t), openMemory(t)
	for _, text := range append(slices.Clip(txGraph), schema...) {
		for _, db := range []*motif.DB{one, each} {
			if _, err := db.Exec(ctx, text, nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	err := one.Update(ctx, func(tx *motif.Tx) error {
		for i := range 60 {
			text, ids := pool[rng.IntN(len(pool))], 1+rng.IntN(6)
			params := motif.Params{"i": rng.IntN(ids), "x": rng.IntN(ids), "rows": []any{
				map[string]any{"id": rng.IntN(ids), "x": rng.IntN(ids)}, map[string]any{"id": rng.IntN(ids), "x": rng.IntN(ids)}}}
			if got, want := outcome(ctx, tx, text, params), outcome(ctx, each, text, params); got != want {
				t.Errorf("%v: statement %d, %s, %v:\n%s\nwant\n%s", schema, i, text, params, got, want)
			}
			if rng.IntN(20) == 0 || t.Failed() {
				sameElements(t, tx, each)
			}
			if t.Failed() {
				return nil
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	sameElements(t, one, each)
}

func openMemory(t *testing.T) *motif.DB {
	db, err := motif.Open(":memory:", motif.WithCreate())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// outcome runs a statement and writes down what it gave.
func outcome(ctx context.Context, q querier, text string, params motif.Params) string {
	rows, err := q.Query(ctx, text, params)
	var failed *motif.QueryError
	if errors.As(err, &failed) {
		return failed.Code // the text names one of several nodes
	}
	if err != nil {
		return err.Error()
	}
	var lines []string
	for r, err := range rows.All() {
		lines = append(lines, fmt.Sprint(r.Values(), err))
	}
	slices.Sort(lines)
	return fmt.Sprint(lines, rows.Summary().Changes)
}

// sameElements compares all nodes and relationships, but for their ids, which depend on the order of rows.
func sameElements(t *testing.T, a, b querier) {
	t.Helper()
	for _, text := range []string{"MATCH (n) RETURN labels(n), properties(n)",
		"MATCH (a)-[r]->(b) RETURN type(r), properties(r), labels(a), properties(a), labels(b), properties(b)"} {
		if got, want := outcome(t.Context(), a, text, nil), outcome(t.Context(), b, text, nil); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", text, got, want)
		}
	}
}
