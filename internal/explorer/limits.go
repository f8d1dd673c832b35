package explorer

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/motifql/motif"
	"github.com/motifql/motif/lang"
)

// mostPicture is how many nodes the page draws, and the export of a picture.
const mostPicture = 10_000

// limit says where an answer was cut.
type limit struct {
	What    string `json:"what"` // "rows", "time" or "memory"
	Message string `json:"message"`
	Hint    string `json:"hint"`
}

// limitOf returns the limit that has ended a query; nil if none has.
func (s *server) limitOf(err error) *limit {
	switch {
	case errors.Is(err, motif.ErrRowLimit):
		return &limit{"rows", fmt.Sprintf("The answer has more than %d rows; these are the first.", s.opt.Rows), "Add LIMIT or a condition, or start motif explore with --rows."}
	case errors.Is(err, context.DeadlineExceeded):
		return &limit{"time", fmt.Sprintf("The query was stopped after %v; there may be more rows.", s.opt.Time), "Add LIMIT or a condition, or start motif explore with --timeout."}
	case errors.Is(err, motif.ErrMemory):
		return &limit{"memory", fmt.Sprintf("The query needs more than %d MiB of memory; there may be more rows.", s.opt.Memory>>20), "Return less, add LIMIT, or start motif explore with --memory."}
	}
	return nil
}

// limits returns the options that bind every query of the page.
func (s *server) limits(more ...motif.QueryOption) []motif.QueryOption {
	return append([]motif.QueryOption{motif.WithTimeout(s.opt.Time), motif.WithMemory(s.opt.Memory)}, more...)
}

// begin takes one of the places for running queries.
func (s *server) begin() (end func(), err error) {
	select {
	case s.running <- struct{}{}:
		return func() { <-s.running }, nil
	default:
		return nil, &failure{Status: http.StatusServiceUnavailable, Code: "limit.queries", Message: fmt.Sprintf("%d queries are running already", atOnce), Hint: "stop one of them, and try again"}
	}
}

// allowed reads a text, and refuses what the page may not run.
func (s *server) allowed(ctx context.Context, text string, write bool) (*lang.Script, error) {
	script, err := lang.ParseContext(ctx, text, 0)
	if err != nil {
		var at *lang.Error
		if errors.As(err, &at) {
			from, to := units(text, at.Pos.Offset), units(text, at.Pos.Offset+at.Pos.Len)
			return nil, &failure{Status: http.StatusUnprocessableEntity, Code: at.Code, Message: at.Msg, Hint: at.Hint, From: &from, To: &to, Pretty: at.Pretty()}
		}
		return nil, err
	}
	if n := len(script.Statements); n != 1 {
		return nil, &failure{Status: http.StatusUnprocessableEntity, Message: fmt.Sprintf("the page runs one statement, and the text has %d", n), Hint: "select one, or delete the others"}
	}
	if place, ok := loadsFile(text); ok {
		from, to := units(text, place.Offset), units(text, place.Offset+place.Len)
		return nil, &failure{Status: http.StatusForbidden, Code: "no-files", Message: "queries of this page read no files", Hint: "use motif query or motif load", From: &from, To: &to}
	}
	if stmt := script.Statements[0]; stmt.Explain != lang.Explain && stmt.Writes() && !write {
		why := "start motif explore with --write to change the graph"
		if s.opt.Write {
			why = "run it instead"
		}
		return nil, &failure{Status: http.StatusForbidden, Code: "read-only", Message: "this statement would change the graph", Hint: why}
	}
	return script, nil
}

// loadsFile returns the place of LOAD CSV in a text.
func loadsFile(text string) (place lang.Pos, ok bool) {
	last := lang.Pos{}
	for _, t := range lang.Tokens(text) {
		word := text[t.Pos.Offset : t.Pos.Offset+t.Pos.Len]
		if t.Kind == lang.TokenComment {
			continue
		}
		if strings.EqualFold(word, "CSV") && strings.EqualFold(text[last.Offset:last.Offset+last.Len], "LOAD") {
			last.Len = t.Pos.Offset + t.Pos.Len - last.Offset
			return last, true
		}
		last = t.Pos
	}
	return last, false
}
