package enginetest

import (
	"github.com/motifql/motif"
	"slices"
	"testing"
)

// TestSubqueriesBesidePaths asks for subqueries and patterns in the conditions of clauses with paths of variable length, whose
// elements have names of their own in the plan.
func TestSubqueriesBesidePaths(t *testing.T) {
	db, err := motif.Open(":memory:", motif.WithWorkers(2))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := answer(t, db, "CREATE (a:A:B {x: 0})-[:T]->(b:B {x: 1})-[:U]->(c:A {x: 2})-[:T]->(a)"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		text string
		want []string
	}{
		// A look-up of a pattern waits for the nodes that it reads.
		{"MATCH (a)-[:T*1..1]->(b) WHERE (b)-->() RETURN b.x AS x", []string{"0", "1"}},
		{"MATCH (a)-[:T*1..1]->(b) WHERE (a)-->(b) RETURN b.x AS x", []string{"0", "1"}},
		{"MATCH p = TRAIL (a)-[:T]->{1,2}(b) WHERE NOT (b)-[:T]->() RETURN b.x AS x", []string{"1", "1"}},
		{"MATCH p = shortestPath((a:B)-[:T*]->(b)) WHERE (b)-[:U]->() RETURN b.x AS x", []string{"1"}},
		// The unnamed nodes of a subquery are its own.
		{"MATCH (a)-[]->(b), (c)-[:T*1..2]->(d) WHERE EXISTS { (b)-->()-->() } RETURN count(*) AS n", []string{"5"}},
		{"MATCH (a)-[:U]->(b)-[:T*1..2]->(d) WHERE COUNT { (d), (c)-->() } = 3 RETURN d.x AS x", []string{"0", "1"}},
		// What is repeated has names that nothing outside can read, and takes none from it.
		{"OPTIONAL MATCH (v) OPTIONAL MATCH (v)-[:T]->(w)<-[r:T|U]-{2,4}(u) WHERE NOT EXISTS { MATCH (k)--(l) WHERE (l:B)-->(v) } RETURN v.x AS x",
			[]string{"0", "1", "2"}},
	} {
		got, err := answer(t, db, c.text)
		if slices.Sort(got); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s\ngave %v, %v, not %v", c.text, got, err, c.want)
		}
	}
}
