package importer

import (
	"context"
	"fmt"
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
//
// A chunk and its value are charged to the load's budget until use returns. What use keeps it charges itself. It may move the value elsewhere.
func inOrder[T sized](ctx context.Context, l *loader, workers int, next func() (*chunk, error), parse func(*chunk) (T, error), use func(*chunk, T) error) error {
	ctx, cancel := context.WithCancel(ctx)
	wg := workgroup.Group{Stop: cancel}
	defer wg.Wait()
	defer cancel()
	jobs := make(chan job[T])
	queue := make(chan (<-chan parsed[T]), 2*workers)
	for range workers {
		wg.Go(func() {
			for j := range jobs {
				j.out <- parseChunk(l, j.c, parse)
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
		held := int64(0)
		if p.c != nil {
			held = p.value.bytes()
			if err := use(p.c, p.value); err != nil {
				return err
			}
		}
		if p.err != nil {
			return p.err
		}
		if err := l.fits(p.c.file, p.c.line); err != nil {
			return err
		}
		l.take(-held)
		p.c.done()
	}
	return context.Cause(ctx)
}

// parseChunk parses a chunk in a worker. Of a record that is longer than a chunk should be it charges beforehand what the
// values can take at most.
func parseChunk[T sized](l *loader, c *chunk, parse func(*chunk) (T, error)) (p parsed[T]) {
	p.c = c
	if l.mem == nil {
		p.value, p.err = parse(c)
		return p
	}
	most := c.mostValues()
	l.take(most)
	if over(l.mem) && most > 0 {
		p.err = limitError(c.file, c.line, l.Memory, fmt.Sprintf("for a record of %s", byteSize(int64(len(c.data)))))
		return p
	}
	p.value, p.err = parse(c)
	l.take(p.value.bytes() - most)
	return p
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
