package storage

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
)

// LiveFiles names the files that a copy of a store needs.
type LiveFiles struct {
	Replaced map[string][]byte // what the files hold that are replaced as a whole, HEAD among them
	Fixed    []string          // files that never change, by their names in the store with slashes
	Log      string            // the change log: it grows, and zeros end it
	Restated int64             // how many bytes at the log's beginning are written anew when the store is closed
}

// ReadLiveFiles finds the files of the live graph in the folder of a store. Other processes may write to it: a copy is whole if Replaced is the
// same after the files were read, and a file may have gone (fs.ErrNotExist) if it is not. The log may then end within a transaction, which opening drops.
func ReadLiveFiles(dir string) (*LiveFiles, error) {
	kind, err := inspect(realDisk{}, dir)
	switch {
	case err != nil:
		return nil, err
	case kind == noStore:
		s, err := Open(dir, Options{ReadOnly: true}) // which says what is wrong
		if err == nil {
			err = errors.Join(s.Close(), notStore(dir, "the store was made just now", "try again", nil))
		}
		return nil, err
	case kind == oldStore:
		return nil, notStore(dir, "the store has an older format", "make a new one by backup and restore", nil)
	}
	contents, err := pointers(dir)
	if err != nil {
		return nil, wrap(dir, "reading the store's files", err)
	}
	h, err := readHead(realDisk{}, dir)
	if err != nil {
		return nil, err
	}
	if h == nil { // it has gone since
		return nil, notStore(dir, "there is no store", "check the path", fs.ErrNotExist)
	}
	live := &LiveFiles{Replaced: make(map[string][]byte), Log: logName(h.epoch), Restated: logHeaderLen}
	for i, name := range pointerFiles {
		if contents[i] != nil {
			live.Replaced[name] = contents[i]
		}
	}
	if h.epoch > 0 {
		live.Fixed, err = fixedFiles(dir, h.epoch)
	}
	return live, err
}

// fixedFiles lists the blocks of an epoch, and its flat file if it has one.
func fixedFiles(dir string, epoch uint64) (names []string, err error) {
	entries, err := os.ReadDir(filepath.Join(dir, epochFolder(epoch)))
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		names = append(names, path.Join(epochFolder(epoch), e.Name()))
	}
	slices.Sort(names)
	switch _, err := os.Stat(filepath.Join(dir, flatName(epoch))); {
	case err == nil:
		names = append(names, flatName(epoch))
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	return names, nil
}
