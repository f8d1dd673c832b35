package main

import (
	"bytes"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/motifql/motif"
	"github.com/motifql/motif/internal/repl"
)

// languageParams are the parameters of the examples of docs/language.md.
var languageParams = motif.Params{
	"name": "Bryn Davies", "0": "1980-01-01", "limit": 3, "key": "name", "list": []any{"a", "b"}, "count": 10, "from": 0, "to": 1,
	"start": 0, "ids": []any{0, 1}, "names": []any{"Bryn Davies"}, "weight": 2, "properties": map[string]any{"name": "Mary"},
	"friend": map[string]any{"birthday": "1983-01-07"}, "file": "people.csv",
}

// languageFiles are the files that LOAD CSV reads there.
var languageFiles = fstest.MapFS{"people.csv": {Data: []byte("name,age\nAnn,36\nBob,41\n")}}

// TestLanguageExamples runs every example of docs/language.md on the sample graph. None may warn, unless the page says so.
func TestLanguageExamples(t *testing.T) {
	text := readPage(t, "docs/language.md")
	var db *motif.DB
	examples, plan := 0, ""
	for _, b := range blocksOf("docs/language.md", text) {
		if b.language == "" {
			for line := range strings.Lines(b.code) {
				if !strings.Contains(plan, strings.TrimSpace(line)) {
					t.Errorf("docs/language.md:%d: the plan before has no line %s\n%s", b.line, line, plan)
				}
			}
		}
		if b.language != "cypher" {
			continue
		}
		examples++
		if db == nil {
			db = languageSample(t)
		}
		var out, notes bytes.Buffer
		s := repl.Session{DB: db, Out: &out, Err: &notes, Format: repl.Formats[0], Params: languageParams}
		if err := s.Run(t.Context(), "", b.code); err != nil {
			t.Errorf("docs/language.md:%d: %v\n%s", b.line, err, b.code)
		}
		if strings.Contains(strings.ToLower(notes.String()), "warning") {
			t.Errorf("docs/language.md:%d warns: %s\n%s", b.line, notes.String(), b.code)
		}
		if plan = out.String(); strings.Contains(plan, "┤\n╰") {
			t.Errorf("docs/language.md:%d: a query has no rows\n%s", b.line, b.code)
		}
		if notes.Len() > 0 { // it may have changed the graph
			db.Close()
			db = nil
		}
	}
	if db != nil {
		db.Close()
	}
	if examples < 60 {
		t.Errorf("only %d examples", examples)
	}
}

func languageSample(t *testing.T) *motif.DB {
	t.Helper()
	db, err := motif.OpenSample(motif.WithFiles(languageFiles), motif.WithTimeout(30*time.Second))
	if err != nil {
		t.Fatal(err)
	}
	return db
}
