package temporal

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/motifql/motif/cmd/motif-cluster/storetest"
	"go.temporal.io/sdk/converter"
	sdklog "go.temporal.io/sdk/log"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
)

// queries have one answer each, whatever the order of parts.
var queries = []string{
	"MATCH (a)-->(b)-->(c)-->(a) RETURN count(*)",
	"MATCH DIFFERENT NODES (a)--(b)--(c)--(d) RETURN count(*)",
	"MATCH DISTINCT SUBGRAPHS (a)--(b)--(c)--(a) RETURN count(*)",
	"MATCH (a)-->(b)-->(c) RETURN a.k AS k, count(*) AS n, max(c.i) AS m, sum(b.i) AS s ORDER BY k",
	"MATCH (a)-->(b)-->(c) WHERE a.i < c.i RETURN a.i AS x, b.i AS y, c.i AS z ORDER BY x, y, z",
	"MATCH (a)-->(b)-->(c) RETURN DISTINCT a.k AS x, c.k AS y ORDER BY x, y",
	"MATCH (a)-->(b)-->(c) RETURN a.i AS x, c.i AS y, b.i AS z ORDER BY x * y DESC, x, y, z LIMIT 9",
	"MATCH (a)-->(b) RETURN count(DISTINCT a.k + b.k), avg(a.i)",
}

var sampleTime = 300 * time.Millisecond

// environment is Temporal for a test, without a server.
func environment(t *testing.T, g *graphs, m *metrics) *testsuite.TestWorkflowEnvironment {
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(sdklog.NewStructuredLogger(slog.New(slog.NewTextHandler(io.Discard, nil))))
	env := suite.NewTestWorkflowEnvironment()
	env.SetTestTimeout(time.Minute)
	env.SetWorkerOptions(worker.Options{DeadlockDetectionTimeout: time.Minute}) // of a busy machine
	a := &activities{graphs: g, log: slog.New(slog.NewTextHandler(io.Discard, nil)), sample: sampleTime, metrics: m}
	env.RegisterWorkflowWithOptions(Query, workflow.RegisterOptions{Name: queryType})
	a.register(env)
	return env
}

// runJob runs a workflow to its end, through all of its runs.
func runJob(t *testing.T, g *graphs, r Request) (a *Answer, runs int, err error) {
	var from *saved
	for {
		env := environment(t, g, newMetrics(1))
		env.ExecuteWorkflow(queryType, r, from)
		runs++
		err := env.GetWorkflowError()
		var again *workflow.ContinueAsNewError
		switch {
		case errors.As(err, &again):
			from = new(saved)
			if err := converter.GetDefaultDataConverter().FromPayloads(again.Input, &r, from); err != nil {
				t.Fatal(err)
			}
		case err != nil:
			return nil, runs, err
		default:
			a := new(Answer)
			return a, runs, env.GetWorkflowResult(a)
		}
	}
}

func TestQueryIsExact(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 1))
	t.Logf("seed %d", seed)
	folder := storetest.Random(t, r, 60, 300)
	g := newGraphs(t.TempDir())
	defer g.close()
	for _, query := range queries {
		want := storetest.Answer(t, folder, query, nil)
		for _, units := range []int{0, 1, 7, 200} {
			req := Request{Snapshot: folder, Blobs: t.TempDir(), Query: query, Format: "csv", Slots: 1 + r.IntN(4), Units: units, Budget: time.Duration(5+r.IntN(50)) * time.Millisecond,
				PerRun: 1 + r.IntN(20)}
			a, runs, err := runJob(t, g, req)
			if err != nil {
				t.Fatalf("%s by %d units: %v", query, units, err)
			}
			if got := string(a.Rows.Data); got != want {
				t.Errorf("%s by %d units in %d runs: %q, want %q", query, units, runs, got, want)
			}
			if units == 200 && a.Counters.Done < 8 {
				t.Errorf("%s: %d units only", query, a.Counters.Done)
			}
		}
	}
}

// TestMemorySplitsUnits gives units less and less memory. They are cut and the answer stays exact, until a unit cannot be cut any more.
func TestMemorySplitsUnits(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	folder := storetest.Random(t, rand.New(rand.NewPCG(seed, 1)), 200, 3000) // rows of 1.3 MB, beside 0.2 MB that every unit needs
	g := newGraphs(t.TempDir())
	defer g.close()
	query := "MATCH (a)-->(b)-->(c) WHERE a.i < c.i RETURN a.i AS x, b.i AS y, c.i AS z" // a unit holds its rows, and nobody holds all of them
	want := sorted(storetest.Answer(t, folder, query, nil))
	split := 0
	for memory := int64(4 << 20); ; memory /= 2 {
		req := Request{Snapshot: folder, Blobs: t.TempDir(), Query: query, Format: "csv", Slots: 2, Units: 2, Budget: time.Minute, Memory: memory}
		a, _, err := runJob(t, g, req)
		if err != nil {
			if text := plain(err).Error(); split == 0 || !strings.Contains(text, "memory") {
				t.Errorf("%d bytes, and %d units were cut: %s", memory, split, text)
			}
			return
		}
		if got := sorted(string(a.Rows.Data)); got != want {
			t.Fatalf("%d bytes: %s, want %s", memory, got, want)
		}
		split += a.Counters.Split
		t.Logf("%d bytes: %d units, %d were cut", memory, a.Counters.Done, a.Counters.Split)
		if memory == 0 {
			t.Fatal("a job runs without memory")
		}
	}
}

// sorted sorts the lines of a text.
func sorted(text string) string {
	lines := strings.SplitAfter(text, "\n")
	slices.Sort(lines)
	return strings.Join(lines, "")
}

// TestRestGoesToOthers begins with two units, whose budget cuts them many times.
func TestRestGoesToOthers(t *testing.T) {
	folder := storetest.Random(t, rand.New(rand.NewPCG(11, 1)), 300, 5000)
	g := newGraphs(t.TempDir())
	defer g.close()
	query := "MATCH (a)-->(b)-->(c)-->(d) WHERE a.i * b.i + c.i < d.i * b.i RETURN a.k AS k, count(*) AS n ORDER BY k"
	a, _, err := runJob(t, g, Request{Snapshot: folder, Query: query, Format: "csv", Slots: 2, Units: 2, Budget: 10 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if want := storetest.Answer(t, folder, query, nil); string(a.Rows.Data) != want {
		t.Errorf("%s, want %s", a.Rows.Data, want)
	}
	if t.Logf("%d units in %v", a.Counters.Done, a.Counters.Work); a.Counters.Done < 4 {
		t.Errorf("two units of %v made %d", a.Counters.Work, a.Counters.Done)
	}
}

// TestLargeParts has rows and groups pass by blobs. They are removed in the end, and a changed one is noticed.
func TestLargeParts(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 1))
	folder, bucket := storetest.Random(t, r, 400, 10_000), filepath.Join(t.TempDir(), "blobs")
	g := newGraphs(t.TempDir())
	defer g.close()
	for _, query := range []string{
		"MATCH (a)-->(b)-->(c) RETURN a.i AS x, b.i AS y, c.i AS z ORDER BY x, y, z",
		"MATCH (a)-->(b)-->(c) RETURN a.i AS x, c.i AS y, count(*) AS n, sum(b.i) AS s, max(b.i) AS m ORDER BY x, y",
	} {
		req := Request{Snapshot: folder, Blobs: bucket, Query: query, Format: "csv", Slots: 2, Units: 5, Budget: time.Minute}
		a, _, err := runJob(t, g, req)
		if err != nil {
			t.Fatal(err)
		}
		if a.Rows.Blob == "" {
			t.Fatalf("%s: the rows are in the answer: %d bytes", query, len(a.Rows.Data))
		}
		if parts, _ := filepath.Glob(filepath.Join(bucket, "*", "*", "part-*")); len(parts) < 3 {
			t.Errorf("%s: %d parts of 5 went by blobs", query, len(parts))
		}
		id, _, _ := strings.Cut(a.Rows.Blob, "/")
		var out strings.Builder
		if err := a.print(context.Background(), id, &out); err != nil {
			t.Fatal(err)
		}
		if out.String() != storetest.Answer(t, folder, query, nil) {
			t.Errorf("%s: other rows by blobs", query)
		}
		if left, _ := filepath.Glob(filepath.Join(bucket, "*", "*", "*")); len(left) > 0 {
			t.Errorf("%s: %d blobs are left", query, len(left))
		}
		req.Blobs = ""
		if _, _, err := runJob(t, g, req); err == nil || !strings.Contains(err.Error(), "--blobs") {
			t.Errorf("%s without a bucket: %v", query, err)
		}
	}
	ctx, data := context.Background(), make([]byte, inline+1)
	p, err := putPiece(ctx, bucket, "job/run/part", data)
	if err != nil {
		t.Fatal(err)
	}
	data[9] = 1
	if err := os.WriteFile(filepath.Join(bucket, "job", "run", "part"), data, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := p.bytes(ctx, bucket); err == nil {
		t.Error("a changed blob was read")
	}
}

func TestErrorsEndTheJob(t *testing.T) {
	folder := storetest.Random(t, rand.New(rand.NewPCG(9, 1)), 30, 90)
	g := newGraphs(t.TempDir())
	defer g.close()
	for query, want := range map[string]string{
		"MATCH (a)-->(b) RETURN count(*), max(a.i / (b.i - b.i))": "^",
		"MATCH (a)-->(b) RETUR 1":                                 "^",
		"CALL db.labels() YIELD label RETURN label":               "NotDivisible",
		"MATCH (a) CREATE (b:X)":                                  "NotDivisible",
		"MATCH (a)-->(b) WHERE a.i > $least RETURN count(*)":      "least",
	} {
		for _, units := range []int{0, 9} {
			_, _, err := runJob(t, g, Request{Snapshot: folder, Query: query, Format: "csv", Slots: 2, Units: units, Budget: time.Minute})
			if err == nil || !strings.Contains(plain(err).Error(), want) {
				t.Errorf("%s: %v, want %q in it", query, err, want)
			}
		}
	}
	_, _, err := runJob(t, g, Request{Snapshot: folder + "x", Query: queries[0], Format: "csv", Slots: 2})
	if err == nil || !strings.Contains(err.Error(), "no such") {
		t.Errorf("a graph that is not there: %v", err)
	}
}
