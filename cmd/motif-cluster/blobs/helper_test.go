package blobs

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/motifql/motif"
	"github.com/motifql/motif/internal/repl"
)

func TestMain(m *testing.M) {
	firstPause, mostPause, attempts = time.Millisecond, 10*time.Millisecond, 5
	os.Exit(m.Run())
}

// random returns a source of random numbers whose seed a failed test prints.
func random(t *testing.T) *rand.Rand {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, 1))
}

// newStore loads a random graph with loops and parallel relationships.
func newStore(t *testing.T, rng *rand.Rand, nodes, relationships int, opts ...motif.Option) string {
	t.Helper()
	folder := t.TempDir()
	var text bytes.Buffer
	for range relationships {
		fmt.Fprintln(&text, rng.IntN(nodes), rng.IntN(nodes))
	}
	edges := filepath.Join(folder, "edges.txt")
	if err := os.WriteFile(edges, text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	at := filepath.Join(folder, "graph.db")
	with(t, at, func(db *motif.DB) error {
		_, err := db.Load(t.Context(), motif.LoadSpec{Files: []string{edges}, Directed: true, Label: "P", Type: "R"}, motif.LoadOptions{})
		return err
	}, append(opts, motif.WithCreate())...)
	return at
}

// with opens a store and gives it to fn.
func with(t *testing.T, at string, fn func(*motif.DB) error, opts ...motif.Option) {
	t.Helper()
	db, err := motif.Open(at, opts...)
	if err != nil {
		t.Fatal(err)
	}
	if err := fn(db); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// change deletes and creates about n relationships each, in some transactions, and sets a property.
func change(t *testing.T, rng *rand.Rand, at string, relationships, n int) {
	t.Helper()
	with(t, at, func(db *motif.DB) error {
		for range 3 {
			step := 3 * relationships / n
			params := motif.Params{"step": step, "at": rng.IntN(step), "node": rng.IntN(10), "value": rng.IntN(1000)}
			for _, text := range []string{
				"MATCH (a)-[r:R]->(b) WHERE id(r) % $step = $at CREATE (b)-[:R]->(a)",
				"MATCH (a)-[r:R]->(b) WHERE id(r) % $step = ($at + 1) % $step DELETE r",
				"MATCH (a:P) WHERE id(a) % 10 = $node SET a.value = $value, a:Q",
			} {
				if _, err := db.Exec(context.Background(), text, params); err != nil {
					return fmt.Errorf("%s: %w", text, err)
				}
			}
		}
		return nil
	})
}

var questions = []string{
	"MATCH (a)-[:R]->(b)-[:R]->(c) RETURN count(*)",
	"MATCH (a)-[r:R]->(b) RETURN id(a), id(b), id(r) ORDER BY id(r), id(a)",
	"MATCH (a:Q) RETURN a.value, count(*) ORDER BY a.value",
	"MATCH (a)-[:R]->(b)-[:R]->(c)-[:R]->(a) RETURN count(*)",
}

// answers returns what the graph of a store answers.
func answers(t *testing.T, at string) string {
	t.Helper()
	text, err := ask(at)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func ask(at string) (string, error) {
	db, err := motif.Open(at, motif.WithReadOnly(), motif.WithMapping())
	if err != nil {
		return "", err
	}
	defer db.Close()
	var out bytes.Buffer
	for _, q := range questions {
		rows, err := db.Query(context.Background(), q, nil)
		if err != nil {
			return "", fmt.Errorf("%s: %w", q, err)
		}
		if err := repl.WriteRows(&out, rows, "csv"); err != nil {
			return "", fmt.Errorf("%s: %w", q, err)
		}
	}
	return out.String(), nil
}

func push(t *testing.T, at, url string) Pushed {
	t.Helper()
	p, err := Push(t.Context(), at, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func fetch(t *testing.T, url, cache string) string {
	t.Helper()
	dir, err := Fetch(t.Context(), url, cache)
	if err != nil {
		t.Fatal(err)
	}
	return dir
}
