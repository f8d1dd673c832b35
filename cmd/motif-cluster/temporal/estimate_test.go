package temporal

import (
	"encoding/csv"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/motifql/motif/cmd/motif-cluster/blobs"
	"github.com/motifql/motif/cmd/motif-cluster/storetest"
)

// costly are queries of some tenths of a second on the graph of TestEstimate.
var costly = []string{
	"MATCH DIFFERENT NODES (a)-->(b)-->(c)-->(a) WHERE a.i * b.i < c.i * c.i RETURN count(*)",
	"MATCH DIFFERENT NODES (a)-->(b)-->(c)-->(d)-->(a) WHERE a.k <> c.k RETURN count(*)",
	"MATCH (a)-->(b)-->(c) RETURN a.k AS k, count(*) AS n, max(c.i) AS m, sum(b.i) AS s ORDER BY k",
	"MATCH (a)-->(b)-->(c) WHERE a.i < c.i RETURN a.i AS x, b.i AS y, c.i AS z ORDER BY x * y * z, x, y LIMIT 5",
	"MATCH (a)-->(b)-->(c) RETURN a.i AS x, c.i AS z, count(*) AS n ORDER BY n DESC, x, z LIMIT 9",
	"MATCH (a)-->(b)-->(c)-->(d) WHERE a.i < 20 AND b.i * c.i > d.i RETURN count(*), max(d.i)",
	"MATCH (a)--(b)--(c) WHERE a.i + b.i > 2 * c.i RETURN count(DISTINCT a.k + b.k), avg(c.i)",
	"MATCH DISTINCT SUBGRAPHS (a), (b), (c), (d) WHERE IS_CLIQUE([a, b, c, d]) RETURN count(*)",
}

// TestEstimate compares what Estimate says with what jobs cost. MOTIF_SEED says which queries are drawn, and MOTIF_GRAPH how many times
// as large the graph is.
func TestEstimate(t *testing.T) {
	seed := rand.Uint64()
	if text := os.Getenv("MOTIF_SEED"); text != "" {
		seed, _ = strconv.ParseUint(text, 10, 64)
	}
	t.Logf("MOTIF_SEED=%d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	times := 1
	if text := os.Getenv("MOTIF_GRAPH"); text != "" {
		times, _ = strconv.Atoi(text)
		sampleTime *= time.Duration(times)
	}
	bucket := t.TempDir()
	pushed, err := blobs.Push(t.Context(), storetest.Skewed(t, r, 1500*times, 12_000*times), "file://"+bucket, nil)
	if err != nil {
		t.Fatal(err)
	}
	g := newGraphs(t.TempDir())
	defer g.close()
	for _, i := range r.Perm(len(costly))[:5] {
		req := Request{Snapshot: pushed.URL, Query: costly[i], Format: "csv", Slots: 2, Units: 20, Budget: time.Minute, Blobs: t.TempDir()}
		units, bytes, seconds, atLeast := estimated(t, g, req)
		before := processTime()
		a, _, err := runJob(t, g, req)
		if err != nil {
			t.Fatal(err)
		}
		took := (processTime() - before).Seconds()
		t.Logf("%s: %d units, %.3f s, was %.3f s: factor %.2f", costly[i], units, seconds, took, seconds/took)
		const slack = 0.1 // of the engine around the units
		if seconds > 10*(took+slack) || took > 10*(seconds+slack) && !atLeast {
			t.Errorf("%s: predicted are %.3f s, and it took %.3f s", costly[i], seconds, took)
		}
		if units != a.Counters.Done {
			t.Errorf("%s: predicted are %d units, and there were %d", costly[i], units, a.Counters.Done)
		}
		if there := size(t, filepath.Join(bucket, "blocks")); float64(bytes) < .9*float64(there) || float64(bytes) > 1.1*float64(there) {
			t.Errorf("%s: predicted are %d bytes, and there are %d", costly[i], bytes, there)
		}
	}
}

// estimated returns the row of an estimate.
func estimated(t *testing.T, g *graphs, req Request) (units int, bytes int64, seconds float64, atLeast bool) {
	t.Helper()
	req.Dry = true
	a, _, err := runJob(t, g, req)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(string(a.Rows.Data))).ReadAll()
	if err != nil || len(rows) != 2 || strings.Join(rows[0], " ") != "units bytes core_seconds core_hours" {
		t.Fatalf("%q %v", a.Rows.Data, err)
	}
	if units, err = strconv.Atoi(rows[1][0]); err == nil {
		bytes, err = strconv.ParseInt(rows[1][1], 10, 64)
	}
	if err == nil {
		seconds, err = strconv.ParseFloat(rows[1][2], 64)
	}
	if err != nil {
		t.Fatal(err)
	}
	return units, bytes, seconds, len(a.Warnings) > 0 // a busy machine ends the sample of what cannot be cut
}

// size adds up the files in a folder.
func size(t *testing.T, folder string) (n int64) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			var info fs.FileInfo
			if info, err = entry.Info(); err == nil {
				n += info.Size()
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}
