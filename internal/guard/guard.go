// Package guard calls what a program hands to Motif: readers, writers, file systems, handlers of loggers and progress functions. A panic in
// one of them becomes an error.
package guard

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
)

// Guard makes the error of a panic. in says what panicked, such as "the writer", and recovered is what recover returned. The Guard is called in
// the deferred function, so that it can read the stack.
type Guard func(in string, recovered any) error

// Recover makes a panic of the function that defers it an error.
func (g Guard) Recover(err *error, in string) {
	if v := recover(); v != nil {
		*err = g(in, v)
	}
}

// stopped is the cause of a context that a panic has ended.
type stopped struct{ error }

func (s stopped) Unwrap() error { return s.error }

// Progress returns f as a function that ends the context where f panics. done replaces the error that this causes by the panic's. f may be nil.
func (g Guard) Progress(ctx context.Context, f func(stage string, done, total uint64)) (_ context.Context, guarded func(stage string, done, total uint64), done func(error) error) {
	ctx, stop := context.WithCancelCause(ctx)
	guarded = func(stage string, done, total uint64) {
		if f == nil {
			return
		}
		defer func() {
			if v := recover(); v != nil {
				stop(stopped{g("the progress function", v)})
			}
		}()
		f(stage, done, total)
	}
	return ctx, guarded, func(err error) error {
		var panicked stopped
		if err != nil && errors.As(context.Cause(ctx), &panicked) {
			return panicked.error
		}
		return err
	}
}

// Writer guards w.
func (g Guard) Writer(w io.Writer) io.Writer { return writer{w, g} }

type writer struct {
	w     io.Writer
	guard Guard
}

func (w writer) Write(p []byte) (n int, err error) {
	defer w.guard.Recover(&err, "the writer")
	n, err = w.w.Write(p)
	if err == nil && n != len(p) {
		err = io.ErrShortWrite
	}
	return max(0, min(n, len(p))), err
}

// Reader guards r.
func (g Guard) Reader(r io.Reader) *Reader { return &Reader{r: r, guard: g} }

// Reader is a guarded reader. It keeps the panic.
type Reader struct {
	r        io.Reader
	guard    Guard
	panicked error
}

// Panicked returns the error of the panic, if there was one.
func (r *Reader) Panicked() error { return r.panicked }

// Read implements io.Reader.
func (r *Reader) Read(p []byte) (n int, err error) {
	defer func() {
		if v := recover(); v != nil {
			r.panicked = r.guard("the reader", v)
			err = r.panicked
		}
	}()
	n, err = r.r.Read(p)
	if n < 0 || n > len(p) {
		return 0, fmt.Errorf("the reader says it has read %d of %d bytes", n, len(p))
	}
	return n, err
}

// Handler guards the handler of a logger. It drops a panic with its message: what logs must go on.
func (g Guard) Handler(h slog.Handler) slog.Handler { return handler{h, g} }

type handler struct {
	handler slog.Handler
	guard   Guard
}

func (h handler) Enabled(ctx context.Context, level slog.Level) (on bool) {
	defer func() { _ = recover() }()
	return h.handler.Enabled(ctx, level)
}

func (h handler) Handle(ctx context.Context, r slog.Record) (err error) {
	defer h.guard.Recover(&err, "the logger")
	return h.handler.Handle(ctx, r)
}

func (h handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return h.derive(func() slog.Handler { return h.handler.WithAttrs(attrs) })
}

func (h handler) WithGroup(name string) slog.Handler {
	return h.derive(func() slog.Handler { return h.handler.WithGroup(name) })
}

// derive guards the handler that next makes. Where next panics, h goes on as it is.
func (h handler) derive(next func() slog.Handler) (derived slog.Handler) {
	defer func() {
		if recover() != nil {
			derived = h
		}
	}()
	return handler{next(), h.guard}
}
