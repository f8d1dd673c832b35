package importer

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/workgroup"
)

// grace is how long an interrupted load may take to end by itself. Nearly all do so within milliseconds.
const grace = 60 * time.Millisecond

// abandonable runs a load in a goroutine, so that the end of ctx ends the wait for it even while it waits for a file, such
// as a pipe that nobody writes to. An abandoned load ends at its next look at ctx and reports no more progress. A panic of
// the load goes on here.
func abandonable(ctx context.Context, progress func(Progress), load func(func(Progress)) (*csr.Snapshot, *Report, error)) (*csr.Snapshot, *Report, error) {
	if ctx.Done() == nil {
		return load(progress)
	}
	type outcome struct {
		snap     *csr.Snapshot
		report   *Report
		err      error
		panicked *workgroup.Panic
	}
	var mu sync.Mutex
	left := false
	report := func(p Progress) {
		mu.Lock()
		defer mu.Unlock()
		if progress != nil && !left {
			progress(p)
		}
	}
	done := make(chan outcome, 1)
	go func() {
		o := outcome{err: errors.New("a function that the load called has left it by runtime.Goexit")}
		defer func() { done <- o }()
		o.panicked = workgroup.Catch(func() { o.snap, o.report, o.err = load(report) })
	}()
	end := func(o outcome) (*csr.Snapshot, *Report, error) {
		if o.panicked != nil {
			panic(o.panicked)
		}
		return o.snap, o.report, o.err
	}
	select {
	case o := <-done:
		return end(o)
	case <-ctx.Done():
	}
	select {
	case o := <-done:
		return end(o)
	case <-time.After(grace):
	}
	mu.Lock()
	defer mu.Unlock()
	left = true
	return nil, nil, context.Cause(ctx)
}
