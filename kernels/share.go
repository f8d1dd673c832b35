package kernels

import (
	"sync"
	"sync/atomic"
)

// share runs fn over [0, n) in chunks on at most so many workers, until all is done or stop is set. Each worker takes
// the next chunk when it is done with one; fn learns which worker it runs on.
func share(workers, n, chunk int, stop *atomic.Bool, fn func(worker, lo, hi int)) {
	var next atomic.Int64
	loop := func(worker int) {
		for !stop.Load() {
			lo := int(next.Add(int64(chunk))) - chunk
			if lo >= n {
				return
			}
			fn(worker, lo, min(lo+chunk, n))
		}
	}
	workers = min(workers, (n+chunk-1)/chunk)
	if workers <= 1 {
		loop(0)
		return
	}
	var wg sync.WaitGroup
	for i := 1; i < workers; i++ {
		wg.Go(func() { loop(i) })
	}
	loop(0)
	wg.Wait()
}
