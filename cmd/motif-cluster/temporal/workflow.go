package temporal

import (
	"bytes"
	"cmp"
	"compress/zlib"
	"encoding/json"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
)

// Limits of one run of the workflow. Temporal ends a run of 51,200 events or 50 MB, and a unit makes up to six events.
const (
	runBatches = 5_000    // unless the request says otherwise
	runBytes   = 12 << 20 // of parts and specs, which the history may have several times
)

// Temporal takes up to 2 MB as the input of an activity, and its JSON makes bytes a third longer.
const (
	mergeBytes = 1 << 20 // of parts that are merged at once
	mergeParts = 64
)

// progressQuery is the name of the workflow's query for its Counters.
const progressQuery = "progress"

// saved is the state of a job that its next run begins with.
type saved struct {
	Spec     Piece
	Units    []byte // JSON, compressed
	Levels   [][]Piece
	Counters Counters
}

// job is the state of a run of the workflow.
type job struct {
	Request
	spec     Piece
	answer   *Answer // if the query was short
	units    []unit  // a stack: what was split goes first, so that the stack stays small
	levels   [][]Piece
	counters Counters

	sel     workflow.Selector
	batches int // begun in this run
	bytes   int // of parts in this run
	open    int // batches
	merging int // merges that are under way
	err     error
}

// Query is the workflow of a job. It returns the rows that an activity has written. from is nil for the first run.
func Query(ctx workflow.Context, r Request, from *saved) (*Answer, error) {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: 7 * 24 * time.Hour, // a unit that cannot be cut takes what it takes
		HeartbeatTimeout:    heartbeatTimeout,
		RetryPolicy:         &temporal.RetryPolicy{InitialInterval: 100 * time.Millisecond, MaximumInterval: 2 * time.Second}, // without end
	})
	if r.Dry {
		a := &Answer{}
		return a, workflow.ExecuteActivity(ctx, "Estimate", r).Get(ctx, a)
	}
	j := &job{Request: r, sel: workflow.NewSelector(ctx)}
	if err := workflow.SetQueryHandler(ctx, progressQuery, func() (Counters, error) { return j.progress(), nil }); err != nil {
		return nil, err
	}
	if err := j.begin(ctx, from); err != nil {
		return nil, err
	}
	if j.answer != nil {
		j.answer.Counters = Counters{Done: 1}
		return j.answer, nil
	}
	again, err := j.run(ctx)
	if err != nil {
		return nil, err
	}
	if again {
		next, err := j.save()
		if err != nil {
			return nil, err
		}
		return nil, workflow.NewContinueAsNewError(ctx, queryType, j.Request, next)
	}
	return j.finish(ctx)
}

// begin has the query prepared, or takes up the state of the run before.
func (j *job) begin(ctx workflow.Context, from *saved) error {
	if from != nil {
		j.spec, j.levels, j.counters = from.Spec, from.Levels, from.Counters
		return unpack(from.Units, &j.units)
	}
	var p prepared
	if err := workflow.ExecuteActivity(ctx, "Prepare", j.Request).Get(ctx, &p); err != nil {
		return err
	}
	j.Snapshot, j.spec, j.units, j.answer = p.Snapshot, p.Spec, p.Units, p.Answer
	return nil
}

// run keeps a window of batches with the workers until all units are done. again says that the job goes on in another run.
func (j *job) run(ctx workflow.Context) (again bool, err error) {
	for {
		full := j.batches >= cmp.Or(j.PerRun, runBatches) || j.bytes >= runBytes
		for !full && len(j.units) > 0 && j.open < 2*max(1, j.Slots) {
			j.start(ctx)
		}
		if j.open == 0 && j.merging == 0 {
			return len(j.units) > 0, nil
		}
		j.sel.Select(ctx)
		if j.err != nil {
			return false, j.err
		}
		j.startMerges(ctx)
	}
}

// start hands the next units to a worker. While many units wait, a batch has many of them: the time of a unit that is empty goes to the
// engine. Batches get smaller towards the end, so that all workers end at about the same time.
func (j *job) start(ctx workflow.Context) {
	n := min(maxBatch, max(1, len(j.units)/(4*max(1, j.Slots))))
	b := batch{Request: j.Request.light(), Spec: j.spec, Units: append([]unit(nil), j.units[len(j.units)-n:]...)}
	j.units = j.units[:len(j.units)-n]
	j.open++
	j.batches++
	j.counters.Open += n
	j.bytes += len(j.spec.Data)
	j.sel.AddFuture(workflow.ExecuteActivity(ctx, "RunUnits", b), func(f workflow.Future) {
		j.open--
		j.counters.Open -= n
		var d batchDone
		if err := f.Get(ctx, &d); err != nil {
			j.fail(err)
			return
		}
		j.counters.Done += d.Ran
		j.counters.Split += d.Split
		j.counters.Attempts += d.Attempt
		j.counters.Work += d.Took
		j.units = append(j.units, d.Rest...)
		if d.Ran > 0 {
			j.add(0, d.Part)
		}
	})
}

// maxBatch limits the units of a batch, since a worker that is lost takes its batch along.
const maxBatch = 64

func (j *job) fail(err error) {
	if j.err == nil {
		j.err = err
	}
}

// add keeps a part until it is merged. Parts of one level have about as many units each, so that a part is merged a few times only.
func (j *job) add(level int, p Piece) {
	for len(j.levels) <= level {
		j.levels = append(j.levels, nil)
	}
	j.levels[level] = append(j.levels[level], p)
	j.bytes += len(p.Data)
}

// startMerges has the parts of a level merged when there are many.
func (j *job) startMerges(ctx workflow.Context) {
	for level, parts := range j.levels {
		if len(parts) >= mergeParts || inlineBytes(parts) >= mergeBytes && len(parts) > 1 {
			j.merge(ctx, level)
		}
	}
}

// merge has as many parts of a level merged as fit.
func (j *job) merge(ctx workflow.Context, level int) {
	parts := j.levels[level]
	n := fitting(parts)
	in := merge{Request: j.Request.light(), Spec: j.spec, Parts: append([]Piece(nil), parts[:n]...)}
	j.levels[level] = parts[n:]
	j.merging++
	j.sel.AddFuture(workflow.ExecuteActivity(ctx, "MergeParts", in), func(f workflow.Future) {
		j.merging--
		var p Piece
		if err := f.Get(ctx, &p); err != nil {
			j.fail(err)
			return
		}
		j.add(level+1, p)
	})
}

// fitting returns how many of the first parts one merge takes: two at least. A part has up to 256 KiB here.
func fitting(parts []Piece) (n int) {
	size := 0
	for n < min(len(parts), mergeParts) {
		size += len(parts[n].Data)
		if size > mergeBytes && n >= 2 {
			break
		}
		n++
	}
	return n
}

func inlineBytes(parts []Piece) (n int) {
	for _, p := range parts {
		n += len(p.Data)
	}
	return n
}

// finish merges until what is left fits one activity, and has the rows written.
func (j *job) finish(ctx workflow.Context) (*Answer, error) {
	for level := 0; ; level++ {
		var all []Piece
		for _, parts := range j.levels {
			all = append(all, parts...)
		}
		if fitting(all) == len(all) {
			in := merge{Request: j.Request.light(), Spec: j.spec, Parts: all}
			a := &Answer{}
			err := workflow.ExecuteActivity(ctx, "Finish", in).Get(ctx, a)
			a.Counters = j.progress()
			return a, err
		}
		for len(j.levels[level]) > 1 {
			j.merge(ctx, level)
		}
		for j.merging > 0 && j.err == nil {
			j.sel.Select(ctx)
		}
		if j.err != nil {
			return nil, j.err
		}
		if level+1 < len(j.levels) { // a single part goes up with the others
			j.levels[level+1] = append(j.levels[level+1], j.levels[level]...)
			j.levels[level] = nil
		}
	}
}

func (j *job) progress() Counters {
	c := j.counters
	c.Queued = len(j.units)
	return c
}

// save returns the state for the next run.
func (j *job) save() (*saved, error) {
	units, err := pack(j.units)
	if err != nil {
		return nil, err
	}
	return &saved{Spec: j.spec, Units: units, Levels: j.levels, Counters: j.counters}, nil
}

// pack writes units as compressed JSON: thousands of them would not fit a payload.
func pack(units []unit) ([]byte, error) {
	var out bytes.Buffer
	w := zlib.NewWriter(&out)
	if err := json.NewEncoder(w).Encode(units); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func unpack(text []byte, units *[]unit) error {
	r, err := zlib.NewReader(bytes.NewReader(text))
	if err != nil {
		return err
	}
	return json.NewDecoder(r).Decode(units)
}
