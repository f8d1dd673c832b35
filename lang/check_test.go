package lang

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestInfo(t *testing.T) {
	script, err := Parse("RETURN 1; MATCH (b:Person {age: $age})-[r:KNOWS]->(a) WHERE a.name = $name MATCH (a)<-[:KNOWS]-(c) RETURN *, a.name AS n, b AS m, r, count(*) + $age AS k ORDER BY n LIMIT $0")
	if err != nil {
		t.Fatal(err)
	}
	// The first error in the order of the text is the column r, which * has already.
	if _, err := Check(script.Statements[1], nil); err == nil || !strings.Contains(err.Error(), "ColumnNameConflict") {
		t.Error(err)
	}
	script, err = Parse("RETURN 1; MATCH (b:Person {age: $age})-[r:KNOWS]->(a) WHERE a.name = $name MATCH (a)<-[:KNOWS]-(c) RETURN *, a.name AS n, b AS m, head([a]) AS k ORDER BY n LIMIT $0")
	if err != nil {
		t.Fatal(err)
	}
	info, err := Check(script.Statements[1], testCatalog{})
	if err != nil {
		t.Fatal(err)
	}
	if want := []Column{{"a", NodeVar}, {"b", NodeVar}, {"c", NodeVar}, {"r", RelVar}, {"n", ValueVar}, {"m", NodeVar}, {"k", ValueVar}}; !slices.Equal(info.Columns, want) {
		t.Errorf("columns %v", info.Columns)
	}
	var params []string
	for _, p := range info.Parameters {
		params = append(params, fmt.Sprint(p.Text, " ", p.Pos.Offset))
	}
	if want := []string{"age 32", "name 69", "0 162"}; !slices.Equal(params, want) {
		t.Errorf("parameters %v", params)
	}
	var vars []string
	for _, v := range info.Variables {
		vars = append(vars, fmt.Sprint(v.Name, " ", v.Kind, " ", v.Pos.Offset))
	}
	if want := []string{"b node 17", "r relationship 40", "a node 51", "c node 96"}; !slices.Equal(vars, want) {
		t.Errorf("variables %v", vars)
	}
	if len(info.Warnings) != 0 {
		t.Errorf("warnings %v", info.Warnings)
	}
}

// Every function of the list takes null for each of its arguments, says so if there are too many, and is found in any case.
func TestFunctions(t *testing.T) {
	for _, f := range Functions {
		if f.Name == "cast" {
			continue // it is written CAST(x AS TYPE)
		}
		call := func(n int) string {
			return "RETURN " + strings.ToUpper(f.Name) + "(" + strings.TrimSuffix(strings.Repeat("null, ", n), ", ") + ") AS x"
		}
		if got := pretty(call(f.MinArgs), nil); got != "ok" {
			t.Error(got)
		}
		if f.MaxArgs >= 0 {
			if got := pretty(call(f.MaxArgs+1), nil); !strings.Contains(got, "InvalidNumberOfArguments") {
				t.Error(got)
			}
		}
		if !strings.HasPrefix(f.Signature, f.Name+"(") || !strings.Contains(f.Signature, " :: ") || f.Help == "" {
			t.Errorf("%+v", f)
		}
		if x, err := ParseExpr(strings.ToUpper(f.Name) + "(1)"); err != nil || x.(*Call).Name != strings.ToLower(f.Name) || Text(x) != f.Name+"(1)" {
			t.Errorf("%s: %v, %v", f.Name, x, err)
		}
	}
	for name := range missingFunctions {
		if function(name) != nil {
			t.Errorf("%s is both there and missing", name)
		}
	}
}

// The words of the language are either reserved or soft, and the parser's list has them all.
func TestKeywords(t *testing.T) {
	for _, k := range Keywords {
		for _, w := range strings.Fields(k.Word) {
			if reserved[w] == softWords[w] {
				t.Errorf("%s: reserved %v, soft %v", w, reserved[w], softWords[w])
			}
			if !slices.Contains(trialWords, w) {
				t.Errorf("%s is not among the words that errors suggest", w)
			}
		}
		if k.Help == "" {
			t.Errorf("%s has no help", k.Word)
		}
	}
	for w := range reserved {
		if len(w) > longestReserved {
			t.Errorf("%s is longer than %d letters", w, longestReserved)
		}
	}
}

// Places in the second statement of a script refer to the script.
func TestErrorInScript(t *testing.T) {
	text := "MATCH (a) RETURN a;\nMATCH (b)\n  RETURN c"
	script, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Check(script.Statements[1], nil)
	var e *Error
	if !errors.As(err, &e) {
		t.Fatal(err)
	}
	if e.Query != text || e.Pos != (Pos{Offset: 39, Line: 3, Column: 10, Len: 1}) {
		t.Errorf("%+v", e)
	}
	want := "SyntaxError.UndefinedVariable: variable `c` is not defined\n 3 |   RETURN c\n   |          ^\nhint: variables in scope: b"
	if got := e.Pretty(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got, want := e.Error(), "SyntaxError.UndefinedVariable: variable `c` is not defined (line 3, column 10)"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Carets stand under their text on a terminal, long lines are cut, and nothing upsets the terminal.
func TestPretty(t *testing.T) {
	for _, c := range []struct {
		query string
		mark  string // to be marked
		want  string
	}{
		{"a b c", "b", " 1 | a b c\n   |   ^"},
		{"\ta\tbb", "bb", " 1 | \ta\tbb\n   | \t \t^^"},
		{"日本 x", "x", " 1 | 日本 x\n   |      ^"},
		{"日本 x", "本", " 1 | 日本 x\n   |   ^^"},
		{"e\u0301e\u0301 x", "x", " 1 | e\u0301e\u0301 x\n   |    ^"},
		{"🧐 x", "x", " 1 | 🧐 x\n   |    ^"},
		{"👩‍👩‍👧 x", "x", " 1 | 👩‍👩‍👧 x\n   |    ^"},
		{"a\nb\r\nc", "b", " 2 | b\n   | ^"},
		{"a\r", "a", " 1 | a\n   | ^"},
		{"x\x1b[31m y", "y", " 1 | x\uFFFD[31m y\n   |        ^"},
		{"x\xff y", "y", " 1 | x\uFFFD y\n   |    ^"},
		{"first\nsecond 'three\nfour'", "'three\nfour'", " 2 | second 'three\n   |        ^^^^^^"},
		{strings.Repeat("x", 100) + "y" + strings.Repeat("z", 100), "y", " 1 | …" + strings.Repeat("x", 60) + "y" + strings.Repeat("z", 60) + "…\n   | " + strings.Repeat(" ", 61) + "^"},
		{strings.Repeat("y", 200), strings.Repeat("y", 200), " 1 | " + strings.Repeat("y", 60) + "…\n   | " + strings.Repeat("^", 60)},
	} {
		at := strings.Index(c.query, c.mark)
		s := scanner{text: c.query}
		s.pos.Line = 1
		s.advance(at)
		e := &Error{Code: "X", Msg: "m", Query: c.query, Pos: Pos{Offset: at, Line: s.pos.Line, Len: len(c.mark)}}
		if got := strings.TrimPrefix(e.Pretty(), "X: m\n"); got != c.want {
			t.Errorf("%q: got\n%s\nwant\n%s", c.query, got, c.want)
		}
	}
	if got := (&Error{Code: "X", Msg: "m", Hint: "h"}).Pretty(); got != "X: m\nhint: h" {
		t.Errorf("without a query: %q", got)
	}
	if got := (&Error{Code: "X", Msg: "m", Query: "abc", Pos: Pos{Offset: 99, Line: 123, Len: -1}}).Pretty(); got != "X: m\n123 | abc\n    |    ^" {
		t.Errorf("outside of the query: %q", got)
	}
}
