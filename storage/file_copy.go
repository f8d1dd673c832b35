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

// A store that another process writes to can be read from a copy. Tables never change, MANIFEST is only appended to or
// replaced, and logs only grow; so a copy is whole if MANIFEST and HEAD were the same before and after: a log may
// end in the middle of a transaction, which opening the copy drops. Logs are listed first, so that where two are
// copied the first was complete. What the copy holds is a state that was published while it was made.

const copyTries = 100

// openCopy opens a copy of the store in dir, which goes when it is closed.
func openCopy(dir string, opt Options) (*Store, error) {
	if present, err := inspect(dir); err != nil || !present {
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
	manifest, head, err := pointers(from)
	if err != nil {
		return false, err
	}
	entries, err := os.ReadDir(from)
	if err != nil {
		return false, err
	}
	for _, e := range entries {
		name := e.Name()
		if slices.Contains(copyNot, name) {
			continue
		}
		copyFile := copyWhole // and no link: Badger empties a table before it removes it
		if ext := filepath.Ext(name); ext == ".mem" || ext == ".vlog" {
			copyFile = copySparse
		}
		if err := copyFile(filepath.Join(from, name), filepath.Join(to, name)); err != nil {
			return false, err
		}
	}
	manifestNow, headNow, err := pointers(from)
	if err != nil || !bytes.Equal(manifest, manifestNow) || !bytes.Equal(head, headNow) {
		return false, err
	}
	if err := os.WriteFile(filepath.Join(to, manifestName), manifest, 0o600); err != nil {
		return false, err
	}
	if head == nil {
		return true, nil
	}
	return true, os.WriteFile(filepath.Join(to, headName), head, 0o600)
}

// copyNot are files that are written apart or not needed.
var copyNot = []string{lockName, manifestName, headName, headNewName, "MANIFEST-REWRITE"}

// pointers reads the files that say what the others are.
func pointers(dir string) (manifest, head []byte, err error) {
	if manifest, err = os.ReadFile(filepath.Join(dir, manifestName)); err != nil {
		return nil, nil, err
	}
	head, err = os.ReadFile(filepath.Join(dir, headName))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return manifest, head, err
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
