package enginetest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/motifql/motif"
)

// TestOptionalCall compares OPTIONAL CALL with a plain CALL that collects the rows of the subquery, on random graphs.
func TestOptionalCall(t *testing.T) {
	bodies := []struct{ text, column string }{
		{"MATCH (n)-[:R]->(m) RETURN m.id AS c", "c"},
		{"MATCH (n)-[:R]->(c) WHERE c.id > n.id RETURN c", "c.id"},
		{"WITH n WHERE n.id % 2 = 0 RETURN n AS c", "c.id"},
		{"UNWIND range(1, n.id % 3) AS c RETURN c", "c"},
		{"MATCH (n)-->(m) RETURN m.id % 2 AS c UNION MATCH (n)<--(m) WHERE m.id > 3 RETURN m.id AS c", "c"},
		{"MATCH (n)-->(m) RETURN max(m.id) AS c", "c"},
		{"MATCH (n)-->() RETURN n.id AS c LIMIT 1", "c"},
		{"CALL db.labels() YIELD label WHERE n.id < 2 RETURN label AS c", "c"},
	}
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 31))
		db, err := motif.Open(":memory:")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := db.Exec(t.Context(), "UNWIND range(0, 5) AS i CREATE (:N {id: i})", nil); err != nil {
			t.Fatal(err)
		}
		for range rng.IntN(8) {
			text := fmt.Sprintf("MATCH (a {id: %d}), (b {id: %d}) CREATE (a)-[:%s]->(b)", rng.IntN(6), rng.IntN(6), []string{"R", "S"}[rng.IntN(2)])
			if _, err := db.Exec(t.Context(), text, nil); err != nil {
				t.Fatal(err)
			}
		}
		b := bodies[rng.IntN(len(bodies))]
		call := "(n) { " + b.text + " }"
		got := sortedRows(t, db, "MATCH (n:N) OPTIONAL CALL "+call+" RETURN n.id, "+b.column+" AS c")
		want := sortedRows(t, db, "MATCH (n:N) CALL (n) { CALL "+call+" RETURN collect("+b.column+") AS list, count(*) AS k } UNWIND CASE k WHEN 0 THEN [null] ELSE list END AS c RETURN n.id, c")
		if b.column == "c" && strings.Contains(b.text, "max(") { // collect leaves the null of an empty max out
			want = sortedRows(t, db, "MATCH (n:N) CALL "+call+" RETURN n.id, c")
		}
		if !slices.Equal(got, want) {
			t.Errorf("seed %d: OPTIONAL CALL %s gives\n%s\nnot\n%s", seed, call, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		const neighbour = "MATCH (n:N) OPTIONAL CALL (n) { MATCH (n)-[r:R]->(c) RETURN c, r } "
		for query, same := range map[string]string{ // a null node has no matches
			neighbour + "MATCH (c)-->(x) RETURN n.id, x.id":                        "MATCH (n:N)-[:R]->(c) MATCH (c)-->(x) RETURN n.id, x.id",
			neighbour + "OPTIONAL MATCH (c)-->(x) RETURN n.id, c.id, x.id":         "MATCH (n:N) OPTIONAL MATCH (n)-[:R]->(c) OPTIONAL MATCH (c)-->(x) RETURN n.id, c.id, x.id",
			neighbour + "RETURN n.id, COUNT { (c)--() }, type(r), c IS NULL":       "MATCH (n:N) OPTIONAL MATCH (n)-[r:R]->(c) RETURN n.id, COUNT { (c)--() }, type(r), c IS NULL",
			neighbour + "MATCH (a)-[r]->(b) RETURN a.id, b.id":                     "MATCH (a:N)-[:R]->(b) RETURN a.id, b.id",
			neighbour + "WITH c, count(*) AS k WHERE c IS NOT NULL RETURN c.id, k": "MATCH (n:N)-[:R]->(c) RETURN c.id, count(*)",
		} {
			if got, want := sortedRows(t, db, query), sortedRows(t, db, same); !slices.Equal(got, want) {
				t.Errorf("seed %d: %s gives\n%s\nnot\n%s", seed, query, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
