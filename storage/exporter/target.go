package exporter

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// ErrExists says that the file of an export is there already and Options.Replace is not set.
var ErrExists = errors.New("exists already")

// target is where an export goes: a file or a folder of another name until it is whole.
type target struct {
	final, temp string // "" for a stream
	stream      io.Writer
	folder      bool
	replace     bool
	files       int
	bytes       uint64
	open        *output // not yet closed
}

func newTarget(opt Options, folder bool) (*target, error) {
	if opt.Writer != nil {
		return &target{stream: opt.Writer}, nil
	}
	if opt.Path == "" {
		return nil, errors.New("no file or folder to export to")
	}
	t := &target{final: filepath.Clean(opt.Path), folder: folder, replace: opt.Replace}
	if err := t.free(); err != nil {
		return nil, err
	}
	parent, base := filepath.Split(t.final)
	if parent == "" {
		parent = "."
	}
	var err error
	if folder {
		t.temp, err = os.MkdirTemp(parent, "."+base+".partial-*")
		if err == nil {
			err = os.Chmod(t.temp, 0o755)
		}
	} else {
		var f *os.File
		if f, err = os.CreateTemp(parent, "."+base+".partial-*"); err == nil {
			t.temp = f.Name()
			err = errors.Join(f.Chmod(0o644), f.Close())
		}
	}
	var failed *fs.PathError
	if errors.As(err, &failed) { // name what the caller named
		err = &fs.PathError{Op: "create", Path: t.final, Err: failed.Err}
	}
	return t, err
}

// free sees that nothing is lost by what the export puts at its final place.
func (t *target) free() error {
	info, err := os.Stat(t.final)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case t.folder && !info.IsDir():
		return fmt.Errorf("%s is a file; this format writes a folder", t.final)
	case !t.folder && info.IsDir():
		return fmt.Errorf("%s is a folder; this format writes one file", t.final)
	case t.folder:
		entries, err := os.ReadDir(t.final)
		if err == nil && len(entries) > 0 {
			err = fmt.Errorf("folder %s is not empty; name a new one", t.final)
		}
		return err
	case !info.Mode().IsRegular() && !t.folder: // a rename would replace a device
		return fmt.Errorf("%s is a device or a pipe; name a file", t.final)
	case !t.replace:
		return fmt.Errorf("%s %w", t.final, ErrExists)
	}
	return nil
}

// output is one file being written.
type output struct {
	*bufio.Writer
	t      *target
	file   *os.File // nil for a stream
	packer io.WriteCloser
}

// countBytes counts what is written.
type countBytes struct {
	w io.Writer
	n *uint64
}

func (c countBytes) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	*c.n += uint64(n)
	return n, err
}

// create begins the file of this name in the folder, or the only file.
func (t *target) create(name string) (*output, error) {
	o := &output{t: t}
	w := t.stream
	if w == nil {
		path := t.temp
		if t.folder {
			path = filepath.Join(t.temp, name)
		}
		f, err := os.Create(path)
		if err != nil {
			return nil, err
		}
		o.file, w = f, f
		switch lower := strings.ToLower(t.final); {
		case t.folder:
		case strings.HasSuffix(lower, ".gz"):
			o.packer = gzip.NewWriter(f)
		case strings.HasSuffix(lower, ".zst"):
			if o.packer, err = zstd.NewWriter(f); err != nil {
				return nil, errors.Join(err, f.Close())
			}
		}
		if o.packer != nil {
			w = o.packer
		}
	}
	o.Writer = bufio.NewWriterSize(countBytes{w, &t.bytes}, 256<<10)
	t.open = o
	t.files++
	return o, nil
}

// close ends the file, which is on the disk then.
func (o *output) close() error {
	o.t.open = nil
	err := o.Flush()
	if o.packer != nil {
		err = errors.Join(err, o.packer.Close())
	}
	if o.file != nil {
		err = errors.Join(err, o.file.Sync(), o.file.Close())
	}
	return err
}

// commit gives the export its final name.
func (t *target) commit() error {
	if t.stream != nil {
		return nil
	}
	if err := t.free(); err != nil {
		return err
	}
	if t.folder {
		if err := os.Remove(t.final); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return os.Rename(t.temp, t.final)
}

// abort removes what was written.
func (t *target) abort() error {
	if t.open != nil {
		if t.open.packer != nil {
			t.open.packer.Close()
		}
		if t.open.file != nil {
			t.open.file.Close()
		}
	}
	if t.temp == "" {
		return nil
	}
	return os.RemoveAll(t.temp)
}
