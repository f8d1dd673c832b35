package importer

import (
	"context"
	"io"
	"sync/atomic"

	"github.com/motifql/motif/internal/workgroup"
)

// parsed is what a worker made of one chunk.
type parsed[T any] struct {
	c     *chunk
	value T
	err   error
}

type job[T any] struct {
	c   *chunk
	out chan<- parsed[T]
}

// inOrder reads chunks in one goroutine, parses them in workers and uses the results here, in file order. So ids come out
// the same on every run, and the first error of the file is the one returned.
func inOrder[T any](ctx context.Context, workers int, next func() (*chunk, error), parse func(*chunk) (T, error), use func(*chunk, T) error) error {
	ctx, cancel := context.WithCancel(ctx)
	wg := workgroup.Group{Stop: cancel}
	defer wg.Wait()
	defer cancel()
	jobs := make(chan job[T])
	queue := make(chan (<-chan parsed[T]), 2*workers)
	for range workers {
		wg.Go(func() {
			for j := range jobs {
				v, err := parse(j.c)
				j.out <- parsed[T]{j.c, v, err}
			}
		})
	}
	wg.Go(func() {
		defer close(jobs)
		defer close(queue)
		readChunks(ctx, next, jobs, queue)
	})
	for out := range queue {
		var p parsed[T]
		select {
		case p = <-out:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if p.c != nil {
			if err := use(p.c, p.value); err != nil {
				return err
			}
		}
		if p.err != nil {
			return p.err
		}
	}
	return context.Cause(ctx)
}

// readChunks hands every chunk to the workers and its future result, or the reader's error, to the queue.
func readChunks[T any](ctx context.Context, next func() (*chunk, error), jobs chan<- job[T], queue chan<- (<-chan parsed[T])) {
	for {
		c, err := next()
		if err == io.EOF {
			return
		}
		out := make(chan parsed[T], 1)
		if err != nil {
			out <- parsed[T]{err: err}
		}
		select {
		case queue <- out:
		case <-ctx.Done():
			return
		}
		if err != nil {
			return
		}
		select {
		case jobs <- job[T]{c, out}:
		case <-ctx.Done():
			return
		}
	}
}

// share calls work(i) for every i below n on some goroutines, in no order.
func share(workers, n int, work func(i int)) {
	var next atomic.Int64
	all := workgroup.Group{Stop: func() { next.Store(int64(n)) }}
	for range min(workers, n) {
		all.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				work(i)
			}
		})
	}
	all.Wait()
}
