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

// The lines between which WriteFile puts the tables into a page.
const (
	beginMark = "<!-- motif bench suite: what follows is written by the command above -->"
	endMark   = "<!-- end of motif bench suite -->"
)

// WriteFile writes the report to a file in the format of its name. Of a Markdown file that is there already, what stands between the two
// marks is replaced, and without the marks it is an error.
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
			head, rest, begins := strings.Cut(string(page), beginMark)
			_, tail, ends := strings.Cut(rest, endMark)
			if !begins || !ends {
				return fmt.Errorf("%s is there and has no lines %q and %q to write between", filepath.Base(name), beginMark, endMark)
			}
			text = []byte(head + b.String() + strings.TrimPrefix(tail, "\n"))
		}
	}
	return os.WriteFile(name, text, 0o644)
}
