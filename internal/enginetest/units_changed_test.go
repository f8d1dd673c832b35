package enginetest

import (
	"fmt"
	"testing"

	"github.com/motifql/motif"
)

// A process may have views from before a change, with numbers of relationships that are all 1 since. It divides a formula as a process
// without them does.
func TestUnitsOfChangedGraph(t *testing.T) {
	defer preferCounts(true)()
	ctx := t.Context()
	const query = "MATCH DISTINCT SUBGRAPHS (a)--(b)--(c)--(d)--(e)--(a) RETURN count(*) AS n"
	graph := func(ask bool) *motif.DB {
		db, err := motif.Open(":memory:")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { db.Close() })
		for _, text := range []string{
			"UNWIND range(0, 8) AS i CREATE (:V {i: i})",
			"MATCH (a:V), (b:V) WHERE b.i IN [(a.i + 1) % 9, (a.i + 3) % 9] CREATE (a)-[:E]->(b)",
			"MATCH (a:V {i: 0}), (b:V {i: 1}) CREATE (a)-[:E {extra: true}]->(b)",
			"", // asks
			"MATCH ()-[e {extra: true}]->() DELETE e",
		} {
			if text == "" {
				if text = "RETURN 1"; ask {
					text = query
				}
			}
			if _, err := db.Exec(ctx, text, nil); err != nil {
				t.Fatal(err)
			}
		}
		return db
	}
	here, there := graph(true), graph(false)
	want, err := answer(t, here, query, byBruteForce...)
	if err != nil {
		t.Fatal(err)
	}
	divided, err := here.Distribute(ctx, query, nil)
	if err != nil {
		t.Fatal(err)
	}
	job, err := there.OpenJob(ctx, divided.Spec())
	if err != nil {
		t.Fatal(err)
	}
	var all motif.Part
	for _, u := range job.Units(5) {
		part, _, err := job.Run(ctx, u, motif.Budget{})
		if err != nil {
			t.Fatal(err)
		}
		if err := job.Merge(ctx, &all, part); err != nil {
			t.Fatal(err)
		}
	}
	rows, err := job.Rows(ctx, all)
	if err != nil {
		t.Fatal(err)
	}
	var n int64
	for row, err := range rows.All() {
		if err != nil {
			t.Fatal(err)
		}
		if err := row.Scan(&n); err != nil {
			t.Fatal(err)
		}
	}
	if fmt.Sprint([]int64{n}) != fmt.Sprint(want) || n == 0 {
		t.Errorf("%d subgraphs by units, %v by brute force", n, want)
	}
}
