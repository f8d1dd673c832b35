package enginetest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/motifql/motif"
)

// randomWarned makes queries of conditions that hold in no graph, in some, or in all.
type randomWarned struct{ *rand.Rand }

func (r randomWarned) pick(list ...string) string { return list[r.IntN(len(list))] }

func (r randomWarned) value() string {
	return r.pick("1", "2.5", "'a'", "'1'", "true", "date('2020-01-01')", "duration('P1D')", "[1, 'a']", "null", "datetime('2020-01-01T00:00')", "-3", "''")
}

func (r randomWarned) labels() string {
	return r.pick("", "", ":A", ":B", ":C", ":A:B", ":A&C", ":A|B", ":!A", ":%", ":(A|C)&B")
}

func (r randomWarned) operand() string {
	key := r.pick("k", "l", "m")
	return r.pick("a."+key, "b."+key, "r."+key, "a."+key, "b."+key, r.value(), r.value(), "id(a)", "type(r)", "labels(b)", "$p", "a", "r", "b", "size(labels(a))", "a:A", "a.k + 1", "toString(b.l)", "a.k - 1")
}

func (r randomWarned) condition() string {
	switch r.IntN(6) {
	case 0:
		return r.operand() + " IN [" + r.value() + ", " + r.value() + "]"
	case 1:
		return r.pick("a", "b", "r") + "." + r.pick("k", "l", "m") + " " + r.pick("STARTS WITH", "CONTAINS", "ENDS WITH") + " " + r.value()
	}
	return r.operand() + " " + r.pick("=", "<", ">", "<=", ">=", "<>", "=") + " " + r.operand()
}

func (r randomWarned) node(name string) string {
	props := ""
	if r.IntN(5) == 0 {
		props = " {" + r.pick("k", "l", "m") + ": " + r.value() + "}"
	}
	return "(" + name + r.labels() + props + ")"
}

func (r randomWarned) query() string {
	arrow := r.pick("-[r%s]->", "<-[r%s]-", "-[r%s]-")
	hop := fmt.Sprintf(arrow, r.pick("", ":R", ":S", ":R|S", ":T"))
	q := "MATCH " + r.node("a") + hop + r.node("b")
	switch r.IntN(5) {
	case 0:
		q += " MATCH " + r.node("a")
	case 1:
		q = "MATCH " + r.node("x") + " WITH x AS a MATCH " + r.node("a") + hop + r.node("b")
	case 2:
		q = "OPTIONAL MATCH " + r.node("b") + " " + q
	case 3:
		q += fmt.Sprintf(r.pick(", (a)-[%s*1..2]->(c%s)", ", (b)-[%s]-{1,2}(c%s)", ", (a)<-[%s*]-(c%s)"), r.pick("", ":R", ":S"), r.labels())
	}
	if strings.Contains(q, "OPTIONAL") && r.IntN(2) == 0 {
		q = "MATCH (a) OPTIONAL MATCH " + r.node("a") + " MATCH (a)" + hop + r.node("b")
	}
	if r.IntN(3) > 0 {
		q += " WHERE " + r.condition()
		if r.IntN(3) == 0 {
			q += " AND " + r.condition()
		}
	}
	return q + " RETURN count(*) AS n"
}

// graph writes a random graph: which labels have which types of relationships and kinds of values is random.
func (r randomWarned) graph() string {
	var b strings.Builder
	labels := []string{"", ":A", ":B", ":C", ":A:B"}
	r.Shuffle(len(labels), func(i, j int) { labels[i], labels[j] = labels[j], labels[i] })
	labels = labels[:1+r.IntN(len(labels))]
	values := map[string][]string{}
	b.WriteString("CREATE ")
	n := 2 + r.IntN(5)
	for i := range n {
		l := r.pick(labels...)
		var props []string
		for _, k := range []string{"k", "l", "m"} {
			if values[l+k] == nil {
				values[l+k] = []string{r.value(), r.value(), "null"}[r.IntN(2):]
			}
			if v := r.pick(values[l+k]...); v != "[1, 'a']" {
				props = append(props, k+": "+v)
			}
		}
		fmt.Fprintf(&b, "(n%d%s {%s}), ", i, l, strings.Join(props, ", "))
	}
	for range 1 + r.IntN(6) {
		fmt.Fprintf(&b, "(n%d)-[:%s {k: %s}]->(n%d), ", r.IntN(n), r.pick("R", "R", "S"), r.value(), r.IntN(n))
	}
	return strings.TrimSuffix(b.String(), ", ")
}

// TestWarnedNeverHolds runs random queries on random graphs that change: what is warned of has no match.
func TestWarnedNeverHolds(t *testing.T) {
	seed := rand.Uint64()
	r := randomWarned{rand.New(rand.NewPCG(seed, 0))}
	total, silent := 0, 0
	for range 60 {
		db, err := motif.Open(":memory:")
		if err != nil {
			t.Fatal(err)
		}
		graph := strings.ReplaceAll(r.graph(), "[1, 'a']", "[1, 2]")
		if _, err := db.Exec(t.Context(), graph, nil); err != nil {
			t.Fatalf("%s: %v", graph, err)
		}
		for i := range 60 {
			if i%20 == 10 {
				change := r.pick("MATCH (n) WITH n LIMIT 1 SET n.k = "+strings.ReplaceAll(r.value(), "[1, 'a']", "[1]"), "MATCH (n:A) WITH n LIMIT 1 REMOVE n:A SET n:C", "MATCH (n) WITH n LIMIT 1 DETACH DELETE n",
					"MATCH (a), (b) WITH a, b LIMIT 1 CREATE (a)<-[:S]-(b)", "MATCH ()-[r]->() WITH r LIMIT 1 DELETE r", "CREATE (:B {l: 'a'})-[:T]->(:C)")
				if _, err := db.Exec(t.Context(), change, nil); err != nil {
					t.Fatalf("%s: %v", change, err)
				}
				graph += "; " + change
			}
			query := r.query()
			params := motif.Params{"p": []any{1, 2.5, "a", true, "1", nil, []any{1}}[r.IntN(7)]}
			rows, err := db.Query(t.Context(), query, params)
			if err != nil {
				continue // wrong kinds that the checker sees
			}
			n, err := motif.One[int64](rows)
			if err != nil {
				continue
			}
			warnings := rows.Summary().Warnings
			if len(warnings) == 0 {
				silent++
			}
			for _, w := range warnings {
				if strings.Contains(w.Message, "every path of any length") || strings.Contains(w.Message, "does not occur in the graph") {
					continue
				}
				total++
				if optional := strings.HasPrefix(query, "OPTIONAL") && w.Column < strings.Index(query, " MATCH (")+7 || strings.Contains(query, "MATCH (a) OPTIONAL") && w.Column < strings.LastIndex(query, "MATCH"); n > 0 && !optional {
					t.Errorf("seed %d: %s\n%s %v\n%d matches, but a warning at %d: %s (%s)", seed, graph, query, params, n, w.Column, w.Message, w.Hint)
				}
			}
		}
		db.Close()
	}
	if total < 200 || silent < 100 {
		t.Errorf("seed %d: %d warnings, %d queries without any", seed, total, silent)
	}
}

// TestWarnings looks at the warnings of typical mistakes on the sample graph, and that their corrections have none.
func TestWarnings(t *testing.T) {
	db, err := motif.OpenSample()
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, c := range [][3]string{
		{"MATCH (p:Person) WHERE p.name > 5 RETURN p", "p.name > 5 never holds: p.name is a string, and 5 is a number", "write '5' for a text: p.name holds texts such as 'Shweta Singh'"},
		{"MATCH (p:Person) WHERE p.name > '5' RETURN p"},
		{"MATCH (p:Person {name: 5}) RETURN p", "{name: 5} never holds: p.name is a string, and 5 is a number", "write '5' for a text: p.name holds texts such as 'Shweta Singh'"},
		{"MATCH (:Person {name: 5}) RETURN 1 AS x", "{name: 5} never holds: n.name is a string, and 5 is a number", "write '5' for a text, or toInteger(n.name) for a number"},
		{"MATCH (p:Person) WHERE p.name > date('2010-01-01') RETURN p", "p.name > date('2010-01-01') never holds: p.name is a string, and date('2010-01-01') is a date or time", "p.name holds texts such as 'Shweta Singh', which date() does not read"},
		{"MATCH (p:Person) WHERE p.name = null RETURN p", "p.name = null never holds: a comparison with null is null", "write p.name IS NULL"},
		{"MATCH (p:Person) WHERE p.name <> null RETURN p", "p.name <> null never holds: a comparison with null is null", "write p.name IS NOT NULL"},
		{"MATCH (p:Person) WHERE p.name IN [1, 2] RETURN p", "p.name IN [1, 2] never holds: p.name is a string, and each element is a number", "write '1' for a text: p.name holds texts such as 'Shweta Singh'"},
		{"MATCH (p:Person) WHERE p.name IN ['x', 2] RETURN p"},
		{"MATCH (p:Person) WHERE id(p) = '1' RETURN p", "id(p) = '1' never holds: id(p) is a number, and '1' is a string", "write 1 without quotes"},
		{"MATCH (p:Person) WHERE id(p) CONTAINS '5' RETURN p", "id(p) CONTAINS '5' never holds: id(p) is a number, not a string", "write toString(id(p))"},
		{"MATCH (p:Person) WHERE NOT p.name = 5 OR p.name IS NULL RETURN p"},
		{"MATCH (p:Person:City) RETURN p", "no node has the labels :Person&City", "write | for nodes with one of the labels: (n:Person|City)"},
		{"MATCH (p:Person|City) RETURN p LIMIT 1"},
		{"MATCH (p:Person) MATCH (p:City) RETURN p", "no node has the labels :Person&City", "write | for nodes with one of the labels: (n:Person|City)"},
		{"MATCH (p:Person) WITH count(p) AS n MATCH (p:City) RETURN p, n LIMIT 1"},
		{"MATCH (p:Person)<-[:KNOWS]-(c:City) RETURN p", "no :KNOWS relationship goes from :City to :Person", "the graph has (:Person)-[:KNOWS]->(:Person)"},
		{"MATCH (c:City)-[:IS_LOCATED_IN]->(p:Person) RETURN p", "no :IS_LOCATED_IN relationship goes from :City to :Person: they go the other way", "write (:Person)-[:IS_LOCATED_IN]->(:City)"},
		{"MATCH (c:City)-[:IS_LOCATED_IN]-(p:Person) RETURN p LIMIT 1"},
		{"MATCH (p:City)-[:KNOWS*1..3]->(q) RETURN q", "no :KNOWS relationship begins or ends at such nodes", "the graph has (:Person)-[:KNOWS]->(:Person)"},
		{"MATCH (p:City)-[:KNOWS*0..3]->(q) RETURN count(*)"},
		{"MATCH (p:Person)-[KNOWS]->(q) RETURN count(*)", "`KNOWS` is a variable here, not a relationship type: it stands for any relationship", "for the relationship type write -[:KNOWS]-"},
		{"MATCH (p:Person)-[r]->(q) WHERE r = 'KNOWS' RETURN p", "r = 'KNOWS' never holds: r is a relationship, and 'KNOWS' is a string", "write type(r)"},
		{"MATCH (p:Person) WHERE p.title = 'x' RETURN p", "no :Person node has the property .title", "the properties are birthday, gender, languages, name"},
		{"MATCH (p:Person) WHERE coalesce(p.title, p.name) = 'x' OR p.title IS NULL RETURN p LIMIT 1"},
		{"MATCH (p:Person) WHERE p.genders = 'x' RETURN p", "the property key .genders does not occur in the graph", "did you mean .gender?"},
		{"MATCH (p:Person) WITH p AS q WHERE q.name > 5 RETURN q", "q.name > 5 never holds: q.name is a string, and 5 is a number", "write '5' for a text: q.name holds texts such as 'Shweta Singh'"},
		{"MATCH (p:Person) WHERE EXISTS { (p)<-[:KNOWS]-(:City) } RETURN p", "no :KNOWS relationship goes from :City to :Person", "the graph has (:Person)-[:KNOWS]->(:Person)"},
		{"MATCH (p:Person) WHERE p.name = 5 SET p.name = 6", "p.name = 5 never holds: p.name is a string, and 5 is a number", "write '5' for a text: p.name holds texts such as 'Shweta Singh'"},
		{"MATCH (p:Person), (q:Person) WHERE p < q RETURN p", "p < q never holds: a node has no order", "write id(p) < id(q)"},
		{"MATCH (p:Person), (q:Person) WHERE id(p) < id(q) RETURN p LIMIT 1"},
		{"MATCH (p:Person) RETURN p.name, p.gender ORDER BY 2 LIMIT 1", "ORDER BY 2 sorts by a number, which is the same for all rows", "write ORDER BY p.gender"},
		{"MATCH (p:Person) RETURN p.name, p.gender ORDER BY 3 LIMIT 1"},
		{"MATCH (p:Person) SET p.name = 5 WITH p WHERE p.name = 5 RETURN p LIMIT 1"},
	} {
		rows, err := db.Query(t.Context(), c[0], nil)
		if err != nil {
			t.Fatalf("%s: %v", c[0], err)
		}
		for rows.Next() {
		}
		got := rows.Summary().Warnings
		if c[1] == "" && len(got) == 0 {
			continue
		}
		if len(got) != 1 || got[0].Message != c[1] || got[0].Hint != c[2] {
			t.Errorf("%s: %+v", c[0], got)
		}
	}
}

// TestWarnedTexts compares texts with numbers and dates. The hint depends on the texts that the graph has.
func TestWarnedTexts(t *testing.T) {
	for _, c := range []struct{ texts, condition, hint string }{
		{"'1', '23'", "n.k > 5", "write '5' for a text, or toInteger(n.k) for a number"},
		{"'1.5', '23'", "n.k > 5", "n.k holds texts such as '1.5': write toFloat(n.k)"},
		{"'1,5', '23'", "n.k > 5", "n.k holds texts such as '1,5': write toFloat(replace(n.k, ',', '.'))"},
		{"'1,500', '23,000'", "n.k > 5", "n.k holds texts such as '1,500': write toFloat(replace(n.k, ',', ''))"},
		{"'1,500.25', '23'", "n.k > 5", "n.k holds texts such as '1,500.25': write toFloat(replace(n.k, ',', ''))"},
		{"'1.500,25', '23'", "n.k > 5", "n.k holds texts such as '1.500,25': write toFloat(replace(replace(n.k, '.', ''), ',', '.'))"},
		{"'5%', '7.5%'", "n.k > 5", "n.k holds texts such as '5%': write toFloat(replace(n.k, '%', ''))"},
		{"'$5', '$7.5'", "n.k > 5", "n.k holds texts such as '$5': write toFloat(replace(n.k, '$', ''))"},
		{"'00042', '00043'", "n.k = 42", "n.k holds texts such as '00042': write one of these, in quotes"},
		{"'Ann', '7'", "n.k = 42", "write '42' for a text: n.k holds texts such as 'Ann'"},
		{"date('2020-01-02')", "n.k = 2020-10-12", "write date('2020-10-12')"},
		{"date('2020-01-02')", "n.k = '2020-1-12'", "write date('2020-01-12')"},
		{"date('2020-01-02')", "n.k = '2020-01-12T10:00'", "write datetime('2020-01-12T10:00')"},
		{"date('2020-01-02')", "n.k = 'yesterday'", "a date is written date('2024-12-31'), a time datetime('2024-12-31T12:00')"},
		{"'00042', '7'", "n.k = $p", "pass a text: motif.Params{\"p\": \"00042\"} in a program, -p 'p=\"00042\"' on the command line"},
		{"1, 2", "n.k = $q", "pass a number, without quotes"},
		{"1, 2", "n.k = $p", ""},
		{"'Ann', 2", "n.k = $p AND n.k <> $q", ""},
	} {
		db, err := motif.Open(":memory:")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := db.Exec(t.Context(), "UNWIND ["+c.texts+"] AS x CREATE ({k: x})", nil); err != nil {
			t.Fatal(err)
		}
		rows, err := db.Query(t.Context(), "MATCH (n) WHERE "+c.condition+" RETURN n", motif.Params{"p": 42, "q": "x"})
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
		}
		hint := ""
		for _, w := range rows.Summary().Warnings {
			hint += w.Hint
		}
		if hint != c.hint {
			t.Errorf("%s, %s: %q", c.texts, c.condition, hint)
		}
		db.Close()
	}
}

// TestNoShareOfSeveralSearches stops a query whose first search ends at once, and whose paths take for ever: nobody knows how much is left.
func TestNoShareOfSeveralSearches(t *testing.T) {
	db := memoryDB(t, edges(complete(100)))
	for text, known := range map[string]bool{
		"MATCH (a {id: 1}) MATCH p = (a)-[*..7]-(b) WHERE length(p) * b.id = -1 RETURN count(*)":                         false,
		"MATCH (a) CALL (a) { MATCH (a)--(b)--(c)--(d)--(e) WHERE a.id * e.id = -1 RETURN count(*) AS n } RETURN sum(n)": false,
		endless: true,
	} {
		rows := query(t, db, text, motif.WithTimeout(300*time.Millisecond))
		for rows.Next() {
		}
		var stopped *motif.StoppedError
		if !errors.As(rows.Err(), &stopped) || stopped.Done >= 1 || stopped.Done > 0 && !known {
			t.Errorf("%s: %v", text, rows.Err())
		}
	}
}
