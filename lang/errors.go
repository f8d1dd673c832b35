package lang

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// The codes of errors are those of openCypher's compatibility kit where it has one; codeNotSupported is ours.
const (
	codeSyntax       = "SyntaxError.UnexpectedSyntax"
	codeNotSupported = "SyntaxError.NotSupported"
	codeTooLarge     = "SyntaxError.TooLarge"
)

// Error is a problem at a place in a query: an error of Parse or Check, or a warning in an Info.
type Error struct {
	Code  string // class and detail, "SyntaxError.UndefinedVariable" or "Warning.UnknownLabel"
	Msg   string // what is wrong, one line, without the place
	Hint  string // what to do about it; may be empty
	Pos   Pos    // the place in Query; the zero Pos if it has none
	Query string // the whole text that was parsed
}

// Error returns code, message and place on one line.
func (e *Error) Error() string {
	if e.Pos.Line == 0 {
		return e.Code + ": " + e.Msg
	}
	return fmt.Sprintf("%s: %s (line %d, column %d)", e.Code, e.Msg, e.Pos.Line, e.Pos.Column)
}

// Length returns how many characters the place has.
func (e *Error) Length() int {
	from, n := e.Pos.Offset, e.Pos.Len
	if from < 0 || n < 0 || from+n > len(e.Query) {
		return n
	}
	return utf8.RuneCountInString(e.Query[from : from+n])
}

// maxShown is how many columns of the source line Pretty shows at most.
const maxShown = 120

// Pretty returns the message, the source line with carets under the place, and the hint:
//
//	SyntaxError.UndefinedVariable: variable `b` is not defined
//	 1 | MATCH (a) RETURN b
//	   |                  ^
//	hint: did you mean `a`?
//
// The lines end without a newline. Carets stand right under wide and combining characters and after tabs.
func (e *Error) Pretty() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", e.Code, e.Msg)
	if e.Query != "" && e.Pos.Line > 0 {
		before, mark, after := e.window()
		gutter := fmt.Sprintf("%2d", e.Pos.Line)
		fmt.Fprintf(&b, "\n%s | %s%s%s", gutter, before, mark, after)
		fmt.Fprintf(&b, "\n%s | %s%s", strings.Repeat(" ", len(gutter)), indent(before),
			strings.Repeat("^", max(1, uniseg.StringWidth(mark))))
	}
	if e.Hint != "" {
		b.WriteString("\nhint: " + e.Hint)
	}
	return b.String()
}

// window cuts the source line into what stands before the place, the place itself and what follows, and shortens a
// long line around the place.
func (e *Error) window() (before, mark, after string) {
	at := min(max(e.Pos.Offset, 0), len(e.Query))
	start := strings.LastIndexByte(e.Query[:at], '\n') + 1
	line := e.Query[start:]
	if i := strings.IndexByte(line, '\n'); i >= 0 {
		line = line[:i]
	}
	line = strings.TrimSuffix(line, "\r")
	at = min(at-start, len(line))
	before, mark, after = line[:at], line[at:], ""
	if n := max(e.Pos.Len, 0); n < len(mark) {
		mark, after = mark[:n], mark[n:]
	}
	before, mark, after = visible(before), visible(mark), visible(after)
	if utf8.RuneCountInString(line) <= maxShown {
		return before, mark, after
	}
	if r := []rune(before); len(r) > maxShown/2 {
		before = "…" + string(r[len(r)-maxShown/2:])
	}
	if r := []rune(mark); len(r) > maxShown/2 {
		return before, string(r[:maxShown/2]), "…"
	}
	if r := []rune(after); len(r) > maxShown/2 {
		after = string(r[:maxShown/2]) + "…"
	}
	return before, mark, after
}

// visible replaces what would not show, would upset a terminal or would turn text around, by the replacement character.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\t' || unicode.Is(unicode.Bidi_Control, r) {
			return utf8.RuneError
		}
		return r
	}, strings.ToValidUTF8(s, string(utf8.RuneError)))
}

// indent is blank text as wide as s: tabs stay tabs, whatever width the terminal gives them.
func indent(s string) string {
	parts := strings.Split(s, "\t")
	for i, p := range parts {
		parts[i] = strings.Repeat(" ", uniseg.StringWidth(p))
	}
	return strings.Join(parts, "\t")
}
