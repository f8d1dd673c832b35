package parallel

import (
	"errors"
	"sync"
	"sync/atomic"

	"github.com/motifql/motif/internal/pattern"
)

// PollEvery is how many neighbours a kernel looks at between polls for cancellation.
const PollEvery = 1 << 16

// ErrStop ends a search whose consumer has had enough. No kernel returns it.
var ErrStop = errors.New("stop")

// Nested is the environment for a kernel that runs inside of another: what it visits and finishes is not for the
// outer's tally. pass adds the techniques that it has used to that tally.
func Nested(env *pattern.Env) (in *pattern.Env, pass func()) {
	c := *env
	if env.Tally == nil {
		return &c, func() {}
	}
	c.Tally = new(pattern.Tally)
	return &c, func() {
		for m := range pattern.AllTechniques() {
			env.Took(m, c.Tally.Taken[m].Swap(0))
		}
	}
}

// For runs fn over [0, n) in chunks on at most so many workers, until all is done or stop is set. Each worker takes
// the next chunk when it is done with one; fn learns which worker it runs on.
func For(workers, n, chunk int, stop *atomic.Bool, fn func(worker, lo, hi int)) {
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
