//go:build !linux && !darwin && !freebsd

package storage

import "io/fs"

func allocated(info fs.FileInfo) uint64 { return uint64(info.Size()) }
