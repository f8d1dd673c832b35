package repl

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/jedib0t/go-pretty/v6/text"
)

func TestShellCommands(t *testing.T) {
	for _, c := range []struct {
		name      string
		inputs    []string
		out, msgs string
		not       string
	}{
		{"settings", []string{":set", ":set timeout 5s", ":set timeout", ":set max-rows 2", "MATCH (p:Person) RETURN p.name;", ":set memory 64MiB", ":set memory", ":set layout wide", ":set rows=none", ":set timeout soon", ":set max-rows none", people},
			"layout   table (…rows     none (…timeout  none (…order    auto (…timeout  5s (…memory   64 MiB (…222",
			"timeout is 5s…max-rows is 2…row…memory is 64 MiB…no layout \"wide\": there are auto, table, lines…rows is none…\"soon\" is not a time…max-rows is none", ""},
		{"time limit", []string{":set timeout 100ms", "MATCH (a)--(b)--(c)--(d)--(e)--(f)--(g) WHERE id(a) + id(g) = -1 RETURN count(*);"}, "", "timeout is 100ms…time limit reached: stopped after", ""},
		{"schema of a label", []string{":schema Person", ":schema :KNOWS", ":schema Persn"}, "(x:Person)  222 nodes\n  birthday    100 %  STRING…()-[x:KNOWS]->()  …since      100 %", "no label and no type Persn; did you mean Person?", ""},
		{"exit", []string{":exit", people}, "", "", "222"},
		{"ambiguous", []string{":e", ":s"}, "", "no command :e; these begin so: :edit, :explain, :quit…no command :s; these begin so: :schema, :stats, :set", ""},
		{"nothing waits", []string{":more"}, "", "no rows are waiting", ""},
		{"history", []string{people, ":history", ":history x"}, "n\n222\n    1  " + people + "\n    2  :history\n", "takes a number", ""},
		{"no watch of writes", []string{":watch CREATE (:A)", ":watch", ":watch 0.01 RETURN 1"}, "", "only queries that do not change…no query has run yet…at least 0.1", ""},
		{"other shells", []string{`\dt`, ".tables", "show tables", "SHOW TABLES;", `\d Person`, "describe Person", ".mode jsonl", people, `\x`, `\x off`, ".help", `\z`, ".bail on"},
			"Labels…Labels…Labels…Labels…(x:Person)…(x:Person)…{\"n\":222}…:quit", "here this is :schema…here this is :schema Person…layout is lines…layout is auto…no command \\z; commands here begin with a colon…no command .bail", ""},
		{"edit", []string{":edit RETURN 2 AS two"}, "two\n3\n", "RETURN 3 AS two", ""},
		{"source", []string{":source nowhere.cypher"}, "", "nowhere.cypher", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.name == "edit" && runtime.GOOS == "windows" {
				t.Skip("the editor of the test is a shell script")
			}
			editor := filepath.Join(t.TempDir(), "editor")
			if err := os.WriteFile(editor, []byte("#!/bin/sh\nsed 's/2/3/' \"$1\" >\"$1.new\" && mv \"$1.new\" \"$1\"\n"), 0o700); err != nil {
				t.Fatal(err)
			}
			t.Setenv("VISUAL", "")
			t.Setenv("EDITOR", editor)
			out, msgs := play(t, c.inputs...)
			wantParts(t, "output", out, c.out)
			wantParts(t, "messages", msgs, c.msgs)
			if c.not != "" && strings.Contains(out, c.not) {
				t.Errorf("%q in the output:\n%s", c.not, out)
			}
		})
	}
}

// Answers go to a file, in the format of its ending, and then to the screen again.
func TestOutputFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a b.jsonl")
	out, msgs := play(t, `:output "`+file+`"`, people, ":output", people, ":output", ":output /nowhere/x.csv")
	wantParts(t, "output", out, "n\n222\n")
	wantParts(t, "messages", msgs, "answers go to "+file+" as jsonl, until :output…go to the screen…/nowhere")
	if text, err := os.ReadFile(file); err != nil || string(text) != `{"n":222}`+"\n" {
		t.Errorf("%q, %v", text, err)
	}
}

// Each answer of several statements is JSON on a line of its own; one answer keeps its rows apart.
func TestJSONLines(t *testing.T) {
	s, out, _ := testSession(t)
	s.Format = "json"
	if err := s.Run(t.Context(), "", "UNWIND [1, 2] AS a RETURN a; RETURN 'x' AS b; UNWIND [] AS c RETURN c"); err != nil {
		t.Fatal(err)
	}
	if want := `[{"a":1}, {"a":2}]` + "\n" + `[{"b":"x"}]` + "\n[]\n"; out.String() != want {
		t.Errorf("%s\nwant\n%s", out, want)
	}
	for line := range strings.Lines(out.String()) {
		if !json.Valid([]byte(line)) {
			t.Errorf("not JSON: %s", line)
		}
	}
	out.Reset()
	if err := s.Run(t.Context(), "", "UNWIND [1, 2] AS a RETURN a"); err != nil || out.String() != "[\n {\"a\":1},\n {\"a\":2}\n]\n" {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestLines(t *testing.T) {
	var out strings.Builder
	w := &tableWriter{w: &out, columns: []string{"id", "text", "a very long name of a column"}, width: 40, layout: "lines"}
	if err := w.row([]any{int64(1), "short", nil}); err != nil {
		t.Fatal(err)
	}
	if err := w.row([]any{int64(2), strings.Repeat("some words ", 8), strings.Repeat("日本", 12)}); err != nil {
		t.Fatal(err)
	}
	if err := w.close(); err != nil {
		t.Fatal(err)
	}
	want := `── row 1 ───────────────────────────────
id             1
text           short
a very long …  null
── row 2 ───────────────────────────────
id             2
text           some words some words
               some words some words
               some words some words
               some words some words
a very long …  日本日本日本日本日本日本
               日本日本日本日本日本日本
`
	if out.String() != want {
		t.Errorf("%s\nwant\n%s", out.String(), want)
	}
	for layout, lines := range map[string]bool{"auto": true, "table": false, "": false} {
		w := &tableWriter{w: &out, columns: []string{"a", "b", "c", "d"}, width: 40, layout: layout}
		out.Reset()
		if err := w.row([]any{"long enough to be cut", "long enough to be cut", "long enough to be cut", int64(1)}); err != nil {
			t.Fatal(err)
		}
		if err := w.close(); err != nil || strings.Contains(out.String(), "row 1") != lines || !lines && w.cuts != 3 {
			t.Errorf("%s: %v, %d cuts\n%s", layout, err, w.cuts, out.String())
		}
	}
}

// A caret stays below its place in every width.
func TestCaretFits(t *testing.T) {
	line := "MATCH (a:Person)-[:KNOWS]->(b:Person) WHERE a.name = 'Ann' AND bb.age > 30 AND a.age > 30 AND b.name <> 'Ann' RETURN a.name, b.name"
	for _, width := range []int{40, 60, 80, 120} {
		at := strings.Index(line, "bb")
		got := Fit("SyntaxError: the variable bb is not defined here, and this sentence goes on for some time\n 1 | "+line+"\n   | "+strings.Repeat(" ", at)+"^^\nhint: no", width)
		lines := strings.Split(got, "\n")
		for _, l := range lines {
			if text.StringWidth(l) >= width {
				t.Errorf("width %d: %q", width, l)
			}
		}
		for i, l := range lines {
			if c := strings.IndexByte(l, '^'); c > 0 {
				above := []rune(lines[i-1])
				if string(above[c:c+2]) != "bb" {
					t.Errorf("width %d: the caret is not below bb:\n%s", width, got)
				}
			}
		}
		if !strings.Contains(got, "^^") {
			t.Errorf("width %d: no caret:\n%s", width, got)
		}
	}
}

// The help fits every width, and loses no word.
func TestHelpFits(t *testing.T) {
	for _, width := range []int{60, 80, 120} {
		for _, s := range sections() {
			got := fitHelp(s.body, width)
			for line := range strings.Lines(got) {
				if n := text.StringWidth(strings.TrimSuffix(line, "\n")); n >= width {
					t.Errorf("width %d, %s: %d columns: %s", width, s.title, n, line)
				}
			}
			if want, have := strings.Fields(s.body), strings.Fields(got); strings.Join(want, " ") != strings.Join(have, " ") {
				t.Errorf("width %d, %s: words are lost:\n%s", width, s.title, got)
			}
		}
	}
}

// Completion after a dot offers the properties of the variable's labels.
func TestCompletePropertiesOfLabel(t *testing.T) {
	s, _, _ := testSession(t)
	schema, err := s.DB.Schema(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c := newCompleter(s.DB, schema, nil)
	for text, want := range map[string]string{
		"MATCH (p:Person)-[k:KNOWS]->(t:Tag) RETURN k.‸":          "since",
		"MATCH (p:Person)-[k:KNOWS]->(t:Tag) RETURN p.b‸":         "birthday",
		"MATCH (p:Person {b‸":                                     "birthday",
		"MATCH (p:Person)-[k:KNOWS {‸":                            "since",
		"MATCH (x:Nothing) RETURN 1; MATCH (p:Person) WHERE p.b‸": "birthday",
	} {
		if got := strings.Join(texts(at(c, text)), ","); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	if got := texts(at(c, "MATCH (p) RETURN p.‸")); strings.Join(got, " ") != "birthday classYear created gender joined languages name since title workFrom" {
		t.Errorf("without a label: %q", got)
	}
}
