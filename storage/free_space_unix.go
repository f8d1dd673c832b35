//go:build linux || darwin || freebsd

package storage

import (
	"io/fs"
	"syscall"

	"golang.org/x/sys/unix"
)

// freeSpace is how many bytes this user may still write to the file system of dir; false if that is unknown.
func freeSpace(dir string) (uint64, bool) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil || st.Blocks == 0 {
		return 0, false
	}
	return uint64(max(int64(st.Bavail), 0)) * uint64(st.Bsize), true
}

// allocated is what a file takes on disk: Badger's logs have holes.
func allocated(info fs.FileInfo) uint64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Blocks) * 512
	}
	return uint64(info.Size())
}
