package lang

import (
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

// habitQueries are the queries of the golden files about habits and mistakes.
func habitQueries(t *testing.T) (queries []string) {
	t.Helper()
	for _, file := range []string{"habits_sql", "mistakes", "constructs"} {
		text, err := os.ReadFile("testdata/" + file + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range strings.Split(string(text), "\ncheck\n")[1:] {
			query, _, _ := strings.Cut(c, "\n----")
			queries = append(queries, query)
		}
	}
	return queries
}

// TestHabitsOfParts looks for hints in queries that end too early or lack a token: none may panic, and each is one line.
func TestHabitsOfParts(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	for _, query := range habitQueries(t) {
		toks := scan(query)
		if len(toks) < 2 {
			continue
		}
		i := r.IntN(len(toks))
		from, to := toks[i].Pos.Offset, endOf(toks[i])
		for _, text := range []string{query[:from], query[from:], query[:from] + query[to:], query[:to] + " " + query[from:]} {
			if got := pretty(text, testCatalog{}); strings.Contains(got, "%!") || strings.Count(got, "hint:") > 1 && !strings.Contains(got, "Warning") {
				t.Errorf("seed %d: %q: %s", seed, text, got)
			}
		}
	}
}

// TestHintsAreRead parses what hints say to write.
func TestHintsAreRead(t *testing.T) {
	n := 0
	for _, query := range habitQueries(t) {
		_, hint, _ := strings.Cut(pretty(query, testCatalog{}), "\nhint: ")
		_, write, ok := strings.Cut(hint, "write ")
		if !ok || strings.Contains(write, "...") {
			continue
		}
		write, _, _ = strings.Cut(write, "; ")
		if short, why, ok := strings.Cut(write, ": "); ok && !strings.Contains(why, "}") {
			write = short
		}
		var err error
		switch first, _, _ := strings.Cut(write, " "); first {
		case "MATCH", "CREATE", "MERGE", "LOAD":
			if _, err = Parse(write); err != nil && !strings.Contains(write, "RETURN") {
				_, err = Parse(write + " RETURN 1")
			}
		case "CASE", "NOT":
			_, err = ParseExpr(write)
		default:
			continue
		}
		if n++; err != nil && write != "NOT" {
			t.Errorf("%s: the hint %q: %v", query, write, err)
		}
	}
	if n < 30 {
		t.Errorf("only %d hints were read", n)
	}
}
