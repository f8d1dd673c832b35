package storage

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// A shared store (Options.Shared) holds no lock while it only reads. Its transactions take the lock, and give it back a moment
// after the last of them. Before a transaction, and before each Snapshot, the store takes up what other processes have published;
// follow.go does that.

// sharing is what a shared store keeps about its lock and about the files it follows.
type sharing struct {
	store  *Store
	locked atomic.Bool // the store holds the lock and alone writes; set by who has both tokens

	mu    sync.Mutex
	timer *time.Timer // gives the lock back

	// followed is guarded by the token busy.
	followed followedFiles
}

const (
	lockLinger   = 100 * time.Millisecond // how long a shared store keeps the lock after a transaction
	lockPatience = 2 * time.Second        // how long to wait for a lock that its holder keeps only for transactions
)

// open opens a store of the current format without a lock, or creates it.
func (sh *sharing) open(kind storeKind) (*Store, error) {
	s := sh.store
	ctx := context.Background()
	if kind == noStore {
		if err := s.lockWriter(ctx); err != nil {
			return nil, err
		}
		s.unlockWriter()
		sh.giveBack() // at once, where nothing hinders it
		return s, nil
	}
	if err := s.acquire(ctx); err != nil {
		return nil, err
	}
	defer s.release()
	if err := sh.catchUp(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

// enter takes the lock, and what others have written, before a shared store writes. The caller has the writer's token.
func (sh *sharing) enter(ctx context.Context) error {
	s := sh.store
	sh.stop()
	if sh.locked.Load() {
		return nil
	}
	lock, err := waitForLock(ctx, s.dir, false, true)
	if err != nil {
		return err
	}
	if err = s.acquire(ctx); err != nil {
		return errors.Join(err, lock.release())
	}
	defer s.release()
	if err = sh.takeOver(ctx); err != nil {
		return errors.Join(err, lock.release())
	}
	s.lock = lock
	sh.locked.Store(true)
	return nil
}

// takeOver opens the store for writing, and keeps the graph in memory if it is the one on the disk.
func (sh *sharing) takeOver(ctx context.Context) error {
	s := sh.store
	kind, err := inspect(s.disk, s.dir)
	if err == nil && kind == currentStore {
		err = sh.catchUp(ctx)
	}
	if err != nil {
		return err
	}
	before, committed := s.head.Load(), s.log.Load().committed
	if err := s.start(kind); err != nil {
		s.wal = nil
		return err
	}
	if now := s.head.Load(); now.store != before.store || now.epoch != before.epoch || s.log.Load().committed != committed {
		s.cached.Store(nil)
	}
	s.seq = 0 // others have used numbers meanwhile
	return nil
}

// leaveSoon gives the lock back in a moment, unless another transaction comes.
func (sh *sharing) leaveSoon() {
	s := sh.store
	if !sh.locked.Load() {
		return
	}
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if sh.timer == nil {
		sh.timer = time.AfterFunc(lockLinger, func() {
			if err := guarded(func() error { sh.giveBack(); return nil })(); err != nil {
				s.say("the lock was not given back", "why", err)
			}
		})
		return
	}
	sh.timer.Reset(lockLinger)
}

// stop forgets to give the lock back.
func (sh *sharing) stop() {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if sh.timer != nil {
		sh.timer.Stop()
	}
}

// giveBack gives the lock back if nothing is being written. A transaction that runs does so at its end.
func (sh *sharing) giveBack() {
	s := sh.store
	select {
	case s.writer <- struct{}{}:
	default:
		return
	}
	defer func() { <-s.writer }()
	select {
	case s.busy <- struct{}{}:
	default:
		sh.leaveSoon()
		return
	}
	defer s.release()
	if s.closed.Load() || !sh.locked.Load() {
		return
	}
	if s.fold.busy() || !s.group.idle() {
		sh.leaveSoon()
		return
	}
	if err := sh.leave(); err != nil {
		s.say("giving back the lock", "why", err)
	}
}

// leave ends the log and gives the lock back. The caller has both tokens.
func (sh *sharing) leave() error {
	s := sh.store
	s.appending.Lock()
	defer s.appending.Unlock()
	log := *s.log.Load()
	sh.followed = followedFiles{}
	var err error
	if s.broken.Load() == nil {
		if err = s.wal.finish(log.committed); err == nil {
			sh.followed.tail, err = readTail(s.wal.f, s.wal.end)
		}
		log.end = s.wal.end
		s.log.Store(&log)
	}
	err = errors.Join(err, s.wal.close(), s.lock.release())
	s.wal, s.lock = nil, nil
	sh.locked.Store(false)
	return err
}

// waitForLock takes the lock of a store. It waits for a holder that keeps the lock only for transactions.
func waitForLock(ctx context.Context, dir string, reading, briefly bool) (*dirLock, error) {
	began := time.Now()
	known := began // when the holder was last seen
	for {
		lock, err := lockDir(dir, reading, briefly)
		if err == nil || !errors.Is(err, ErrLocked) {
			return lock, err
		}
		switch who := readHolder(dir); {
		case who.pid == 0: // it has just taken the lock, or is about to give it back
			if time.Since(known) > lockLinger {
				return nil, err
			}
		case !who.briefly, time.Since(began) > lockPatience:
			return nil, err
		default:
			known = time.Now()
		}
		select {
		case <-time.After(5 * time.Millisecond):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// epochGone reports whether other processes have replaced files since they were looked at, so that an error in reading them may
// say nothing about the store.
func (sh *sharing) epochGone() bool {
	s := sh.store
	if sh.locked.Load() {
		return false
	}
	f := &sh.followed
	for _, seen := range []struct {
		name string
		info os.FileInfo
	}{{headName, f.head}, {logName(s.head.Load().epoch), f.log}} {
		now, err := os.Stat(filepath.Join(s.dir, seen.name))
		if err != nil || seen.info == nil || !os.SameFile(now, seen.info) {
			return true
		}
	}
	return false
}

// sameFiles reports whether two looks at the files saw the same.
func sameFiles(a, b []os.FileInfo) bool {
	return slices.EqualFunc(a, b, func(a, b os.FileInfo) bool {
		return a != nil && b != nil && os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
	})
}
