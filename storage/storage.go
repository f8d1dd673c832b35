// Package storage keeps a graph in a directory: a Badger database of immutable blocks under numbered epochs. Snapshots and
// transactions go in. Snapshots come out, also after a crash. Queries never read from Badger.
//
// A load writes the blocks of a new epoch, makes them durable, and then publishes them by replacing the file HEAD. A crash
// at any moment leaves the old graph or the new one. Opening a store reads the blocks of the live epoch into a csr.Snapshot,
// on all cores. Commits go to a change log, which opening applies and compaction folds into a new epoch.
// docs/storage-format.md describes the format; keys.go, block.go and the files named after a block hold the details.
package storage

import (
	"context"
	"log/slog"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dgraph-io/badger/v4"

	"github.com/motifql/motif/internal/csr"
)

// Memory is the name of a store that lives in memory and goes when it is closed.
const Memory = ":memory:"

// Options say how to open a store. The zero value opens an existing one for reading and writing.
type Options struct {
	ReadOnly bool         // open only for reading; several processes may at once
	Create   bool         // make a new store if there is none
	Logger   *slog.Logger // nil: silent
	Workers  int          // goroutines that encode and decode; 0: GOMAXPROCS

	// Snapshot opens a copy of the store as it is now, read-only, beside a process that may be writing to it.
	Snapshot bool

	copied bool // the store is a copy, whose logs may have been written to while they were copied

	// CompactAt is the length of the change log in bytes at which it is compacted; 0: the store decides, negative: never.
	CompactAt int64
}

// Store is an open store. It is safe for concurrent use.
type Store struct {
	dir  string
	opt  Options
	from *badgerLog
	lock *dirLock // nil in memory
	temp string   // the folder to remove with the store, if it is a copy

	freeSpace func(dir string) (uint64, bool)

	// Three locks, taken in this order. Each guards what stands below it.

	// writer holds one token, which the running transaction or load owns.
	writer chan struct{}
	seq    uint64 // the last sequence number of the log that was used
	format byte   // the format version that the store is marked with

	// busy holds one token, which the reader or the replacer of the graph in db owns meanwhile. A commit does without.
	busy    chan struct{}
	claimed uint64               // the last number given to an epoch
	head    atomic.Pointer[head] // never nil

	// life is read-locked by every user of db, so that nobody closes, reopens or clears it meanwhile.
	life   sync.RWMutex
	db     *badger.DB
	closed atomic.Bool
	broken atomic.Pointer[error] // why db can no longer be used

	syncs  atomic.Uint64                // how often what was written was made durable
	cached atomic.Pointer[csr.Snapshot] // the live graph, once it was asked for; set by who has busy or writer
	log    atomic.Pointer[logState]     // of the live epoch's log, never nil; likewise
	fold   folder
}

// Info describes the graph of a store.
type Info struct {
	Epoch         uint64    // counts the graphs published; 0: none yet
	Published     time.Time // zero if none
	Nodes         uint64
	Relationships uint64
	GraphBytes    uint64 // keys and values of the graph's blocks
	DiskBytes     uint64 // what the files of the store take on disk; 0 in memory

	// BytesPerRelationship is GraphBytes divided by Relationships; 0 without relationships.
	BytesPerRelationship float64

	// Transactions are those of the change log, committed since the epoch was written; LogBytes is what their changes take.
	Transactions uint64
	LogBytes     uint64
}

func newStore(dir string, opt Options) *Store {
	if opt.Workers <= 0 {
		opt.Workers = runtime.GOMAXPROCS(0)
	}
	s := &Store{dir: dir, opt: opt, from: &badgerLog{to: opt.Logger}, freeSpace: freeSpace,
		writer: make(chan struct{}, 1), busy: make(chan struct{}, 1)}
	s.head.Store(new(head))
	s.log.Store(new(logState))
	return s
}

func (s *Store) inMemory() bool { return s.dir == Memory }

// acquire waits for the store's token, and sees that the store can be used.
func (s *Store) acquire(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case s.busy <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	err := s.usable()
	if err != nil {
		s.release()
	}
	return err
}

func (s *Store) release() { <-s.busy }

// usable is why the database can no longer be used, if so.
func (s *Store) usable() error {
	if s.closed.Load() {
		return &Error{Reason: ErrClosed, Path: showPath(s.dir), What: "the store is closed", Do: "open it again"}
	}
	if err := s.broken.Load(); err != nil {
		return *err
	}
	return nil
}

// use keeps the database open until the returned function is called.
func (s *Store) use() (done func(), err error) {
	s.life.RLock()
	if err := s.usable(); err != nil {
		s.life.RUnlock()
		return nil, err
	}
	return s.life.RUnlock, nil
}

// Empty reports whether no graph was ever published, and no transaction committed.
func (s *Store) Empty() bool { return s.head.Load().epoch == 0 && s.log.Load().lastSeq == 0 }

// Snapshot returns the live graph, an empty one if none was published. It is read once and kept until the next
// Publish; who holds a snapshot keeps it for as long as needed.
func (s *Store) Snapshot(ctx context.Context) (*csr.Snapshot, error) {
	if snap := s.cached.Load(); snap != nil {
		return snap, nil
	}
	if err := s.acquire(ctx); err != nil {
		return nil, err
	}
	defer s.release()
	if snap := s.cached.Load(); snap != nil {
		return snap, nil
	}
	snap, err := s.load(ctx)
	if err != nil {
		return nil, err
	}
	s.cached.Store(snap)
	return snap, nil
}

// Info describes the live graph and the store's size. Until the graph was read, its numbers of nodes and relationships
// leave out the change log.
func (s *Store) Info() (Info, error) {
	h := s.head.Load()
	log := s.log.Load()
	info := Info{Epoch: h.epoch, Nodes: h.vertices, Relationships: h.edges, GraphBytes: h.bytes, Transactions: log.count, LogBytes: log.bytes}
	if snap := s.cached.Load(); snap != nil && log.count > 0 {
		info.Nodes, info.Relationships = snap.N(), snap.M()
	}
	if h.epoch > 0 {
		info.Published = time.Unix(0, h.published)
	}
	if h.edges > 0 {
		info.BytesPerRelationship = float64(h.bytes) / float64(h.edges)
	}
	if s.inMemory() {
		return info, nil
	}
	var err error
	info.DiskBytes, err = diskBytes(s.dir)
	return info, err
}

// Close closes the store. Snapshots stay valid.
func (s *Store) Close() error {
	s.fold.stop()
	s.busy <- struct{}{}
	defer s.release()
	s.life.Lock()
	defer s.life.Unlock()
	err := s.usable()
	if s.closed.Swap(true) {
		return nil
	}
	s.cached.Store(nil)
	if err == nil {
		err = s.guard("closing the store", s.db.Close)
	}
	if s.lock != nil {
		if unlock := s.lock.release(); err == nil {
			err = wrap(s.dir, "unlocking the store", unlock)
		}
	}
	if s.temp != "" {
		if remove := os.RemoveAll(s.temp); err == nil {
			err = wrap(s.dir, "removing the copy", remove)
		}
	}
	return err
}

// guard runs fn, which may wait for Badger to write. Badger tries without end to write a table that cannot be written,
// and whoever waits for it waits as long; guard gives up after a few tries. The store is broken then, and fn is
// left behind.
func (s *Store) guard(doing string, fn func() error) error {
	const tries = 3
	before := s.from.flushFails.Load()
	done := make(chan error, 1)
	go func() { done <- fn() }()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case err := <-done:
			return wrap(s.dir, doing, err)
		case <-tick.C:
			if s.from.flushFails.Load()-before >= tries {
				return s.breakdown(wrap(s.dir, doing, flushError(*s.from.lastFail.Load())))
			}
		}
	}
}

// flushError is what Badger logged when it could not write a table.
type flushError string

func (e flushError) Error() string { return string(e) }
