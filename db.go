package motif

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/device"
	"github.com/motifql/motif/internal/exec"
	"github.com/motifql/motif/internal/hook"
	"github.com/motifql/motif/internal/sample"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/lang"
	"github.com/motifql/motif/storage"
)

// DB is an open graph store. It is safe for concurrent use.
type DB struct {
	store *storage.Store
	cfg   *config

	mu      sync.Mutex
	closed  bool
	running sync.WaitGroup // open transactions and rows
	devices device.Pool
	cleanup func() // removes a sample's folder
}

// Open opens the store in a folder. ":memory:" opens an empty one that lives as long as the DB.
//
// Open gives ErrNotStore if the folder holds no store. If the store is still empty (no load has finished, no transaction has
// changed the graph), it gives ErrNoGraph. WithCreate prevents both errors. A process that writes must be alone: Open
// gives ErrLocked while anybody else has the store open. With WithReadOnly it gives ErrLocked only while a writer has
// it open. Open repairs a store that a killed process left.
func Open(path string, opts ...Option) (*DB, error) {
	cfg, err := newConfig(opts)
	if err != nil {
		return nil, err
	}
	st, err := storage.Open(path, storage.Options{Create: cfg.create, ReadOnly: cfg.readOnly, Snapshot: cfg.snapshot, Logger: cfg.logger, Workers: cfg.workers})
	if err != nil {
		return nil, err
	}
	if path != storage.Memory && (!cfg.create || cfg.readOnly) {
		if err := st.NoGraph(); err != nil {
			st.Close()
			return nil, err
		}
	}
	return &DB{store: st, cfg: cfg, devices: device.Pool{Closed: ErrClosed}}, nil
}

// OpenSample opens the built-in sample graph in a store of its own, in a temporary folder that Close removes.
func OpenSample(opts ...Option) (*DB, error) {
	dir, err := os.MkdirTemp("", "motif-sample-")
	if err != nil {
		return nil, err
	}
	remove := func() { os.RemoveAll(dir) }
	db, err := Open(filepath.Join(dir, "sample"), append([]Option{WithCreate()}, opts...)...)
	if err != nil {
		remove()
		return nil, err
	}
	db.cleanup = remove
	if _, err := db.Load(context.Background(), sample.Spec(), LoadOptions{}); err != nil {
		db.Close()
		return nil, err
	}
	return db, nil
}

func init() {
	hook.Store = func(db any) *storage.Store { return db.(*DB).store }
	hook.View = func(db any, s *csr.Snapshot) any { return &Tx{db: db.(*DB), snap: s, end: func() {}} }
}

// Close waits for open Rows and transactions, then closes the store. A second Close does nothing.
func (db *DB) Close() error {
	db.mu.Lock()
	if db.closed {
		db.mu.Unlock()
		return nil
	}
	db.closed = true
	db.mu.Unlock()
	db.running.Wait()
	db.devices.Close()
	err := db.store.Close()
	if db.cleanup != nil {
		db.cleanup()
	}
	return err
}

// begin registers a user of the store; the returned function ends it.
func (db *DB) begin() (end func(), err error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.closed {
		return nil, ErrClosed
	}
	db.running.Add(1)
	return sync.OnceFunc(db.running.Done), nil
}

// Query runs one statement. Rows arrive while it runs; ctx must live as long as the Rows.
//
// A statement that writes runs in a transaction of its own, as in Update. When Query returns without an error, the statement has
// run to its end and is committed, whether or not anybody reads its rows.
func (db *DB) Query(ctx context.Context, text string, params Params, opts ...QueryOption) (*Rows, error) {
	began := time.Now()
	cfg, err := db.queryConfig(opts)
	if err != nil {
		return nil, err
	}
	t, err := readTask(ctx, text, params, cfg, began)
	if err != nil {
		return nil, err
	}
	return db.query(ctx, t)
}

// Exec runs one statement to its end, as Query does, and returns what the statement did. It drops the rows.
func (db *DB) Exec(ctx context.Context, text string, params Params, opts ...QueryOption) (Summary, error) {
	return drain(db.Query(ctx, text, params, opts...))
}

// query runs a task in a transaction of its own.
func (db *DB) query(ctx context.Context, t *task) (*Rows, error) {
	if t.writes() {
		return db.change(ctx, t)
	}
	tx, err := db.BeginRead(ctx)
	if err != nil {
		return nil, err
	}
	defer tx.Rollback()
	return tx.query(ctx, t)
}

// snapshot returns the current graph.
func (db *DB) snapshot(ctx context.Context) (*csr.Snapshot, error) {
	end, err := db.begin()
	if err != nil {
		return nil, err
	}
	defer end()
	return db.store.Snapshot(ctx)
}

// queryConfig applies the options of one query after the options of the DB.
func (db *DB) queryConfig(opts []QueryOption) (*queryConfig, error) {
	cfg := db.cfg.query
	for _, o := range opts {
		o.applyQuery(&cfg)
	}
	if cfg.err != nil {
		return nil, &QueryError{Code: "ArgumentError.UnknownOption", Phase: PhaseCompile, Message: cfg.err.Error(), pretty: cfg.err.Error()}
	}
	var err error
	cfg.runsOn, err = db.device(&cfg)
	return &cfg, err
}

// Params holds the parameters of a query by name, without the dollar sign. Values may be nil, booleans, integers, floats,
// strings, a Temporal, time.Time, time.Duration, pointers to these, and slices and maps of them.
type Params map[string]any

// Durability says when a committed transaction is safe; see WithDurability.
type Durability = storage.Durability

const (
	// DurabilitySync makes a committed transaction survive the loss of power. It is the default.
	DurabilitySync = storage.Sync
	// DurabilityRelaxed makes a committed transaction survive the end of the process at once. It survives a loss of power only
	// after the next commit with DurabilitySync, load, compaction or Close.
	DurabilityRelaxed = storage.Relaxed
)

// Tx is a transaction. It sees the graph as it was when the transaction began and, if it is writable, its own changes. Use a
// writable Tx from one goroutine only.
type Tx struct {
	db    *DB
	snap  *csr.Snapshot // nil in a writable transaction
	write *storage.Tx   // nil if it only reads
	end   func()        // nil for one that ends with the function it was given to
}

// View runs fn on one unchanging graph: all its queries see the same state, whatever is written meanwhile.
func (db *DB) View(ctx context.Context, fn func(*Tx) error) error {
	tx, err := db.BeginRead(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	return fn(tx)
}

// Update runs fn in a transaction that may change the graph, and commits it if fn returns nil. If fn returns an error or
// panics, nothing is changed. For an error of the commit itself, see Tx.Commit. One such transaction runs at a time; Update waits
// for its turn until ctx ends. Readers do not wait, and see the changes only after the commit.
//
// In fn, write through the Tx and not through the DB: a writing statement given to the DB would wait for this transaction to end.
func (db *DB) Update(ctx context.Context, fn func(*Tx) error) error {
	tx, err := db.BeginWrite(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := fn(tx); err != nil {
		return err
	}
	return tx.Commit(ctx)
}

// BeginRead starts a transaction that reads the current graph. Rollback or Commit must end it; Close waits for that.
func (db *DB) BeginRead(ctx context.Context) (*Tx, error) {
	end, err := db.begin()
	if err != nil {
		return nil, err
	}
	snap, err := db.store.Snapshot(ctx)
	if err != nil {
		end()
		return nil, err
	}
	return &Tx{db: db, end: end, snap: snap}, nil
}

// BeginWrite starts a transaction that may change the graph. Commit or Rollback must end it; Close waits for that. One such
// transaction runs at a time: BeginWrite waits for its turn until ctx ends.
func (db *DB) BeginWrite(ctx context.Context) (*Tx, error) {
	end, err := db.begin()
	if err != nil {
		return nil, err
	}
	write, err := db.store.Begin(ctx, db.cfg.durability)
	if err != nil {
		end()
		return nil, err
	}
	return &Tx{db: db, end: end, write: write}, nil
}

// Commit makes the changes of the transaction durable, publishes them and ends the transaction. After an error, no change is
// published. The last step writes and syncs the commit record. If that step fails, it is unknown whether the changes
// are on the disk. Then the error is a *StoreError that says so. The store refuses further writes, and queries still read the graph as it
// was before: open the store again, and look before you repeat the transaction.
func (tx *Tx) Commit(ctx context.Context) error {
	defer tx.Rollback()
	if tx.end == nil {
		return ErrTxDone
	}
	if tx.write == nil {
		return nil
	}
	return tx.write.Commit(ctx)
}

// Rollback ends the transaction and drops its changes. After Commit or Rollback it does nothing.
func (tx *Tx) Rollback() {
	if tx.end == nil {
		return
	}
	if tx.write != nil {
		tx.write.Rollback()
	}
	tx.end()
	tx.end = nil
}

// Writable reports whether the transaction may change the graph.
func (tx *Tx) Writable() bool { return tx.write != nil }

// Query is DB.Query in the transaction: the statement sees the transaction's earlier changes. A statement that writes has run to
// its end when Query returns. If the statement fails, its changes are undone, and the transaction can go on.
func (tx *Tx) Query(ctx context.Context, text string, params Params, opts ...QueryOption) (*Rows, error) {
	began := time.Now()
	cfg, err := tx.db.queryConfig(opts)
	if err != nil {
		return nil, err
	}
	t, err := readTask(ctx, text, params, cfg, began)
	if err != nil {
		return nil, err
	}
	return tx.query(ctx, t)
}

// Exec is DB.Exec in the transaction.
func (tx *Tx) Exec(ctx context.Context, text string, params Params, opts ...QueryOption) (Summary, error) {
	return drain(tx.Query(ctx, text, params, opts...))
}

// task is a statement on its way to be run.
type task struct {
	stmt   *lang.Statement
	text   string
	params Params
	cfg    *queryConfig
	parse  time.Duration
	began  time.Time
}

// readTask reads the text of a query within the limits of the query.
func readTask(ctx context.Context, text string, params Params, cfg *queryConfig, began time.Time) (*task, error) {
	ctx, stop := cfg.deadline(ctx, began)
	defer stop()
	t, err := await(ctx, func() (*task, error) {
		stmt, parsed, err := parse(ctx, text, cfg)
		return &task{stmt: stmt, text: text, params: params, cfg: cfg, parse: parsed, began: began}, err
	})
	return t, stopped(err, began)
}

// writes reports whether the task will change the graph.
func (t *task) writes() bool { return t.stmt.Explain != lang.Explain && t.stmt.Writes() }

// query runs a task in the transaction.
func (tx *Tx) query(ctx context.Context, t *task) (*Rows, error) {
	if tx.end == nil {
		return nil, ErrTxDone
	}
	snap, err := tx.snapshot(ctx)
	if err != nil {
		return nil, err
	}
	if t.writes() && tx.write == nil {
		return nil, fmt.Errorf("%w: this transaction only reads; use Update, or begin it for writing", ErrReadOnly)
	}
	clock := clock{began: t.began, load: time.Since(t.began) - t.parse, before: snap.Derivations()}
	within, stop := t.cfg.deadline(ctx, t.began)
	defer stop()
	p, err := await(within, func() (*prepared, error) { return plan(snap, t.stmt, t.text, t.cfg.planning()) })
	if err != nil {
		return nil, stopped(err, t.began)
	}
	p.parse += t.parse
	clock.prepared = p
	if !t.writes() {
		return tx.db.start(ctx, p, t.params, t.cfg, clock, nil)
	}
	return tx.change(ctx, p, t, clock)
}

// snapshot returns the graph as the transaction sees it.
func (tx *Tx) snapshot(ctx context.Context) (*csr.Snapshot, error) {
	if tx.write == nil {
		return tx.snap, nil
	}
	return tx.write.Draft().Snapshot(ctx)
}

// change runs a statement that writes to its end. If it fails, its changes are undone.
func (tx *Tx) change(ctx context.Context, p *prepared, t *task, clock clock) (*Rows, error) {
	draft := tx.write.Draft()
	before, clean := draft.Savepoint()
	if !clean {
		return nil, errors.New("the statement before left changes that this one cannot see")
	}
	rows, err := tx.db.start(ctx, p, t.params, t.cfg, clock, draft)
	if err != nil {
		return nil, err
	}
	<-rows.done
	if err := rows.Err(); err != nil {
		draft.Restore(before)
		return nil, err
	}
	return rows, nil
}

// change runs a statement that writes in a transaction of its own, which is committed when it returns.
func (db *DB) change(ctx context.Context, t *task) (*Rows, error) {
	ctx, stop := t.cfg.deadline(ctx, t.began) // the wait for other writers counts, too
	defer stop()
	tx, err := db.BeginWrite(ctx)
	if err != nil {
		return nil, stopped(err, t.began)
	}
	defer tx.Rollback()
	rows, err := tx.query(ctx, t)
	if err != nil {
		return nil, err
	}
	if err := tx.Commit(ctx); err != nil {
		return nil, stopped(err, t.began)
	}
	return rows, nil
}

// Declare makes a procedure that CALL runs:
//
//	db.Declare("my.lookup(name :: STRING) :: (id :: INTEGER?, kind :: STRING)", func(ctx context.Context, call *motif.Call) error { ... })
//
// The signature names arguments and columns with their types: ANY, BOOLEAN, INTEGER, FLOAT, NUMBER, STRING, LIST, MAP, NODE,
// RELATIONSHIP or PATH. A type with a question mark, such as INTEGER?, also admits null.
//
// run scans the arguments of the call and emits its rows. It is called once per incoming row; concurrent queries call it
// concurrently. ctx ends with the query. An error of run ends the query; so does a panic, as a *PanicError. A second Declare
// replaces a declared procedure of the same name. Built-in procedures cannot be replaced.
func (db *DB) Declare(signature string, run func(ctx context.Context, call *Call) error) error {
	p, err := lang.ParseSignature(signature)
	if err != nil {
		return err
	}
	if lang.FindProcedure(p.Name) != nil {
		return fmt.Errorf("%s is a procedure of the language", p.Name)
	}
	width := len(p.Columns)
	p.Impl = exec.Declared(func(ctx context.Context, s *csr.Snapshot, args []value.Value, give func([]value.Value) (bool, error)) error {
		call := &Call{ctx: ctx, args: Row{values: args, snap: s}, row: make([]value.Value, width), give: give}
		err := call.run(p.Name, run)
		switch {
		case call.ended != nil: // whatever run made of it
			return call.ended
		case err == nil || errors.Is(err, errEnough):
			return nil
		}
		return fmt.Errorf("%s: %w", p.Name, err)
	})
	db.cfg.query.declared.Add(p)
	return nil
}

// Call is one call of a declared procedure. Use it on the goroutine that runs the procedure.
type Call struct {
	ctx    context.Context
	args   Row
	row    []value.Value
	rows   int
	give   func([]value.Value) (bool, error)
	giving bool  // the query, not the procedure, is at work
	ended  error // the query's own error
	enough bool  // the query wants no more rows
}

// errEnough tells a procedure that the query wants no more rows.
var errEnough = errors.New("the query wants no more rows")

// run calls a procedure and makes a panic in it an error.
func (c *Call) run(name string, f func(context.Context, *Call) error) (err error) {
	defer func() {
		if c.giving {
			return // a panic of the query itself goes on
		}
		if v := recover(); v != nil {
			err = newPanicError("the procedure "+name, v)
		}
	}()
	return f(c.ctx, c)
}

// Args returns the arguments in order, as Row.At gives values.
func (c *Call) Args() []any { return c.args.Values() }

// Scan copies the arguments into pointers, one for each, by the rules of Row.Scan.
func (c *Call) Scan(dst ...any) error { return c.args.Scan(dst...) }

// Emit gives the query a row: a value for every column, of a type that Params allows. An error of Emit says that the query has
// ended, that it wants no more rows, or that a value does not fit; return the error from the procedure.
func (c *Call) Emit(values ...any) error {
	if len(values) != len(c.row) {
		return fmt.Errorf("row %d has %d values for %d columns", c.rows, len(values), len(c.row))
	}
	for i, x := range values {
		v, err := toValue(x)
		if err != nil {
			return fmt.Errorf("row %d, column %d: %w", c.rows, i, err)
		}
		c.row[i] = v
	}
	if c.ended == nil {
		c.ended = c.ctx.Err()
	}
	switch {
	case c.ended != nil:
		return c.ended
	case c.enough:
		return errEnough
	}
	c.rows++
	c.giving = true
	more, err := c.give(c.row)
	c.giving = false
	if c.ended, c.enough = err, !more; err == nil && !more {
		return errEnough
	}
	return err
}
