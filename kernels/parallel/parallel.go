package parallel

import (
	"errors"
	"sync/atomic"

	"github.com/motifql/motif/internal/workgroup"

	"github.com/motifql/motif/internal/pattern"
)

// PollEvery is how many neighbours a kernel reads between two polls for cancellation.
const PollEvery = 1 << 16

// ErrStop ends a search inside a kernel when the callback wants no more. No kernel returns it.
var ErrStop = errors.New("stop")

// Nested returns the environment for a kernel that runs inside of another. Its tally is separate, because the inner kernel's visits and
// units are no progress of the outer. pass adds the inner kernel's uses of techniques to the outer tally.
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

// For calls fn with the chunks [lo, hi) of [0, n) on at most workers goroutines, and returns when all calls have. Each worker takes the
// next chunk after finishing one. fn learns the number of its worker, from 0. After stop is set no worker takes another chunk.
// A panic in fn sets stop, and goes on in the caller of For.
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
	all := workgroup.Group{Stop: func() { stop.Store(true) }}
	for i := 1; i < workers; i++ {
		all.Go(func() { loop(i) })
	}
	all.Do(func() { loop(0) })
	all.Wait()
}
