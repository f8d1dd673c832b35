// Package shared finds the large real graphs that some tests and benchmarks measure against. They are not part of the
// repository: without them those tests skip and say so.
package shared

import (
	"os"
	"path/filepath"
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
