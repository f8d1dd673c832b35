package enginetest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/motifql/motif"
	"github.com/motifql/motif/internal/shared"
	"github.com/motifql/motif/storage/importer"
)

// Known counts on real graphs. They run where the data is, and skip elsewhere.

// loaded opens a new store holding what spec describes.
func loaded(t *testing.T, spec importer.Spec) *motif.DB {
	t.Helper()
	return openWith(t, filepath.Join(t.TempDir(), "db"), spec)
}

func count(t *testing.T, db *motif.DB, query string, opts ...motif.QueryOption) (n int64, err error) {
	t.Helper()
	rows, err := db.Query(t.Context(), query, nil, opts...)
	if err != nil {
		return 0, err
	}
	return motif.One[int64](rows)
}

func wantCount(t *testing.T, db *motif.DB, query string, want int64) {
	t.Helper()
	if got, err := count(t, db, query); err != nil || got != want {
		t.Errorf("%s = %d, %v; want %d", query, got, err, want)
	}
}

// cliquePattern writes a k-clique out: every two of k nodes joined.
func cliquePattern(k int) string {
	var b strings.Builder
	for i := range k {
		for j := range i {
			if b.Len() > 0 {
				b.WriteString(", ")
			}
			fmt.Fprintf(&b, "(v%d)--(v%d)", j, i)
		}
	}
	return b.String()
}

func isClique(k int) string {
	var nodes, names []string
	for i := range k {
		nodes = append(nodes, fmt.Sprintf("(v%d)", i))
		names = append(names, fmt.Sprintf("v%d", i))
	}
	return strings.Join(nodes, ", ") + " WHERE IS_CLIQUE([" + strings.Join(names, ", ") + "])"
}

func TestSharedCliques(t *testing.T) {
	for _, g := range []struct{ name, file string }{
		{"facebook_combined", "facebook_combined.txt.zst"}, {"email-Enron", "email-Enron.txt.zst"},
		{"wiki-Vote", "wiki-Vote.txt.zst"}, {"soc-Slashdot0902", "soc-Slashdot0902.txt.zst"},
		{"cnr-2000", "cnr-2000.graph-txt.zst"},
	} {
		t.Run(g.name, func(t *testing.T) {
			db := loaded(t, importer.Spec{Files: []string{shared.File(t, "data", g.file)}, Undirected: true})
			triangle := "MATCH %s (a)--(b)--(c)--(a) RETURN count(*) AS n"
			triangles := shared.Truth(t, g.name, "triangles")
			wantCount(t, db, fmt.Sprintf(triangle, "DISTINCT SUBGRAPHS"), triangles)
			wantCount(t, db, fmt.Sprintf(triangle, ""), 6*triangles)
			for k := 4; k <= 6; k++ {
				want := shared.Truth(t, g.name, fmt.Sprintf("cliques_%d", k))
				for _, p := range []string{cliquePattern(k), isClique(k)} {
					query := "MATCH DISTINCT SUBGRAPHS " + p + " RETURN count(*) AS n"
					wantCount(t, db, query, want)
					plan, err := db.Explain(t.Context(), query)
					if err != nil || !strings.Contains(plan.String(), "clique") {
						t.Errorf("%s does not run on the clique kernel: %v\n%v", query, err, plan)
					}
				}
			}
		})
	}
}

// answers reads lines of a query's name and its count.
func answers(t *testing.T, path, sep string) (names []string, counts map[string]int64) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	counts = make(map[string]int64)
	for s := bufio.NewScanner(f); s.Scan(); {
		name, n, ok := strings.Cut(strings.TrimSpace(s.Text()), sep)
		if !ok {
			continue
		}
		name = strings.TrimSuffix(name, ".graph")
		if counts[name], err = strconv.ParseInt(strings.TrimSpace(n), 10, 64); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	return names, counts
}

// matchingQuery is the query for a t/v/e query graph.
func matchingQuery(t *testing.T, path string) string {
	t.Helper()
	g, err := importer.ReadPattern(path)
	if err != nil {
		t.Fatal(err)
	}
	return g.Query() + " RETURN count(*) AS n"
}

func TestSharedHPRD(t *testing.T) {
	dir := filepath.Join(shared.Unpack(t, "lsm_hprd.tar.zst"), "hprd_rapids_test")
	names, want := answers(t, filepath.Join(dir, "expected_output.res"), ":")
	if len(names) != 200 {
		t.Fatalf("%d queries, want 200", len(names))
	}
	db := loaded(t, importer.Spec{Files: []string{filepath.Join(dir, "data_graph", "HPRD.graph")}})
	for _, name := range names {
		wantCount(t, db, matchingQuery(t, filepath.Join(dir, "query_graph", name+".graph")), want[name])
	}
}

// TestSharedYeast runs 60 of the yeast queries at two seconds each; MOTIF_YEAST=all runs all that have an answer, at
// ten seconds each, and says how many finish.
func TestSharedYeast(t *testing.T) {
	dir := filepath.Join(shared.Unpack(t, "lsm_yeast.tar.zst"), "yeast")
	names, want := answers(t, filepath.Join(dir, "yeast_ans.txt"), " ")
	db := loaded(t, importer.Spec{Files: []string{filepath.Join(dir, "data_graph", "yeast.graph")}})
	step, limit := len(names)/60, 2*time.Second
	if os.Getenv("MOTIF_YEAST") == "all" {
		step, limit = 1, 10*time.Second
	}
	finished, tried := 0, 0
	for i := 0; i < len(names) && (step == 1 || tried < 60); i += step {
		tried++
		query := matchingQuery(t, filepath.Join(dir, "query_graph", names[i]+".graph"))
		got, err := count(t, db, query, motif.WithTimeout(limit))
		switch {
		case errors.Is(err, context.DeadlineExceeded):
			continue
		case err != nil || got != want[names[i]]:
			t.Errorf("%s = %d, %v; want %d", names[i], got, err, want[names[i]])
		}
		finished++
	}
	t.Logf("%d of %d queries finished within %v each", finished, tried, limit)
	if finished < tried/4 {
		t.Errorf("only %d of %d queries finished", finished, tried)
	}
}
