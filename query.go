package motif

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/exec"
	"github.com/motifql/motif/internal/figures"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/internal/workgroup"
	"github.com/motifql/motif/lang"
	"github.com/motifql/motif/planner"
)

// Explain returns the plan of a query without running it. Only the options that set knobs matter.
func (db *DB) Explain(ctx context.Context, text string, opts ...QueryOption) (*Plan, error) {
	began := time.Now()
	cfg, err := db.queryConfig(opts)
	if err != nil {
		return nil, err
	}
	snap, err := db.snapshot(ctx)
	if err != nil {
		return nil, err
	}
	ctx, stop := cfg.deadline(ctx, began)
	defer stop()
	plan, err := await(ctx, text, func() (*Plan, error) {
		p, err := prepare(ctx, snap, text, cfg)
		if err != nil {
			return nil, err
		}
		return rootPlan(snap, p.plan, nil, cfg), nil
	})
	return plan, stopped(err, began)
}

// Stmt is a query that is checked and planned once. It is safe for concurrent use.
//
// Prepare plans the query for the graph of that moment. When the graph has changed much, the Stmt plans the query again by itself.
type Stmt struct {
	db   *DB
	text string
	mu   sync.Mutex
	p    *prepared
}

// Prepare checks and plans a query.
func (db *DB) Prepare(ctx context.Context, text string) (*Stmt, error) {
	switch {
	case !db.opened():
		return nil, errNotOpened
	case ctx == nil:
		return nil, errNoContext
	}
	s := &Stmt{db: db, text: text}
	began := time.Now()
	cfg := &db.cfg.query
	ctx, stop := cfg.deadline(ctx, began)
	defer stop()
	if _, err := s.current(ctx, cfg); err != nil {
		return nil, stopped(err, began)
	}
	return s, nil
}

// current returns the plan for the graph as it is now. The limits of cfg bind while it plans.
func (s *Stmt) current(ctx context.Context, cfg *queryConfig) (*prepared, error) {
	snap, err := s.db.snapshot(ctx)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.p.on(snap); p != nil {
		return p, nil
	}
	planned := s.db.cfg.query
	planned.memory = cfg.memory
	p, err := await(ctx, s.text, func() (*prepared, error) { return prepare(ctx, snap, s.text, &planned) })
	if err != nil {
		return nil, err
	}
	s.p = p.kept()
	return p, nil
}

// prepared reports whether DB.Prepare has returned s.
func (s *Stmt) prepared() bool { return s != nil && s.db != nil }

// Columns returns the names of the result's columns.
func (s *Stmt) Columns() []string {
	if !s.prepared() {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.p.plan.Columns
}

// Warnings returns what was found before the statement runs, such as a label that does not occur in the graph.
func (s *Stmt) Warnings() []Warning {
	if !s.prepared() {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.p.warnings)
}

// Exec runs the statement to its end; see DB.Exec.
func (s *Stmt) Exec(ctx context.Context, params Params, opts ...QueryOption) (Summary, error) {
	return drain(s.Query(ctx, params, opts...))
}

// Query runs the statement with these parameters.
func (s *Stmt) Query(ctx context.Context, params Params, opts ...QueryOption) (*Rows, error) {
	if !s.prepared() {
		return nil, errNotPrepared
	}
	cfg, err := s.db.queryConfig(opts)
	if err != nil {
		return nil, err
	}
	if ctx == nil {
		return nil, errNoContext
	}
	clock := clock{began: time.Now()}
	p, err := s.ready(cfg)
	switch {
	case err == nil && p == nil:
		p, err = s.plan(ctx, cfg, &clock)
	case err == nil:
		clock.load, clock.before = time.Since(clock.began), p.snap.Derivations()
	}
	if err != nil {
		return nil, stopped(err, clock.began)
	}
	if p.writes() {
		return s.db.query(ctx, &task{stmt: p.stmt, kept: p, text: s.text, params: params, cfg: cfg, began: clock.began})
	}
	return s.db.start(ctx, p, params, cfg, clock, nil)
}

// ready returns the plan if it is for the graph as it is now, and for the choices of cfg; else nil.
func (s *Stmt) ready(cfg *queryConfig) (*prepared, error) {
	snap, err := loadedSnapshot(s.db)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if cfg.planning() != s.p.opt {
		return nil, nil
	}
	return s.p.on(snap), nil
}

// plan returns the plan for the graph as it is now, and for the choices of cfg. It notes in c what that took.
func (s *Stmt) plan(ctx context.Context, cfg *queryConfig, c *clock) (*prepared, error) {
	ctx, stop := cfg.deadline(ctx, c.began)
	defer stop()
	p, err := s.current(ctx, cfg)
	if err != nil {
		return nil, err
	}
	c.load, c.before = time.Since(c.began), p.snap.Derivations()
	if p.writes() || cfg.planning() == p.opt {
		return p, nil
	}
	snap := p.snap
	c.prepared, err = await(ctx, s.text, func() (*prepared, error) { return prepare(ctx, snap, s.text, cfg) })
	return c.prepared, err
}

// prepared is a statement checked and planned for one snapshot.
type prepared struct {
	text     string
	stmt     *lang.Statement
	snap     *csr.Snapshot // nil while it is kept
	origin   origin
	lift     *lang.Lifting // the literals that parameters stand for; nil: none
	from     string        // with lift, the text that stmt was read from
	mode     lang.ExplainMode
	opt      planner.Options
	plan     *planner.Plan
	warnings []Warning
	needs    []lang.Name // parameters
	reads    *csr.Reads  // of a statement that writes; see planner.Plan.Reads
	parse    time.Duration
	planning time.Duration
	derived  time.Duration // of planning, by the snapshot
	outline  *outline
}

// writes reports whether the statement will change the graph.
func (p *prepared) writes() bool { return p.mode != lang.Explain && p.stmt.Writes() }

// tokenBytes is about how much memory a word or sign of a query takes while the query is read, and textBytes how much each byte of the text
// may take: the text, its strings as values, and an error that shows it.
const (
	tokenBytes = 1024
	textBytes  = 8
)

// parse reads one statement, and returns the time that took.
func parse(ctx context.Context, text string, cfg *queryConfig) (_ *lang.Statement, _ time.Duration, err error) {
	defer caught(&err, "the parser", text)
	start := time.Now()
	most := 0
	if cfg.memory > 0 {
		most = int(cfg.memory/tokenBytes) + 100
		if room := cfg.memory/textBytes + 1024; int64(len(text)) > room {
			return nil, 0, &StoppedError{Reason: fmt.Errorf("%w: the text of the query is longer than %s bytes", ErrMemory, figures.Count(uint64(room)))}
		}
	}
	script, err := lang.ParseContext(ctx, text, most)
	if errors.Is(err, lang.ErrTokens) {
		return nil, 0, &StoppedError{After: time.Since(start), Reason: fmt.Errorf("%w: the text of the query has more than %d words and signs", ErrMemory, most)}
	}
	if err != nil {
		return nil, 0, queryError(err, text)
	}
	if n := len(script.Statements); n != 1 {
		return nil, 0, errOneStatement(n)
	}
	return script.Statements[0], time.Since(start), nil
}

// prepare parses, checks and plans one statement.
func prepare(ctx context.Context, snap *csr.Snapshot, text string, cfg *queryConfig) (_ *prepared, err error) {
	defer caught(&err, "the planner", text)
	stmt, parsed, err := parse(ctx, text, cfg)
	if err != nil {
		return nil, err
	}
	p, err := plan(ctx, snap, stmt, text, cfg.planning())
	if err != nil {
		return nil, err
	}
	p.parse += parsed
	return p, nil
}

// plan checks and plans a statement.
func plan(ctx context.Context, snap *csr.Snapshot, stmt *lang.Statement, text string, opt planner.Options) (_ *prepared, err error) {
	defer caught(&err, "the planner", text)
	start := time.Now()
	info, err := lang.CheckContext(ctx, stmt, catalog{planner.Names{Snapshot: snap}, opt.Declared})
	if err != nil {
		return nil, queryError(err, text)
	}
	p := &prepared{text: text, stmt: stmt, snap: snap, opt: opt, mode: stmt.Explain, needs: info.Parameters, parse: time.Since(start), outline: new(outline)}
	p.warn(info.Warnings)
	start = time.Now()
	derived := snap.DerivationTime()
	p.plan, err = planner.New(ctx, stmt, snap, opt)
	p.planning = time.Since(start)
	p.derived = min(p.planning, snap.DerivationTime()-derived)
	if err != nil {
		return nil, queryError(err, text)
	}
	p.warn(p.plan.Warnings)
	p.origin, p.reads = p.originIn(snap)
	return p, nil
}

// catalog lists what the checker of queries knows: a snapshot's names and the procedures that were declared.
type catalog struct {
	planner.Names
	procs *lang.Declared
}

func (c catalog) Declared() []*lang.Procedure { return c.procs.List() }

// errRowsClosed is the cause of a cancel that the reader of the rows asked for.
var errRowsClosed = errors.New("rows closed")

// execution is one running query.
type execution struct {
	*prepared
	cfg    *queryConfig
	params map[string]value.Value
	env    *pattern.Env
	ctx    context.Context
	stop   context.CancelCauseFunc
	start  time.Time
	clock  clock
	cache  int64 // see WithCache; negative: any
	rows   atomic.Int64
	tx     *Tx           // that the statement changes; nil: it only reads
	unlike []Warning     // of parameters
	shown  *csr.Snapshot // that the nodes and relationships of rows belong to; set before the first batch
	output
}

// start runs p in a goroutine of its own and returns its rows. A statement that writes changes tx. If it is a simple one, or p is quick, it
// has run when start returns: a goroutine would take longer to start than it takes.
func (db *DB) start(ctx context.Context, p *prepared, params Params, cfg *queryConfig, clock clock, tx *Tx) (*Rows, error) {
	ctx, stopTimer := cfg.deadline(ctx, clock.began)
	if cfg.progress == nil && (tx != nil && p.reads != nil || tx == nil && p.quick(cfg)) {
		defer stopTimer()
		r, err := newRows(ctx, db, p, params, cfg, clock, tx)
		if err == nil {
			r.cancel, r.done, r.x.whole = func() {}, done, true
			r.x.complete(&r.outcome)
		}
		return r, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	fail := func(err error) (*Rows, error) {
		cancel(nil)
		stopTimer()
		return nil, err
	}
	r, err := newRows(ctx, db, p, params, cfg, clock, tx)
	if err != nil {
		return fail(err)
	}
	kind := inMemory
	if tx != nil {
		kind = writes
	}
	end, err := db.begin(kind, cancel)
	if err != nil {
		return fail(err)
	}
	x := r.x
	x.stop, x.batches, x.taken = cancel, make(chan *batch, 4), make(chan struct{}, 1)
	r.done, r.release, r.cancel = make(chan struct{}), end, func() { cancel(errRowsClosed) }
	go func() {
		workgroup.GrowStack(false)
		defer end()
		defer stopTimer()
		defer cancel(nil)
		defer close(x.batches)
		defer close(r.done)
		x.complete(&r.outcome)
	}()
	return r, nil
}

// done is a channel that is closed.
var done = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// newRows makes the rows of a query that has not begun.
func newRows(ctx context.Context, db *DB, p *prepared, params Params, cfg *queryConfig, clock clock, tx *Tx) (*Rows, error) {
	all := new(struct { // in one piece of memory
		execution
		rows   Rows
		env    pattern.Env
		memory pattern.Memory
		tally  pattern.Tally
	})
	all.memory.Limit = cfg.memory
	values, err := cfg.paramValues(ctx, params, &all.memory)
	if err != nil {
		return nil, stopped(err, clock.began)
	}
	if err := p.missing(values); err != nil {
		return nil, err
	}
	all.env = pattern.Env{Workers: cmp.Or(cfg.workers, db.cfg.workers), Memory: &all.memory, Tally: &all.tally,
		Without: cfg.without, Order: cfg.order, Filter: cfg.filter, Files: db.cfg.files, Projections: &db.projections}
	x, r := &all.execution, &all.rows
	x.unlike, x.cache = p.unlike(values), db.cfg.cache
	x.prepared, x.cfg, x.params, x.ctx, x.start, x.clock, x.tx, x.shown = p, cfg, values, ctx, time.Now(), clock, tx, p.snap
	x.env, x.size, x.whole = &all.env, 1, tx != nil
	r.columns, r.x, r.mapped = p.plan.Columns, x, db.cfg.mapping
	if p.mode != lang.Run {
		r.columns = []string{"plan"}
	}
	x.width = max(1, len(r.columns))
	return r, nil
}

// complete runs the query and says in out how it ended.
func (x *execution) complete(out *outcome) {
	out.err = &PanicError{In: "a function that the query called", Value: "it called runtime.Goexit"} // unless this is replaced
	defer x.trim()
	defer x.reportProgress()()
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if v := recover(); v != nil {
			*out = outcome{summary: x.summary(), err: panicError("a query", x.text, v)}
		}
	}()
	out.summary, out.err = x.run()
}

// explained returns the snapshot to explain the plan by, and nil for a query without EXPLAIN, PROFILE and WithProfile.
func (x *execution) explained() *csr.Snapshot {
	if x.mode == lang.Run && !x.cfg.profile {
		return nil
	}
	return x.snap
}

// run executes the plan as EXPLAIN, PROFILE or a query.
func (x *execution) run() (Summary, error) {
	sum := x.summary()
	var stats *exec.Profile
	var err error
	switch x.mode {
	case lang.Explain:
		sum.Plan = rootPlan(x.snap, x.plan, nil, x.cfg)
	default:
		yield, yieldBatch := x.yield, x.yieldBatch
		if x.mode == lang.Profile {
			yield = func([]value.Value) (bool, error) { return true, nil }
			yieldBatch = func(exec.Batch) (bool, error) { return true, nil }
		}
		x.clock.running = time.Now()
		stats, err = x.execute(yield, yieldBatch)
		ended := time.Now()
		ran := x.plan
		if x.tx != nil {
			ran, x.shown, sum.Changes = stats.Plan, stats.Snapshot, changesOf(stats.Changes)
		}
		sum.Plan = x.ranPlan(ran, stats)
		x.clock.explain = time.Since(ended)
		sum.Candidates = stats.Candidates()
		sum.Run = time.Since(x.start)
	}
	flushed := time.Now()
	if err == nil && x.mode == lang.Run {
		err = x.flush()
	}
	if stats != nil {
		stats.Stages.Output += time.Since(flushed)
	}
	sum.Total, sum.Stages = x.stages(stats)
	if err == nil && x.mode != lang.Run {
		err = errors.Join(x.yieldPlan(sum), x.flush())
	}
	sum.Rows, sum.PartialMatches, sum.PeakMemory = x.rows.Load(), x.env.Tally.Partial.Load(), x.env.Memory.Peak()
	sum.Techniques = taken(x.env.Tally)
	return sum, x.explainEnd(err)
}

// target is what a statement of the transaction writes to.
func (tx *Tx) target() exec.Target {
	t := exec.Target{Draft: tx.write.Draft()}
	if tx.alone {
		t.Commit = func(ctx context.Context) error {
			err := tx.write.CommitBatch(ctx)
			if err == nil {
				tx.batches++
			}
			return err
		}
	}
	return t
}

// execute runs the plan.
func (x *execution) execute(yield func([]value.Value) (bool, error), yieldBatch func(exec.Batch) (bool, error)) (*exec.Profile, error) {
	if x.cfg.finish != nil {
		return new(exec.Profile), x.cfg.finish(x.ctx, yield)
	}
	if x.tx != nil {
		return exec.Write(x.ctx, x.plan, x.tx.target(), x.cfg.runsOn, x.env, x.params, yield)
	}
	return exec.RunBatches(x.ctx, x.plan, x.snap, x.cfg.runsOn, x.env, x.params, yield, yieldBatch)
}

// summary returns what is known about the query before it has ended.
func (x *execution) summary() Summary {
	return Summary{Parse: x.parse, Planning: x.planning, Warnings: slices.Concat(x.warnings, x.unlike), Rows: x.rows.Load(),
		PartialMatches: x.env.Tally.Partial.Load(), PeakMemory: x.env.Memory.Peak()}
}

// yieldPlan gives the plan as rows, a line of text each.
func (x *execution) yieldPlan(sum Summary) error {
	text := sum.Plan.String()
	if x.mode == lang.Profile {
		text += "\n" + x.totals(sum)
	}
	x.cfg.maxRows = 0 // lines of a plan are no rows of the query
	for line := range strings.Lines(text) {
		if more, err := x.yield([]value.Value{value.OfString(strings.TrimRight(line, "\n"))}); err != nil || !more {
			return err
		}
	}
	return nil
}
