package enginetest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/motifql/motif"
)

// asker is a DB or a transaction.
type asker interface {
	Query(ctx context.Context, text string, params motif.Params, opts ...motif.QueryOption) (*motif.Rows, error)
}

// TestDegreesAgainstMatch compares algo.degree, read column by column, with counts of matches: with loops, parallel and reciprocal
// relationships, after commits and within a transaction.
func TestDegreesAgainstMatch(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 41))
	for range 8 {
		db := memoryDB(t, edges("1 2\n"))
		must := func(q asker, text string) {
			rows, err := q.Query(t.Context(), text, nil)
			if err == nil {
				err = rows.Close()
			}
			if err != nil {
				t.Fatalf("seed %d, %s: %v", seed, text, err)
			}
		}
		grow := func(q asker) {
			must(q, fmt.Sprintf("UNWIND range(1, %d) AS i CREATE (:A), (:B)", 1+rng.IntN(15)))
			for _, typ := range []string{"R", "S"} {
				must(q, fmt.Sprintf("MATCH (a), (b) WHERE rand() < %g CREATE (a)-[:%s {w: 0.5}]->(b)", 0.2*rng.Float64(), typ))
			}
			must(q, fmt.Sprintf("MATCH (a) WHERE rand() < %g CREATE (a)-[:R]->(a)", 0.5*rng.Float64()))
			must(q, "MATCH ()-[r]->() WHERE rand() < 0.1 DELETE r")
			must(q, "MATCH (a:B) WHERE rand() < 0.1 DETACH DELETE a")
		}
		grow(db)
		sameDegrees(t, db, seed)
		grow(db)
		sameDegrees(t, db, seed)
		err := db.Update(t.Context(), func(tx *motif.Tx) error {
			grow(tx)
			sameDegrees(t, tx, seed)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// sameDegrees asks for degrees with several options.
func sameDegrees(t *testing.T, q asker, seed uint64) {
	t.Helper()
	for options, match := range map[string]string{
		"{}":                                   "(n)-->(m)",
		"{direction: 'IN'}":                    "(n)<--(m)",
		"{direction: 'BOTH'}":                  "(n)--(m)",
		"{type: 'R'}":                          "(n)-[:R]->(m)",
		"{types: ['R', 'S'], direction: 'IN'}": "(n)<-[:R|S]-(m)",
		"{type: 'None'}":                       "(n)-[:None]->(m)",
	} {
		want := degreesIn(t, q, "MATCH (n) OPTIONAL MATCH "+match+" WHERE m <> n RETURN n AS node, toFloat(count(DISTINCT m)) AS score")
		call := "CALL algo.degree(" + options + ") YIELD node, score "
		for _, returned := range []string{"RETURN node, score", "RETURN node, score SKIP 0", "WITH node, score WHERE score >= 0 RETURN node, score",
			"RETURN node, score ORDER BY score DESC, id(node)", "WITH node, score / 2 AS half RETURN node, half * 2 AS score"} {
			if got := degreesIn(t, q, call+returned); !maps.Equal(got, want) {
				t.Fatalf("seed %d, %s%s: %v, want %v", seed, call, returned, got, want)
			}
		}
	}
	want := degreesIn(t, q, "MATCH (n:A) OPTIONAL MATCH (n)--(m:A) WHERE m <> n RETURN n, toFloat(count(DISTINCT m))")
	if got := degreesIn(t, q, "CALL algo.degree({label: 'A', direction: 'BOTH'}) YIELD node, score RETURN node, score"); !maps.Equal(got, want) {
		t.Fatalf("seed %d, a label: %v, want %v", seed, got, want)
	}
}

// degreesIn reads nodes and numbers, column by column.
func degreesIn(t *testing.T, q asker, text string) map[uint64]float64 {
	t.Helper()
	rows, err := q.Query(t.Context(), text, nil)
	if err != nil {
		t.Fatal(text, err)
	}
	var ids []uint64
	var scores []float64
	for b, err := range rows.Batches() {
		if err == nil {
			ids, err = b.AppendNodeIDs(ids, 0)
		}
		if err == nil {
			scores, err = b.AppendFloats(scores, 1)
		}
		if err != nil {
			t.Fatal(text, err)
		}
	}
	found := make(map[uint64]float64, len(ids))
	for i, id := range ids {
		found[id] = scores[i]
	}
	if len(found) != len(ids) {
		t.Fatalf("%s: a node occurs twice in %v", text, ids)
	}
	return found
}

// TestManyDegrees reads more rows than a batch holds.
func TestManyDegrees(t *testing.T) {
	db := memoryDB(t, edges("1 2\n"))
	if _, err := db.Exec(t.Context(), "UNWIND range(1, 20000) AS i CREATE (a:A)-[:R]->(:B) WITH a, i WHERE i % 3 = 0 CREATE (a)-[:S]->(a), (a)-[:S]->(:C)", nil); err != nil {
		t.Fatal(err)
	}
	got := degreesIn(t, db, "CALL algo.degree() YIELD node, score RETURN node, score")
	if want := degreesIn(t, db, "MATCH (n) OPTIONAL MATCH (n)-->(m) WHERE m <> n RETURN n, toFloat(count(DISTINCT m))"); !maps.Equal(got, want) {
		t.Error("degrees differ from counts of matches")
	}
	limited := degreesIn(t, db, "CALL algo.degree() YIELD node, score RETURN node, score SKIP 5 LIMIT 17000")
	for id, score := range limited {
		if got[id] != score {
			t.Fatalf("node %d: %v, want %v", id, score, got[id])
		}
	}
	if len(got) != 46668 || len(limited) != 17000 {
		t.Error(len(got), len(limited))
	}
}

// TestDegreesStop: a query that runs in the caller's goroutine ends with the errors of others.
func TestDegreesStop(t *testing.T) {
	db := memoryDB(t, edges("1 2\n2 3\n3 3\n"))
	const text = "CALL algo.degree() YIELD node, score RETURN node, score"
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		ctx  context.Context
		opt  motif.QueryOption
		want error
	}{{ended, motif.WithWorkers(1), context.Canceled}, {t.Context(), motif.WithMemory(10), motif.ErrMemory}, {t.Context(), motif.WithMaxRows(2), motif.ErrRowLimit}} {
		rows, err := db.Query(c.ctx, text, nil, c.opt)
		n := 0
		if err == nil {
			for rows.Next() {
				n++
			}
			err = rows.Close()
		}
		if !errors.Is(err, c.want) || c.want == motif.ErrRowLimit && n != 2 {
			t.Errorf("%d rows, then %v; want %v", n, err, c.want)
		}
	}
	rows := query(t, db, text)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	n := 0
	for rows.Next() {
		n++
	}
	if sum := rows.Summary(); n != 3 || rows.Err() != nil || sum.Rows != 3 || sum.Plan.ActualRows != 3 {
		t.Errorf("%d rows, %v, %+v", n, rows.Err(), sum)
	}
}
