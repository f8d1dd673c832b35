//go:build unix && !aix && !solaris

package storage

import (
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// dirLock is a lock on the directory of a store: the same flock on the directory that Badger would take, so that other
// Badger programs are kept out too. Of a writer, the file LOCK inside names the process.
type dirLock struct {
	dir    *os.File
	shared bool
}

// lockDir takes the lock, shared for reading. It fails with ErrLocked if another holds it. briefly says in the file LOCK that the
// process keeps the lock only for transactions.
func lockDir(path string, shared, briefly bool) (*dirLock, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, wrap(path, "opening the directory", err)
	}
	err = takeLock(f, path, shared)
	if err == nil && !shared {
		err = wrap(path, "writing the file LOCK", writeHolder(path, briefly))
	}
	if err != nil {
		f.Close() // which gives the lock back, too
		return nil, err
	}
	return &dirLock{f, shared}, nil
}

func takeLock(dir *os.File, path string, shared bool) error {
	how := unix.LOCK_EX
	if shared {
		how = unix.LOCK_SH
	}
	err := unix.Flock(int(dir.Fd()), how|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		readers := !shared && unix.Flock(int(dir.Fd()), unix.LOCK_SH|unix.LOCK_NB) == nil
		return lockedError(path, shared, readers)
	}
	return wrap(path, "locking the directory", err)
}

// lockedError says who has the lock. If that is readers, a file LOCK is a relic.
func lockedError(path string, shared, reading bool) error {
	e := &Error{Reason: ErrLocked, Path: showPath(path), What: "another process is using the store",
		Do: "wait until it is done, or end it"}
	switch who := readHolder(path); {
	case reading:
		e.What = "another process is reading the store"
	case who.pid == os.Getpid():
		e.What, e.Do = "this process has the store open already", "close it first, or share the one that is open"
	case who.pid > 0:
		e.What = who.String() + " is writing to the store" + who.when()
		if shared {
			e.Do = "wait until it is done, or read a copy of what it has published"
		}
	case !shared:
		e.What = "another process is reading the store"
	}
	return e
}

// release gives the lock back.
func (l *dirLock) release() error {
	var err error
	if !l.shared {
		err = os.Remove(filepath.Join(l.dir.Name(), lockName)) // first: whoever comes next writes its own
	}
	return errors.Join(err, l.dir.Close())
}

// syncDir makes the entries of a directory durable.
func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
