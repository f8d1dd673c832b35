package repl

import (
	"context"
	"errors"
	"io"
	"math"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"sync/atomic"
	"time"

	"github.com/motifql/motif"
)

// flushEvery limits how long a row waits for others, so that a slow query shows its first rows.
const flushEvery = 200 * time.Millisecond

// answer is what was printed of a statement's rows, and what was not.
type answer struct {
	columns []string
	rows    int     // printed
	cuts    int     // cells that were cut to the width of the terminal
	rest    [][]any // rows that did not go to the screen yet
	more    bool    // there are rows after rest, which were not read
}

// count says how many rows there are.
func (a *answer) count() string {
	n := count(a.rows+len(a.rest), "row")
	if a.more {
		return "more than " + n
	}
	return n
}

// heldRows bounds the rows that are kept for :more.
const heldRows = 10_000

// show draws the rows, or writes them.
func (s *Session) show(ctx context.Context, out io.Writer, rows *motif.Rows, plan bool, bar *Bar) (answer, error) {
	if s.isPicture() && len(rows.Columns()) > 0 {
		return s.writePicture(ctx, out, rows, plan, bar)
	}
	return s.write(out, rows, plan, bar)
}

// write writes the rows as they come, also those before an error. The first row wipes the bar.
func (s *Session) write(out io.Writer, rows *motif.Rows, plan bool, bar *Bar) (a answer, err error) {
	if a.columns = rows.Columns(); len(a.columns) == 0 { // a statement that writes and returns nothing
		bar.Close()
		return a, rows.Close()
	}
	var w rowWriter
	if plan && s.Format == "table" {
		w = &lineWriter{w: out, width: Width(s.Out)}
	} else if w, err = s.rowWriter(out, a.columns); err != nil {
		return a, err
	}
	most := s.screenRows(plan)
	typed, _ := w.(typedWriter)
	var due atomic.Bool // a look at the clock for each row would take longer than to write it
	due.Store(true)
	timer := time.AfterFunc(flushEvery, func() { due.Store(true) })
	defer timer.Stop()
	for row, rowErr := range rows.All() {
		if rowErr != nil {
			err = rowErr
			break
		}
		if a.rows == 0 {
			bar.Close()
		}
		if most > 0 && a.rows == most {
			if a.more = len(a.rest) == heldRows; a.more {
				break
			}
			a.rest = append(a.rest, row.Values())
			continue
		}
		if typed != nil {
			err = typed.typed(row)
		} else {
			err = w.row(row.Values())
		}
		if err != nil {
			break
		}
		a.rows++
		if due.Load() {
			if err = w.flush(); err != nil {
				break
			}
			due.Store(false)
			timer.Reset(flushEvery)
		}
	}
	bar.Close()
	if a.rows == 0 && err != nil {
		return a, err
	}
	err = errors.Join(err, w.close())
	if t, ok := w.(*tableWriter); ok {
		a.cuts = t.cuts
	}
	return a, err
}

// rowWriter starts the output of an answer.
func (s *Session) rowWriter(out io.Writer, columns []string) (rowWriter, error) {
	w, err := newRowWriter(s.rowFormat(), out, columns, Width(s.Out))
	if t, ok := w.(*tableWriter); ok {
		t.layout = s.Layout
	}
	return w, err
}

// screenRows returns how many rows of an answer go to the screen at once; 0: all.
func (s *Session) screenRows(plan bool) int {
	if plan || s.Format != "table" || Width(s.Out) == 0 {
		return 0
	}
	return s.ScreenRows
}

// tellRest says what an answer on the screen does not show.
func (s *Session) tellRest(a *answer) {
	if a.cuts > 0 {
		hint := "--layout lines shows them whole"
		if s.inShell {
			hint = ":set " + strings.TrimPrefix(hint, "--")
		}
		s.tellf("%s cut; %s", plural(a.cuts, "cell is", "cells are"), hint)
	}
	switch {
	case a.more:
		s.tellf("more than %d more rows; :more shows the next, :output FILE keeps all of the next answer", len(a.rest))
	case len(a.rest) > 0:
		s.tellf("%s; :more shows them", plural(len(a.rest), "more row", "more rows"))
	}
}

// showMore runs :more: it shows the next rows of the last answer.
func (sh *Shell) showMore(ctx context.Context, _ string) error {
	a := sh.rest
	if len(a.rest) == 0 {
		if a.more {
			return errors.New("the other rows were not read; ask again with :set rows 0, or with :output FILE")
		}
		return errors.New("no rows are waiting")
	}
	w, err := sh.rowWriter(sh.Out, a.columns)
	if err != nil {
		return err
	}
	n := len(a.rest)
	if most := sh.screenRows(false); most > 0 {
		n = min(n, most)
	}
	if t, ok := w.(*tableWriter); ok {
		t.shown = a.rows
	}
	for _, row := range a.rest[:n] {
		if err := w.row(row); err != nil {
			return err
		}
	}
	if err := w.close(); err != nil {
		return err
	}
	a.cuts = 0
	if t, ok := w.(*tableWriter); ok {
		a.cuts = t.cuts
	}
	a.rest, a.rows = a.rest[n:], a.rows+n
	if sh.rest = a; len(a.rest) > 0 || !a.more {
		sh.tellRest(&a)
	}
	return nil
}

// rowFormat returns the format for newRowWriter.
func (s *Session) rowFormat() string {
	if s.CSVSafe && s.Format == "csv" {
		return csvSafe
	}
	if s.JSONLines && s.Format == "json" {
		return jsonLine
	}
	return s.Format
}

// patience is how long a statement may go on printing after its context has ended.
const patience = 100 * time.Millisecond

// print writes the rows until the context or the time limit ends. Some values take long to write. Then print leaves the
// writing to a goroutine that nobody hears of any more; left says so, and nobody may use the rows after it.
func (s *Session) print(ctx context.Context, start time.Time, rows *motif.Rows, plan bool, bar *Bar) (a answer, err error, left bool) {
	if s.Timeout > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithDeadline(ctx, start.Add(s.Timeout))
		defer stop()
	}
	out := &tap{w: s.Out}
	done := make(chan struct{})
	var printed answer
	var failed error
	go func() {
		defer close(done)
		printed, failed = s.show(ctx, out, rows, plan, bar)
	}()
	select {
	case <-done:
		return printed, failed, false
	case <-ctx.Done():
	}
	select {
	case <-done:
		return printed, failed, false
	case <-time.After(patience):
	}
	out.closed.Store(true)
	bar.Close()
	return answer{}, &motif.StoppedError{After: time.Since(start), Rows: rows.Summary().Rows, Reason: ctx.Err()}, true
}

// tap is a writer that somebody else can close.
type tap struct {
	w      io.Writer
	closed atomic.Bool
}

var errClosedTap = errors.New("the statement has ended")

func (t *tap) Write(p []byte) (int, error) {
	if t.closed.Load() {
		return 0, errClosedTap
	}
	return t.w.Write(p)
}

// limitMemory tells the garbage collector how much memory the process may take while a statement runs that may take so
// many bytes: what lives now, those bytes, and some more. A limit that the environment sets stays.
func limitMemory(bytes int64) {
	if bytes <= 0 || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	now := int64(min(sample[0].Value.Uint64(), math.MaxInt64/4))
	debug.SetMemoryLimit(now + min(bytes, math.MaxInt64/4) + bytes/8 + 24<<20)
}
