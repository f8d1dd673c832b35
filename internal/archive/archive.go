// Package archive reads the compressed files that graphs come in.
package archive

import (
	"archive/tar"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/klauspost/compress/zstd"
)

// Open opens a .zst file for reading its text.
func Open(path string) (io.ReadCloser, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	z, err := zstd.NewReader(f)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &file{z, f}, nil
}

type file struct {
	*zstd.Decoder
	f *os.File
}

func (f *file) Close() error {
	f.Decoder.Close()
	return f.f.Close()
}

// Unpack writes the files of a .tar.zst below dir. Files whose names lead out of dir are left out.
func Unpack(path, dir string) error {
	f, err := Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	for r := tar.NewReader(f); ; {
		h, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err == nil && h.Typeflag == tar.TypeReg && filepath.IsLocal(h.Name) {
			err = write(filepath.Join(dir, filepath.FromSlash(h.Name)), r)
		}
		if err != nil {
			return err
		}
	}
}

func write(path string, r io.Reader) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	return errors.Join(err, f.Close())
}
