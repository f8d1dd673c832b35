package blobs

import (
	"errors"
	"fmt"
	"path/filepath"
	"syscall"
	"testing"
)

// TestFullCache fetches into a file system that is too small.
func TestFullCache(t *testing.T) {
	at := newStore(t, random(t), 3000, 200_000)
	url, cache := "file://"+t.TempDir(), t.TempDir()
	pushed := push(t, at, url)
	if err := syscall.Mount("none", cache, "tmpfs", 0, fmt.Sprintf("size=%d", pushed.Bytes/2)); err != nil {
		t.Skipf("SKIPPED: no small file system can be mounted here (that needs root): %v", err)
	}
	defer syscall.Unmount(cache, 0)
	if _, err := Fetch(t.Context(), url, cache); !errors.Is(err, ErrCacheFull) {
		t.Errorf("the disk is full: %v", err)
	}
	if kept, _ := filepath.Glob(filepath.Join(cache, "snapshots", "*")); len(kept) > 0 {
		t.Errorf("there is a store: %v", kept)
	}
	if err := syscall.Mount("none", cache, "tmpfs", syscall.MS_REMOUNT, fmt.Sprintf("size=%d", 4*pushed.Bytes)); err != nil {
		t.Fatal(err)
	}
	if answers(t, fetch(t, url, cache)) != answers(t, at) {
		t.Error("other answers once there is room")
	}
}
