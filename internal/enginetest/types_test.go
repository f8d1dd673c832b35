package enginetest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/motifql/motif"
)

// typedValues are expressions with the value of valueType(), and the types without lists that admit them.
var typedValues = []struct{ text, want, names string }{
	{"null", "NULL", "BOOLEAN STRING INTEGER FLOAT DATE DURATION MAP NODE NULL ANY"},
	{"true", "BOOLEAN NOT NULL", "BOOLEAN ANY"},
	{"1", "INTEGER NOT NULL", "INTEGER ANY"},
	{"1.0", "FLOAT NOT NULL", "FLOAT ANY"},
	{"'a'", "STRING NOT NULL", "STRING ANY"},
	{"date('2020-02-02')", "DATE NOT NULL", "DATE ANY"},
	{"localtime('12:00')", "LOCAL TIME NOT NULL", "ANY"},
	{"time('12:00Z')", "ZONED TIME NOT NULL", "ANY"},
	{"localdatetime('2020-02-02T12:00')", "LOCAL DATETIME NOT NULL", "ANY"},
	{"datetime('2020-02-02T12:00Z')", "ZONED DATETIME NOT NULL", "ANY"},
	{"duration('P1D')", "DURATION NOT NULL", "DURATION ANY"},
	{"{a: 1}", "MAP NOT NULL", "MAP ANY"},
	{"[]", "LIST<NOTHING> NOT NULL", "ANY"},
	{"[1, 2]", "LIST<INTEGER NOT NULL> NOT NULL", "ANY"},
	{"[1, null]", "LIST<INTEGER> NOT NULL", "ANY"},
	{"[1.5, 'a', 1]", "LIST<STRING NOT NULL | INTEGER NOT NULL | FLOAT NOT NULL> NOT NULL", "ANY"},
	{"[null]", "LIST<NULL> NOT NULL", "ANY"},
	{"[[1], ['a', null]]", "LIST<LIST<INTEGER NOT NULL> NOT NULL | LIST<STRING> NOT NULL> NOT NULL", "ANY"},
	{"head(COLLECT { MATCH (n:N) RETURN n })", "NODE NOT NULL", "NODE ANY"},
	{"head(COLLECT { MATCH (:N)-[r]->() RETURN r })", "RELATIONSHIP NOT NULL", "ANY"},
	{"head(COLLECT { MATCH p = (:N)-->() RETURN p })", "PATH NOT NULL", "ANY"},
}

// TestTypes tests valueType() and IS :: on values of every type. IS :: of lists follows from that of their elements.
func TestTypes(t *testing.T) {
	db, err := motif.Open(":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(t.Context(), "CREATE (:N)-[:R]->()", nil); err != nil {
		t.Fatal(err)
	}
	ask := func(text string) any {
		t.Helper()
		rows, err := db.Query(t.Context(), "RETURN "+text+" AS x", nil)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		v, err := motif.One[any](rows)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		return v
	}
	const names = "BOOLEAN STRING INTEGER FLOAT DATE DURATION MAP NODE NULL ANY"
	for _, c := range typedValues {
		if got := ask("valueType(" + c.text + ")"); got != c.want {
			t.Errorf("the type of %s is %v, not %s", c.text, got, c.want)
		}
		for _, name := range strings.Fields(names) {
			is := strings.Contains(" "+c.names+" ", " "+name+" ")
			for form, want := range map[string]bool{"%s IS :: %s": is, "%s IS NOT :: %s": !is, "%s IS TYPED %s NOT NULL": is && c.text != "null", "%s IS :: %s | LIST<INTEGER NOT NULL> | DURATION": is || c.text == "[1, 2]" || c.text == "[]" || strings.HasPrefix(c.text, "duration")} {
				if got := ask(fmt.Sprintf(form, c.text, name)); got != want {
					t.Errorf(form+" is %v", c.text, name, got)
				}
			}
		}
	}
	for seed := range uint64(200) { // a list has the type of lists of T if its elements have the type T
		rng := rand.New(rand.NewPCG(seed, 9))
		name, all := strings.Fields(names)[rng.IntN(10)], true
		var list []string
		for range rng.IntN(4) {
			c := typedValues[rng.IntN(len(typedValues))]
			if rng.IntN(2) == 0 {
				name = strings.Fields(c.names)[0]
			}
			list = append(list, c.text)
		}
		for _, text := range list {
			all = all && ask(text+" IS :: "+name).(bool)
		}
		if got := ask("[" + strings.Join(list, ", ") + "] IS :: LIST<" + name + ">"); got != all {
			t.Errorf("seed %d: %v IS :: LIST<%s> is %v", seed, list, name, got)
		}
	}
}

// TestJoin joins strings and lists by ||, and nothing else.
func TestJoin(t *testing.T) {
	db, err := motif.Open(":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for text, want := range map[string]string{
		"'a' || 'b' || 'c' = 'abc'": "true", "[1] || ['a'] = [1, 'a']": "true", "'a' || null IS NULL": "true", "$x || 'b'": "|| joins", "'a' || 1 = 'a1'": "|| joins",
		"bTrim('  a ') || '|' || lTrim('xxa', 'x') || rTrim('abc', 'cb') = 'a|aa'": "true", "1 + 1 || 'x'": "|| joins",
	} {
		rows, err := db.Query(t.Context(), "RETURN "+text+" AS x", motif.Params{"x": 1})
		var v any
		if err == nil {
			v, err = motif.One[any](rows)
		}
		if got := fmt.Sprint(v, err); !strings.Contains(got, want) {
			t.Errorf("%s: %s", text, got)
		}
	}
}
