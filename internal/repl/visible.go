package repl

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Visible writes text of others for a terminal or a table, on one line. It shows as escapes what a terminal would obey or hide:
// control characters, marks that change the direction of text, line separators, and bytes that are not UTF-8.
func Visible(s string) string { return escape(s, false) }

// VisibleLines is Visible for text of several lines: line breaks and tabs stay.
func VisibleLines(s string) string { return escape(s, true) }

// hidden reports whether r must not reach a terminal.
func hidden(r rune) bool {
	if r < utf8.RuneSelf {
		return r < ' ' || r == 0x7f
	}
	return unicode.IsControl(r) || unicode.In(r, unicode.Bidi_Control, unicode.Zl, unicode.Zp)
}

func escape(s string, lines bool) string {
	shown := func(r rune) bool { return !hidden(r) || lines && (r == '\n' || r == '\t') }
	if utf8.ValidString(s) && strings.IndexFunc(s, func(r rune) bool { return !shown(r) }) < 0 {
		return s
	}
	var b strings.Builder
	for i, n := 0, 0; i < len(s); i += n {
		var r rune
		r, n = utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case shown(r):
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case r < utf8.RuneSelf:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}
