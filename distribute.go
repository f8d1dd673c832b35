package motif

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/device"
	"github.com/motifql/motif/internal/exec"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/lang"
	"github.com/motifql/motif/planner"
)

// Errors of jobs. Test for these with errors.Is.
var (
	ErrNotDivisible  = errors.New("the query cannot be divided") // a *QueryError says where, and the message why
	ErrOtherSnapshot = exec.ErrOtherSnapshot
	ErrOtherPlan     = exec.ErrOtherPlan
	ErrPartTwice     = exec.ErrTwice   // Merge was given a part again, or one that has some of the same work
	ErrPartMissing   = exec.ErrMissing // Rows was given a part that does not have all units
	ErrBadPart       = exec.ErrBadPart // what Merge or Rows was given is no part of the job
)

// Job is a query whose work is divided into units, which may run in several processes. Every process has the same graph. Distribute makes a
// job, and OpenJob makes the same one from its Spec elsewhere:
//
//	job, _ := db.Distribute(ctx, text, params)
//	total := motif.Part{}
//	for _, unit := range job.Units(64) { // hand these and job.Spec() to other processes
//		part, rest, _ := job.Run(ctx, unit, motif.Budget{})
//		job.Merge(ctx, &total, part)
//	}
//	rows, _ := job.Rows(ctx, total)
//
// A Job is safe for concurrent use. It answers from the graph as it was when Distribute or OpenJob was called. Close it.
type Job struct {
	db       *DB
	p        *prepared
	cfg      *queryConfig
	division *exec.Division
	params   map[string]value.Value
	spec     []byte
	id       exec.JobID
}

// Distribute prepares a query that only reads for being run in units. It fails with ErrNotDivisible for a query that cannot be divided: its
// lowest operator must match a pattern of fixed length that starts from nothing. Rows, aggregates, DISTINCT, ORDER BY, LIMIT and subqueries
// may stand above it. WithMemory limits each unit, and Rows. WithFilter is for this process alone; other knobs are refused. Distribute and OpenJob
// prepare what all units need: candidates, and numbers around all relationships that a formula asks for. WithWorkers says how many goroutines
// prepare at once; a unit runs on one. See WithMergeOnly.
func (db *DB) Distribute(ctx context.Context, text string, params Params, opts ...QueryOption) (*Job, error) {
	cfg, err := db.queryConfig(opts)
	if err != nil {
		return nil, err
	}
	snap, err := db.snapshot(ctx)
	if err != nil {
		return nil, err
	}
	return call(ctx, db, inMemory, "the division of a query", func(ctx context.Context) (*Job, error) {
		values, err := paramValues(ctx, params, &pattern.Memory{Limit: cfg.memory})
		if err != nil {
			return nil, err
		}
		return newJob(ctx, db, snap, exec.NewSpec(text), values, cfg)
	})
}

// OpenJob makes a job from the Spec of another one. It fails with ErrOtherSnapshot unless this DB holds the same graph, with the same numbers
// inside, as copies of a store do. It fails with ErrOtherPlan if another version of Motif made the job.
func (db *DB) OpenJob(ctx context.Context, spec []byte, opts ...QueryOption) (*Job, error) {
	cfg, err := db.queryConfig(opts)
	if err != nil {
		return nil, err
	}
	snap, err := db.snapshot(ctx)
	if err != nil {
		return nil, err
	}
	s, values, err := exec.ReadSpec(spec)
	if err != nil {
		return nil, err
	}
	return call(ctx, db, inMemory, "opening a job", func(ctx context.Context) (*Job, error) {
		return newJob(ctx, db, snap, s, values, cfg)
	})
}

// WithMergeOnly has Distribute and OpenJob prepare nothing for units, for a process that only merges parts and reads rows. A unit that runs there all the
// same prepares it first, whatever its budget.
func WithMergeOnly() QueryOption { return queryOption(func(c *queryConfig) { c.merges = true }) }

// newJob plans the query of a spec. It fills in what the spec leaves open, and compares the rest.
func newJob(ctx context.Context, db *DB, snap *csr.Snapshot, s *exec.Spec, params map[string]value.Value, cfg *queryConfig) (*Job, error) {
	if set := cfg.divisionKnobs(); set != "" {
		return nil, fmt.Errorf("%w: units choose the way for themselves: leave %s out", ErrNotDivisible, set)
	}
	hash, err := csr.ContentHash(ctx, snap)
	if err != nil {
		return nil, err
	}
	if err := s.ForSnapshot(hash); err != nil {
		return nil, err
	}
	j := &Job{db: db, cfg: cfg, params: params}
	if j.p, err = prepare(ctx, snap, s.Query, cfg); err != nil {
		return nil, err
	}
	if j.p.mode != lang.Run {
		return nil, fmt.Errorf("%w: EXPLAIN and PROFILE have no units", ErrNotDivisible)
	}
	if err := j.p.missing(params); err != nil {
		return nil, err
	}
	if err := s.ForPlan(j.p.plan); err != nil {
		return nil, err
	}
	return j, j.divide(ctx, s)
}

// divide finds out how to divide the query, unless the spec says so.
func (j *Job) divide(ctx context.Context, s *exec.Spec) (err error) {
	env := &pattern.Env{Workers: cmp.Or(j.cfg.workers, j.db.cfg.workers), Memory: &pattern.Memory{Limit: j.cfg.memory}, Filter: j.cfg.filter, Files: j.db.cfg.files}
	j.division, err = exec.Divide(ctx, j.p.plan, j.p.snap, device.CPU{}, env, j.params, s.Now, s.Scheme)
	var not *exec.NotDivisible
	if errors.As(err, &not) {
		return j.notDivisible(not)
	}
	if err == nil {
		err = j.division.Prepare(ctx, !j.cfg.merges)
	}
	if err != nil {
		return queryError(err, j.p.text)
	}
	if j.spec, err = s.Encode(j.params, j.division.Scheme); err != nil {
		return err
	}
	j.id = sha256.Sum256(j.spec)
	return nil
}

// notDivisible says at which clause a query cannot be divided, and why.
func (j *Job) notDivisible(e *exec.NotDivisible) error {
	at := lang.Pos{}
	if q := j.p.stmt.Query; q != nil && len(q.Clauses) > 0 {
		at = q.Clauses[0].Position()
		if _, ok := e.Node.(*planner.Union); ok && len(q.Unions) > 0 && len(q.Unions[0].Clauses) > 0 {
			at = q.Unions[0].Clauses[0].Position()
		}
	}
	if c, ok := e.Node.(*planner.Call); ok {
		at = c.Pos
	}
	place := newQueryError(&lang.Error{Code: "ArgumentError.NotDivisible", Msg: e.Reason, Hint: "run the query as a whole, by DB.Query or motif query", Pos: at, Query: j.p.text}, PhaseCompile)
	return fmt.Errorf("%w: %w", ErrNotDivisible, place)
}

// divisionKnobs describes the knobs that no unit can honour; "" if none is set.
func (c *queryConfig) divisionKnobs() string {
	own := *c
	own.filter, own.workers = pattern.FilterAuto, 0
	if own.brute {
		return "WithBruteForce"
	}
	return own.knobs()
}

// errNoJob is the error of a Job that is nil or zero.
var errNoJob = errors.New("this is no job: Distribute and OpenJob return jobs")

func (j *Job) made() bool { return j != nil && j.division != nil }

// Spec returns what another process needs for the job beside the graph, as JSON.
func (j *Job) Spec() []byte {
	if !j.made() {
		return nil
	}
	return append([]byte(nil), j.spec...)
}

// Columns returns the names of the result's columns.
func (j *Job) Columns() []string {
	if !j.made() {
		return nil
	}
	return append([]string(nil), j.p.plan.Columns...)
}

// Close releases what the job keeps from unit to unit. No unit may run then.
func (j *Job) Close() error {
	if j.made() {
		j.division.Close()
	}
	return nil
}

// Unit is a piece of a job's work: for some nodes of the pattern, a range of the numbers that the graph's nodes have inside, so that the matches
// in these ranges are wanted. It travels as JSON of less than 200 bytes for patterns of up to 6 nodes.
type Unit struct{ box exec.Box }

// MarshalJSON implements json.Marshaler.
func (u Unit) MarshalJSON() ([]byte, error) { return u.box.MarshalJSON() }

// UnmarshalJSON implements json.Unmarshaler. Run tells whether the unit is one of the job.
func (u *Unit) UnmarshalJSON(text []byte) error {
	if u == nil {
		return errors.New("there is no Unit to read into")
	}
	return u.box.UnmarshalJSON(text)
}

// Budget limits a run of a unit. The zero value sets no limit.
type Budget struct {
	// Time is how long the unit may take. What is left by then comes back as units. A single node of the graph whose matches take longer
	// than that is done to its end where they are counted in one go. Units that run at the same time share what a formula needs. What else a unit
	// needs, the candidates above all, each of them but the first prepares once more, whatever its budget.
	Time time.Duration
}

// Units cuts the work of the job into about n units of about equal expected work. There are fewer if the graph or the way of counting admits
// no more. Together the units are all the work.
func (j *Job) Units(n int) []Unit {
	if !j.made() {
		return nil
	}
	boxes, err := call(context.Background(), j.db, inMemory, "the division of a query", func(context.Context) ([]exec.Box, error) { return j.division.Units(n) })
	if err != nil { // no memory for a guess of the work, say: one unit is right, too, and its rest makes more
		boxes, _ = j.division.Units(1)
	}
	return unitsOf(boxes)
}

func unitsOf(boxes []exec.Box) []Unit {
	units := make([]Unit, len(boxes))
	for i, b := range boxes {
		units[i] = Unit{b}
	}
	return units
}

// Cut cuts a unit into n smaller ones or fewer, which together are the same work; n is 2 at least. They have about as many numbers of nodes
// each, but need not be of equal work. A unit that ran into its memory limit may succeed in pieces. Cut returns nil if the unit cannot be cut,
// or is none of the job.
func (j *Job) Cut(u Unit, n int) []Unit {
	if !j.made() || j.division.CheckBox(u.box) != nil {
		return nil
	}
	return unitsOf(j.division.Cut(u.box, n))
}

// Run runs a unit on one core. When its budget is spent, it returns the part that is done and the rest as units. Nothing is done twice, and
// nothing is lost: whoever merges the part must run the rest. An error leaves nothing behind, and the unit can be run again.
func (j *Job) Run(ctx context.Context, u Unit, b Budget) (Part, []Unit, error) {
	if !j.made() {
		return Part{}, nil, errNoJob
	}
	if err := j.division.CheckBox(u.box); err != nil {
		return Part{}, nil, err
	}
	began := time.Now()
	var until time.Time
	if b.Time > 0 {
		until = began.Add(b.Time)
	}
	type result struct {
		part *exec.Part
		rest []exec.Box
	}
	r, err := call(ctx, j.db, inMemory, "a unit", func(ctx context.Context) (r result, err error) {
		r.part, r.rest, err = j.division.Run(ctx, u.box, until)
		return r, err
	})
	if err != nil {
		return Part{}, nil, j.failed(err, began)
	}
	return Part{exec.NewJobPart(j.id, r.part)}, unitsOf(r.rest), nil
}

// failed returns the error of a unit, or of a merge, as a query has it.
func (j *Job) failed(err error, began time.Time) error {
	if errors.Is(err, ErrMemory) {
		return &StoppedError{After: time.Since(began), Reason: err}
	}
	return stopped(queryError(err, j.p.text), began)
}

// Part is what some units of a job have made: a number, groups, or rows. The zero Part has no units yet. A Part travels as bytes, by
// MarshalBinary. Nodes in it are numbers of the job's graph.
type Part struct{ made exec.JobPart }

// MarshalBinary implements encoding.BinaryMarshaler. Its form belongs to one version of Motif.
func (p Part) MarshalBinary() ([]byte, error) { return p.made.MarshalBinary() }

// UnmarshalBinary implements encoding.BinaryUnmarshaler. It fails with ErrBadPart if a byte is missing or was changed on the way. Merge and
// Rows tell whether the part belongs to their job.
func (p *Part) UnmarshalBinary(text []byte) error {
	if p == nil {
		return errors.New("there is no Part to read into")
	}
	return p.made.UnmarshalBinary(text)
}

// Merge adds a part to another one. The order of parts and how they are grouped make no difference to the answer. It fails with ErrPartTwice if
// the two have work in common, as when a unit was run twice and both parts arrive; then into is as before.
func (j *Job) Merge(ctx context.Context, into *Part, p Part) error {
	switch {
	case !j.made():
		return errNoJob
	case into == nil:
		return errors.New("Merge has no part to add to")
	}
	began := time.Now()
	_, err := call(ctx, j.db, inMemory, "the merging of parts", func(ctx context.Context) (struct{}, error) {
		to, err := into.made.Of(j.id, j.division)
		if err != nil {
			return struct{}{}, err
		}
		from, err := p.made.Of(j.id, j.division)
		if err != nil {
			return struct{}{}, err
		}
		sum := *to // a copy of into stays as it is
		if err := j.division.Merge(ctx, &sum, from); err != nil {
			return struct{}{}, err
		}
		*into = Part{exec.NewJobPart(j.id, &sum)}
		return struct{}{}, nil
	})
	if err != nil {
		return j.failed(err, began)
	}
	return nil
}

// Rows returns the result of the query. The part must have all units of the job, else the error of the rows is ErrPartMissing. ctx must live as
// long as the Rows.
func (j *Job) Rows(ctx context.Context, p Part) (*Rows, error) {
	if ctx == nil {
		return nil, errNoContext
	}
	if !j.made() {
		return nil, errNoJob
	}
	part, err := p.made.Of(j.id, j.division)
	if err != nil {
		return nil, err
	}
	cfg := *j.cfg
	cfg.finish = func(ctx context.Context, yield func([]value.Value) (bool, error)) error {
		return j.division.Finish(ctx, part, yield)
	}
	cfg.values = j.params
	return j.db.start(ctx, j.p, nil, &cfg, clock{began: time.Now()}, nil)
}
