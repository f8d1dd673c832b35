package repl

import (
	"strings"
	"unicode/utf8"
)

// fitHelp fits a section of the help to a terminal. A line of two columns keeps them; the second breaks below itself. Prose is filled
// anew. A width of 0, or one that all lines fit, changes nothing.
func fitHelp(body string, width int) string {
	if width == 0 || longestLine(body) < width {
		return body
	}
	var b strings.Builder
	var pending []string // lines of one paragraph, or of one entry with its continuations
	flush := func() {
		b.WriteString(fitEntry(pending, width-1))
		pending = nil
	}
	for line := range strings.Lines(body) {
		line = strings.TrimRight(line, "\n")
		code := strings.HasPrefix(line, "    ")
		switch {
		case line == "":
			flush()
			b.WriteString("\n")
			continue
		case code && len(pending) > 0 && continues(pending[0], line):
		case !code && len(pending) > 0 && !strings.HasPrefix(pending[0], "    "):
		default:
			flush()
		}
		pending = append(pending, line)
	}
	flush()
	return b.String()
}

// longestLine returns the number of characters of the longest line of a text.
func longestLine(text string) (most int) {
	for line := range strings.Lines(text) {
		most = max(most, utf8.RuneCountInString(strings.TrimRight(line, "\n")))
	}
	return most
}

// columns cuts a line of code in two where at least two blanks separate a text from an explanation. at is where that begins.
func columns(line string) (left, right string, at int) {
	indent := len(line) - len(strings.TrimLeft(line, " "))
	i := strings.Index(line[indent:], "  ")
	if i < 0 {
		return line, "", 0
	}
	right = strings.TrimLeft(line[indent+i:], " ")
	return line[:indent+i], right, utf8.RuneCountInString(line) - utf8.RuneCountInString(right)
}

// continues reports whether a line continues the explanation of an entry: it begins below it.
func continues(entry, line string) bool {
	_, right, at := columns(entry)
	return right != "" && len(line)-len(strings.TrimLeft(line, " ")) >= at
}

// fitEntry fills a paragraph or an entry anew.
func fitEntry(lines []string, width int) string {
	if len(lines) == 0 {
		return ""
	}
	if !strings.HasPrefix(lines[0], "    ") {
		return wrapTo(strings.Join(lines, " "), "", 0, width) + "\n"
	}
	left, right, at := columns(lines[0])
	for _, l := range lines[1:] {
		right += " " + strings.TrimSpace(l)
	}
	left = left[2:] // half of the indentation is enough
	at -= 2
	if right == "" {
		return wrapTo(left, "      ", 0, width) + "\n"
	}
	if at > width/2 {
		return wrapTo(left, "      ", 0, width) + "\n      " + wrapTo(right, "      ", 6, width) + "\n"
	}
	gap := max(2, at-utf8.RuneCountInString(left))
	return left + strings.Repeat(" ", gap) + wrapTo(right, strings.Repeat(" ", at), at, width) + "\n"
}
