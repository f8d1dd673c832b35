package motif

import (
	"context"

	"github.com/motifql/motif/storage/exporter"
)

// Export writes the graph as it is now to files, whole or not at all: csv and parquet are folders of tables, cypher,
// graphml and jsonl single files. DB.Load reads them back as the same graph with the same ids, but for cypher, a script
// of statements for an empty store. What is written meanwhile is not part of it.
func (db *DB) Export(ctx context.Context, opt exporter.Options) (*exporter.Report, error) {
	end, err := db.begin()
	if err != nil {
		return nil, err
	}
	defer end()
	snap, err := db.store.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	return exporter.Write(ctx, snap, opt)
}
