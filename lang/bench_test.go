package lang

import (
	"strings"
	"testing"
)

const benchQuery = `MATCH DISTINCT SUBGRAPHS (a:Person {name: $name})-[k:KNOWS]->(b:Person)-[:KNOWS]->(c:Person), (a)-[:LIKES]->(c)
WHERE a.age > 30 AND (b.age < 40 OR c.name STARTS WITH 'x') AND IS_CLIQUE([a, b, c], 'KNOWS')
RETURN a.name AS name, count(*) AS n ORDER BY n DESC LIMIT 10`

// BenchmarkParse reads queries of 1, 2, 5 and 21 lines.
func BenchmarkParse(b *testing.B) {
	for _, bench := range []struct{ name, text string }{
		{"1", "MATCH (a:Person {id: 933})-[:KNOWS]->(b) RETURN b.name LIMIT 10"},
		{"2", `MATCH (a:Person {id: 933})-[:KNOWS]->(b:Person)-[:KNOWS]->(c:Person) WHERE c.id <> a.id AND b.age > 30
RETURN c.firstName, count(*) AS n ORDER BY n DESC, c.firstName LIMIT 10`},
		{"5", benchQuery + " UNION ALL\nMATCH (a:Person)\nRETURN a.name AS name, 1 AS n"},
		{"21", strings.Repeat(`MATCH (a:Person {id: 933})-[k:KNOWS]->(b:Person) WHERE b.age > 30 AND b.name STARTS WITH 'x'
OPTIONAL MATCH (b)-[:LIKES*1..3]->(m:Message) WHERE m.length IN [1, 2, 3]
WITH a, b, count(DISTINCT m) AS messages, collect(m.text) AS texts
WITH a, b, CASE WHEN messages > 10 THEN 'many' ELSE 'few' END AS many, [x IN texts WHERE size(x) > 3 | left(x, 9)] AS texts`+"\n", 5) + "RETURN a, b"},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Parse(bench.text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkRules compiles the grammar, which the first query of a process waits for.
func BenchmarkRules(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		newRuleBook(grammarRoots...)
	}
}

func BenchmarkError(b *testing.B) {
	for b.Loop() {
		if _, err := Parse(benchQuery + " SKP 3"); err == nil {
			b.Fatal("no error")
		}
	}
}

func BenchmarkCheck(b *testing.B) {
	script, err := Parse(benchQuery)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := Check(script.Statements[0], testCatalog{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkList20000(b *testing.B) {
	text := "RETURN 17 IN [" + strings.Repeat("12345,", 19999) + "1] AS x"
	for b.Loop() {
		if _, err := Parse(text); err != nil {
			b.Fatal(err)
		}
	}
}
