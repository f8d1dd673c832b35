package motif

import (
	"context"
	"os"
	"path/filepath"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/hook"
	"github.com/motifql/motif/internal/sample"
	"github.com/motifql/motif/storage"
)

func init() {
	hook.Store = func(db any) *storage.Store { return db.(*DB).store }
	hook.View = func(db any, s *csr.Snapshot) any { return &Tx{db: db.(*DB), snap: s, end: func() {}} }
}

// OpenSample opens the built-in sample graph in a store of its own, in a temporary folder that Close removes.
func OpenSample() (*DB, error) {
	dir, err := os.MkdirTemp("", "motif-sample-")
	if err != nil {
		return nil, err
	}
	remove := func() { os.RemoveAll(dir) }
	db, err := Open(filepath.Join(dir, "sample"), WithCreate())
	if err != nil {
		remove()
		return nil, err
	}
	db.cleanup = remove
	if _, err := db.Load(context.Background(), sample.Spec(), LoadOptions{}); err != nil {
		db.Close()
		return nil, err
	}
	return db, nil
}
