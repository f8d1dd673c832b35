package lang

import (
	"strings"
	"testing"
)

const benchQuery = `MATCH DISTINCT SUBGRAPHS (a:Person {name: $name})-[k:KNOWS]->(b:Person)-[:KNOWS]->(c:Person), (a)-[:LIKES]->(c)
WHERE a.age > 30 AND (b.age < 40 OR c.name STARTS WITH 'x') AND IS_CLIQUE([a, b, c], 'KNOWS')
RETURN a.name AS name, count(*) AS n ORDER BY n DESC LIMIT 10`

func BenchmarkParse(b *testing.B) {
	for b.Loop() {
		if _, err := Parse(benchQuery); err != nil {
			b.Fatal(err)
		}
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
