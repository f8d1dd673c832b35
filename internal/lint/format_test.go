package lint

import (
	"bytes"
	"go/format"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFormat wants every Go file as gofmt writes it.
func TestFormat(t *testing.T) {
	found, err := unformatted("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range found {
		t.Errorf("gofmt would change %s", name)
	}
}

// unformatted lists the Go files below root that gofmt would change.
func unformatted(root string) (found []string, err error) {
	err = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if base := d.Name(); d.IsDir() && name != root && (strings.HasPrefix(base, ".") || base == "testdata" || base == "node_modules") {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(name, ".go") {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		formatted, err := format.Source(text)
		if err == nil && !bytes.Equal(formatted, text) {
			found = append(found, name)
		}
		return err
	})
	return found, err
}

// TestFormatFindsFaults has one file of two formatted.
func TestFormatFindsFaults(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{"a.go": "package a\n", "b.go": "package  a\n"} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	found, err := unformatted(root)
	if err != nil || len(found) != 1 || filepath.Base(found[0]) != "b.go" {
		t.Errorf("found %v, %v; want b.go", found, err)
	}
}
