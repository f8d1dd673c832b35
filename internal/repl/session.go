package repl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/motifql/motif"
	"github.com/motifql/motif/lang"
	"github.com/motifql/motif/lang/assist"
)

// Session runs statements on a database and prints their answers. The command line's verbs and the shell share it.
type Session struct {
	DB      *motif.DB
	Out     io.Writer // rows only
	Err     io.Writer // warnings, times, progress
	Format  string    // one of Formats
	Layout  string    // one of Layouts, for tables on a terminal; "" is table
	CSVSafe bool      // put ' before text in CSV that a spreadsheet would run as a formula
	Params  motif.Params
	Options []motif.QueryOption
	Timeout time.Duration     // of a statement with the printing of its rows; 0: none
	Spent   time.Duration     // of the timeout of the next statement, on reading its text
	Memory  int64             // bytes that a statement may take; 0: any
	MaxRows int64             // rows that a statement may return; 0: any
	Timing  bool              // rows and time after each statement
	Brute   bool              // answer by trying every assignment
	Knobs   map[string]string // by name, only those that are set; see motif.ParseOption

	ScreenRows int  // rows of an answer that go to a terminal at once, :more shows others; 0: all
	JSONLines  bool // with the format json, each answer stands on one line, because several follow one another

	inShell bool           // hints name commands of the shell rather than flags
	rest    answer         // of the last answer on the screen
	tx      *motif.Tx      // opened by BEGIN; nil: each statement is a transaction of its own
	last    string         // the last statement that ran without an error
	drawn   bool           // a picture was written to Out
	before  int            // lines of a piped script before the text
	total   *motif.Changes // counts the changes of a file for a report at its end; nil: each statement reports its own
}

// QueryOptions returns the options of the next query.
func (s *Session) QueryOptions() ([]motif.QueryOption, error) {
	opts := slices.Clone(s.Options)
	if s.Brute {
		opts = append(opts, motif.WithBruteForce())
	}
	if s.Timeout > 0 {
		opts = append(opts, motif.WithTimeout(max(1, s.Timeout-s.Spent)))
	}
	if s.MaxRows > 0 {
		opts = append(opts, motif.WithMaxRows(s.MaxRows))
	}
	if s.Memory > 0 {
		opts = append(opts, motif.WithMemory(s.Memory))
	}
	for _, name := range slices.Sorted(maps.Keys(s.Knobs)) {
		o, err := motif.ParseOption(name, s.Knobs[name])
		if err != nil {
			return nil, err
		}
		opts = append(opts, o)
	}
	return opts, nil
}

// Run runs all statements of text and stops at the first error. name is the file they come from, or "". It reports the
// changes of a file once, at its end.
func (s *Session) Run(ctx context.Context, name, text string) (err error) {
	if name != "" && s.total == nil {
		s.total = new(motif.Changes)
		defer func() {
			if s.total.Any() && (err == nil || s.tx == nil) {
				fmt.Fprintln(s.Err, s.total)
			}
			s.total = nil
		}()
	}
	late := false
	next, stop := iter.Pull(statements(text, name != "", s.finder(text, &late)))
	defer stop()
	st, more := next()
	after, several := next()
	if several && !s.JSONLines {
		s.JSONLines = true
		defer func() { s.JSONLines = false }()
	}
	for more {
		if err := s.runOne(ctx, name, st.text); err != nil {
			return s.placeError(err, name, text, st)
		}
		if st, more = after, several; more {
			after, several = next()
		}
	}
	if late {
		return &motif.StoppedError{After: s.Timeout, Reason: context.DeadlineExceeded}
	}
	return nil
}

// runOne runs a statement, or a line of a script that is none. name is the file it comes from, or "".
func (s *Session) runOne(ctx context.Context, name, text string) error {
	defer func() { s.Spent = 0 }()
	if name != "" {
		if done, err := s.shellStatement(ctx, text); done || err != nil {
			return err
		}
		text = fromNeo4j(text)
	}
	return s.Exec(ctx, text)
}

// WarnUnused warns of parameters that no statement in texts reads.
func (s *Session) WarnUnused(texts ...string) {
	const most = 1 << 20 // bytes; longer scripts are not worth the time
	used := motif.Params{}
	for _, text := range texts {
		if len(s.Params) == 0 || len(text) > most {
			return
		}
		for _, name := range assist.Parameters(text) {
			used[name] = nil
		}
	}
	for _, name := range sortedKeys(s.Params) {
		if _, ok := used[name]; !ok {
			hint := strings.TrimSuffix(DidYouMean(name, sortedKeys(used)), ";")
			fmt.Fprintln(s.Err, Visible("warning: no statement reads the parameter $"+name+hint))
		}
	}
}

// finder finds the statements of text. The time that takes counts to the limit of the statement before. Past the limit it finds
// none and sets late.
func (s *Session) finder(text string, late *bool) finder {
	return func(from int) (lang.Pos, bool) {
		ctx, stop := context.Background(), func() {}
		if s.Timeout > 0 {
			ctx, stop = context.WithTimeout(ctx, s.Timeout-s.Spent)
		}
		defer stop()
		began := time.Now()
		p, ok := lang.NextStatement(ctx, text, from)
		s.Spent += time.Since(began)
		*late = ctx.Err() != nil
		return p, ok
	}
}

// InTransaction runs fn in one transaction and commits it if fn returns nil.
func (s *Session) InTransaction(ctx context.Context, fn func() error) error {
	if _, err := s.transact(ctx, "BEGIN"); err != nil {
		return err
	}
	if err := fn(); err != nil {
		return err // Close drops the changes and says so
	}
	if s.tx == nil {
		return errors.New("the statements ended the transaction that they were to run in")
	}
	_, err := s.transact(ctx, "COMMIT")
	return err
}

// tell prints what a statement changed, or adds it to the total.
func (s *Session) tell(sum *motif.Summary, writes bool) {
	switch {
	case s.total != nil:
		s.total.Add(sum.Changes)
	case writes:
		fmt.Fprintln(s.Err, sum.Changes)
	}
}

// Exec runs one statement and prints its rows. Ctrl-C stops it.
func (s *Session) Exec(ctx context.Context, text string) error {
	ctx, stop := Interruptible(ctx)
	defer stop()
	limitMemory(s.Memory)
	if done, err := s.transact(ctx, text); done {
		return err
	}
	start := time.Now().Add(-s.Spent)
	bar := NewBar(s.Err)
	defer bar.Close()
	opts, err := s.QueryOptions()
	s.Spent = 0
	if err != nil {
		return err
	}
	if bar != nil {
		opts = append(opts, motif.WithProgress(func(p motif.Progress) { showQuery(bar, p) }))
	}
	query := s.DB.Query
	if s.tx != nil {
		query = s.tx.Query
	}
	rows, err := query(ctx, text, s.Params, opts...)
	if err != nil {
		return err
	}
	shown, err, left := s.print(ctx, start, rows, isPlan(text), bar)
	if left {
		return err
	}
	defer rows.Close()
	s.rest = shown
	sum := rows.Summary()
	for _, w := range sum.Warnings {
		s.tellf("%s", describeWarning(w))
	}
	if err == nil {
		s.last = text
		s.tell(&sum, len(rows.Columns()) == 0 || sum.Changes.Any())
	}
	if err == nil {
		s.tellRest(&shown)
	}
	if err == nil && s.Timing {
		s.tellf("%s in %s", shown.count(), duration(time.Since(start)))
	}
	return err
}

// lineWriter prints the lines of a plan without a box around them.
type lineWriter struct {
	w     io.Writer
	width int // of the terminal; 0: unlimited
}

func (l *lineWriter) row(values []any) error {
	_, err := fmt.Fprintln(l.w, wrapPlan(Visible(string(appendText(nil, values[0]))), l.width))
	return err
}

func (l *lineWriter) flush() error { return nil }
func (l *lineWriter) close() error { return nil }

// showQuery draws a query's progress once it has run long enough to make the user wonder.
func showQuery(bar *Bar, p motif.Progress) {
	if p.Elapsed < time.Second {
		return
	}
	text := ""
	if p.Done > 0 {
		text = fmt.Sprintf("%3.0f %%  ", 100*p.Done)
	}
	if p.PartialMatches > 0 {
		text += Quantity(p.PartialMatches) + " partial matches  "
	}
	bar.Note(text + duration(p.Elapsed) + "  (Ctrl-C stops)")
}

// isPlan reports whether the statement answers with a plan.
func isPlan(text string) bool {
	first := firstWord(text)
	return strings.EqualFold(first, "EXPLAIN") || strings.EqualFold(first, "PROFILE")
}

// count returns n things in words: 1 row, 2 rows.
func count(n int, thing string) string { return plural(n, thing, thing+"s") }

// plural returns n with the words for one thing or for several.
func plural(n int, one, several string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, several)
}

func describeWarning(w motif.Warning) string {
	s := "warning: " + w.Message
	if w.Line > 0 {
		s = fmt.Sprintf("warning at %d:%d: %s", w.Line, w.Column, w.Message)
	}
	if w.Hint != "" {
		s += " (" + w.Hint + ")"
	}
	return Visible(s)
}

// Describe returns an error as a person reads it: a query's mistake with its line and a caret, other errors in one line.
// It adds the flags that help, which the engine's errors do not know.
//
// File names, labels and other text of strangers in it cannot control the terminal.
func Describe(err error) string { return VisibleLines(describe(err) + flagHint(err)) }

// flagHint returns the flags of the command that help against an error.
func flagHint(err error) string {
	var qe *motif.QueryError
	switch {
	case errors.As(err, &qe) && qe.Code == "ArgumentError.NoDevice":
		return "; --device cpu does without"
	case errors.Is(err, motif.ErrReadOnly):
		return "; leave --read-only and --snapshot out"
	case errors.Is(err, motif.ErrLocked) && strings.HasSuffix(err.Error(), "published"):
		return " (--snapshot)"
	}
	return ""
}

func describe(err error) string {
	var qe *motif.QueryError
	if errors.As(err, &qe) {
		text := strings.TrimRight(qe.Pretty(), "\n")
		var at *placedError
		if errors.As(err, &at) {
			text = at.pretty(qe)
		}
		return fileHint(text, qe)
	}
	var internal *motif.InternalError
	if errors.As(err, &internal) { // for a report of the fault
		return fmt.Sprintf("%s\nquery: %s\n%s", plainError(err), internal.Query, internal.Stack)
	}
	var stopped *motif.StoppedError
	text := "interrupted"
	switch {
	case errors.As(err, &stopped):
		text = describeStop(stopped)
	case !errors.Is(err, context.Canceled):
		return plainError(err)
	}
	var at *placedError
	if errors.As(err, &at) {
		text = at.where() + text
	}
	return text
}

// describeStop says why a query stopped and how far it had come.
func describeStop(e *motif.StoppedError) string {
	reason := ""
	switch {
	case errors.Is(e, context.DeadlineExceeded):
		reason = "time limit reached"
	case errors.Is(e, context.Canceled):
		reason = "interrupted"
	default:
		return e.Error()
	}
	text := fmt.Sprintf("%s: stopped after %s with %s%s", reason, duration(e.After), e.Progress(), count(int(e.Rows), "row"))
	if e.Batches > 0 {
		text += fmt.Sprintf("; %s of CALL { } IN TRANSACTIONS stored", plural(e.Batches, "batch", "batches"))
	}
	return text
}

// placedError is an error in a statement of a longer text.
type placedError struct {
	err    error
	name   string // file; "" if none
	text   string // the whole text
	offset int    // of the statement
	line   int    // of the statement, from 1
}

// placeError adds where in the whole text the statement stands, unless it is at its beginning.
func (s *Session) placeError(err error, name, text string, st statement) error {
	line := 1 + strings.Count(text[:st.offset], "\n")
	if name == "" {
		line += s.before
	}
	if line == 1 && name == "" && st.offset == 0 {
		return err
	}
	return &placedError{err: err, name: name, text: text, offset: st.offset, line: line}
}

// offset returns the byte of text at a line and column, both from 1.
func offset(text string, line, col int) int {
	at := 0
	for ; line > 1; line-- {
		at += strings.IndexByte(text[at:], '\n') + 1
	}
	for ; col > 1 && at < len(text); col-- {
		_, n := utf8.DecodeRuneInString(text[at:])
		at += n
	}
	return at
}

func (e *placedError) Unwrap() error { return e.err }

func (e *placedError) Error() string { return e.where() + e.err.Error() }

// where returns the place of a statement from a file, to begin a message with.
func (e *placedError) where() string {
	if e.name == "" {
		return ""
	}
	return fmt.Sprintf("%s: statement at line %d: ", e.name, e.line)
}

// pretty returns qe with lines and columns of the whole text.
func (e *placedError) pretty(qe *motif.QueryError) string {
	le := lang.Error{Code: qe.Code, Msg: qe.Message, Hint: qe.Hint, Query: e.text}
	if qe.Line > 0 {
		le.Pos = lang.Pos{Offset: e.offset + offset(e.text[e.offset:], qe.Line, qe.Column), Line: e.line + qe.Line - 1, Len: qe.Length}
	}
	text := strings.TrimRight(le.Pretty(), "\n")
	if e.name != "" {
		text = e.name + ": " + text
	}
	return text
}

// ReadFile runs the statements of a file.
func (s *Session) ReadFile(ctx context.Context, path string) error {
	text, err := ReadFile(path, s.Memory)
	if err != nil {
		return err
	}
	return s.Run(ctx, path, text)
}
