package storage

import (
	"context"
	"errors"
	"fmt"

	"github.com/dgraph-io/badger/v4"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/kernels/core"
)

// The stages that Publish reports, in this order.
const (
	StageCores   = "cores"   // computing the degeneracy
	StageWrite   = "write"   // encoding and writing blocks; counted in relationships, nodes and property values
	StageSync    = "sync"    // making the blocks durable
	StagePublish = "publish" // setting head
	StageClean   = "clean"   // removing the graph before
)

// Publish stores a whole graph, such as a load's, as the new live one and removes the one before. It sets snap.Stats.Degeneracy; otherwise
// snap is not changed, and it is what Snapshot returns afterwards. progress, if not nil, is called by one
// goroutine at a time.
//
// If Publish fails or the process dies, the graph before stays; after an error of the very last steps Info tells which
// graph is live. A transaction's commit is in tx.go.
func (s *Store) Publish(ctx context.Context, snap *csr.Snapshot, progress func(stage string, done, total uint64)) (Info, error) {
	if err := s.writable(); err != nil {
		return Info{}, err
	}
	if progress == nil {
		progress = func(string, uint64, uint64) {}
	}
	if err := s.lockWriter(ctx); err != nil {
		return Info{}, err
	}
	defer s.unlockWriter()
	s.fold.stop()
	if err := s.acquire(ctx); err != nil {
		return Info{}, err
	}
	err := s.publish(ctx, snap, progress)
	s.release()
	if err != nil {
		return Info{}, err
	}
	return s.Info()
}

func (s *Store) publish(ctx context.Context, snap *csr.Snapshot, progress func(stage string, done, total uint64)) error {
	snap, err := snap.Compact(ctx)
	if err != nil {
		return err
	}
	progress(StageCores, 0, 1)
	setDegeneracy(snap)
	old := s.head.Load()
	if err := s.upgrade(); err != nil {
		return err
	}
	next := &head{epoch: s.nextEpoch(), vertices: snap.N(), edges: snap.M()}
	err = s.writeDurably(ctx, next, snap, progress)
	if err == nil {
		progress(StagePublish, 0, 1)
		if err = ctx.Err(); err == nil {
			err = wrap(s.dir, "publishing the graph", s.setHead(next))
		}
	}
	if err != nil {
		return errors.Join(err, s.abandon(old))
	}
	s.head.Store(next)
	s.cached.Store(snap)
	s.log.Store(new(logState))
	progress(StageClean, 0, 1)
	if err := s.dropAllBut(next.epoch); err != nil {
		return err
	}
	progress(StageClean, 1, 1)
	return nil
}

// setDegeneracy computes what csr leaves to the store, on the simple undirected graph over all types.
func setDegeneracy(snap *csr.Snapshot) {
	_, _, degeneracy := core.ByBins(snap.Adjacency(nil, csr.Both), snap.N())
	if snap.Stats.Degeneracy != degeneracy {
		snap.Stats.Degeneracy = degeneracy
	}
}

// nextEpoch is above every epoch that was given out or has left a block, so that the blocks of two never mix. The caller
// has the store's token.
func (s *Store) nextEpoch() uint64 {
	next := max(s.head.Load().epoch, s.claimed)
	if used := epochs(s.db); len(used) > 0 {
		next = max(next, used[len(used)-1])
	}
	s.claimed = next + 1
	return s.claimed
}

// writeDurably writes the blocks of a graph and returns when they would survive a loss of power.
func (s *Store) writeDurably(ctx context.Context, h *head, snap *csr.Snapshot, progress func(stage string, done, total uint64)) error {
	w := &writer{store: s, epoch: h.epoch, progress: progress}
	if err := w.run(ctx, &snap.Data); err != nil {
		return err
	}
	h.bytes = w.bytes
	progress(StageSync, 0, 1)
	if err := s.settled(ctx, h, w.keys); err != nil {
		return err
	}
	progress(StageSync, 1, 1)
	return nil
}

// settled makes all that was written durable and sees that an epoch's blocks are all there.
func (s *Store) settled(ctx context.Context, h *head, keys uint64) error {
	if err := s.settle(ctx); err != nil {
		return err
	}
	if got := countKeys(s.db, h.epoch); got != keys {
		return &Error{Reason: ErrIO, Path: showPath(s.dir),
			What: fmt.Sprintf("%d of %d blocks reached the disk", got, keys), Do: "load the graph again"}
	}
	return nil
}

// countKeys is the number of stored values of an epoch.
func countKeys(db *badger.DB, epoch uint64) (n uint64) {
	txn := db.NewTransaction(false)
	defer txn.Discard()
	it := txn.NewIterator(badger.IteratorOptions{})
	defer it.Close()
	for _, prefix := range epochPrefixes(epoch) {
		for it.Seek(prefix); it.ValidForPrefix(prefix); it.Next() {
			n++
		}
	}
	return n
}

// abandon removes the blocks of a load that failed. If it cannot, the next open for writing will.
func (s *Store) abandon(old *head) error {
	if s.broken.Load() != nil {
		return nil // the error that is being returned already
	}
	if _, err := s.readRoot(); err != nil {
		return err
	}
	if live := s.head.Load(); live.epoch != old.epoch {
		log, err := s.scan(live.epoch)
		s.log.Store(&log)
		s.cached.Store(nil) // head was set, but not for sure on disk: keep both graphs
		return err
	}
	return s.dropAllBut(old.epoch)
}
