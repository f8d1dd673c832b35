package shared

import (
	"archive/tar"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// Open opens a .zst file below ../shared/data for reading its text, until the test ends.
func Open(t testing.TB, name string) io.Reader {
	t.Helper()
	f, err := os.Open(File(t, "data", name))
	if err != nil {
		t.Fatal(err)
	}
	z, err := zstd.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { z.Close(); f.Close() })
	return z
}

// Unpack unpacks a .tar.zst below ../shared/data into a temporary folder and returns the folder.
func Unpack(t testing.TB, archive string) string {
	t.Helper()
	dir := t.TempDir()
	for r := tar.NewReader(Open(t, archive)); ; {
		h, err := r.Next()
		if err == io.EOF {
			return dir
		}
		if err == nil && h.Typeflag == tar.TypeReg && filepath.IsLocal(h.Name) {
			err = write(filepath.Join(dir, filepath.FromSlash(h.Name)), r)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func write(path string, r io.Reader) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	return errors.Join(err, f.Close())
}
