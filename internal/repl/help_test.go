package repl

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/motifql/motif/lang"
)

// The help names every command, function, keyword, format and topic, and no unknown command.
func TestHelpIsComplete(t *testing.T) {
	sec := map[string]string{}
	all := ""
	for _, s := range sections() {
		sec[s.title] = s.body
		all += s.body
	}
	listed := map[string]bool{}
	for line := range strings.Lines(sec["Commands"]) {
		if f := strings.Fields(line); len(f) > 0 && strings.HasPrefix(f[0], ":") {
			listed[f[0][1:]] = true
		}
	}
	for _, c := range commands() {
		if !listed[c.name] {
			t.Errorf(":%s is not in the help", c.name)
		}
		delete(listed, c.name)
	}
	for name := range listed {
		t.Errorf("the help lists :%s, which does not exist", name)
	}
	for _, f := range lang.Functions {
		name, method, dotted := strings.Cut(f.Name, ".") // methods are listed once for all types of date and time
		if !strings.Contains(sec["Functions"], name) || dotted && !strings.Contains(sec["Functions"], "."+method) {
			t.Errorf("function %s is not in the help", f.Name)
		}
	}
	for _, p := range lang.Procedures {
		if !strings.Contains(sec["Procedures"], p.Name) {
			t.Errorf("procedure %s is not in the help", p.Name)
		}
	}
	for _, k := range lang.Keywords {
		if strings.HasPrefix(k.Help, "the same as ") || strings.HasPrefix(k.Help, "see ") {
			continue
		}
		if !strings.Contains(strings.ToUpper(all), k.Word) {
			t.Errorf("keyword %s is not in the help", k.Word)
		}
	}
	for _, w := range append(topics(), Formats...) {
		if !strings.Contains(sec["Commands"], w) {
			t.Errorf("%s is not among the commands' arguments in the help", w)
		}
	}
}

func TestHelp(t *testing.T) {
	for topic, want := range map[string]string{"": ":quit", "modes": "DIFFERENT NODES", "rings": "SIMPLE (a)", "Cycles": "id(a) <= id(n)", "picture": "-o svg", "export": "motif export", "Keys": "Ctrl-C", "sqrt": "square root", "is_clique": "nodes", "xor": "exactly one", "procedures": "YIELD", "algo.kcore": "coreness",
		"load": "LOAD CSV", "is": "IS NOT NULL", "begin;": "ROLLBACK", "'order by'": "sorts",
		"save": "types of its parameters", ":saved": "show the text of one", "source": ":read FILE", "svg": "-o svg", "set": "SET\n"} {
		var out strings.Builder
		if err := printHelp(&out, topic); err != nil || !strings.Contains(out.String(), want) {
			t.Errorf("%q: %v\n%s", topic, err, out.String())
		}
		if strings.Contains(out.String(), "//\t") || strings.Contains(out.String(), "\t") {
			t.Errorf("%q shows comment marks or tabs:\n%s", topic, out.String())
		}
	}
	if err := printHelp(nil, "modess"); err == nil || !strings.Contains(err.Error(), "did you mean modes?") {
		t.Error(err)
	}
}

func TestWrapPlan(t *testing.T) {
	for _, c := range []struct {
		line  string
		width int
		want  string
	}{
		{"Match (a)  (est 1)", 0, "Match (a)  (est 1)"},
		{"└─Match (a)-[:KNOWS]-(b)-[:KNOWS]-(c)  (est 1)", 40, "└─Match (a)-[:KNOWS]-(b)-[:KNOWS]-(c)\n    (est 1)"},
		{"  ├─Match (größe)--(b)  (est 1, actual 2)", 36, "  ├─Match (größe)--(b)  (est 1,\n  │   actual 2)"},
		{"│     order: a, b, c, d, e, f, g", 27, "│     order: a, b, c, d, e,\n│       f, g"},
		{"    one-word-that-does-not-fit-anywhere", 30, "    one-word-that-does-not-fit-anywhere"},
	} {
		if got := wrapPlan(c.line, c.width); got != c.want {
			t.Errorf("%q in %d columns:\n%s\nwant\n%s", c.line, c.width, got, c.want)
		}
	}
}

// Hints of the language name only commands that the shell has.
func TestHintsNameCommands(t *testing.T) {
	named := regexp.MustCompile(`shell\b[^"]*?[ ,](:[a-z]+)`)
	n := 0
	for _, pattern := range []string{"../../lang/*.go", "../../planner/*.go", "../eval/*.go", "../../cmd/motif/*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatal(pattern, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range named.FindAllStringSubmatch(string(text), -1) {
				if n++; !isCommand(m[1]) {
					t.Errorf("%s names %s, which the shell does not have", file, m[1])
				}
			}
		}
	}
	if n < 8 {
		t.Errorf("found %d names of commands", n)
	}
}
