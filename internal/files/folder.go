package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Folder holds the files of one folder and below. Neither .. nor a symbolic link leads out of it: os.Root opens the files.
// It holds no descriptor, so nobody needs to close it.
type Folder struct {
	dir  string // absolute
	real string // dir without symbolic links
}

// OpenFolder returns the files of a folder.
func OpenFolder(dir string) (*Folder, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, &folderError{dir, err}
	}
	info, err := os.Stat(abs)
	if err == nil && !info.IsDir() {
		err = errors.New("it is no folder")
	}
	if err != nil {
		return nil, &folderError{dir, err}
	}
	f := &Folder{dir: abs, real: abs}
	if real, err := filepath.EvalSymlinks(abs); err == nil {
		f.real = real
	}
	return f, nil
}

// folderError says that the folder itself cannot be read.
type folderError struct {
	dir string
	err error
}

func (e *folderError) Error() string {
	err, dir := e.err, "folder "+e.dir
	if e.dir == "." {
		dir = "the working directory"
	}
	var call *os.SyscallError
	var path *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist) && e.dir == ".":
		return dir + " does not exist any more"
	case errors.Is(err, fs.ErrNotExist):
		return "there is no " + dir
	case errors.As(err, &call):
		err = call.Err
	case errors.As(err, &path):
		err = path.Err
	}
	return fmt.Sprintf("%s cannot be read: %v", dir, err)
}

func (e *folderError) Unwrap() error { return e.err }

// String returns the absolute path of the folder.
func (f *Folder) String() string { return f.dir }

// Rel returns the slash-separated path in the folder of a path of this machine, and whether the path lies in the folder.
// It looks at the text only: no file outside of the folder is touched.
func (f *Folder) Rel(name string) (string, bool) {
	if !filepath.IsAbs(name) {
		name = filepath.Join(f.dir, name)
	}
	for _, dir := range []string{f.dir, f.real} {
		if rel, err := filepath.Rel(dir, name); err == nil && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel), true
		}
	}
	return "", false
}

// Open opens a file of the folder.
func (f *Folder) Open(name string) (fs.File, error) {
	root, err := f.root("open", name)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	file, err := root.OpenFile(filepath.FromSlash(name), os.O_RDONLY|withoutWaiting, 0)
	if err != nil {
		return nil, err // a nil *os.File would be a file
	}
	return file, nil
}

// Stat describes a file without opening it.
func (f *Folder) Stat(name string) (fs.FileInfo, error) {
	root, err := f.root("stat", name)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return root.Stat(filepath.FromSlash(name))
}

// root opens the folder for one file of it.
func (f *Folder) root(op, name string) (*os.Root, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	root, err := os.OpenRoot(f.dir)
	if err != nil {
		return nil, &folderError{f.dir, err}
	}
	return root, nil
}
