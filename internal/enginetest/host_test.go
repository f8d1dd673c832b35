package enginetest

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"math"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/motifql/motif"
)

// The embedding program is the host of the engine. No call may end it, hang it or spoil its data.

type (
	pointsToItself *pointsToItself
	listOfItself   []listOfItself
	embedsTemporal struct{ motif.Temporal }
)

// hostileParams are parameters that no query can take, by what the error says.
func hostileParams() map[string]any {
	loop := map[string]any{}
	loop["a"] = []any{1, loop}
	var pointer pointsToItself
	pointer = &pointer
	list := listOfItself{nil}
	list[0] = list
	wide := make([]any, 5)
	for i := range wide {
		wide[i] = wide
	}
	var anything any
	anything = &anything
	deep := any(1)
	for range 1001 {
		deep = []any{deep}
	}
	return map[string]any{
		"map contains itself":   loop,
		"pointer contains it":   pointer,
		"list contains itself":  list,
		"wide contains itself":  wide,
		"any contains itself":   &anything,
		"deep is nested more":   deep,
		"channel cannot be":     make(chan int),
		"function cannot be":    func() {},
		"struct cannot be":      struct{ X int }{},
		"complex cannot be":     complex(1, 2),
		"keys must be strings":  map[int]int{1: 2},
		"uint does not fit":     uint64(math.MaxUint64),
		"text not valid UTF-8":  "a\xffb",
		"inner not valid UTF-8": []any{map[string]any{"k": "\xc3"}},
		"key not valid UTF-8":   map[string]any{"\xff": 1},
		"year":                  motif.Date{Year: math.MaxInt, Month: 1, Day: 1},
		"month":                 motif.Date{Year: 1, Month: -5, Day: 1},
		"hour":                  motif.LocalTime{Hour: 99},
		"offset":                motif.OffsetTime{Offset: math.MaxInt},
		"instant":               time.Unix(math.MaxInt64/2, 0),
		"a nil Temporal within": embedsTemporal{},
		"a pointer to one":      &embedsTemporal{},
		"nanoseconds too many":  motif.Duration{Seconds: math.MaxInt64, Nanoseconds: math.MaxInt},
		"a node cannot be":      motif.Node{},
		"pointer to channel":    new(chan int),
		"list of functions":     []func(){nil},
		"Tx cannot be":          &motif.Tx{},
		"a map with a nil chan": map[string]any{"c": (chan int)(nil)},
		"pointer to nothing":    new(struct{}),
	}
}

// TestHostileParams gives queries, procedures and saved queries parameters that contain themselves, are too deep, out of range
// or of types without a value. Each is an error that names the parameter.
func TestHostileParams(t *testing.T) {
	db := memoryDB(t, edges("1 2\n"))
	if err := db.Declare("my.emit() :: (x :: ANY?)", func(_ context.Context, call *motif.Call) error {
		return call.Emit(current)
	}); err != nil {
		t.Fatal(err)
	}
	for what, x := range hostileParams() {
		_, err := db.Exec(t.Context(), "RETURN $p AS p", motif.Params{"p": x})
		var qe *motif.QueryError
		if !errors.As(err, &qe) || qe.Code != "ArgumentError.InvalidParameter" || !strings.Contains(err.Error(), "parameter $p") || len(err.Error()) > 500 {
			t.Errorf("%s: %v", what, err)
		}
		current = x
		if _, err := db.Exec(t.Context(), "CALL my.emit() YIELD x RETURN x", nil); err == nil {
			t.Errorf("a procedure emits: %s", what)
		}
		if err := db.SaveQuery(t.Context(), "q", "RETURN $p AS p", motif.Params{"p": x}); err != nil {
			t.Errorf("saving a query with it, %s: %v", what, err)
		}
		saved := &motif.SavedQuery{Name: "q", Params: []motif.SavedParam{{Name: "p", Type: "integer"}}}
		if err := motif.CheckParams(saved, motif.Params{"p": x}); err == nil || len(err.Error()) > 500 {
			t.Errorf("CheckParams, %s: %v", what, err)
		}
	}
	if _, err := db.Exec(t.Context(), "RETURN 1 AS x", motif.Params{"\xff": 1}); err == nil || !strings.Contains(err.Error(), "UTF-8") {
		t.Errorf("a name that is not UTF-8: %v", err)
	}
}

var current any // what the procedure of TestHostileParams emits

// TestUnusualParams gives queries parameters that are unusual and have a value.
func TestUnusualParams(t *testing.T) {
	db := memoryDB(t, edges("1 2\n"))
	shared := []any{1}
	deep := any(1)
	for range 999 {
		deep = []any{deep}
	}
	type text string
	for what, x := range map[string]any{
		"nan": math.NaN(), "infinity": math.Inf(-1), "nil date": (*motif.Date)(nil), "nil temporal": (*embedsTemporal)(nil), "nil time": (*time.Time)(nil),
		"nil map": map[string]any(nil), "nil list": []any(nil), "shared": []any{shared, shared, []any{shared}}, "deep": deep, "empties": []any{[]any{}, []any{}, [][]any{{}}},
		"bytes": []byte("a\xff"), "zero date time": motif.DateTime{}, "named": text("x"), "pointer": &shared, "array": [2]int{1, 2}, "uint": uint64(math.MaxInt64),
		"zone": time.Now().In(time.FixedZone("\xff", 3600)), "no map": motif.Params{"a": nil},
	} {
		if _, err := db.Exec(t.Context(), "RETURN $p AS p, [$p] AS l, toStringOrNull($p) AS s, $p = $p AS same", motif.Params{"p": x}); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		_, err := db.Exec(t.Context(), "CREATE (:P {p: $p})", motif.Params{"p": x})
		var internal *motif.InternalError
		if errors.As(err, &internal) {
			t.Errorf("%s: %v\n%s", what, err, internal.Stack)
		}
	}
}

// A parameter without a loop can stand for any number of values: the context ends its conversion.
func TestParamsEndWithContext(t *testing.T) {
	db := memoryDB(t, edges("1 2\n"))
	x := []any{1}
	for range 60 {
		x = []any{x, x}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := db.Exec(ctx, "RETURN $x AS x", motif.Params{"x": x}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	if _, err := db.Exec(t.Context(), "RETURN $x AS x", motif.Params{"x": x}, motif.WithTimeout(50*time.Millisecond)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("with a time limit: %v", err)
	}
}

// Text that is not UTF-8 is refused wherever it enters.
func TestInvalidText(t *testing.T) {
	db, err := motif.Open(":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	ctx := t.Context()
	for _, text := range []string{"RETURN '\xff'", "CREATE (:`\xff`)", "CREATE (:A {`\xc3`: 1})", "RETURN 1 // \xff", "\xff", "MATCH (`\xff`) RETURN 1", "CALL `\xff`()"} {
		if _, err := db.Exec(ctx, text, nil); err == nil {
			t.Errorf("%q runs", text)
		}
	}
	if err := db.SaveQuery(ctx, "\xff", "RETURN 1", nil); err == nil {
		t.Error("a query is saved under a name that is not UTF-8")
	}
	if err := db.Declare("my.\xff() :: (n :: INTEGER)", func(context.Context, *motif.Call) error { return nil }); err == nil {
		t.Error("a procedure is declared under a name that is not UTF-8")
	}
	for _, file := range []string{"\xff,2\n", "1,\xc3\n"} {
		if _, err := db.Load(ctx, motif.LoadSpec{Files: []string{"a.csv"}, FS: fstest.MapFS{"a.csv": {Data: []byte("a,b\n" + file)}}}, motif.LoadOptions{}); err == nil {
			t.Errorf("%q is loaded", file)
		}
	}
	if n := nodes(t, db); n != 0 {
		t.Errorf("%d nodes", n)
	}
}

// bounded fails the test if fn takes longer than d.
func bounded(t *testing.T, d time.Duration, what string, fn func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); fn() }()
	select {
	case <-done:
	case <-time.After(d):
		buf := make([]byte, 1<<20)
		t.Fatalf("%s hangs\n%s", what, buf[:runtime.Stack(buf, true)])
	}
}

// TestTxBusy lets goroutines use one writable transaction at once. Each call either does its work whole or gives ErrTxBusy; no
// write that was acknowledged is lost.
func TestTxBusy(t *testing.T) {
	db, err := motif.Open(":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	ctx := t.Context()
	written, busy := 0, 0
	err = db.Update(ctx, func(tx *motif.Tx) error {
		var mu sync.Mutex
		var group sync.WaitGroup
		for range 4 {
			group.Go(func() {
				for range 25 {
					_, err := tx.Exec(ctx, "UNWIND range(1, 20) AS x CREATE (:A {x: x})", nil)
					mu.Lock()
					switch {
					case err == nil:
						written++
					case errors.Is(err, motif.ErrTxBusy):
						busy++
					default:
						t.Error(err)
					}
					mu.Unlock()
					if _, err := tx.Query(ctx, "MATCH (a:A) RETURN count(*)", nil); err != nil && !errors.Is(err, motif.ErrTxBusy) {
						t.Error(err)
					}
				}
			})
		}
		group.Wait()
		return nil
	})
	if n := nodes(t, db); err != nil || n != int64(20*written) || written == 0 {
		t.Errorf("%v: %d nodes after %d statements, %d were refused", err, n, written, busy)
	}
	// A procedure that uses the transaction of the statement which calls it.
	tx, err := db.BeginWrite(ctx)
	if err != nil {
		t.Fatal(err)
	}
	var inner, commit error
	if err := db.Declare("my.tx() :: (n :: INTEGER)", func(ctx context.Context, call *motif.Call) error {
		_, inner = tx.Exec(ctx, "CREATE (:B)", nil)
		commit = tx.Commit(ctx)
		return call.Emit(1)
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(ctx, "CALL my.tx() YIELD n CREATE (:C)", nil); err != nil || !errors.Is(inner, motif.ErrTxBusy) || !errors.Is(commit, motif.ErrTxBusy) {
		t.Errorf("a procedure writes in its own transaction: %v, %v, %v", err, inner, commit)
	}
	if err := tx.Commit(ctx); err != nil {
		t.Error(err)
	}
}

// Rollback in one goroutine stops the statement of another, and the next writer gets its turn.
func TestRollbackWhileBusy(t *testing.T) {
	db, err := motif.Open(":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	tx, err := db.BeginWrite(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	began := make(chan struct{})
	if err := db.Declare("my.began() :: (n :: INTEGER)", func(_ context.Context, call *motif.Call) error { close(began); return call.Emit(1) }); err != nil {
		t.Fatal(err)
	}
	failed := make(chan error)
	go func() {
		_, err := tx.Exec(context.Background(), "CALL my.began() YIELD n UNWIND range(1, 100000) AS x UNWIND range(1, 100000) AS y WITH x WHERE x < 0 CREATE (:A)", nil)
		failed <- err
	}()
	<-began
	tx.Rollback()
	bounded(t, 10*time.Second, "the statement", func() {
		if err := <-failed; !errors.Is(err, motif.ErrTxDone) {
			t.Errorf("the statement: %v", err)
		}
		if _, err := db.Exec(t.Context(), "CREATE (:B)", nil); err != nil {
			t.Errorf("the next writer: %v", err)
		}
	})
	if _, err := tx.Exec(t.Context(), "CREATE (:A)", nil); !errors.Is(err, motif.ErrTxDone) {
		t.Errorf("afterwards: %v", err)
	}
}

// TestInsideUpdate calls in the function of Update what would end its transaction early, or wait for it for ever.
func TestInsideUpdate(t *testing.T) {
	db, err := motif.Open(":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	ctx := context.Background()
	bounded(t, 30*time.Second, "a call inside Update", func() {
		err := db.Update(ctx, func(tx *motif.Tx) error {
			if err := tx.Commit(ctx); err == nil {
				t.Error("Commit inside Update")
			}
			for what, err := range map[string]error{
				"Update":      db.Update(ctx, func(*motif.Tx) error { return nil }),
				"SaveQuery":   db.SaveQuery(ctx, "a", "RETURN 1", nil),
				"ForgetQuery": db.ForgetQuery(ctx, "a"),
				"Exec":        second(db.Exec(ctx, "CREATE (:B)", nil)),
				"BeginWrite":  second(db.BeginWrite(ctx)),
				"Load":        second(db.Load(ctx, edges("1 2\n"), motif.LoadOptions{Replace: true})),
				"Restore":     second(db.Restore(ctx, strings.NewReader(""))),
				"Close":       db.Close(),
			} {
				if err == nil || errors.Is(err, motif.ErrClosed) {
					t.Errorf("%s inside Update: %v", what, err)
				}
			}
			if n := nodes(t, db); n != 0 {
				t.Errorf("%d nodes", n)
			}
			addNode(t, tx, "A")
			return nil
		})
		if n := nodes(t, db); err != nil || n != 1 {
			t.Errorf("%v: %d nodes", err, n)
		}
		err = db.Update(ctx, func(tx *motif.Tx) error { addNode(t, tx, "A"); tx.Rollback(); return nil })
		if n := nodes(t, db); !errors.Is(err, motif.ErrTxDone) || n != 1 {
			t.Errorf("Rollback inside Update: %v, %d nodes", err, n)
		}
		err = db.View(ctx, func(tx *motif.Tx) error {
			if tx.Commit(ctx) == nil {
				t.Error("Commit inside View")
			}
			tx.Rollback()
			_, err := tx.Exec(ctx, "RETURN 1 AS x", nil)
			return err
		})
		if !errors.Is(err, motif.ErrTxDone) {
			t.Errorf("after Rollback inside View: %v", err)
		}
		other, err := motif.Open(":memory:")
		if err != nil {
			t.Fatal(err)
		}
		defer other.Close()
		err = db.Update(ctx, func(*motif.Tx) error {
			return other.Update(ctx, func(tx *motif.Tx) error { addNode(t, tx, "A"); return nil })
		})
		if err != nil || nodes(t, other) != 1 {
			t.Errorf("Update of another DB inside Update: %v", err)
		}
	})
}

func second[T any](_ T, err error) error { return err }

// TestCloseEndsRows closes a DB with open rows, readers, exports and a transaction that its goroutine has forgotten.
func TestCloseEndsRows(t *testing.T) {
	db := memoryDB(t, edges(complete(60)))
	ctx := context.Background()
	rows := query(t, db, endless)
	idle := query(t, db, "UNWIND range(1, 100000) AS x UNWIND range(1, 100000) AS y RETURN x")
	if !idle.Next() {
		t.Fatal(idle.Err())
	}
	read, err := db.BeginRead(ctx)
	if err != nil {
		t.Fatal(err)
	}
	exported := make(chan error)
	go func() {
		_, err := db.Export(ctx, motif.ExportOptions{Format: "jsonl", Writer: slowWriter{}})
		exported <- err
	}()
	time.Sleep(20 * time.Millisecond)
	began := time.Now()
	bounded(t, 8*time.Second, "Close", func() {
		if err := db.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	if d := time.Since(began); d > 2*time.Second {
		t.Errorf("Close took %v", d)
	}
	bounded(t, 5*time.Second, "the rows", func() {
		for idle.Next() {
		}
		for rows.Next() {
		}
		for _, r := range []*motif.Rows{idle, rows} {
			if err := r.Err(); !errors.Is(err, motif.ErrClosed) {
				t.Errorf("the rows: %v", err)
			}
			if err := r.Close(); !errors.Is(err, motif.ErrClosed) {
				t.Errorf("closing the rows: %v", err)
			}
		}
		if err := <-exported; !errors.Is(err, motif.ErrClosed) {
			t.Errorf("the export: %v", err)
		}
	})
	if _, err := read.Query(ctx, "RETURN 1 AS x", nil); !errors.Is(err, motif.ErrClosed) {
		t.Errorf("the transaction that reads: %v", err)
	}
	read.Rollback()
}

type slowWriter struct{}

func (slowWriter) Write(p []byte) (int, error) {
	time.Sleep(200 * time.Millisecond)
	return len(p), nil
}

// Close rolls back a transaction that nobody ends. It gives ErrBusy while a call does not return, and a later Close ends it.
func TestCloseEndsTx(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for the limits of Close")
	}
	db, err := motif.Open(":memory:")
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	tx, err := db.BeginWrite(ctx)
	if err != nil {
		t.Fatal(err)
	}
	addNode(t, tx, "A")
	hold, began := make(chan struct{}), make(chan struct{}, 1)
	backup := make(chan error, 1)
	go func() {
		_, err := db.Backup(ctx, writerFunc(func([]byte) (int, error) {
			began <- struct{}{}
			<-hold
			return 0, errors.New("late")
		}))
		backup <- err
	}()
	select {
	case <-began:
	case err := <-backup:
		t.Fatalf("the backup wrote nothing: %v", err)
	}
	bounded(t, 15*time.Second, "Close", func() {
		if err := db.Close(); !errors.Is(err, motif.ErrBusy) {
			t.Errorf("Close: %v", err)
		}
	})
	if err := tx.Commit(ctx); !errors.Is(err, motif.ErrClosed) {
		t.Errorf("the transaction: %v", err)
	}
	close(hold)
	if err := <-backup; err == nil {
		t.Error("the backup has no error")
	}
	bounded(t, 15*time.Second, "the second Close", func() {
		if err := db.Close(); err != nil {
			t.Errorf("the second Close: %v", err)
		}
	})
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// TestCloseConcurrently closes a DB from several goroutines while others query and write.
func TestCloseConcurrently(t *testing.T) {
	for range 20 {
		db := memoryDB(t, edges(complete(20)))
		var group sync.WaitGroup
		ctx := context.Background()
		for i := range 4 {
			group.Go(func() {
				for {
					var err error
					if i%2 == 0 {
						_, err = db.Exec(ctx, "MATCH (a)--(b)--(c) RETURN a, b, c", nil)
					} else {
						_, err = db.Exec(ctx, "CREATE (:A)", nil)
					}
					if err != nil {
						if !errors.Is(err, motif.ErrClosed) {
							t.Error(err)
						}
						return
					}
				}
			})
		}
		for range 2 {
			group.Go(func() {
				time.Sleep(5 * time.Millisecond)
				if err := db.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		bounded(t, 20*time.Second, "Close", group.Wait)
	}
}

// TestCallbackPanics lets everything that a program hands in panic. Each is a *PanicError of the call, and the DB stays usable.
func TestCallbackPanics(t *testing.T) {
	db := memoryDB(t, edges(complete(10)))
	ctx := t.Context()
	bad := writerFunc(func([]byte) (int, error) { panic("writer") })
	_, backup := db.Backup(ctx, bad)
	_, export := db.Export(ctx, motif.ExportOptions{Format: "jsonl", Writer: bad})
	empty, err := motif.Open(":memory:", motif.WithCreate())
	if err != nil {
		t.Fatal(err)
	}
	defer empty.Close()
	_, restore := empty.Restore(ctx, readerFunc(func([]byte) (int, error) { panic("reader") }))
	_, load := empty.Load(ctx, motif.LoadSpec{Files: []string{"a.csv"}, FS: panicFS{}}, motif.LoadOptions{})
	for what, err := range map[string]error{"backup": backup, "export": export, "restore": restore, "load": load} {
		var panicked *motif.PanicError
		if !errors.As(err, &panicked) || len(panicked.Stack) == 0 {
			t.Errorf("%s: %v", what, err)
		}
	}
	_, short := db.Backup(ctx, writerFunc(func(p []byte) (int, error) { return -5, nil }))
	_, long := empty.Restore(ctx, readerFunc(func(p []byte) (int, error) { return len(p) + 5, nil }))
	if short == nil || long == nil {
		t.Errorf("a writer and a reader that lie: %v, %v", short, long)
	}
	func() { // a consumer that panics, and one that leaves
		defer func() { _ = recover() }()
		for range query(t, db, endless).All() {
			panic("consumer")
		}
	}()
	for range query(t, db, "MATCH (a)--(b) RETURN a, b").All() {
		break
	}
	if n := nodes(t, db); n != 10 {
		t.Errorf("%d nodes", n)
	}
	if n := nodes(t, empty); n != 0 {
		t.Errorf("%d nodes in the store that nothing was loaded into", n)
	}
}

type panicFS struct{}

func (panicFS) Open(string) (fs.File, error) { panic("file system") }

// A handler that panics does not stop what logs.
func TestLoggerPanics(t *testing.T) {
	db, err := motif.Open(t.TempDir()+"/db", motif.WithCreate(), motif.WithLogger(slog.New(panicHandler{})), motif.WithLogger(slog.New(panicHandler{}).With("a", 1)))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Load(t.Context(), edges(complete(30)), motif.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(t.Context(), "MATCH (n) SET n.x = 1", nil); err != nil {
		t.Error(err)
	}
}

type panicHandler struct{}

func (panicHandler) Enabled(context.Context, slog.Level) bool  { return true }
func (panicHandler) Handle(context.Context, slog.Record) error { panic("handler") }
func (h panicHandler) WithAttrs([]slog.Attr) slog.Handler      { return h }
func (h panicHandler) WithGroup(string) slog.Handler           { return h }

// A procedure may leave by runtime.Goexit, as t.FailNow does, emit from another goroutine, and emit after its return.
func TestProcedureMisbehaves(t *testing.T) {
	db := memoryDB(t, edges("1 2\n"))
	ctx := t.Context()
	var kept *motif.Call
	declare := func(name string, f func(context.Context, *motif.Call) error) {
		if err := db.Declare(name+"() :: (n :: INTEGER)", f); err != nil {
			t.Fatal(err)
		}
	}
	declare("my.exits", func(context.Context, *motif.Call) error { runtime.Goexit(); return nil })
	declare("my.keeps", func(_ context.Context, call *motif.Call) error { kept = call; return call.Emit(1) })
	declare("my.shares", func(_ context.Context, call *motif.Call) error {
		var group sync.WaitGroup
		for i := range 8 {
			group.Go(func() { _ = call.Emit(i) })
		}
		group.Wait()
		return nil
	})
	bounded(t, 10*time.Second, "a procedure", func() {
		if _, err := db.Exec(ctx, "CALL my.exits() YIELD n RETURN n", nil); err == nil {
			t.Error("a procedure that leaves by Goexit ends its query without an error")
		}
		if _, err := db.Exec(ctx, "CALL my.keeps() YIELD n RETURN n", nil); err != nil || kept.Emit(2) == nil {
			t.Errorf("a row after the return: %v", err)
		}
		if sum, err := db.Exec(ctx, "CALL my.shares() YIELD n RETURN n", nil); err != nil || sum.Rows < 1 || sum.Rows > 8 {
			t.Errorf("%d rows from several goroutines, %v", sum.Rows, err)
		}
	})
	// A progress function that does not return holds up nothing.
	hold := make(chan struct{})
	defer close(hold)
	bounded(t, 10*time.Second, "the query", func() {
		rows := query(t, db, "UNWIND range(1, 3000000) AS x WITH x WHERE x < 0 RETURN x", motif.WithProgress(func(motif.Progress) { <-hold }))
		if rows.Next() || rows.Err() != nil {
			t.Error(rows.Err())
		}
	})
}

// A value that nests too deep is an error: whoever walks through it would exhaust the stack, which no program survives.
func TestDeepValues(t *testing.T) {
	db := memoryDB(t, edges("1 2\n"))
	for _, step := range []string{"[s]", "{a: s}", "s{b: s}", "COLLECT { RETURN s }", "[x IN [1] | s]", "[s] + [1]"} {
		for _, use := range []string{"size(collect(DISTINCT x))", "x = x", "x"} {
			text := "WITH reduce(s = {a: 1}, i IN range(1, 3000000) | " + step + ") AS x RETURN " + use + " AS y"
			_, err := db.Exec(t.Context(), text, nil)
			var qe *motif.QueryError
			if !errors.As(err, &qe) || !strings.Contains(err.Error(), "levels deep") {
				t.Errorf("%s: %v", text, err)
			}
			text = strings.Replace(text, "3000000", "9000", 1)
			if _, err := db.Exec(t.Context(), text, nil); err != nil && !strings.Contains(step, "s{") {
				t.Errorf("%s: %v", text, err)
			}
		}
	}
}
