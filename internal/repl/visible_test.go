package repl

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/motifql/motif"
	"github.com/motifql/motif/lang"
)

func TestVisible(t *testing.T) {
	for s, want := range map[string]string{
		"": "",
		"plain Łódź 日本 👩‍👩‍👧": "plain Łódź 日本 👩‍👩‍👧",
		"a\x1b[31mred":       `a\x1b[31mred`,
		"\x1b]0;title\a":     `\x1b]0;title\x07`,
		"\x00\x7f\b":         `\x00\x7f\x08`,
		"\u009b31m\u0085":    `\u009b31m\u0085`,
		"\x9b31m":            `\x9b31m`, // a byte, not a character
		"ok\xff\xfe":         `ok\xff\xfe`,
		"\xed\xa0\x80":       `\xed\xa0\x80`,
		"\ufffd":             "\ufffd",
		"a\u202egnp.exe":     `a\u202egnp.exe`,
		"\u2066x\u2069":      `\u2066x\u2069`,
		"\u200e\u200f\u061c": `\u200e\u200f\u061c`,
		"a\u2028b\u2029":     `a\u2028b\u2029`,
		"a\tb\r\nc":          `a\tb\r\nc`,
	} {
		if got := Visible(s); got != want {
			t.Errorf("Visible(%q) = %s, want %s", s, got, want)
		}
	}
	if got, want := VisibleLines("a\tb\r\nc\x1b"), "a\tb\\r\nc\\x1b"; got != want {
		t.Errorf("VisibleLines: got %q, want %q", got, want)
	}
}

// hostile controls a terminal, turns text around, breaks lines and is not UTF-8.
const hostile = "x\x1b[2J\u009b1m\a\u202e\u2066\r\b\x7f\xff\u2028y"

// checkSafe fails if a terminal would obey or hide part of the text.
func checkSafe(t *testing.T, what, text string) {
	t.Helper()
	for i, r := range text {
		if hidden(r) && r != '\n' && r != '\t' || r == utf8.RuneError {
			t.Errorf("%s: character %U reaches the terminal in %q", what, r, text[max(0, i-20):])
			return
		}
	}
	if !strings.Contains(text, `x\x1b[2J`) {
		t.Errorf("%s: does not show the text: %q", what, text)
	}
}

// TestHostileCells prints hostile text in cells and headers. Tables show escapes; CSV and JSON keep every byte that they can.
func TestHostileCells(t *testing.T) {
	values := []any{hostile, []any{hostile, map[string]any{hostile: hostile}},
		motif.Node{Labels: []string{hostile}, Props: map[string]any{hostile: hostile}}, motif.Relationship{Type: hostile}}
	columns := []string{hostile, "b", "c", "d"}
	for _, format := range []string{"table", "markdown"} {
		checkSafe(t, format, render(t, format, 0, columns, values))
		checkSafe(t, format+" on a terminal", render(t, format, 200, columns, values))
	}
	if got, want := render(t, "csv", 0, []string{"a"}, []any{hostile}), "a\n\""+hostile+"\"\n"; got != want {
		t.Errorf("csv: got %q, want %q", got, want)
	}
	want := `{"a":"x\u001b[2J` + "\u009b1m" + `\u0007` + "\u202e\u2066" + `\r\b` + "\x7f" + `\ufffd\u2028y"}` + "\n"
	if got := render(t, "jsonl", 0, []string{"a"}, []any{hostile}); got != want {
		t.Errorf("jsonl: got %q, want %q", got, want)
	}
}

// TestHostileMessages prints hostile text in errors, warnings, schemas, plans and saved queries.
func TestHostileMessages(t *testing.T) {
	path := &fs.PathError{Op: "open", Path: "a\nmotif: all is well " + hostile, Err: fs.ErrNotExist}
	for _, err := range []error{errors.New(hostile), path, fmt.Errorf("%s: %w", hostile, path), &motif.FileError{File: "a\nb" + hostile, Msg: hostile},
		&placedError{err: errors.New(hostile), name: hostile}} {
		text := Describe(err)
		checkSafe(t, "error", text)
		if strings.Contains(text, "\n") {
			t.Errorf("a name begins a line: %q", text)
		}
	}
	checkSafe(t, "warning", describeWarning(motif.Warning{Message: hostile, Hint: hostile}))
	_, err := lang.Parse("RETURN \u202e\x1b[2Jx")
	var le *lang.Error
	if !errors.As(err, &le) {
		t.Fatal(err)
	}
	if text := le.Pretty(); strings.ContainsFunc(text, func(r rune) bool { return hidden(r) && r != '\n' }) {
		t.Errorf("the line of the query is not safe: %q", text)
	}
	var out strings.Builder
	if err := PrintPlan(&out, "└─ "+hostile+"\n   "+hostile); err != nil {
		t.Fatal(err)
	}
	checkSafe(t, "plan", out.String())
	out.Reset()
	if err := PrintSchema(&out, &motif.Schema{Labels: []motif.NameCount{{Name: hostile}}, NodeKeys: []string{hostile}}); err != nil {
		t.Fatal(err)
	}
	checkSafe(t, "schema", out.String())
}
