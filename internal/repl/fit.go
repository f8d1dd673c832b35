package repl

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
)

// caretLine is the line below a line of a query: the frame, blanks, and the caret.
var caretLine = regexp.MustCompile(`^( *\| )( *)(\^+)$`)

// Fit fits a message to a terminal of width columns: the line of a mistake is cut around its caret, so that the caret stays below
// its place, and other lines break at blanks. A width of 0 changes nothing.
func Fit(message string, width int) string {
	if width < 20 {
		return message
	}
	lines := strings.Split(message, "\n")
	var out []string
	for i := 0; i < len(lines); i++ {
		if i+1 < len(lines) {
			if m := caretLine.FindStringSubmatch(lines[i+1]); m != nil && len(lines[i]) >= len(m[1]) && text.StringWidth(lines[i]) >= width {
				source, caret := cutAround(lines[i][len(m[1]):], len(m[2]), len(m[3]), width-1-len(m[1]))
				out = append(out, lines[i][:len(m[1])]+source, m[1]+caret)
				i++
				continue
			}
		}
		if text.StringWidth(lines[i]) >= width && !strings.Contains(lines[i], "goroutine ") {
			out = append(out, strings.Split(wrapTo(lines[i], "  ", 0, width-1), "\n")...)
			continue
		}
		out = append(out, lines[i])
	}
	return strings.Join(out, "\n")
}

// cutAround cuts a line to room columns, such that the place of its caret is seen. at and n are the columns of the caret.
func cutAround(line string, at, n, room int) (source, caret string) {
	runes := []rune(line)
	column := func(r []rune) (w int) {
		for _, x := range r {
			w += max(0, text.RuneWidth(x))
		}
		return w
	}
	place := 0 // of the caret among the runes
	for place < len(runes) && column(runes[:place]) < at {
		place++
	}
	from := 0
	for column(runes[from:place]) > room*2/3 {
		from++
	}
	to := len(runes)
	for to > from && column(runes[from:to]) > room-2 {
		to--
	}
	head, tail := "", ""
	if from > 0 {
		head = "…"
		from++
	}
	if to < len(runes) {
		tail = "…"
	}
	place = max(from, place)
	before := column(runes[from:place]) + column([]rune(head))
	return head + string(runes[from:max(from, to)]) + tail, strings.Repeat(" ", before) + strings.Repeat("^", max(1, min(n, room-before)))
}

// tellf prints a message for the user.
func (s *Session) tellf(format string, args ...any) {
	fmt.Fprintln(s.Err, Fit(fmt.Sprintf(format, args...), Width(s.Err)))
}

// indentLines indents all lines of a text but the first.
func indentLines(s string, by int) string {
	return strings.ReplaceAll(s, "\n", "\n"+strings.Repeat(" ", by))
}
