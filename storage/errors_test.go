package storage

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"io/fs"
	"maps"
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

	cmd, out := startHelper(t, "load", dir) // another process that writes
	out.Read(make([]byte, 1))
	_, err := Open(dir, Options{ReadOnly: true})
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

// TestRepair opens stores that a killed process left, read-only: their files stay as they are.
func TestRepair(t *testing.T) {
	for _, dir := range []string{storeDir(t), legacyStore(t, rmat(t, 10, 16))} {
		verb := "load"
		if _, err := os.Stat(filepath.Join(dir, logName(1))); err != nil {
			verb = "legacy load"
		}
		helper(verb, dir, atVar+"=3").Run()
		os.Remove(filepath.Join(dir, lockName))
		before := contentsOf(t, dir)
		s := mustOpen(t, dir, Options{ReadOnly: true})
		mustBeClean(t, s)
		mustClose(t, s)
		if after := contentsOf(t, dir); !maps.Equal(before, after) {
			t.Errorf("%s: files changed", verb)
		}
	}
}

func TestNewerFormat(t *testing.T) {
	dir := legacyStore(t, rmat(t, 6, 4))
	w, err := openLegacyWriter(dir)
	if err == nil {
		err = w.set(formatKey, append([]byte{formatVersion + 1, 1}, "motif v9.1.0\x01\x02\x03\x04"...))
	}
	if err == nil {
		err = w.db.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, opt := range []Options{{}, {ReadOnly: true}, {Create: true}} {
		_, err := Open(dir, opt)
		wantError(t, err, ErrNewerFormat, dir, "format 5", "motif v9.1.0")
	}
	// A newer Badger.
	dir = legacyStore(t, rmat(t, 6, 4))
	edit(t, filepath.Join(dir, markName), func(b []byte) []byte { b[7] = byte(badgerVersion) + 1; return b })
	_, err = Open(dir, Options{ReadOnly: true})
	wantError(t, err, ErrNewerFormat, dir)
	// A store that is marked as one of the next format.
	for _, name := range []string{headName, markName} {
		dir = storeDir(t)
		edit(t, filepath.Join(dir, name), func(b []byte) []byte {
			at := 0
			if name == markName {
				os.Remove(filepath.Join(dir, headName))
				at = markLen
			}
			b[at] = formatVersion + 1
			return b
		})
		for _, opt := range []Options{{}, {ReadOnly: true}, {Create: true}} {
			_, err := Open(dir, opt)
			wantError(t, err, ErrNewerFormat, dir, "format 5")
		}
	}
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

// TestDamagedFiles damages the files of a store in many ways: opening it or reading its graph says so, and neither panics nor ends the
// process.
func TestDamagedFiles(t *testing.T) {
	current, legacy := storeDir(t), legacyStore(t, rmat(t, 10, 16))
	for _, whole := range []string{current, legacy} {
		folder := ""
		if whole == current {
			folder = epochFolder(1)
		}
		tables, err := filepath.Glob(filepath.Join(whole, folder, "*.sst"))
		if err != nil || len(tables) == 0 {
			t.Fatalf("no tables: %v", err)
		}
		base := filepath.Base(tables[0])
		name := filepath.Join(folder, base)
		damage := func(file string, change func([]byte) []byte, words ...string) {
			t.Helper()
			dir := copyStore(t, whole)
			if change == nil {
				os.Remove(filepath.Join(dir, file))
			} else {
				edit(t, filepath.Join(dir, file), change)
			}
			for _, opt := range []Options{{ReadOnly: true}, {}} {
				s, err := Open(dir, opt)
				if err == nil {
					if mustCheck(t, s).OK() {
						t.Errorf("%s: Check finds nothing", file)
					}
					_, err = s.Snapshot(t.Context())
					mustClose(t, s)
				}
				wantError(t, err, ErrCorrupt, dir, words...)
			}
		}
		size := 0
		damage(name, func(b []byte) []byte { size = len(b); return b[:len(b)-1] }, base)
		damage(name, func(b []byte) []byte { return b[:len(b)/2] }, base)
		damage(name, func(b []byte) []byte { return b[:3] }, base)
		damage(name, func(b []byte) []byte { return nil }, base)
		damage(name, nil, base, "missing")
		for at := 0; at < size; at += size/24 + 1 {
			damage(name, func(b []byte) []byte { b[at] ^= 0x10; return b }, base)
		}
		damage(name, func(b []byte) []byte { b[size/3] ^= 1; return b }, "relationships of type", "from vertex", "epoch 1")
		manifest := filepath.Join(folder, markName)
		damage(manifest, func(b []byte) []byte { return b[:5] }, "MANIFEST")
		damage(manifest, func(b []byte) []byte { b[len(b)-1] ^= 1; return b }, "MANIFEST")
		damage(manifest, nil, "MANIFEST")
		if whole == current {
			damage(headName, nil, "HEAD is missing")
			os.WriteFile(filepath.Join(whole, folder, "000009.sst"), nil, 0o644)
			damage(headName, func(b []byte) []byte { return b }, "000009.sst", "does not belong there")
		}
	}
}

// TestHeadFile changes each byte of HEAD, which publishes: the store is refused. The mark beside it can be made again.
func TestHeadFile(t *testing.T) {
	dir := storeDir(t)
	whole, err := os.ReadFile(filepath.Join(dir, headName))
	if err != nil {
		t.Fatal(err)
	}
	mustRefuseHeads(t, dir, whole)
	for _, damaged := range []func([]byte) []byte{func([]byte) []byte { return nil }, func(b []byte) []byte { b[20] ^= 1; return b }} {
		edit(t, filepath.Join(dir, markName), damaged)
		s := mustOpen(t, dir, Options{ReadOnly: true})
		if mustCheck(t, s).OK() {
			t.Error("Check does not look at the mark")
		}
		mustClose(t, s)
		s = mustOpen(t, dir, Options{})
		mustBeClean(t, s)
		mustClose(t, s)
	}
}

// TestFutureStore opens a store of this format as the programs of formats 1 and 2 do: they refuse it by its format.
func TestFutureStore(t *testing.T) {
	dir := storeDir(t)
	magic, err := os.ReadFile(filepath.Join(dir, markName))
	if err != nil || string(magic[:4]) != "Bdgr" || binary.BigEndian.Uint16(magic[4:]) != externalMagic || binary.BigEndian.Uint16(magic[6:]) <= badgerVersion {
		t.Errorf("the mark begins with %x: %v", magic[:8], err)
	}
	if _, err := badger.Open(badgerOptions(dir, true, badgerLog{})); err == nil {
		t.Error("Badger opens the store")
	}
}

// failingDisk is a disk whose calls of some kinds fail.
type failingDisk struct {
	disk
	err  error
	kind string
}

func (d *failingDisk) fails(kind string) error {
	if d.err != nil && (d.kind == "" || d.kind == kind) {
		return &fs.PathError{Op: kind, Path: "x", Err: d.err}
	}
	return nil
}

func (d *failingDisk) Create(path string) (file, error) {
	if err := d.fails("create"); err != nil {
		return nil, err
	}
	f, err := d.disk.Create(path)
	return &failingFile{f, d}, err
}

func (d *failingDisk) Open(path string, write bool) (file, error) {
	f, err := d.disk.Open(path, write)
	return &failingFile{f, d}, err
}

type failingFile struct {
	file
	disk *failingDisk
}

func (f *failingFile) WriteAt(b []byte, at int64) (int, error) {
	if err := f.disk.fails("write"); err != nil {
		return 0, err
	}
	return f.file.WriteAt(b, at)
}

func (f *failingFile) Allocate(from, to int64) error {
	return cmp.Or(f.disk.fails("write"), f.file.Allocate(from, to))
}

func (f *failingFile) Sync() error { return cmp.Or(f.disk.fails("sync"), f.file.Sync()) }

// TestNoSpace fills the disk under a store: what does not fit is an error, and all that was there stays.
func TestNoSpace(t *testing.T) {
	dir := storeDir(t)
	d := &failingDisk{disk: realDisk{}}
	s, err := openOn(d, dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	before := mustSnapshot(t, s)
	for _, kind := range []string{"create", "write", "sync"} {
		d.err, d.kind = syscall.ENOSPC, kind
		_, err := s.Publish(t.Context(), rmat(t, 8, 8), nil)
		wantError(t, err, ErrNoSpace, dir)
		d.err = nil
		mustBeClean(t, s)
		if got := epochs(t, s); len(got) != 1 {
			t.Errorf("epochs %v are left", got)
		}
		if s.cached.Store(nil); difference(before, mustSnapshot(t, s)) != "" {
			t.Error("the graph before is gone")
		}
	}
	mustPublish(t, s, before)
	mustClose(t, s)
}

// TestBroken makes a sync fail, which leaves a transaction that may be stored or not: the store takes nothing more until it is
// opened again.
func TestBroken(t *testing.T) {
	dir := t.TempDir()
	d := &failingDisk{disk: realDisk{}}
	s, err := openOn(d, dir, Options{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	count(t, s, 0, Sync)
	d.err, d.kind = syscall.EIO, "sync"
	err = tryCount(s, 1, Sync, "")
	wantError(t, err, ErrIO, dir, "not known")
	d.err = nil
	if err := tryCount(s, 1, Sync, ""); !errors.Is(err, ErrIO) {
		t.Errorf("a broken store takes a transaction: %v", err)
	}
	if n := counted(mustSnapshot(t, s)); n != 0 {
		t.Errorf("counter %d", n)
	}
	if err := s.Close(); !errors.Is(err, ErrIO) {
		t.Errorf("closing a broken store: %v", err)
	}
	s = mustOpen(t, dir, Options{})
	if n := counted(mustSnapshot(t, s)); n != 0 && n != 1 {
		t.Errorf("counter %d", n)
	}
	mustBeClean(t, s)
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
		{&fs.PathError{Op: "open", Path: "x", Err: syscall.EMFILE}, ErrIO},
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
