package storage

import (
	"context"
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/motifql/motif/internal/csr"
)

// TestFullDisk commits to a file system of 80 MiB until it is full: that is an error, and all that was committed is there
// afterwards.
func TestFullDisk(t *testing.T) {
	for _, compactAt := range []int64{-1, 3 << 20} {
		dir := t.TempDir()
		if err := syscall.Mount("none", dir, "tmpfs", 0, "size=80m"); err != nil {
			t.Skipf("SKIPPED: no small file system can be mounted here (that needs root): %v", err)
		}
		defer syscall.Unmount(dir, 0)
		at := dir + "/store"
		s := mustOpen(t, at, Options{Create: true, CompactAt: compactAt})
		done := int64(0)
		var err error
		for ; err == nil; done++ {
			if done == 5000 {
				t.Fatal("the disk does not get full")
			}
			err = fillDisk(s, done)
		}
		done-- // that which failed
		wantError(t, err, ErrNoSpace, at, "no space left")
		if n := mustSnapshot(t, s).N(); n != uint64(done) || n == 0 {
			t.Errorf("%d nodes after %d transactions", n, done)
		}
		mustBeClean(t, s)
		mustClose(t, s)
		s = mustOpen(t, at, Options{ReadOnly: true})
		if n := mustSnapshot(t, s).N(); n != uint64(done) {
			t.Errorf("%d nodes after opening again, %d transactions", n, done)
		}
		mustBeClean(t, s)
		t.Logf("%d transactions, %d compactions", done, s.head.Load().epoch)
		mustClose(t, s)
	}
}

// fillDisk adds a node of some weight.
func fillDisk(s *Store, i int64) error {
	tx, err := s.Begin(context.Background(), Durability(i%2))
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.Draft().CreateNode([]string{"N"}, []csr.Prop{{Key: "pad", Value: csr.StringCell(fmt.Sprint(i, strings.Repeat("x", 500_000)))}}); err != nil {
		return err
	}
	return tx.Commit(context.Background())
}
