package storage

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// A store that another process writes to can be read from a copy. The files of an epoch never change and its log only grows; so a
// copy is whole if HEAD was the same before and after: the log may end in the middle of a transaction, which opening the
// copy drops. What the copy holds is a state that was published while it was made.

const copyTries = 100

// openCopy opens a copy of the store in dir, which goes when it is closed.
func openCopy(dir string, opt Options) (*Store, error) {
	if kind, err := inspect(realDisk{}, dir); err != nil || kind == noStore {
		opt.Snapshot, opt.ReadOnly = false, true
		return Open(dir, opt) // which says what is wrong
	}
	temp, err := os.MkdirTemp("", "motif-snapshot-")
	if err != nil {
		return nil, wrap(dir, "copying the store", err)
	}
	s, err := tryCopies(dir, temp, opt)
	if err != nil {
		os.RemoveAll(temp)
		return nil, err
	}
	s.temp = temp
	return s, nil
}

func tryCopies(dir, temp string, opt Options) (*Store, error) {
	for try := range copyTries {
		at := filepath.Join(temp, "store")
		if err := os.Mkdir(at, 0o700); err != nil {
			return nil, wrap(dir, "copying the store", err)
		}
		whole, err := copyFiles(dir, at)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, wrap(dir, "copying the store", err)
		}
		if err == nil && whole {
			opt.Snapshot, opt.ReadOnly, opt.copied = false, true, true
			return Open(at, opt)
		}
		if err := os.RemoveAll(at); err != nil {
			return nil, wrap(dir, "copying the store", err)
		}
		time.Sleep(time.Duration(try) * time.Millisecond)
	}
	return nil, &Error{Reason: ErrLocked, Path: showPath(dir), What: "another process writes to the store all the time: no copy could be made",
		Do: "try again, or wait until it is done"}
}

// copyFiles copies a store's files and reports whether the copy is whole. A file that goes meanwhile is fs.ErrNotExist.
func copyFiles(from, to string) (whole bool, err error) {
	before, err := pointers(from)
	if err != nil {
		return false, err
	}
	h, err := readHead(realDisk{}, from)
	switch {
	case err != nil:
		return false, err
	case h == nil:
		err = copyLegacy(from, to)
	default:
		err = copyEpoch(from, to, h)
	}
	if err != nil {
		return false, err
	}
	after, err := pointers(from)
	if err != nil || !slices.EqualFunc(before, after, bytes.Equal) {
		return false, err
	}
	for i, name := range pointerFiles {
		if before[i] == nil {
			continue
		}
		if err := os.WriteFile(filepath.Join(to, name), before[i], 0o600); err != nil {
			return false, err
		}
	}
	return true, nil
}

// copyEpoch copies what a head names.
func copyEpoch(from, to string, h *head) error {
	if err := copySparse(filepath.Join(from, logName(h.epoch)), filepath.Join(to, logName(h.epoch))); err != nil {
		return err
	}
	if h.epoch == 0 {
		return nil
	}
	folder := epochFolder(h.epoch)
	entries, err := os.ReadDir(filepath.Join(from, folder))
	if err == nil {
		err = os.Mkdir(filepath.Join(to, folder), 0o700)
	}
	for _, e := range entries {
		if err == nil {
			err = copyWhole(filepath.Join(from, folder, e.Name()), filepath.Join(to, folder, e.Name()))
		}
	}
	return err
}

// copyLegacy copies the files of a store of an older format. Logs are listed first, so that where two are copied the first was
// complete.
func copyLegacy(from, to string) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := e.Name()
		if e.IsDir() || slices.Contains(copyNot, name) {
			continue
		}
		copyFile := copyWhole // and no link: Badger empties a table before it removes it
		if ext := filepath.Ext(name); ext == ".mem" || ext == ".vlog" {
			copyFile = copySparse
		}
		if err := copyFile(filepath.Join(from, name), filepath.Join(to, name)); err != nil {
			return err
		}
	}
	return nil
}

// copyNot are files of an older format that a copy does not need.
var copyNot = []string{lockName, headName + newSuffix, "MANIFEST-REWRITE"}

// pointerFiles are the files that say what the others are, and those that are replaced at any time.
var pointerFiles = []string{markName, headName, queriesName}

// pointers reads the pointer files; nil for one that is not there.
func pointers(dir string) (contents [][]byte, err error) {
	for _, name := range pointerFiles {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		contents = append(contents, data)
	}
	return contents, nil
}

// copyWhole copies a file, by reference where the file system can.
func copyWhole(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// copySparse copies a file and leaves holes where it has zeros: logs are made long and filled later.
func copySparse(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	at, block := int64(0), make([]byte, 64<<10)
	zeros := make([]byte, len(block))
	for err == nil {
		var n int
		n, err = io.ReadFull(in, block)
		if n > 0 && !bytes.Equal(block[:n], zeros[:n]) {
			if _, err := out.WriteAt(block[:n], at); err != nil {
				return errors.Join(err, out.Close())
			}
		}
		at += int64(n)
	}
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = out.Truncate(at)
	}
	return errors.Join(err, out.Close())
}
