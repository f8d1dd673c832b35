package suite

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// FormatOf is the format that a file's name asks for: benchstat for .txt, csv, markdown for .md, or "" for another.
func FormatOf(name string) string {
	return map[string]string{".txt": "benchstat", ".csv": "csv", ".md": "markdown"}[filepath.Ext(name)]
}

// Write writes the report in a format: table, benchstat, csv or markdown.
func (r *Report) Write(w io.Writer, format string) error {
	switch format {
	case "table":
		return r.WriteTable(w)
	case "benchstat":
		return r.WriteBenchstat(w)
	case "csv":
		return r.WriteCSV(w)
	case "markdown":
		return r.WriteMarkdown(w)
	}
	return fmt.Errorf("no format is called %q", format)
}

// marks are the lines between which WriteFile puts tables into a page.
type marks struct{ begin, end string }

var (
	suiteMarks = marks{"<!-- motif bench suite: what follows is written by the command above -->", "<!-- end of motif bench suite -->"}
	userMarks  = marks{"<!-- motif bench suite --only user: what follows is written by the command above -->", "<!-- end of group user -->"}
)

// WriteFile writes the report to a file in the format of its name. Of a Markdown file that is there already, it replaces what stands
// between the marks of the tables that it has, and without these marks it is an error.
func (r *Report) WriteFile(name string) error {
	var b bytes.Buffer
	if err := r.Write(&b, FormatOf(name)); err != nil {
		return err
	}
	text := b.Bytes()
	if FormatOf(name) == "markdown" {
		page, err := os.ReadFile(name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err == nil {
			if text, err = replaceMarked(string(page), b.String(), filepath.Base(name)); err != nil {
				return err
			}
		}
	}
	return os.WriteFile(name, text, 0o644)
}

// replaceMarked puts each marked part of tables in the place of the part of page with the same marks.
func replaceMarked(page, tables, name string) ([]byte, error) {
	for _, m := range []marks{suiteMarks, userMarks} {
		_, text, ok := strings.Cut(tables, m.begin)
		if !ok {
			continue
		}
		text, _, _ = strings.Cut(text, m.end)
		head, rest, begins := strings.Cut(page, m.begin)
		_, tail, ends := strings.Cut(rest, m.end)
		if !begins || !ends {
			return nil, fmt.Errorf("%s is there and has no lines %q and %q to write between", name, m.begin, m.end)
		}
		page = head + m.begin + text + m.end + tail
	}
	return []byte(page), nil
}
