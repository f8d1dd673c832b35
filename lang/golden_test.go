package lang

import (
	"errors"
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
)

// golden runs the cases of a file in testdata, whose only command is the one given: its input is a query, its output what run
// says. In a query, ⇥ stands for a tab, ⏎ for a carriage return and ␣ for a blank at an end. The flag -rewrite writes the
// outputs anew.
func golden(t *testing.T, file, command string, run func(query string) string) {
	t.Helper()
	datadriven.RunTest(t, "testdata/"+file+".txt", func(t *testing.T, d *datadriven.TestData) string {
		if d.Cmd != command {
			d.Fatalf(t, "there is no command %s", d.Cmd)
		}
		got := run(strings.NewReplacer("⇥", "\t", "⏎", "\r", "␣", " ").Replace(d.Input))
		return strings.NewReplacer("\t", "⇥", "\r", "⏎", "\n\n", "\n").Replace(got) + "\n"
	})
}

// rewrites reports whether the flag -rewrite is set, which datadriven declares.
func rewrites() bool { return flag.Lookup("rewrite").Value.(flag.Getter).Get() == true }

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
	for _, file := range []string{"syntax", "unsupported", "extensions", "check", "meaning", "call", "constructs"} {
		t.Run(file, func(t *testing.T) {
			golden(t, file, "check", func(query string) string { return pretty(query, nil) })
		})
	}
	for _, file := range []string{"habits_sql", "mistakes"} {
		t.Run(file, func(t *testing.T) {
			golden(t, file, "check", func(query string) string { return pretty(query, testCatalog{}) })
		})
	}
	t.Run("warnings", func(t *testing.T) {
		golden(t, "warnings", "warn", func(query string) string { return pretty(query, testCatalog{}) })
	})
}

// The canonical text parses as the same tree; what it looks like is in testdata.
func TestFormat(t *testing.T) {
	golden(t, "format", "format", func(query string) string {
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
