package blobs

import (
	"os"
	"path/filepath"

	"github.com/motifql/motif/storage"
)

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
