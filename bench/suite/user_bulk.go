package suite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/motifql/motif"
	"github.com/motifql/motif/internal/repl"
)

// addOutput adds rows that measure how fast rows come out.
func addOutput(add adder, wikiVote, slashdot *graph) {
	cycles := writePattern(cycle4, false)
	ids := "MATCH " + cycles + " RETURN id(v0), id(v1), id(v2), id(v3) LIMIT 10000000"
	nodes := "MATCH (a:V)-[:E]->(b:V)-[:E]->(c:V)-[:E]->(d:V)-[:E]->(e:V) RETURN a, b, c, d, e LIMIT 200000"
	add(User, wikiVote, "wiki-Vote",
		row{name: "nodes-to-go", rated: true, ask: output{"MATCH " + cycles + " RETURN v0, v1, v2, v3 LIMIT 10000000", typedIDs},
			ref: Reference{Want: "10000000 rows"}},
		row{name: "subgraphs-to-go", rated: true, ask: output{"MATCH DISTINCT SUBGRAPHS " + cycles + " RETURN v0, v1, v2, v3 LIMIT 2000000", typedIDs},
			ref: Reference{Want: "2000000 rows"}},
		row{name: "ids-to-go", rated: true, ask: output{ids, values}, ref: Reference{Want: "10000000 rows"}},
		row{name: "ids-to-csv", rated: true, ask: output{ids, toCSV}, ref: Reference{Want: "10000000 rows"}})
	add(User, slashdot, slashdot.name,
		row{name: "nodes-to-csv", rated: true, ask: output{nodes, toCSV}, ref: Reference{Want: "200000 rows"}})
}

// output is an asker of rows that nobody keeps.
type output struct {
	text string
	take func(ctx context.Context, o *opened, db *motif.DB, text string) (rows int, err error)
}

func (q output) prepare(_ context.Context, o *opened) (question, error) {
	db, err := o.reopen(o.store, motif.WithReadOnly())
	if err != nil {
		return nil, err
	}
	return outputRun{q, o, db}, nil
}

type outputRun struct {
	output
	o  *opened
	db *motif.DB
}

func (r outputRun) run(ctx context.Context) (answer, error) {
	n, err := r.take(ctx, r.o, r.db, r.text)
	return answer{result: fmt.Sprintf("%d rows", n), matches: float64(n)}, err
}

// values reads all values of every row.
func values(ctx context.Context, o *opened, db *motif.DB, text string) (int, error) {
	return readRows(ctx, o, db, text, func(row motif.Row) bool { return len(row.Values()) > 0 })
}

// typedIDs reads the id of each node of every row, which allocates nothing.
func typedIDs(ctx context.Context, o *opened, db *motif.DB, text string) (int, error) {
	return readRows(ctx, o, db, text, func(row motif.Row) bool {
		for i := range row.Len() {
			if _, err := row.NodeID(i); err != nil {
				return false
			}
		}
		return true
	})
}

// readRows counts the rows that read takes.
func readRows(ctx context.Context, o *opened, db *motif.DB, text string, read func(motif.Row) bool) (n int, err error) {
	rows, err := db.Query(ctx, text, nil, motif.WithTimeout(o.timeout))
	if err != nil {
		return 0, err
	}
	for row, err := range rows.All() {
		if err != nil {
			return n, err
		}
		if read(row) {
			n++
		}
	}
	return n, nil
}

// toCSV writes what `motif query -o csv` writes.
func toCSV(ctx context.Context, o *opened, db *motif.DB, text string) (int, error) {
	var out lineCounter
	s := repl.Session{DB: db, Out: &out, Err: io.Discard, Format: "csv", Timeout: o.timeout}
	err := s.Exec(ctx, text)
	return int(out) - 1, err // one line is the head
}

// lineCounter counts lines and forgets them.
type lineCounter int

func (l *lineCounter) Write(text []byte) (int, error) {
	for _, c := range text {
		if c == '\n' {
			*l++
		}
	}
	return len(text), nil
}

// addWrites adds rows that write into a new store.
func addWrites(add adder) {
	store := &graph{name: "new-store", scale: 1}
	for _, w := range []struct {
		name       string
		durability motif.Durability
		n          int // nodes that one run makes
		write      func(ctx context.Context, db *motif.DB, from, n int) error
	}{
		{"transaction", motif.DurabilitySync, 10_000, inTransaction},
		{"transaction-params", motif.DurabilitySync, 10_000, withParams},
		{"single", motif.DurabilitySync, 1_000, single},
		{"single-relaxed", motif.DurabilityRelaxed, 1_000, single},
		{"single-by-eight", motif.DurabilitySync, 2_000, byEight},
		{"batch", motif.DurabilitySync, 100_000, inBatch},
	} {
		add(User, store, "write", row{name: w.name, rated: true, ask: writing{w.durability, w.n, w.write},
			ref: Reference{Want: strconv.Itoa(w.n) + " nodes"}})
	}
}

// writing is an asker that makes n nodes with every run.
type writing struct {
	durability motif.Durability
	n          int
	write      func(ctx context.Context, db *motif.DB, from, n int) error
}

func (w writing) prepare(ctx context.Context, o *opened) (question, error) {
	dir, err := os.MkdirTemp(filepath.Dir(o.store), "written-")
	if err != nil {
		return nil, err
	}
	db, err := o.reopen(dir, motif.WithCreate(), motif.WithDurability(w.durability))
	if err != nil {
		return nil, err
	}
	_, err = db.Exec(ctx, "CREATE (:Item {id: 0, name: 'item 0'})", nil)
	return &writingRun{writing: w, o: o, db: db, made: 1}, err
}

type writingRun struct {
	writing
	o    *opened
	db   *motif.DB
	made int
}

func (r *writingRun) run(ctx context.Context) (a answer, err error) {
	ctx, stop := context.WithTimeout(ctx, r.o.timeout)
	defer stop()
	start := time.Now()
	if err := r.write(ctx, r.db, r.made, r.n); err != nil {
		return a, err
	}
	took := time.Since(start)
	rows, err := r.db.Query(ctx, "MATCH (i:Item) RETURN count(*)", nil)
	if err != nil {
		return a, err
	}
	n, err := motif.One[int64](rows)
	before := r.made
	r.made = int(n)
	return answer{result: fmt.Sprintf("%d nodes", r.made-before), matches: float64(r.n), took: took}, err
}

func createItem(i int) string { return fmt.Sprintf("CREATE (:Item {id: %d, name: 'item %d'})", i, i) }

// inTransaction runs n statements in one transaction, each with its own text.
func inTransaction(ctx context.Context, db *motif.DB, from, n int) error {
	return db.Update(ctx, func(tx *motif.Tx) error {
		for i := from; i < from+n; i++ {
			if _, err := tx.Exec(ctx, createItem(i), nil); err != nil {
				return err
			}
		}
		return nil
	})
}

// withParams runs one text n times in one transaction.
func withParams(ctx context.Context, db *motif.DB, from, n int) error {
	return db.Update(ctx, func(tx *motif.Tx) error {
		for i := from; i < from+n; i++ {
			p := motif.Params{"id": i, "name": "item " + strconv.Itoa(i)}
			if _, err := tx.Exec(ctx, "CREATE (:Item {id: $id, name: $name})", p); err != nil {
				return err
			}
		}
		return nil
	})
}

// single runs n statements, each a transaction of its own.
func single(ctx context.Context, db *motif.DB, from, n int) error {
	for i := from; i < from+n; i++ {
		if _, err := db.Exec(ctx, createItem(i), nil); err != nil {
			return err
		}
	}
	return nil
}

// byEight does as single does, with eight goroutines at once.
func byEight(ctx context.Context, db *motif.DB, from, n int) error {
	const writers = 8
	var errs [writers]error
	var group sync.WaitGroup
	for w := range writers {
		group.Go(func() { errs[w] = single(ctx, db, from+w*n/writers, n/writers) })
	}
	group.Wait()
	return errors.Join(errs[:]...)
}

// inBatch makes n nodes by one statement.
func inBatch(ctx context.Context, db *motif.DB, from, n int) error {
	text := fmt.Sprintf("UNWIND range(%d, %d) AS i CREATE (:Item {id: i, name: 'item ' + toString(i)})", from, from+n-1)
	_, err := db.Exec(ctx, text, nil)
	return err
}
