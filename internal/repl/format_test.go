package repl

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/motifql/motif"
)

var (
	ann   = motif.Node{ID: 7, Labels: []string{"Person", "Big Boss"}, Props: map[string]any{"name": "Ann", "age": int64(34)}}
	knows = motif.Relationship{ID: 9, Type: "KNOWS", Start: 7, End: 8, Props: map[string]any{}}
)

func TestText(t *testing.T) {
	for _, c := range []struct {
		v    any
		want string
	}{
		{nil, "null"}, {true, "true"}, {int64(-3), "-3"}, {"a b", "a b"},
		{1.0, "1.0"}, {0.1, "0.1"}, {1e21, "1e+21"}, {1e-7, "1e-07"}, {math.Inf(-1), "-Infinity"}, {math.NaN(), "NaN"}, {0.0, "0.0"},
		{[]any{"x", int64(1), nil, []any{}}, `["x", 1, null, []]`},
		{map[string]any{"b": int64(1), "a c": "q\""}, "{`a c`: \"q\\\"\", b: 1}"},
		{ann, "(:Person:`Big Boss` {age: 34, name: \"Ann\"})"},
		{motif.Node{}, "()"}, {motif.Node{Props: map[string]any{"k": true}}, "({k: true})"},
		{knows, "[:KNOWS]"},
		{motif.Date{Year: 2015, Month: 7, Day: 21}, "2015-07-21"}, {[]any{motif.Duration{Days: 1}}, "[P1D]"}, {motif.DateTime{Time: time.Unix(0, 0).UTC()}, "1970-01-01T00:00Z"},
		{motif.Path{Nodes: []motif.Node{ann}}, "(:Person:`Big Boss` {age: 34, name: \"Ann\"})"},
		{motif.Path{Nodes: []motif.Node{{ID: 7}, {ID: 8}, {ID: 7}}, Relationships: []motif.Relationship{knows, knows}}, "()-[:KNOWS]->()<-[:KNOWS]-()"},
	} {
		if got := string(appendText(nil, c.v)); got != c.want {
			t.Errorf("%#v = %s, want %s", c.v, got, c.want)
		}
	}
}

func TestTemporalJSON(t *testing.T) {
	got := render(t, "jsonl", 0, []string{"d"}, []any{[]any{motif.LocalTime{Hour: 1}, motif.OffsetTime{}, motif.LocalDateTime{Date: motif.Date{Year: 1, Month: 1, Day: 1}}}})
	if want := `{"d":["01:00","00:00Z","0001-01-01T00:00"]}` + "\n"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func render(t *testing.T, format string, width int, columns []string, rows ...[]any) string {
	t.Helper()
	var out strings.Builder
	w, err := newRowWriter(format, &out, columns, width)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if err := w.row(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestCSVSafe keeps spreadsheets from running text as formulas. Numbers and all other formats stay as they are.
func TestCSVSafe(t *testing.T) {
	for _, c := range []struct {
		v    any
		want string
	}{
		{"=1+1", `"'=1+1"`}, {"+1", `"'+1"`}, {"-1", `"'-1"`}, {"@SUM(A1)", `"'@SUM(A1)"`}, {"\t=1", "\"'\t=1\""}, {"\r=1", "\"'\r=1\""}, {"\n=1", "\"'\n=1\""},
		{"＝1", `"'＝1"`}, {`=A1&"x"`, `"'=A1&""x"""`}, {"a;=1", `"a;=1"`}, {"plain", `"plain"`}, {" =1", `" =1"`}, {"é", `"é"`}, {"", `""`},
		{int64(-1), "-1"}, {-1.5, "-1.5"}, {true, "true"}, {motif.Duration{Days: -1}, `"P-1D"`}, {[]any{"=1"}, `"[""=1""]"`},
	} {
		if got := render(t, csvSafe, 0, []string{"=x"}, []any{c.v}); got != "\"'=x\"\n"+c.want+"\n" {
			t.Errorf("%#v: got %q, want %s", c.v, got, c.want)
		}
	}
	for _, format := range Formats {
		s := Session{Format: format, CSVSafe: true}
		if got := s.rowFormat(); (got == csvSafe) != (format == "csv") {
			t.Errorf("%s becomes %s", format, got)
		}
	}
}

func TestFormats(t *testing.T) {
	columns := []string{"who", "n"}
	rows := [][]any{{"Łódź, 日本", int64(1)}, {"a\n\"b\"|c", nil}, {"", 2.5}}
	for format, want := range map[string]string{
		"csv":      "who,n\n\"Łódź, 日本\",1\n\"a\n\"\"b\"\"|c\",\n\"\",2.5\n",
		"jsonl":    `{"who":"Łódź, 日本","n":1}` + "\n" + `{"who":"a\n\"b\"|c","n":null}` + "\n" + `{"who":"","n":2.5}` + "\n",
		"json":     "[\n " + `{"who":"Łódź, 日本","n":1}` + ",\n " + `{"who":"a\n\"b\"|c","n":null}` + ",\n " + `{"who":"","n":2.5}` + "\n]\n",
		"markdown": "| who | n |\n| --- | --- |\n| Łódź, 日本 | 1 |\n" + `| a<br>"b"\|c | null |` + "\n|  | 2.5 |\n",
		"table": `
╭────────────┬──────╮
│ who        │    n │
├────────────┼──────┤
│ Łódź, 日本 │    1 │
│ a\n"b"|c   │ null │
│            │  2.5 │
╰────────────┴──────╯
`[1:],
	} {
		if got := render(t, format, 0, columns, rows...); got != want {
			t.Errorf("%s:\n%s\nwant:\n%s", format, got, want)
		}
	}
}

func TestNoRows(t *testing.T) {
	for format, want := range map[string]string{"csv": "a,b\n", "json": "[]\n", "jsonl": "", "markdown": "| a | b |\n| --- | --- |\n",
		"table": "╭───┬───╮\n│ a │ b │\n├───┼───┤\n╰───┴───╯\n"} {
		if got := render(t, format, 0, []string{"a", "b"}); got != want {
			t.Errorf("%s:\n%s\nwant:\n%s", format, got, want)
		}
	}
	if _, err := newRowWriter("xml", nil, nil, 0); err == nil {
		t.Error("xml is no format")
	}
}

// Every compound value is JSON in csv and json, and comes back as the same thing.
func TestJSONValues(t *testing.T) {
	row := []any{ann, knows, []any{ann, 1.5, math.NaN()}, map[string]any{"<k>": "é\u2028\x01"}, int64(math.MaxInt64), "\xff",
		motif.Path{Nodes: []motif.Node{ann, ann}, Relationships: []motif.Relationship{knows}}}
	want := []any{
		map[string]any{"id": 7.0, "labels": []any{"Person", "Big Boss"}, "properties": map[string]any{"name": "Ann", "age": 34.0}},
		map[string]any{"id": 9.0, "type": "KNOWS", "start": 7.0, "end": 8.0, "properties": map[string]any{}},
		nil, map[string]any{"<k>": "é\u2028\x01"}, float64(math.MaxInt64), string(utf8.RuneError), nil,
	}
	want[2] = []any{want[0], 1.5, "NaN"}
	want[6] = map[string]any{"nodes": []any{want[0], want[0]}, "relationships": []any{want[1]}}
	columns := []string{"a", "b", "c", "d", "e", "f", "g"}
	var got map[string]any
	line := render(t, "jsonl", 0, columns, row)
	if err := json.Unmarshal([]byte(line), &got); err != nil {
		t.Fatalf("%v in %s", err, line)
	}
	for i, c := range columns {
		if !reflect.DeepEqual(got[c], want[i]) {
			t.Errorf("column %s = %#v, want %#v", c, got[c], want[i])
		}
	}
	if !strings.Contains(line, "9223372036854775807") {
		t.Errorf("an integer lost digits: %s", line)
	}
	records, err := csv.NewReader(strings.NewReader(render(t, "csv", 0, columns, row))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range []int{0, 1, 2, 3, 6} {
		var v any
		if err := json.Unmarshal([]byte(records[1][i]), &v); err != nil || !reflect.DeepEqual(v, want[i]) {
			t.Errorf("csv column %d = %#v, %v; want %#v", i, v, err, want[i])
		}
	}
}

func TestTableFitsTerminal(t *testing.T) {
	long := strings.Repeat("日本語", 40)
	for _, width := range []int{40, 41, 80} {
		got := render(t, "table", width, []string{"id", "text", "more"}, []any{int64(12345), long, long[:30]})
		for line := range strings.Lines(got) {
			if n := text.StringWidth(strings.TrimSuffix(line, "\n")); n > width {
				t.Errorf("width %d: a line takes %d columns: %s", width, n, line)
			}
		}
		if !strings.Contains(got, "12345") || !strings.Contains(got, "…") {
			t.Errorf("width %d: the wrong column was cut:\n%s", width, got)
		}
	}
	if got := render(t, "table", 0, []string{"text"}, []any{long}); !strings.Contains(got, long) {
		t.Errorf("cut without a terminal:\n%s", got)
	}
}

func TestTableBlocks(t *testing.T) {
	rows := make([][]any, 2*tableBlock)
	for i := range rows {
		rows[i] = []any{int64(i)}
	}
	got := render(t, "table", 0, []string{"n"}, rows...)
	if n := strings.Count(got, "╭"); n != 2 {
		t.Errorf("%d tables, want 2", n)
	}
	if n := strings.Count(got, "\n"); n != len(rows)+2*4 {
		t.Errorf("%d lines", n)
	}
}

func TestControlCharacters(t *testing.T) {
	for _, format := range []string{"table", "markdown"} {
		if got := render(t, format, 0, []string{"\x1b[31mred"}, []any{"\x1b]0;title\x07\u009b"}); strings.ContainsAny(got, "\x1b\x07\u009b") {
			t.Errorf("%s lets a control character through: %q", format, got)
		}
	}
}

type failing struct{ n int }

func (f *failing) Write(p []byte) (int, error) {
	if f.n -= len(p); f.n < 0 {
		return 0, errors.New("disk full")
	}
	return len(p), nil
}

func TestWriteErrors(t *testing.T) {
	for _, format := range Formats {
		w, err := newRowWriter(format, &failing{10}, []string{"a"}, 0)
		for range 5000 {
			if err == nil {
				err = w.row([]any{"text"})
			}
		}
		if err == nil {
			err = w.close()
		}
		if err == nil {
			t.Errorf("%s: no error", format)
		}
	}
}
