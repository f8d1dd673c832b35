package storage

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/motifql/motif/internal/csr"
)

// Compaction writes the live graph, with the changes in its log, as the blocks of a new epoch, and publishes it as a load
// does. Readers notice nothing. Transactions wait only for the last step. It copies the transactions committed meanwhile into
// the log of the new epoch, makes all of it durable, and replaces HEAD.

// minLog is the length below which no log is compacted, however small the graph. A longer log must also be a good part of
// the graph. So compactions take but a share of the time of the transactions that cause them.
const minLog = 1 << 20

// folder runs compactions in the background, one at a time.
type folder struct {
	mu     sync.Mutex
	cancel context.CancelFunc
	done   chan struct{} // closed when the compaction has ended; nil: there was none
	after  uint64        // after a failure: how long the log has to be for the next attempt
	closed bool          // the store is being closed: no compaction may start, which would outlast its lock
}

// consider starts a compaction of snap, whose log has the state log, if that log has become long.
func (f *folder) consider(s *Store, snap *csr.Snapshot, log logState) {
	limit := max(minLog, s.head.Load().bytes/2)
	if s.opt.CompactAt > 0 {
		limit = uint64(s.opt.CompactAt)
	}
	if s.inMemory() || s.opt.CompactAt < 0 || log.bytes < limit {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed || f.running() || log.bytes < f.after {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := f.started(cancel)
	go func() {
		err := guarded(func() error { return s.compact(ctx, snap, log) })()
		f.mu.Lock()
		f.after = 0
		if err != nil && ctx.Err() == nil {
			f.after = 2 * log.bytes
			s.say("the change log was not compacted", "why", err)
		}
		f.mu.Unlock()
		ended()
	}()
}

// started notes that a compaction runs, until the returned function is called. The caller holds mu.
func (f *folder) started(cancel context.CancelFunc) (ended func()) {
	done := make(chan struct{})
	f.cancel, f.done = cancel, done
	return func() { cancel(); close(done) }
}

func (f *folder) running() bool {
	if f.done == nil {
		return false
	}
	select {
	case <-f.done:
		return false
	default:
		return true
	}
}

// busy reports whether a compaction runs.
func (f *folder) busy() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.running()
}

// stop ends a compaction and waits until it has. A step that cannot be undone any more it takes to its end.
func (f *folder) stop() {
	f.mu.Lock()
	cancel, done := f.cancel, f.done
	f.mu.Unlock()
	if done != nil {
		cancel()
		<-done
	}
}

// close is stop, and no compaction starts from then on.
func (f *folder) close() {
	f.mu.Lock()
	f.closed = true
	f.mu.Unlock()
	f.stop()
}

// wait waits for a compaction that runs.
func (f *folder) wait() {
	f.mu.Lock()
	done := f.done
	f.mu.Unlock()
	if done != nil {
		<-done
	}
}

// Compact writes the live graph as a new epoch now, and returns when that is published. With an empty log there is
// nothing to do.
func (s *Store) Compact(ctx context.Context) error {
	if err := s.writable(); err != nil {
		return err
	}
	if err := s.lockWriter(ctx); err != nil {
		return err
	}
	s.fold.stop()
	err := s.upgrade(ctx)
	var snap *csr.Snapshot
	if err == nil {
		snap, err = s.Snapshot(ctx)
	}
	log := *s.log.Load()
	if err != nil || log.count == 0 || s.inMemory() {
		s.unlockWriter()
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.fold.mu.Lock()
	if s.fold.closed {
		s.fold.mu.Unlock()
		s.unlockWriter()
		return closedError(s.dir)
	}
	ended := s.fold.started(cancel)
	s.fold.mu.Unlock()
	s.unlockWriter()
	defer ended()
	return s.compact(ctx, snap, log)
}

// compact writes snap, whose log has the state log, as a new epoch and makes it the live one.
func (s *Store) compact(ctx context.Context, snap *csr.Snapshot, log logState) error {
	flat, err := flatten(ctx, snap)
	if err != nil {
		return err
	}
	live := s.head.Load()
	next, err := s.claimHead(ctx, flat)
	if err != nil {
		return err
	}
	if err = s.writeGraph(ctx, next, flat, noProgress); err == nil {
		err = s.exclusively(ctx, func() error { return s.switchTo(ctx, live, next, flat, log.committed) })
	}
	if err != nil && s.head.Load() != next {
		err = s.abandon(next, nil, wrap(s.dir, "compacting the change log", err))
	}
	return err
}

// flatten is the graph of snap as blocks can hold it: without an overlay of changes, and with its degeneracy.
func flatten(ctx context.Context, snap *csr.Snapshot) (*csr.Snapshot, error) {
	flat, err := snap.Compact(ctx)
	if err != nil {
		return nil, err
	}
	if flat == snap { // others read it
		d, stats := snap.Data, *snap.Stats
		d.Stats = &stats
		if flat, err = csr.NewContext(ctx, d); err != nil {
			return nil, err
		}
	}
	return flat, setDegeneracy(ctx, flat)
}

// claimHead takes the number of a new epoch.
func (s *Store) claimHead(ctx context.Context, snap *csr.Snapshot) (*head, error) {
	if err := s.acquire(ctx); err != nil {
		return nil, err
	}
	defer s.release()
	return s.nextHead(snap), nil
}

// exclusively runs fn with both tokens. Who has the second may have it for long, to read the graph or to copy it;
// transactions need not wait for that.
func (s *Store) exclusively(ctx context.Context, fn func() error) error {
	for {
		if err := s.lockWriter(ctx); err != nil {
			return err
		}
		select {
		case s.busy <- struct{}{}:
			defer s.unlockWriter()
			defer s.release()
			if err := s.usable(); err != nil {
				return err
			}
			return fn()
		default:
		}
		s.unlockWriter()
		select {
		case <-time.After(10 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// switchTo publishes the epoch next, whose blocks hold flat: the graph up to the transaction upTo of the epoch live.
func (s *Store) switchTo(ctx context.Context, live, next *head, flat *csr.Snapshot, upTo uint64) error {
	if now := s.head.Load(); now.epoch != live.epoch {
		return fmt.Errorf("the graph was replaced by epoch %d", now.epoch)
	}
	fresh, err := createLog(s.disk, s.dir, next.store, next.epoch)
	if err != nil {
		return err
	}
	log, snap, err := s.moveLog(ctx, live, next, flat, fresh, upTo)
	if err == nil {
		err = s.setHead(next)
	}
	if err != nil {
		return errors.Join(err, fresh.close())
	}
	s.cached.Store(snap)
	s.take(next, fresh, log, noProgress)
	return nil
}

// moveLog copies the transactions of the epoch live after upTo to the log of the epoch next, makes them durable and reads
// them back. It returns the state of that log and the graph with them.
func (s *Store) moveLog(ctx context.Context, live, next *head, flat *csr.Snapshot, fresh *logFile, upTo uint64) (*logState, *csr.Snapshot, error) {
	previous := uint64(0)
	_, err := s.eachTransaction(ctx, live, func(e logEntry) error {
		if e.seq <= upTo {
			return nil
		}
		e.previous, previous = previous, e.seq
		return fresh.copyEntry(&e)
	})
	if err == nil {
		err = fresh.sync()
	}
	if err != nil {
		return nil, nil, err
	}
	var tail []csr.Change
	fresh.f.Forget()
	scan, err := scanLogFile(ctx, fresh.f, next, fresh.end, func(e logEntry) error {
		changes, err := e.changesOf(next.epoch)
		tail = append(tail, changes...)
		return err
	})
	if err != nil || len(tail) == 0 {
		return stateOf(scan), flat, err
	}
	snap, err := csr.Replay(ctx, flat, tail)
	if err != nil && ctx.Err() == nil {
		err = corrupt(s.dir, "the change log", err)
	}
	return stateOf(scan), snap, err
}

func stateOf(scan *logScan) *logState {
	if scan == nil {
		return nil
	}
	return &scan.state
}
