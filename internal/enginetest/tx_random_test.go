package enginetest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

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

// txLookups find their nodes in the draft, by values of every kind, with and without an index, and change what the others look for.
var txLookups = []string{
	"MATCH (n:N {id: $v}) SET n.id = $w",
	"MATCH (n:N {id: $v}) SET n.x = $x",
	"MATCH (n:N:M {id: $v}) SET n.id = $w, n.x = $v",
	"MATCH (n {x: $v}) SET n.y = $w",
	"MATCH (n:N {x: $v}) WHERE n.id = $w SET n.z = $i",
	"MATCH (n:M) WHERE $v = n.id SET n:N",
	"MATCH (n:N {id: $w}) REMOVE n:N",
	"MATCH (n:N {id: 3}) SET n.id = 4.0",
	"MATCH (n:N {id: 4}) SET n.id = 3",
	"CREATE (:N {id: $v, x: $w})",
	"CREATE (:N:M {id: $w})-[:S {w: $v}]->(:M {id: $v, x: $i})",
	"MATCH (n:N {id: $v}) DELETE n",
	"MATCH (n:N {id: $v}) DETACH DELETE n",
	"MATCH (a:N {id: $v}), (b:M {id: $w}) CREATE (a)-[:S {w: $x}]->(b)",
	"MATCH (:N {id: $v}), (b:N {id: $w}) CREATE (:L {of: b.id})",
	"MATCH (a:N {id: $v}), (b:N {id: $v}) CREATE (a)-[:S {w: $w}]->(b)",
	"MATCH (a:N {id: $v}) CREATE (a)-[:S]->(:N {id: $w})",
	"MATCH (a:N {id: $v})-[r:S]->(b) SET r.w = $w",
	"MATCH (a:N {id: $v})-[r:S {w: $w}]-(b:M) SET b.y = $x, r.mark = $i",
	"MATCH (a:N)<-[r:S|Q]-(b {id: $v}) DELETE r SET a.fresh = $w",
	"MATCH (a:N {id: $v})-[r:S]->(b:M {id: $w}) DELETE r",
	"MATCH (a:N {id: $v})-[r:S|Q]-(b:N {id: $w}) SET r.w = $i",
	"MATCH (a:N {id: $v})<-[r]-(b:N {id: $w}) SET r.w = $i, a.leaf = b.id",
	"MATCH (a:N {id: $v})-[r]-(a2:N {id: $v}) SET r.w = $w",
	"MATCH (a:N {id: $v})-[r:S]-(b) DELETE r CREATE (b)-[:Q]->(a)",
	"MATCH (:N {id: $v})-[:S]-(b), (c:M {id: $w}) CREATE (b)-[:S]->(c)",
	"MATCH (a:N {id: $v})-[r:S]->(a) SET r.w = $w",
	"MATCH DIFFERENT NODES (a:N {id: $v}), (b:N {id: $w}) CREATE (a)-[:Q]->(b)",
	"MATCH (a:N {id: $v}) MERGE (a)-[:S]->(:M {id: $w})",
	"MATCH (a:N {id: $v}), (b:N {id: $w}) MERGE (a)-[r:S]-(b) SET r.w = $x",
	"MERGE (n:N {id: coalesce($v, 0)}) SET n.x = $w",
	"MATCH (n:N {id: $v}) SET n.id = 1 / ($i - $x)",
	"MATCH (n:N {id: $v}) RETURN n.id, n.x",
	"CREATE INDEX IF NOT EXISTS FOR (n:M) ON (n.id)",
}

// txValues are what txLookups look for, some of them equal to others and some equal to nothing.
var txValues = []any{0, 1, 2, 3, 4, 5, 1.0, 2.5, math.Copysign(0, -1), math.NaN(), "1", "", "a", true, false, nil, []any{1}, []any{1.0}, []any{1, nil}, map[string]any{"a": 1},
	time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC), time.Date(2020, 1, 2, 4, 4, 5, 0, time.FixedZone("", 3600)), 1 << 60, float64(1 << 60), 1<<60 + 1}

// txAfterDeletes have other matches once an element is gone that may be none of their own, or an error for one that is gone.
var txAfterDeletes = []string{
	"MATCH (a:N {id: $i}) OPTIONAL MATCH (b:N {id: $x}) CREATE (:Z {of: a.id, to: b.id})",
	"MATCH (a:N {id: $i}) OPTIONAL MATCH (a)-[r:S]->(b) CREATE (:Z {of: a.id, to: b.id})",
	"MATCH (a:N {id: $i}) WHERE EXISTS { (a)-[:S]-(:N) } SET a.fresh = $x",
	"MATCH (a:N {id: $i}), (b:N {id: $x}) WHERE (a)-[:S]-(b) CREATE (:Z {of: a.id})",
	"MATCH (a:N {id: $i}), (b:N {id: $x}) WHERE NOT (a)-[:S]-(b) CREATE (:Z {of: a.id})",
	"MATCH (a:N {id: $i}) WHERE NOT EXISTS { (a)-[:S]->() } SET a.fresh = $x",
	"MATCH (a:N {id: $i}) WHERE COUNT { (a)-[:S]-() } > $x SET a.fresh = $x",
	"MATCH INDUCED SUBGRAPHS (a:N {id: $i})-[r:S]-(b) CREATE (:Z {of: b.id})",
	"MATCH DISTINCT SUBGRAPHS (a:N)-[r:S]-(b:N)-[q:S]-(c:N)-[s:S]-(a) CREATE (:Z {of: a.id + b.id + c.id})",
	"MATCH (b:N) WHERE 6 / (b.id - $i) > $x SET b.fresh = $x",
	"MATCH (b:N) WHERE 6 / (b.id - $i) = $x SET b.fresh = $x",
	"MATCH (a:N {id: $i})-[:S*1..2]-(b) SET b.fresh = $x",
	"MATCH p = ANY SHORTEST (a:N {id: $i})-[:S*1..3]->(b:N {id: $x}) CREATE (:Z {of: length(p)})",
	"MATCH (a:N {id: $i}) WITH a LIMIT 1 MATCH (a)-[r:S]->(b:N) WITH DISTINCT a CREATE (:Z {of: a.id})",
	"MATCH (a:N {id: $i})-[:S]->(b:N {id: $x}) CREATE (:Z {of: b.id})",
	"MATCH (:N {id: $i}), (b:N {id: $x}) CREATE (:Z {of: b.id})",
	"MATCH (a:N {id: $i})-[r]->(b), (b)-[]-(c) DETACH DELETE c SET a.fresh = $x",
	"MATCH REPEATABLE ELEMENTS (a:N {id: $i})-[:S]-(b)-[:S]-(c) SET c.fresh = $x",
}

// txGraph makes a graph with every name that the statements use, and so large that their plans hold for many changes.
var txGraph = []string{
	"UNWIND range(0, 39) AS i CREATE (:N {id: i, x: i % 4, y: i, z: i, fresh: i, leaf: i})-[:R {w: i + 100}]->(:K {id: i % 10})",
	"UNWIND range(40, 59) AS i CREATE (:M {id: i - 40, x: i})-[:Q]->(:N:M {id: i}), (:L {of: i}), (:O {id: i})",
	"MATCH (a:N), (b:N) WHERE b.id = a.id + 1 CREATE (a)-[:Q]->(b)",
	"MATCH (a:N), (b:N) WHERE a.id < 7 AND b.id < 7 AND a.id * b.id % 3 = 0 CREATE (a)-[:S {w: a.id}]->(b), (a)-[:S {w: b.id}]->(b)", // parallel, reciprocal, loops
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
	seed, rounds := rand.Uint64(), 50
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
		switch (seed + i) % 6 {               // so few that most need no snapshot
		case 1, 3:
			pool = []string{randomTxStatement(rng), randomTxChange(rng), txStatements[18]} // which sets a label
		case 2:
			pool = txMerges
		case 4:
			pool = []string{randomTxDelete(rng), randomTxDelete(rng)}
			if rng.IntN(2) == 0 {
				pool = []string{oneOf(rng, txAfterDeletes...), "MATCH (a:N {id: $i})-[r:S]-(b:N {id: $x}) DELETE r", "MATCH (b:N {id: 6 - $i}) DETACH DELETE b"}
			}
		case 5:
			pool = slices.Clone(txLookups)
			rng.Shuffle(len(pool), func(i, j int) { pool[i], pool[j] = pool[j], pool[i] })
			pool = pool[:1+rng.IntN(len(pool))]
		}
		ids := 6
		if (seed+i)%6 == 4 {
			ids = 7 // so many have relationships of type S
		}
		if transactionRound(t, rng, pool, ids); t.Failed() {
			t.Fatalf("MOTIF_SEED=%d", seed+i)
		}
	}
}

// randomTxDelete matches nodes and relationships of which some are gone, and deletes some or writes what it does not read.
func randomTxDelete(rng *rand.Rand) string {
	node := func(name string) string {
		return "(" + name + oneOf(rng, "", "", "", ":N", ":N", ":K", ":M&N") + oneOf(rng, "", "", "", "", "", " {id: $i}", " {id: $x}") + ")"
	}
	rel := func(name string) string {
		return oneOf(rng, "-", "<-") + "[" + oneOf(rng, name, name, name, name, name, "") + oneOf(rng, "", "", ":S", ":S", ":S|Q", ":Q", ":R", ":S {w: $x}") + "]-"
	}
	text := oneOf(rng, "", "UNWIND [$i, $x] AS v ") + "MATCH " + oneOf(rng, "", "", "", "", "", "", "DIFFERENT NODES ", "REPEATABLE ELEMENTS ", "DISTINCT SUBGRAPHS ", "INDUCED SUBGRAPHS ", "INDUCED SUBGRAPHS ") + "(a:N " + oneOf(rng, "{id: $i})", "{id: $i})", "{x: $x})")
	match := oneOf(rng, " MATCH ", " MATCH ", " MATCH ", " OPTIONAL MATCH ")
	switch rng.IntN(7) {
	case 0:
		text += ", " + node("b") + rel("r") + "(a)"
	case 1:
		text += rel("r") + node("b") + rel("q") + node("c")
	case 2:
		text += rel("r") + node("b") + match + node("c") + rel("q") + "(b)"
	case 3:
		text += " UNWIND [$x, $i] AS w" + match + "(a)" + rel("r") + "(b:N {id: w})"
	case 4, 5:
		text += match + "(b:N) WHERE " + oneOf(rng, "b.id < $x", "b.id = $x", "a.x = b.x", "b.y >= $i AND b.id < 30", "b.x = a.x AND b.id <> $i", "6 / (b.id - $i) > $x", "EXISTS { (b)-[:S]->(a) }", "EXISTS { (a)-[:S]-(b) } AND b.id = $x", "(a)--(b)", "NOT (a)-[:S]-(b)", "b:M AND b.id = $x", "COUNT { (a)--(b) } > $x")
	default:
		text += rel("r") + "(b)"
	}
	name := oneOf(rng, "a", "b")
	actions := []string{"DETACH DELETE " + name, "DETACH DELETE a, b", "SET " + name + ".fresh = $x", "CREATE (:Z {of: " + name + ".id})", "CREATE (:Z {of: a.id, to: b.id}) DETACH DELETE " + name}
	for _, r := range []string{"r", "q"} {
		if strings.Contains(text, "["+r) {
			actions = append(actions, "DELETE "+r, "DELETE "+r+" SET a.leaf = $x", "SET "+r+".mark = $i", "DELETE "+r+" CREATE (:Z {of: b.id})")
		}
	}
	return text + " " + oneOf(rng, actions...)
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

func oneOf[T any](rng *rand.Rand, from ...T) T { return from[rng.IntN(len(from))] }

func transactionRound(t *testing.T, rng *rand.Rand, pool []string, mostIDs int) {
	ctx := t.Context()
	schema, one, each := txSchemas[rng.IntN(len(txSchemas))], openMemory(t), openMemory(t)
	for _, text := range append(slices.Clip(txGraph), schema...) {
		for _, db := range []*motif.DB{one, each} {
			if _, err := db.Exec(ctx, text, nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	values := txValues[:1+rng.IntN(len(txValues))]
	if rng.IntN(2) == 0 {
		values = []any{oneOf(rng, txValues...), oneOf(rng, txValues...), rng.IntN(6)}
	}
	err := one.Update(ctx, func(tx *motif.Tx) error {
		for i := range 60 {
			text, ids := pool[rng.IntN(len(pool))], 1+rng.IntN(mostIDs)
			params := motif.Params{"i": rng.IntN(ids), "x": rng.IntN(ids), "v": values[rng.IntN(len(values))], "w": values[rng.IntN(len(values))], "rows": []any{
				map[string]any{"id": rng.IntN(ids), "x": rng.IntN(ids)}, map[string]any{"id": rng.IntN(ids), "x": rng.IntN(ids)}}}
			if either := "MERGE (a)-[r:S]-(b)"; strings.Contains(text, either) && strings.Contains(outcome(ctx, each, "RETURN $v = $w", params), "true") {
				// With one value, each pair of nodes comes in both orders, and the first one to come decides the direction.
				text = strings.Replace(text, either, "MERGE (a)-[r:S]->(b)", 1)
			}
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
