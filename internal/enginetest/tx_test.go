package enginetest

import (
	"context"
	"errors"
	"github.com/motifql/motif"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// addNode adds a node with a label in a transaction.
func addNode(t *testing.T, tx *motif.Tx, label string) {
	t.Helper()
	if _, err := tx.Query(t.Context(), "CREATE (:"+label+" {name: $name})", motif.Params{"name": label}); err != nil {
		t.Fatal(err)
	}
}

// nodes counts the nodes that a query sees.
func nodes(t *testing.T, q interface {
	Query(context.Context, string, motif.Params, ...motif.QueryOption) (*motif.Rows, error)
}) int64 {
	t.Helper()
	rows, err := q.Query(t.Context(), "MATCH (n) RETURN count(*) AS n", nil)
	if err != nil {
		t.Fatal(err)
	}
	n, err := motif.One[int64](rows)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestUpdate sees what transactions and their readers see, and that commits outlive the DB.
func TestUpdate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "db")
	db, err := motif.Open(path, motif.WithCreate())
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	reader, err := db.BeginRead(ctx)
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(ctx, func(tx *motif.Tx) error {
		addNode(t, tx, "A")
		if n := nodes(t, tx); n != 1 || !tx.Writable() {
			t.Errorf("the transaction sees %d nodes", n)
		}
		addNode(t, tx, "B")
		if n := nodes(t, db); n != 0 {
			t.Errorf("others see %d nodes", n)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if n, m := nodes(t, db), nodes(t, reader); n != 2 || m != 0 {
		t.Errorf("after the commit new readers see %d nodes, old ones %d", n, m)
	}
	reader.Rollback()
	if _, err := reader.Query(ctx, "RETURN 1 AS one", nil); !errors.Is(err, motif.ErrTxDone) {
		t.Errorf("a transaction that has ended answers: %v", err)
	}
	wrong := errors.New("wrong")
	if err := db.Update(ctx, func(tx *motif.Tx) error { addNode(t, tx, "C"); return wrong }); !errors.Is(err, wrong) {
		t.Errorf("the error of the function became %v", err)
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic is gone")
			}
		}()
		db.Update(ctx, func(tx *motif.Tx) error { addNode(t, tx, "D"); panic("wrong") })
	}()
	if n := nodes(t, db); n != 2 {
		t.Errorf("%d nodes after transactions that failed", n)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := db.BeginWrite(ctx); !errors.Is(err, motif.ErrClosed) {
		t.Errorf("a closed DB begins: %v", err)
	}

	db, err = motif.Open(path, motif.WithReadOnly())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if n := nodes(t, db); n != 2 {
		t.Errorf("%d nodes after opening again", n)
	}
	if err := db.Update(ctx, func(*motif.Tx) error { return nil }); !errors.Is(err, motif.ErrReadOnly) {
		t.Errorf("Update of a read-only DB: %v", err)
	}
}

// TestCloseWaitsForTx sees that Close waits for a transaction, which can still be committed.
func TestCloseWaitsForTx(t *testing.T) {
	db, err := motif.Open(":memory:")
	if err != nil {
		t.Fatal(err)
	}
	tx, err := db.BeginWrite(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	addNode(t, tx, "A")
	closed := make(chan error)
	go func() { closed <- db.Close() }()
	select {
	case <-closed:
		t.Fatal("Close did not wait")
	case <-time.After(20 * time.Millisecond):
	}
	if err := tx.Commit(t.Context()); err != nil {
		t.Error(err)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
}

// TestWritingQueries lets goroutines write and read at once: each statement is a transaction, and no update is lost.
func TestWritingQueries(t *testing.T) {
	db, err := motif.Open(filepath.Join(t.TempDir(), "db"), motif.WithCreate(), motif.WithDurability(motif.DurabilityRelaxed))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	ctx := t.Context()
	if _, err := db.Query(ctx, "CREATE (:Counter {n: 0})", nil); err != nil {
		t.Fatal(err)
	}
	const writers, each = 4, 15
	var group sync.WaitGroup
	for range writers {
		group.Go(func() {
			for range each {
				if _, err := db.Query(ctx, "MATCH (c:Counter) SET c.n = c.n + 1 CREATE (:Step {of: c.n})", nil); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Go(func() {
		for last := int64(0); last < writers*each && !t.Failed(); {
			rows, err := db.Query(ctx, "MATCH (c:Counter) OPTIONAL MATCH (s:Step) RETURN c.n AS n, count(s) AS steps", nil)
			if err != nil {
				t.Error(err)
				return
			}
			for row, err := range rows.All() {
				if err != nil {
					t.Error(err)
					return
				}
				n, steps := row.At(0).(int64), row.At(1).(int64)
				if n != steps || n < last {
					t.Errorf("%d steps, counter %d after %d", steps, n, last)
				}
				last = n
			}
		}
	})
	group.Wait()
}

// TestTurn sees that the time limit of a statement counts its waiting for other writers, and that readers do not wait.
func TestTurn(t *testing.T) {
	db, err := motif.Open(":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	tx, err := db.BeginWrite(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var stopped *motif.StoppedError
	if _, err := db.Query(t.Context(), "CREATE (:A)", nil, motif.WithTimeout(30*time.Millisecond)); !errors.Is(err, context.DeadlineExceeded) || !errors.As(err, &stopped) {
		t.Errorf("a statement waited past its time: %v", err)
	}
	if n := nodes(t, db); n != 0 {
		t.Errorf("%d nodes", n)
	}
	tx.Rollback()
	if _, err := db.Query(t.Context(), "CREATE (:A)", nil, motif.WithTimeout(time.Minute)); err != nil || nodes(t, db) != 1 {
		t.Errorf("after it: %v", err)
	}
}

// TestStatementFails sees that a statement that fails in a transaction leaves nothing, and that the transaction goes on.
func TestStatementFails(t *testing.T) {
	db, err := motif.Open(":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	ctx := t.Context()
	err = db.Update(ctx, func(tx *motif.Tx) error {
		if _, err := tx.Query(ctx, "CREATE (:A)", nil); err != nil {
			return err
		}
		var qe *motif.QueryError
		if _, err := tx.Query(ctx, "UNWIND [2, 1, 0] AS x CREATE (:B {y: 1 / x})", nil); !errors.As(err, &qe) {
			t.Errorf("division by zero: %v", err)
		}
		if n := nodes(t, tx); n != 1 {
			t.Errorf("%d nodes after a statement that failed", n)
		}
		rows, err := tx.Query(ctx, "UNWIND range(1, 1000) AS x CREATE (n:C {x: x}) RETURN n.x AS x", nil)
		if err != nil {
			return err
		}
		sum := int64(0)
		for x, err := range motif.Into[int64](rows) {
			if err != nil {
				return err
			}
			if _, err := tx.Query(ctx, "MATCH (c:C {x: $x}) SET c.seen = true", motif.Params{"x": x}); err != nil { // while rows are read
				return err
			}
			if sum += x; x == 10 {
				break
			}
		}
		if sum != 55 {
			t.Errorf("sum %d", sum)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if n := nodes(t, db); n != 1001 {
		t.Errorf("%d nodes", n)
	}
	err = db.View(ctx, func(tx *motif.Tx) error {
		_, err := tx.Query(ctx, "CREATE (:A)", nil)
		return err
	})
	if !errors.Is(err, motif.ErrReadOnly) {
		t.Errorf("a view writes: %v", err)
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := db.Query(cancelled, "CREATE (:A)", nil); !errors.Is(err, context.Canceled) || nodes(t, db) != 1001 {
		t.Errorf("a cancelled statement: %v", err)
	}
	stmt, err := db.Prepare(ctx, "CREATE (:A {x: $x})")
	if err != nil {
		t.Fatal(err)
	}
	for x := range 3 {
		if _, err := stmt.Query(ctx, motif.Params{"x": x}); err != nil {
			t.Fatal(err)
		}
	}
	if n := nodes(t, db); n != 1004 {
		t.Errorf("%d nodes", n)
	}
}
