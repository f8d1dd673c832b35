package enginetest

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/motifql/motif"
)

// TestLineNumbers compares linenumber() and file() with the lines on which the records of random files were written.
func TestLineNumbers(t *testing.T) {
	dir := t.TempDir()
	folder, err := motif.Folder(dir)
	if err != nil {
		t.Fatal(err)
	}
	db, err := motif.Open(":memory:", motif.WithFiles(folder))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	seed := uint64(time.Now().UnixNano())
	rng := rand.New(rand.NewPCG(seed, 0))
	t.Logf("seed %d", seed)
	for range 60 {
		text, starts := csvText(rng)
		if err := os.WriteFile(filepath.Join(dir, "f.csv"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		load := "LOAD CSV FROM 'file:///f.csv' AS row "
		for query, at := range map[string]func(i int) []any{
			load + "RETURN row[0], linenumber(), file()":                                                                                                  func(i int) []any { return []any{starts[i], "/f.csv"} },
			load + "WITH row, linenumber() AS l ORDER BY l DESC RETURN row[0], l + 0":                                                                     func(i int) []any { return []any{starts[i]} },
			load + "WITH row WHERE linenumber() > 0 RETURN row[0], size(row) > 0":                                                                         func(i int) []any { return []any{true} },
			load + "RETURN row[0], [x IN [1, 2] | x * linenumber()]":                                                                                      func(i int) []any { return []any{[]any{starts[i], 2 * starts[i]}} },
			load + "RETURN row[0], COLLECT { UNWIND [1] AS x WITH x RETURN x + linenumber() }":                                                            func(i int) []any { return []any{[]any{1 + starts[i]}} },
			load + "RETURN row[0], max(linenumber()), count(*)":                                                                                           func(i int) []any { return []any{starts[i], int64(1)} },
			load + "CREATE (n:L {line: linenumber()}) MERGE (m:M {line: linenumber()}) RETURN row[0], n.line, m.line":                                     func(i int) []any { return []any{starts[i], starts[i]} },
			load + "UNWIND [1] AS x LOAD CSV FROM 'f.csv' AS other WITH row, other, linenumber() AS l, file() AS f WHERE other = row RETURN row[0], l, f": func(i int) []any { return []any{starts[i], "f.csv"} },
		} {
			rows, err := db.Query(t.Context(), query, nil)
			if err != nil {
				t.Fatalf("%s: %v", query, err)
			}
			n := 0
			for row, err := range rows.All() {
				if err != nil {
					t.Fatalf("%s: %v", query, err)
				}
				n++
				values := row.Values()
				var i int
				if _, err := fmt.Sscanf(values[0].(string), "%d", &i); err != nil {
					t.Fatal(err)
				}
				if got, want := fmt.Sprint(values[1:]), fmt.Sprint(at(i)); got != want {
					t.Fatalf("seed %d: %s of record %d is %s, want %s\n%q", seed, query, i, got, want, text)
				}
			}
			if n != len(starts) {
				t.Fatalf("seed %d: %s has %d rows, want %d\n%q", seed, query, n, len(starts), text)
			}
		}
	}
}

// csvText writes records that begin with their number, over several lines or with empty lines between, and the lines on which they begin.
func csvText(rng *rand.Rand) (text string, starts []int64) {
	var b strings.Builder
	line := int64(1)
	for i := range 1 + rng.IntN(6) {
		for range rng.IntN(3) {
			b.WriteString("\n")
			line++
		}
		starts = append(starts, line)
		more := rng.IntN(3)
		fmt.Fprintf(&b, "%d,\"x%s\"\n", i, strings.Repeat("\ny", more))
		line += int64(more) + 1
	}
	return b.String(), starts
}
