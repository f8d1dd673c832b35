package filter

import (
	"context"
	"sync/atomic"

	"github.com/motifql/motif/internal/workgroup"
)

// parallel runs fn(0) ... fn(n-1) on some workers, each with a function of its own from newWorker, until ctx ends.
func parallel(ctx context.Context, workers, n int, newWorker func() func(i int)) error {
	var next atomic.Int64
	work := func() {
		fn := newWorker()
		for i := int(next.Add(1)) - 1; i < n && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
			fn(i)
		}
	}
	if workers = min(workers, n); workers <= 1 {
		work()
		return ctx.Err()
	}
	all := workgroup.Group{Stop: func() { next.Store(int64(n)) }}
	for range workers {
		all.Go(work)
	}
	all.Wait()
	return ctx.Err()
}
