package enginetest

import (
	"slices"
	"testing"

	"github.com/motifql/motif"
)

// answerCase is a query and its rows, as fmt.Sprint prints them, sorted unless the query sorts them.
type answerCase struct {
	text string
	want []string
}

// checkAnswers runs each query on the graph that setup makes, with the engine and by brute force.
func checkAnswers(t *testing.T, setup string, cases []answerCase) {
	t.Helper()
	db, err := motif.Open(":memory:", motif.WithWorkers(2))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := runStatement(db, setup, nil); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		for _, opts := range [][]motif.QueryOption{nil, {motif.WithBruteForce()}} {
			rows, err := db.Query(t.Context(), c.text, nil, opts...)
			if err != nil {
				t.Errorf("%s\n%v", c.text, err)
				continue
			}
			rows.Close()
			got, err := answer(t, db, c.text, opts...)
			if err != nil || !slices.Equal(got, c.want) {
				t.Errorf("%s\ngave %q, %v, not %q (brute force: %t)", c.text, got, err, c.want, opts != nil)
			}
		}
	}
}

// TestNegativeZero follows the sign of a zero through literals, properties, lists and groups.
func TestNegativeZero(t *testing.T) {
	checkAnswers(t, "CREATE (:A {x: -0.0, l: [-0.0]}), (:B {x: 0.0})", []answerCase{
		{"RETURN toString(-0.0)", []string{"-0.0"}},
		{"RETURN toString(1.0 / -0.0)", []string{"-Infinity"}},
		{"RETURN toString(-.0) + toString(-0e0) + toString(- 0.0) + toString(-(0.0)) + toString(0 * -1.0)", []string{"-0.0-0.0-0.0-0.0-0.0"}},
		{"RETURN -0", []string{"0"}},
		{"MATCH (n) RETURN toString(1 / n.x) AS s ORDER BY s", []string{"-Infinity", "Infinity"}},
		{"MATCH (n:A) SET n.y = n.l[0] RETURN toString(n.y)", []string{"-0.0"}},
		{"MATCH (n) WHERE n.x = 0.0 AND n.x = -0.0 AND n.x = 0 RETURN count(*)", []string{"2"}},
		{"MATCH (n {x: -0.0}) RETURN count(*)", []string{"2"}},
		{"MATCH (n) WHERE n.x IN [-0.0] AND NOT n.x < 0.0 AND NOT n.x > -0.0 RETURN count(*)", []string{"2"}},
		{"MATCH (n) WITH n.x AS x, count(*) AS n RETURN n", []string{"2"}},
		{"UNWIND [0.0, -0.0, 0] AS x RETURN count(DISTINCT x)", []string{"1"}},
	})
}

// TestZoneOfSelectedTime selects parts of datetimes and moves the result into a zone.
func TestZoneOfSelectedTime(t *testing.T) {
	const given = "WITH date('2020-03-01') AS d, datetime('2020-01-11T12:00[Europe/Berlin]') AS t RETURN toString("
	checkAnswers(t, "CREATE ()", []answerCase{
		{given + "datetime({date: d, time: t, day: 30, timezone: 'Z'}))", []string{"2020-03-30T10:00Z"}},
		{given + "datetime({date: d, time: t, day: 30, timezone: 'UTC'}) - duration('PT10H'))", []string{"2020-03-30T00:00Z[UTC]"}},
		{given + "datetime({date: d, time: t, timezone: 'Z'}))", []string{"2020-03-01T11:00Z"}},
		{given + "datetime({datetime: t, month: 7, timezone: 'Z'}))", []string{"2020-07-11T10:00Z"}},
		{given + "localdatetime({date: d, time: t, day: 30}))", []string{"2020-03-30T12:00"}},
		{given + "time({time: t, hour: 23, timezone: '+05:00'}))", []string{"03:00+05:00"}},
		{given + "datetime.truncate('month', t, {month: 7, timezone: 'Z'}))", []string{"2020-07-01T00:00Z"}},
		{given + "datetime.truncate('day', t, {month: 7}))", []string{"2020-07-11T00:00+02:00[Europe/Berlin]"}},
	})
}

// selectorGraph has a direct way from A to B, and one around.
const selectorGraph = "CREATE (a:A {n: 1})-[:R]->(b:B {n: 2}), (a)-[:R]->(c {n: 3})-[:R]->(b)"

// TestConditionsBeforeSelectors has conditions inside of a path, which choose before its selector does.
func TestConditionsBeforeSelectors(t *testing.T) {
	checkAnswers(t, selectorGraph, []answerCase{
		{"MATCH p = ANY SHORTEST ((x:A)-[r:R]->+(y:B) WHERE size(r) > 1) RETURN length(p)", []string{"2"}},
		{"MATCH p = ALL SHORTEST ((x:A)-[r:R]->+(y:B) WHERE size(r) > 1) RETURN length(p)", []string{"2"}},
		{"MATCH p = SHORTEST 2 ((x:A)-[r:R]->+(y:B) WHERE size(r) > 1) RETURN length(p)", []string{"2"}},
		{"MATCH p = SHORTEST 1 GROUPS ((x:A)-[r:R]->+(y:B) WHERE size(r) > 1) RETURN length(p)", []string{"2"}},
		{"MATCH p = ANY ((x:A)-[r:R]->+(y:B) WHERE size(r) > 1) RETURN length(p)", []string{"2"}},
		{"MATCH p = ANY SHORTEST (x:A)-[r:R]->+(y:B WHERE size(r) > 1) RETURN length(p)", []string{"2"}},
		{"MATCH p = ANY SHORTEST ((x:A)((u)-[:R]->(v))+(y:B) WHERE v[0].n = 3) RETURN length(p)", []string{"2"}},
		{"MATCH p = ANY SHORTEST ((x:A)-[r:R]->+(y:B) WHERE length(p) > 1) RETURN length(p)", []string{"2"}},
		{"MATCH p = ANY SHORTEST ((x:A)-[r:R]->+(y:B) WHERE EXISTS { MATCH (q {n: size(r) + 1}) WHERE q:!B }) RETURN length(p)", []string{"2"}},
		{"MATCH p = ANY SHORTEST ((x:A)-[r:R]->+(y:B)) WHERE size(r) > 1 RETURN length(p)", nil},
		{"MATCH p = ANY SHORTEST (x:A)-[r:R]->+(y:B) WHERE size(r) > 1 RETURN length(p)", nil},
		{"MATCH p = shortestPath((x:A)-[r:R*]->(y:B)) WHERE size(r) > 1 RETURN length(p)", []string{"2"}},
		{"MATCH p = shortestPath((x:A)-[r:R*]->(y:B)) WHERE COUNT { MATCH (q) WHERE q.n <= size(r) } > 1 RETURN length(p)", []string{"2"}},
		{"MATCH (c {n: 3}), p = ANY SHORTEST ((x:A)-[r:R]->+(y:B) WHERE size(r) = c.n - 1) RETURN length(p)", []string{"2"}},
		{"MATCH REPEATABLE ELEMENTS p = ANY SHORTEST TRAIL ((x:A)-[r:R]->+(y:B) WHERE size(r) > 1) RETURN length(p)", []string{"2"}},
		// What another path says applies to the match without it, or to what was selected.
		{"MATCH p = ANY SHORTEST (x:A)-[:R]->+(y:B), (z WHERE length(p) > 1) RETURN count(*)", []string{"0"}},
		{"MATCH (w {n: 3}), p = ANY SHORTEST (x:A)-[:R]->*(w)-[:R]->*(y:B) RETURN length(p)", []string{"2"}},
		{"MATCH p = ANY SHORTEST (x:A)-[:R]->*(w)-[:R]->(y:B), q = ANY SHORTEST (w {n: 3})-[:R]->+(y) RETURN length(p)", nil},
	})
}

// TestDifferentNodesOfWholePaths has paths that one operator finds beside other parts of a clause.
func TestDifferentNodesOfWholePaths(t *testing.T) {
	checkAnswers(t, "CREATE (:A {n: 1})-[:R]->(b {n: 2})-[:R]->({n: 3}), (z {n: 4})-[:R]->(y {n: 5}), (b)-[:L]->(b)", []answerCase{
		{"MATCH DIFFERENT NODES ACYCLIC (a:A)-[:R]->(b)-[:R]->(c), (z)-[:R]->(y) RETURN c.n * 100 + z.n * 10 + y.n", []string{"345"}},
		{"MATCH DIFFERENT NODES ANY SHORTEST (a:A)-[:R]->(b)-[:R]->+(c), ANY SHORTEST (z)-[:R]->+(y) RETURN c.n * 100 + z.n * 10 + y.n", []string{"345"}},
		{"MATCH DIFFERENT NODES (z {n: 2}), ANY SHORTEST (a:A)-[:R]->+(c) RETURN c.n", nil},
		{"MATCH DIFFERENT NODES ANY SHORTEST (a:A)-[:R]->+(b)-[:L]->(b) RETURN b.n", []string{"2"}},
		{"MATCH DIFFERENT NODES ANY SHORTEST (a:A)-[:R]->{0,1}((a)-[:R]->(b)) RETURN b.n", []string{"2"}},
	})
}

// TestSubqueriesInRepeatedPaths asks subqueries about what one repetition binds.
func TestSubqueriesInRepeatedPaths(t *testing.T) {
	checkAnswers(t, selectorGraph, []answerCase{
		{"MATCH (a:A)((x)-->(y) WHERE EXISTS { (y)-->() }){1,2}(b) RETURN b.n", []string{"3"}},
		{"MATCH (a:A)((x)-->(y) WHERE (y)-->()){1,2}(b) RETURN b.n", []string{"3"}},
		{"MATCH (a:A)((x)-->(y) WHERE NOT (y)-->(:B)){1,2}(b) RETURN b.n", []string{"2"}},
		{"MATCH (a:A)-[r WHERE COUNT { (a)-->() } > 1]->*(b) RETURN b.n", []string{"1", "2", "2", "3"}},
		{"MATCH (a:A)((x)-[r]->(y) WHERE COUNT { MATCH (x)-[s]->(y) WHERE s = r } = 1 AND COUNT { (y)--() } = 2)+(b) RETURN b.n", []string{"2", "2", "3"}},
		{"MATCH (a:A)((x)-->(y) WHERE 3 IN COLLECT { MATCH (x)-->(z) RETURN z.n }){1,2}(b) RETURN b.n", []string{"2", "3"}},
		{"MATCH (a:A)((x)-->(y) WHERE [(x)-->(z) | z.n] <> [])+(b) RETURN count(*)", []string{"3"}},
		{"MATCH (a:A)((x)-->(y) WHERE EXISTS { MATCH (q) WHERE q.n > y.n AND EXISTS { (x)-->(q) } }){1,2}(b) RETURN b.n", []string{"2"}},
		{"MATCH (a:A)-[*1..2 {m: null}]->(b) RETURN b.n", nil},
		{"MATCH p = ANY SHORTEST (a:A)((x)-->(y) WHERE x:!A OR EXISTS { (y)-->() })+(b:B) RETURN length(p)", []string{"2"}},
		{"MATCH (a:A)-->(b) MATCH (b)((x)<--(y) WHERE y.n < b.n)+(c) RETURN b.n", []string{"2", "3"}},
		{"MATCH (a:A) RETURN EXISTS { (a)((x)-->(y) WHERE EXISTS { (y)-->(:B) })+(b) }", []string{"true"}},
		{"MATCH (a:A)((x)-->(y) WHERE y.n > a.n AND EXISTS { (b:B) WHERE b.n >= x.n })+(b) RETURN b.n", []string{"2"}}, // b is the end
	})
}

// TestPatternsUnderLogic has patterns under NOT, AND, OR and XOR, wherever these stand.
func TestPatternsUnderLogic(t *testing.T) {
	checkAnswers(t, selectorGraph, []answerCase{
		{"MATCH (a) RETURN a.n * CASE NOT (a)-[:R]->() WHEN true THEN 1 ELSE -1 END AS n ORDER BY n", []string{"-3", "-1", "2"}},
		{"MATCH (a) RETURN (a)-->(:B) AND true AS x, count(*) AS n ORDER BY x", []string{"false 1", "true 2"}},
		{"MATCH (a) RETURN [NOT (a)-->(), (a)<--() XOR (a)-->()]", []string{"[false false]", "[false true]", "[true true]"}},
		{"MATCH (a) WITH a ORDER BY NOT (a)<--(), a.n RETURN collect(a.n)", []string{"[2 3 1]"}},
		{"MATCH (a) WITH NOT (a)-->() OR (a)<--() AS x, a RETURN x", []string{"false", "true", "true"}},
		{"MATCH (a) RETURN {x: NOT (a)-->()}.x AS x ORDER BY x", []string{"false", "false", "true"}},
	})
}

// TestImportsStay has imports of CALL after a WITH that does not name them.
func TestImportsStay(t *testing.T) {
	checkAnswers(t, selectorGraph, []answerCase{
		{"MATCH (p:A) CALL (p) { WITH 1 AS one RETURN p.n + one AS x } RETURN x", []string{"2"}},
		{"MATCH (p:A) CALL (p) { WITH p.n AS x MATCH (p)-->(q) RETURN q.n + x AS y } RETURN y", []string{"3", "4"}},
		{"MATCH (p:A) CALL (*) { WITH 1 AS one MATCH (p)-->(q) RETURN q.n AS y } RETURN y", []string{"2", "3"}},
		{"MATCH (p:A) CALL (p) { WITH DISTINCT 1 AS one WITH one + 1 AS two WHERE p.n = 1 MATCH (p)-->(q) RETURN two, count(q) AS y } RETURN two + y", []string{"4"}},
		{"MATCH (p:A) CALL (p) { WITH 1 AS one RETURN EXISTS { (p)-->(:B) } AS y UNION ALL WITH 2 AS two RETURN p.n = two AS y } RETURN y", []string{"false", "true"}},
		{"MATCH (p:A) CALL (p) { WITH 1 AS one CALL (p, one) { WITH 2 AS two RETURN p.n + one + two AS y } RETURN y } RETURN y", []string{"4"}},
		{"MATCH (p:A) CALL (p) { WITH 5 AS p RETURN p AS y } RETURN y + p.n", []string{"6"}},
		{"MATCH (p:A) CALL (p) { MATCH (p)-->(q) RETURN * } RETURN p.n, q.n", []string{"1 2", "1 3"}},
		{"MATCH (p:A) CALL { WITH * MATCH (p)-->(q) RETURN q } RETURN q.n", []string{"2", "3"}},
		{"MATCH (p:A) RETURN COLLECT { MATCH (p)-->(:B)<--(q) RETURN * }[0].n", []string{"3"}},
		{"MATCH (p) CALL (p) { MATCH (p)-->(q) RETURN p.n * 10 + count(q) AS y } RETURN y", []string{"12", "20", "31"}},
		{"MATCH (p:A) CALL (p) { MATCH (p)-->(q) WITH DISTINCT q.n AS m ORDER BY p.n * m DESC RETURN collect(m) AS y } RETURN y //ORDER BY", []string{"[3 2]"}},
		{"MATCH (p) RETURN COLLECT { MATCH (p)-->(q) RETURN p.n * 10 + count(q) }[0] AS y", []string{"12", "20", "31"}},
		{"MATCH (p:A) RETURN COUNT { WITH 1 AS one MATCH (b) WHERE EXISTS { WITH 2 AS two MATCH (p)-->(b) WHERE one < two RETURN b } RETURN b }", []string{"2"}},
	})
}

// TestOptionalNamesOfGiven gives names to what earlier clauses have bound; they are null where there is no match.
func TestOptionalNamesOfGiven(t *testing.T) {
	checkAnswers(t, selectorGraph, []answerCase{
		{"MATCH (a:A) OPTIONAL MATCH p = (a) RETURN [x IN nodes(p) | x.n]", []string{"[1]"}},
		{"MATCH (a) OPTIONAL MATCH p = (a:A) RETURN a.n, length(p)", []string{"1 0", "2 <nil>", "3 <nil>"}},
		{"MATCH (a) OPTIONAL MATCH p = (a) WHERE a.n > 2 RETURN a.n, length(p)", []string{"1 <nil>", "2 <nil>", "3 0"}},
		{"OPTIONAL MATCH (a:B&A) OPTIONAL MATCH p = (a) RETURN p IS NULL", []string{"true"}},
		{"MATCH (a:A)-[r]->(b:B) OPTIONAL MATCH p = (a)-[r]->(b) RETURN length(p)", []string{"1"}},
		{"MATCH (a:A)-[r]->(b:B) OPTIONAL MATCH p = (b)-[r]->(a) RETURN length(p)", []string{"<nil>"}},
		{"MATCH (a:A)-[r*2]->(b:B) OPTIONAL MATCH p = (a)-[r*]->(b) RETURN length(p)", []string{"2"}},
		{"MATCH (a) OPTIONAL MATCH (a)((x)-[:NOPE*1..2]->(y)) RETURN x IS NULL", []string{"true", "true", "true"}},
		{"MATCH (a) OPTIONAL MATCH (a)((x)-->(:B)) MATCH (x)-->(y) RETURN x.n * 10 + y.n", []string{"12", "13", "32"}},
		{"MATCH (a) OPTIONAL MATCH p = (a:A) RETURN count(p), count(*), collect(length(p))", []string{"1 3 [0]"}},
		{"MATCH (a) OPTIONAL MATCH p = (a:A), q = (a)-->(b:B) RETURN length(p) + length(q)", []string{"1", "<nil>", "<nil>"}},
	})
}

// TestNamedPathsInBrackets names a part of a path.
func TestNamedPathsInBrackets(t *testing.T) {
	checkAnswers(t, selectorGraph, []answerCase{
		{"MATCH (p = (a:A)--+(b) WHERE length(p) = 2) RETURN [x IN nodes(p) | x.n]", []string{"[1 2 3]", "[1 3 2]"}},
		{"MATCH ANY SHORTEST (p = (a:A)-[:R]->+(b:B) WHERE length(p) > 1) RETURN length(p)", []string{"2"}},
		{"MATCH q = ALL SHORTEST (x:B)<--(p = (a)<--+(b:A) WHERE all(z IN nodes(p) WHERE z.n < 4)) RETURN length(p), length(q)", []string{"1 2"}},
		{"MATCH (x)(p = (a)-[r]->(b) WHERE length(p) = 1 AND nodes(p)[1].n > 2)+(y) RETURN [z IN p | [w IN nodes(z) | w.n]]", []string{"[[1 3]]"}},
		{"MATCH (x:A)(p = ()-->())+(y:B) RETURN [z IN p | [w IN nodes(z) | w.n]]", []string{"[[1 2]]", "[[1 3] [3 2]]"}},
		{"MATCH (x)((p = (a)-->(b) WHERE b.n > 1)-->(c)){1,2}(y) RETURN [z IN p | [w IN nodes(z) | w.n]], c[0].n", []string{"[[1 3]] 2"}},
		{"MATCH (x)(((a)-->(b WHERE b.n = 3))){1,2}(y) RETURN [z IN b | z.n], y.n", []string{"[3] 3"}},
		{"MATCH (x)(((a)-->(b))(c:B)){1,2}(y) RETURN size(c), b = c, y.n", []string{"1 true 2", "1 true 2"}},
		{"MATCH (x)(p = (a)-->(b) WHERE EXISTS { MATCH (k) WHERE k.n = length(p) + 1 AND k IN nodes(p) })+(y) RETURN y.n, size(p)", []string{"2 1", "2 1"}},
		{"MATCH ((p = (a)-->(b))(q = (c)-->(d))) RETURN length(p) + length(q), nodes(q)[0] = b AND b = c", []string{"2 true"}},
		{"MATCH (a:A) RETURN EXISTS { (p = (a)-->+(b) WHERE length(p) = 3) }", []string{"false"}},
		{"MATCH (x) OPTIONAL MATCH (x)(p = (a)-->(b:B))+(y) RETURN p IS NULL", []string{"false", "false", "true"}},
		{"MATCH (p = (a:A)-->(b)) RETURN length(p)", []string{"1", "1"}},
	})
}
