package lang

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

// Input that is deep, long or meant to be slow gives a tree or an error soon, and never exhausts the stack.
func TestLimits(t *testing.T) {
	rep := strings.Repeat
	const big = 100_000
	for name, c := range map[string]struct {
		text string
		code string // "" for none
	}{
		"brackets":         {"RETURN " + rep("(", big) + "1" + rep(")", big) + " AS x", codeTooLarge},
		"open brackets":    {"RETURN " + rep("(", big), codeTooLarge},
		"lists":            {"RETURN " + rep("[", big) + rep("]", big) + " AS x", codeTooLarge},
		"maps":             {"RETURN " + rep("{a:", big) + "1" + rep("}", big) + " AS x", codeTooLarge},
		"indexes":          {"RETURN " + rep("a[", big) + "1" + rep("]", big) + " AS x", codeTooLarge},
		"calls":            {"RETURN " + rep("abs(", big) + "1" + rep(")", big) + " AS x", codeTooLarge},
		"CASE":             {"RETURN " + rep("CASE WHEN ", big) + "1", codeTooLarge},
		"NOT":              {"RETURN " + rep("NOT ", big) + "true AS x", codeTooLarge},
		"signs":            {"RETURN " + rep("-", big) + "1 AS x", codeTooLarge},
		"labels":           {"MATCH (a:" + rep("(", big) + "A" + rep(")", big) + ") RETURN a", codeTooLarge},
		"label negations":  {"MATCH (a:" + rep("!", big) + "A) RETURN a", codeTooLarge},
		"200 brackets":     {"RETURN " + rep("(", 200) + "1" + rep(")", 200) + " AS x", ""},
		"200 lists":        {"RETURN " + rep("[", 200) + rep("]", 200) + " AS x", ""},
		"200 mixed":        {"RETURN " + rep("[{a: abs(", 60) + "1" + rep(")}]", 60) + " AS x", codeArgument},
		"200 NOT":          {"RETURN " + rep("NOT ", 200) + "true AS x", ""},
		"OR":               {"MATCH (a) WHERE " + rep("a.x = 1 OR ", 5_000) + "a.y RETURN a", ""},
		"too many sums":    {"RETURN " + rep("1+", big+10) + "1 AS x", codeTooLarge},
		"properties":       {"MATCH (a) RETURN a" + rep(".b", 50_000) + " AS x", ""},
		"too many":         {"MATCH (a) RETURN a" + rep(".b", big+10) + " AS x", codeTooLarge},
		"comparisons":      {"RETURN " + rep("1 < ", 10_000) + "1 AS x", ""},
		"chains in chains": {"RETURN " + rep("1 < (", 100) + "1" + rep(") < 2", 100) + " AS x", codeTooLarge},
		"4 in chains":      {"RETURN " + rep("1 < (", 4) + "1" + rep(") < 2", 4) + " AS x", ""},
		"numbers":          {"RETURN [" + rep("1,", 20_000) + "1] AS x", ""},
		"expressions":      {"RETURN [" + rep("1+1,", 2_000) + "1] AS x", ""},
		"items":            {"RETURN 1 AS a" + rep(", 1 AS a", 2_000), "SyntaxError.ColumnNameConflict"},
		"hops":             {"MATCH (a)" + rep("-[:T]->()", 2_000) + " RETURN a", ""},
		"clauses":          {rep("MATCH (a) ", 2_000) + "RETURN a", ""},
		"statements":       {rep("RETURN 1;", 2_000), ""},
		"semicolons":       {rep(";", big), ""},
		"open strings":     {rep("'a' ", 10_001), codeSyntax},
		"half patterns":    {"RETURN " + rep("({b: ", 140), codeSyntax},
		"comprehensions":   {"RETURN " + rep("[x IN ", 250), codeSyntax},
		"ORDER BY":         {"MATCH (a) RETURN DISTINCT a" + rep(".b", 20_000) + " AS x ORDER BY a" + rep(".b", 20_001), ""},
		"grouping":         {"MATCH (a) RETURN a.b, a" + rep(".b", 20_000) + " + count(*) AS x", ""},
		"subqueries":       {"MATCH (a) WHERE " + rep("EXISTS { MATCH (a) WHERE ", 250) + "true" + rep(" }", 250) + " RETURN a", ""},
		"open subqueries":  {"RETURN " + rep("EXISTS { (a) WHERE ", big), codeTooLarge},
		"CALL { }":         {rep("CALL { ", 250) + "RETURN 1 AS x " + rep("} RETURN x ", 250), ""},
		"groups":           {"MATCH " + rep("(", big) + ")", codeTooLarge},
		"250 groups":       {"MATCH " + rep("(", 250) + ")" + rep(")", 249) + " RETURN 1", ""},
		"250 quantified":   {"MATCH " + rep("(", 250) + ")-->()" + rep("){2}", 249) + " RETURN 1", "SyntaxError.InvalidPathPattern"},
		"patterns":         {"MATCH (a) WHERE " + rep("(a)-->({x: [(a)-->(b) WHERE ", 80) + "true" + rep(" | 1]})", 80) + " RETURN a", ""},
		"FOREACH":          {rep("FOREACH (x IN [1] | ", 250) + "CREATE ()" + rep(")", 250), ""},
		"UNION":            {"RETURN 1 AS x" + rep(" UNION RETURN 1 AS x", 2_000), ""},
		"WITH":             {"WITH 1 AS x " + rep("WITH x ", 2_000) + "RETURN x", ""},
		"CREATE":           {"CREATE (a0)" + rep(", (:A {k: 1})-[:T]->(a0)", 3_000), ""},
		"lists in lists":   {"RETURN " + rep("[x IN [", 140) + "1" + rep("] | x]", 140) + " AS y", ""},
		"bars":             {"RETURN [x IN " + rep("|", big) + "]", codeSyntax},
		"late error":       {"RETURN [" + rep("1+1,", 3_000) + "+] AS x", codeSyntax},
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			err := parseAndCheck(c.text)
			var e *Error
			errors.As(err, &e)
			switch {
			case c.code == "" && err != nil:
				t.Errorf("%.300s", err)
			case c.code != "" && (e == nil || e.Code != c.code):
				t.Errorf("%.300v, want %s", err, c.code)
			}
			if e != nil && len(e.Pretty()) > 2000 {
				t.Errorf("the error has %d characters", len(e.Pretty()))
			}
			if took := time.Since(start); took > 20*time.Second {
				t.Errorf("took %v", took)
			}
		})
	}
}

const codeArgument = "SyntaxError.InvalidArgumentType"

func parseAndCheck(text string) error {
	script, err := Parse(text)
	if err != nil {
		return err
	}
	for _, stmt := range script.Statements {
		_ = stmt.String()
		if _, err := Check(stmt, testCatalog{}); err != nil {
			return err
		}
	}
	return nil
}

// Reading and checking a text end with their context.
func TestReadingEnds(t *testing.T) {
	text := "RETURN [" + strings.Repeat("1 + 1, ", 50_000) + "1]"
	script, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := ParseContext(ctx, text, 0); err != context.Canceled {
		t.Errorf("parse: %v", err)
	}
	s := scanner{text: text, ctx: ctx}
	if toks := s.all(); len(toks) > pollEvery {
		t.Errorf("scan: %d tokens", len(toks))
	}
	if _, err := CheckContext(ctx, script.Statements[0], nil); err != context.Canceled {
		t.Errorf("check: %v", err)
	}
}

// A statement is warned of its first unknown names only, and a very long word is compared with no other.
func TestManyUnknownNames(t *testing.T) {
	text := "MATCH (a) WHERE "
	for i := range 5000 {
		text += fmt.Sprintf("a:L%d OR ", i)
	}
	script, err := Parse(text + "a:X RETURN a")
	if err != nil {
		t.Fatal(err)
	}
	info, err := Check(script.Statements[0], testCatalog{})
	if err != nil || len(info.Warnings) != maxWarnings {
		t.Errorf("%v, %d warnings", err, len(info.Warnings))
	}
	long := strings.Repeat("x", 100_000)
	if name, ok := Suggest(long, []string{long + "y"}); ok {
		t.Errorf("suggests %.10s...", name)
	}
}

// The search for a missing colon reads the statement once, however many variables have the name of a label.
func TestManyVariablesLikeLabels(t *testing.T) {
	text := strings.Repeat("MATCH (Person)-[KNOWS]->() WITH 1 AS x ", 3000) + "RETURN x"
	script, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	if info, err := CheckContext(ctx, script.Statements[0], testCatalog{}); err != nil || len(info.Warnings) > 0 {
		t.Errorf("%v, %v", err, info)
	}
}

// The time that nested input takes does not grow exponentially.
func TestNoBlowUp(t *testing.T) {
	for _, shape := range []string{"(%s)", "[%s]", "{a: %s}", "f(%s)", "CASE WHEN %s THEN 1 END", "NOT %s", "-%s", "a[%s]", "a[..%s]", "(%s) + 1", "1 IN [%s]", "(a {b: %s})", "[x IN %s | x]", "[x IN [%s] WHERE x | x]", "any(x IN [1] WHERE %s)", "reduce(s = %s, x IN [] | s)",
		"a{b: %s}", "[(a)-->({b: %s}) | 1]", "EXISTS { (a) WHERE %s }", "COLLECT { RETURN %s AS x }", "(a)-->({b: %s})", "reduce(s = 1, x IN [] | %s)"} {
		x := "a"
		for range 60 {
			x = fmt.Sprintf(shape, x)
		}
		start := time.Now()
		for _, text := range []string{"RETURN " + x, "MATCH (a {x: " + x + "}) RETURN a", "RETURN " + x + " +", "RETURN " + x[:len(x)-1]} {
			_, _ = Parse(text) // only the time counts
		}
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("%s takes %v", shape, took)
		}
	}
}
