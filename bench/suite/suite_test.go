package suite

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/motifql/motif/internal/shared"
	"github.com/motifql/motif/internal/testgraph"
)

// tiny are rows on generated graphs of 2^8 vertices, and the right answers from nested loops.
func tiny(t *testing.T) []row {
	t.Helper()
	const n = 1 << 8
	var joined [n][n]bool
	for u, v := range testgraph.RMAT(8, 16, 1) {
		joined[u][v], joined[v][u] = u != v, u != v
	}
	whole, coloured := 0, 0
	for u := range uint32(n) {
		for v := range uint32(n) {
			for w := range uint32(n) {
				if !joined[u][v] || !joined[v][w] || !joined[u][w] {
					continue
				}
				if u < v && v < w {
					whole++
				}
				if labelOf(u, 5) == 0 && labelOf(v, 5) == 1 && labelOf(w, 5) == 2 {
					coloured++
				}
			}
		}
	}
	plain, withLabels := kron(8, 0), kron(8, 5)
	is := func(n int) Reference {
		return Reference{Want: strconv.Itoa(n), Seconds: 1, Code: "loops", Kuzu: 60, Over: true}
	}
	return []row{
		{name: "kron8/triangles", group: Unlabelled, graph: plain, ask: distinct(cycle3), ref: is(whole)},
		{name: "kron8/coloured", group: Labelled, graph: withLabels, ask: labelled(cycle3), ref: is(coloured)},
		{name: "kron8/k3", group: Kernels, graph: plain, ask: cliques(3), ref: is(whole)},
		{name: "kron8/tc", group: Kernels, graph: plain, ask: triangles, ref: is(whole)},
		{name: "kron8/cores", group: Kernels, graph: plain, ask: cores},
		{name: "kron8/trusses", group: Kernels, graph: plain, ask: trusses},
		{name: "kron8/bfs", group: Kernels, graph: plain, ask: searches},
		{name: "kron8/motifs3", group: Unlabelled, graph: plain, ask: induced(cycle3, [][2]int{{0, 1}, {1, 2}})},
		{name: "growth/triangle-8", group: Growth, graph: plain, ask: distinct(cycle3), ref: is(whole)},
		{name: "lsqb/nonsense", group: LSQB, graph: plain, ask: queries{texts: []string{"MATCH (a) FROBNICATE (b) RETURN a"}}},
		{name: "real/triangles", group: Labelled, graph: &graph{name: "real", file: "nowhere.zst"}, ask: labelled(cycle3)},
	}
}

func runTiny(t *testing.T, change func(*Options, []row)) (*Report, error) {
	t.Helper()
	opt := Defaults()
	opt.Enough = 0
	opt.Workers = []int{1, 2}
	all := tiny(t)
	if change != nil {
		change(&opt, all)
	}
	return run(t.Context(), opt, all)
}

func find(t *testing.T, r *Report, name string) *Result {
	t.Helper()
	for _, res := range r.Results {
		if res.Row == name {
			return res
		}
	}
	t.Fatalf("no result of %s", name)
	return nil
}

func TestRun(t *testing.T) {
	r, err := runTiny(t, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Results) != 20 || len(r.Graphs) != 2 || len(r.LeftOut) != 1 || r.LeftOut[0].Rows[0] != "real/triangles" {
		t.Errorf("%d results, %d graphs, left out %v", len(r.Results), len(r.Graphs), r.LeftOut)
	}
	for _, res := range r.Results {
		if res.Row == "lsqb/nonsense" {
			if res.Status != Lacking || !strings.Contains(res.Note, "FROBNICATE") {
				t.Errorf("%s: %s %s", res.Row, res.Status, res.Note)
			}
			continue
		}
		query := res.Group != Kernels
		if res.Status != OK || res.Answer == "" || len(res.Runs) < 3 || res.First <= 0 || res.Best() <= 0 || res.Best() > res.Median() ||
			res.Peak < 1<<20 || query != (res.Candidates > 0) || query != (res.Prepare > 0) {
			t.Errorf("%+v", res)
		}
	}
	if a, b := find(t, r, "kron8/motifs3").Answer, find(t, r, "kron8/k3").Answer; !strings.HasPrefix(a, b+" ") {
		t.Errorf("triangles: %s induced, %s cliques", a, b)
	}
	if a, b := r.Graphs[0].Edges, r.Graphs[1].Edges; a != b || a == 0 {
		t.Errorf("%d edges without labels, %d with", a, b)
	}
}

func TestWrongAnswer(t *testing.T) {
	r, err := runTiny(t, func(opt *Options, all []row) {
		opt.Only = []string{"kron8/triangles", "kron8/k3"}
		all[0].ref.Want = "7"
	})
	if !errors.Is(err, ErrWrong) || !strings.Contains(err.Error(), "kron8/triangles") || strings.Contains(err.Error(), "kron8/k3") {
		t.Errorf("error %v", err)
	}
	if res := find(t, r, "kron8/triangles"); res.Status != Wrong || ratio(res, 1) != "-" {
		t.Errorf("%+v", res)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	opt := Defaults()
	opt.Enough = 0
	opt.Note = func(line string) {
		if strings.HasPrefix(line, "kron8/k3") {
			cancel()
		}
	}
	r, err := run(ctx, opt, tiny(t))
	if !errors.Is(err, context.Canceled) || len(r.Results) != 1 {
		t.Errorf("%v, %d results", err, len(r.Results))
	}
}

func TestStopped(t *testing.T) {
	r, err := runTiny(t, func(opt *Options, all []row) {
		opt.Only, opt.Timeout = []string{"kron8/triangles"}, 50*time.Millisecond
		all[0].ask = count("MATCH (a)--(b)--(c)--(d)--(e)--(f)--(g)--(a) WHERE id(a) + id(d) > id(f)")
	})
	if err != nil {
		t.Fatal(err)
	}
	if res := find(t, r, "kron8/triangles"); res.Status != Stopped || res.Note != "more than 50ms" {
		t.Errorf("%s: %s", res.Status, res.Note)
	}
}

func TestOptions(t *testing.T) {
	for name, change := range map[string]func(*Options, []row){
		"no row":     func(o *Options, _ []row) { o.Only = []string{"kron9/*"} },
		"pattern":    func(o *Options, _ []row) { o.Only = []string{"["} },
		"three runs": func(o *Options, _ []row) { o.Runs = 2 },
		"one worker": func(o *Options, _ []row) { o.Workers = []int{0} },
	} {
		if r, err := runTiny(t, change); r != nil || err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v, %v", name, r, err)
		}
	}
	for only, want := range map[string]int{"kernels": 5, "kron8-labelled": 1, "kron8/*": 8} {
		chosen, err := choose(tiny(t), []string{only})
		if err != nil || len(chosen) != want {
			t.Errorf("%s: %d rows, %v", only, len(chosen), err)
		}
	}
}

func TestFormats(t *testing.T) {
	r, err := runTiny(t, func(o *Options, _ []row) {
		o.Peers = []Peer{{Row: "kron8/coloured", Name: "abacus", Seconds: 3}}
		o.Workers = []int{1, 2}
	})
	if err != nil {
		t.Fatal(err)
	}
	text := func(format string) string {
		var b bytes.Buffer
		if err := r.Write(&b, format); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	if r.Write(&bytes.Buffer{}, "xml") == nil {
		t.Error("xml was written")
	}
	table := text("table")
	for _, want := range []string{`(?m)^ *kron8/coloured +1 +\d+ .* loops| 1\.00 s `, `abacus 3\.00 s \(0\.00\d\)`, `> 60\.0 s +< 0\.00\d`, "lsqb/nonsense: not in the language: .*FROBNICATE", "left out: real/triangles"} {
		if !regexp.MustCompile(want).MatchString(table) {
			t.Errorf("the table has no %s:\n%s", want, table)
		}
	}
	line := regexp.MustCompile(`^BenchmarkSuite/\S+/kron8/\S+-[12]\t1\t\d+ ns/op(\t\d+ \S+)+$|^BenchmarkSuite/growth/|^(goos|goarch|pkg|cpu|cores|go): |^# `)
	for l := range strings.Lines(text("benchstat")) {
		if !line.MatchString(strings.TrimSuffix(l, "\n")) {
			t.Errorf("benchstat: %q", l)
		}
	}
	lines, err := csv.NewReader(strings.NewReader(text("csv"))).ReadAll()
	if err != nil || len(lines) != 21 || lines[0][0] != "row" || lines[1][7] != r.Results[0].Answer {
		t.Errorf("csv: %v, %d lines", err, len(lines))
	}
	markdown := text("markdown")
	for _, want := range []string{"| kron8/coloured | ", "| 1 thread | 2 threads |", "1.00 s loops", "abacus", "### Kernels", "### Growth", "| triangle-8 |", "2 counts"} {
		if !strings.Contains(markdown, want) {
			t.Errorf("no %q in\n%s", want, markdown)
		}
	}
}

// A page keeps what stands around the marks, also when it is written twice.
func TestWriteFile(t *testing.T) {
	r, err := runTiny(t, func(o *Options, _ []row) { o.Only = []string{"kron8/k3"} })
	if err != nil {
		t.Fatal(err)
	}
	page := filepath.Join(t.TempDir(), "page.md")
	for _, text := range []string{"before\n" + suiteMarks.begin + "\nold\n" + suiteMarks.end + "\nafter\n", ""} {
		if text != "" {
			if err := os.WriteFile(page, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if err := r.WriteFile(page); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(page)
		if s := string(got); err != nil || !strings.HasPrefix(s, "before\n"+suiteMarks.begin+"\n") || !strings.HasSuffix(s, "\n"+suiteMarks.end+"\nafter\n") ||
			strings.Contains(s, "old") || strings.Count(s, "kron8/k3") != 1 {
			t.Errorf("%v\n%s", err, s)
		}
	}
	if err := os.WriteFile(page, []byte("no marks"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := r.WriteFile(page); err == nil {
		t.Error("a page without marks was overwritten")
	}
	for _, name := range []string{"a.txt", "a.csv", "new.md"} {
		if err := r.WriteFile(filepath.Join(t.TempDir(), name)); err != nil {
			t.Error(err)
		}
	}
}

func TestReadPeers(t *testing.T) {
	list, err := ReadPeers(strings.NewReader("peer,version,row,seconds,status\nabacus,1,a/b,0.5,ok\nabacus,1,a/c,60,stopped\n"))
	if err != nil || len(list) != 1 || list[0] != (Peer{Row: "a/b", Name: "abacus", Seconds: 0.5, Version: "1"}) {
		t.Errorf("%v, %v", list, err)
	}
	for _, text := range []string{"", "row,peer\na,b\n", "row,peer,seconds\na,b,long\n", "row,peer,seconds\na,b\n"} {
		if _, err := ReadPeers(strings.NewReader(text)); err == nil {
			t.Errorf("%q was read", text)
		}
	}
}

// Every reference belongs to a row, and no two rows have one name.
func TestReferences(t *testing.T) {
	seen := make(map[string]bool)
	for _, r := range rows(18) {
		if seen[r.name] {
			t.Errorf("two rows are called %s", r.name)
		}
		seen[r.name] = true
	}
	for name := range references {
		if !seen[name] {
			t.Errorf("no row %s", name)
		}
	}
}

func TestSharedRows(t *testing.T) {
	opt := Defaults()
	opt.Enough = 0
	opt.Data = shared.File(t, "data")
	opt.Only = []string{"slashdot/triangle", "slashdot/house", "lsqb-example"}
	r, err := Run(t.Context(), opt)
	if err != nil || len(r.Results) != 11 {
		t.Fatal(err, r)
	}
	for _, res := range r.Results {
		if res.Status != OK && res.Status != Lacking {
			t.Errorf("%+v", res)
		}
	}
}
