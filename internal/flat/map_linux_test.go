//go:build linux

package flat

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"syscall"
	"testing"
)

// Mapping touches no memory in the place of the file, also where the heap has used that memory before.
func TestMapTouchesNothing(t *testing.T) {
	supported(t)
	const size = 64 << 20
	path := filepath.Join(t.TempDir(), "flat")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := NewWriter(f, Owner{1})
	err = w.Add("zeros", 0, make([]byte, size))
	if err := errors.Join(err, w.Finish(), f.Close()); err != nil {
		t.Fatal(err)
	}
	dirty(2 * size)
	debug.FreeOSMemory() // the memory is the heap's, without pages
	dirty(1 << 20)
	runtime.GC() // and a little of it with pages
	var before, after syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &before); err != nil {
		t.Fatal(err)
	}
	file, err := Open(path, Owner{1}, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &after); err != nil {
		t.Fatal(err)
	}
	if faults, pages := after.Minflt-before.Minflt, int64(size/os.Getpagesize()); faults > pages/8 {
		t.Errorf("%d page faults for a file of %d pages", faults, pages)
	}
	if b, err := file.Section("zeros"); err != nil || len(b) != size {
		t.Errorf("%d bytes, %v", len(b), err)
	}
}

// dirty writes to memory that is the heap's again afterwards.
func dirty(n int) {
	b := make([]byte, n)
	for i := range b {
		b[i] = 1
	}
}
