package assist

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/motifql/motif"
)

// open returns a store in memory with a small graph.
func open(t testing.TB) *motif.DB {
	t.Helper()
	db, err := motif.Open(":memory:", motif.WithCreate())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	if _, err := db.Exec(context.Background(), "CREATE (:Person {name: 'Ann'})-[:KNOWS {since: 2010}]->(:Person {name: 'Bo'}), (:`Big City` {größe: 3})", nil); err != nil {
		t.Fatal(err)
	}
	return db
}

// Check finds what a query would report, at its place: mistakes of reading and of meaning, and the warnings of checker and planner.
func TestCheck(t *testing.T) {
	db := open(t)
	for _, c := range []struct {
		text string
		want []string // severity, the text at the place, a part of the message
	}{
		{"MATCH (a:Person) RETURN a", nil},
		{"", nil},
		{"MATCH (a:Person RETURN a", []string{"error|RETURN|"}},
		{"MATCH (a:Person) RETURN b", []string{"error|b|is not defined"}},
		{"MATCH (a:Persn) RETURN a", []string{"warning|Persn|"}},
		{"MATCH (a {größe: 'é'})\nRETURN a, ä", []string{"error|ä|is not defined"}},
		{"MATCH (a) WHERE a.größe = '日本' RETURN a.größer", []string{"warning|"}},
		{"MATCH (a) RETURN a;\nMATCH (b:Persn) RETURN b; RETURN q", []string{"warning|Persn|", "error|q|is not defined"}},
		{"MATCH (a) RETURN", []string{"error||"}},
	} {
		got := New(db, nil).Check(context.Background(), c.text)
		if len(got.Diagnostics) < len(c.want) || len(c.want) == 0 && len(got.Diagnostics) > 0 {
			t.Errorf("%s: %+v, want %q", c.text, got.Diagnostics, c.want)
			continue
		}
		for i, want := range c.want {
			d := got.Diagnostics[i]
			if d.From < 0 || d.To < d.From || d.To > len(c.text) {
				t.Fatalf("%s: no such place: %+v", c.text, d)
			}
			shown := fmt.Sprintf("%s|%s|%s", d.Severity, c.text[d.From:d.To], d.Message)
			parts := strings.SplitN(want, "|", 3)
			if !strings.HasPrefix(shown, strings.Join(parts[:len(parts)-1], "|")) || !strings.Contains(d.Message, parts[len(parts)-1]) {
				t.Errorf("%s: %s, want %s", c.text, shown, want)
			}
		}
	}
}

// Check says which parameters a text reads, and whether it writes.
func TestCheckFacts(t *testing.T) {
	a := New(open(t), nil)
	for text, want := range map[string]string{
		"MATCH (a) WHERE a.x > $min AND a.y = $`a b` RETURN a LIMIT $min": "min,a b false",
		"CREATE (n)":                       " true",
		"EXPLAIN CREATE (n)":               " false",
		"RETURN 1; MATCH (n) SET n.x = $x": "x true",
		"MATCH (a WHERE $half":             "half false",
	} {
		d := a.Check(context.Background(), text)
		if got := fmt.Sprint(strings.Join(d.Params, ","), " ", d.Writes); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// Without a database the names of a schema are all that Check knows, and the warnings are those of the checker.
func TestCheckSchema(t *testing.T) {
	a := New(nil, &motif.Schema{Labels: []motif.NameCount{{Name: "Person"}}})
	d := a.Check(context.Background(), "RETURN 1; MATCH (a:Persn) RETURN a").Diagnostics
	if len(d) != 1 || d[0].Severity != SeverityWarning || d[0].From != 19 || d[0].To != 24 || !strings.Contains(d[0].Hint, "Person") {
		t.Errorf("%+v", d)
	}
}

// What a statement has written shows after Forget.
func TestForget(t *testing.T) {
	db := open(t)
	a := New(db, nil)
	texts := func(text string) (list []string) {
		for _, o := range a.Complete(context.Background(), text, len(text)).Options {
			list = append(list, o.Text)
		}
		return list
	}
	if got := texts("MATCH (a:"); !slices.Equal(got, []string{"Person", "`Big City`"}) {
		t.Errorf("%q", got)
	}
	if _, err := db.Exec(context.Background(), "CREATE (:Planet {moons: 2})", nil); err != nil {
		t.Fatal(err)
	}
	a.Forget()
	if got := texts("MATCH (a:Pl"); !slices.Equal(got, []string{"Planet"}) {
		t.Errorf("%q", got)
	}
	if got := texts("MATCH (a:Planet) RETURN a."); !slices.Equal(got, []string{"moons"}) {
		t.Errorf("%q", got)
	}
}

// No text upsets the assistant, and every place lies in the text.
func FuzzAssist(f *testing.F) {
	db := open(f)
	for _, s := range []string{"MATCH (a:P)-[r:K]->(b {x: 'é'}) WHERE a.n =~ \"x\" RETURN *;", "/*", "`", "RETURN $`a", "日本(:", "\xff(", "{[(;", "RETURN 1;\r\nRETURN ä"} {
		f.Add(s, len(s))
	}
	f.Fuzz(func(t *testing.T, text string, cursor int) {
		a := New(db, nil)
		c := a.Complete(context.Background(), text, cursor)
		if at := max(0, min(cursor, len(text))); len(c.Options) > 0 && text[c.From:at] != c.Word {
			t.Errorf("%q at %d: %+v", text, cursor, c)
		}
		for _, d := range a.Check(context.Background(), text).Diagnostics {
			if d.From < 0 || d.To < d.From || d.To > len(text) {
				t.Errorf("%q: no such place: %+v", text, d)
			}
		}
	})
}
