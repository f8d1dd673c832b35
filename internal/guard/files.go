package guard

import (
	"fmt"
	"io"
	"io/fs"
)

// FS guards a file system and its files. A file can be read anywhere (io.ReaderAt) if the program's file can.
func (g Guard) FS(files fs.FS) fs.FS { return fileSystem{files, g} }

type fileSystem struct {
	fs    fs.FS
	guard Guard
}

func (s fileSystem) Open(name string) (f fs.File, err error) {
	defer s.guard.Recover(&err, "the file system")
	if f, err = s.fs.Open(name); err != nil {
		return nil, err
	}
	if f == nil {
		return nil, fmt.Errorf("the file system opens %s as nothing", name)
	}
	if at, ok := f.(io.ReaderAt); ok {
		return fileAt{file{f, s.guard}, at}, nil
	}
	return file{f, s.guard}, nil
}

func (s fileSystem) Stat(name string) (info fs.FileInfo, err error) {
	defer s.guard.Recover(&err, "the file system")
	return fs.Stat(s.fs, name)
}

func (s fileSystem) ReadDir(name string) (list []fs.DirEntry, err error) {
	defer s.guard.Recover(&err, "the file system")
	return fs.ReadDir(s.fs, name)
}

type file struct {
	file  fs.File
	guard Guard
}

func (f file) Stat() (info fs.FileInfo, err error) {
	defer f.guard.Recover(&err, "a file")
	return f.file.Stat()
}

func (f file) Read(p []byte) (int, error) { return f.guard.Reader(f.file).Read(p) }

func (f file) Close() (err error) {
	defer f.guard.Recover(&err, "a file")
	return f.file.Close()
}

// fileAt is a file that can be read anywhere.
type fileAt struct {
	file
	at io.ReaderAt
}

func (f fileAt) ReadAt(p []byte, off int64) (n int, err error) {
	defer f.guard.Recover(&err, "a file")
	return f.at.ReadAt(p, off)
}
