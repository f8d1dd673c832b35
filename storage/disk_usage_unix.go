//go:build linux || darwin || freebsd

package storage

import (
	"io/fs"
	"os"
	"syscall"
)

// deleted reports whether no directory names an open file any more. What is written to it then is lost when it is closed.
func deleted(f *os.File) bool {
	info, err := f.Stat()
	if err != nil {
		return false
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && st.Nlink == 0
}

// allocated is what a file takes on disk: logs may have holes.
func allocated(info fs.FileInfo) uint64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Blocks) * 512
	}
	return uint64(info.Size())
}
