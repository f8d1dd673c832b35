package storage

import (
	"context"
	"errors"
	"slices"

	"github.com/motifql/motif/internal/csr"
)

// Durability says when a transaction that Commit has acknowledged is safe.
type Durability uint8

const (
	// Sync: when Commit returns, the transaction survives the loss of power.
	Sync Durability = iota
	// Relaxed: when Commit returns, the transaction survives the end of the process, however it comes, but not yet
	// the loss of power. The next Sync commit, load, compaction or Close makes it safe. What a loss of power leaves is
	// the transactions up to some point, whole.
	Relaxed
)

// Tx is a transaction that may change the graph. It belongs to one goroutine, and has to be ended by Commit or Rollback.
type Tx struct {
	store      *Store
	durability Durability
	draft      *csr.Draft
	base       *csr.Snapshot
	after      uint64 // the number of the commit that draft was made on, if that waits for its sync
	done       bool
}

// ErrTxDone says that a transaction was committed or rolled back before.
var ErrTxDone = errors.New("the transaction has ended")

// Begin starts a transaction on the live graph. One runs at a time: Begin waits until the one before has ended, or
// ctx. Readers neither wait nor are waited for.
func (s *Store) Begin(ctx context.Context, d Durability) (*Tx, error) {
	if err := s.writable(); err != nil {
		return nil, err
	}
	if err := nextWriter(ctx, s); err != nil {
		return nil, err
	}
	tx, err := s.begin(ctx, d)
	if err != nil {
		s.unlockWriter()
	}
	return tx, err
}

func (s *Store) begin(ctx context.Context, d Durability) (*Tx, error) {
	if err := s.usable(); err != nil {
		return nil, err
	}
	if c, waits := s.group.pending(); waits {
		return &Tx{store: s, durability: d, base: c.snap, draft: c.snap.Draft(), after: c.number}, nil
	}
	snap, err := s.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	return &Tx{store: s, durability: d, base: snap, draft: snap.Draft()}, nil
}

func (s *Store) writable() error {
	if s.opt.ReadOnly {
		return &Error{Reason: ErrReadOnly, Path: showPath(s.dir), What: "the store is open read-only", Do: "open it for writing"}
	}
	return nil
}

// lockWriter waits for the turn to write, and until every commit before is durable.
func (s *Store) lockWriter(ctx context.Context) error {
	err := nextWriter(ctx, s)
	if err == nil {
		s.group.drain()
	}
	return err
}

// nextWriter waits for the turn to write. A shared store then also has the lock.
func nextWriter(ctx context.Context, s *Store) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case s.writer <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	if !s.opt.Shared {
		return nil
	}
	if err := s.sharing.enter(ctx); err != nil {
		<-s.writer
		return err
	}
	return nil
}

func (s *Store) unlockWriter() {
	if s.opt.Shared {
		s.sharing.leaveSoon()
	}
	<-s.writer
}

// Draft is the graph as the transaction sees and changes it.
func (tx *Tx) Draft() *csr.Draft { return tx.draft }

// Rollback ends the transaction without a trace. After Commit or Rollback it does nothing.
func (tx *Tx) Rollback() {
	if !tx.done {
		tx.done = true
		tx.store.unlockWriter()
	}
}

// Commit stores the changes, whole or not at all, and publishes the graph with them: Snapshot returns it from then on. It
// ends the transaction. ctx may end Commit until its last step, which makes the changes durable. After an error the graph is
// as it was before. Only after an error of that last step nobody knows whether the changes were stored. Then the store
// cannot be used until it is opened again. Before that step the next transaction may begin, which sees the changes, and commits that
// come to it at the same time take it together.
func (tx *Tx) Commit(ctx context.Context) error {
	if tx.done {
		return ErrTxDone
	}
	defer tx.Rollback()
	if len(tx.draft.Changes()) == 0 {
		if err := ctx.Err(); err != nil || tx.after == 0 {
			return err
		}
		tx.Rollback()
		return tx.store.group.wait(tx.store, commit{number: tx.after}) // what it has read must not be lost
	}
	c, err := tx.record(ctx)
	if err != nil {
		return err
	}
	if c.number > 0 {
		tx.Rollback() // the next writer need not wait
	}
	return c.finish(tx.store)
}

// CommitBatch stores the changes so far and publishes the graph with them, as Commit does. The transaction goes on from there: no other
// one comes in between, and Rollback drops only what comes later. The draft has forgotten what was stored, and has the ids of its Base.
// After an error the transaction has ended.
func (tx *Tx) CommitBatch(ctx context.Context) error {
	if tx.done {
		return ErrTxDone
	}
	if len(tx.draft.Changes()) == 0 {
		return ctx.Err()
	}
	c, err := tx.record(ctx)
	if err == nil {
		err = c.finish(tx.store)
	}
	if err != nil {
		tx.Rollback()
		return err
	}
	csr.Forget(tx.draft)
	tx.base, tx.after = tx.draft.Base(), 0
	return nil
}

// record writes the changes to the log.
func (tx *Tx) record(ctx context.Context) (commit, error) {
	changes := tx.draft.Changes()
	next, err := tx.draft.Snapshot(ctx)
	if err != nil {
		return commit{}, err
	}
	if err := tx.store.usable(); err != nil {
		return commit{}, err
	}
	return tx.store.record(ctx, changes, next, tx.durability)
}

// changesPerStep is how many changes are encoded between two looks at the context.
const changesPerStep = 4096

// record writes the changes of a transaction to the log. It returns the commit, with a number if somebody must sync the log before the
// commit is published: for a relaxed one, too, if one before it waits for that. A store in memory keeps no log, for nothing would ever
// read it.
func (s *Store) record(ctx context.Context, changes []csr.Change, snap *csr.Snapshot, d Durability) (commit, error) {
	if s.old != nil && !s.inMemory() {
		if err := s.upgrade(ctx); err != nil {
			return commit{}, err
		}
	}
	before, waits := s.group.pending() // asked first: the commit may be published meanwhile, and s.log then has it
	next := *s.log.Load()
	if waits {
		next = *before.log
	}
	c := commit{log: &next, snap: snap}
	if s.inMemory() {
		next.lastSeq++
		next.committed = next.lastSeq
		next.count++
		next.changes += uint64(len(changes))
		return c, nil
	}
	if err := raiseFormat(s, changes); err != nil {
		return commit{}, wrap(s.dir, "committing", err)
	}
	s.appending.Lock()
	defer s.appending.Unlock()
	if err := s.usable(); err != nil {
		return commit{}, err
	}
	s.seq = max(s.seq, next.lastSeq) + 1
	w := newLogWriter(s.wal, s.seq, next.committed)
	err := w.addAll(ctx, changes)
	if err == nil {
		err = w.commit(d)
	}
	if err != nil {
		return commit{}, w.takeBack(s, err)
	}
	next.lastSeq, next.end = s.seq, s.wal.end
	if err := next.follow(&w.record, s.seq, w.record.parts); err != nil {
		return commit{}, err
	}
	c.wal, c.end = s.wal, s.wal.end
	if d == Relaxed && !waits {
		if s.wal.f.Deleted() {
			return commit{}, s.breakdown(logDeleted(s.dir))
		}
		return c, nil
	}
	return s.group.add(c), nil
}

// raiseFormat makes the file HEAD name a later format before the log gets a rule that older programs do not know. They then refuse
// the store. HEAD keeps that format if the transaction fails.
func raiseFormat(s *Store, changes []csr.Change) error {
	live := s.head.Load()
	odd := func(c csr.Change) bool { return c.Rule != nil && !c.Rule.Plain() }
	if live.format >= formatVersion || !slices.ContainsFunc(changes, odd) {
		return nil
	}
	next := *live
	next.format = formatVersion
	if err := s.setHead(&next); err != nil {
		return err
	}
	s.head.Store(&next)
	return nil
}

// takeBack drops what a transaction that failed has written, and explains the failure.
func (w *logWriter) takeBack(s *Store, err error) error {
	var unknown *unknownEnd
	if !errors.As(err, &unknown) {
		err = errors.Join(err, w.drop())
	}
	if errors.As(err, &unknown) {
		return s.breakdown(&Error{Reason: ErrIO, Path: showPath(s.dir), Err: err,
			What: "it is not known whether the transaction was stored", Do: "open the store again and look"})
	}
	return wrap(s.dir, "committing", err)
}
