package shared

import (
	"io"
	"testing"

	"github.com/motifql/motif/internal/archive"
)

// Open opens a .zst file below ../shared/data for reading its text, until the test ends.
func Open(t testing.TB, name string) io.Reader {
	t.Helper()
	f, err := archive.Open(File(t, "data", name))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// Unpack unpacks a .tar.zst below ../shared/data into a temporary folder and returns the folder.
func Unpack(t testing.TB, name string) string {
	t.Helper()
	dir := t.TempDir()
	if err := archive.Unpack(File(t, "data", name), dir); err != nil {
		t.Fatal(err)
	}
	return dir
}
