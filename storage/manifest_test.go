package storage

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

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
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string]string)
	for _, e := range entries {
		if e.Name() == lockName { // a killed process leaves one, and the next takes it over
			continue
		}
		var data []byte
		if ext := filepath.Ext(e.Name()); ext != ".mem" && ext != ".vlog" {
			if data, err = os.ReadFile(filepath.Join(dir, e.Name())); err != nil {
				t.Fatal(err)
			}
		}
		all[e.Name()] = string(data)
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
	once := storeDir(t)
	often := t.TempDir()
	s := mustOpen(t, often, Options{Create: true})
	for i := range 3 {
		mustPublish(t, s, rmat(t, 9, 8+i))
	}
	mustClose(t, s)
	old := copyStore(t, often)
	os.Remove(filepath.Join(old, headName))
	for _, whole := range []string{once, often, old} {
		s := mustOpen(t, whole, Options{ReadOnly: true})
		want := mustSnapshot(t, s)
		mustClose(t, s)
		data, err := os.ReadFile(filepath.Join(whole, manifestName))
		if err != nil {
			t.Fatal(err)
		}
		refused := 0
		for n := range data {
			dir := copyStore(t, whole)
			if err := os.Truncate(filepath.Join(dir, manifestName), int64(n)); err != nil {
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
	killed := t.TempDir()
	s := mustOpen(t, killed, Options{Create: true})
	mustPublish(t, s, killGraph(1))
	mustClose(t, s)
	helper("load", killed, atVar+"=5").Run()
	if !unclean(killed) {
		t.Fatal("the killed process left a clean store")
	}
	s = mustOpen(t, copyStore(t, killed), Options{})
	want := mustSnapshot(t, s)
	mustClose(t, s)
	data, _ := os.ReadFile(filepath.Join(killed, manifestName))
	refused := 0
	for n := 8; n < len(data); n += 9 { // a log takes long to copy
		dir := copyStore(t, killed)
		if err := os.Truncate(filepath.Join(dir, manifestName), int64(n)); err != nil {
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
		dir := storeDir(t)
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
		edit(t, filepath.Join(dir, manifestName), func(b []byte) []byte { return append(b, 0, 0, 0, 24, 1, 2) })
		if !headFile {
			os.Remove(filepath.Join(dir, headName))
		}
		if mustRefuseOrAnswer(t, dir, want) {
			t.Error("refused")
		}
		if left, _ := filepath.Glob(filepath.Join(dir, "*.sst")); !slices.Equal(left, tables) {
			t.Errorf("tables %v are left of %v", left, tables)
		}
	}
}

// TestHeadFile: the file HEAD publishes, whatever the key says; without it the key counts, and opening for writing makes
// it again; damaged it is refused.
func TestHeadFile(t *testing.T) {
	dir := storeDir(t)
	path := filepath.Join(dir, headName)
	os.Remove(path)
	for _, opt := range []Options{{ReadOnly: true}, {}} {
		s := mustOpen(t, dir, opt)
		if s.Empty() {
			t.Errorf("%+v: empty", opt)
		}
		mustClose(t, s)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s := mustOpen(t, dir, Options{}) // the key is not written, as if killed between the two
	drop(t, s, headKey())
	mustClose(t, s)
	s = mustOpen(t, dir, Options{ReadOnly: true})
	if s.Empty() {
		t.Error("empty without the key")
	}
	mustBeClean(t, s)
	mustClose(t, s)
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
	os.Remove(filepath.Join(dir, manifestName))
	_, err = Open(dir, Options{Create: true})
	wantError(t, err, ErrCorrupt, dir, "MANIFEST is missing")
}

// TestDamagedOthers damages the files that hold nothing of the graph: opening says what to do, or the graph is whole.
func TestDamagedOthers(t *testing.T) {
	whole := storeDir(t)
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

func TestNoGraph(t *testing.T) {
	dir := t.TempDir()
	helper("load", dir, atVar+"=3").Run() // killed in its first load
	s := mustOpen(t, dir, Options{ReadOnly: true})
	wantError(t, s.NoGraph(), ErrNoGraph, dir, "motif load")
	mustClose(t, s)
	s = mustOpen(t, dir, Options{Create: true})
	mustPublish(t, s, rmat(t, 6, 4))
	if err := s.NoGraph(); err != nil {
		t.Error(err)
	}
	mustClose(t, s)
}
