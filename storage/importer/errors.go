package importer

import (
	"fmt"
	"strings"
)

// Error says where an input is not what its format asks for. It prints as file:line:column: message.
type Error struct {
	File   string // as the caller named it
	Line   int    // from 1; 0 means the file as a whole
	Column int    // in characters, from 1; 0 means the line as a whole
	Msg    string // what was found and what was expected
	Hint   string // what to do about it, with the flags of motif load; "" if that is plain
	Err    error  // the cause, if another error is; errors.Is and errors.As see it
}

func (e *Error) Error() string {
	switch {
	case e == nil:
		return ""
	case e.Line == 0:
		return e.File + ": " + e.Msg
	case e.Column == 0:
		return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Msg)
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Msg)
}

// hint adds what to do about e.
func (e *Error) hint(format string, args ...any) *Error {
	e.Hint = fmt.Sprintf(format, args...)
	return e
}

func (e *Error) Unwrap() error {
	if e == nil {
		return nil
	}
	return e.Err
}

// shown quotes text found in a file for a message, cut to a readable length.
func shown(b []byte) string {
	const most = 40
	s := strings.ToValidUTF8(string(b[:min(len(b), 4*most)]), "\uFFFD")
	if r := []rune(s); len(r) > most || len(b) > 4*most {
		s = string(r[:min(len(r), most)]) + "…"
	}
	return fmt.Sprintf("%q", s)
}

// plural writes a count with its noun.
func plural(n uint64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
