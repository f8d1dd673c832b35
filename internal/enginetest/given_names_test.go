package enginetest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/motifql/motif"
)

// TestGivenNames compares labels and types from expressions with the same names written out: on two stores that random statements change,
// and that conditions then ask about.
func TestGivenNames(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	for range 20 {
		given, written := emptyStore(t), emptyStore(t)
		for range 25 {
			labels := []string{"A", "B", "C d"}[:1+r.IntN(3)]
			r.Shuffle(len(labels), func(i, j int) { labels[i], labels[j] = labels[j], labels[i] })
			typ := []string{"R", "S t"}[r.IntN(2)]
			params := motif.Params{"l": labels, "first": labels[0], "t": typ, "i": r.IntN(4)}
			all, one, named := ":`"+strings.Join(labels, "`:`")+"`", ":`"+labels[0]+"`", ":`"+typ+"`"
			pair := [][2]string{
				{"CREATE (n:$($l) {i: $i})", "CREATE (n" + all + " {i: $i})"},
				{"CREATE (:X:$($first) {i: $i})-[:$($t)]->(:$($l)&Y)", "CREATE (:X" + one + " {i: $i})-[" + named + "]->(:Y" + all + ")"},
				{"MERGE (n:$($first) {i: $i}) ON CREATE SET n.new = true ON MATCH SET n.old = 1", "MERGE (n" + one + " {i: $i}) ON CREATE SET n.new = true ON MATCH SET n.old = 1"},
				{"MATCH (a:$($first)), (b {i: $i}) MERGE (a)-[r:$($t)]->(b) ON CREATE SET r.w = 1", "MATCH (a" + one + "), (b {i: $i}) MERGE (a)-[r" + named + "]->(b) ON CREATE SET r.w = 1"},
				{"MERGE (a:$([$first]))-[:$($t)]-(b:B {i: $i})", "MERGE (a" + one + ")-[" + named + "]-(b:B {i: $i})"},
				{"MATCH (n:$($l)) SET n:$('Z') REMOVE n:$($first)", "MATCH (n" + all + ") SET n:Z REMOVE n" + one},
				{"MATCH (a)-[r:$($t)]->(b:$any($l)) DELETE r", "MATCH (a)-[r" + named + "]->(b:`" + strings.Join(labels, "`|`") + "`) DELETE r"},
			}[r.IntN(7)]
			for i, db := range []*motif.DB{given, written} {
				if _, err := db.Exec(t.Context(), pair[i], params); err != nil {
					t.Fatalf("seed %d: %s: %v", seed, pair[i], err)
				}
			}
			for _, q := range [][2]string{
				{"MATCH (n:$($l)) RETURN count(*), sum(n.i)", "MATCH (n" + all + ") RETURN count(*), sum(n.i)"},
				{"MATCH (n:X&$($first)) RETURN count(*), sum(n.i)", "MATCH (n:X" + one + ") RETURN count(*), sum(n.i)"},
				{"MATCH (a)-[r:$($t)]->(b:$all([])) RETURN count(*), sum(r.w)", "MATCH (a)-[r" + named + "]->(b) RETURN count(*), sum(r.w)"},
				{"WITH $first AS x MATCH (n:$(x)) WHERE EXISTS { (n)-[r:$any([$t, 'none'])]-() } RETURN count(*), 0", "MATCH (n" + one + ") WHERE EXISTS { (n)-[" + named + "]-() } RETURN count(*), 0"},
				{"MATCH (a)-[r:$($t)*1..2]->(b:A) RETURN count(*), 0", "MATCH (a)-[r" + named + "*1..2]->(b:A) RETURN count(*), 0"},
				{"MATCH (n) RETURN count(n.new), count(n.old)", "MATCH (n) RETURN count(n.new), count(n.old)"},
				{"MATCH (n:$any([])) RETURN count(*), 0", "MATCH (n:None) RETURN count(*), 0"},
			} {
				if a, b := rowsText(t, given, q[0], params), rowsText(t, written, q[1], params); a != b {
					t.Fatalf("seed %d: after %s\n%s: %s\n%s: %s", seed, pair[0], q[0], a, q[1], b)
				}
			}
		}
		given.Close()
		written.Close()
	}
	db := emptyStore(t)
	defer db.Close()
	for text, want := range map[string]string{
		"CREATE (:$(null))":              "$() takes a string or a list of strings, not null",
		"CREATE (:$([1]))":               "$() takes a string or a list of strings, not an integer",
		"CREATE (:$(''))":                "a label has a name, but $() gives an empty string",
		"CREATE ()-[:$(['A', 'B'])]->()": "a relationship has one type, but $() gives 2",
		"MERGE ()-[:$([])]->()":          "a relationship has one type, but $() gives 0",
	} {
		if _, err := db.Exec(t.Context(), text, nil); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

func emptyStore(t *testing.T) *motif.DB {
	t.Helper()
	db, err := motif.Open(":memory:")
	if err != nil {
		t.Fatal(err)
	}
	return db
}

// rowsText is the rows of a query as text.
func rowsText(t *testing.T, db *motif.DB, text string, params motif.Params) string {
	t.Helper()
	rows, err := db.Query(t.Context(), text, params)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	out := ""
	for row, err := range rows.All() {
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		out += fmt.Sprintln(row.Values()...)
	}
	return out
}
