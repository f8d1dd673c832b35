package motif

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/storage"
)

// DB is an open graph store. It is safe for concurrent use.
type DB struct {
	store *storage.Store
	cfg   *config

	mu      sync.Mutex
	closed  bool
	running sync.WaitGroup // open transactions and rows
	cleanup func()         // removes a sample's folder
}

// Open opens the store in a folder. ":memory:" opens an empty one that lives as long as the DB.
//
// Without WithCreate a missing store is ErrNotStore, and one that no load has finished on is ErrNoGraph. A store that another process has open for writing is
// ErrLocked. A store left by a killed process is repaired.
func Open(path string, opts ...Option) (*DB, error) {
	cfg := newConfig(opts)
	st, err := storage.Open(path, storage.Options{Create: cfg.create, ReadOnly: cfg.readOnly, Logger: cfg.logger, Workers: cfg.workers})
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

// Tx is a view of the graph as it was when the transaction began. It ends with the function it was given to.
type Tx struct {
	db   *DB
	snap *csr.Snapshot
}

// View runs fn on one unchanging graph: all its queries see the same state, whatever is loaded meanwhile.
func (db *DB) View(ctx context.Context, fn func(*Tx) error) error {
	end, err := db.begin()
	if err != nil {
		return err
	}
	defer end()
	snap, err := db.store.Snapshot(ctx)
	if err != nil {
		return err
	}
	return fn(&Tx{db, snap})
}

// Query runs one statement. Rows arrive while it runs; ctx must live as long as the Rows.
func (db *DB) Query(ctx context.Context, text string, params Params, opts ...QueryOption) (*Rows, error) {
	began := time.Now()
	snap, err := db.snapshot(ctx)
	if err != nil {
		return nil, err
	}
	return (&Tx{db, snap}).query(ctx, text, params, clock{began: began, load: time.Since(began)}, opts)
}

// Query is DB.Query on the transaction's graph.
func (tx *Tx) Query(ctx context.Context, text string, params Params, opts ...QueryOption) (*Rows, error) {
	return tx.query(ctx, text, params, clock{began: time.Now()}, opts)
}

func (tx *Tx) query(ctx context.Context, text string, params Params, clock clock, opts []QueryOption) (*Rows, error) {
	cfg, err := tx.db.queryConfig(opts)
	if err != nil {
		return nil, err
	}
	clock.before = tx.snap.Derivations()
	p, err := prepare(tx.snap, text, cfg.planning())
	if err != nil {
		return nil, err
	}
	clock.prepared = p
	return tx.db.start(ctx, p, params, cfg, clock)
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
	return &cfg, nil
}

// device is what a query's stages run on.
func (c *queryConfig) device() pattern.Device {
	if c.brute {
		return testgraph.Brute{}
	}
	return cpu{}
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
	return rootPlan(snap, p.plan.Root, nil, cfg), nil
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
	clock.load, clock.before = time.Since(clock.began), p.snap.Derivations()
	if cfg.planning() != p.opt {
		if p, err = prepare(p.snap, s.text, cfg.planning()); err != nil {
			return nil, err
		}
		clock.prepared = p
	}
	return s.db.start(ctx, p, params, cfg, clock)
}

// Params are a query's parameters by name, without the dollar sign. Values may be nil, booleans, integers,
// floats, strings, and slices and maps of them.
type Params map[string]any

// errOneStatement says that Query was given several.
func errOneStatement(n int) error {
	return &QueryError{Code: "ArgumentError.OneStatement", Phase: CompileTime, Message: fmt.Sprintf("one statement expected, found %d", n),
		pretty: fmt.Sprintf("one statement expected, found %d: pass them to Query one by one", n)}
}
