package lang

import (
	"os"
	"strings"
	"testing"
	"unicode/utf8"
)

// forms is a statement for every form of the language.
func forms(t testing.TB) []string {
	data, err := os.ReadFile("testdata/forms.txt")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(data)), "\n")
}

// Any text is read or refused at a place in it, without a panic. What is read is the same once more after the formatter, and is
// checked without a panic.
func FuzzParse(f *testing.F) {
	for _, text := range append(forms(f),
		benchQuery, "RETURN [x IN y, z], {a: 1, ``: 2}[..-1]", "MATCH (a)-[r:T|:U $p]->(`b``c`) RETURN -0x8000000000000000, 'it''s\\u00e9', 1.5e-7",
		"RETURN 1;;RETURN a /* b */ + 1", "RETURN NOT - a IS NULL", "RETURN 'a", "RETURN \xff", "RETURN [(a)-->(b) WHERE x:A|B | y]", "FOREACH (x IN y |",
	) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 10_000 {
			return
		}
		script, err := Parse(text)
		if err != nil {
			e, ok := err.(*Error)
			if !ok || e.Msg == "" || e.Code == "" || e.Pos.Offset < 0 || e.Pos.Offset > len(text) {
				t.Fatalf("%q: %+v", text, err)
			}
			if pretty := e.Pretty(); utf8.ValidString(text) && !utf8.ValidString(pretty) {
				t.Fatalf("%q: the error is not UTF-8: %q", text, pretty)
			}
			return
		}
		checkRoundTrip(t, 0, script)
		for _, stmt := range script.Statements {
			if _, err := Check(stmt, testCatalog{}); err != nil {
				if e, ok := err.(*Error); !ok || e.Pos.Offset < 0 || e.Pos.Offset > len(text) {
					t.Fatalf("%q: %+v", text, err)
				}
			}
		}
	})
}

// Every form is read, and written by the formatter as the same tree.
func TestForms(t *testing.T) {
	for _, text := range forms(t) {
		script, err := Parse(text)
		if err != nil {
			t.Errorf("%s", err.(*Error).Pretty())
			continue
		}
		checkRoundTrip(t, 0, script)
	}
}
