package storage

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// disk is what a store asks of the file system. Every call that creates, writes, renames or removes goes through it, so
// that tests can make each of them fail. Nothing is written through memory maps: there a full disk is a signal that ends the
// process, and no error.
type disk interface {
	Create(path string) (file, error) // for reading and writing, empty
	Open(path string, write bool) (file, error)
	ReadFile(path string) ([]byte, error)
	ReadDir(path string) ([]fs.DirEntry, error)
	Mkdir(path string) error
	Rename(from, to string) error
	Remove(path string) error
	SyncDir(path string) error // makes the entries of a directory durable
}

// file is an open file of a store.
type file interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	Size() (int64, error)
	Allocate(from, to int64) error // makes the file longer, by zeros for which the file system has reserved the space
	Truncate(size int64) error
	Sync() error   // makes the contents and the length durable
	Deleted() bool // reports whether no directory names the file any more
	Forget()       // drops what the system's cache holds of the file, so that the next read comes from the disk
}

// realDisk is the file system of the machine.
type realDisk struct{}

func (realDisk) Create(path string) (file, error) {
	return openFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC)
}

func (realDisk) Open(path string, write bool) (file, error) {
	if write {
		return openFile(path, os.O_RDWR)
	}
	return openFile(path, os.O_RDONLY)
}

func openFile(path string, flags int) (file, error) {
	f, err := os.OpenFile(path, flags, 0o666)
	if err != nil {
		return nil, err
	}
	return realFile{f}, nil
}

func (realDisk) ReadFile(path string) ([]byte, error)       { return os.ReadFile(path) }
func (realDisk) ReadDir(path string) ([]fs.DirEntry, error) { return os.ReadDir(path) }
func (realDisk) Mkdir(path string) error                    { return os.Mkdir(path, 0o777) }
func (realDisk) Rename(from, to string) error               { return os.Rename(from, to) }
func (realDisk) Remove(path string) error                   { return os.Remove(path) }
func (realDisk) SyncDir(path string) error                  { return syncDir(path) }

type realFile struct{ *os.File }

func (f realFile) Size() (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

func (f realFile) Allocate(from, to int64) error { return allocate(f.File, from, to) }
func (f realFile) Sync() error                   { return syncData(f.File) }
func (f realFile) Deleted() bool                 { return deleted(f.File) }
func (f realFile) Forget()                       { forget(f.File) }

// writeZeros fills a range of a file with zeros.
func writeZeros(f io.WriterAt, from, to int64) error {
	zeros := make([]byte, min(to-from, 256<<10))
	for from < to {
		n, err := f.WriteAt(zeros[:min(to-from, int64(len(zeros)))], from)
		if err != nil {
			return err
		}
		from += int64(n)
	}
	return nil
}

// writeFile creates a file with some contents and makes them durable, not yet its name.
func writeFile(d disk, path string, contents []byte) error {
	f, err := d.Create(path)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(contents, 0)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// replaceFile gives a file of dir new contents, the old or the new ones at any moment. unsure says that it is not known
// which of them a loss of power would leave.
func replaceFile(d disk, dir, name string, contents []byte) (unsure bool, err error) {
	path := filepath.Join(dir, name)
	if err := writeFile(d, path+newSuffix, contents); err != nil {
		return false, errors.Join(err, removeIfThere(d, path+newSuffix))
	}
	if err := d.Rename(path+newSuffix, path); err != nil {
		return true, err
	}
	return true, d.SyncDir(dir)
}

// newSuffix ends the name of a file that is about to replace another.
const newSuffix = ".new"

func removeIfThere(d disk, path string) error {
	if err := d.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// removeFolder removes a folder that holds files only.
func removeFolder(d disk, path string) error {
	entries, err := d.ReadDir(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := removeIfThere(d, filepath.Join(path, e.Name())); err != nil {
			return err
		}
	}
	return removeIfThere(d, path)
}
