package assist

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/motifql/motif"
	"github.com/motifql/motif/lang"
)

// Severity says how bad a Diagnostic is.
type Severity string

// The severities. A text with an error does not run; a text with a warning does.
const (
	SeverityError   Severity = "error"
	SeverityWarning Severity = "warning"
)

// Diagnostic is a mistake or a warning at a place in a text.
type Diagnostic struct {
	From, To int // bytes of the text; equal if the place is unknown, or at its end
	Severity Severity
	Code     string // such as "SyntaxError.UndefinedVariable"; "" for a warning
	Message  string
	Hint     string // what to do, or ""
}

// Diagnosis is what Check finds out about a text.
type Diagnosis struct {
	Diagnostics []Diagnostic // in the order of the text
	Script      *lang.Script // nil if the text cannot be read
	Params      []string     // the parameters that the text reads, in the order of the text, without the $
	Writes      bool         // some statement may change the graph
}

// planTime is how long Check may plan the statements of a text.
const planTime = 500 * time.Millisecond

// Check reports the mistakes in a text of statements: what stops it from being read, or the first mistake of each statement, and warnings.
// Check ends early with ctx, and then knows of fewer.
func (a *Assistant) Check(ctx context.Context, text string) Diagnosis {
	d := Diagnosis{Params: Parameters(text)}
	script, err := lang.ParseContext(ctx, text, 0)
	var at *lang.Error
	switch {
	case errors.As(err, &at):
		d.Diagnostics = append(d.Diagnostics, Diagnostic{at.Pos.Offset, end(text, at.Pos.Offset, at.Pos.Len), SeverityError, at.Code, at.Msg, at.Hint})
		return d
	case err != nil:
		return d // ctx has ended
	}
	d.Script = script
	ctx, stop := context.WithTimeout(ctx, planTime)
	defer stop()
	for _, stmt := range script.Statements {
		d.Writes = d.Writes || stmt.Explain != lang.Explain && stmt.Writes()
		start := stmt.Pos.Offset
		for _, found := range a.statement(ctx, stmt) {
			found.From, found.To = found.From+start, found.To+start
			d.Diagnostics = append(d.Diagnostics, found)
		}
	}
	return d
}

// end returns the end of a place: one character further where the place is empty, so that it shows.
func end(text string, from, length int) int {
	if length <= 0 && from < len(text) {
		_, length = utf8.DecodeRuneInString(text[from:])
	}
	return min(len(text), from+max(0, length))
}

// statement checks and plans one statement. The places count from its beginning.
func (a *Assistant) statement(ctx context.Context, stmt *lang.Statement) (list []Diagnostic) {
	text := stmt.Text
	if a.db == nil {
		return a.unplanned(ctx, stmt)
	}
	p, err := a.db.Prepare(ctx, text)
	var q *motif.QueryError
	switch {
	case errors.As(err, &q):
		from, to := Place(text, q.Line, q.Column, q.Length)
		return []Diagnostic{{from, to, SeverityError, q.Code, q.Message, q.Hint}}
	case err != nil && ctx.Err() == nil:
		return []Diagnostic{{0, 0, SeverityError, "", err.Error(), ""}}
	case err != nil:
		return nil
	}
	for _, w := range p.Warnings() {
		from, to := Place(text, w.Line, w.Column, w.Length)
		list = append(list, Diagnostic{from, to, SeverityWarning, "", w.Message, w.Hint})
	}
	slices.SortStableFunc(list, func(a, b Diagnostic) int { return a.From - b.From })
	return list
}

// unplanned checks a statement against the names of the schema alone.
func (a *Assistant) unplanned(ctx context.Context, stmt *lang.Statement) (list []Diagnostic) {
	add := func(e *lang.Error, s Severity, code string) {
		from := e.Pos.Offset - stmt.Pos.Offset
		list = append(list, Diagnostic{from, end(stmt.Text, from, e.Pos.Len), s, code, e.Msg, e.Hint})
	}
	info, err := lang.CheckContext(ctx, stmt, catalog{a.Schema(ctx)})
	var at *lang.Error
	if errors.As(err, &at) {
		add(at, SeverityError, at.Code)
	}
	if info != nil {
		for _, w := range info.Warnings {
			add(w, SeverityWarning, "")
		}
	}
	return list
}

// catalog lists the names of a schema for lang.Check.
type catalog struct{ s *motif.Schema }

func (c catalog) Labels() []string { return names(c.s.Labels) }
func (c catalog) Types() []string  { return names(c.s.Types) }
func (c catalog) Keys() []string   { return keys(c.s) }

// Place turns a line and a column, as motif.QueryError and motif.Warning have them, into bytes of the text. A line of 0 is the beginning.
func Place(text string, line, column, length int) (from, to int) {
	if line <= 0 {
		return 0, 0
	}
	for ; line > 1; line-- {
		n := strings.IndexByte(text[from:], '\n')
		if n < 0 {
			break
		}
		from += n + 1
	}
	from += characters(text[from:], column-1)
	if length <= 0 {
		return from, end(text, from, 0)
	}
	return from, from + characters(text[from:], length)
}

// characters returns how many bytes the first n characters of a text take.
func characters(text string, n int) (bytes int) {
	for ; n > 0 && bytes < len(text); n-- {
		_, size := utf8.DecodeRuneInString(text[bytes:])
		bytes += size
	}
	return bytes
}

// Parameters lists the parameters that a text names, in the order of the text, without the $. It takes any text.
func Parameters(text string) (list []string) {
	for _, t := range lex(text) {
		if t.kind != lang.TokenParam {
			continue
		}
		name := strings.TrimPrefix(t.text, "$")
		if quoted, ok := strings.CutPrefix(name, "`"); ok {
			name = strings.ReplaceAll(strings.TrimSuffix(quoted, "`"), "``", "`")
		}
		if name != "" && !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}
