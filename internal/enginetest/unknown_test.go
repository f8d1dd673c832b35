package enginetest

import (
	"slices"
	"strings"
	"testing"
)

// The word UNKNOWN, in capitals, is null where no variable has that name: in each place, a statement with it gives what it gives with
// null.
func TestUnknown(t *testing.T) {
	for _, text := range []string{
		"RETURN null AS x, null IS NULL AS y, null IS NOT UNKNOWN AS z",
		"UNWIND [true, false, null] AS a UNWIND [true, false, null] AS b RETURN a AND b AS c, a OR null AS d, NOT null AS e, a XOR null AS f",
		"UNWIND [1, null, 3] AS x RETURN x, x = null AS a, x < null AS b, x + null AS c, x IN [1, null] AS d, 1 < null < 3 AS e",
		"UNWIND null AS x RETURN x",
		"UNWIND [1, 2] AS x RETURN null AS k, count(*) AS n, count(null) AS m, sum(x) + null AS s",
		"UNWIND [2, 1] AS x RETURN DISTINCT x ORDER BY null, x",
		"UNWIND [2, 1] AS x WITH DISTINCT x WHERE x = 1 OR null RETURN x",
		"RETURN [x IN [1, null, 3] WHERE x > 1 OR null | [x, null]] AS l, reduce(s = 0, x IN [1] | s + null) AS r, all(x IN [1] WHERE null) AS a",
		"RETURN {a: null, b: [null]} AS m, null.key AS p, null[0] AS i, [1, 2][null] AS j, coalesce(null, 7) AS c, size(null) AS s",
		"RETURN CASE WHEN null THEN 1 ELSE 2 END AS a, CASE null WHEN null THEN 1 ELSE 2 END AS b",
		"MATCH (n) WHERE n.x = null RETURN count(*) AS n",
		"MATCH (n {x: null})-[r {y: null}]->(m) RETURN count(*) AS n",
		"MATCH (n) WHERE n.x = 1 OR null RETURN n.x AS x",
		"MATCH (n) RETURN EXISTS { MATCH (n)-->(m) WHERE null } AS e, COUNT { MATCH (m) WHERE m.x = null } AS c",
		"CALL { RETURN null AS u } RETURN u",
		"UNWIND [1] AS x CALL (x) { RETURN x + null AS y } RETURN y",
		"RETURN null AS u UNION RETURN 1 AS u",
		"OPTIONAL MATCH (n:Nobody) RETURN n IS NULL AS a, null AS b ORDER BY b",
		"MATCH (n) WITH n LIMIT 1 SET n.y = null RETURN n.y AS y",
		"CREATE (n:C {x: null, y: 1}) RETURN n.x AS x, keys(n) AS k",
		"MATCH (n) FOREACH (x IN [null] | SET n.z = x) RETURN n.z AS z",
	} {
		var got [2]string
		for i, text := range []string{text, strings.ReplaceAll(text, "null", "UNKNOWN")} {
			db := openMemory(t)
			if _, err := db.Exec(t.Context(), "CREATE (:A {x: 1, y: 1, z: 1})-[:R {y: 1}]->(:B {x: 2}), (:B)", nil); err != nil {
				t.Fatal(err)
			}
			got[i] = outcome(t.Context(), db, text, nil)
		}
		if got[0] != got[1] || !strings.HasPrefix(got[0], "[") {
			t.Errorf("%s:\n%s\nwith UNKNOWN\n%s", text, got[0], got[1])
		}
	}
	db := openMemory(t)
	rows, err := searchRows(db, "WITH 1 AS UNKNOWN UNWIND [UNKNOWN, 2] AS x RETURN [UNKNOWN IN [3] | UNKNOWN] AS l, UNKNOWN + x AS s")
	if want := []string{"[3] 2", "[3] 3"}; err != nil || !slices.Equal(rows, want) {
		t.Errorf("a variable of this name: %v, %v; want %v", rows, err, want)
	}
}
