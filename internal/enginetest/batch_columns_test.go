package enginetest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/motifql/motif"
)

// columnQueries give columns of every kind, as nodes, as values, and as values of many kinds.
var columnQueries = []string{
	"MATCH (a)-[r]->(b) RETURN a, r, b, id(a), id(r), a.x, r.x, a.s, a.x * 0.5, 1, 'one', NULL",
	"MATCH (a)-[r]-(b)--(c) RETURN c, r, a, id(c), id(r), c.x, b.x, c.s, 1.5, $x, a.s + '!', NULL",
	"MATCH (a)-->(b) WITH a, collect(b) AS all RETURN a, all[0], all, size(all), all[1], a.x, [a.x], a.s, sum(a.x), avg(a.x), $x, max(a.s)",
	"MATCH (a) OPTIONAL MATCH (a)-[r:T1]->(b) RETURN a, r, b, id(b), id(r), b.x, r.x, b.s, b.x / 2.0, true, {x: b.x}, NULL ORDER BY a.x, id(b)",
	"CALL algo.degree() YIELD node, score RETURN node, score, node.x, node.s, score * 2, score > 1, id(node), 1, 2, 3, 4, 5",
	"CALL algo.connectedComponents() YIELD node, component RETURN node, component, node.x, node.s, component * 2, 0, id(node), 1, 2, 3, 4, 5",
	"MATCH p = (a)-[*1..2]->(b) RETURN p, length(p), a, b, nodes(p), relationships(p)[0], a.x, b.s, 0, 1, 2, 3",
	"UNWIND range(1, 3000) AS i RETURN i, i * 0.5, toString(i), i % 7, 0, 1, 2, 3, 4, 5, 6, 7",
	"CREATE (a:New {x: 1})-[r:N]->(b) RETURN a, r, b, id(a) >= 0, a.x, 0, 1, 2, 3, 4, 5, 6",
	"MATCH (a:New)-[r]->(b) DETACH DELETE a, b RETURN a, r, b, 0, 1, 2, 3, 4, 5, 6, 7, 8",
}

// TestBatchColumns compares what batches append with what their rows give, and the rows of all batches with those of All.
func TestBatchColumns(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	rng := rand.New(rand.NewPCG(seed, 40))
	for range 6 {
		db := memoryDB(t, edges("1 2\n"))
		run := func(text string) {
			if _, err := db.Exec(t.Context(), text, nil); err != nil {
				t.Fatal(err)
			}
		}
		run(fmt.Sprintf("UNWIND range(1, %d) AS i CREATE ({x: CASE WHEN i %% 5 > 0 THEN i END, s: toString(i)})", 2+rng.IntN(60)))
		run(fmt.Sprintf("MATCH (a), (b) WHERE rand() < %g CREATE (a)-[:T1 {x: id(a)}]->(b)", 0.3*rng.Float64()))
		run("MATCH (a) WHERE id(a) % 3 = 1 DETACH DELETE a")
		for _, text := range columnQueries {
			options := []motif.QueryOption{motif.WithWorkers(1 + rng.IntN(2)), motif.WithMaxRows(int64(1 + rng.IntN(3000)))}
			writes, want, wantErr := strings.Contains(text, "New"), 0, error(nil)
			if !writes {
				want, wantErr = allRowsOf(t, db, text, options)
			}
			rows, err := db.Query(t.Context(), text, motif.Params{"x": rng.IntN(9)}, options...)
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			for b, err := range rows.Batches() {
				if err != nil {
					if b.Len() != 0 || !writes && wantErr == nil || !errors.Is(err, motif.ErrRowLimit) {
						t.Fatalf("seed %d, %s: %v after %d rows, want %v", seed, text, err, n, wantErr)
					}
					continue
				}
				if b.Len() == 0 || b.Row(b.Len()).Len() != 0 || b.Row(-1).Len() != 0 {
					t.Fatalf("seed %d, %s: a batch of %d rows", seed, text, b.Len())
				}
				n += b.Len()
				for i := -1; i <= len(rows.Columns()); i++ {
					sameColumn(t, b, i, "node ids", motif.Batch.AppendNodeIDs, motif.Row.NodeID)
					sameColumn(t, b, i, "integers", motif.Batch.AppendInts, motif.Row.Int)
					sameColumn(t, b, i, "floats", motif.Batch.AppendFloats, motif.Row.Float)
				}
			}
			if !writes && n != want {
				t.Fatalf("seed %d, %s: %d rows in batches, %d by All", seed, text, n, want)
			}
		}
	}
}

// allRowsOf counts the rows that All gives, and returns the error at their end.
func allRowsOf(t *testing.T, db *motif.DB, text string, options []motif.QueryOption) (n int, end error) {
	t.Helper()
	rows, err := db.Query(t.Context(), text, motif.Params{"x": 1}, options...)
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range rows.All() {
		if err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// sameColumn checks that a batch appends, behind what a list has, what its rows give before one that gives an error.
func sameColumn[T any](t *testing.T, b motif.Batch, i int, what string, appended func(motif.Batch, []T, int) ([]T, error), of func(motif.Row, int) (T, error)) {
	t.Helper()
	want, wantErr := make([]T, 1, 1+b.Len()), error(nil)
	for k := 0; k < b.Len() && wantErr == nil; k++ {
		var x T
		if x, wantErr = of(b.Row(k), i); wantErr == nil {
			want = append(want, x)
		}
	}
	got, err := appended(b, make([]T, 1), i)
	if (err == nil) != (wantErr == nil) || err != nil && err.Error() != fmt.Sprintf("row %d of the batch: %v", len(want)-1, wantErr) || !reflect.DeepEqual(got, want) {
		t.Fatalf("column %d as %s: %v, %v; want %v, %v", i, what, got, err, want, wantErr)
	}
}

// TestBatchesEnd: the loop closes the rows, and a closed or an empty result has no batch.
func TestBatchesEnd(t *testing.T) {
	db := memoryDB(t, edges("1 2\n2 3\n"))
	rows := query(t, db, "UNWIND range(1, 1000000) AS i RETURN i")
	for b, err := range rows.Batches() {
		if err != nil || b.Len() == 0 {
			t.Fatal(b.Len(), err)
		}
		break
	}
	if rows.Next() || rows.Err() != nil {
		t.Error("the rows were not closed", rows.Err())
	}
	for range rows.Batches() {
		t.Error("a batch of closed rows")
	}
	for range query(t, db, "MATCH (n:None) RETURN n").Batches() {
		t.Error("a batch without rows")
	}
	var none *motif.Rows
	var errs []error
	for b, err := range none.Batches() {
		errs = append(errs, err)
		if ids, err := b.AppendNodeIDs(nil, 0); b.Len() != 0 || b.Row(0).Len() != 0 || len(ids) != 0 || err != nil {
			t.Error("a Batch without rows has some")
		}
	}
	if !slices.Equal(errs, []error{none.Err()}) {
		t.Error(errs)
	}
	rows = query(t, db, "UNWIND [1, 2, 0] AS i RETURN 1 / i")
	n, failed := 0, error(nil)
	for b, err := range rows.Batches() {
		n, failed = n+b.Len(), err
	}
	if n != 2 || failed == nil {
		t.Errorf("%d rows, then %v", n, failed)
	}
}
