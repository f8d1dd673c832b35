package repl

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/motifql/motif"
)

// TestTypedRows writes rows by their columns and by their values, and compares the texts.
func TestTypedRows(t *testing.T) {
	db, err := sample()
	if err != nil {
		t.Fatal(err)
	}
	queries := []string{
		"MATCH (a)-[r]->(b) RETURN a, r, b, id(a), id(r)",
		"MATCH (a)-[r]->(b) RETURN a.name, r.since, b.age, properties(a), labels(b), a.none",
		"MATCH (a)-[r]->(b) RETURN a.none",
		"MATCH p = (a)-->(b) RETURN p, [a, b], {x: a.age, y: null}",
		`UNWIND [1, -5, 99, 100, 12345, 123456, 1234567, 9223372036854775807, 1.0, 1e300, -0.0, null, '', ' a', 'x,y', 'say "no"', '=1+1', 'ä  ' , "a\nb", true, date('2024-01-02'), [1, 'x'], {k: 2.5}, 7] AS x RETURN x, x AS y`,
		"UNWIND [0.0 / 0.0, 1 / 0.0, -1 / 0.0, 3] AS x RETURN x",
		"UNWIND [null, '', 1] AS x RETURN x",
		"MATCH (a) OPTIONAL MATCH (a)-->(b) RETURN a, b, b.age",
	}
	for _, text := range queries {
		rows, err := db.Query(t.Context(), text+" LIMIT 150", nil)
		if err != nil {
			t.Fatal(text, err)
		}
		var all []motif.Row
		for row, err := range rows.All() {
			if err != nil {
				t.Fatal(text, err)
			}
			all = append(all, row)
		}
		if len(all) == 0 {
			t.Fatalf("%s gives no row", text)
		}
		for _, format := range []string{"csv", csvSafe, "json", jsonLine, "jsonl"} {
			var byColumn, byValue strings.Builder
			w, _ := newRowWriter(format, &byColumn, rows.Columns(), 0)
			v, _ := newRowWriter(format, &byValue, rows.Columns(), 0)
			for range 3 { // what the writer keeps of a row must not show in another
				for _, row := range all {
					if err := w.(typedWriter).typed(row); err != nil {
						t.Fatal(err)
					}
					if err := v.row(row.Values()); err != nil {
						t.Fatal(err)
					}
				}
			}
			if w.close() != nil || v.close() != nil || byColumn.String() != byValue.String() {
				t.Errorf("%s as %s:\n%s\nby values:\n%s", text, format, &byColumn, &byValue)
			}
		}
	}
}

func TestAppendInt(t *testing.T) {
	for _, n := range []int64{0, 9, 10, 99, 100, 999, 1000, 9999, 10_000, 65_535, 99_999, 100_000, 999_999, 1_000_000, -1, math.MaxInt64, math.MinInt64} {
		for d := int64(-2); d <= 2; d++ {
			if got, want := string(appendInt([]byte("x"), n+d)), "x"+strconv.FormatInt(n+d, 10); got != want {
				t.Errorf("%d is written as %s", n+d, got)
			}
		}
	}
}

// TestNodeTexts keeps the texts of more nodes than there is room for.
func TestNodeTexts(t *testing.T) {
	var texts nodeTexts
	text := func(id uint64) string { return fmt.Sprintf("node %d %s", id, strings.Repeat("x", int(id%300))) }
	found := 0
	for round := range uint64(3) {
		for i := range uint64(100_000) {
			id := i * (2*round + 1)
			if got, ok := texts.find(id); ok {
				found++
				if string(got) != text(id) {
					t.Fatalf("node %d has the text %q", id, got)
				}
				continue
			}
			texts.keep(id, []byte(text(id)))
		}
	}
	if found == 0 || texts.bytes > keptBytes+keptText {
		t.Errorf("%d texts were found, %d bytes are kept", found, texts.bytes)
	}
}
