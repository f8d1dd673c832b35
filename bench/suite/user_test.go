package suite

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/motifql/motif/internal/shared"
)

// Writes need no folder of graphs, and a missing file leaves out the rows of its graph only.
func TestUserWrites(t *testing.T) {
	opt := Defaults()
	opt.Enough, opt.Data = 0, t.TempDir()
	opt.Only = []string{"write/single-by-eight", "write/batch", "stackoverflow"}
	r, err := Run(t.Context(), opt)
	if err != nil || len(r.Results) != 2 {
		t.Fatal(err, r)
	}
	for _, res := range r.Results {
		if res.Status != OK || res.Rate() <= 0 || !res.rated {
			t.Errorf("%+v", res)
		}
	}
	if len(r.LeftOut) != 1 || !strings.HasPrefix(r.LeftOut[0].Why, "neo4j_stackoverflow.tar.zst is not in the folder") {
		t.Errorf("left out: %v", r.LeftOut)
	}
}

func TestUserQueries(t *testing.T) {
	opt := Defaults()
	opt.Enough, opt.Workers = 0, []int{1, 2}
	opt.Data = shared.File(t, "data")
	opt.Only = []string{"stackoverflow", "slashdot-directed/group-by-label"}
	opt.Peers = []Peer{
		{Row: "stackoverflow/own-answers", Name: "Abacus", Seconds: 100, First: 1000},
		{Row: "slashdot-directed/group-by-label", Name: "Abacus", Seconds: 200, First: 2000},
		{Row: "slashdot-directed/group-by-label", Name: "Loom", Seconds: 100},
	}
	r, err := Run(t.Context(), opt)
	if err != nil || len(r.Results) != 4 {
		t.Fatal(err, r)
	}
	for _, res := range r.Results {
		if res.Status != OK || res.Reference.Want == "" || res.First <= 0 {
			t.Errorf("%+v", res)
		}
	}
	var b bytes.Buffer
	if err := r.Write(&b, "markdown"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| query | 1 thread | 2 threads | Abacus | Loom | ratio to the best | first run | Abacus, first run | Loom, first run |",
		"over 2 queries. Motif is faster in 2.", "For first runs, the mean ratio to Abacus is 0.00"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

// The order of rows and the last digits of a float make no other answer.
func TestAnswerOf(t *testing.T) {
	a := answerOf([]string{lineOf([]any{int64(1), 0.1 + 0.2, "x"}), lineOf([]any{nil, 2.0, true})})
	b := answerOf([]string{"null|2|true", "1|0.3|x"})
	if a != b || !strings.HasPrefix(a, "2 rows ") {
		t.Errorf("%s, %s", a, b)
	}
	if a == answerOf([]string{"null|2|true", "1|0.4|x"}) {
		t.Error("another row has the same checksum")
	}
	if s := cellOf(math.Inf(1)); s != "+Inf" {
		t.Error(s)
	}
}

func TestUserTables(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.csv")
	if err := os.WriteFile(path, []byte("id,name\n1,\"two\nlines\"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	g := userGraph{Separator: ","}
	table := userTable{Label: "A", Files: []string{"a"}, Columns: []userColumn{{"id", 0, "int"}, {"len", 0, "length"}, {"name", 1, "string"}}}
	if err := g.table(table, dir, filepath.Join(dir, "out.csv"), map[string]map[string]bool{}); err != nil {
		t.Fatal(err)
	}
	// 2654435761 >> 7 is 20737779, and 20737779 mod 200 is 179.
	text, err := os.ReadFile(filepath.Join(dir, "out.csv"))
	if want := "id:ID(A),len:long,name\n1,179,two lines\n"; err != nil || string(text) != want {
		t.Errorf("%q, want %q, %v", text, want, err)
	}
	table.Files = []string{"b"}
	if err := g.table(table, dir, filepath.Join(dir, "out.csv"), map[string]map[string]bool{}); err == nil {
		t.Error("a missing file was read")
	}
}

func TestUserMarkdown(t *testing.T) {
	result := func(row string, workers int, best time.Duration, rated bool) *Result {
		return &Result{Row: row, Group: User, Workers: workers, Status: OK, Runs: []time.Duration{best}, rated: rated, matches: 100}
	}
	r := &Report{peers: []Peer{{Row: "write/one", Name: "Abacus", Seconds: 1, Version: "7"}}, Results: []*Result{
		result("g/slow", 1, 200*time.Millisecond, false), result("g/slow", 2, 100*time.Millisecond, false),
		result("g/flat", 1, 60*time.Millisecond, false), result("g/flat", 2, 60*time.Millisecond, false),
		result("g/quick", 1, time.Millisecond, false), result("g/quick", 2, 10*time.Millisecond, false),
		result("write/one", 1, time.Second, true), result("write/one", 2, time.Second, true),
		result("write/two", 1, time.Second, true), result("write/two", 2, time.Second, true),
	}}
	var b bytes.Buffer
	if err := r.WriteMarkdown(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Of 2 queries over 50 ms, 2 threads are 1.41 times as fast in geometric mean, and 1.00 times in g/flat, the least.",
		"one thread each: Abacus 7.", "| write/one |  | 100 | 100 | 100 |", "| write/two |  | 100 | 100 | - |"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	if strings.Contains(b.String(), suiteMarks.begin) {
		t.Error("the other groups' part was written")
	}
}
