package lang

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var rewrite = flag.Bool("rewrite", false, "write what the golden tests get into testdata, to be reviewed as a diff")

// golden reads cases of the form "query / ---- / output / blank line" and compares the output of run with them. In
// a query, ⇥ stands for a tab and ⏎ for a carriage return. Lines that begin with # before a query are comments.
func golden(t *testing.T, file string, run func(query string) string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for i, c := range strings.Split(strings.TrimRight(string(data), "\n"), "\n\n") {
		comment := ""
		for strings.HasPrefix(c, "#") {
			line, rest, _ := strings.Cut(c, "\n")
			comment, c = comment+line+"\n", rest
		}
		query, want, ok := strings.Cut(c, "\n----\n")
		if !ok && !*rewrite {
			t.Fatalf("%s: case %d has no ----:\n%s", file, i+1, c)
		}
		query = strings.TrimSuffix(query, "\n----")
		got := run(strings.NewReplacer("⇥", "\t", "⏎", "\r").Replace(query))
		got = strings.NewReplacer("\t", "⇥", "\r", "⏎", "\n\n", "\n").Replace(got)
		if got != want && !*rewrite {
			t.Errorf("%s\ngot\n%s\nwant\n%s", query, got, want)
		}
		if i > 0 {
			out.WriteString("\n")
		}
		fmt.Fprintf(&out, "%s%s\n----\n%s\n", comment, query, got)
	}
	if *rewrite {
		if err := os.WriteFile(file, []byte(out.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// pretty parses and checks query, and shows the error or the warnings.
func pretty(query string, cat Catalog) string {
	show := func(err error) string {
		var e *Error
		if !errors.As(err, &e) {
			return fmt.Sprintf("not an *Error: %v", err)
		}
		return e.Pretty()
	}
	script, err := Parse(query)
	if err != nil {
		return show(err)
	}
	var out []string
	for _, stmt := range script.Statements {
		info, err := Check(stmt, cat)
		if err != nil {
			return show(err)
		}
		for _, w := range info.Warnings {
			out = append(out, w.Pretty())
		}
	}
	if out == nil {
		return "ok"
	}
	return strings.Join(out, "\n")
}

type testCatalog struct{}

func (testCatalog) Labels() []string { return []string{"Person", "Company", "Odd Label"} }
func (testCatalog) Types() []string  { return []string{"KNOWS", "WORKS_AT"} }
func (testCatalog) Keys() []string   { return []string{"name", "age", "since"} }

func TestErrors(t *testing.T) {
	for _, file := range []string{"syntax", "unsupported", "check", "meaning", "call"} {
		t.Run(file, func(t *testing.T) {
			golden(t, "testdata/"+file+".txt", func(query string) string { return pretty(query, nil) })
		})
	}
	t.Run("warnings", func(t *testing.T) {
		golden(t, "testdata/warnings.txt", func(query string) string { return pretty(query, testCatalog{}) })
	})
}

// The canonical text parses as the same tree; what it looks like is in testdata.
func TestFormat(t *testing.T) {
	golden(t, "testdata/format.txt", func(query string) string {
		script, err := Parse(query)
		if err != nil {
			return err.Error()
		}
		text := script.String()
		again, err := Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
		} else if diff := difference(script, again); diff != "" {
			t.Errorf("%s became %s:\n%s", query, text, diff)
		}
		return strings.TrimSuffix(text, "\n")
	})
}
