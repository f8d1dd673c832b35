package storage

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
)

// faultMode says which calls fail after the first that does.
type faultMode int

const (
	failOnce    faultMode = iota
	failAlways            // all
	failFitting           // those that a system in such a state refuses: a full one writes, one without descriptors opens
	faultModes
)

func (m faultMode) String() string { return [...]string{"once", "always", "fitting"}[m] }

// fittingCalls are the calls that fail for long where an error has a lasting cause.
var fittingCalls = map[syscall.Errno][]string{
	syscall.EIO:    {"write", "fdatasync", "read", "allocate"},
	syscall.ENOSPC: {"create", "write", "fdatasync", "allocate", "mkdir", "rename"},
	syscall.EMFILE: {"create", "open", "readfile", "readdir", "syncdir"},
}

var faultErrors = []syscall.Errno{syscall.EIO, syscall.ENOSPC, syscall.EMFILE}

// faultDisk is the real disk, calls of which fail. It makes nothing durable, for speed.
type faultDisk struct {
	real realDisk
	at   int // the first call that fails, counted from 1; 0: none
	mode faultMode
	err  syscall.Errno
	tidy bool // a call that fails has no effect, but a write part of it
	odds int  // if not 0, every call fails with a chance of 1 to odds

	mu     sync.Mutex
	rng    *rand.Rand
	calls  int
	kinds  map[string]int      // calls by kind
	failed []string            // the calls that failed
	files  map[*os.File]string // open files
}

func newFaultDisk(seed uint64) *faultDisk {
	return &faultDisk{rng: rand.New(rand.NewPCG(seed, 11)), kinds: make(map[string]int), files: make(map[*os.File]string)}
}

// heal ends all failures.
func (d *faultDisk) heal() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.at, d.odds = 0, 0
}

// failures lists the calls that failed so far.
func (d *faultDisk) failures() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.failed)
}

// call counts a call, and returns its error if it is to fail.
func (d *faultDisk) call(op, path string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.calls++
	d.kinds[op]++
	fails := d.at > 0 && d.calls == d.at && d.mode != failFitting || d.odds > 0 && d.rng.IntN(d.odds) == 0
	if d.at > 0 && d.calls >= d.at {
		switch d.mode {
		case failAlways:
			fails = true
		case failFitting:
			fails = slices.Contains(fittingCalls[d.err], op)
		}
	}
	if !fails {
		return nil
	}
	d.failed = append(d.failed, fmt.Sprintf("%d: %s %s", d.calls, op, filepath.Join(filepath.Base(filepath.Dir(path)), filepath.Base(path))))
	return &fs.PathError{Op: op, Path: path, Err: d.err}
}

// sometimes reports for a call that fails whether it has an effect all the same.
func (d *faultDisk) sometimes() bool { return !d.tidy && d.upTo(1) == 1 }

// upTo is a random number from 0 to n.
func (d *faultDisk) upTo(n int) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.rng.IntN(n + 1)
}

func (d *faultDisk) Create(path string) (file, error) {
	if err := d.call("create", path); err != nil {
		if d.sometimes() {
			if f, err := d.real.Create(path); err == nil {
				f.Close()
			}
		}
		return nil, err
	}
	return d.opened(d.real.Create(path))
}

func (d *faultDisk) Open(path string, write bool) (file, error) {
	if err := d.call("open", path); err != nil {
		return nil, err
	}
	return d.opened(d.real.Open(path, write))
}

func (d *faultDisk) opened(f file, err error) (file, error) {
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	under := f.(realFile)
	d.files[under.File] = under.Name()
	return &faultFile{under, d}, nil
}

func (d *faultDisk) ReadFile(path string) ([]byte, error) {
	if err := d.call("readfile", path); err != nil {
		return nil, err
	}
	return d.real.ReadFile(path)
}

func (d *faultDisk) ReadDir(path string) ([]fs.DirEntry, error) {
	if err := d.call("readdir", path); err != nil {
		return nil, err
	}
	return d.real.ReadDir(path)
}

func (d *faultDisk) Mkdir(path string) error {
	if err := d.call("mkdir", path); err != nil {
		return err
	}
	return d.real.Mkdir(path)
}

func (d *faultDisk) Rename(from, to string) error {
	if err := d.call("rename", from); err != nil {
		if d.sometimes() {
			d.real.Rename(from, to)
		}
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: d.err}
	}
	return d.real.Rename(from, to)
}

func (d *faultDisk) Remove(path string) error {
	if err := d.call("remove", path); err != nil {
		if d.sometimes() {
			d.real.Remove(path)
		}
		return err
	}
	return d.real.Remove(path)
}

func (d *faultDisk) SyncDir(path string) error { return d.call("syncdir", path) }

type faultFile struct {
	realFile
	disk *faultDisk
}

func (f *faultFile) ReadAt(p []byte, off int64) (int, error) {
	if err := f.disk.call("read", f.Name()); err != nil {
		return 0, err
	}
	return f.realFile.ReadAt(p, off)
}

// WriteAt writes a part of p before it fails.
func (f *faultFile) WriteAt(p []byte, off int64) (int, error) {
	if err := f.disk.call("write", f.Name()); err != nil {
		n, _ := f.realFile.WriteAt(p[:f.disk.upTo(len(p))], off)
		return n, err
	}
	return f.realFile.WriteAt(p, off)
}

func (f *faultFile) Size() (int64, error) {
	if err := f.disk.call("stat", f.Name()); err != nil {
		return 0, err
	}
	return f.realFile.Size()
}

// Allocate gets half way before it fails.
func (f *faultFile) Allocate(from, to int64) error {
	if err := f.disk.call("allocate", f.Name()); err != nil {
		if f.disk.sometimes() {
			f.realFile.Allocate(from, from+1+int64(f.disk.upTo(int(to-from)-1)))
		}
		return err
	}
	return f.realFile.Allocate(from, to)
}

func (f *faultFile) Truncate(size int64) error {
	if err := f.disk.call("truncate", f.Name()); err != nil {
		return err
	}
	return f.realFile.Truncate(size)
}

func (f *faultFile) Sync() error { return f.disk.call("fdatasync", f.Name()) }
func (f *faultFile) Forget()     {}

// Close closes the file also where it fails, as the system does.
func (f *faultFile) Close() error {
	err := f.disk.call("close", f.Name())
	f.disk.mu.Lock()
	delete(f.disk.files, f.File)
	f.disk.mu.Unlock()
	if err := f.realFile.Close(); err != nil {
		return err
	}
	return err
}
