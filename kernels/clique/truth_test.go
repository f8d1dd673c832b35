package clique_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/shared"
	"github.com/motifql/motif/kernels/clique"
	"github.com/motifql/motif/storage/importer"
)

// truth is what TRUTH.tsv knows: by graph and quantity.
func truth(t testing.TB) map[[2]string]string {
	t.Helper()
	data, err := os.ReadFile(shared.File(t, "data", "TRUTH.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	known := make(map[[2]string]string)
	for line := range strings.Lines(string(data)) {
		if f := strings.Split(strings.TrimRight(line, "\n"), "\t"); len(f) > 2 {
			known[[2]string{f[0], f[1]}] = f[2]
		}
	}
	return known
}

func knownCliques(t testing.TB, graph string, k int) (n string, known bool) {
	n, known = truth(t)[[2]string{graph, fmt.Sprintf("cliques_%d", k)}]
	return n, known
}

// longTruths take more than some seconds: they run under MOTIF_TRUTH=all.
var longTruths = []string{"gitdag-duckdb", "gitdag-git"} // most of it to load them

// TestCliqueTruth counts the cliques of each size and finds a largest one on every graph that TRUTH.tsv knows, and counts
// one size by the kernel for one size.
func TestCliqueTruth(t *testing.T) {
	known := truth(t)
	graphs := make(map[string]bool)
	for row := range known {
		if strings.HasPrefix(row[1], "cliques_") || row[1] == "max_clique" {
			graphs[row[0]] = true
		}
	}
	compared := 0
	for _, name := range slices.Sorted(maps.Keys(graphs)) {
		files, err := filepath.Glob(shared.File(t, "data", name+".*"))
		if err != nil {
			t.Fatal(err)
		}
		files = slices.DeleteFunc(files, func(f string) bool { return strings.Contains(f, ".types") || strings.Contains(f, ".tar") })
		if len(files) != 1 || slices.Contains(longTruths, name) && os.Getenv("MOTIF_TRUTH") != "all" {
			t.Logf("%s: not compared", name)
			continue
		}
		start := time.Now()
		s, _, err := importer.Load(t.Context(), importer.Spec{Files: files, Undirected: true}, nil)
		if err != nil {
			t.Fatal(err)
		}
		rows := compareTruth(t, name, s, known)
		compared += rows
		t.Logf("%s: %d figures in %v", name, rows, time.Since(start).Round(time.Millisecond))
	}
	if compared < 100 {
		t.Errorf("only %d figures were compared", compared)
	}
}

// maximalCounts are numbers of maximal cliques, as published by Eppstein, Löffler and Strash 2011 (experimental results).
var maximalCounts = map[string]int{"wiki-Vote": 459002, "email-Enron": 226859, "soc-Slashdot0902": 890041}

// compareTruth returns how many figures it has compared.
func compareTruth(t *testing.T, name string, s *csr.Snapshot, known map[[2]string]string) (rows int) {
	t.Helper()
	env, all := &pattern.Env{Workers: 2}, new(pattern.Subgraph)
	upTo := 0
	for k := range 30 {
		if _, ok := known[[2]string{name, fmt.Sprintf("cliques_%d", k)}]; ok {
			upTo = k
		}
	}
	check := func(quantity, got string) {
		if want, ok := known[[2]string{name, quantity}]; ok {
			rows++
			if got != want {
				t.Errorf("%s of %s: %s, want %s", quantity, name, got, want)
			}
		}
	}
	counts, err := clique.CountBySize(t.Context(), s, all, max(upTo, 4), env)
	if err != nil {
		t.Errorf("%s: %v", name, err)
	}
	check("triangles", append(counts, make([]pattern.Count128, 4)...)[3].String())
	for k, n := range counts {
		check(fmt.Sprintf("cliques_%d", k), n.String())
	}
	if upTo > 4 {
		n, err := clique.Count(t.Context(), s, all.Clique(upTo), env)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		check(fmt.Sprintf("cliques_%d", upTo), n.String())
	}
	largest, err := clique.Maximum(t.Context(), s, all, env)
	if err != nil {
		t.Errorf("%s: %v", name, err)
	}
	check("max_clique", strconv.Itoa(len(largest)))
	if want, ok := maximalCounts[name]; ok {
		rows++
		found := 0
		err := clique.Maximal(t.Context(), s, all, 1, env, func([]csr.VertexID) (bool, error) { found++; return true, nil })
		if err != nil || found != want {
			t.Errorf("maximal cliques of %s: %d, %v; want %d", name, found, err, want)
		}
	}
	return rows
}
