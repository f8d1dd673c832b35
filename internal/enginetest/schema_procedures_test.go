package enginetest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/motifql/motif"
)

// sortedRows are the rows of a query as text, sorted.
func sortedRows(t *testing.T, db *motif.DB, text string) (list []string) {
	t.Helper()
	rows, err := db.Query(t.Context(), text, nil)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	for rows.Next() {
		var row []string
		values, into := make([]any, len(rows.Columns())), make([]any, len(rows.Columns()))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		for _, v := range values {
			row = append(row, fmt.Sprint(v))
		}
		list = append(list, strings.Join(row, " "))
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	slices.Sort(list)
	return list
}

// TestShow runs SHOW with what may follow it.
func TestShow(t *testing.T) {
	db, err := motif.Open(":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, text := range []string{"CREATE INDEX i FOR (n:A) ON (n.x, n.y)", "CREATE CONSTRAINT k FOR (n:A) REQUIRE n.z IS KEY",
		"CREATE CONSTRAINT u FOR ()-[r:R]-() REQUIRE r.z IS UNIQUE", "CREATE CONSTRAINT t FOR ()-[r:R]-() REQUIRE r.z IS :: DATE"} {
		if _, err := db.Exec(t.Context(), text, nil); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ text, want string }{
		{"SHOW INDEXES", "i RANGE NODE [A] [x y] ONLINE <nil>;k RANGE NODE [A] [z] ONLINE k"},
		{"SHOW CONSTRAINTS", "k NODE_KEY NODE [A] [z] <nil>;t RELATIONSHIP_PROPERTY_TYPE RELATIONSHIP [R] [z] DATE;u RELATIONSHIP_UNIQUENESS RELATIONSHIP [R] [z] <nil>"},
		{"SHOW CONSTRAINTS YIELD name ORDER BY name DESC LIMIT 2", "t;u"},
		{"SHOW CONSTRAINTS YIELD name AS n, type ORDER BY n LIMIT 2 WHERE type CONTAINS 'RELATIONSHIP' RETURN n", "t"},
		{"SHOW INDEX WHERE owningConstraint IS NULL", "i RANGE NODE [A] [x y] ONLINE <nil>"},
		{"SHOW CONSTRAINTS WHERE ownedIndex IS NOT NULL AND name = 'k'", "k NODE_KEY NODE [A] [z] <nil>"},
		{"SHOW INDEXES WHERE indexProvider = 'motif' AND any(x IN properties WHERE x = 'y')", "i RANGE NODE [A] [x y] ONLINE <nil>"},
		{"SHOW PROCEDURES YIELD name, signature WHERE name IN ['db.propertyKeys', 'db.awaitIndexes', 'algo.triangleCount', 'apoc.neighbors.tohop'] RETURN signature",
			"algo.triangleCount(options = {} :: MAP) :: (count :: INTEGER) | (node :: NODE, count :: INTEGER);" +
				"apoc.neighbors.tohop(node :: INTEGER | NODE | LIST<ANY>, types = null :: STRING, distance = null :: INTEGER) :: (node :: NODE);" +
				"db.awaitIndexes(timeout = null :: INTEGER);db.propertyKeys() :: (propertyKey :: STRING)"},
		{"SHOW ALL INDEXES YIELD * UNWIND properties AS p RETURN p", "x;y;z"},
		{"SHOW DATABASES YIELD name, home", "graph true"},
		{"SHOW FUNCTIONS YIELD name WHERE name = 'valueType'", "valueType"},
	} {
		if got := strings.Join(sortedRows(t, db, c.text), ";"); got != c.want {
			t.Errorf("%s gives %s, not %s", c.text, got, c.want)
		}
	}
}

// TestSchemaProperties compares the schema procedures with queries of the same meaning, on random graphs.
func TestSchemaProperties(t *testing.T) {
	for seed := range uint64(5) {
		rng := rand.New(rand.NewPCG(seed, 5))
		db, err := motif.Open(":memory:")
		if err != nil {
			t.Fatal(err)
		}
		for range 12 {
			var list []string
			for _, k := range []string{"x", "y"} {
				if rng.IntN(2) == 0 {
					list = append(list, k+": "+constantNear(rng))
				}
			}
			text := fmt.Sprintf("CREATE (%s {%s})", []string{":A", ":B", ":B:A", ""}[rng.IntN(4)], strings.Join(list, ", "))
			if rng.IntN(2) == 0 {
				text += fmt.Sprintf("-[:%s {%s}]->()", []string{"R", "S"}[rng.IntN(2)], strings.Join(list, ", "))
			}
			if _, err := db.Exec(t.Context(), text, nil); err != nil {
				t.Fatal(err)
			}
		}
		const kind = "CASE WHEN v STARTS WITH 'LIST' THEN 'LIST' ELSE split(v, ' NOT')[0] END"
		for call, query := range map[string]string{
			"CALL db.schema.nodeTypeProperties() YIELD nodeLabels, propertyName, propertyTypes, mandatory UNWIND propertyTypes AS p RETURN nodeLabels, propertyName, p, mandatory": "MATCH (n) WITH COLLECT { WITH n UNWIND labels(n) AS l RETURN l ORDER BY l } AS l, count(*) AS all, collect(n) AS nodes " +
				"UNWIND nodes AS n UNWIND keys(n) AS k WITH l, all, k, collect(valueType(n[k])) AS vs UNWIND vs AS v RETURN DISTINCT l, k, " + kind + ", size(vs) = all",
			"CALL db.schema.relTypeProperties() YIELD relType, propertyName, propertyTypes, mandatory UNWIND propertyTypes AS p RETURN relType, propertyName, p, mandatory": "MATCH ()-[n]->() WITH type(n) AS l, count(*) AS all, collect(n) AS nodes " +
				"UNWIND nodes AS n UNWIND keys(n) AS k WITH l, all, k, collect(valueType(n[k])) AS vs UNWIND vs AS v RETURN DISTINCT ':`' + l + '`', k, " + kind + ", size(vs) = all",
		} {
			if got, want := sortedRows(t, db, call), sortedRows(t, db, query); !slices.Equal(got, want) {
				t.Errorf("seed %d: %s gives\n%s\nnot\n%s", seed, call, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
