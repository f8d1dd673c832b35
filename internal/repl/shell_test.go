package repl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/motifql/motif"
	"github.com/motifql/motif/lang"
)

// sample opens the sample graph once for all tests.
var sample = sync.OnceValues(func() (*motif.DB, error) { return motif.OpenSample() })

// TestMain removes the sample's folder.
func TestMain(m *testing.M) {
	code := m.Run()
	if db, err := sample(); err == nil {
		db.Close()
	}
	os.Exit(code)
}

func testSession(t *testing.T) (s Session, out, msgs *strings.Builder) {
	t.Helper()
	db, err := sample()
	if err != nil {
		t.Fatal(err)
	}
	out, msgs = &strings.Builder{}, &strings.Builder{}
	return Session{DB: db, Out: out, Err: msgs, Format: "csv", Params: motif.Params{}}, out, msgs
}

// script is an editor that plays a person: each element is an input; "^C" is the key.
type script struct{ inputs []string }

func (s *script) Interactive() bool { return true }

func (s *script) Read() (string, error) {
	if len(s.inputs) == 0 {
		return "", io.EOF
	}
	text := s.inputs[0]
	s.inputs = s.inputs[1:]
	if text == "^C" {
		return "", errInterrupted
	}
	return text, nil
}

// play runs a shell over inputs.
func play(t *testing.T, inputs ...string) (out, msgs string) {
	t.Helper()
	s, o, m := testSession(t)
	sh := &Shell{Session: s, Editor: &script{inputs: inputs}}
	if err := sh.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	return o.String(), m.String()
}

const people = "MATCH (p:Person) RETURN count(*) AS n;"

func TestShell(t *testing.T) {
	for _, c := range []struct {
		name      string
		inputs    []string
		out, msgs string // parts that must occur, in order, separated by …
		not       string
	}{
		{"query", []string{people}, "n\n222\n", "", ""},
		{"several", []string{people + " MATCH (c:Continent) RETURN count(*) AS c;"}, "n\n222\nc\n6\n", "", ""},
		{"goes on after a mistake", []string{"MATCH (p:Person RETURN p;", "^C", "  ", people}, "222", "SyntaxError…^", ""},
		{"runtime mistake", []string{"MATCH (p:Person) RETURN 1 / (id(p) - id(p)) AS x;", people}, "222", "zero", ""},
		{"warning", []string{"MATCH (p:Persn) RETURN count(*) AS n;"}, "n\n0\n", "warning at 1:10…Persn…Person", ""},
		{"mode", []string{":mode jsonl", people, ":mode", ":mode tabel", ":mode table", people}, `{"n":222}` + "…jsonl (…│   n │…│ 222 │", "did you mean table?", ""},
		{"timing", []string{":timing on", people, ":timing off", people, ":timing", ":timing maybe"}, "222…222", "timing is on…1 row in …timing is off…timing is on…on or off", ""},
		{"param", []string{":param min 5", ":param who \"Jose Alonso\"", ":param $who", ":param", ":param nix",
			"MATCH (p:Person {name: $who}) RETURN p.gender AS g, $min AS m;"},
			"$who = \"Jose Alonso\"\n$min = 5\n$who = \"Jose Alonso\"\ng,m\nfemale,5\n", "no parameter $nix", ""},
		{"missing param", []string{"MATCH (p:Person) WHERE p.name = $nobody RETURN p;"}, "", "nobody", ""},
		{"brute", []string{":brute on", people, ":brute off", people}, "222…222", "brute is on…brute is off", ""},
		{"set", []string{":set filter label", ":set without complete, signature-path", ":set", ":explain " + people, people, ":set filter best", ":set ordr x",
			":set filter auto", ":set filter"},
			"filter   label (…auto, label…kernel   auto…without  complete,signature-path (…workers  0…set: filter label, without complete,signature-path…222…filter   auto (",
			"filter is label…there is no filter \"best\": there are auto, label…no knob \"ordr\"…filter is auto", ""},
		{"schema", []string{":schema"}, ":Person…:KNOWS…(:Person)-[:KNOWS]->(:Person)…birthday", "", ""},
		{"stats", []string{":stats"}, "3447", "", ""},
		{"explain", []string{":explain " + people, ":explain", ":explain MATCH (p"}, "est", "takes a query…SyntaxError", ""},
		{"explain statement", []string{":mode table", "EXPLAIN " + people}, "est", "", "│"},
		{"help", []string{":help", ":help modes", "help", ":h keys", ":help nonsense"}, "semicolon…:quit…INDUCED…:quit…Ctrl-D", "no help on \"nonsense\"", ""},
		{"unknown command", []string{":shcema", ":s", ":"}, "", "did you mean :schema?…no command :s", ""},
		{"quit", []string{":quit", people}, "", "", "222"},
		{"bare quit", []string{"exit;", people}, "", "", "222"},
		{"abbreviated", []string{":q", people}, "", "", "222"},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, msgs := play(t, c.inputs...)
			wantParts(t, "output", out, c.out)
			wantParts(t, "messages", msgs, c.msgs)
			if c.not != "" && strings.Contains(out, c.not) {
				t.Errorf("%q in the output:\n%s", c.not, out)
			}
		})
	}
}

func wantParts(t *testing.T, what, got, parts string) {
	t.Helper()
	rest := got
	for part := range strings.SplitSeq(parts, "…") {
		_, after, ok := strings.Cut(rest, part)
		if !ok {
			t.Errorf("%q is missing in the %s:\n%s", part, what, got)
			return
		}
		rest = after
	}
	if parts == "" && got != "" {
		t.Errorf("unexpected %s:\n%s", what, got)
	}
}

func TestReadFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a b.cypher")
	text := "// people\n" + people + "\n\nMATCH (p:Person)\n RETURN q;\n" + people
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	out, msgs := play(t, `:read "`+file+`"`, ":read", ":read nowhere.cypher")
	wantParts(t, "output", out, "n\n222\n")
	wantParts(t, "messages", msgs, file+": SyntaxError… 5 |  RETURN q;\n   |         ^…takes the name…nowhere.cypher")
	if strings.Count(out, "222") != 1 {
		t.Errorf("statements after the mistake ran:\n%s", out)
	}
}

// A statement of a file that was stopped says which one it was.
func TestStoppedInFile(t *testing.T) {
	s, _, _ := testSession(t)
	s.Options = []motif.QueryOption{motif.WithTimeout(30 * time.Millisecond)}
	err := s.Run(t.Context(), "f.cypher", people+"\nMATCH (a)--(b)--(c)--(d)--(e)--(f)--(g) WHERE id(a) + id(g) = -1 RETURN count(*)")
	if got := Describe(err); !strings.HasPrefix(got, "f.cypher: statement at line 2: time limit reached: stopped after") {
		t.Error(got)
	}
}

// A pipe stops at the first error, and runs a last statement without a semicolon.
func TestScanner(t *testing.T) {
	s, out, _ := testSession(t)
	run := func(text string) error {
		out.Reset()
		return (&Shell{Session: s, Editor: NewScanner(strings.NewReader(text), 0)}).Run(t.Context())
	}
	if err := run("MATCH (p:Person)\nRETURN 'a;b' AS x, // ;\n count(*) AS n;" + strings.TrimSuffix(people, ";")); err != nil || out.String() != "x,n\na;b,222\nn\n222\n" {
		t.Errorf("%v\n%s", err, out)
	}
	if err := run(people + "\nMATCH (;\n" + people); err == nil || out.String() != "n\n222\n" {
		t.Errorf("%v\n%s", err, out)
	}
	if err := run(""); err != nil || out.String() != "" {
		t.Errorf("%v\n%s", err, out)
	}
}

// An endless query ends with its context, soon, and says how far it came.
func TestCancel(t *testing.T) {
	s, out, _ := testSession(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	start := time.Now()
	err := s.Exec(ctx, "MATCH (a)--(b)--(c)--(d)--(e)--(f)--(g) WHERE id(a) + id(g) = -1 RETURN count(*)")
	if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) > 4*time.Second {
		t.Errorf("%v after %v", err, time.Since(start))
	}
	var stopped *motif.StoppedError
	if !errors.As(err, &stopped) || stopped.PartialMatches == 0 || out.String() != "" {
		t.Errorf("%v, output %q", err, out)
	}
}

// Rows that came before an error are printed, and the output is whole.
func TestRowsBeforeError(t *testing.T) {
	s, out, _ := testSession(t)
	s.Options = []motif.QueryOption{motif.WithMaxRows(3)}
	for format, want := range map[string]int{"csv": 4, "json": 5, "jsonl": 3, "markdown": 5, "table": 7} {
		out.Reset()
		s.Format = format
		err := s.Exec(t.Context(), "MATCH (p:Person) RETURN p.name AS name")
		if !errors.Is(err, motif.ErrRowLimit) || strings.Count(out.String(), "\n") != want {
			t.Errorf("%s: %v\n%s", format, err, out)
		}
	}
}

// split yields the statements of a text.
func split(text string) iter.Seq[statement] {
	return statements(text, false, func(from int) (lang.Pos, bool) { return lang.NextStatement(context.Background(), text, from) })
}

func TestSplit(t *testing.T) {
	text := "a;; b 'x;y' // no;\n;/* ; */ c `d;e`; // end"
	var got []string
	for s := range split(text) {
		got = append(got, s.text)
	}
	if strings.Join(got, "|") != "a|b 'x;y'|c `d;e`" {
		t.Errorf("%q", got)
	}
}

// A comment that cannot be read belongs to a statement, so that it is refused.
func TestSplitBadComments(t *testing.T) {
	for text, want := range map[string]string{"a; /* b ; c": "a|/* b ; c", "a /* b": "a /* b", "// \xff\na": "// \xff\na", "a; // b": "a", "/* a */ b /* c */;": "b"} {
		var got []string
		for s := range split(text) {
			got = append(got, s.text)
			if text[s.offset:s.offset+len(s.text)] != s.text {
				t.Errorf("%q: %q is not at %d", text, s.text, s.offset)
			}
		}
		if strings.Join(got, "|") != want {
			t.Errorf("%q is split into %q", text, got)
		}
	}
}

func TestDescribeInterrupted(t *testing.T) {
	err := fmt.Errorf("reading: %w", context.Canceled)
	if got := Describe(err); got != "interrupted" {
		t.Error(got)
	}
	if got := Describe(new(Session).placeError(err, "f.cypher", "a;\nb", statement{"b", 3})); got != "f.cypher: statement at line 2: interrupted" {
		t.Error(got)
	}
}

func TestHistoryFile(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_STATE_HOME", "")
	if got, want := HistoryFile(), filepath.Join(home, ".motif_history"); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if err := os.MkdirAll(filepath.Join(home, ".local", "state"), 0o700); err != nil {
		t.Fatal(err)
	}
	if got, want := HistoryFile(), filepath.Join(home, ".local", "state", "motif", "history"); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	t.Setenv("XDG_STATE_HOME", filepath.Join(home, "xdg"))
	if got, want := HistoryFile(), filepath.Join(home, "xdg", "motif", "history"); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestQuantity(t *testing.T) {
	for n, want := range map[uint64]string{0: "0", 999: "999", 1000: "1.0 k", 1234567: "1.2 M", 99_949: "99.9 k", 99_999: "100 k", 999_600: "1.0 M", 1 << 63: "9.2 E"} {
		if got := Quantity(n); got != want {
			t.Errorf("%d = %s, want %s", n, got, want)
		}
	}
	for d, want := range map[time.Duration]string{1234 * time.Nanosecond: "1.2µs", 123456 * time.Nanosecond: "123µs", 4567 * time.Microsecond: "4.6ms",
		99 * time.Second: "1m39s", 2345 * time.Millisecond: "2.3s", 0: "0s"} {
		if got := duration(d); got != want {
			t.Errorf("%d = %s, want %s", d, got, want)
		}
	}
}

// TestLongInput checks that a statement from a pipe has a limit, and that a long one is not read again for every line.
func TestLongInput(t *testing.T) {
	for _, text := range []string{strings.Repeat("x", 1<<20), strings.Repeat("x\n", 1<<19)} {
		_, err := NewScanner(strings.NewReader(text), 1<<20).Read()
		if !errors.Is(err, motif.ErrMemory) {
			t.Errorf("%.5q... ended with %v", text, err)
		}
	}
	text := "RETURN [" + strings.Repeat("1,\n", 200_000) + "1] /* ; \n */ ;\n"
	if all, err := NewScanner(strings.NewReader(text+"RETURN 2;"), 0).Read(); err != nil || all != text {
		t.Errorf("%d of %d bytes, %v", len(all), len(text), err)
	}
}

// A text that takes long to read may write if a token says so. What stands in a string or a comment says nothing.
func TestWritesLongTexts(t *testing.T) {
	sum := " RETURN " + strings.Repeat("1+", mostTokens) + "1"
	for _, c := range []struct {
		text string
		want bool
	}{
		{"CREATE (n) WITH n" + sum, true},
		{"MATCH (n) WHERE n.x = 'SET' /* CREATE */" + sum, false},
		{strings.Repeat("RETURN 1;", 1000) + "CREATE (n)", true},
		{strings.Repeat("RETURN 1;", 1000) + "RETURN 'CREATE'", false},
		{strings.Repeat("RETURN 1;", mostStatements+1), true},
		{strings.Repeat("RETURN 'SET';", mostParsed+1), true},
		{"CREATE (n", false},
		{strings.Repeat("begin\n", 100) + "RETURN 1", true},
	} {
		if got := Writes(c.text, 0); got != c.want {
			t.Errorf("%.30s... of %d bytes writes: %v", c.text, len(c.text), got)
		}
	}
}

// A file longer than the memory budget allows is refused before it is read whole, with the way out.
func TestLongFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "long.cypher")
	if err := os.WriteFile(name, bytes.Repeat([]byte("RETURN 1;\n"), 1<<17), 0o600); err != nil {
		t.Fatal(err)
	}
	s := Session{Memory: 1 << 20, Out: io.Discard, Err: io.Discard}
	if err := s.ReadFile(t.Context(), name); !errors.Is(err, motif.ErrMemory) || !strings.Contains(err.Error(), "one statement after another") {
		t.Error(err)
	}
	if text, err := ReadFile(name, 0); err != nil || len(text) != 10<<17 {
		t.Errorf("%d bytes, %v", len(text), err)
	}
	if _, err := ReadFile(t.TempDir(), 0); err == nil || strings.Contains(err.Error(), "pipe") {
		t.Error(err)
	}
}
