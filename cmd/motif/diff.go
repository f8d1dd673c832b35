package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/motifql/motif"
	"github.com/motifql/motif/internal/repl"
	"github.com/motifql/motif/storage/importer"
)

type diffCmd struct {
	A     string `arg:"" name:"a" help:"A store, or what load reads: a folder, an archive or a file that export wrote."`
	B     string `arg:"" name:"b" help:"The other graph, likewise."`
	By    string `enum:",${ways}" default:"" placeholder:"WAY" help:"How to match the nodes: ${ways} (default: the first way in which the graphs are equal)."`
	Limit int    `default:"20" placeholder:"N" help:"List at most N differences."`
}

// errDiffer ends a comparison of different graphs with exit status 1 and without a message.
var errDiffer = errors.New("the graphs differ")

// troubleError marks an error in a command whose exit status 0 or 1 is an answer.
type troubleError struct{ error }

func (e troubleError) Unwrap() error { return e.error }

// Run prints the differences. The exit status is 0 without differences, 1 with some, and 2 if the comparison failed.
func (c *diffCmd) Run(ctx context.Context) error {
	ctx, stop := repl.Interruptible(ctx)
	defer stop()
	if c.Limit < 1 {
		return usageError("--limit must be 1 or more")
	}
	r, err := c.compare(ctx)
	if err != nil {
		return troubleError{err}
	}
	if err := printDiff(os.Stdout, r); err != nil {
		return troubleError{err}
	}
	if !r.Equal {
		return errDiffer
	}
	return nil
}

func (c *diffCmd) compare(ctx context.Context) (*motif.DiffResult, error) {
	a, err := openGraph(ctx, c.A)
	if err != nil {
		return nil, err
	}
	defer a.Close()
	b, err := openGraph(ctx, c.B)
	if err != nil {
		return nil, err
	}
	defer b.Close()
	return motif.Diff(ctx, a, b, motif.DiffOptions{By: c.By, Limit: c.Limit})
}

// openGraph opens a store, or loads files into memory.
func openGraph(ctx context.Context, path string) (*motif.DB, error) {
	db, err := motif.Open(path, motif.WithReadOnly())
	if err == nil {
		return db, nil
	}
	if _, statErr := os.Stat(path); statErr != nil {
		return nil, statErr
	}
	if !errors.Is(err, motif.ErrNotStore) {
		return nil, err
	}
	if db, err = motif.Open(":memory:"); err != nil {
		return nil, err
	}
	spec := importer.Spec{Files: []string{path}}
	limitMemory(&spec)
	if _, err := db.Load(ctx, spec, motif.LoadOptions{}); err != nil {
		db.Close()
		return nil, err
	}
	return db, nil
}

// printDiff lists the differences and their totals.
func printDiff(w io.Writer, r *motif.DiffResult) error {
	how := map[string]string{"id": "by id", "external": "by external id", "structure": "up to ids"}[r.By]
	if r.Equal {
		_, err := fmt.Fprintf(w, "equal %s\n", how)
		return err
	}
	for _, d := range r.List {
		if _, err := fmt.Fprintln(w, repl.Visible(fmt.Sprint(d))); err != nil {
			return err
		}
	}
	if rest := r.Total() - uint64(len(r.List)); rest > 0 {
		fmt.Fprintf(w, "... and %d more\n", rest)
	}
	_, err := fmt.Fprintf(w, "compared %s: nodes %d only in the first, %d only in the second, %d changed; relationships %d, %d, %d\n",
		how, r.Nodes.Removed, r.Nodes.Added, r.Nodes.Changed, r.Relationships.Removed, r.Relationships.Added, r.Relationships.Changed)
	return err
}
