package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// script writes the completion script of a shell to a file; the test is skipped where the shell is not installed.
func script(t *testing.T, shell string) (path string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("shells on Windows take other paths")
	}
	if _, err := exec.LookPath(shell); err != nil {
		t.Skipf("%s is not installed", shell)
	}
	var text bytes.Buffer
	if err := writeCompletion(&text, newParser(&cli{}).Model, shell); err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "_motif")
	if err := os.WriteFile(path, text.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// completions are command lines and some of what a shell must offer at their ends, and something it must not.
var completions = []struct {
	line     []string
	want     []string
	unwanted string
}{
	{[]string{"motif", "ex"}, []string{"explain", "export"}, "load"},
	{[]string{"motif", ""}, []string{"demo", "gen", "version"}, "rmat"},
	{[]string{"motif", "--v"}, []string{"--version"}, "--order"},
	{[]string{"motif", "query", "--or"}, []string{"--order"}, "--filter"},
	{[]string{"motif", "query", "--order", ""}, []string{"auto", "ri", "graphql"}, "query"},
	{[]string{"motif", "query", "--order", "r"}, []string{"ri"}, "auto"},
	{[]string{"motif", "query", "-o", "c"}, []string{"csv"}, "json"},
	{[]string{"motif", "gen", ""}, []string{"rmat", "grid"}, "demo"},
	{[]string{"motif", "gen", "rmat", "--se"}, []string{"--seed"}, "--scale"},
	{[]string{"motif", "completion", "z"}, []string{"zsh"}, "fish"},
	{[]string{"motif", "load", "my"}, []string{"my.db"}, "load"},
}

func checkCompletions(t *testing.T, offers func(line []string) []string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "my.db"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	for _, c := range completions {
		got := offers(c.line)
		for _, w := range c.want {
			if !slices.Contains(got, w) {
				t.Errorf("%q offers %q, without %s", c.line, got, w)
			}
		}
		if slices.Contains(got, c.unwanted) {
			t.Errorf("%q offers %s", c.line, c.unwanted)
		}
	}
}

func output(t *testing.T, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil || stderr.Len() > 0 {
		t.Fatalf("%s: %v\n%s", name, err, &stderr)
	}
	return string(out)
}

func TestCompletionBash(t *testing.T) {
	path := script(t, "bash")
	const ask = `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _motif; printf '%s\n' "${COMPREPLY[@]}"`
	offers := func(line []string) []string {
		return strings.Split(output(t, "bash", append([]string{"--norc", "-c", ask, "ask", path}, line...)...), "\n")
	}
	checkCompletions(t, offers)
	// Bash hands --order=r over as three words.
	if got := offers([]string{"motif", "query", "--order", "=", "r"}); !slices.Contains(got, "ri") {
		t.Errorf("--order=r offers %q", got)
	}
}

func TestCompletionFish(t *testing.T) {
	path := script(t, "fish")
	checkCompletions(t, func(line []string) (words []string) {
		out := output(t, "fish", "--no-config", "-c", `source $argv[1]; complete -C "$argv[2]"`, path, strings.Join(line, " "))
		for offer := range strings.Lines(out) {
			text, _, _ := strings.Cut(strings.TrimSpace(offer), "\t")
			words = append(words, text)
		}
		return words
	})
}

// TestCompletionZsh has zsh run the function with stand-ins for its library, which complete only for somebody who types.
func TestCompletionZsh(t *testing.T) {
	path := script(t, "zsh")
	const ask = `
compdef() { }
_describe() { print -l -- ${${(P)2}%%:*} }
_files() { print -l -- *(N) }
_arguments() {
	local spec name list
	local -A values
	for spec in "$@"; do
		name=${${${spec#\*}%%[=\[]*}%%:*}
		[[ $spec == *':('*')' ]] && values[$name]=${${spec##*:\(}%\)}
		[[ $spec == '*:'* ]] && name=operand && [[ $spec == *_files ]] && _files
		[[ $spec == '*:value:('* ]] && print -l -- ${=${${spec##*:\(}%\)}}
		print -r -- $name
	done
	print -l -- ${=values[$words[CURRENT-1]]}
}
source "$1"; shift; words=("$@"); CURRENT=$#; PREFIX=$words[CURRENT]
_motif | while read -r offer; do [[ $offer == $PREFIX* ]] && print -r -- $offer; done`
	checkCompletions(t, func(line []string) []string {
		return strings.Split(output(t, "zsh", append([]string{"-f", "-c", ask + "; true", "ask", path}, line...)...), "\n")
	})
}

func TestManPage(t *testing.T) {
	model := newParser(&cli{}).Model
	page := manPage(model)
	kong.Visit(model, func(node kong.Visitable, next kong.Next) error {
		if f, ok := node.(*kong.Flag); ok && !f.Hidden && !strings.Contains(page, roff("--"+f.Name)) {
			t.Errorf("--%s is missing", f.Name)
		}
		if n, ok := node.(*kong.Node); ok && n.Leaf() && !strings.Contains(page, ".SS "+verbPath(n)+"\n") {
			t.Errorf("%s is missing", verbPath(n))
		}
		return next(nil)
	})
	if _, err := exec.LookPath("groff"); err != nil {
		return
	}
	cmd := exec.Command("groff", "-man", "-Kutf8", "-Tutf8", "-ww", "-z")
	cmd.Stdin = strings.NewReader(page)
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("groff: %v\n%s", err, out)
	}
}

func TestRoff(t *testing.T) {
	for in, want := range map[string]string{
		`a\b-c`:    `a\eb\-c`,
		".TH\n.SH": "\\&.TH\n\\&.SH",
		"'x":       `\&'x`,
		"a.b":      "a.b",
	} {
		if got := roff(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
