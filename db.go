// Package motif is a subgraph matching engine with a query language. A program gives it a pattern as text and gets
// every place in the graph where the pattern occurs.
//
// A graph lives in a local store. Motif checks and plans a query, finds candidates for each of the pattern's nodes, joins the
// candidates or hands them to a kernel for cliques, and gives the matches as rows:
//
//	db, err := motif.Open("graph.db")
//	if err != nil {
//		return err
//	}
//	defer db.Close()
//	rows, err := db.Query(ctx, "MATCH (a:Person)-[:KNOWS]->(b) WHERE a.age > $min RETURN a, b", motif.Params{"min": 30})
//	if err != nil {
//		return err
//	}
//	for row, err := range rows.All() {
//		...
//	}
//
// # Stores
//
// Open opens a store, or makes one with WithCreate. Load fills it from graph files, Restore from a backup. CREATE and other
// statements fill it piece by piece. Export and Backup write the graph out; Check verifies the store; Diff compares two graphs.
// OpenSample opens a small graph to play with. A DB is safe for concurrent use.
//
// # Queries
//
// DB.Query gives rows while the query runs. DB.Exec runs a statement to its end and returns what the statement did. DB.Prepare checks and
// plans a statement once. DB.Explain returns the plan. Into, One and Rows.Scan put rows into Go values: numbers, strings,
// lists, times, and structs that take the properties of a node.
//
// CALL runs graph algorithms: cores, trusses, cliques, triangles, components, distances, shortest paths. DB.Declare adds a
// procedure of your own.
//
//	rows, err := db.Query(ctx, "CALL algo.kcore() YIELD node, core RETURN core, count(*)", nil)
//
// # Transactions
//
// Each statement is a transaction. DB.Update makes several statements one; DB.View lets several queries see one state. To begin
// and commit a transaction yourself, without a callback, use DB.BeginWrite and DB.BeginRead. One transaction writes at a time, and
// readers of the same DB never wait: they see the graph as it was when they began. While a process has a store open for writing,
// other processes can only read it; see WithReadOnly. With WithSharing, several processes write in turns. A committed transaction
// survives the loss of power; see WithDurability.
//
//	err := db.Update(ctx, func(tx *motif.Tx) error {
//		_, err := tx.Exec(ctx, "MATCH (p:Person {name: 'Ann'}) SET p.age = 31", nil)
//		return err
//	})
//
// # Limits and choices
//
// A query ends with its context. WithTimeout, WithMaxRows and WithMemory bound it; the time and the memory may
// run out before the first row, too. The *StoppedError says how far the query came. A mistake in a query is a *QueryError with its place and a hint.
//
// A query reads only the files that WithFiles allows; without WithFiles it reads none.
//
// No call of this package ends your program, not even by a panic. A panic in a function of the program that Motif called is a *PanicError. An *InternalError is a
// fault of Motif. DB.Close ends what is still open.
//
// Motif chooses how to match a query. WithOrder, WithFilter, WithKernel, WithDevice, WithoutTechniques and WithWorkers override
// the choice, for tests and measurements. None of them changes an answer. Summary describes what a query did.
//
// # Version 1
//
// Until version 1 any release may change the API; the changelog says so. From version 1 on these stay compatible:
//
//   - what this package exports, with the types that it takes from packages storage, importer and exporter;
//   - the language as docs/language.md, docs/functions.md and docs/procedures.md describe it, except for the values of knobs;
//   - stores and backups: a later release opens what an earlier release wrote;
//   - the codes of a QueryError, and the command's flags, output formats and exit statuses.
//
// These may change in any release: the text of messages, plans and profiles; estimates; the names of stages and techniques and
// the values of knobs; the order of rows that a query does not sort; and the other packages of the module, lang included.
package motif

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/device"
	"github.com/motifql/motif/internal/exec"
	"github.com/motifql/motif/internal/hook"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/sample"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/lang"
	"github.com/motifql/motif/planner"
	"github.com/motifql/motif/storage"
)

// DB is an open graph store. It is safe for concurrent use. A method of a nil DB, or of one that Open has not returned, gives
// ErrClosed.
type DB struct {
	store *storage.Store
	cfg   *config

	mu      sync.Mutex
	closed  bool              // nothing new begins
	uses    map[*use]struct{} // what keeps the store open
	idle    chan struct{}     // closed when the last use ends; nil: nobody waits for that
	closing sync.Mutex        // held by Close
	shut    bool              // the store is closed
	devices device.Pool
	plans   planner.Cache[*prepared] // of statements that were run as text
	lifted  planner.Cache[lifted]    // likewise, by the text without literals
	cleanup func()                   // removes a sample's folder

	projections pattern.Projections // made by gds.graph.project
}

// Open opens the store in a folder. ":memory:" opens an empty one that lives as long as the DB.
//
// Open gives ErrNotStore if the folder holds no store. If the store is still empty (no load has finished, no transaction has
// changed the graph), it gives ErrNoGraph. WithCreate prevents both errors. One process writes at a time: Open gives ErrLocked
// while another has the store open for writing. WithReadOnly and WithSharing work beside a writer. Open repairs a store that
// a killed process left, except with WithReadOnly, which then reads it as it is. Open refuses a damaged store: no repair is safe then.
func Open(path string, opts ...Option) (*DB, error) {
	cfg, err := newConfig(opts)
	if err != nil {
		return nil, err
	}
	st, err := storage.Open(path, storage.Options{Create: cfg.create, ReadOnly: cfg.readOnly, Snapshot: cfg.snapshot, Shared: cfg.readOnly || cfg.sharing, Logger: cfg.logger, Workers: cfg.workers, Flat: cfg.mapping, Partial: cfg.partial})
	if err != nil {
		return nil, err
	}
	if path != storage.Memory && (!cfg.create || cfg.readOnly) {
		if err := st.NoGraph(); err != nil {
			st.Close()
			return nil, err
		}
	}
	return &DB{store: st, cfg: cfg, uses: make(map[*use]struct{}), devices: device.Pool{Closed: ErrClosed}}, nil
}

// OpenSample opens the built-in sample graph in a store of its own, in a temporary folder that Close removes. In WebAssembly, which keeps no store
// on disk, the store is in memory.
func OpenSample(opts ...Option) (*DB, error) {
	path, remove := storage.Memory, func() {}
	if storage.OnDisk {
		dir, err := os.MkdirTemp("", "motif-sample-")
		if err != nil {
			return nil, err
		}
		path, remove = filepath.Join(dir, "sample"), func() { os.RemoveAll(dir) }
	}
	db, err := Open(path, append([]Option{WithCreate()}, opts...)...)
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

// kind says what a use of the store needs, and so what Close does about it.
type kind uint8

const (
	inMemory kind = iota // it reads a graph that stays in memory without the store
	reads                // it reads the store
	writes               // it may change the store
)

// use is what keeps the store open: open Rows, a transaction, or a call.
type use struct {
	kind kind
	stop func(error) // asks it to end
}

// closeWait is how long Close waits for what writes to end, and then for what it has told to end.
const closeWait = 5 * time.Second

// Close ends what uses the DB and closes the store. Open Rows, transactions that read, Backup, Check and Export end at once with
// ErrClosed. What writes has 5 seconds: Load, Restore and statements to end, a writing transaction to finish its running
// statement and commit. It cannot start another statement. Then Close rolls back the rest. Nothing new begins meanwhile.
//
// Close gives ErrBusy if a call has not ended after another 5 seconds: for example, if it waits for a function of your program. The
// store is still open then. Call Close again. After a Close that gave no ErrBusy, Close does nothing.
func (db *DB) Close() error {
	if !db.opened() {
		return errNotOpened
	}
	if db.insideUpdate() {
		return fmt.Errorf("%w: Close was called inside Update", ErrBusy)
	}
	db.closing.Lock()
	defer db.closing.Unlock()
	if db.shut {
		return nil
	}
	if n := db.endUses(); n > 0 {
		return fmt.Errorf("%w: %d calls or transactions have not ended", ErrBusy, n)
	}
	db.shut = true
	db.devices.Close()
	err := db.store.Close()
	if db.cleanup != nil {
		db.cleanup()
	}
	return err
}

// endUses ends all uses of the store and returns how many are left.
func (db *DB) endUses() int {
	db.mu.Lock()
	db.closed = true
	db.mu.Unlock()
	db.stopUses(func(k kind) bool { return k != writes })
	db.await(grace)
	db.mu.Lock()
	for u := range db.uses { // it may still be deriving something from the graph in memory
		if u.kind == inMemory {
			db.forget(u)
		}
	}
	db.mu.Unlock()
	if db.await(closeWait) > 0 {
		db.stopUses(func(kind) bool { return true })
		return db.await(closeWait)
	}
	return 0
}

// stopUses asks the uses of some kinds to end.
func (db *DB) stopUses(which func(kind) bool) {
	db.mu.Lock()
	list := slices.Collect(maps.Keys(db.uses))
	db.mu.Unlock()
	for _, u := range list {
		if which(u.kind) {
			u.stop(ErrClosed)
		}
	}
}

// await waits until nothing uses the store, at most for d. It returns how many uses are left.
func (db *DB) await(d time.Duration) int {
	db.mu.Lock()
	if len(db.uses) == 0 {
		db.mu.Unlock()
		return 0
	}
	db.idle = make(chan struct{})
	idle := db.idle
	db.mu.Unlock()
	select {
	case <-idle:
	case <-time.After(d):
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	return len(db.uses)
}

// forget removes a use. The caller holds db.mu.
func (db *DB) forget(u *use) {
	delete(db.uses, u)
	if len(db.uses) == 0 && db.idle != nil {
		close(db.idle)
		db.idle = nil
	}
}

// begin registers a use of the store, which stop asks to end; the returned function ends it.
func (db *DB) begin(k kind, stop func(error)) (end func(), err error) {
	if !db.opened() {
		return nil, errNotOpened
	}
	u := &use{kind: k, stop: stop}
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.closed {
		return nil, ErrClosed
	}
	db.uses[u] = struct{}{}
	return func() {
		db.mu.Lock()
		defer db.mu.Unlock()
		db.forget(u)
	}, nil
}

// opened reports whether Open has returned db.
func (db *DB) opened() bool { return db != nil && db.store != nil }

// Query runs one statement. Rows arrive while it runs; ctx must live as long as the Rows.
//
// A statement that writes runs in a transaction of its own, as in Update. When Query returns without an error, the statement has
// run to its end and is committed, whether or not anybody reads its rows. Batches of CALL { } IN TRANSACTIONS are committed one by one,
// and stay if Query returns an error, which says how many there are.
func (db *DB) Query(ctx context.Context, text string, params Params, opts ...QueryOption) (*Rows, error) {
	t, err := db.newTask(ctx, text, params, opts)
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
	if ctx == nil {
		return nil, errNoContext
	}
	if snap, err := loadedSnapshot(db); snap != nil || err != nil {
		return snap, err
	}
	return call(ctx, db, reads, "reading the graph", func(ctx context.Context) (*csr.Snapshot, error) { return db.store.Snapshot(ctx) })
}

// loadedSnapshot returns the current graph if it is in memory, else nil.
func loadedSnapshot(db *DB) (*csr.Snapshot, error) {
	if !db.opened() {
		return nil, errNotOpened
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.closed {
		return nil, ErrClosed
	}
	return storage.Loaded(db.store), nil
}

// Declare makes a procedure that CALL runs:
//
//	db.Declare("my.lookup(name :: STRING) :: (id :: INTEGER?, kind :: STRING)", func(ctx context.Context, call *motif.Call) error { ... })
//
// The signature names arguments and columns with their types: ANY, BOOLEAN, INTEGER, FLOAT, NUMBER, STRING, LIST, MAP, NODE,
// RELATIONSHIP or PATH. A type with a question mark, such as INTEGER?, also admits null. (In the reference, a question
// mark after a name marks an option that may be omitted.)
//
// run scans the arguments of the call and emits its rows. It is called once per incoming row; concurrent queries call it
// concurrently. ctx ends with the query. An error of run ends the query; so does a panic, as a *PanicError. A second Declare
// replaces a declared procedure of the same name. Built-in procedures cannot be replaced.
func (db *DB) Declare(signature string, run func(ctx context.Context, call *Call) error) error {
	switch {
	case !db.opened():
		return errNotOpened
	case run == nil:
		return errNoFunction
	}
	p, err := lang.ParseSignature(signature)
	if err != nil {
		return err
	}
	if lang.FindProcedure(p.Name) != nil {
		return fmt.Errorf("%s is a procedure of the language", p.Name)
	}
	width := len(p.Columns)
	p.Impl = exec.Declared(func(ctx context.Context, s *csr.Snapshot, args []value.Value, give func([]value.Value) (bool, error)) error {
		call := &Call{ctx: ctx, args: Row{batch: &batch{rows: 1, width: len(args), values: args, snap: s}}, row: make([]value.Value, width), give: give}
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

// Call is one call of a declared procedure. Use it on the goroutine that runs the procedure. After the procedure has returned,
// Emit gives an error.
type Call struct {
	ctx    context.Context
	args   Row
	row    []value.Value
	rows   int
	give   func([]value.Value) (bool, error)
	mu     sync.Mutex // held by Emit
	done   bool       // the procedure has returned
	ended  error      // the query's own error
	enough bool       // the query wants no more rows
}

// errEnough tells a procedure that the query wants no more rows.
var errEnough = errors.New("the query wants no more rows")

// run calls a procedure and makes a panic in it an error.
func (c *Call) run(name string, f func(context.Context, *Call) error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = guarded("the procedure "+name, v)
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.done = true
	}()
	return f(c.ctx, c)
}

// Args returns the arguments in order, as Row.At gives values.
func (c *Call) Args() []any {
	if c == nil {
		return nil
	}
	return c.args.Values()
}

// Scan copies the arguments into pointers, one for each, by the rules of Row.Scan.
func (c *Call) Scan(dst ...any) error {
	if c == nil {
		return errNoCall
	}
	return c.args.Scan(dst...)
}

// Emit gives the query a row: a value for every column, of a type that Params allows. An error of Emit says that the query has
// ended, that it wants no more rows, or that a value does not fit; return the error from the procedure.
func (c *Call) Emit(values ...any) error {
	if c == nil || c.give == nil {
		return errNoCall
	}
	if !c.mu.TryLock() {
		return errors.New("another goroutine emits a row of this call")
	}
	defer c.mu.Unlock()
	switch {
	case c.done:
		return errors.New("the procedure has returned")
	case len(values) != len(c.row):
		return fmt.Errorf("row %d has %d values for %d columns", c.rows, len(values), len(c.row))
	}
	for i, x := range values {
		v, err := toValue(c.ctx, x, nil)
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
	return c.emit()
}

// emit passes on the row. A panic of the query is its error, whatever the procedure makes of it.
func (c *Call) emit() error {
	more := false
	func() {
		defer caught(&c.ended, "a query", "")
		more, c.ended = c.give(c.row)
	}()
	if c.enough = !more; c.ended == nil && !more {
		return errEnough
	}
	return c.ended
}

// trim drops what the query's graph keeps for later queries beyond the limit of WithCache.
func (x *execution) trim() {
	if x.cache >= 0 && x.shown != nil {
		csr.Trim(x.shown, uint64(x.cache))
	}
}
