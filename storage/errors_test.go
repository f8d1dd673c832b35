package storage

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/dgraph-io/badger/v4"

	"github.com/motifql/motif/internal/csr"
)

// wantError sees that an error has its reason, names the path, and says something to do.
func wantError(t *testing.T, err error, reason error, path string, words ...string) {
	t.Helper()
	var e *Error
	if !errors.Is(err, reason) || !errors.As(err, &e) {
		t.Fatalf("error %v, want one of %v", err, reason)
	}
	text := err.Error()
	for _, w := range append(words, showPath(path)) {
		if !strings.Contains(text, w) {
			t.Errorf("%q does not say %q", text, w)
		}
	}
	if e.Do == "" || strings.Contains(text, "\n") {
		t.Errorf("%q is not one line that says what to do", text)
	}
	t.Log(text)
}

// storeDir is a store with a small graph, closed.
func storeDir(t testing.TB) string {
	dir := t.TempDir()
	s := mustOpen(t, dir, Options{Create: true})
	mustPublish(t, s, rmat(t, 10, 16))
	mustClose(t, s)
	return dir
}

func TestNotStore(t *testing.T) {
	base := t.TempDir()
	missing := filepath.Join(base, "missing")
	for _, opt := range []Options{{}, {ReadOnly: true}, {ReadOnly: true, Create: true}} {
		_, err := Open(missing, opt)
		wantError(t, err, ErrNotStore, missing, "no such directory")
		if !errors.Is(err, fs.ErrNotExist) {
			t.Error("a missing directory is not fs.ErrNotExist")
		}
		if _, err := os.Stat(missing); !errors.Is(err, fs.ErrNotExist) {
			t.Fatal("opening made the directory")
		}
	}
	empty := filepath.Join(base, "empty")
	os.Mkdir(empty, 0o755)
	_, err := Open(empty, Options{})
	wantError(t, err, ErrNotStore, empty, "empty")

	other := filepath.Join(base, "other")
	os.Mkdir(other, 0o755)
	for _, name := range []string{"a.txt", "b.txt", "c.txt", "d.txt"} {
		os.WriteFile(filepath.Join(other, name), nil, 0o644)
	}
	for _, opt := range []Options{{}, {ReadOnly: true}, {Create: true}} {
		_, err := Open(other, opt)
		wantError(t, err, ErrNotStore, other, "a.txt", "1 more")
	}
	file := filepath.Join(other, "a.txt")
	_, err = Open(file, Options{Create: true})
	wantError(t, err, ErrNotStore, file, "a file")
	_, err = Open(filepath.Join(file, "below"), Options{Create: true})
	if err == nil {
		t.Error("a store below a file")
	}

	foreign := filepath.Join(base, "foreign")
	db, err := badger.Open(badger.DefaultOptions(foreign).WithLogger(nil))
	if err != nil {
		t.Fatal(err)
	}
	db.Close()
	before := listing(t, foreign)
	for _, opt := range []Options{{}, {ReadOnly: true}, {Create: true}} {
		_, err := Open(foreign, opt)
		wantError(t, err, ErrNotStore, foreign, "another program")
	}
	if after := listing(t, foreign); after != before {
		t.Errorf("another program's directory changed from %s to %s", before, after)
	}
}

func listing(t *testing.T, dir string) string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		info, _ := e.Info()
		names = append(names, e.Name()+" "+info.ModTime().String())
	}
	return strings.Join(names, ", ")
}

func TestLocked(t *testing.T) {
	dir := storeDir(t)
	s := mustOpen(t, dir, Options{})
	for _, opt := range []Options{{}, {ReadOnly: true}} {
		_, err := Open(dir, opt)
		wantError(t, err, ErrLocked, dir, "this process")
	}
	mustClose(t, s)

	cmd := helper("load", dir) // another process that writes
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	out.Read(make([]byte, 1))
	_, err = Open(dir, Options{ReadOnly: true})
	wantError(t, err, ErrLocked, dir, "process", "writing")
	cmd.Process.Kill()
	cmd.Wait()

	r1 := mustOpen(t, dir, Options{ReadOnly: true})
	r2 := mustOpen(t, dir, Options{ReadOnly: true})
	_, err = Open(dir, Options{})
	wantError(t, err, ErrLocked, dir, "reading")
	mustClose(t, r1)
	mustClose(t, r2)
	mustClose(t, mustOpen(t, dir, Options{}))
}

// TestReadOnlyChangesNothing sees that reading a store leaves its files as they are.
func TestReadOnlyChangesNothing(t *testing.T) {
	dir := storeDir(t)
	before := listing(t, dir)
	s := mustOpen(t, dir, Options{ReadOnly: true})
	mustSnapshot(t, s)
	mustBeClean(t, s)
	_, err := s.Publish(context.Background(), mustSnapshot(t, s), nil)
	wantError(t, err, ErrReadOnly, dir)
	mustClose(t, s)
	if after := listing(t, dir); after != before {
		t.Errorf("files changed from %s to %s", before, after)
	}
}

// TestRepair opens a store read-only that a killed process left.
func TestRepair(t *testing.T) {
	dir := storeDir(t)
	helper("load", dir, atVar+"=3").Run()
	if !unclean(dir) {
		t.Fatal("the killed process left a clean store")
	}
	held, err := lockDir(dir, true) // somebody reads, so that repairing is impossible
	if err != nil {
		t.Fatal(err)
	}
	_, err = Open(dir, Options{ReadOnly: true})
	wantError(t, err, ErrRepair, dir, "killed")
	if !errors.Is(err, ErrLocked) {
		t.Error("the error does not say that the store is in use")
	}
	held.release()
	s := mustOpen(t, dir, Options{ReadOnly: true})
	mustBeClean(t, s)
	if unclean(dir) {
		t.Error("the store was not repaired")
	}
}

func TestNewerFormat(t *testing.T) {
	dir := storeDir(t)
	s := mustOpen(t, dir, Options{})
	err := s.db.Update(func(txn *badger.Txn) error {
		return txn.Set(formatKey, append([]byte{formatVersion + 1, 1}, "motif v9.1.0\x01\x02\x03\x04"...))
	})
	if err != nil {
		t.Fatal(err)
	}
	mustClose(t, s)
	for _, opt := range []Options{{}, {ReadOnly: true}, {Create: true}} {
		_, err := Open(dir, opt)
		wantError(t, err, ErrNewerFormat, dir, "format 3", "motif v9.1.0")
	}
	// A newer Badger.
	dir = storeDir(t)
	edit(t, filepath.Join(dir, manifestName), func(b []byte) []byte { b[7] = byte(badgerVersion) + 1; return b })
	_, err = Open(dir, Options{ReadOnly: true})
	wantError(t, err, ErrNewerFormat, dir)
}

func edit(t testing.TB, path string, change func([]byte) []byte) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, change(data), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestDamagedFiles damages the files of a store in many ways: opening says so, and neither panics nor ends the process.
func TestDamagedFiles(t *testing.T) {
	whole := storeDir(t)
	tables, err := filepath.Glob(filepath.Join(whole, "*.sst"))
	if err != nil || len(tables) == 0 {
		t.Fatalf("no tables: %v", err)
	}
	name := filepath.Base(tables[0])
	damage := func(file string, change func([]byte) []byte, words ...string) {
		t.Helper()
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS(whole)); err != nil {
			t.Fatal(err)
		}
		if change == nil {
			os.Remove(filepath.Join(dir, file))
		} else {
			edit(t, filepath.Join(dir, file), change)
		}
		for _, opt := range []Options{{ReadOnly: true}, {}} {
			s, err := Open(dir, opt)
			if err == nil {
				mustClose(t, s)
				t.Fatalf("%s: the damage was not noticed", file)
			}
			wantError(t, err, ErrCorrupt, dir, words...)
		}
	}
	size := 0
	damage(name, func(b []byte) []byte { size = len(b); return b[:len(b)-1] }, name)
	damage(name, func(b []byte) []byte { return b[:len(b)/2] }, name)
	damage(name, func(b []byte) []byte { return b[:3] }, name)
	damage(name, func(b []byte) []byte { return nil }, name)
	damage(name, nil, name, "missing")
	for at := 0; at < size; at += size/24 + 1 {
		damage(name, func(b []byte) []byte { b[at] ^= 0x10; return b }, name)
	}
	damage(name, func(b []byte) []byte { b[size/3] ^= 1; return b }, "relationships of type", "from vertex", "epoch 1")
	damage(manifestName, func(b []byte) []byte { return b[:5] }, "MANIFEST")
	damage(manifestName, func(b []byte) []byte { b[len(b)-1] ^= 1; return b }, "MANIFEST")
	damage(manifestName, nil, "MANIFEST")
}

func TestNoSpace(t *testing.T) {
	dir := storeDir(t)
	s := mustOpen(t, dir, Options{})
	before := mustSnapshot(t, s)
	var err error
	for _, free := range []uint64{0, 20 << 20} {
		s.freeSpace = func(string) (uint64, bool) { return free, true }
		_, err = s.Publish(context.Background(), rmat(t, 8, 8), nil)
		wantError(t, err, ErrNoSpace, dir, "MiB")
	}
	mustBeClean(t, s)
	if s.cached.Store(nil); difference(before, mustSnapshot(t, s)) != "" {
		t.Error("the graph before is gone")
	}
	s.freeSpace = func(string) (uint64, bool) { return 0, false } // unknown
	mustPublish(t, s, before)
	mustClose(t, s)

	helper("load", dir, atVar+"=4").Run() // leaves blocks behind
	var log bytes.Buffer
	s = newStore(dir, Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	s.freeSpace = func(string) (uint64, bool) { return 1 << 20, true }
	if s.lock, err = lockDir(dir, false); err != nil {
		t.Fatal(err)
	}
	wantError(t, s.start(), ErrNoSpace, dir)
	free := uint64(40 << 20) // enough to open, after that not to remove
	s.freeSpace = func(string) (uint64, bool) { defer func() { free = 0 }(); return free, true }
	if err := s.start(); err != nil || !strings.Contains(log.String(), "left in the store") {
		t.Errorf("log %q, error %v", &log, err)
	}
	mustClose(t, s)
}

func TestPermission(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may do everything: permissions cannot be tested as root")
	}
	dir := storeDir(t)
	os.Chmod(dir, 0o000)
	_, err := Open(dir, Options{})
	os.Chmod(dir, 0o500)
	wantError(t, err, ErrPermission, dir)
	_, err = Open(dir, Options{})
	wantError(t, err, ErrPermission, dir)
	s := mustOpen(t, dir, Options{ReadOnly: true})
	mustSnapshot(t, s)
	mustClose(t, s)
	os.Chmod(dir, 0o700)
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		err    error
		reason error
	}{
		{syscall.ENOSPC, ErrNoSpace},
		{&fs.PathError{Op: "write", Path: "x", Err: syscall.EDQUOT}, ErrNoSpace},
		{errors.New("while creating table: x err: " + syscall.ENOSPC.Error()), ErrNoSpace},
		{fs.ErrPermission, ErrPermission},
		{errors.New("open x: " + syscall.EROFS.Error()), ErrPermission},
		{errors.New("anything"), ErrIO},
		{badger.ErrDBClosed, ErrClosed},
		{context.Canceled, context.Canceled},
	} {
		if err := wrap("dir", "testing", c.err); !errors.Is(err, c.reason) || !errors.Is(err, c.err) {
			t.Errorf("%v became %v", c.err, err)
		}
	}
	if wrap("dir", "testing", nil) != nil {
		t.Error("no error became one")
	}
}

// TestGuard makes Badger's endless tries to write a table an error.
func TestGuard(t *testing.T) {
	s := mustOpen(t, t.TempDir(), Options{Create: true})
	never := make(chan struct{})
	defer close(never)
	err := s.guard("writing the graph", func() error {
		for range 3 {
			s.from.Errorf("error flushing memtable to disk: %v, retrying", syscall.ENOSPC)
		}
		<-never
		return nil
	})
	wantError(t, err, ErrNoSpace, s.dir, "writing the graph")
	if _, err := s.Publish(context.Background(), newSnapshot(t, csr.Data{}), nil); !errors.Is(err, ErrNoSpace) {
		t.Errorf("a broken store takes a graph: %v", err)
	}
	if err := s.Close(); !errors.Is(err, ErrNoSpace) {
		t.Errorf("closing a broken store: %v", err)
	}
	mustClose(t, s)
}

func TestClosed(t *testing.T) {
	dir := storeDir(t)
	s := mustOpen(t, dir, Options{})
	mustClose(t, s)
	mustClose(t, s)
	_, err := s.Snapshot(context.Background())
	wantError(t, err, ErrClosed, dir)
	_, err = s.Publish(context.Background(), newSnapshot(t, csr.Data{}), nil)
	wantError(t, err, ErrClosed, dir)
	_, err = s.Check(context.Background())
	wantError(t, err, ErrClosed, dir)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := mustOpen(t, dir, Options{}).Snapshot(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled context: %v", err)
	}
}
