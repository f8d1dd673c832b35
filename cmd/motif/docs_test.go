package main

import (
	"bytes"
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/motifql/motif"
	"github.com/motifql/motif/repl"
)

var rewrite = flag.Bool("rewrite", false, "write what the examples of the docs print, and the picture of the README, to be reviewed as a diff")

// fence matches a block of code in Markdown: its language, a file name if there is one, and its text.
var fence = regexp.MustCompile("(?ms)^```(\\w+)(?: (\\S+))?\n(.*?)^```$")

// took matches a time that a command says it took.
var took = regexp.MustCompile(`\b[0-9.]+(µs|ms|s)\b`)

// TestDocs does what the pages show, in the order in which they show it. A block with a file name is a file, a console
// block has commands and what they print, and a text block behind a query is its answer on the sample graph.
func TestDocs(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the pages show a Unix shell")
	}
	sample, err := motif.OpenSample()
	if err != nil {
		t.Fatal(err)
	}
	defer sample.Close()
	commands, answers := 0, 0
	for _, page := range []string{"README.md", "docs/getting-started.md", "docs/loading.md", "docs/shell.md", "docs/design.md"} {
		t.Run(page, func(t *testing.T) {
			page, err := filepath.Abs("../../" + page)
			if err != nil {
				t.Fatal(err)
			}
			data, err := os.ReadFile(page)
			if err != nil {
				t.Fatal(err)
			}
			var text strings.Builder // the page with what the examples print
			dir, query, done := t.TempDir(), "", 0
			for _, at := range fence.FindAllSubmatchIndex(data, -1) {
				language, file, code := string(data[at[2]:at[3]]), "", string(data[at[6]:at[7]])
				if at[4] >= 0 {
					file = string(data[at[4]:at[5]])
				}
				got := code
				switch {
				case file != "":
					if err := os.WriteFile(filepath.Join(dir, file), []byte(code), 0o644); err != nil {
						t.Fatal(err)
					}
				case language == "console":
					commands += strings.Count("\n"+code, "\n$ ")
					got = console(dir, code)
				case language == "text" && query != "":
					answers++
					got = answer(t, sample, query)
				}
				if got != code && !*rewrite {
					t.Errorf("%s\ngives\n%s\nand not\n%s", query, got, code)
				}
				text.Write(data[done:at[6]])
				text.WriteString(got)
				done = at[7]
				query = ""
				if language == "cypher" {
					query = code
				}
			}
			text.Write(data[done:])
			if *rewrite {
				if err := os.WriteFile(page, []byte(text.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
	if commands < 20 || answers < 4 {
		t.Errorf("only %d commands and %d answers were checked", commands, answers)
	}
}

// answer prints the table of a query.
func answer(t *testing.T, db *motif.DB, query string) string {
	t.Helper()
	var out bytes.Buffer
	s := repl.Session{DB: db, Out: &out, Err: &out, Format: repl.Formats[0]}
	if err := s.Run(context.Background(), "", query); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// console runs the lines that begin with a dollar sign, and returns them with what they print. It keeps the times that
// the page shows.
func console(dir, code string) string {
	var got strings.Builder
	for _, step := range strings.Split("\n"+code, "\n$ ")[1:] {
		line, want, _ := strings.Cut(step, "\n")
		cmd := exec.Command("sh", "-c", line)
		cmd.Dir = dir
		out, _ := cmd.CombinedOutput() // a command that fails says so
		printed := string(out)
		if took.ReplaceAllString(strings.TrimRight(printed, "\n"), "") == took.ReplaceAllString(strings.TrimRight(want, "\n"), "") {
			printed = want
		}
		got.WriteString("$ " + line + "\n" + strings.TrimRight(printed, "\n"))
		if strings.TrimRight(printed, "\n") != "" {
			got.WriteString("\n")
		}
	}
	return got.String()
}

// TestReadmePicture draws the answer of the README's first query and compares it with docs/img/answer.svg.
func TestReadmePicture(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := fence.FindAllStringSubmatch(string(readme), -1)
	first := slices.IndexFunc(blocks, func(b []string) bool { return b[1] == "cypher" })
	db, err := motif.OpenSample()
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.Query(t.Context(), blocks[first][3], nil)
	if err != nil {
		t.Fatal(err)
	}
	var matches []colleagues
	for m, err := range motif.Into[colleagues](rows) {
		if err != nil {
			t.Fatal(err)
		}
		matches = append(matches, m)
	}
	got := drawAnswer(t, matches)
	const file = "../../docs/img/answer.svg"
	if *rewrite {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil || string(want) != got {
		t.Errorf("%s is not what the query gives (%v); write it with: go test ./cmd/motif -run Picture -rewrite", file, err)
	}
}
