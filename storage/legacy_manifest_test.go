package storage

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dgraph-io/badger/v4"

	"github.com/motifql/motif/internal/csr"
)

// copyStore copies a closed store.
func copyStore(t *testing.T, from string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// contentsOf is the files of a store, of logs the names alone.
func contentsOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := make(map[string]string)
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || e.Name() == lockName { // a killed process leaves one, and the next takes it over
			return err
		}
		var data []byte
		if ext := filepath.Ext(path); ext != ".mem" && ext != ".vlog" {
			data, err = os.ReadFile(path)
		}
		all[path] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// mustRefuseOrAnswer opens a store whose MANIFEST was cut: it is refused and left as it is, or has the whole graph.
func mustRefuseOrAnswer(t *testing.T, dir string, want *csr.Snapshot) (refused bool) {
	t.Helper()
	before := contentsOf(t, dir)
	for _, opt := range []Options{{ReadOnly: true}, {}, {Create: true}} {
		s, err := Open(dir, opt)
		if err != nil {
			if !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), "MANIFEST") {
				t.Fatalf("%+v: %v", opt, err)
			}
			refused = true
			for name, data := range contentsOf(t, dir) {
				if before[name] != data {
					t.Fatalf("%+v: file %s changed", opt, name)
				}
				delete(before, name)
			}
			if len(before) > 0 {
				t.Fatalf("%+v: files are gone", opt)
			}
			before = contentsOf(t, dir)
			continue
		}
		if d := difference(want, mustSnapshot(t, s)); d != "" {
			t.Fatalf("%+v: %s", opt, d)
		}
		mustBeClean(t, s)
		mustClose(t, s)
		before = contentsOf(t, dir)
	}
	return refused
}

// TestCutManifest cuts the MANIFEST at every length, of a store loaded once, of one loaded several times, and of one
// that a version without the file HEAD wrote.
func TestCutManifest(t *testing.T) {
	once := legacyStore(t, rmat(t, 10, 16))
	often := legacyStore(t, rmat(t, 9, 8), rmat(t, 9, 9), rmat(t, 9, 10))
	old := copyStore(t, often)
	os.Remove(filepath.Join(old, headName))
	for _, whole := range []string{once, often, old} {
		s := mustOpen(t, whole, Options{ReadOnly: true})
		want := mustSnapshot(t, s)
		mustClose(t, s)
		data, err := os.ReadFile(filepath.Join(whole, markName))
		if err != nil {
			t.Fatal(err)
		}
		refused := 0
		for n := range data {
			dir := copyStore(t, whole)
			if err := os.Truncate(filepath.Join(dir, markName), int64(n)); err != nil {
				t.Fatal(err)
			}
			if mustRefuseOrAnswer(t, dir, want) {
				refused++
			} else if n <= 16 {
				t.Errorf("%d bytes of the MANIFEST are enough", n)
			}
			if n == 22 {
				_, err := Open(dir, Options{ReadOnly: true})
				wantError(t, err, ErrCorrupt, dir, "MANIFEST is cut short")
			}
		}
		t.Logf("%d of %d cuts were refused", refused, len(data))
	}
}

// TestCutManifestUnclean cuts the MANIFEST of a store that a killed process left as well.
func TestCutManifestUnclean(t *testing.T) {
	killed := legacyStore(t, killGraph(1))
	helper("legacy load", killed).Run()
	if !unclean(killed) {
		t.Fatal("the killed process left a clean store")
	}
	s := mustOpen(t, copyStore(t, killed), Options{})
	want := mustSnapshot(t, s)
	mustClose(t, s)
	data, _ := os.ReadFile(filepath.Join(killed, markName))
	refused := 0
	for n := 8; n < len(data); n += 9 { // a log takes long to copy
		dir := copyStore(t, killed)
		if err := os.Truncate(filepath.Join(dir, markName), int64(n)); err != nil {
			t.Fatal(err)
		}
		if mustRefuseOrAnswer(t, dir, want) {
			refused++
		}
	}
	t.Logf("%d of %d cuts were refused", refused, len(data)/9)
}

// TestUnnamedTables leaves tables that the MANIFEST does not name and a record that is cut short, as a killed process may.
func TestUnnamedTables(t *testing.T) {
	for _, headFile := range []bool{true, false} {
		dir := legacyStore(t, rmat(t, 10, 16))
		s := mustOpen(t, dir, Options{ReadOnly: true})
		want := mustSnapshot(t, s)
		mustClose(t, s)
		tables, _ := filepath.Glob(filepath.Join(dir, "*.sst"))
		data, err := os.ReadFile(tables[0])
		if err != nil {
			t.Fatal(err)
		}
		os.WriteFile(filepath.Join(dir, "000071.sst"), data, 0o644)
		os.WriteFile(filepath.Join(dir, "000072.sst"), data[:len(data)/2], 0o644)
		os.WriteFile(filepath.Join(dir, "000073.sst"), nil, 0o644)
		edit(t, filepath.Join(dir, markName), func(b []byte) []byte { return append(b, 0, 0, 0, 24, 1, 2) })
		if !headFile {
			os.Remove(filepath.Join(dir, headName))
		}
		if mustRefuseOrAnswer(t, dir, want) {
			t.Error("refused")
		}
		if left, _ := filepath.Glob(filepath.Join(dir, "*.sst")); len(left) != len(tables)+3 {
			t.Errorf("reading leaves the tables %v", left)
		}
		s = mustOpen(t, dir, Options{})
		count(t, s, 0, Sync)
		mustBeClean(t, s)
		mustClose(t, s)
		if left, _ := filepath.Glob(filepath.Join(dir, "*.sst")); len(left) > 0 {
			t.Errorf("a write leaves the tables %v", left)
		}
	}
}

// TestLegacyHeadFile: the file HEAD publishes, whatever the key says; without it the key counts; damaged it is refused.
func TestLegacyHeadFile(t *testing.T) {
	dir := legacyStore(t, rmat(t, 10, 16))
	path := filepath.Join(dir, headName)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	os.Remove(path)
	for _, opt := range []Options{{ReadOnly: true}, {}} {
		s := mustOpen(t, dir, opt)
		if s.Empty() {
			t.Errorf("%+v: empty", opt)
		}
		mustClose(t, s)
	}
	w, err := openLegacyWriter(dir) // the key is not written, as if killed between the two
	if err == nil {
		err = w.db.Update(func(txn *badger.Txn) error { return txn.Delete(headKey()) })
	}
	if err == nil {
		err = w.db.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	os.WriteFile(path, whole, 0o644)
	s := mustOpen(t, dir, Options{ReadOnly: true})
	if s.Empty() {
		t.Error("empty without the key")
	}
	mustBeClean(t, s)
	mustClose(t, s)
	mustRefuseHeads(t, dir, whole)
	os.Remove(filepath.Join(dir, markName))
	_, err = Open(dir, Options{Create: true})
	wantError(t, err, ErrCorrupt, dir, "MANIFEST is missing")
}

// mustRefuseHeads opens a store with each byte of HEAD changed, and with an empty one.
func mustRefuseHeads(t *testing.T, dir string, whole []byte) {
	t.Helper()
	path := filepath.Join(dir, headName)
	for at := range len(whole) + 1 {
		edit(t, path, func([]byte) []byte {
			if at == len(whole) {
				return nil
			}
			b := slices.Clone(whole)
			b[at] ^= 0x80
			return b
		})
		_, err := Open(dir, Options{})
		if !errors.Is(err, ErrCorrupt) && !(at == 0 && errors.Is(err, ErrNewerFormat)) {
			t.Errorf("byte %d: %v", at, err)
		}
	}
	edit(t, path, func([]byte) []byte { return whole })
}

// TestDamagedOthers damages the files that hold nothing of the graph: opening says what to do, or the graph is whole.
func TestDamagedOthers(t *testing.T) {
	whole := legacyStore(t, rmat(t, 10, 16))
	s := mustOpen(t, whole, Options{ReadOnly: true})
	want := mustSnapshot(t, s)
	mustClose(t, s)
	logs, _ := filepath.Glob(filepath.Join(whole, "*.vlog"))
	if len(logs) == 0 {
		t.Fatal("no value log")
	}
	for _, file := range []string{"KEYREGISTRY", filepath.Base(logs[0])} {
		data, err := os.ReadFile(filepath.Join(whole, file))
		if err != nil {
			t.Fatal(err)
		}
		try := func(what int, damaged []byte) {
			t.Helper()
			for _, opt := range []Options{{ReadOnly: true}, {}} {
				dir := copyStore(t, whole)
				os.WriteFile(filepath.Join(dir, file), damaged, 0o644)
				s, err := Open(dir, opt)
				if err == nil {
					if d := difference(want, mustSnapshot(t, s)); d != "" {
						t.Errorf("%s, %d: %s", file, what, d)
					}
					mustClose(t, s)
					continue
				}
				if e := new(Error); !errors.As(err, &e) || e.Do == "" || !errors.Is(err, ErrCorrupt) {
					t.Errorf("%s, %d, %+v: %v", file, what, opt, err)
				} else if what%7 == 0 {
					t.Log(err)
				}
			}
		}
		for at := range data[:min(len(data), 40)] {
			b := slices.Clone(data)
			b[at] ^= 0x21
			try(at, b)
			try(-at, data[:at])
		}
		try(1000, append(slices.Clone(data), "more that is none"...))
	}
}
