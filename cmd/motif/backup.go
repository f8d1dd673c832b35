package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/motifql/motif"
	"github.com/motifql/motif/internal/repl"
)

type backupCmd struct {
	storeArg
	File    string `arg:"" help:"File to write; - is standard output."`
	Replace bool   `aliases:"force" help:"Replace the file if it exists; --force does the same."`
}

// Run writes a backup. While another process writes to the store, Run backs up a copy.
func (c *backupCmd) Run(ctx context.Context) error {
	db, err := copyFlag{}.open(c.DB, nil)
	if errors.Is(err, motif.ErrLocked) {
		db, err = copyFlag{Snapshot: true}.open(c.DB, nil)
	}
	if err != nil {
		return err
	}
	defer db.Close()
	if c.File == "-" {
		_, err := db.Backup(ctx, os.Stdout)
		return err
	}
	return backupTo(ctx, db, c.File, c.Replace)
}

// backupTo writes a backup to a file. The file appears only when it is complete.
func backupTo(ctx context.Context, db *motif.DB, path string, replace bool) error {
	if path == "" {
		return usageError("the backup needs the name of a file; - is standard output")
	}
	if err := taken(path, replace); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	var failed *fs.PathError
	if errors.As(err, &failed) {
		return &fs.PathError{Op: "create", Path: path, Err: failed.Err}
	}
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // fails once the file has its name
	bar := repl.NewBar(os.Stderr)
	defer bar.Close()
	bar.Show("opening", 0, 0)
	info, err := db.Backup(ctx, &countedWriter{Writer: f, bar: bar})
	if err == nil {
		bar.Show("syncing", 0, 0)
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := taken(path, replace); err != nil { // by now
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	bar.Close()
	fmt.Fprintf(os.Stderr, "backed up %s\n", graphSize(info.Nodes, info.Relationships))
	return nil
}

// taken returns an error if a backup may not replace what is at path.
func taken(path string, replace bool) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil
	case !info.Mode().IsRegular(): // a rename would replace a device
		return fmt.Errorf("%s is no file; name a file, or - for standard output", path)
	case !replace:
		return fmt.Errorf("%s exists already; --replace replaces it", path)
	}
	return nil
}

type restoreCmd struct {
	File string `arg:"" help:"Backup to read; - is standard input."`
	storeArg
}

// Run makes a store from a backup.
func (c *restoreCmd) Run(ctx context.Context) (err error) {
	bar := repl.NewBar(os.Stderr)
	defer bar.Close()
	from := &countedReader{Reader: os.Stdin, bar: bar}
	if c.File != "-" {
		f, err := os.Open(c.File)
		if err != nil {
			return err
		}
		defer f.Close()
		from.Reader = f
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			from.total = uint64(info.Size())
		}
	}
	fresh := !exists(c.DB)
	db, err := motif.Open(c.DB, motif.WithCreate())
	if err != nil {
		return err
	}
	info, err := db.Restore(ctx, from)
	if err = errors.Join(err, db.Close()); err != nil {
		if fresh {
			os.RemoveAll(c.DB)
		}
		return err
	}
	bar.Close()
	fmt.Fprintf(os.Stderr, "restored %s\n", graphSize(info.Nodes, info.Relationships))
	return nil
}
