package storage

import (
	"context"
	"errors"
)

// WebAssembly maps no files into memory, and Badger would be a third of the program. So this build has stores in memory only, and openOn refuses
// all others: what stands here for the code of stores on disk is never reached.

// OnDisk says whether this build of Motif keeps stores on disk.
const OnDisk = false

var errMemoryOnly = errors.New("this build keeps graphs in memory only")

// legacy is a store of format 1 or 2.
type legacy struct{ head *head }

func openLegacy(string, Options, func(string, ...any)) (*legacy, error) { return nil, errMemoryOnly }

func (l *legacy) logEntries(uint64) logEntries {
	return func(func(key, value []byte) error) error { return errMemoryOnly }
}

func (l *legacy) queries() ([]storedPart, error) { return nil, errMemoryOnly }
func (l *legacy) blocks() blockSource            { return memoryBlocks(nil) }
func (l *legacy) close() error                   { return nil }

func legacyFile(string) bool    { return false }
func databaseClosed(error) bool { return false }

// epochWriter writes the database of an epoch.
type epochWriter struct{ tables []tableSum }

func newEpochWriter(context.Context, disk, string) (*epochWriter, error) { return nil, errMemoryOnly }

func (w *epochWriter) add(key, value []byte) error { return errMemoryOnly }
func (w *epochWriter) restart() error              { return errMemoryOnly }
func (w *epochWriter) finish() error               { return errMemoryOnly }

func (s *Store) readEpoch(*head, func(blockSource) error) error { return errMemoryOnly }
