package enginetest

import (
	"context"
	"errors"
	"fmt"
	"github.com/motifql/motif"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/motifql/motif/internal/testgraph"
)

func rmatDB(t *testing.T, scale int) *motif.DB {
	t.Helper()
	db, err := motif.Open(":memory:", motif.WithWorkers(2))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	s := testgraph.Graph(1<<scale, testgraph.RMAT(scale, 8, 5), true)
	if _, err := storeOf(db).Publish(t.Context(), s, nil); err != nil {
		t.Fatal(err)
	}
	return db
}

// Searches that would never end are ended by LIMIT, by the time limit, by their context and by the memory budget.
func TestPathsStop(t *testing.T) {
	db := rmatDB(t, 10)
	all := "MATCH p = (a)-[*]-(b) WHERE id(a) = 1 RETURN "
	if got, err := answer(t, db, all+"length(p) LIMIT 7"); err != nil || len(got) != 7 {
		t.Errorf("LIMIT 7 gave %d rows, %v", len(got), err)
	}
	for _, what := range []string{"count(*)", "max(length(p))", "p", "collect(length(p))"} {
		start := time.Now()
		_, err := pathAnswer(t, db, all+what, motif.WithTimeout(30*time.Millisecond), motif.WithMaxRows(1<<40))
		if t.Logf("%s: %v", what, time.Since(start)); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := answer(t, db, "MATCH p = (a)-[*1..4]-(b) WHERE id(a) = 1 RETURN collect(p)", motif.WithMemory(1<<20)); !errors.Is(err, motif.ErrMemory) {
		t.Errorf("a list of all paths within 1 MiB: %v", err)
	}
	if _, err := answer(t, db, "MATCH p = SHORTEST 2 (a)-[]-{2,}(b)-[]-(c) WHERE id(a) = 1 RETURN count(p)", motif.WithMemory(1<<10)); !errors.Is(err, motif.ErrMemory) {
		t.Errorf("a breadth-first search within 1 KiB: %v", err)
	}
}

// What only the ends of paths are asked for, and shortest paths, are found by breadth-first search; EXPLAIN says so, and there
// is no warning. All paths of any length give one.
func TestPathsExplained(t *testing.T) {
	db := rmatDB(t, 8)
	for _, c := range []struct {
		text, wants string
		warns       bool
	}{
		{"MATCH (a)-[*]->(b) WHERE id(a) = 1 RETURN DISTINCT b", "Reach (a)-[*]->(b)", false},
		{"MATCH (a)-[*]->(b) WHERE id(a) = 1 RETURN count(DISTINCT b)", "breadth-first kernel: only the ends", false},
		{"MATCH (a)-[*..9]->(b) WHERE id(a) = 1 RETURN DISTINCT id(b)", "breadth-first kernel: only the ends", false},
		{"MATCH (a), (b) WHERE id(a) = 1 AND id(b) = 2 AND EXISTS { (a)-[*]->(b) } RETURN a", "breadth-first kernel: only the ends", false},
		{"MATCH p = shortestPath((a)-[*]->(b)) WHERE id(a) = 1 AND id(b) = 2 RETURN p", "from both ends", false},
		{"MATCH p = ALL SHORTEST (a)-[]->+(b) WHERE id(a) = 1 RETURN p", "breadth-first kernel from the start", false},
		{"MATCH (a)-[*1..3]->(b) WHERE id(b) = 1 RETURN a", "from the last node to the first", false},
		{"MATCH (a)-[*1..3]->(b) RETURN count(*)", "only a degree is taken", false},
		{"MATCH (a)-[*]->(b) WHERE id(a) = 1 RETURN b", "depth-first search for each trail", true},
	} {
		rows, err := db.Query(t.Context(), "EXPLAIN "+c.text, nil)
		if err != nil {
			t.Fatal(err)
		}
		var plan strings.Builder
		for row, err := range rows.All() {
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintln(&plan, row.Values()...)
		}
		if !strings.Contains(plan.String(), c.wants) {
			t.Errorf("%s: nothing of %q in\n%s", c.text, c.wants, plan.String())
		}
		if warned := len(rows.Summary().Warnings) > 0; warned != c.warns {
			t.Errorf("%s: warnings %v", c.text, rows.Summary().Warnings)
		}
	}
}

// TestPathForms asks what the random comparison does not: lists, group variables, paths as values, lists that are given,
// several clauses.
func TestPathForms(t *testing.T) {
	db, err := motif.Open(":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := answer(t, db, `CREATE (a:A {n: 1})-[:R {w: 1}]->(b:B {n: 2})-[:R {w: 2}]->(c:B {n: 3})-[:S {w: 3}]->(d:C {n: 4}), (a)-[:S {w: 4}]->(c)`); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"MATCH (a:A)-[r*1..2]->(x) RETURN x.n, [e IN r | e.w]":                                                    "2 [1], 3 [1 2], 3 [4], 4 [4 3]",
		"MATCH (a:A)-[r:R*0..]->(x) RETURN x.n, size(r)":                                                          "1 0, 2 1, 3 2",
		"MATCH (a:A)-[r:R* {w: 1}]->(x) RETURN x.n":                                                               "2",
		"MATCH (a:A)-[r:R|S WHERE r.w < 4]->{2,3}(x) RETURN x.n, [e IN r | e.w]":                                  "3 [1 2], 4 [1 2 3]",
		"MATCH (a:A) ((x)-[r]->(y) WHERE x.n + 1 = y.n)+ (z) RETURN [e IN x | e.n], [e IN y | e.n]":               "[1 2 3] [2 3 4], [1 2] [2 3], [1] [2]",
		"MATCH (a:A) ((x)-[r]->(y) WHERE x.n + 1 = y.n)+ (z:C) RETURN [e IN r | e.w], z.n":                        "[1 2 3] 4",
		"MATCH (z:C) MATCH (a) ((x)-[r]->(y)){2} (z) RETURN [e IN x | e.n], [e IN r | e.w]":                       "[1 3] [4 3], [2 3] [2 3]",
		"MATCH p = (:A)-->()-[*1..2]->(:C) RETURN length(p), [n IN nodes(p) | n.n]":                               "2 [1 3 4], 3 [1 2 3 4]",
		"MATCH p = ALL SHORTEST (:A)-->+(:C) RETURN [r IN relationships(p) | r.w]":                                "[4 3]",
		"MATCH p = SHORTEST 2 GROUPS (:A)-->+(:C) RETURN length(p)":                                               "2, 3",
		"MATCH (a:A), (c:C) RETURN length(shortestPath((a)-[*]->(c))), shortestPath((c)-[*]->(a))":                "2 <nil>",
		"MATCH (a:A), (c:C) RETURN size(allShortestPaths((a)-[*]-(c)))":                                           "1",
		"MATCH p = shortestPath((:A)-[*]->(:C)) WHERE length(p) > 2 RETURN length(p)":                             "3",
		"MATCH p = shortestPath((:A)-[*]->(:C)) WHERE none(r IN relationships(p) WHERE r.w = 4) RETURN length(p)": "3",
		"MATCH (a)-[r:R]->(b)-[s:R]->(c) WITH [r, s] AS rs, c, a MATCH (a)-[rs*]->(c) RETURN a.n, c.n":            "1 3",
		"MATCH (a:A)-[:R]->?(x) RETURN x.n":                                                                       "1, 2",
		"MATCH (a:A) OPTIONAL MATCH (a)-[:T*]->(x) RETURN a.n, x":                                                 "1 <nil>",
		"MATCH (a:A) RETURN [(a)-[:R*]->(x) | x.n]":                                                               "[2 3]",
		"MATCH (a:A)-[:!R]->(x) RETURN x.n":                                                                       "3",
		"MATCH (a:A) WHERE (a)-[:R*]->(:C) RETURN a.n":                                                            "",
		"MATCH (a:A)-[*]->(x) RETURN DISTINCT x.n":                                                                "2, 3, 4",
		"MATCH ACYCLIC (a:A)-[]-{3}(x) RETURN x.n":                                                                "4",
	} {
		got, err := pathAnswer(t, db, text)
		if err != nil || got != want {
			t.Errorf("%s\ngave %s, %v\nwant %s", text, got, err, want)
		}
	}
}

func pathAnswer(t *testing.T, db *motif.DB, text string, opts ...motif.QueryOption) (string, error) {
	t.Helper()
	rows, err := db.Query(t.Context(), text, nil, opts...)
	if err != nil {
		return "", err
	}
	var lines []string
	for row, err := range rows.All() {
		if err != nil {
			return "", err
		}
		lines = append(lines, strings.TrimSpace(fmt.Sprintln(row.Values()...)))
	}
	slices.Sort(lines)
	return strings.Join(lines, ", "), nil
}
