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
	"github.com/motifql/motif/internal/repl"
)

var rewrite = flag.Bool("rewrite", false, "write what the examples of the docs print, and the picture of the README, to be reviewed as a diff")

// docPages are the pages whose blocks TestDocs runs.
var docPages = []string{"README.md", "docs/getting-started.md", "docs/loading.md", "docs/shell.md", "docs/embedding.md", "docs/design.md"}

// fence matches a block of code in Markdown: its language, a file name if there is one, and its text.
var fence = regexp.MustCompile("(?ms)^```(\\w*)(?: (\\S+))?\n(.*?)^```$")

// took matches a time that a command says it took.
var took = regexp.MustCompile(`\b[0-9.]+(µs|ms|s)\b`)

// block is a block of code in a page.
type block struct {
	page, language, file, code string
	line                       int // of its first line of code
	start, end                 int // where its code stands in the page
}

// blocksOf returns the blocks of a page in order.
func blocksOf(page, text string) (list []block) {
	for _, at := range fence.FindAllStringSubmatchIndex(text, -1) {
		b := block{page: page, language: text[at[2]:at[3]], code: text[at[6]:at[7]], start: at[6], end: at[7]}
		if at[4] >= 0 {
			b.file = text[at[4]:at[5]]
		}
		b.line = 1 + strings.Count(text[:b.start], "\n")
		list = append(list, b)
	}
	return list
}

// TestDocs does what the pages show, in the order in which they show it. A block with a file name is a file, a console
// block has commands and what they print, a Go block is compiled and run, and a text block behind a query or a Go block is what it
// gives. Queries run on the sample graph.
func TestDocs(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the pages show a Unix shell")
	}
	sample, err := motif.OpenSample()
	if err != nil {
		t.Fatal(err)
	}
	defer sample.Close()
	r := docRunner{sample: sample, programs: buildGoBlocks(t, docPages)}
	for _, page := range docPages {
		t.Run(page, func(t *testing.T) { r.page(t, page) })
	}
	if n := len(r.programs.number); r.commands < 20 || r.answers < 12 || n < 10 {
		t.Errorf("only %d commands, %d answers and %d blocks of Go were checked", r.commands, r.answers, n)
	}
}

// docRunner runs pages.
type docRunner struct {
	sample            *motif.DB
	programs          goBlocks
	commands, answers int
}

// page runs the blocks of a page in a folder of their own, and compares or rewrites what they print.
func (r *docRunner) page(t *testing.T, page string) {
	path := filepath.Join("..", "..", page)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text, dir := string(data), t.TempDir()
	var written strings.Builder // the page with what the examples print
	printed, waits := "", false // what the block before has printed, until a text block shows it
	done := 0
	for _, b := range blocksOf(page, text) {
		shows := waits && b.language == "text" && b.file == ""
		if waits && printed != "" && !shows {
			t.Errorf("%s:%d: the block before prints what the page does not show:\n%s", page, b.line, printed)
		}
		got := b.code
		switch {
		case shows:
			r.answers++
			got = printed
		case b.file != "":
			if err := os.WriteFile(filepath.Join(dir, b.file), []byte(b.code), 0o644); err != nil {
				t.Fatal(err)
			}
		case b.language == "console":
			r.commands += strings.Count("\n"+b.code, "\n$ ")
			got = console(dir, b.code)
		}
		switch waits = false; {
		case b.file != "":
		case b.language == "cypher":
			printed, waits = answer(t, r.sample, b.code), true
		case b.language == "go":
			printed, waits = r.programs.run(t, dir, b), true
		}
		if got != b.code && !*rewrite {
			t.Errorf("%s:%d gives\n%s\nand not\n%s", page, b.line, got, b.code)
		}
		written.WriteString(text[done:b.start])
		written.WriteString(got)
		done = b.end
	}
	if waits && printed != "" {
		t.Errorf("%s: the last block prints what the page does not show:\n%s", page, printed)
	}
	if written.WriteString(text[done:]); *rewrite {
		if err := os.WriteFile(path, []byte(written.String()), 0o644); err != nil {
			t.Fatal(err)
		}
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
