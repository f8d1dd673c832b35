package motif

import (
	"context"
	"fmt"
	"io"

	"github.com/motifql/motif/storage"
	"github.com/motifql/motif/storage/importer"
)

// LoadOptions configures Load.
type LoadOptions struct {
	// Replace lets the load take the place of a graph that the store already holds. Queries that run meanwhile
	// keep seeing the old one.
	Replace bool
	// Progress, if set, is called from time to time: while files are read in bytes, while the graph is written in
	// blocks. total is 0 where it is not known.
	Progress func(stage string, done, total uint64)
}

// LoadReport says what a load read, dropped and stored.
type LoadReport struct {
	importer.Report
	storage.Info
}

// Load reads graph files and publishes them as the store's graph, whole or not at all: whatever goes wrong, and
// however the process ends, the store holds the graph it held before or the new one.
//
// A store that holds a graph already gives ErrNotEmpty unless Replace is set. A mistake in a file is an
// *importer.Error with file, line and column.
func (db *DB) Load(ctx context.Context, spec importer.Spec, opt LoadOptions) (*LoadReport, error) {
	end, err := db.begin()
	if err != nil {
		return nil, err
	}
	defer end()
	if db.cfg.readOnly {
		return nil, ErrReadOnly
	}
	if !db.store.Empty() && !opt.Replace {
		return nil, fmt.Errorf("%w; nothing was loaded; use --replace to put the new graph in its place", ErrNotEmpty)
	}
	progress := opt.Progress
	if progress == nil {
		progress = func(string, uint64, uint64) {}
	}
	if spec.Workers == 0 {
		spec.Workers = db.cfg.workers
	}
	snap, report, err := importer.Load(ctx, spec, func(p importer.Progress) { progress(p.Stage, p.Bytes, p.Total) })
	if err != nil {
		return nil, err
	}
	info, err := db.store.Publish(ctx, snap, progress)
	if err != nil {
		return nil, err
	}
	return &LoadReport{Report: *report, Info: info}, nil
}

// Backup writes the graph to w, from which Restore makes it again: with the same ids, names and values. It neither waits for
// transactions nor makes them wait.
func (db *DB) Backup(ctx context.Context, w io.Writer) (storage.Info, error) {
	end, err := db.begin()
	if err != nil {
		return storage.Info{}, err
	}
	defer end()
	return db.store.Backup(ctx, w)
}

// Restore fills an empty store with the graph of a backup, whole or not at all. A store that holds a graph gives ErrNotEmpty.
func (db *DB) Restore(ctx context.Context, r io.Reader) (storage.Info, error) {
	end, err := db.begin()
	if err != nil {
		return storage.Info{}, err
	}
	defer end()
	return db.store.Restore(ctx, r)
}

// Check verifies everything the store holds: checksums, counts, cross-references, statistics.
func (db *DB) Check(ctx context.Context) (*storage.CheckReport, error) {
	end, err := db.begin()
	if err != nil {
		return nil, err
	}
	defer end()
	return db.store.Check(ctx)
}
