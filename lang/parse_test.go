package lang

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"
)

// What an expression means, shown by brackets that change nothing.
func TestPrecedence(t *testing.T) {
	for text, same := range map[string]string{
		"a OR b XOR c":                  "a OR (b XOR c)",
		"a XOR b AND c":                 "a XOR (b AND c)",
		"a AND b OR c":                  "(a AND b) OR c",
		"NOT a AND b":                   "(NOT a) AND b",
		"NOT a = b":                     "NOT (a = b)",
		"NOT a IS NULL":                 "NOT (a IS NULL)",
		"NOT NOT a":                     "NOT (NOT a)",
		"a = b IS NULL":                 "a = (b IS NULL)",
		"a = b IN c":                    "a = (b IN c)",
		"a < b + c":                     "a < (b + c)",
		"a IN b + c":                    "a IN (b + c)",
		"a + b STARTS WITH c":           "(a + b) STARTS WITH c",
		"a + b * c":                     "a + (b * c)",
		"a - b - c":                     "(a - b) - c",
		"a - b + c":                     "(a - b) + c",
		"a / b * c % d":                 "((a / b) * c) % d",
		"a * b ^ c":                     "a * (b ^ c)",
		"a ^ b ^ c":                     "(a ^ b) ^ c",
		"-a ^ b":                        "(-a) ^ b",
		"-a.b":                          "-(a.b)",
		"-a[0].b":                       "-((a[0]).b)",
		"a.b:C IS NULL":                 "((a.b):C) IS NULL",
		"a < b <= c":                    "(a < b) AND (b <= c)",
		"a = b = c = d":                 "((a = b) AND (b = c)) AND (c = d)",
		"x AND a < b < c":               "x AND ((a < b) AND (b < c))",
		"a < b < c AND x":               "((a < b) AND (b < c)) AND x",
		"a < (b < c)":                   "a < ((b < c))",
		"a OR b = c + d * e ^ f.g":      "a OR (b = (c + (d * (e ^ (f.g)))))",
		"a IS NULL IN b":                "(a IS NULL) IN b",
		"a CONTAINS b ENDS WITH c":      "(a CONTAINS b) ENDS WITH c",
		"a =~ b = c":                    "(a =~ b) = c",
		"1 - -1":                        "1 - (-1)",
		"[x IN l, y]":                   "[(x IN l), y]",
		"case a when b or c then d end": "CASE (a) WHEN (b OR c) THEN (d) END",
	} {
		a, err := ParseExpr(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		b, err := ParseExpr(same)
		if err != nil {
			t.Errorf("%s: %v", same, err)
			continue
		}
		if d := differenceButNumbers(a, b); d != "" {
			t.Errorf("%s is not %s: %s", text, same, d)
		}
	}
}

// differenceButNumbers compares trees by their canonical text, which has -(1) for a sign before a bracket.
func differenceButNumbers(a, b Expr) string {
	x, y := Text(a), strings.ReplaceAll(Text(b), "-(1)", "-1")
	if x != y {
		return x + " and " + y
	}
	return ""
}

// The same trees, built by hand.
func TestTree(t *testing.T) {
	script, err := Parse("PROFILE MATCH DISTINCT INDUCED SUBGRAPHS (a:A {k: $p})<-[r:T|U WHERE r.w]-() RETURN DISTINCT *, a.b AS c ORDER BY c DESC SKIP 1 LIMIT $2")
	if err != nil {
		t.Fatal(err)
	}
	name := func(s string) Expr { return &Var{Name: s} }
	want := &Statement{Explain: Profile, Query: &Query{Clauses: []Clause{
		&Match{Mode: DifferentNodes, Subgraphs: true, Distinct: true, Induced: true, Paths: []*PathPattern{{
			Nodes: []*NodePattern{{Name: "a", Labels: &LabelExpr{Name: "A"}, Props: &MapLit{Keys: []Name{{Text: "k"}}, Values: []Expr{&Param{Name: "p"}}}}, {}},
			Rels:  []*RelPattern{{Name: "r", Types: []Name{{Text: "T"}, {Text: "U"}}, Direction: Left, Where: &Property{Of: name("r"), Key: "w"}}},
		}}},
		&Return{Distinct: true, Star: true, Items: []*ReturnItem{{Expr: &Property{Of: name("a"), Key: "b"}, Name: "c", Aliased: true}},
			Order: []*SortItem{{Expr: name("c"), Descending: true}}, Skip: &Literal{Value: int64(1)}, Limit: &Param{Name: "2"}},
	}}}
	if d := difference(want, script.Statements[0]); d != "" {
		t.Error(d)
	}
}

// Every node knows its place in the text.
func TestPlaces(t *testing.T) {
	text := "MATCH (abc:Label)-[rel:T]->(d {k: 1}) WHERE abc.prop STARTS WITH 'x' AND NOT d:Lab\nRETURN count( d ) AS n"
	script, err := Parse("RETURN 1; " + text)
	if err != nil {
		t.Fatal(err)
	}
	stmt := script.Statements[1]
	at := func(p Pos) string { return stmt.source[p.Offset : p.Offset+p.Len] }
	m := stmt.Query.Clauses[0].(*Match)
	r := stmt.Query.Clauses[1].(*Return)
	and := m.Where.(*Binary)
	for got, want := range map[string]string{
		at(stmt.Pos): text, stmt.Text: text, at(m.Pos): "MATCH", at(r.Pos): "RETURN",
		at(m.Paths[0].Pos): "(abc:Label)-[rel:T]->(d {k: 1})", at(m.Paths[0].Nodes[0].Pos): "(abc:Label)", at(m.Paths[0].Nodes[0].NamePos): "abc",
		at(m.Paths[0].Nodes[0].Labels.Pos): "Label", at(m.Paths[0].Rels[0].Pos): "-[rel:T]->", at(m.Paths[0].Rels[0].NamePos): "rel",
		at(m.Paths[0].Rels[0].Types[0].Pos): "T", at(m.Paths[0].Nodes[1].Props.(*MapLit).Keys[0].Pos): "k",
		at(and.Pos): "AND", at(and.L.Position()): "STARTS WITH", at(and.L.(*Binary).L.Position()): "prop", at(and.R.Position()): "NOT",
		at(r.Items[0].Pos): "count( d ) AS n", at(r.Items[0].Expr.Position()): "count",
	} {
		if got != want {
			t.Errorf("%q is not %q", got, want)
		}
	}
	if stmt.Pos.Line != 1 || r.Pos.Line != 2 || r.Pos.Column != 1 {
		t.Errorf("statement at %+v, RETURN at %+v", stmt.Pos, r.Pos)
	}
}

// Columns are named as written.
func TestColumnNames(t *testing.T) {
	script, err := Parse("MATCH (a) RETURN  a . x+1 , `a` , count( * ), a.y AS `y z`, 'x' , -1")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, it := range script.Statements[0].Query.Clauses[1].(*Return).Items {
		names = append(names, it.Name)
	}
	if want := []string{"a . x+1", "a", "count( * )", "y z", "'x'", "-1"}; !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
}

// Words of the language that are not reserved stay names.
func TestSoftKeywords(t *testing.T) {
	for word := range softWords {
		for _, w := range []string{word, strings.ToLower(word)} {
			text := "MATCH (" + w + ":" + w + " {" + w + ": 1})-[r" + w + ":" + w + "]->() WHERE " + w + "." + w + " > 1 RETURN " + w + ", 1 AS x" + w +
				" ORDER BY " + w + "." + w
			if got := pretty(text, nil); got != "ok" {
				t.Errorf("%s", got)
			}
		}
	}
	for word := range reserved {
		text := "MATCH (`" + word + "`:" + word + " {" + word + ": 1})-[:" + word + "]->() WHERE `" + word + "`." + word + " > 1 RETURN `" + word + "`"
		if got := pretty(text, nil); got != "ok" {
			t.Errorf("%s", got)
		}
	}
}

// TestNamesAfterAnyLabel has a word that may be a name stand behind the label %, which is no remainder.
func TestNamesAfterAnyLabel(t *testing.T) {
	for _, text := range []string{
		"MATCH (a)\nRETURN a:% IN -9",
		"MATCH (a)\nRETURN {x: a:!B&!% IN -9}",
		"MATCH (a)\nRETURN a:(%) IN -9",
		"MATCH (a:%)\nRETURN a:B|% IN -9 AS `as`",
		"WITH 1 AS a, 2 AS `in`\nRETURN a % in",
		"WITH 1 AS a, 2 AS `in`\nRETURN a%in-9",
	} {
		if script, err := Parse(text); err != nil {
			t.Errorf("%s: %v", text, err)
		} else if got := script.Statements[0].String(); got != text {
			t.Errorf("%s is written as %s", text, got)
		}
	}
}

func TestScripts(t *testing.T) {
	for text, want := range map[string][]string{
		"":                                   nil,
		" ; ;; // nothing\n /* at ; all */":  nil,
		"RETURN 1":                           {"RETURN 1"},
		" RETURN 1 ; RETURN 2;":              {"RETURN 1", "RETURN 2"},
		"RETURN ';' // ;\n; RETURN `;`/*;*/": {"RETURN ';'", "RETURN `;`"},
	} {
		if got := SplitStatements(text); !slices.Equal(got, want) {
			t.Errorf("%q is split into %q, want %q", text, got, want)
		}
		if strings.Contains(text, "`") {
			continue // a variable that is not defined is no matter here, but Parse is asked below
		}
		script, err := Parse(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		var got []string
		for _, s := range script.Statements {
			got = append(got, s.Text)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q is parsed as %q, want %q", text, got, want)
		}
	}
	for text, want := range map[string][]string{
		"RETURN 1 /* a; b":     {"RETURN 1 /* a; b"},
		"RETURN 1; /* a":       {"RETURN 1", "/* a"},
		"RETURN 1; // \xff\n;": {"RETURN 1", "// \xff"},
		"/*/":                  {"/*/"},
	} {
		if got := SplitStatements(text); !slices.Equal(got, want) {
			t.Errorf("%q is split into %q, want %q", text, got, want)
		}
		if _, err := Parse(text); err == nil {
			t.Errorf("%q was read", text)
		}
	}
	if got := SplitStatements("RETRUN 1; RETURN 'x"); !slices.Equal(got, []string{"RETRUN 1", "RETURN 'x"}) {
		t.Errorf("wrong statements are split into %q", got)
	}
}

func TestComplete(t *testing.T) {
	for text, want := range map[string]bool{
		"": false, "RETURN 1": false, "RETURN 1;": true, "RETURN 1 ; \n": true, "RETURN 1; // done": true, "RETURN 1; /* done */ ": true,
		"RETURN ';": false, "RETURN ';'": false, "RETURN ';';": true, "RETURN `;": false, "// ;": false, "/* ; ": false, "/* */ ;": true,
		"RETURN 1; RETURN 2": false, "RETURN 'a\\';": false, "RETURN 'a\\\\';": true, ";": true, "RETURN 1; /* ": false, "RETURN 1; /*/": false, "RETURN 1; // \xff": true, "RETURN 1; /* \xff */": true, "RETURN 1 // \xff\n;": true, "RETURN 'it'';": false,
	} {
		if got := Complete(text); got != want {
			t.Errorf("Complete(%q) = %v", text, got)
		}
	}
}

func TestParseExpr(t *testing.T) {
	x, err := ParseExpr(" [1, {a: 'x'}] // comment")
	if err != nil || Text(x) != "[1, {a: 'x'}]" {
		t.Errorf("%v, %v", x, err)
	}
	for text, code := range map[string]string{"": codeSyntax, "1 2": codeSyntax, "1;": codeSyntax, "99999999999999999999": "SyntaxError.IntegerOverflow",
		"filter(x IN y WHERE z)": codeNotSupported, "'": codeSyntax} {
		_, err := ParseExpr(text)
		var e *Error
		if !errors.As(err, &e) || e.Code != code {
			t.Errorf("%q: %v, want %s", text, err, code)
		}
	}
}

func TestWalk(t *testing.T) {
	x, err := ParseExpr("a.b + [c, d[e..f]][g] = CASE h WHEN i THEN j ELSE k END AND NOT f(l, m) IS NULL OR {x: n, y: -o}.p:Q")
	if err != nil {
		t.Fatal(err)
	}
	names := ""
	Walk(x, func(x Expr) bool {
		if v, ok := x.(*Var); ok {
			names += v.Name
		}
		return true
	})
	if names != "abcdefghijklmno"[:1]+"cdefghijklmno" {
		t.Errorf("variables %s", names)
	}
	Walk(nil, func(Expr) bool { t.Error("nil was visited"); return true })
}

// The parsers are shared; queries are read from many goroutines at once.
func TestConcurrent(t *testing.T) {
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for _, text := range []string{benchQuery, "MATCH (a) RETRUN a", "RETURN 1 +"} {
				script, err := Parse(text)
				if (err == nil) != (text == benchQuery) {
					t.Errorf("%s: %v", text, err)
				}
				if err == nil {
					if _, err := Check(script.Statements[0], testCatalog{}); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	wg.Wait()
}

// Text that is not UTF-8 is refused at its first bad byte, wherever it stands.
func TestNotUTF8(t *testing.T) {
	for _, parts := range [][2]string{ // up to the bad byte, and from there on
		{"RETURN 1 ", "\xff AS x"}, {"RETURN 'é", "\xff' AS x"}, {"RETURN 1 AS `", "\xff`"}, {"RETURN $`é", "\xff`"}, {"RETURN 1 AS a", "\xff"},
		{"RETURN 1 // \uFFFD é", "\xff\n"}, {"RETURN 1 /* é\n", "\xc3\xff */ AS x"}, {"// ", "\xff\nRETURN 1"}, {"RETURN 1; /* ", "\xff"}, {"", "\xff"},
		{"RETURN '", "\xf0\x9f"},
	} {
		text, at := parts[0]+parts[1], len(parts[0])
		line := 1 + strings.Count(text[:at], "\n")
		column := 1 + utf8.RuneCountInString(text[strings.LastIndexByte(text[:at], '\n')+1:at])
		_, err := Parse(text)
		var e *Error
		if !errors.As(err, &e) || e.Code != codeSyntax || !strings.Contains(e.Msg, "UTF-8") || e.Pos != (Pos{Offset: at, Line: line, Column: column, Len: 1}) {
			t.Errorf("%q: %+v, want byte %d, line %d, column %d", text, e, at, line, column)
		}
		if err := checkTokens(text); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// Prefix operators may stand inside each other as often as the reference says.
func TestNestingLimits(t *testing.T) {
	for _, c := range []struct{ left, right string }{{"NOT ", ""}, {"-", ""}, {"+", ""}, {"(", ")"}, {"[", "]"}, {"CASE WHEN ", " THEN 1 END"}} {
		for n, want := range map[int]bool{maxNesting: true, maxNesting + 1: false} {
			_, err := Parse("RETURN " + strings.Repeat(c.left, n) + "a" + strings.Repeat(c.right, n))
			if (err == nil) != want {
				t.Errorf("%d %q: %v", n, c.left, err)
			}
		}
	}
}

// What looks like a node is one only if nothing but a node can stand there.
func TestNodeOrExpression(t *testing.T) {
	for text, want := range map[string]string{
		"RETURN ($p STARTS WITH 'x') - -(5)":                       "*lang.Binary",
		"RETURN (x:A AND true) - -(5)":                             "*lang.Binary",
		"RETURN (x:A|B = y) - -(5)":                                "*lang.Binary",
		"RETURN (x:A IS NULL) - -(5)":                              "*lang.Binary",
		"RETURN (x:A STARTS WITH 'a') - -(5)":                      "*lang.Binary",
		"RETURN ((x:A)) - -(y)":                                    "*lang.Binary",
		"RETURN ((x:A)) - [1] - 5":                                 "*lang.Binary",
		"RETURN ((x:A)) < -[1] - 5":                                "*lang.Binary",
		"RETURN x IS :: LIST<STRING | LIST<FLOAT> NOT NULL> IN -7": "*lang.Binary",
		"RETURN (x:A)--(y)":                                        "*lang.PatternExpr",
		"RETURN (x:!(A|B)&% $p)-->(y)":                             "*lang.PatternExpr",
		"RETURN (x:A:B {a: 1} WHERE x.b > 2)<--(y)":                "*lang.PatternExpr",
		"RETURN (x $p WHERE true)-[r]-(y)":                         "*lang.PatternExpr",
		"RETURN (x IS A)-[r]-(y)":                                  "*lang.PatternExpr",
		"RETURN (x:$(a + b))-->()":                                 "*lang.PatternExpr",
		"RETURN (x:$any([a, b]) {c: 1})-[r:$(d)]->()":              "*lang.PatternExpr",
	} {
		script, err := Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		r := script.Statements[0].Query.Clauses[0].(*Return)
		if got := reflect.TypeOf(r.Items[0].Expr).String(); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
		again, err := Parse(script.Statements[0].String())
		if err != nil || difference(script.Statements[0], again.Statements[0]) != "" {
			t.Errorf("%s is written as %s", text, script.Statements[0])
		}
	}
}
