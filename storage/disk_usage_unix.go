//go:build linux || darwin || freebsd

package storage

import (
	"io/fs"
	"syscall"
)

// allocated is what a file takes on disk: logs may have holes.
func allocated(info fs.FileInfo) uint64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Blocks) * 512
	}
	return uint64(info.Size())
}
