package lang

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// The reference: every example is a correct query, and every word is named; docs/functions.md has the functions.
func TestReference(t *testing.T) {
	data, err := os.ReadFile("../docs/language.md")
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	examples := regexp.MustCompile("(?s)```cypher\n(.*?)```").FindAllStringSubmatch(text, -1)
	if len(examples) < 40 {
		t.Errorf("only %d examples", len(examples))
	}
	all := ""
	for _, m := range examples {
		if got := pretty(m[1], nil); got != "ok" {
			t.Error(got)
		}
		all += strings.ToUpper(m[1])
	}
	for _, p := range Procedures { // docs/procedures.md has the rest
		if !strings.Contains(text, "`"+p.Name+"(") {
			t.Errorf("%s is not named", p.Name)
		}
	}
	for _, k := range Keywords {
		if !strings.Contains(strings.ToUpper(text), "`"+k.Word) && !strings.Contains(all, k.Word) {
			t.Errorf("%s is not described", k.Word)
		}
	}
	for word := range reserved {
		if !strings.Contains(text, "`"+word+"`") {
			t.Errorf("%s is not listed as reserved", word)
		}
	}
	for what, code := range map[string]string{"text": "SyntaxError.UnexpectedSyntax", "a warning": "Warning.UnknownLabel"} {
		if !strings.Contains(text, code) {
			t.Errorf("there is no example of %s", what)
		}
	}
	for _, m := range regexp.MustCompile("(?s)```text\n(.*?)\n```").FindAllStringSubmatch(text, -1) {
		query := regexp.MustCompile(`(?m)^ 1 \| (.*)$`).FindStringSubmatch(m[1])[1]
		if got := pretty(query, testCatalog{}); got != m[1] {
			t.Errorf("got\n%s\nwant\n%s", got, m[1])
		}
	}
}
