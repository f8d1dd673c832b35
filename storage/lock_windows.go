package storage

import (
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"
)

// dirLock is a lock on the file LOCK of a store.
type dirLock struct {
	file   *os.File
	shared bool
}

// lockDir takes the lock, shared for reading. It fails with ErrLocked if another holds it.
func lockDir(path string, shared, _ bool) (*dirLock, error) {
	f, err := os.OpenFile(filepath.Join(path, lockName), os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, wrap(path, "opening the file LOCK", err)
	}
	how := uint32(windows.LOCKFILE_FAIL_IMMEDIATELY)
	if !shared {
		how |= windows.LOCKFILE_EXCLUSIVE_LOCK
	}
	err = windows.LockFileEx(windows.Handle(f.Fd()), how, 0, 1, 0, new(windows.Overlapped))
	if err == nil {
		return &dirLock{f, shared}, nil
	}
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		err = &Error{Reason: ErrLocked, Path: showPath(path), What: "another process is using the store", Do: "wait until it is done, or end it"}
	}
	return nil, errors.Join(wrap(path, "locking the store", err), f.Close())
}

// release gives the lock back; closing does.
func (l *dirLock) release() error { return l.file.Close() }

// syncDir does nothing: Windows has no such call.
func syncDir(string) error { return nil }
