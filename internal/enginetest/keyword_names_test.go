package enginetest

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/motifql/motif"
)

// TestNamesOfKeywords uses words of the language as names.
func TestNamesOfKeywords(t *testing.T) {
	db, err := motif.Open(":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(t.Context(), "CREATE (match:Match {k: 7})", nil); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"WITH 1 AS as, 2 AS union, 3 AS in, 4 AS match RETURN as + 10 * union + 100 * in + 1000 * match AS x": "4321",
		"MATCH (match:Match) SET match.j = match.k + 1 WITH match RETURN match.j AS x":                        "8",
		"UNWIND [[1, 2], [3]] AS union UNWIND union AS as RETURN sum(as) AS x":                                "6",
		"WITH [1, 2] AS in RETURN size([x IN in WHERE x IN in]) AS x":                                         "2",
		"MATCH (in:Match)-[as*0..0]-(union) RETURN in.k + size(as) + union.k AS x":                            "14",
		"RETURN 1 AS in UNION RETURN 1 AS in":                                                                 "1",
		"WITH 3 AS as ORDER BY as RETURN (3*as) AS x":                                                         "9",
	} {
		oneValue(t, db, text, want)
	}
}

// TestLoadJSON reads JSON files of each form.
func TestLoadJSON(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"list.json": `[{"a": 1}, {"a": 2.5, "b": [null, "x"]}, 7]`, "map.json": `{"a": {"b": true}}`, "bad.json": `{"a"`, "empty.json": ""} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	db, err := motif.Open(":memory:", motif.WithFiles(os.DirFS(dir)))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for text, want := range map[string]string{
		"CALL apoc.load.json('list.json') YIELD value RETURN collect(value) AS l":                       "[map[a:1] map[a:2.5 b:[<nil> x]] map[result:7]]",
		"CALL apoc.load.json('file:///map.json') YIELD value RETURN value.a.b AS l":                     "true",
		"UNWIND ['list.json', 'map.json'] AS f CALL apoc.load.json(f) YIELD value RETURN count(*) AS l": "4",
		"CALL apoc.load.json(null) YIELD value RETURN count(*) AS l":                                    "0",
		"CALL apoc.load.json('bad.json') YIELD value RETURN 1 AS l":                                     "error",
		"CALL apoc.load.json('empty.json') YIELD value RETURN 1 AS l":                                   "error",
		"CALL apoc.load.json('none.json') YIELD value RETURN 1 AS l":                                    "error",
		"CALL apoc.load.json('https://example.org/x.json') YIELD value RETURN 1 AS l":                   "error",
	} {
		got := "error"
		rows, err := db.Query(t.Context(), text, nil)
		if err == nil {
			var v any
			if v, err = motif.One[any](rows); err == nil {
				got = fmt.Sprint(v)
			}
		}
		if got != want {
			t.Errorf("%s: %v, %v, want %s", text, got, err, want)
		}
	}
}

// TestMeta compares apoc.meta.data and apoc.meta.schema with counts by other means.
func TestMeta(t *testing.T) {
	db, err := motif.Open(":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, text := range []string{"CREATE CONSTRAINT FOR (n:A) REQUIRE n.k IS UNIQUE",
		"CREATE (a:A {k: 1, l: 'x'}), (b:A:B {k: 2, l: 3}), (c:B {m: [1]}), (a)-[:R {w: 1.5}]->(b), (a)-[:R]->(c), (b)-[:S]->(c)"} {
		if _, err := db.Exec(t.Context(), text, nil); err != nil {
			t.Fatal(err)
		}
	}
	for text, want := range map[string]string{
		"CALL apoc.meta.data() YIELD label, property, type, elementType WITH * ORDER BY elementType, label, property RETURN collect(label + '.' + property + ' ' + type) AS l":     "[A.R RELATIONSHIP A.S RELATIONSHIP A.k INTEGER A.l ANY B.S RELATIONSHIP B.k INTEGER B.l INTEGER B.m LIST R.w FLOAT]",
		"CALL apoc.meta.data() YIELD label, property, count, other WHERE label = 'A' AND property = 'R' RETURN [count, other] AS l":                                                "[2 [A B]]",
		"CALL apoc.meta.schema() YIELD value RETURN [value.A.count, value.A.properties.k.unique, value.A.properties.l.indexed, value.R.type, value.B.relationships.S.labels] AS l": "[2 true false relationship [B]]",
		"SHOW KEY CONSTRAINTS YIELD name RETURN count(*) AS l":                                                                                         "0",
		"SHOW NODE UNIQUENESS CONSTRAINTS YIELD createStatement RETURN createStatement AS l":                                                           "CREATE CONSTRAINT unique_A_k FOR (n:A) REQUIRE (n.k) IS UNIQUE",
		"SHOW UNIQUE CONSTRAINTS YIELD ownedIndex RETURN collect(ownedIndex) AS l":                                                                     "[unique_A_k]",
		"SHOW RELATIONSHIP UNIQUE CONSTRAINTS YIELD name RETURN collect(name) AS l":                                                                    "[]",
		"SHOW RANGE INDEXES YIELD name, populationPercent, lastRead, createStatement RETURN [name, populationPercent, lastRead, createStatement] AS l": "[unique_A_k 100 <nil> CREATE CONSTRAINT unique_A_k FOR (n:A) REQUIRE (n.k) IS UNIQUE]",
		"SHOW FULLTEXT INDEXES YIELD name RETURN count(*) AS l":                                                                                        "0",
		"SHOW USER DEFINED FUNCTIONS YIELD name RETURN count(*) AS l":                                                                                  "0",
		"SHOW FUNCTIONS YIELD name, isBuiltIn WHERE name = 'abs' RETURN isBuiltIn AS l":                                                                "true",
	} {
		oneValue(t, db, text, want)
	}
}

// oneValue runs a query that returns one value, and compares how that prints.
func oneValue(t *testing.T, db *motif.DB, text, want string) {
	t.Helper()
	rows, err := db.Query(t.Context(), text, nil)
	if err != nil {
		t.Errorf("%s: %v", text, err)
		return
	}
	if got, err := motif.One[any](rows); err != nil || fmt.Sprint(got) != want {
		t.Errorf("%s: %v, %v, want %s", text, got, err, want)
	}
}
