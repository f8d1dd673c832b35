//go:build !js

package storage

import (
	"bytes"
	"errors"
	"os"

	"github.com/dgraph-io/badger/v4/table"
	"github.com/dgraph-io/badger/v4/y"
	"github.com/dgraph-io/ristretto/v2/z"
)

// epochTables are the tables of an epoch, mapped into memory. Badger's own reading copies each value twice and looks each key up in the
// index; here the values stay where they are.
type epochTables []*table.Table

// openTables maps n tables in a folder, whose checksums have been compared.
func openTables(folder string, n int) (epochTables, error) {
	var tables epochTables
	for i := range n {
		file, err := z.OpenMmapFile(table.NewFilename(uint64(i+1), folder), os.O_RDONLY, 0)
		if err != nil {
			return nil, errors.Join(err, tables.close())
		}
		t, err := table.OpenTable(file, table.Options{BlockSize: 4 << 10})
		if err != nil {
			return nil, errors.Join(err, tables.close())
		}
		tables = append(tables, t)
	}
	return tables, nil
}

// blocks lists what the tables hold. The values lie in the mapped files.
func (tables epochTables) blocks() (memoryBlocks, error) {
	var all []storedPart
	for _, t := range tables {
		it := t.NewIterator(table.NOCACHE)
		for it.Rewind(); it.Valid(); it.Next() {
			all = append(all, storedPart{bytes.Clone(y.ParseKey(it.Key())), it.Value().Value})
		}
		if err := it.Close(); err != nil {
			return nil, err
		}
	}
	return newMemoryBlocks(all)
}

// close unmaps the tables. Nobody may read a value afterwards.
func (tables epochTables) close() error {
	var errs []error
	for _, t := range tables {
		errs = append(errs, t.Close(-1))
	}
	return errors.Join(errs...)
}
