package motif

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/motifql/motif/internal/convert"
	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/eval"
	"github.com/motifql/motif/internal/figures"
	"github.com/motifql/motif/internal/flat"
	"github.com/motifql/motif/internal/graphdiff"
	"github.com/motifql/motif/internal/guard"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/internal/workgroup"
	"github.com/motifql/motif/lang"
	"github.com/motifql/motif/storage"
	"github.com/motifql/motif/storage/exporter"
)

// Test for these with errors.Is. If a query was ended by its context, errors.Is also finds the context's error.
var (
	ErrClosed      = errors.New("database is closed")
	ErrBusy        = errors.New("database is still in use")                   // Close has given up; see DB.Close
	ErrTxBusy      = errors.New("another call is at work in the transaction") // use a writable Tx from one goroutine at a time
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

// Mistakes in how a program calls this package.
var (
	errNotOpened    = fmt.Errorf("%w: Open has not returned this DB", ErrClosed)
	errNotBegun     = fmt.Errorf("%w: no method of a DB has returned this Tx", ErrTxDone)
	errNotPrepared  = errors.New("DB.Prepare has not returned this Stmt")
	errNoRows       = fmt.Errorf("%w: no query has returned these Rows", ErrNoRows)
	errNoCall       = errors.New("no procedure was called with this Call")
	errNoContext    = errors.New("the context is nil; pass context.Background()")
	errNoFunction   = errors.New("the function is nil")
	errInsideUpdate = errors.New("this call would wait for the Update that it is in; write through the Tx")
	errGivenTx      = errors.New("Update and View end this transaction themselves, when their function returns")
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
	switch {
	case e == nil:
		return ""
	case e.Line == 0:
		return e.Message
	}
	return fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.Message)
}

// Pretty returns the message, the line of the query with a caret under the place, and the hint.
func (e *QueryError) Pretty() string {
	if e == nil {
		return ""
	}
	return e.pretty
}

// StoppedError says how far a query had come when a limit or its context ended it. It wraps the reason.
type StoppedError struct {
	After          time.Duration
	Rows           int64
	PartialMatches uint64  // visited so far
	Done           float64 // finished share of the work; 0 if it is unknown
	Batches        int     // that CALL { } IN TRANSACTIONS has committed
	Reason         error
}

func (e *StoppedError) Error() string {
	if e == nil {
		return ""
	}
	return fmt.Sprintf("query stopped after %v: %v (%s%d rows)%s", e.After.Round(time.Millisecond), e.Reason, e.Progress(), e.Rows, e.hint())
}

// Progress writes how far the search had come, as "1.2 M partial matches, 3.4 % done, ". It leaves out what is unknown.
func (e *StoppedError) Progress() (text string) {
	if e == nil {
		return ""
	}
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
func (e *StoppedError) Unwrap() error {
	if e == nil {
		return nil
	}
	return e.Reason
}

// PanicError is a panic in a function of the program that Motif called: a declared procedure, a progress function, or a method of
// a reader, a writer or a file system.
type PanicError struct {
	In    string // what panicked
	Value any    // of the panic
	Stack []byte // of its goroutine
}

// Error returns the panic on one line.
func (e *PanicError) Error() string {
	if e == nil {
		return ""
	}
	return fmt.Sprintf("%s panicked: %s", e.In, oneLine(e.Value))
}

// Unwrap returns the value of the panic if it is an error.
func (e *PanicError) Unwrap() error {
	if e == nil {
		return nil
	}
	err, _ := e.Value.(error)
	return err
}

// guarded makes the panics of what the program hands in errors.
var guarded guard.Guard = func(in string, v any) error {
	value, stack := workgroup.Origin(v)
	return &PanicError{In: in, Value: value, Stack: stack}
}

// InternalError is a fault of Motif itself. The call that gives it has changed nothing but committed batches, and the DB stays usable. Please report
// it with all its fields.
type InternalError struct {
	In    string // what Motif was doing
	Query string // "" if it was no query
	Value any    // of the panic
	Stack []byte // of the goroutine that panicked
}

// Error returns the fault on one line.
func (e *InternalError) Error() string {
	if e == nil {
		return ""
	}
	return fmt.Sprintf("internal error in %s: %s; please report it with the query and the stack", e.In, oneLine(e.Value))
}

// Unwrap returns the value of the panic if it is an error.
func (e *InternalError) Unwrap() error {
	if e == nil {
		return nil
	}
	err, _ := e.Value.(error)
	return err
}

// oneLine writes the value of a panic on one line.
func oneLine(v any) (text string) {
	defer func() {
		if recover() != nil {
			text = fmt.Sprintf("a %T", v) // its own method panics
		}
	}()
	switch v := v.(type) {
	case error:
		text = v.Error()
	case string:
		text = v
	case fmt.Stringer:
		text = v.String()
	default: // what has parts may contain itself
		if text = fmt.Sprintf("a %T", v); reflect.ValueOf(v).Kind() <= reflect.Complex128 {
			text = fmt.Sprint(v)
		}
	}
	return strings.Join(strings.Fields(text), " ")
}

// caught makes a panic of the function that defers it an error. A function that may read a mapped store sets debug.SetPanicOnFault, too.
func caught(err *error, in, query string) {
	if v := recover(); v != nil {
		*err = panicError(in, query, v)
	}
}

// panicError is the *InternalError of a panic. It is an error of the store if a part of it does not decode when a query first needs it, or if a
// mapped file cannot be read.
func panicError(in, query string, v any) error {
	value, stack := workgroup.Origin(v)
	if fault, ok := value.(*csr.Fault); ok {
		return fault.Err
	}
	if fault := flat.AsFault(value); fault != nil {
		return &storage.Error{Reason: ErrIO, Path: fault.Path, Err: fault.Err, What: "a file of the store could not be read",
			Do: "see whether the disk works and whether another program changes the file; then open the store again"}
	}
	return &InternalError{In: in, Query: query, Value: value, Stack: stack}
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

// maxMessage is how many bytes of a message or a hint are kept. It may quote a value or a name of any length.
const maxMessage = 4096

// shorten cuts s to maxMessage bytes.
func shorten(s string) string {
	if len(s) <= maxMessage {
		return s
	}
	at := maxMessage
	for at > 0 && !utf8.RuneStart(s[at]) {
		at--
	}
	return s[:at] + "…"
}

func newQueryError(from *lang.Error, phase ErrorPhase) *QueryError {
	e := *from
	e.Msg, e.Hint = shorten(e.Msg), shorten(e.Hint)
	return &QueryError{Code: e.Code, Phase: phase, Message: e.Msg, Hint: e.Hint, Line: e.Pos.Line, Column: e.Pos.Column, Length: e.Length(),
		Query: e.Query, pretty: e.Pretty()}
}

// errOneStatement says that Query got several statements, or none.
func errOneStatement(n int) error {
	return &QueryError{Code: "ArgumentError.OneStatement", Phase: PhaseCompile, Message: fmt.Sprintf("one statement expected, found %d", n),
		pretty: fmt.Sprintf("one statement expected, found %d: pass them to Query one by one", n)}
}

// explainEnd turns the error that ended the execution into what the caller should see.
func (x *execution) explainEnd(err error) error {
	var panicked *PanicError
	switch {
	case err == nil:
		return nil
	case errors.As(context.Cause(x.ctx), &panicked):
		return panicked
	case context.Cause(x.ctx) == errRowsClosed && errors.Is(err, context.Canceled):
		return nil
	case ended(context.Cause(x.ctx)) && errors.Is(err, context.Canceled):
		err = context.Cause(x.ctx)
		fallthrough
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded), errors.Is(err, ErrMemory), errors.Is(err, ErrRowLimit):
		t := x.env.Tally
		s := &StoppedError{After: time.Since(x.start), Rows: x.rows.Load(), PartialMatches: t.Partial.Load(), Done: x.share(), Reason: err}
		if x.tx != nil {
			s.Batches = x.tx.batches
		}
		return s
	}
	return queryError(x.typed(err), x.text)
}

// typed returns an error about a lifted statement as one about the text that was typed.
func (p *prepared) typed(err error) error {
	var e *eval.Error
	if p.lift == nil || !errors.As(err, &e) {
		return err
	}
	moved := *e
	moved.Msg, moved.Hint, moved.Pos = p.lift.Show(e.Msg), p.lift.Show(e.Hint), lang.MovePlace(e.Pos, p.from, p.text)
	return &moved
}

// ended reports whether a context was cancelled because the DB or the transaction ended.
func ended(cause error) bool { return cause == ErrClosed || cause == ErrTxDone }

// share returns the finished share of the work; 0 if it is unknown. With several searches nobody knows how long the later ones take,
// and behind a finished search other operators are at work.
func (x *execution) share() float64 {
	n, done := x.env.Tally.Units.Load(), x.env.Tally.UnitsDone.Load()
	if x.plan == nil || n == 0 || done >= n || !x.plan.OneSearch() {
		return 0
	}
	return float64(done) / float64(n)
}

// call runs a method of the DB that uses the store. A panic in it becomes an *InternalError, which calls it by name.
func call[T any](ctx context.Context, db *DB, k kind, name string, fn func(context.Context) (T, error)) (result T, err error) {
	if ctx == nil {
		return result, errNoContext
	}
	if k == writes && db.insideUpdate() {
		return result, errInsideUpdate
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	end, err := db.begin(k, stop)
	if err != nil {
		return result, err
	}
	defer end()
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer caught(&err, name, "")
	result, err = fn(ctx)
	if errors.Is(err, context.Canceled) && context.Cause(ctx) == ErrClosed {
		err = ErrClosed
	}
	return result, err
}

// quickText is the length of a query that is read and planned well within grace. A goroutine of its own would cost it 20 us.
const quickText = 512

// await runs fn, which reads or plans a query. When ctx ends first, it leaves fn behind, whose end nobody waits for: fn only reads.
func await[T any](ctx context.Context, text string, fn func() (T, error)) (T, error) {
	if ctx.Done() == nil || len(text) <= quickText {
		return planned(fn)
	}
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		value, err := planned(fn)
		done <- result{value, err}
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

// planned runs fn, whose panic is an error.
func planned[T any](fn func() (T, error)) (value T, err error) {
	if p := workgroup.Catch(func() { value, err = fn() }); p != nil {
		err = panicError("the planner", "", p)
	}
	return value, err
}

// stopped returns err as the error of a query that its context has ended before it ran.
func stopped(err error, began time.Time) error {
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) || err == convert.ErrTooLarge {
		return &StoppedError{After: time.Since(began), Reason: err}
	}
	return err
}

// missing returns the error for the parameters of the query that have no value. EXPLAIN needs none.
func (p *prepared) missing(values map[string]value.Value) error {
	var missing []lang.Name
	for _, need := range p.needs {
		if _, ok := values[need.Text]; !ok {
			missing = append(missing, need)
		}
	}
	if len(missing) == 0 || p.mode == lang.Explain {
		return nil
	}
	first := missing[0].Text
	e := &lang.Error{Code: eval.CodeParameter, Msg: "the parameter $" + first + " has no value", Pos: missing[0].Pos, Query: p.text}
	if len(missing) > 1 {
		list := make([]string, len(missing))
		for i, m := range missing {
			list[i] = "$" + m.Text
		}
		e.Msg = "the parameters " + strings.Join(list[:len(list)-1], ", ") + " and " + list[len(list)-1] + " have no values"
	}
	e.Hint = fmt.Sprintf("give it one: motif.Params{%q: ...} in a program, -p %s=VALUE on the command line, :param %s VALUE in the shell", first, first, first)
	if near, ok := lang.Suggest(first, slices.Sorted(maps.Keys(values))); ok {
		e.Hint = "you gave $" + near + " a value; did you mean $" + first + "?"
	}
	return newQueryError(e, PhaseCompile)
}

// Warning is a hint about a query that is no error, such as a label that does not occur in the graph.
type Warning struct {
	Message string
	Hint    string
	Line    int
	Column  int
	Length  int // characters
}

// warn adds warnings about the text.
func (p *prepared) warn(list []*lang.Error) {
	for _, w := range list {
		p.warnings = append(p.warnings, newWarning(w, p.text))
	}
}

func newWarning(w *lang.Error, text string) Warning {
	length := (&lang.Error{Pos: w.Pos, Query: text}).Length()
	return Warning{Message: shorten(w.Msg), Hint: shorten(w.Hint), Line: w.Pos.Line, Column: w.Pos.Column, Length: length}
}

// unlike lists the comparisons with parameters that never hold, for the kinds of the parameters' values.
func (p *prepared) unlike(values map[string]value.Value) (list []Warning) {
	if len(values) == 0 {
		return nil
	}
	for _, w := range p.plan.ParameterWarnings(func(name string) *lang.Literal { return literalOf(values[name]) }) {
		list = append(list, newWarning(w, cmp.Or(p.from, p.text)))
	}
	return list
}

// literalOf returns a number, a text or a boolean as a literal; nil for other values.
func literalOf(v value.Value) *lang.Literal {
	switch v.Kind() {
	case value.Int:
		return &lang.Literal{Value: v.Int()}
	case value.Float:
		return &lang.Literal{Value: v.Float()}
	case value.String:
		return &lang.Literal{Value: v.Str()}
	case value.Bool:
		return &lang.Literal{Value: v.Bool()}
	}
	return nil
}
