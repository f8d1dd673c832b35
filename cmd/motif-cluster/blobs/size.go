package blobs

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/motifql/motif/storage"
)

// Size returns how many bytes Fetch brings to a machine with an empty cache. For the folder of a store, it is how many bytes are there to be read.
func Size(ctx context.Context, url string) (n int64, err error) {
	if !strings.Contains(url, "://") {
		return folderSize(url)
	}
	pinned, err := Pin(ctx, url)
	if err != nil {
		return 0, err
	}
	b, err := Open(ctx, pinned, false)
	if err != nil {
		return 0, err
	}
	defer b.Close()
	_, hash, _ := strings.Cut(pinned, "#")
	m, err := b.manifest(ctx, hash)
	if err != nil {
		return 0, err
	}
	return m.bytes(), nil
}

// folderSize adds up the live files of a store.
func folderSize(dir string) (n int64, err error) {
	live, err := storage.ReadLiveFiles(dir)
	if err != nil {
		return 0, err
	}
	for _, contents := range live.Replaced {
		n += int64(len(contents))
	}
	for _, name := range append(live.Fixed, live.Log) {
		info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			return 0, err
		}
		n += info.Size()
	}
	return n, nil
}
