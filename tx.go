package motif

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/exec"
	"github.com/motifql/motif/lang"
	"github.com/motifql/motif/planner"
	"github.com/motifql/motif/storage"
)

// Tx is a transaction. It sees the graph as it was when the transaction began and, if it is writable, its own changes.
//
// Several goroutines may query a Tx that only reads. A writable Tx does one thing at a time: while a call is at work, another
// call of it gives ErrTxBusy and changes nothing.
type Tx struct {
	db    *DB
	snap  *csr.Snapshot // nil in a writable transaction
	write *storage.Tx   // nil if it only reads
	given bool          // by Update or View, which ends it
	alone bool          // it is for one statement, which may commit batches

	batches int // committed

	mu    sync.Mutex
	busy  bool                    // a call of a writable transaction is at work
	stop  context.CancelCauseFunc // of that call
	ended error                   // what calls give once the transaction has ended; nil: it has not
	end   func()                  // tells the DB; nil once called
}

// View runs fn on one unchanging graph: all its queries see the same state, whatever is written meanwhile. The transaction
// ends with fn.
func (db *DB) View(ctx context.Context, fn func(*Tx) error) error {
	if fn == nil {
		return errNoFunction
	}
	tx, err := db.BeginRead(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	tx.given = true
	return fn(tx)
}

// Update runs fn in a transaction that may change the graph, and commits it if fn returns nil. If fn returns an error or
// panics, nothing is changed. For an error of the commit itself, see Tx.Commit. One such transaction runs at a time; Update waits
// for its turn until ctx ends. Readers do not wait, and see the changes only after the commit.
//
// In fn, write through the Tx and not through the DB. A method of the DB that writes gives an error there, because it would wait
// for this transaction to end. Commit gives an error in fn. After Rollback in fn, Update gives ErrTxDone even if fn returns nil.
func (db *DB) Update(ctx context.Context, fn func(*Tx) error) error {
	if fn == nil {
		return errNoFunction
	}
	tx, err := db.BeginWrite(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	tx.given = true
	if err := runUpdate(tx, fn); err != nil {
		return err
	}
	return tx.commit(ctx)
}

// updates holds the databases that are inside Update.
var updates struct {
	sync.Mutex
	of map[*DB]bool
}

// runUpdate runs the function of Update. insideUpdate looks for it on the stack.
//
//go:noinline
func runUpdate(tx *Tx, fn func(*Tx) error) error {
	updates.Lock()
	if updates.of == nil {
		updates.of = make(map[*DB]bool)
	}
	updates.of[tx.db] = true
	updates.Unlock()
	defer func() {
		updates.Lock()
		defer updates.Unlock()
		delete(updates.of, tx.db)
	}()
	return fn(tx)
}

// insideUpdate reports whether this goroutine runs the function of an Update of db. It may miss that while another database
// is inside Update, too; it never reports it wrongly.
func (db *DB) insideUpdate() bool {
	updates.Lock()
	alone := len(updates.of) == 1 && updates.of[db]
	updates.Unlock()
	if !alone {
		return false
	}
	update := reflect.ValueOf(runUpdate).Pointer()
	var pcs [64]uintptr
	for skip := 2; ; skip += len(pcs) {
		n := runtime.Callers(skip, pcs[:])
		for _, pc := range pcs[:n] {
			if f := runtime.FuncForPC(pc - 1); f != nil && f.Entry() == update {
				return true
			}
		}
		if n < len(pcs) {
			return false
		}
	}
}

// BeginRead starts a transaction that reads the current graph. Rollback or Commit must end it; so does DB.Close.
func (db *DB) BeginRead(ctx context.Context) (*Tx, error) {
	snap, err := db.snapshot(ctx)
	if err != nil {
		return nil, err
	}
	tx := &Tx{db: db, snap: snap}
	tx.end, err = db.begin(inMemory, tx.endWith)
	if err != nil {
		return nil, err
	}
	return tx, nil
}

// BeginWrite starts a transaction that may change the graph. Commit or Rollback must end it; Close waits 5 seconds for that. One
// such transaction runs at a time: BeginWrite waits for its turn until ctx ends. A goroutine that has an open transaction
// itself waits for nothing else: give it a ctx that ends.
func (db *DB) BeginWrite(ctx context.Context) (*Tx, error) {
	write, err := call(ctx, db, writes, "BeginWrite", func(ctx context.Context) (*storage.Tx, error) { return db.store.Begin(ctx, db.cfg.durability) })
	if err != nil {
		return nil, err
	}
	tx := &Tx{db: db, write: write}
	tx.end, err = db.begin(writes, tx.endWith)
	if err != nil {
		write.Rollback()
		return nil, err
	}
	return tx, nil
}

// enter begins a call in the transaction; leave ends it. The context ends when the transaction does.
func (tx *Tx) enter(ctx context.Context) (inner context.Context, leave func(), err error) {
	switch {
	case tx == nil || tx.db == nil:
		return nil, nil, errNotBegun
	case ctx == nil:
		return nil, nil, errNoContext
	}
	tx.mu.Lock()
	defer tx.mu.Unlock()
	switch {
	case tx.ended != nil:
		return nil, nil, tx.ended
	case tx.write == nil:
		return ctx, func() {}, nil
	case tx.busy:
		return nil, nil, ErrTxBusy
	}
	tx.busy = true
	ctx, tx.stop = context.WithCancelCause(ctx)
	return ctx, tx.leave, nil
}

// leave ends a call of a writable transaction, and the transaction if that was asked for meanwhile.
func (tx *Tx) leave() {
	tx.mu.Lock()
	defer tx.mu.Unlock()
	tx.stop(nil)
	tx.busy = false
	if tx.ended != nil {
		tx.release()
	}
}

// endWith ends the transaction and drops its changes; later calls give err. A call that is at work is stopped first.
func (tx *Tx) endWith(err error) {
	tx.mu.Lock()
	defer tx.mu.Unlock()
	if tx.ended == nil {
		tx.ended = err
	}
	if tx.busy {
		tx.stop(tx.ended)
		return
	}
	tx.release()
}

// release lets the next writer go on, and DB.Close. The caller holds tx.mu.
func (tx *Tx) release() {
	if tx.end == nil {
		return
	}
	if tx.write != nil {
		tx.write.Rollback() // nothing after a commit
	}
	tx.end()
	tx.end = nil
}

// Commit makes the changes of the transaction durable, publishes them and ends the transaction. While it waits for the disk, the next
// transaction may begin, which sees these changes; commits that wait at the same time share one sync. After an error, no change is
// published. The last step writes and syncs the commit record. If that step fails, it is unknown whether the changes
// are on the disk. Then the error is a *StoreError that says so. The store refuses further writes, and queries still read the graph as it
// was before: open the store again, and look before you repeat the transaction.
//
// After ErrTxBusy the transaction is still open. So it is after Commit in the function of Update or View, which is an error.
func (tx *Tx) Commit(ctx context.Context) error {
	if tx != nil && tx.given {
		return errGivenTx
	}
	return tx.commit(ctx)
}

func (tx *Tx) commit(ctx context.Context) (err error) {
	ctx, leave, err := tx.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	defer tx.endWith(ErrTxDone)
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer caught(&err, "Commit", "")
	if tx.write == nil {
		return nil
	}
	return tx.stopped(ctx, tx.write.Commit(ctx))
}

// stopped returns why the transaction was ended, if err comes from a call that this has stopped.
func (tx *Tx) stopped(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); errors.Is(err, context.Canceled) && ended(cause) {
		return cause
	}
	return err
}

// Rollback ends the transaction and drops its changes. After Commit or Rollback it does nothing. If a call is at work in another
// goroutine, Rollback stops it, and the transaction ends with that call.
func (tx *Tx) Rollback() {
	if tx != nil && tx.db != nil {
		tx.endWith(ErrTxDone)
	}
}

// Writable reports whether the transaction may change the graph.
func (tx *Tx) Writable() bool { return tx != nil && tx.write != nil }

// Query is DB.Query in the transaction: the statement sees the transaction's earlier changes. A statement that writes has run to
// its end when Query returns. If the statement fails, its changes are undone, and the transaction can go on. Only an
// *InternalError ends the transaction.
func (tx *Tx) Query(ctx context.Context, text string, params Params, opts ...QueryOption) (*Rows, error) {
	if tx == nil || tx.db == nil {
		return nil, errNotBegun
	}
	t, err := tx.db.newTask(ctx, text, params, opts)
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
	kept   *prepared     // a plan of before, which may hold for the graph as it is now; nil: none
	lift   *lang.Lifting // of the text; nil: no literals
	lifted bool          // kept is a plan in which parameters stand for the literals
	text   string
	params Params
	cfg    *queryConfig
	parse  time.Duration
	began  time.Time
}

// newTask reads the text of a query within the limits of the query.
func (db *DB) newTask(ctx context.Context, text string, params Params, opts []QueryOption) (*task, error) {
	began := time.Now()
	if ctx == nil {
		return nil, errNoContext
	}
	cfg, err := db.queryConfig(opts)
	if err != nil {
		return nil, err
	}
	var lift *lang.Lifting
	if len(text) <= planner.MostCachedText && (cfg.memory <= 0 || int64(len(text)) <= cfg.memory/tokenBytes) {
		if p := db.plans.Get(planner.CacheKey{Text: text, Options: cfg.planning()}); p != nil {
			return &task{stmt: p.stmt, kept: p, text: p.text, params: params, cfg: cfg, began: began}, nil
		}
		if lift = lang.LiftLiterals(text); lift != nil {
			if p := db.lifted.Get(planner.CacheKey{Text: lift.Key, Options: cfg.planning()}).plan; p != nil {
				return &task{stmt: p.stmt, kept: p, lift: lift, lifted: true, text: text, params: params, cfg: cfg, began: began}, nil
			}
		}
		text = strings.Clone(text) // the tree keeps it, and it may be a part of a long script
	}
	ctx, stop := cfg.deadline(ctx, began)
	defer stop()
	t, err := await(ctx, text, func() (*task, error) {
		stmt, parsed, err := parse(ctx, text, cfg)
		return &task{stmt: stmt, lift: lift, text: text, params: params, cfg: cfg, parse: parsed, began: began}, err
	})
	return t, stopped(err, began)
}

// writes reports whether the task will change the graph.
func (t *task) writes() bool { return t.stmt.Explain != lang.Explain && t.stmt.Writes() }

// query runs a task in the transaction.
func (tx *Tx) query(ctx context.Context, t *task) (*Rows, error) {
	inner, leave, err := tx.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	p, clock, err := tx.plan(inner, t)
	if err != nil {
		return nil, tx.stopped(inner, err)
	}
	if t.writes() {
		if pos, ok := p.stmt.Batches(); ok && !tx.alone {
			return nil, queryError(p.typed(exec.BatchesInside(pos)), p.text)
		}
		rows, err := tx.change(inner, p, t, clock)
		return rows, tx.stopped(inner, err)
	}
	return tx.db.start(ctx, p, t.params, t.cfg, clock, nil) // its rows may outlive the call
}

// plan plans a task for the graph as the transaction sees it.
func (tx *Tx) plan(ctx context.Context, t *task) (*prepared, clock, error) {
	if t.writes() && tx.write == nil {
		return nil, clock{}, fmt.Errorf("%w: this transaction only reads; use Update, or begin it for writing", ErrReadOnly)
	}
	snap, err := tx.snapshot(ctx, t)
	if err != nil {
		return nil, clock{}, err
	}
	c := clock{began: t.began, load: time.Since(t.began) - t.parse, before: snap.Derivations()}
	if p := t.kept.on(snap); p != nil {
		if t.lifted {
			p.takeLiterals(t)
		}
		return p, c, nil
	}
	ctx, stop := t.cfg.deadline(ctx, t.began)
	defer stop()
	if t.lifted { // read the text as it is
		t.text = strings.Clone(t.text)
		if t.stmt, t.parse, err = parse(ctx, t.text, t.cfg); err != nil {
			return nil, clock{}, err
		}
	}
	p, err := await(ctx, t.text, func() (*prepared, error) { return plan(ctx, snap, t.stmt, t.text, t.cfg.planning()) })
	if err != nil {
		return nil, clock{}, stopped(err, t.began)
	}
	if p.mode == lang.Run && p.stmt.Command == nil {
		tx.db.plans.Put(planner.CacheKey{Text: t.text, Options: p.opt}, p.kept())
		tx.db.keepLifted(ctx, snap, t, p)
	}
	p.parse += t.parse
	c.prepared = p
	return p, c, nil
}

// snapshot returns the graph as a task of the transaction sees it. A statement that writes may get one without the latest changes, if
// they do not matter to it: a snapshot after each of many small statements would take longer than they do.
func (tx *Tx) snapshot(ctx context.Context, t *task) (*csr.Snapshot, error) {
	if tx.write == nil {
		return tx.snap, nil
	}
	d := tx.write.Draft()
	if t.writes() && t.kept != nil && csr.Current(d, t.kept.reads) && t.kept.holds(d.Base()) {
		return d.Base(), ctx.Err()
	}
	return planned(func() (*csr.Snapshot, error) { return d.Snapshot(ctx) })
}

// change runs a statement that writes to its end. If it fails, its changes are undone.
func (tx *Tx) change(ctx context.Context, p *prepared, t *task, clock clock) (*Rows, error) {
	draft := tx.write.Draft()
	before := draft.Savepoint()
	rows, err := tx.db.start(ctx, p, t.params, t.cfg, clock, tx)
	if err != nil {
		return nil, err
	}
	<-rows.done
	err = rows.Err()
	var internal *InternalError
	switch {
	case errors.As(err, &internal): // nobody knows what it has left in the draft
		err = exec.Tell(err, tx.batches, -1)
		tx.endWith(fmt.Errorf("%w: a statement failed with an internal error", ErrTxDone))
	case err != nil && tx.alone: // db.change rolls back
	case err != nil:
		if broken := draft.Restore(before); broken != nil {
			tx.endWith(fmt.Errorf("%w: the changes of a statement that failed could not be undone: %w", ErrTxDone, broken))
		}
	default:
		return rows, nil
	}
	return nil, err
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
	tx.alone = true
	rows, err := tx.query(ctx, t)
	if err != nil {
		return nil, err
	}
	if err := tx.Commit(ctx); err != nil {
		return nil, stopped(exec.Tell(err, tx.batches, -1), t.began)
	}
	return rows, nil
}

// lifted is what a DB keeps for texts that differ in literals only.
type lifted struct {
	seen, refused bool
	plan          *prepared // parameters stand for the literals; nil: none yet
}

// keepLifted makes a plan that also holds for other literals, when such a text comes for the second time. p is the plan of t itself.
func (db *DB) keepLifted(ctx context.Context, snap *csr.Snapshot, t *task, p *prepared) {
	if t.lift == nil || !p.origin.portable {
		return
	}
	key := planner.CacheKey{Text: t.lift.Key, Options: p.opt}
	next := db.lifted.Get(key)
	if next.refused {
		return
	}
	if next.seen {
		stmt, _, err := parse(ctx, t.text, t.cfg)
		if next.refused = err != nil || !stmt.Lift(t.lift); !next.refused {
			if q, err := plan(ctx, snap, stmt, t.text, p.opt); err == nil && q.origin.portable && slices.Equal(q.plan.Columns, p.plan.Columns) {
				next.plan = q.kept()
			}
		}
	}
	next.seen = true
	db.lifted.Put(key, next)
}

// showLiterals puts the literals back into a plan.
func (p *Plan) showLiterals(l *lang.Lifting) *Plan {
	if l == nil {
		return p
	}
	p.Detail = l.Show(p.Detail)
	for i := range p.Notes {
		p.Notes[i] = l.Show(p.Notes[i])
	}
	for _, c := range p.Children {
		c.showLiterals(l)
	}
	return p
}
