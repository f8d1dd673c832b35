// Package shared finds the large real graphs that some tests and benchmarks measure against. They are not part of the
// repository: without them those tests skip and say so.
package shared

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// File returns the path of a file below the folder ../shared beside the checkout, or skips the test if the folder is not
// there (or MOTIF_NO_SHARED is set, as for runs under the race detector).
func File(t testing.TB, name ...string) string {
	t.Helper()
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv("MOTIF_NO_SHARED") != "" {
		t.Skip("MOTIF_NO_SHARED is set: tests on the large real graphs are off")
	}
	dir := filepath.Join(root, "..", "shared")
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("the large real graphs are not here (%v): nothing was compared with them", err)
	}
	return filepath.Join(append([]string{dir}, name...)...)
}

func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	for err == nil {
		if _, e := os.Stat(filepath.Join(dir, "go.mod")); e == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", os.ErrNotExist
		}
		dir = parent
	}
	return "", err
}

// Truth returns one known figure of a graph, as TRUTH.tsv has it.
func Truth(t testing.TB, graph, quantity string) int64 {
	t.Helper()
	data, err := os.ReadFile(File(t, "data", "TRUTH.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if f := strings.Split(line, "\t"); f[0] == graph && f[1] == quantity {
			n, err := strconv.ParseInt(f[2], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
	}
	t.Fatalf("no %s of %s", quantity, graph)
	return 0
}

// Truths returns all known figures of a graph; quantities that are not numbers are left out.
func Truths(t testing.TB, graph string) map[string]int64 {
	t.Helper()
	data, err := os.ReadFile(File(t, "data", "TRUTH.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	known := make(map[string]int64)
	for line := range strings.Lines(string(data)) {
		if f := strings.Split(line, "\t"); f[0] == graph {
			if n, err := strconv.ParseInt(f[2], 10, 64); err == nil {
				known[f[1]] = n
			}
		}
	}
	return known
}
