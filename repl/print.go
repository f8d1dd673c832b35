package repl

import (
	"context"
	"errors"
	"io"
	"math"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
	"time"

	"github.com/motifql/motif"
)

// flushEvery limits how long a row waits for others, so that a slow query shows its first rows.
const flushEvery = 200 * time.Millisecond

// write writes the rows as they come, also those before an error. The first row wipes the bar.
func (s *Session) write(out io.Writer, rows *motif.Rows, plan bool, bar *Bar) (n int, err error) {
	if len(rows.Columns()) == 0 { // a statement that writes and returns nothing
		bar.Close()
		return 0, rows.Close()
	}
	var w rowWriter
	if plan && s.Format == "table" {
		w = &lineWriter{w: out, width: Width(s.Out)}
	} else if w, err = newRowWriter(s.rowFormat(), out, rows.Columns(), Width(s.Out)); err != nil {
		return 0, err
	}
	var shown time.Time
	for row, rowErr := range rows.All() {
		if rowErr != nil {
			err = rowErr
			break
		}
		bar.Close()
		if err = w.row(row.Values()); err != nil {
			break
		}
		n++
		if now := time.Now(); now.Sub(shown) > flushEvery {
			if err = w.flush(); err != nil {
				break
			}
			shown = now
		}
	}
	bar.Close()
	if n == 0 && err != nil {
		return 0, err
	}
	return n, errors.Join(err, w.close())
}

// rowFormat returns the format for newRowWriter.
func (s *Session) rowFormat() string {
	if s.CSVSafe && s.Format == "csv" {
		return csvSafe
	}
	return s.Format
}

// patience is how long a statement may go on printing after its context has ended.
const patience = 100 * time.Millisecond

// print writes the rows until the context or the time limit ends. Some values take long to write. Then print leaves the
// writing to a goroutine that nobody hears of any more; left says so, and nobody may use the rows after it.
func (s *Session) print(ctx context.Context, start time.Time, rows *motif.Rows, plan bool, bar *Bar) (n int, err error, left bool) {
	if s.Timeout > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithDeadline(ctx, start.Add(s.Timeout))
		defer stop()
	}
	out := &tap{w: s.Out}
	done := make(chan struct{})
	var rowsOut int
	var failed error
	go func() {
		defer close(done)
		rowsOut, failed = s.write(out, rows, plan, bar)
	}()
	select {
	case <-done:
		return rowsOut, failed, false
	case <-ctx.Done():
	}
	select {
	case <-done:
		return rowsOut, failed, false
	case <-time.After(patience):
	}
	out.closed.Store(true)
	bar.Close()
	return 0, &motif.StoppedError{After: time.Since(start), Rows: rows.Summary().Rows, Reason: ctx.Err()}, true
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
	debug.SetMemoryLimit(now + min(bytes, math.MaxInt64/4) + bytes/8 + 48<<20)
}
