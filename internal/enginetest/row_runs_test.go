package enginetest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/motifql/motif"
)

// TestRowRuns compares rows that went up as runs with brute force, and with rows that did not, which come in the same order.
func TestRowRuns(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	rng := rand.New(rand.NewPCG(seed, 43))
	pick := func(list ...string) string { return list[rng.IntN(len(list))] }
	taken := 0
	for i := range 12 {
		nodes, share := 2+rng.IntN(4), 0.1+0.4*rng.Float64()
		if i%4 == 0 {
			nodes, share = 5, 0.5 // enough for runs
		}
		db := memoryDB(t, edges("1 2\n"))
		run := func(text string) {
			if _, err := db.Exec(t.Context(), text, nil); err != nil {
				t.Fatal(err)
			}
		}
		run(fmt.Sprintf("UNWIND range(1, %d) AS i CREATE (:A {x: i}), (:B {x: i})", nodes))
		run(fmt.Sprintf("MATCH (a), (b) WHERE rand() < %g CREATE (a)-[:%s]->(b)", share, pick("R", "S")))
		if rng.IntN(2) == 0 {
			run("MATCH (a:A), (b:B) WHERE rand() < 0.3 CREATE (a)-[:R]->(b)")
		}
		for range 10 {
			text := "MATCH " + pick("", "DIFFERENT NODES ", "DIFFERENT NODES ", "REPEATABLE ELEMENTS ", "DISTINCT SUBGRAPHS ") + pick(
				"(a:A)--(b), (a)--(c:B)", "(a)--(b)--(c:A)", "(a)-->(b)-[:R]->(c), (a)-->(c)", "(a:A)--(b:B), (a)--(c:B), (a)--(d:B)",
				"(a:A)--(b:B)--(c)--(a), (c)--(d)", "(b)-[:R]-(a), (b)-[:R]-(c)", "(a:A), (b:B)--(c)", "(a:A)--(b)--(c)--(d:B), (a)--(d)") +
				pick("", "", " WHERE a.x < c.x", " WHERE a.x <> b.x + c.x")
			text += " RETURN " + pick("a, b, c", "c, a, b", "a, c", "b, a, 1 AS one", "id(c), a, b", "a, b, c.x AS x", "id(a), id(c)")
			free := rng.IntN(3) > 0 // brute force gives all rows, in another order
			if !free {
				text += fmt.Sprintf(" SKIP %d LIMIT %d", rng.IntN(40), rng.IntN(3000))
			}
			got := rowsOfBatches(t, db, text, motif.WithWorkers(1))
			ordered := rowsOfBatches(t, db, text, motif.WithWorkers(1), motif.WithoutTechniques("equal-vertices"))
			plain := rowsOfBatches(t, db, text, motif.WithWorkers(1), motif.WithoutTechniques("equal-vertices", "row-runs"))
			if !slices.Equal(ordered, plain) {
				t.Fatalf("seed %d, %s: %d rows differ from %d without runs", seed, text, len(ordered), len(plain))
			}
			many := rowsOfBatches(t, db, text, motif.WithWorkers(3))
			if free {
				want, err := rowsOf(t.Context(), db, text, motif.WithBruteForce())
				slices.Sort(got)
				slices.Sort(many)
				if err != nil || !slices.Equal(got, want) || !slices.Equal(many, want) {
					t.Fatalf("seed %d, %s: %d and %d rows, want %d (%v)", seed, text, len(got), len(many), len(want), err)
				}
			}
			if len(many) != len(got) || len(got) != len(plain) {
				t.Fatalf("seed %d, %s: %d rows, with more workers %d, without runs %d", seed, text, len(got), len(many), len(plain))
			}
			taken += tookRuns(t, db, text)
		}
	}
	if taken < 5 {
		t.Errorf("seed %d: %d queries had runs", seed, taken)
	}
}

// rowsOfBatches returns the rows of all batches, which two goroutines read once the query has ended.
func rowsOfBatches(t *testing.T, db *motif.DB, text string, options ...motif.QueryOption) (lines []string) {
	t.Helper()
	rows, err := db.Query(t.Context(), text, nil, options...)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	var batches []motif.Batch
	for b, err := range rows.Batches() {
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		batches = append(batches, b)
	}
	for _, b := range batches {
		ids := idsByColumn(b, len(rows.Columns())) // before a row is read
		var both [2][]string
		var group sync.WaitGroup
		for i := range both {
			group.Go(func() {
				for row := range b.Len() {
					both[i] = append(both[i], fmt.Sprint(b.Row(row).Values()...))
				}
			})
		}
		group.Wait()
		for i, list := range ids {
			for row, got := range list {
				if want, err := b.Row(row).NodeID(i); err != nil || got != want {
					t.Fatalf("%s: column %d has id %d in row %d, want %d (%v)", text, i, got, row, want, err)
				}
			}
		}
		if !slices.Equal(both[0], both[1]) {
			t.Fatalf("%s: two goroutines read\n%v\n%v", text, both[0], both[1])
		}
		lines = append(lines, both[0]...)
	}
	return lines
}

// idsByColumn returns the ids in each column of nodes of a batch.
func idsByColumn(b motif.Batch, columns int) [][]uint64 {
	all := make([][]uint64, columns)
	for i := range all {
		list, err := b.AppendNodeIDs([]uint64{7}, i)
		if err == nil && (len(list) != 1+b.Len() || list[0] != 7) {
			panic(fmt.Sprintf("%d ids of %d rows", len(list)-1, b.Len()))
		}
		all[i] = list[1:]
	}
	return all
}

// tookRuns returns 1 if rows of a query went up as runs, else 0.
func tookRuns(t *testing.T, db *motif.DB, text string) int {
	t.Helper()
	rows, err := db.Query(t.Context(), text, nil)
	if err != nil {
		t.Fatal(err)
	}
	for range rows.All() {
	}
	if slices.ContainsFunc(rows.Summary().Techniques, func(m motif.TechniqueUse) bool { return m.Name == "row-runs" }) {
		return 1
	}
	return 0
}
