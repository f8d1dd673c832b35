package storage

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// allocate makes a file longer. The file system reserves the space, where it can: then no later write to it fails for lack of
// space.
func allocate(f *os.File, from, to int64) error {
	for {
		err := unix.Fallocate(int(f.Fd()), 0, from, to-from)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.EOPNOTSUPP), errors.Is(err, unix.ENOSYS):
			return writeZeros(f, from, to)
		case err != nil:
			return &os.PathError{Op: "allocate", Path: f.Name(), Err: err}
		}
		return nil
	}
}

// syncData makes a file's contents and length durable, but not its times.
func syncData(f *os.File) error {
	for {
		err := unix.Fdatasync(int(f.Fd()))
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return &os.PathError{Op: "fdatasync", Path: f.Name(), Err: err}
		}
		return nil
	}
}

func forget(f *os.File) { _ = unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED) } // only an advice
