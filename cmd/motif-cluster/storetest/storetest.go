// Package storetest makes stores for the tests of motif-cluster, and asks the engine what a cluster has to answer.
package storetest

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/motifql/motif"
	"github.com/motifql/motif/internal/repl"
)

// Random makes a store with a random graph of nodes :N {i, k} and relationships :R, with loops and parallel ones, and returns its folder.
func Random(t *testing.T, r *rand.Rand, nodes, relationships int) (folder string) {
	t.Helper()
	return load(t, nodes, relationships, func() int64 { return int64(r.IntN(nodes)) })
}

// Skewed is Random with hubs: some nodes have most of the relationships.
func Skewed(t *testing.T, r *rand.Rand, nodes, relationships int) (folder string) {
	t.Helper()
	return load(t, nodes, relationships, func() int64 { return int64(float64(nodes) * math.Pow(r.Float64(), 3)) })
}

// load makes a store of which pick draws the ends of relationships.
func load(t *testing.T, nodes, relationships int, pick func() int64) (folder string) {
	t.Helper()
	folder = filepath.Join(t.TempDir(), "g.db")
	db, err := motif.Open(folder, motif.WithCreate())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	pairs := make([]any, relationships)
	for i := range pairs {
		pairs[i] = []any{pick(), pick()}
	}
	for _, text := range []string{
		"UNWIND range(0, $n - 1) AS i CREATE (:N {i: i, k: i % 7})",
		"UNWIND $pairs AS p MATCH (a:N {i: p[0]}), (b:N {i: p[1]}) CREATE (a)-[:R]->(b)",
	} {
		if _, err := db.Exec(t.Context(), text, motif.Params{"n": int64(nodes), "pairs": pairs}); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// Mapped makes a store with the same graph, and with a flat file where this build maps some.
func Mapped(t *testing.T, from string) (folder string) {
	t.Helper()
	var backup bytes.Buffer
	old, err := motif.Open(from, motif.WithReadOnly())
	if err != nil {
		t.Fatal(err)
	}
	_, err = old.Backup(t.Context(), &backup)
	if err = errors.Join(err, old.Close()); err != nil {
		t.Fatal(err)
	}
	folder = filepath.Join(t.TempDir(), "mapped.db")
	db, err := motif.Open(folder, motif.WithCreate(), motif.WithMapping())
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.Restore(t.Context(), &backup)
	if err = errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	return folder
}

// Answer returns what the engine answers by itself, as CSV.
func Answer(t *testing.T, folder, query string, params motif.Params) string {
	t.Helper()
	db, err := motif.Open(folder, motif.WithReadOnly())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.Query(t.Context(), query, params)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var out strings.Builder
	if err := repl.WriteRows(&out, rows, "csv"); err != nil {
		t.Fatal(err)
	}
	return out.String()
}
