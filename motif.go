package motif

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/storage"
)

// DB is an open graph store. It is safe for concurrent use.
type DB struct {
	store *storage.Store
	cfg   *config

	mu      sync.Mutex
	closed  bool
	running sync.WaitGroup // open transactions and rows
	gpus    gpus
	cleanup func() // removes a sample's folder
}

// Open opens the store in a folder. ":memory:" opens an empty one that lives as long as the DB.
//
// Without WithCreate a missing store is ErrNotStore, and one that no load has finished on is ErrNoGraph. A store that another process has open for writing is
// ErrLocked. A store left by a killed process is repaired.
func Open(path string, opts ...Option) (*DB, error) {
	cfg := newConfig(opts)
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
	return &DB{store: st, cfg: cfg}, nil
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
	db.gpus.close()
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
// A statement that writes runs in a transaction of its own, as in Update. It has run to its end, and is committed, when
// Query returns without an error, whether or not anybody reads its rows.
func (db *DB) Query(ctx context.Context, text string, params Params, opts ...QueryOption) (*Rows, error) {
	began := time.Now()
	cfg, err := db.queryConfig(opts)
	if err != nil {
		return nil, err
	}
	stmt, parsed, err := parse(text)
	if err != nil {
		return nil, err
	}
	return db.query(ctx, &task{stmt: stmt, text: text, params: params, cfg: cfg, parse: parsed, began: began})
}

func (db *DB) query(ctx context.Context, t *task) (*Rows, error) {
	if t.writes() {
		return db.change(ctx, t)
	}
	tx, err := db.Begin(ctx, false)
	if err != nil {
		return nil, err
	}
	defer tx.Rollback()
	return tx.query(ctx, t)
}

func (db *DB) snapshot(ctx context.Context) (*csr.Snapshot, error) {
	end, err := db.begin()
	if err != nil {
		return nil, err
	}
	defer end()
	return db.store.Snapshot(ctx)
}

func (db *DB) queryConfig(opts []QueryOption) (*queryConfig, error) {
	cfg := db.cfg.query
	for _, o := range opts {
		o(&cfg)
	}
	if cfg.err != nil {
		return nil, &QueryError{Code: "ArgumentError.UnknownOption", Phase: CompileTime, Message: cfg.err.Error(), pretty: cfg.err.Error()}
	}
	var err error
	cfg.runsOn, err = db.device(&cfg)
	return &cfg, err
}

// Explain returns the plan of a query without running it. Of the options the knobs matter.
func (db *DB) Explain(ctx context.Context, text string, opts ...QueryOption) (*Plan, error) {
	cfg, err := db.queryConfig(opts)
	if err != nil {
		return nil, err
	}
	snap, err := db.snapshot(ctx)
	if err != nil {
		return nil, err
	}
	p, err := prepare(snap, text, cfg.planning())
	if err != nil {
		return nil, err
	}
	return rootPlan(snap, p.plan, nil, cfg), nil
}

// Stmt is a query that is checked and planned once. It is safe for concurrent use.
//
// A statement is planned for the graph it was prepared on, and again, by itself, after another has been loaded.
type Stmt struct {
	db   *DB
	text string
	mu   sync.Mutex
	p    *prepared
}

// Prepare checks and plans a query.
func (db *DB) Prepare(ctx context.Context, text string) (*Stmt, error) {
	s := &Stmt{db: db, text: text}
	_, err := s.current(ctx)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// current is the plan for the graph as it is now.
func (s *Stmt) current(ctx context.Context) (*prepared, error) {
	snap, err := s.db.snapshot(ctx)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.p == nil || s.p.snap != snap {
		if s.p, err = prepare(snap, s.text, s.db.cfg.query.planning()); err != nil {
			return nil, err
		}
	}
	return s.p, nil
}

// Columns are the names of the result's columns.
func (s *Stmt) Columns() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.p.plan.Columns
}

// Query runs the statement with these parameters.
func (s *Stmt) Query(ctx context.Context, params Params, opts ...QueryOption) (*Rows, error) {
	cfg, err := s.db.queryConfig(opts)
	if err != nil {
		return nil, err
	}
	clock := clock{began: time.Now()}
	p, err := s.current(ctx)
	if err != nil {
		return nil, err
	}
	if t := (&task{stmt: p.stmt, text: s.text, params: params, cfg: cfg, began: clock.began}); t.writes() {
		return s.db.query(ctx, t)
	}
	clock.load, clock.before = time.Since(clock.began), p.snap.Derivations()
	if cfg.planning() != p.opt {
		if p, err = prepare(p.snap, s.text, cfg.planning()); err != nil {
			return nil, err
		}
		clock.prepared = p
	}
	return s.db.start(ctx, p, params, cfg, clock, nil)
}

// Params are a query's parameters by name, without the dollar sign. Values may be nil, booleans, integers,
// floats, strings, a Temporal, time.Time, time.Duration, pointers to these, and slices and maps of them.
type Params map[string]any

// errOneStatement says that Query was given several.
func errOneStatement(n int) error {
	return &QueryError{Code: "ArgumentError.OneStatement", Phase: CompileTime, Message: fmt.Sprintf("one statement expected, found %d", n),
		pretty: fmt.Sprintf("one statement expected, found %d: pass them to Query one by one", n)}
}
