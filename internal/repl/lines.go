package repl

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
)

// Layouts lists how tables may be laid out, the default first: as a table or, if that would cut columns to a few letters, as
// lines; always as a table; always one line a value.
var Layouts = []string{"auto", "table", "lines"}

// readable is the narrowest column that a table of the layout auto still cuts to.
const readable = 12

// wantsLines reports whether the rows are better shown as lines: the table would cut a column to less than is readable.
func (t *tableWriter) wantsLines(heads []string, widths []int) bool {
	if t.layout != "auto" {
		return t.layout == "lines"
	}
	for i, natural := range t.naturalWidths(heads) {
		if widths[i] < natural && widths[i] < readable {
			return true
		}
	}
	return overflows(widths, t.width)
}

// overflows reports whether a table is wider than the terminal even when its columns are cut.
func overflows(widths []int, width int) bool {
	total := 1
	for _, w := range widths {
		total += w + 3
	}
	return width > 0 && total > width
}

// longestRule is how many columns the rule above a row has at most.
const longestRule = 60

// drawLines writes each row as a block: a rule with the row's number, and a line for each value. Long values continue below
// themselves.
func (t *tableWriter) drawLines(heads []string) error {
	names := 0
	for _, h := range heads {
		names = max(names, text.StringWidth(h))
	}
	room := 0
	if t.width > 0 {
		names = min(names, max(4, t.width/3))
		room = max(8, t.width-names-2)
	}
	width := longestRule
	if t.width > 0 {
		width = min(width, t.width)
	}
	var b strings.Builder
	for _, row := range t.rows {
		t.shown++
		rule := fmt.Sprintf("── row %d ", t.shown)
		b.WriteString(rule + strings.Repeat("─", max(0, width-text.StringWidth(rule))) + "\n")
		for i, value := range row {
			name := heads[i]
			if text.StringWidth(name) > names {
				name = text.Snip(name, names, "…")
			}
			for _, line := range chop(value, room) {
				b.WriteString(strings.TrimRight(text.Pad(name, names, ' ')+"  "+line, " ") + "\n")
				name = ""
			}
		}
	}
	_, err := io.WriteString(t.w, b.String())
	return err
}

// chop cuts a text into lines of at most width columns; 0 cuts nothing. It cuts at blanks where it can.
func chop(s string, width int) []string {
	if width == 0 || text.StringWidth(s) <= width {
		return []string{s}
	}
	var lines []string
	for s != "" {
		at, blank, used := len(s), 0, 0
		for i, r := range s {
			used += max(0, text.RuneWidth(r))
			if used > width {
				at = i
				break
			}
			if r == ' ' && i > 0 {
				blank = i + 1
			}
		}
		if at < len(s) && blank > 0 && blank*2 > at {
			at = blank
		}
		if at == 0 {
			at = len(s) // a character wider than the line
		}
		lines = append(lines, strings.TrimRight(s[:at], " "))
		s = s[at:]
	}
	return lines
}
