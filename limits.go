package motif

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/motifql/motif/internal/value"
)

// deadline returns ctx with the time limit of a query that began at a moment.
func (c *queryConfig) deadline(ctx context.Context, began time.Time) (context.Context, context.CancelFunc) {
	if c.timeout <= 0 {
		return ctx, func() {}
	}
	return context.WithDeadline(ctx, began.Add(c.timeout))
}

// await runs fn. When ctx ends first, it leaves fn behind, whose end nobody waits for: fn only reads.
func await[T any](ctx context.Context, fn func() (T, error)) (T, error) {
	if ctx.Done() == nil {
		return fn()
	}
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		v, err := fn()
		done <- result{v, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
	}
	select {
	case r := <-done:
		return r.value, r.err
	case <-time.After(grace):
		return *new(T), ctx.Err()
	}
}

// stopped returns err as the error of a query that its context has ended before it ran.
func stopped(err error, began time.Time) error {
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return &StoppedError{After: time.Since(began), Reason: err}
	}
	return err
}

// tokenBytes is about how much memory a word or sign of a query takes while the query is read.
const tokenBytes = 1024

// output is the rows of a query on their way to the reader.
type output struct {
	batch   []value.Value
	size    int   // rows the batch still takes: few at first, for a quick first row
	large   int64 // bytes that the values of the batch refer to
	batches chan batch
	held    []batch       // the batches of a statement that writes: nobody reads them before it has ended
	unread  atomic.Int64  // bytes in batches, and in the one that is being read
	taken   chan struct{} // says that unread has become less
}

// batch is some rows, with the bytes that they take.
type batch struct {
	values []value.Value
	bytes  int64
}

const (
	maxBatch   = 256     // rows
	largeBatch = 1 << 20 // bytes that wait for the reader; a row that is larger waits alone
)

// yield passes on one row.
func (x *execution) yield(row []value.Value) (bool, error) {
	if x.cfg.maxRows > 0 && x.rows.Load() == x.cfg.maxRows {
		return false, errors.Join(x.flush(), ErrRowLimit)
	}
	for _, v := range row {
		if n := v.Bytes() - 24; n > 0 {
			x.large += n
			if n > largeValue && x.cfg.memory > 0 {
				if err := x.roomToShow(v); err != nil {
					return false, err
				}
			}
		}
	}
	x.rows.Add(1)
	x.batch = append(x.batch, row...)
	if x.size--; x.size > 0 && x.large < largeBatch {
		return true, nil
	}
	return true, x.flush()
}

// flush hands the batch over, or gives up when the query has ended. It returns when at most largeBatch bytes wait for the
// reader, so that a slow reader does not make large rows pile up.
func (x *execution) flush() error {
	width := len(x.batch)
	if width == 0 {
		return nil
	}
	b := batch{x.batch, x.large + 24*int64(cap(x.batch))}
	if err := x.env.Memory.Charge(b.bytes); err != nil {
		return err
	}
	x.batch, x.large, x.size = make([]value.Value, 0, 2*width), 0, int(min(maxBatch, x.rows.Load()))
	if x.draft != nil {
		x.held = append(x.held, b)
		return nil
	}
	x.unread.Add(b.bytes)
	select {
	case x.batches <- b:
	case <-x.ctx.Done():
		return x.ctx.Err()
	}
	for x.unread.Load() > largeBatch {
		select {
		case <-x.taken:
		case <-x.ctx.Done():
			return x.ctx.Err()
		}
	}
	return nil
}

// read says that the reader is done with a batch.
func (x *execution) read(b batch) {
	if b.bytes == 0 {
		return
	}
	x.env.Memory.Release(b.bytes)
	if x.draft != nil {
		return
	}
	x.unread.Add(-b.bytes)
	select {
	case x.taken <- struct{}{}:
	default:
	}
}

// largeValue is the size of a value that is weighed before it is shown.
const largeValue = 1 << 16

// roomToShow reports an error if there is no room for v as the reader gets it, with its text.
func (x *execution) roomToShow(v value.Value) error {
	n := shownBytes(v)
	err := x.env.Memory.Charge(n)
	x.env.Memory.Release(n)
	return err
}

// shownBytes is about how much memory a value takes as fromValue makes it, with its text.
func shownBytes(v value.Value) int64 {
	const element = 448 + 160 // of a node or a relationship: with a map of some properties, and its text
	switch v.Kind() {
	case value.String:
		return 32 + 2*(v.Bytes()-24)
	case value.List:
		n := int64(64)
		for _, e := range v.List() {
			n += shownBytes(e)
		}
		return n
	case value.Map:
		m := v.Map()
		n := 64 + 40*int64(len(m.Keys)+8)
		for i, k := range m.Keys {
			n += int64(len(k)) + shownBytes(m.Values[i])
		}
		return n
	case value.Node, value.Rel:
		return element
	case value.Path:
		return element * int64(len(v.Path().Nodes)+len(v.Path().Rels))
	case value.Temporal:
		return 128
	}
	return 40
}
