package lang

import (
	"strings"
	"testing"
)

// GQL's clauses and spellings mean what the older ones mean: both give the same tree.
func TestGQLSpellings(t *testing.T) {
	for text, want := range map[string]string{
		"MATCH (n) ORDER BY n.x DESC SKIP 1 LIMIT 2 RETURN n":       "MATCH (n) WITH * ORDER BY n.x DESC SKIP 1 LIMIT 2 RETURN n",
		"MATCH (n) OFFSET 1 RETURN n":                               "MATCH (n) WITH * SKIP 1 RETURN n",
		"MATCH (n) LIMIT 1 RETURN n":                                "MATCH (n) WITH * LIMIT 1 RETURN n",
		"MATCH (n) LET x = n.x, y = 2 FILTER x > y RETURN x":        "MATCH (n) WITH *, n.x AS x, 2 AS y WITH * WHERE x > y RETURN x",
		"MATCH (n) FILTER WHERE n.x RETURN n":                       "MATCH (n) WITH * WHERE n.x RETURN n",
		"FOR x IN [1] RETURN x":                                     "UNWIND [1] AS x RETURN x",
		"INSERT (a IS A)-[r IS T]->(b)":                             "CREATE (a:A)-[r:T]->(b)",
		"MATCH (a IS A|B)->(b)<-(c)-(d) RETURN a":                   "MATCH (a:A|B)-->(b)<--(c)--(d) RETURN a",
		"MATCH (a) RETURN a, a.x NEXT RETURN a":                     "MATCH (a) WITH a AS a, a.x AS `a.x` RETURN a",
		"RETURN 1 AS a UNION RETURN 2 AS a NEXT RETURN a":           "CALL () { RETURN 1 AS a UNION RETURN 2 AS a } RETURN a",
		"RETURN 1 AS a UNION DISTINCT RETURN 2 AS a":                "RETURN 1 AS a UNION RETURN 2 AS a",
		"MATCH (n) NODETACH DELETE n":                               "MATCH (n) DELETE n",
		"RETURN EXISTS (MATCH (n) RETURN n) AS a":                   "RETURN EXISTS { MATCH (n) RETURN n } AS a",
		"RETURN DATE '2026-11-22' AS a, DURATION 'P1D' AS b":        "RETURN date('2026-11-22') AS a, duration('P1D') AS b",
		"RETURN 1 IS UNKNOWN AS a, 1 IS NOT UNKNOWN AS b":           "RETURN 1 IS NULL AS a, 1 IS NOT NULL AS b",
		"MATCH (a) WHERE (a)->() AND (a IS A)--() RETURN a":         "MATCH (a) WHERE (a)-->() AND (a:A)--() RETURN a",
		"MATCH (end)-[on:T]->(asc) RETURN end.x AS order, skip, by": "MATCH (`end`)-[`on`:T]->(`asc`) RETURN `end`.x AS `order`, `skip`, `by`",
		"WITH 1 AS order ORDER BY order DESC RETURN order":          "WITH 1 AS `order` ORDER BY `order` DESC RETURN `order`",
		"RETURN CASE WHEN end THEN end ELSE end END AS x":           "RETURN CASE WHEN `end` THEN `end` ELSE `end` END AS x",
	} {
		a, err := Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		b, err := Parse(want)
		if err != nil {
			t.Fatalf("%s: %v", want, err)
		}
		if a.String() != b.String() {
			t.Errorf("%s is read as\n%s\nwant\n%s", text, a, b)
		}
	}
}

// Words that are read and do nothing are named in a warning each.
func TestWordsWithoutEffect(t *testing.T) {
	for text, want := range map[string]int{
		"CYPHER 25 planner=cost MATCH (n) RETURN n":                                                 1,
		"EXPLAIN CYPHER 5 MATCH (n) RETURN n":                                                       1,
		"MATCH (n:A) USING INDEX n:A(x) WHERE n.x = 1 RETURN n":                                     1,
		"MATCH (n:A)-->(m) USING TEXT INDEX SEEK n:A(x, y) USING SCAN n:A USING JOIN ON m RETURN n": 3,
	} {
		script, err := Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		info, err := Check(script.Statements[0], nil)
		if err != nil || len(info.Warnings) != want {
			t.Errorf("%s: %v, %v", text, info, err)
			continue
		}
		for _, w := range info.Warnings {
			if w.Code != "Warning.NoEffect" || !strings.Contains(w.Msg, "no effect") || w.Hint == "" {
				t.Errorf("%s: %v", text, w)
			}
		}
		again, err := Parse(script.String())
		if err != nil || again.String() != script.String() {
			t.Errorf("%s is written as %s: %v", text, script, err)
		}
	}
}
