package storage

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/motifql/motif/internal/flat"
)

// TestReadLiveFiles lists a store at each step of its life. What is listed makes a copy that has the same graph.
func TestReadLiveFiles(t *testing.T) {
	if _, err := ReadLiveFiles(t.TempDir()); !errors.Is(err, ErrNotStore) {
		t.Errorf("an empty folder: %v", err)
	}
	dir := filepath.Join(t.TempDir(), "store")
	s := mustOpen(t, dir, Options{Create: true, Flat: true})
	compacted := 3 // two tables and what names them
	if flat.Supported {
		compacted++
	}
	for step, fixed := range []int{0, 0, compacted} {
		if step > 0 {
			addNode(t, s)
		}
		if step == 2 {
			if err := s.Compact(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		live, err := ReadLiveFiles(dir)
		if err != nil {
			t.Fatal(err)
		}
		if head, err := os.ReadFile(filepath.Join(dir, headName)); err != nil || !bytes.Equal(live.Replaced[headName], head) {
			t.Errorf("step %d: HEAD is not listed, %v", step, err)
		}
		if len(live.Fixed) != fixed {
			t.Errorf("step %d: %v never change, want %d files", step, live.Fixed, fixed)
		}
		copied := filepath.Join(t.TempDir(), "copy")
		copyListed(t, dir, copied, live)
		c := mustOpen(t, copied, Options{ReadOnly: true})
		if got, want := mustSnapshot(t, c).N(), mustSnapshot(t, s).N(); got != want || want != uint64(step) {
			t.Errorf("step %d: the copy has %d nodes, the store %d", step, got, want)
		}
		mustClose(t, c)
	}
	mustClose(t, s)
}

func addNode(t *testing.T, s *Store) {
	t.Helper()
	tx, err := s.Begin(t.Context(), Sync)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	if _, err = tx.Draft().CreateNode([]string{"N"}, nil); err == nil {
		err = tx.Commit(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
}

func copyListed(t *testing.T, from, to string, live *LiveFiles) {
	t.Helper()
	write := func(path string, contents []byte) {
		err := os.MkdirAll(filepath.Dir(path), 0o700)
		if err == nil {
			err = os.WriteFile(path, contents, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, contents := range live.Replaced {
		write(filepath.Join(to, name), contents)
	}
	for _, name := range append(slices.Clone(live.Fixed), live.Log) {
		contents, err := os.ReadFile(filepath.Join(from, filepath.FromSlash(name)))
		if errors.Is(err, fs.ErrNotExist) {
			t.Fatalf("%s is listed and not there", name)
		}
		write(filepath.Join(to, filepath.FromSlash(name)), contents)
	}
}
