package motif

import (
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/motifql/motif/internal/eval"
	"github.com/motifql/motif/internal/figures"
	"github.com/motifql/motif/internal/graphdiff"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/lang"
	"github.com/motifql/motif/storage"
	"github.com/motifql/motif/storage/exporter"
)

// Test for these with errors.Is. If a query was ended by its context, errors.Is also finds the context's error.
var (
	ErrClosed      = errors.New("database is closed")
	ErrNoRows      = errors.New("query gave no rows")
	ErrRowLimit    = errors.New("row limit reached")
	ErrMemory      = pattern.ErrMemory      // a query needs more memory than WithMemory allows
	ErrOverflow    = pattern.ErrOverflow    // a count does not fit 64 bits
	ErrReadOnly    = storage.ErrReadOnly    // the store, or the transaction, only reads
	ErrLocked      = storage.ErrLocked      // another process uses the store
	ErrNotStore    = storage.ErrNotStore    // the folder holds no store
	ErrNoGraph     = storage.ErrNoGraph     // the store holds no graph
	ErrNotEmpty    = storage.ErrNotEmpty    // the store holds a graph already
	ErrCorrupt     = storage.ErrCorrupt     // the store is damaged
	ErrRepair      = storage.ErrRepair      // the store needs a repair, which takes an opening for writing
	ErrNewerFormat = storage.ErrNewerFormat // a later release wrote the store
	ErrNoSpace     = storage.ErrNoSpace     // the disk is full
	ErrPermission  = storage.ErrPermission
	ErrIO          = storage.ErrIO
	ErrTxDone      = storage.ErrTxDone      // the transaction has ended already, by Commit or by Rollback
	ErrExists      = exporter.ErrExists     // the file of an export exists already
	ErrUndecided   = graphdiff.ErrUndecided // Diff ended without an answer; see DiffOptions.By
)

// QueryError is a mistake in a query, found before or while the query ran. Line and Column count from 1, Column and Length count
// characters. All three are 0 if the place is unknown.
type QueryError struct {
	Code    string // such as "SyntaxError.UndefinedVariable"
	Phase   ErrorPhase
	Message string
	Hint    string // what to do, or ""
	Line    int
	Column  int
	Length  int
	Query   string
	pretty  string
}

// ErrorPhase says when a mistake was found: before the query ran, or while it ran.
type ErrorPhase string

const (
	PhaseCompile ErrorPhase = "compile time"
	PhaseRuntime ErrorPhase = "runtime"
)

// Error returns the message on one line, with its place.
func (e *QueryError) Error() string {
	if e.Line == 0 {
		return e.Message
	}
	return fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.Message)
}

// Pretty returns the message, the line of the query with a caret under the place, and the hint.
func (e *QueryError) Pretty() string { return e.pretty }

// StoppedError says how far a query had come when a limit or its context ended it. It wraps the reason.
type StoppedError struct {
	After          time.Duration
	Rows           int64
	PartialMatches uint64  // visited so far
	Done           float64 // share of the root candidates, or of a procedure's units of work, that are finished
	Reason         error
}

func (e *StoppedError) Error() string {
	return fmt.Sprintf("query stopped after %v: %v (%s%d rows)%s", e.After.Round(time.Millisecond), e.Reason, e.Progress(), e.Rows, e.hint())
}

// Progress writes how far the search had come, as "1.2 M partial matches, 3.4 % done, ". It leaves out what is unknown.
func (e *StoppedError) Progress() (text string) {
	if e.PartialMatches > 0 {
		text = figures.Count(e.PartialMatches) + " partial matches, "
	}
	if e.Done > 0 {
		text += fmt.Sprintf("%.1f %% done, ", 100*e.Done)
	}
	return text
}

func (e *StoppedError) hint() string {
	switch {
	case errors.Is(e.Reason, ErrMemory):
		return "; return fewer rows with LIMIT, aggregate less, or raise the memory budget"
	case errors.Is(e.Reason, ErrRowLimit):
		return "; add LIMIT to the query or raise the row limit"
	}
	return ""
}

// Unwrap returns the reason.
func (e *StoppedError) Unwrap() error { return e.Reason }

// PanicError is a panic in a function of the program that a query called: a declared procedure, or a progress callback.
type PanicError struct {
	In    string // what panicked
	Value any    // of the panic
	Stack []byte // of its goroutine
}

// Error returns the panic on one line.
func (e *PanicError) Error() string { return fmt.Sprintf("%s panicked: %v", e.In, e.Value) }

// Unwrap returns the value of the panic if it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

func newPanicError(in string, v any) *PanicError {
	return &PanicError{In: in, Value: v, Stack: debug.Stack()}
}

// queryError turns errors of lang and exec into a *QueryError; others pass.
func queryError(err error, text string) error {
	var le *lang.Error
	if errors.As(err, &le) {
		le.Query = text
		return newQueryError(le, PhaseCompile)
	}
	var xe *eval.Error
	if errors.As(err, &xe) {
		phase := PhaseRuntime
		if xe.Code == eval.CodeParameter { // known before anything runs
			phase = PhaseCompile
		}
		return newQueryError(&lang.Error{Code: xe.Code, Msg: xe.Msg, Hint: xe.Hint, Pos: xe.Pos, Query: text}, phase)
	}
	return err
}

func newQueryError(e *lang.Error, phase ErrorPhase) *QueryError {
	return &QueryError{Code: e.Code, Phase: phase, Message: e.Msg, Hint: e.Hint, Line: e.Pos.Line, Column: e.Pos.Column, Length: e.Pos.Len,
		Query: e.Query, pretty: e.Pretty()}
}
