package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/motifql/motif"
)

// copyFlag belongs to all verbs that read a store.
type copyFlag struct {
	Snapshot bool `help:"Read a copy of the store as it is now."`
	Map      bool `help:"Map the graph's flat file instead of reading the store; load --map makes the file."`
}

// openFlags belong to the verbs that may write.
type openFlags struct {
	ReadOnly bool `help:"Only read: change nothing in the store."`
	Relaxed  bool `help:"Do not wait for the disk at a commit; a power failure may lose the last commits."`
	copyFlag
	filesFlags
}

// filesFlags choose the files that queries may read.
type filesFlags struct {
	Import  string `placeholder:"DIR" xor:"files" help:"Let LOAD CSV read the files of DIR and below (default: the working directory)."`
	NoFiles bool   `xor:"files" help:"Let LOAD CSV read no files."`
}

// options returns the options of Open. A missing working directory is an error only for a query that reads a file.
func (f filesFlags) options() ([]motif.Option, error) {
	if f.NoFiles {
		return nil, nil
	}
	folder, err := motif.Folder(cmp.Or(f.Import, "."))
	if err != nil && f.Import != "" {
		return nil, usageError("--import: " + err.Error())
	}
	if err != nil {
		folder = noFolder{err}
	}
	return []motif.Option{motif.WithFiles(folder)}, nil
}

// noFolder stands for a working directory that cannot be read.
type noFolder struct{ err error }

// Open returns the error.
func (n noFolder) Open(string) (fs.File, error) { return nil, n.err }

// mode says what a verb will do with the store.
type mode int

const (
	reads  mode = iota
	writes      // and creates a store where there is none
	either      // writes, but keeps no other process out while it only reads; creates a store where there is none
)

// open opens a store.
func (f *openFlags) open(path string, m mode, workers int, opts ...motif.Option) (*motif.DB, error) {
	files, err := f.filesFlags.options()
	if err != nil {
		return nil, err
	}
	opts = append(opts, files...)
	if workers > 0 {
		opts = append(opts, motif.WithWorkers(workers))
	}
	if f.Relaxed {
		opts = append(opts, motif.WithDurability(motif.DurabilityRelaxed))
	}
	if m == reads || f.ReadOnly || f.Snapshot {
		return f.copyFlag.open(path, opts)
	}
	if f.Map {
		opts = append(opts, motif.WithMapping())
	}
	opts = append(opts, motif.WithCreate())
	if m == either {
		opts = append(opts, motif.WithSharing())
	}
	db, err := motif.Open(path, opts...)
	if m != either || !errors.Is(err, motif.ErrLocked) { // a store of an older format is locked all the time
		return db, err
	}
	if db, err = motif.Open(path, append(opts, motif.WithReadOnly())...); err == nil {
		fmt.Fprintln(os.Stderr, "another process is reading the store, so this one only reads too")
	}
	return db, err
}

// open opens a store for reading.
func (f copyFlag) open(path string, opts []motif.Option) (*motif.DB, error) {
	if f.Map {
		opts = append(opts, motif.WithMapping())
	}
	if f.Snapshot {
		return motif.Open(path, append(opts, motif.WithSnapshot())...)
	}
	return motif.Open(path, append(opts, motif.WithReadOnly())...)
}

// exists reports whether there is a file or folder at path.
func exists(path string) bool {
	_, err := os.Stat(path)
	return !os.IsNotExist(err)
}
