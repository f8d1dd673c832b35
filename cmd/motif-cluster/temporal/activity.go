package temporal

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"

	"github.com/motifql/motif"
	"github.com/motifql/motif/cmd/motif-cluster/blobs"
	"github.com/motifql/motif/internal/repl"
)

// A worker that is not heard of for heartbeatTimeout is lost, and its batch goes to another one.
const (
	heartbeatEvery   = time.Second
	heartbeatTimeout = 5 * time.Second
)

// trialTime is how long Prepare tries to answer the query by itself, so that short queries need no units.
const trialTime = 100 * time.Millisecond

// trials is how often an activity is tried when a graph or a blob cannot be read.
const trials = 10

// activities are what workers do.
type activities struct {
	graphs *graphs
	log    *slog.Logger
	sample time.Duration // for Estimate

	metrics *metrics
}

// queryError is the type of errors that another attempt would have, too.
const queryError = "query"

// errStopping ends an activity; another worker begins it again.
var errStopping = errors.New("the worker stops")

// final makes err end the job: another attempt would come to the same.
func final(err error) error {
	return temporal.NewNonRetryableApplicationError(repl.Describe(err), queryError, err)
}

// attend sends heartbeats while fn runs. The context of fn ends when the job is cancelled and when the worker stops.
func attend[T any](ctx context.Context, fn func(context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stopping := activity.GetWorkerStopChannel(ctx)
	go func() {
		ticks := time.NewTicker(heartbeatEvery)
		defer ticks.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-stopping:
				cancel()
			case <-ticks.C:
				activity.RecordHeartbeat(ctx)
			}
		}
	}()
	value, err := fn(ctx)
	return value, judge(ctx, err, stopping)
}

// judge tells the errors that end a job from those that another attempt may not have.
func judge(ctx context.Context, err error, stopping <-chan struct{}) error {
	var known *temporal.ApplicationError
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		select {
		case <-stopping:
			return errStopping
		default:
			return ctx.Err()
		}
	case errors.As(err, &known):
		return known
	case activity.GetInfo(ctx).Attempt >= trials:
		return final(err)
	}
	return err
}

// divided is a query that was divided.
type divided struct {
	snapshot string // the one that all units read
	spec     []byte
	job      *motif.Job
	leave    func() // to be called when the job is used no more
}

// divide divides the query of a request.
func (a *activities) divide(ctx context.Context, r Request) (*divided, error) {
	pinned, err := blobs.Pin(ctx, r.Snapshot) // whatever is pushed meanwhile
	if err != nil {
		return nil, err
	}
	r.Snapshot = pinned
	db, err := a.graphs.db(ctx, r.Snapshot)
	if err != nil {
		return nil, err
	}
	params, err := repl.ParseParams(r.Params)
	if err != nil {
		return nil, final(err)
	}
	made, err := db.Distribute(ctx, r.Query, params, append(r.options(), motif.WithMergeOnly())...)
	if err != nil {
		return nil, asFinal(ctx, err)
	}
	defer made.Close()
	d := &divided{snapshot: pinned, spec: made.Spec()}
	if d.job, d.leave, err = a.graphs.use(ctx, r, d.spec); err != nil {
		return nil, asFinal(ctx, err)
	}
	return d, nil
}

// Prepare divides the query. It answers a short one by itself, so that such a job is a single activity.
func (a *activities) Prepare(ctx context.Context, r Request) (*prepared, error) {
	return attend(ctx, func(ctx context.Context) (*prepared, error) {
		d, err := a.divide(ctx, r)
		if err != nil {
			return nil, err
		}
		defer d.leave()
		p := &prepared{Snapshot: d.snapshot}
		if r.Units == 0 {
			part, done, err := trial(ctx, d.job)
			if err != nil {
				return nil, err
			}
			if done {
				p.Answer, err = writeRows(ctx, r, d.job, part)
				return p, err
			}
		}
		if p.Spec, err = putPiece(ctx, r.Blobs, blobName(ctx, "spec"), d.spec); err != nil {
			return nil, err
		}
		return p, encodeUnits(d.job.Units(r.unitCount()), &p.Units)
	})
}

// unitCount is about how many units the job begins with.
func (r Request) unitCount() int {
	const each, most = 50, 5000 // of a slot; what the engine takes at once
	if r.Units > 0 {
		return min(r.Units, most)
	}
	return min(each*max(1, r.Slots), most)
}

// trial tries to answer the query within a short time. If that fails, nothing of it counts.
func trial(ctx context.Context, job *motif.Job) (part motif.Part, done bool, err error) {
	short, stop := context.WithTimeout(ctx, trialTime)
	defer stop()
	part, rest, err := job.Run(short, job.Units(1)[0], motif.Budget{Time: trialTime})
	if err != nil || len(rest) > 0 {
		return motif.Part{}, false, ctx.Err() // a unit will come to the same error, or not
	}
	return part, true, nil
}

// asFinal makes an error of the engine end the job, unless the context has ended, or the graph could not be fetched.
func asFinal(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.Is(err, blobs.ErrUnfetched) {
		return err
	}
	var known *temporal.ApplicationError
	if errors.As(err, &known) {
		return err
	}
	return final(err)
}

// encodeUnits makes JSON of units.
func encodeUnits(units []motif.Unit, to *[]unit) error {
	for _, u := range units {
		text, err := json.Marshal(u)
		if err != nil {
			return err
		}
		*to = append(*to, text)
	}
	return nil
}

// blobName names a blob of this attempt. Another attempt writes another blob, and the workflow has the name of the one that counts.
func blobName(ctx context.Context, what string) string {
	info := activity.GetInfo(ctx)
	return fmt.Sprintf("%s/%s/%s-%s-%d", info.WorkflowExecution.ID, info.WorkflowExecution.RunID, what, info.ActivityID, info.Attempt)
}

// putPart stores a part.
func putPart(ctx context.Context, r Request, what string, part motif.Part) (Piece, error) {
	text, err := part.MarshalBinary()
	if err != nil {
		return Piece{}, final(err)
	}
	return putPiece(ctx, r.Blobs, blobName(ctx, what), text)
}

// open returns the job of a spec.
func (a *activities) open(ctx context.Context, r Request, spec Piece) (*motif.Job, func(), error) {
	text, err := spec.bytes(ctx, r.Blobs)
	if err != nil {
		return nil, nil, err
	}
	job, leave, err := a.graphs.use(ctx, r, text)
	if err == nil || ctx.Err() != nil {
		return job, leave, err
	}
	if errors.Is(err, motif.ErrOtherSnapshot) || errors.Is(err, motif.ErrOtherPlan) {
		err = final(err)
	}
	return nil, nil, err
}

// RunUnits runs the units of a batch until its budget is spent, and gives back the rest.
func (a *activities) RunUnits(ctx context.Context, b batch) (*batchDone, error) {
	return attend(ctx, func(ctx context.Context) (*batchDone, error) {
		info := activity.GetInfo(ctx)
		log := a.log.With("job", info.WorkflowExecution.ID, "batch", info.ActivityID, "attempt", info.Attempt)
		log.Info("batch begins", "units", len(b.Units))
		d, err := a.openAndRun(ctx, b)
		if err != nil {
			level := slog.LevelWarn
			if ctx.Err() != nil { // the job was cancelled, or the worker stops
				level = slog.LevelInfo
			}
			log.Log(ctx, level, "batch failed", "error", err)
			return nil, err
		}
		d.Attempt = int(info.Attempt)
		log.Info("batch done", "units", d.Ran, "split", d.Split, "rest", len(d.Rest), "ms", d.Took.Milliseconds())
		return d, nil
	})
}

func (a *activities) openAndRun(ctx context.Context, b batch) (*batchDone, error) {
	job, leave, err := a.open(ctx, b.Request, b.Spec)
	if err != nil {
		return nil, err
	}
	defer leave()
	return a.runBatch(ctx, job, b)
}

// memoryPieces is into how many units one is cut that needs too much memory.
const memoryPieces = 8

// runBatch runs units one after the other and merges their parts. What needs too much memory comes back in pieces.
func (a *activities) runBatch(ctx context.Context, job *motif.Job, b batch) (*batchDone, error) {
	a.metrics.busy.Inc()
	defer a.metrics.busy.Dec()
	began := time.Now()
	d := &batchDone{}
	var total motif.Part
	for i, text := range b.Units {
		var u motif.Unit
		if err := json.Unmarshal(text, &u); err != nil {
			return nil, final(err)
		}
		left := b.Budget - time.Since(began)
		if left <= 0 && i > 0 {
			d.Rest = append(d.Rest, b.Units[i:]...)
			break
		}
		start := time.Now()
		part, rest, err := job.Run(ctx, u, motif.Budget{Time: max(left, 1)})
		if pieces := job.Cut(u, memoryPieces); errors.Is(err, motif.ErrMemory) && pieces != nil {
			d.Split++
			a.metrics.unit(start, a.metrics.split)
			if err := encodeUnits(pieces, &d.Rest); err != nil {
				return nil, final(err)
			}
			continue
		}
		if err == nil {
			err = job.Merge(ctx, &total, part)
		}
		if err != nil {
			a.metrics.unit(start, a.metrics.failed)
			return nil, asFinal(ctx, err)
		}
		a.metrics.unit(start, a.metrics.run)
		if err := encodeUnits(rest, &d.Rest); err != nil {
			return nil, final(err)
		}
		d.Ran++
	}
	if d.Ran > 0 {
		var err error
		if d.Part, err = putPart(ctx, b.Request, "part", total); err != nil {
			return nil, err
		}
	}
	d.Took = time.Since(began)
	return d, nil
}

// MergeParts makes one part of several.
func (a *activities) MergeParts(ctx context.Context, m merge) (Piece, error) {
	return attend(ctx, func(ctx context.Context) (Piece, error) {
		job, leave, err := a.open(ctx, m.Request, m.Spec)
		if err != nil {
			return Piece{}, err
		}
		defer leave()
		total, err := mergeAll(ctx, job, m)
		if err != nil {
			return Piece{}, err
		}
		return putPart(ctx, m.Request, "merged", total)
	})
}

// mergeAll reads and merges parts.
func mergeAll(ctx context.Context, job *motif.Job, m merge) (total motif.Part, err error) {
	for _, piece := range m.Parts {
		text, err := piece.bytes(ctx, m.Blobs)
		if err != nil {
			return total, err
		}
		var part motif.Part
		if err := part.UnmarshalBinary(text); err != nil {
			return total, final(err)
		}
		if err := job.Merge(ctx, &total, part); err != nil {
			return total, asFinal(ctx, err)
		}
	}
	return total, nil
}

// Finish merges what is left and writes the rows.
func (a *activities) Finish(ctx context.Context, m merge) (*Answer, error) {
	return attend(ctx, func(ctx context.Context) (*Answer, error) {
		job, leave, err := a.open(ctx, m.Request, m.Spec)
		if err != nil {
			return nil, err
		}
		defer leave()
		total, err := mergeAll(ctx, job, m)
		if err != nil {
			return nil, err
		}
		return writeRows(ctx, m.Request, job, total)
	})
}

// writeRows makes the answer of the parts of all units, merged.
func writeRows(ctx context.Context, r Request, job *motif.Job, total motif.Part) (*Answer, error) {
	rows, err := job.Rows(ctx, total)
	if err != nil {
		return nil, asFinal(ctx, err)
	}
	text, err := textOf(ctx, rows, r.Format)
	if err != nil {
		return nil, err
	}
	answer := &Answer{Blobs: r.Blobs}
	for _, w := range rows.Summary().Warnings {
		answer.Warnings = append(answer.Warnings, w.Message)
	}
	answer.Rows, err = putPiece(ctx, r.Blobs, blobName(ctx, "rows"), text)
	return answer, err
}

// textOf writes rows in a format, and closes them.
func textOf(ctx context.Context, rows *motif.Rows, format string) ([]byte, error) {
	defer rows.Close()
	var out bytes.Buffer
	if err := repl.WriteRows(&out, rows, format); err != nil {
		return nil, asFinal(ctx, err)
	}
	return out.Bytes(), nil
}
