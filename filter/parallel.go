package filter

import (
	"context"
	"sync"
	"sync/atomic"
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
	var wg sync.WaitGroup
	for range workers {
		wg.Go(work)
	}
	wg.Wait()
	return ctx.Err()
}
