package spool

import (
	"errors"
	"strings"
	"syscall"
	"testing"
)

// TestFull fills a small file system: the error names the folder and the size of the file, and the folder is empty afterwards.
func TestFull(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("none", dir, "tmpfs", 0, "size=1m"); err != nil {
		t.Skipf("SKIPPED: no small file system can be mounted here (that needs root): %v", err)
	}
	defer syscall.Unmount(dir, 0)
	s, err := New(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	list, words := s.NewList(), make([]uint64, pieceWords)
	for range 1000 {
		if err = list.Append(words...); err != nil {
			break
		}
	}
	full, ok := errors.AsType[*Error](err)
	if !ok || !errors.Is(full, syscall.ENOSPC) || !strings.Contains(err.Error(), dir) || !strings.Contains(err.Error(), "MiB") {
		t.Errorf("a full disk gives %v", err)
	}
}
