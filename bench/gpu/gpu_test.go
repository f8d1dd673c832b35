package gpu

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/motifql/motif/filter"
	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/join"
	"github.com/motifql/motif/kernels/bfs"
	"github.com/motifql/motif/kernels/clique"
	"github.com/motifql/motif/kernels/core"
	"github.com/motifql/motif/kernels/cuda"
	"github.com/motifql/motif/kernels/hom"
	"github.com/motifql/motif/kernels/triangle"
	"github.com/motifql/motif/kernels/truss"
)

// fake is a device that asks the CPU, and lies or declines where it is told to.
type fake struct {
	calls   int
	counted uint64 // cliques
	lambdas []float64
	lie     string
	decline bool
	onCall  func()
}

func (f *fake) call() error {
	f.calls++
	if f.onCall != nil {
		f.onCall()
	}
	if f.decline {
		return cuda.ErrDeclined
	}
	return nil
}

func (f *fake) Info() cuda.Info                 { return cuda.Info{Name: "fake", Memory: 1 << 30, Free: 1 << 29} }
func (f *fake) CopyBandwidth() (float64, error) { return 1e12, nil }
func (f *fake) TimeKernels(bool) error          { return nil }
func (f *fake) KernelTimes() ([]cuda.KernelTime, error) {
	return []cuda.KernelTime{{Kernel: "first", Launches: 3, Time: 3 * time.Millisecond}, {Kernel: "second", Launches: 1, Time: time.Millisecond}}, nil
}
func (f *fake) Active() cuda.Active { return cuda.Active{Lanes: 24 * f.counted, Slots: 32 * f.counted} }
func (f *fake) SetLambda(level2, _ float64) {
	if level2 >= 0 {
		f.lambdas = append(f.lambdas, level2)
	}
}
func (f *fake) Evict() error                       { return nil }
func (f *fake) wrong(what string, n uint64) uint64 { return n + uint64(strings.Count(f.lie, what)) }

func (f *fake) CountCliques(ctx context.Context, s *csr.Snapshot, c *pattern.Clique, env *pattern.Env) (pattern.Count128, error) {
	if err := f.call(); err != nil {
		return pattern.Count128{}, err
	}
	f.counted++
	n, err := clique.Count(ctx, s, c, env)
	return pattern.Count128{Hi: n.Hi, Lo: f.wrong("cliques", n.Lo)}, err
}

func (f *fake) ListCliques(ctx context.Context, s *csr.Snapshot, c *pattern.Clique, env *pattern.Env, emit func([]csr.VertexID) (bool, error)) error {
	if err := f.call(); err != nil {
		return err
	}
	lied := f.lie != "cliques"
	return clique.List(ctx, s, c, env, func(clique []csr.VertexID) (bool, error) {
		if !lied {
			lied = true
			clique = slices.Clone(clique)
			clique[0]++
		}
		return emit(clique)
	})
}

func (f *fake) Filter(ctx context.Context, s *csr.Snapshot, p *pattern.Pattern, env *pattern.Env) (*pattern.Candidates, error) {
	if err := f.call(); err != nil {
		return nil, err
	}
	c, err := filter.Run(ctx, s, p, env)
	if err == nil && f.lie == "filter" {
		c.Sets[0] = pattern.NewCandidateSet(s.N(), c.Sets[0].List()[1:])
	}
	return c, err
}

func (f *fake) Count(ctx context.Context, j *pattern.Job, env *pattern.Env) (pattern.Count128, error) {
	if err := f.call(); err != nil {
		return pattern.Count128{}, err
	}
	n, err := join.Count(ctx, j, env)
	return pattern.Count128{Hi: n.Hi, Lo: f.wrong("join", n.Lo)}, err
}

func (f *fake) CountHoms(ctx context.Context, s *csr.Snapshot, h *hom.Counter, env *pattern.Env) ([]pattern.Count128, error) {
	if err := f.call(); err != nil {
		return nil, err
	}
	counts, err := h.Count(ctx, env)
	if err == nil {
		counts[0].Lo += f.wrong("formula", 0)
	}
	return counts, err
}

func (f *fake) CliqueParts(ctx context.Context, s *csr.Snapshot, c *pattern.Clique, parts int, env *pattern.Env) (list []cuda.PartCount, err error) {
	if err := f.call(); err != nil {
		return nil, err
	}
	list = make([]cuda.PartCount, parts)
	for i := range list {
		list[i].Elapsed = time.Duration(i + 1)
	}
	list[parts-1].Count, err = clique.Count(ctx, s, c, env)
	list[0].Count.Lo += f.wrong("deal", 0)
	return list, err
}

func (f *fake) Triangles(ctx context.Context, s *csr.Snapshot, types csr.TypeSet, perNode bool, env *pattern.Env) (uint64, []uint64, error) {
	if err := f.call(); err != nil {
		return 0, nil, err
	}
	n, by, err := triangle.Count(ctx, s, types, perNode, env)
	return f.wrong("triangles", n), by, err
}

func (f *fake) Cores(ctx context.Context, s *csr.Snapshot, r *pattern.CoreRequest, env *pattern.Env) (*pattern.Cores, error) {
	if err := f.call(); err != nil {
		return nil, err
	}
	c, err := core.Decompose(ctx, s, r, env)
	if err == nil && f.lie == "cores" && len(env.Without) > 0 && env.Without != (pattern.Techniques{}) {
		c.Core[0]++ // only where a technique is switched off
	}
	return c, err
}

func (f *fake) Trusses(ctx context.Context, s *csr.Snapshot, r *pattern.TrussRequest, env *pattern.Env) (*pattern.Trusses, error) {
	if err := f.call(); err != nil {
		return nil, err
	}
	t, err := truss.Decompose(ctx, s, r, env)
	if err == nil && f.lie == "trusses" {
		t.Truss[0]++
	}
	return t, err
}

func (f *fake) BFS(ctx context.Context, s *csr.Snapshot, t *pattern.Traversal, env *pattern.Env) (*pattern.Levels, error) {
	if err := f.call(); err != nil {
		return nil, err
	}
	l, err := bfs.Search(ctx, s, t, env)
	if err == nil && f.lie == "parents" {
		v := slices.Index(l.Depth, 1)
		l.Parent[v] = csr.VertexID(v)
	}
	return l, err
}

// small are options for tests; what is said and the CSV go to the buffers.
func small(said, table, rows *bytes.Buffer) Options {
	return Options{Scales: []int{8, 5}, Edges: 4, Budget: time.Minute, Runs: 2, Workers: 2, Table: table, CSV: rows,
		Say: func(line string) { fmt.Fprintln(said, line) }, Note: func(string) {}}
}

// measured runs d, and returns what was said, the table, and the CSV's rows by column.
func measured(t *testing.T, ctx context.Context, d device, devices int, change func(o *Options)) (said, table string, rows []map[string]string, err error) {
	t.Helper()
	var s, tab, c bytes.Buffer
	o := small(&s, &tab, &c)
	if change != nil {
		change(&o)
	}
	err = run(ctx, d, together{d, devices}, o)
	lines, e := csv.NewReader(&c).ReadAll()
	if e != nil || len(lines) == 0 || !slices.Equal(lines[0], columns) {
		t.Fatalf("%v: %v", e, lines)
	}
	for _, line := range lines[1:] {
		row := make(map[string]string)
		for i, name := range columns {
			row[name] = line[i]
		}
		rows = append(rows, row)
	}
	return s.String(), tab.String(), rows, err
}

// Every part has rows on its graphs, all verified, with times; the techniques that a run took have rows without them.
func TestRows(t *testing.T) {
	_, table, rows, err := measured(t, t.Context(), &fake{}, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	seen, off := make(map[string]bool), make(map[string]bool)
	for _, r := range rows {
		seen[r["part"]+" "+r["graph"]] = true
		if r["off"] != "" {
			off[r["part"]] = true
		}
		if r["part"] == "deal" && r["variant"] == "5-cliques on 4" && r["rate"] != "1.6" {
			t.Errorf("the longest of 1, 2, 3 and 4 is not %s times their mean", r["rate"])
		}
		if r["unit"] == "devices" && r["rate"] == "2" {
			seen["together"] = true
		}
		if r["verified"] != Same || r["call_ms"] == "" || r["kernel_ms"] == "" || r["rate"] == "" && r["answer"] != "0" || r["bytes"] == "" && r["part"] != "deal" && r["part"] != "join" && r["part"] != "formula" && r["part"] != "unlabelled" && r["unit"] != "lanes" || r["cpu_ms"] == "" || r["answer"] == "" {
			t.Errorf("%v", r)
		}
	}
	for _, p := range parts {
		for _, g := range []string{"rmat-5x4", "rmat-8x4", "labels-8x4", "planted-8", "grid-16x16"} {
			want := p.graphs&rmat != 0 && (p.name != "deal" && p.name != "kcminer" || g != "rmat-5x4") && strings.HasPrefix(g, "rmat") || p.graphs&labelled != 0 && g == "labels-8x4" || p.graphs&planted != 0 && g == "planted-8" || p.graphs&grid != 0 && g == "grid-16x16"
			if seen[p.name+" "+g] != want {
				t.Errorf("%s on %s: %v, want %v", p.name, g, !want, want)
			}
		}
	}
	if !off["cores"] || !off["bfs"] || !off["filter"] || !off["unlabelled"] {
		t.Errorf("techniques switched off in %v only", off)
	}
	if !seen["together"] {
		t.Error("two devices counted nothing together")
	}
	if n := strings.Count(table, "\n"); n != len(rows)+1 {
		t.Errorf("%d lines for %d rows:\n%s", n, len(rows), table)
	}
}

// The techniques of KCMiner are measured by themselves: lanes with and without rings, and lambda by itself.
func TestKCMiner(t *testing.T) {
	d := &fake{}
	_, _, rows, err := measured(t, t.Context(), d, 1, func(o *Options) { o.Only, o.Scales, o.Runs = []string{"kcminer"}, []int{8}, 1 })
	if err != nil {
		t.Fatal(err)
	}
	lanes := make(map[string]int)
	for _, r := range rows {
		if r["unit"] == "lanes" {
			lanes[r["off"]]++
			if r["rate"] != "24" {
				t.Errorf("%v", r)
			}
		}
	}
	slices.Sort(d.lambdas)
	if d.lambdas = slices.Compact(d.lambdas); lanes[""] == 0 || lanes[""] != lanes["gpu-ring-*"] || len(d.lambdas) != 5 {
		t.Errorf("%v, %v", lanes, d.lambdas)
	}
}

// Each kernel of a request has a row where it is asked for, and the request's time on the card is their sum.
func TestKernels(t *testing.T) {
	_, _, rows, err := measured(t, t.Context(), &fake{}, 2, func(o *Options) { o.Only, o.Scales, o.Kernels = []string{"triangles"}, []int{8}, true })
	if err != nil || len(rows) < 3 || rows[0]["kernel_ms"] != "4.0000" {
		t.Fatal(err, rows)
	}
	found := 0
	for _, r := range rows {
		if r["variant"] == "count: first x3" && r["kernel_ms"] == "3.0000" || r["variant"] == "count: second x1" && r["kernel_ms"] == "1.0000" {
			found++
		}
	}
	if found != 4 { // on two graphs
		t.Errorf("%d of 4 rows of kernels: %v", found, rows)
	}
}

// A row shows what other programs took for it, beside its own call.
func TestPeers(t *testing.T) {
	_, table, rows, err := measured(t, t.Context(), &fake{}, 1, func(o *Options) {
		o.Only, o.Scales = []string{"triangles"}, []int{8}
		o.Peers = []Peer{{"triangles/rmat-8x4/count", "Abacus 7", 3600}, {"triangles/rmat-8x4/other", "Slide rule", 1}}
	})
	if err != nil || len(rows) == 0 {
		t.Fatal(err, rows)
	}
	for _, r := range rows {
		if own := r["graph"] == "rmat-8x4" && r["off"] == ""; own != strings.HasPrefix(r["peers"], "Abacus 7 ") || strings.Count(r["peers"], "Abacus") > 1 {
			t.Errorf("%v", r)
		}
	}
	if !strings.Contains(table, "Abacus") || strings.Contains(table, "Slide") {
		t.Error(table)
	}
}

// A wrong answer is a row that says WRONG and the end's error, and does not stop the rest.
func TestWrong(t *testing.T) {
	for lie, part := range map[string]string{"cliques": "cliques", "triangles": "triangles", "cores": "cores", "trusses": "trusses", "parents": "bfs", "deal": "deal", "filter": "filter", "join": "join", "formula": "formula"} {
		said, _, rows, err := measured(t, t.Context(), &fake{lie: lie}, 1, func(o *Options) { o.Only, o.Scales = []string{part}, []int{8} })
		wrong := 0
		for _, r := range rows {
			if r["verified"] == Wrong {
				wrong++
			}
		}
		if !errors.Is(err, ErrWrong) || wrong == 0 || wrong != len(rows) && lie != "cores" || lie == "cores" && wrong == len(rows) || !strings.Contains(said, "WRONG: "+part) {
			t.Errorf("%s: %d of %d rows, %v\n%s", lie, wrong, len(rows), err, said)
		}
	}
}

// What is declined, or does not fit the budget, is said.
func TestSkipped(t *testing.T) {
	said, _, rows, err := measured(t, t.Context(), &fake{decline: true}, 1, func(o *Options) { o.Only, o.Scales = []string{"triangles"}, []int{8} })
	if err != nil || len(rows) != 0 || !strings.Contains(said, "skipped: triangles on rmat-8x4, count: left to the CPU") {
		t.Errorf("%v, %v\n%s", rows, err, said)
	}
	slow := &fake{onCall: func() { time.Sleep(30 * time.Millisecond) }}
	said, _, rows, err = measured(t, t.Context(), slow, 1, func(o *Options) { o.Only, o.Budget = []string{"cores"}, 100*time.Millisecond })
	if err != nil || len(rows) > 6 || !strings.Contains(said, "budget of 100ms") {
		t.Errorf("%v, %v\n%s", rows, err, said)
	}
}

// Where the budget ends between the runs of a work, its row is there.
func TestEndOfBudget(t *testing.T) {
	d := &fake{}
	d.onCall = func() {
		if d.calls == 4 {
			time.Sleep(time.Second)
		}
	}
	said, _, rows, err := measured(t, t.Context(), d, 1, func(o *Options) {
		o.Only, o.Scales, o.Budget, o.Runs = []string{"triangles"}, []int{8}, time.Second, 10
	})
	if err != nil || len(rows) == 0 || rows[0]["verified"] != NotCompared || rows[0]["call_ms"] == "" || !strings.Contains(said, "not compared: triangles on rmat-8x4, count") {
		t.Errorf("%v, %v\n%s", rows, err, said)
	}
}

// A context that ends stops at once, and what was measured is there.
func TestInterrupt(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	d := &fake{}
	d.onCall = func() {
		if d.calls == 9 {
			stop()
		}
	}
	_, _, rows, err := measured(t, ctx, d, 1, func(o *Options) { o.Runs = 1 })
	if !errors.Is(err, context.Canceled) || len(rows) == 0 || d.calls > 10 {
		t.Errorf("%v after %d calls, %d rows", err, d.calls, len(rows))
	}
}

func TestCheck(t *testing.T) {
	good := small(nil, nil, nil)
	if why := good.Check(); why != "" {
		t.Error(why)
	}
	for want, change := range map[string]func(o *Options){
		"no part \"bffs\"": func(o *Options) { o.Only = []string{"bffs"} },
		"scale of 27":      func(o *Options) { o.Scales = []int{27} },
		"no scale":         func(o *Options) { o.Scales = nil },
		"0 edges":          func(o *Options) { o.Edges = 0 },
		"no runs":          func(o *Options) { o.Runs = 0 },
		"no budget":        func(o *Options) { o.Budget = 0 },
	} {
		o := good
		change(&o)
		if why := o.Check(); !strings.Contains(why, want) {
			t.Errorf("%q, want %q", why, want)
		}
	}
}

// The sum of a set of trusses does not depend on their order, and tells sets apart.
func TestTrussSum(t *testing.T) {
	a := &pattern.Trusses{Source: []csr.VertexID{1, 2}, Target: []csr.VertexID{3, 4}, Truss: []uint32{5, 6}, KMax: 6}
	b := &pattern.Trusses{Source: []csr.VertexID{2, 1}, Target: []csr.VertexID{4, 3}, Truss: []uint32{6, 5}, KMax: 6}
	c := &pattern.Trusses{Source: []csr.VertexID{2, 1}, Target: []csr.VertexID{4, 3}, Truss: []uint32{5, 6}, KMax: 6}
	if sumOf(a) != sumOf(b) || sumOf(a) == sumOf(c) {
		t.Errorf("%v, %v, %v", sumOf(a), sumOf(b), sumOf(c))
	}
}

// What the CPU would take too long to compare is left out.
func TestTooLongToCompare(t *testing.T) {
	said := ""
	c := &course{bench: &bench{o: Options{Budget: time.Minute, Say: func(line string) { said += line }}, history: map[string][]past{}},
		part: &part{name: "triangles"}, g: &graph{name: "rmat-9x4", kind: rmat, scale: 9}, began: time.Now(), limit: time.Minute}
	c.history[c.name("count")] = []past{{scale: 8, gpu: time.Millisecond, cpu: time.Hour}}
	if err := c.do(&work{variant: "count", gpu: nil}); err != nil || !strings.Contains(said, "skipped: triangles on rmat-9x4, count: to compare it the CPU would take about") {
		t.Errorf("%v, %q", err, said)
	}
}
