package importer

import (
	"io"
	"io/fs"
)

// openIn opens files of a file system instead of the machine's.
func openIn(fsys fs.FS) opener {
	if fsys == nil {
		return nil
	}
	return func(path string) (io.ReadCloser, int64, error) {
		f, err := fsys.Open(path)
		if err != nil {
			return nil, 0, err
		}
		info, err := f.Stat()
		if err != nil {
			f.Close()
			return nil, 0, err
		}
		return f, info.Size(), nil
	}
}
