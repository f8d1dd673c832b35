package enginetest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/motifql/motif"
)

// TestCaseForms compares CASE x WHEN with several values and with operators to CASE WHEN with whole conditions.
func TestCaseForms(t *testing.T) {
	db, err := motif.Open(":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	values := []string{"null", "1", "2", "2.0", "'a'", "'ab'", "true", "[1]", "point({x: 1, y: 2})", "date('2020-01-01')", "0.0 / 0.0"}
	value := func() string { return values[r.IntN(len(values))] }
	for range 400 {
		x, short, long := value(), "CASE x", "CASE"
		for b := range 1 + r.IntN(3) {
			var tests, conditions []string
			for range 1 + r.IntN(3) {
				test := []string{value(), value(), "= " + value(), "<> " + value(), "< " + value(), ">= " + value() + " + 1", "IS NULL", "IS NOT NULL", "IS :: INTEGER | STRING", "IN [1, 'a']",
					"STARTS WITH 'a'", "CONTAINS 'b'", "=~ 'a.*'"}[r.IntN(13)]
				if strings.Contains(test, "+ 1") && !strings.Contains(test, ">= 1 ") {
					test = ">= 1 + 1"
				}
				tests = append(tests, test)
				if strings.ContainsAny(test[:1], "=<>") || strings.HasPrefix(test, "I") || strings.HasPrefix(test, "S") || strings.HasPrefix(test, "C") {
					conditions = append(conditions, "(x "+test+")")
				} else {
					conditions = append(conditions, "(x = ("+test+"))")
				}
			}
			short += " WHEN " + strings.Join(tests, ", ") + fmt.Sprint(" THEN ", b)
			long += " WHEN " + strings.Join(conditions, " OR ") + fmt.Sprint(" THEN ", b)
		}
		if r.IntN(2) == 0 {
			short, long = short+" ELSE -1", long+" ELSE -1"
		}
		text := "WITH " + x + " AS x RETURN coalesce(" + short + " END, -2) - coalesce(" + long + " END, -2) AS d"
		rows, err := db.Query(t.Context(), text, nil)
		if err != nil {
			t.Fatalf("seed %d: %s: %v", seed, text, err)
		}
		if got, err := motif.One[int64](rows); err != nil || got != 0 {
			t.Fatalf("seed %d: %s: %v, %v", seed, text, got, err)
		}
	}
}

// TestCast tests CAST on values of many types: a value of the type stays, and others are what the function of the type makes, or an error.
func TestCast(t *testing.T) {
	db, err := motif.Open(":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	ask := func(text string) string {
		rows, err := db.Query(t.Context(), "RETURN "+text+" AS x", nil)
		if err != nil {
			return "error"
		}
		v, err := motif.One[any](rows)
		if err != nil {
			return "error"
		}
		return fmt.Sprintf("%T %v", v, v)
	}
	functions := map[string]string{"INTEGER": "toInteger", "FLOAT": "toFloat", "STRING": "toString", "BOOLEAN": "toBoolean", "DATE": "date", "ZONED DATETIME": "datetime",
		"LOCAL TIME": "localtime", "DURATION": "duration", "POINT": "point"}
	for _, x := range []string{"1", "1.5", "'1'", "'x'", "true", "'true'", "'2020-01-01'", "date('2020-01-01')", "'12:30'", "'P1D'", "duration('P1D')", "{x: 1, y: 2}", "[1]", "null", "datetime('2020-01-01T00:00Z')"} {
		for typ, f := range functions {
			want := ask(f + "(" + x + ")")
			if want == "<nil> <nil>" && x != "null" {
				want = "error"
			}
			if got := ask("CAST(" + x + " AS " + typ + ")"); got != want {
				t.Errorf("CAST(%s AS %s): %s, want %s", x, typ, got, want)
			}
		}
	}
	for text, want := range map[string]string{
		"CAST([1, '2', null] AS LIST<INTEGER>)":         "[]interface {} [1 2 <nil>]",
		"CAST([1, 'x'] AS LIST<INTEGER>)":               "error",
		"CAST([1, null] AS LIST<INTEGER NOT NULL>)":     "error",
		"CAST(null AS INTEGER NOT NULL)":                "error",
		"CAST('a' AS INTEGER | STRING)":                 "string a",
		"CAST(1.5 AS STRING | INTEGER)":                 "string 1.5",
		"CAST({a: 1} AS MAP)":                           "map[string]interface {} map[a:1]",
		"CAST(1 AS MAP)":                                "error",
		"CAST(1 AS ANY)":                                "int64 1",
		"trim(BOTH 'x' FROM 'xxaxx')":                   "string a",
		"trim(LEADING 'x' FROM 'xxaxx')":                "string axx",
		"trim(TRAILING FROM ' a ')":                     "string  a",
		"normalize('\\u212B') = '\\u00C5'":              "bool true",
		"normalize('\\uFE64', NFKC)":                    "string <",
		"size(normalize('\\u00E4', NFD))":               "int64 2",
		"normalize(null)":                               "<nil> <nil>",
		"'\\u00E4' IS NFC NORMALIZED":                   "bool true",
		"'\\u00E4' IS NOT NFD NORMALIZED":               "bool true",
		"1 IS NORMALIZED":                               "<nil> <nil>",
		"null IS NOT NORMALIZED":                        "<nil> <nil>",
		"normalize('a', 'NFX')":                         "error",
		"vector.similarity.cosine([1, 1], [2.0, 2])":    "float64 1",
		"vector.similarity.euclidean([3, 0], [0, 4.0])": "float64 0.038461538461538464",
		"vector.similarity.euclidean([1], [1, 2])":      "error",
		"vector.similarity.cosine([0], [1])":            "error",
		"vector.similarity.cosine(['a'], [1])":          "error",
		"vector.similarity.cosine(null, [1])":           "<nil> <nil>",
	} {
		if got := ask(text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// TestSubgraphNodes compares apoc.path.subgraphNodes with algo.bfs on random graphs.
func TestSubgraphNodes(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	for range 10 {
		db := emptyStore(t)
		if _, err := db.Exec(t.Context(), "UNWIND range(0, 11) AS i CREATE (:N {i: i})", nil); err != nil {
			t.Fatal(err)
		}
		for range 16 {
			_, err := db.Exec(t.Context(), "MATCH (a {i: $a}), (b {i: $b}) CREATE (a)-[:$($t)]->(b)", motif.Params{"a": r.IntN(12), "b": r.IntN(12), "t": []string{"R", "S", "T"}[r.IntN(3)]})
			if err != nil {
				t.Fatal(err)
			}
		}
		for filter, options := range map[string]string{"'R'": "type: 'R', direction: 'BOTH'", "'R>'": "type: 'R', direction: 'OUT'", "'<R|<S'": "types: ['R', 'S'], direction: 'IN'",
			"'>'": "direction: 'OUT'", "null": "direction: 'BOTH'", "'None'": "type: 'None'"} {
			for _, least := range []int{0, 1} {
				params := motif.Params{"i": r.IntN(12), "d": r.IntN(4), "l": least}
				got := rowsText(t, db, "MATCH (a {i: $i}) CALL apoc.path.subgraphNodes(a, {relationshipFilter: "+filter+", minLevel: $l, maxLevel: $d}) YIELD node RETURN node.i ORDER BY node.i", params)
				want := rowsText(t, db, "MATCH (a {i: $i}) CALL algo.bfs(a, {"+options+", maxDepth: $d}) YIELD node, depth WHERE depth >= $l RETURN node.i ORDER BY node.i", params)
				if got != want {
					t.Fatalf("seed %d: %s from %v: %s, want %s", seed, filter, params, got, want)
				}
				if least == 1 {
					if got = rowsText(t, db, "MATCH (a {i: $i}) CALL apoc.neighbors.tohop(a, "+filter+", $d) YIELD node RETURN node.i ORDER BY node.i", params); got != want {
						t.Fatalf("seed %d: tohop %s from %v: %s, want %s", seed, filter, params, got, want)
					}
				}
			}
		}
		for _, filter := range []string{"'R>|S'", "'R>|>'", "1"} {
			if _, err := db.Exec(t.Context(), "MATCH (a {i: 1}) CALL apoc.path.subgraphNodes(a, {relationshipFilter: "+filter+"}) YIELD node RETURN node.i", nil); err == nil {
				t.Errorf("the filter %s was read", filter)
			}
		}
		db.Close()
	}
}
