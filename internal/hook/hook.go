// Package hook opens a *motif.DB for the tests of this module: they fill its store with graphs that no file and no statement
// makes, and ask queries of a graph in memory. The module root sets the functions; nothing but tests calls them.
package hook

import (
	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/storage"
)

// Store returns the store of a *motif.DB.
var Store func(db any) *storage.Store

// View returns a *motif.Tx that reads s in place of the graph of db, a *motif.DB.
var View func(db any, s *csr.Snapshot) any
