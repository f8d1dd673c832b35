// Package storage keeps a graph in a directory: immutable blocks in a Badger database, and a change log. Snapshots and
// transactions go in. Snapshots come out, also after a crash or a system call that failed. Queries never read from Badger.
//
// A load writes a new epoch: the blocks of the graph as a database in a folder of their own. When that is durable and was read
// back, the load publishes it by replacing the file HEAD. A failure at any moment leaves the old graph or the new one. Opening a
// store reads the blocks of the live epoch into a csr.Snapshot, on all cores. Values of properties and relationships of small types stay encoded until they are read. Commits go to the epoch's change log, a plain file,
// which opening applies and compaction folds into a new epoch. Badger only ever reads: nothing here depends on its writes.
//
// docs/storage-format.md describes the format; keys.go, block.go and the files named after a block hold the details.
package storage

import (
	"cmp"
	"context"
	"log/slog"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

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

	// Shared lets other processes write while the store is open: it is locked only while a transaction writes, and each Snapshot
	// is the graph that was published last. A store of an older format is locked all the time.
	Shared bool

	// Flat keeps a flat file beside the blocks, and maps it instead of reading the blocks. Systems that cannot map it read the blocks.
	Flat bool

	// Partial says that of the graph only a part of the flat file is in the folder. It needs ReadOnly and Flat.
	Partial *Partial

	copied bool // the store is a copy, whose logs may have been written to while they were copied

	// CompactAt is the length of the change log in bytes at which it is compacted; 0: the store decides, negative: never.
	CompactAt int64
}

// Store is an open store. It is safe for concurrent use.
type Store struct {
	dir  string
	opt  Options
	from badgerLog
	lock *dirLock // nil in memory
	temp string   // the folder to remove with the store, if it is a copy

	disk disk

	// Three locks, taken in this order. Each guards what stands below it.

	// writer holds one token, which the running transaction or load owns.
	writer chan struct{}
	seq    uint64 // the last sequence number of the log that was used

	// busy holds one token, which the reader or the replacer of the live epoch's files owns meanwhile. A commit does without.
	busy    chan struct{}
	claimed uint64               // the last number given to an epoch
	head    atomic.Pointer[head] // never nil
	old     *legacy              // what a store of an older format holds, until it is written to
	saved   []storedPart         // the saved queries of a store in memory

	// appending is held while the log is written to or closed.
	appending sync.Mutex
	wal       *logFile // of the live epoch; nil in memory, in a store of an older format, and where only reading is allowed
	closed    atomic.Bool
	broken    atomic.Pointer[error] // why the store can no longer be used

	group  *commitGroup
	syncs  atomic.Uint64                // how often transactions were made durable
	cached atomic.Pointer[csr.Snapshot] // the live graph, once it was asked for; set by who has busy or writer
	log    atomic.Pointer[logState]     // of the live epoch's log, never nil; likewise
	fold   folder

	sharing sharing
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
	s := &Store{dir: dir, opt: opt, from: badgerLog{opt.Logger}, disk: realDisk{},
		writer: make(chan struct{}, 1), busy: make(chan struct{}, 1), group: newCommitGroup()}
	s.sharing.store = s
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

// usable is why the store can no longer be used, if so.
func (s *Store) usable() error {
	if s.closed.Load() {
		return closedError(s.dir)
	}
	if err := s.broken.Load(); err != nil {
		return *err
	}
	return nil
}

func closedError(dir string) error {
	return &Error{Reason: ErrClosed, Path: showPath(dir), What: "the store is closed", Do: "open it again"}
}

// Empty reports whether no graph was ever published, and no transaction committed.
func (s *Store) Empty() bool { return s.head.Load().epoch == 0 && s.log.Load().lastSeq == 0 }

// NoGraph is the error for a store that holds no graph where one is wanted; nil if it holds one.
func (s *Store) NoGraph() error {
	if !s.Empty() {
		return nil
	}
	return &Error{Reason: ErrNoGraph, Path: showPath(s.dir), What: "the store holds no graph yet",
		Do: "run motif load DB FILE..., or create one with statements that write; in a program open it WithCreate"}
}

// Snapshot returns the live graph, an empty one if none was published. It is read once and kept until the next
// Publish or Commit; who holds a snapshot keeps it for as long as needed. A shared store also takes up what others have published.
func (s *Store) Snapshot(ctx context.Context) (*csr.Snapshot, error) {
	others := s.opt.Shared && !s.sharing.locked.Load()
	if snap := s.cached.Load(); snap != nil && !others {
		return snap, nil
	}
	if others {
		return s.sharing.snapshot(ctx)
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

// Loaded returns the live graph of a store if it has been read and nobody has changed it since, else nil.
func Loaded(s *Store) *csr.Snapshot {
	if s.opt.Shared && !s.sharing.locked.Load() {
		return s.sharing.loaded()
	}
	return s.cached.Load()
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
	s.sharing.stop()
	s.fold.close()
	s.busy <- struct{}{}
	defer s.release()
	s.appending.Lock()
	defer s.appending.Unlock()
	s.group.drain()
	err := s.usable()
	if s.closed.Swap(true) {
		return nil
	}
	s.cached.Store(nil)
	if s.wal != nil {
		if err == nil {
			err = wrap(s.dir, "closing the change log", s.wal.finish(s.log.Load().committed))
		}
		err = cmp.Or(err, wrap(s.dir, "closing the change log", s.wal.close()))
	}
	if s.old != nil {
		err = cmp.Or(err, wrap(s.dir, "closing the store", s.old.close()))
	}
	if s.lock != nil {
		err = cmp.Or(err, wrap(s.dir, "unlocking the store", s.lock.release()))
	}
	if s.temp != "" {
		err = cmp.Or(err, wrap(s.dir, "removing the copy", os.RemoveAll(s.temp)))
	}
	return err
}

// breakdown records that the store can no longer be used.
func (s *Store) breakdown(err error) error {
	s.broken.Store(&err)
	return err
}
