package enginetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/motifql/motif"
	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/flat"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/storage"
)

// mappedStore publishes a graph in a new store with a flat file, and closes it.
func mappedStore(t *testing.T, snap *csr.Snapshot) (dir, file string) {
	t.Helper()
	if !flat.Supported {
		t.Skip("this build maps no files")
	}
	dir = filepath.Join(t.TempDir(), "store")
	db := openMapped(t, dir, motif.WithCreate())
	if _, err := storeOf(db).Publish(t.Context(), snap, nil); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return dir, filepath.Join(dir, "flat-000001")
}

func openMapped(t *testing.T, dir string, opts ...motif.Option) *motif.DB {
	t.Helper()
	db, err := motif.Open(dir, append(opts, motif.WithMapping(), motif.WithWorkers(2), onDevice())...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// TestMapping asks random queries of a mapped store and of one that is read from its blocks, with the same graph and the same changes, before and after commits,
// compactions and openings. MOTIF_SEED repeats a graph.
func TestMapping(t *testing.T) {
	seed, rounds := rand.Uint64(), 12
	if s := os.Getenv("MOTIF_SEED"); s != "" {
		seed, _ = strconv.ParseUint(s, 10, 64)
		rounds = 1
	}
	for i := range uint64(rounds) {
		mappingRound(t, seed+i)
	}
}

func mappingRound(t *testing.T, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 5))
	snap := testgraph.Random(seed, testgraph.Options{})
	dir, _ := mappedStore(t, snap)
	sharing := []motif.Option{nil, motif.WithSharing()}[r.IntN(2)]
	blocks := filepath.Join(t.TempDir(), "store") // the same graph, so that changes by number are the same, too
	open := func() (db, plain *motif.DB) {
		plain, err := motif.Open(blocks, motif.WithCreate(), motif.WithWorkers(2), onDevice(), sharing)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { plain.Close() })
		return openMapped(t, dir, sharing), plain
	}
	db, plain := open()
	if _, err := storeOf(plain).Publish(t.Context(), snap, nil); err != nil {
		t.Fatal(err)
	}
	for step := range uint64(6) {
		now, err := storeOf(db).Snapshot(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for range 6 {
			q := (&queryGen{Rand: r, snap: now}).query()
			want, wantErr := answer(t, plain, q, motif.WithTimeout(bruteTime))
			if errors.Is(wantErr, context.DeadlineExceeded) {
				t.Logf("MOTIF_SEED=%d, step %d: takes too long:\n%s", seed, step, q)
				continue
			}
			if got, err := answer(t, db, q); fmt.Sprint(err) != fmt.Sprint(wantErr) || !slices.Equal(got, want) {
				t.Fatalf("MOTIF_SEED=%d, step %d:\n%s\nmapped: %v\n%s\nfrom blocks: %v\n%s", seed, step, q, err, strings.Join(got, "\n"), wantErr, strings.Join(want, "\n"))
			}
		}
		switch r.IntN(4) {
		case 0:
			if err := storeOf(db).Compact(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := storeOf(plain).Compact(t.Context()); err != nil {
				t.Fatal(err)
			}
		case 1:
			if err := errors.Join(db.Close(), plain.Close()); err != nil {
				t.Fatal(err)
			}
			db, plain = open()
		default:
			for _, of := range []*motif.DB{db, plain} {
				tx, err := storeOf(of).Begin(t.Context(), storage.Relaxed)
				if err != nil {
					t.Fatal(err)
				}
				testgraph.Change(seed+step, tx.Draft(), false)
				if err := tx.Commit(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// panicGraph is the graph of panicDB.
func panicGraph(t *testing.T) *csr.Snapshot {
	t.Helper()
	db := panicDB(t)
	defer db.Close()
	snap, err := storeOf(db).Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return snap
}

// knownFault reports whether an error is one of a file that is damaged or cannot be read.
func knownFault(err error) bool {
	var internal *motif.InternalError
	return (errors.Is(err, motif.ErrIO) || errors.Is(err, motif.ErrCorrupt)) && !errors.As(err, &internal)
}

// TestMappingCutOff cuts the file off under queries of every kind. Each gives its answer, or an error of the file.
func TestMappingCutOff(t *testing.T) {
	snap := panicGraph(t)
	dir, file := mappedStore(t, snap)
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	plain := published(t, snap)
	seed := time.Now().UnixNano()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(uint64(seed), 6))
	failed, asked := 0, 0
	for _, text := range append(slices.Clone(panicQueries), mappingQueries...) {
		writes := strings.Contains(text, "CREATE") || strings.Contains(text, "SET")
		want := ""
		if !writes {
			if want, err = summarize(plain, text); err != nil {
				t.Fatal(text, err)
			}
		}
		for _, warm := range []bool{false, true} {
			dir, file := dir, file
			if writes { // it may find all that it needs in memory, and change the graph
				dir, file = mappedStore(t, snap)
			} else if err := os.WriteFile(file, whole, 0o600); err != nil {
				t.Fatal(err)
			}
			opts := []motif.Option{motif.WithReadOnly()}
			if writes {
				opts = nil
			}
			db := openMapped(t, dir, opts...)
			if warm { // all checksums were compared, and some views made
				if _, err := summarize(db, "MATCH (a)-[r]->(b) RETURN sum(a.x), sum(id(r)), sum(b.x)"); err != nil {
					t.Fatal(err)
				}
			} else if _, err := storeOf(db).Snapshot(t.Context()); err != nil {
				t.Fatal(err)
			}
			const page = 4096 // the system fills up the last page that is left with zeros
			if err := os.Truncate(file, int64(rng.IntN(len(whole)/page+1)*page*rng.IntN(2))); err != nil {
				t.Fatal(err)
			}
			asked++
			got, err := summarize(db, text)
			switch {
			case err != nil && !knownFault(err):
				t.Errorf("%s: %v", text, err)
			case err != nil:
				failed++
			case !writes && got != want:
				t.Errorf("%s\ngives %s\nnot %s", text, got, want)
			}
			if err := db.Close(); err != nil {
				t.Errorf("%s: closing: %v", text, err)
			}
		}
	}
	if failed < asked/3 {
		t.Errorf("only %d of %d queries met the missing part", failed, asked)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	db := openMapped(t, dir)
	if report, err := db.Check(t.Context()); err != nil || !report.OK() {
		t.Errorf("%+v, %v", report, err)
	}
}

// mappingQueries read the graph in ways that panicQueries do not.
var mappingQueries = []string{
	"MATCH (a)-[r]->(b) RETURN a, r, b ORDER BY id(r)",
	"MATCH p = (a)-[r]->(b) RETURN p, [r], {r: r, x: a.x} ORDER BY id(r)",
	"MATCH (a) RETURN a.x, a ORDER BY id(a)",
	"MATCH (a:A) WHERE EXISTS { (a)-->(:B) } RETURN count(*)",
	"EXPLAIN MATCH (a)--(b)--(c)--(a) RETURN count(*)",
	"CALL algo.degree() YIELD node, score RETURN id(node), score",
}

// TestMappingRows cuts the file off after the first row was given. What the row refers to was decoded before, so it stays as it is.
func TestMappingRows(t *testing.T) {
	dir, file := mappedStore(t, panicGraph(t))
	db := openMapped(t, dir, motif.WithReadOnly())
	rows, err := db.Query(t.Context(), "MATCH (a)-[r]->(b) RETURN a, r, b.x", nil)
	if err != nil {
		t.Fatal(err)
	}
	if !rows.Next() {
		t.Fatal(rows.Err())
	}
	row := rows.Row()
	if err := os.Truncate(file, 0); err != nil {
		t.Fatal(err)
	}
	values := row.Values()
	if node, ok := values[0].(motif.Node); !ok || len(node.Labels) == 0 || len(node.Props) == 0 {
		t.Errorf("the node is %v", values[0])
	}
	if _, ok := values[1].(motif.Relationship); !ok || row.At(1) == nil {
		t.Errorf("the relationship is %v", values[1])
	}
	if err := rows.Err(); err != nil {
		t.Errorf("the error is %v", err)
	}
	for rows.Next() {
	}
	if err := rows.Close(); err != nil && !knownFault(err) {
		t.Errorf("the error is %v", err)
	}
}

// TestMappingDegrees cuts the file off under a batch of degrees, which otherwise read the graph when a program asks for them.
func TestMappingDegrees(t *testing.T) {
	graph := panicGraph(t)
	dir, file := mappedStore(t, graph)
	want := degreesIn(t, published(t, graph), "MATCH (n) OPTIONAL MATCH (n)-->(m) WHERE m <> n RETURN n, toFloat(count(DISTINCT m))")
	db := openMapped(t, dir, motif.WithReadOnly())
	for b, err := range query(t, db, "CALL algo.degree() YIELD node, score RETURN node, score").Batches() {
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(file, 0); err != nil {
			t.Fatal(err)
		}
		ids, err := b.AppendNodeIDs(nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		scores, err := b.AppendFloats(nil, 1)
		if err != nil || len(ids) != len(want) {
			t.Fatal(err, len(ids))
		}
		for i, id := range ids {
			if scores[i] != want[id] || b.Row(i).At(1) != want[id] {
				t.Errorf("node %d: %v, %v; want %v", id, scores[i], b.Row(i).At(1), want[id])
			}
		}
	}
}

// TestMappingCalls cuts the file off under calls that are no queries.
func TestMappingCalls(t *testing.T) {
	snap := panicGraph(t)
	dir, file := mappedStore(t, snap)
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	plain := published(t, snap)
	ctx := t.Context()
	calls := map[string]func(db *motif.DB) error{
		"Schema": func(db *motif.DB) error { _, err := db.Schema(ctx); return err },
		"Stats":  func(db *motif.DB) error { _, err := db.Stats(ctx); return err },
		"Export": func(db *motif.DB) error {
			_, err := db.Export(ctx, motif.ExportOptions{Writer: io.Discard, Format: "jsonl"})
			return err
		},
		"Backup": func(db *motif.DB) error { _, err := db.Backup(ctx, new(bytes.Buffer)); return err },
		"Diff": func(db *motif.DB) error {
			_, err := motif.Diff(ctx, db, plain, motif.DiffOptions{})
			return err
		},
		"Distribute": func(db *motif.DB) error {
			j, err := db.Distribute(ctx, "MATCH (a)-->(b)-->(c)-->(a) RETURN count(*)", nil)
			if err != nil {
				return err
			}
			var sum motif.Part
			for _, u := range j.Units(4) {
				p, _, err := j.Run(ctx, u, motif.Budget{})
				if err == nil {
					err = j.Merge(ctx, &sum, p)
				}
				if err != nil {
					return err
				}
			}
			rows, err := j.Rows(ctx, sum)
			if err != nil {
				return err
			}
			for rows.Next() {
			}
			return errors.Join(rows.Err(), j.Close())
		},
		"Update": func(db *motif.DB) error {
			return db.Update(ctx, func(tx *motif.Tx) error {
				for range 3 {
					if _, err := tx.Exec(ctx, "MATCH (a {x: 3})-[r]->(b) SET a.y = b.x DELETE r CREATE (a)-[:T]->(b)", nil); err != nil {
						return err
					}
					if _, err := tx.Exec(ctx, "MATCH (a)-[r]-(b) RETURN count(a.y)", nil); err != nil {
						return err
					}
				}
				return nil
			})
		},
		"Prepare": func(db *motif.DB) error {
			s, err := db.Prepare(ctx, "MATCH (a)-->(b) WHERE a.x = $x RETURN count(b.x)")
			if err == nil {
				_, err = s.Exec(ctx, motif.Params{"x": 3})
			}
			return err
		},
		"Explain": func(db *motif.DB) error { _, err := db.Explain(ctx, "MATCH (a)--(b)--(a) RETURN a"); return err },
	}
	for name, call := range calls {
		failed := false
		for _, size := range []int64{int64(len(whole)), 0, 4096} {
			if err := os.WriteFile(file, whole, 0o600); err != nil {
				t.Fatal(err)
			}
			db := openMapped(t, dir)
			if _, err := storeOf(db).Snapshot(ctx); err != nil {
				t.Fatal(err)
			}
			if err := os.Truncate(file, size); err != nil {
				t.Fatal(err)
			}
			err := call(db)
			if err != nil && (!knownFault(err) || size == int64(len(whole))) {
				t.Errorf("%s, %d bytes: %v", name, size, err)
			}
			failed = failed || err != nil
			if err := db.Close(); err != nil {
				t.Errorf("%s: closing: %v", name, err)
			}
		}
		if slices.Contains([]string{"Export", "Diff", "Distribute", "Update", "Prepare"}, name) && !failed {
			t.Errorf("%s has not met the missing part", name)
		}
	}
}
