package storage

import (
	"runtime"
	"sync"
	"time"

	"github.com/motifql/motif/internal/csr"
)

// commitGroup lets transactions that commit at the same time share one sync of the log. A synchronous commit writes its entries and
// lets the next writer go on, which builds on the graph with them. Then the commit waits. One of those that wait syncs the log for
// all whose entries are written by then, and publishes the last of their graphs: readers see no transaction before it is durable.
// If the sync fails, all that wait for it fail, and the store can no longer be used.
type commitGroup struct {
	mu      sync.Mutex
	wake    sync.Cond // of mu: a sync has ended
	syncing bool
	written uint64        // counts the commits whose entries are written
	durable uint64        // the number of the last commit that was synced
	last    commit        // the last one written
	failed  error         // of a sync
	took    time.Duration // of the last sync
	crowd   uint64        // commits that waited when it ended, with those that it was for
}

// commit is a transaction whose entries are in the log.
type commit struct {
	number uint64 // in the order of the log
	wal    *logFile
	end    int64 // of its entries
	log    *logState
	snap   *csr.Snapshot
}

func newCommitGroup() *commitGroup {
	g := &commitGroup{}
	g.wake.L = &g.mu
	return g
}

// pending returns the last commit whose entries are written if it is not yet durable. Who writes next builds on it.
func (g *commitGroup) pending() (commit, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.last, g.durable < g.written
}

// add notes a commit whose entries were written. The caller has the writer's token.
func (g *commitGroup) add(c commit) commit {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.written++
	c.number = g.written
	g.last = c
	return c
}

// wait returns when c is durable and published, or with the error of the sync.
func (g *commitGroup) wait(s *Store, c commit) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	for g.durable < c.number {
		if g.failed != nil {
			return g.failed
		}
		if g.syncing {
			g.wake.Wait()
			continue
		}
		g.syncing = true
		g.gather()
		last := g.last
		g.mu.Unlock()
		start := time.Now()
		err := guarded(func() error { return last.settle(s) })()
		g.mu.Lock()
		g.syncing, g.took, g.crowd = false, time.Since(start), g.written-g.durable
		if err != nil {
			g.failed = s.breakdown(err)
		} else if g.durable = last.number; g.durable == g.written {
			g.last.snap = nil // nobody builds on it any more
		}
		g.wake.Broadcast()
	}
	return nil
}

// gatherShare is the part of a sync's time for which the next one may wait for more commits, and maxGather the longest such wait: it
// keeps a processor busy.
const gatherShare, maxGather = 4, 2 * time.Millisecond

// gather waits a little for as many commits as the last sync had around it: who has waited for that one often writes again at once. The
// caller has the lock, which gather gives up meanwhile. A lone writer does not wait.
func (g *commitGroup) gather() {
	wait := min(g.took/gatherShare, maxGather)
	for start := time.Now(); g.written-g.durable < g.crowd && time.Since(start) < wait; {
		g.mu.Unlock()
		runtime.Gosched()
		g.mu.Lock()
	}
}

// drain returns when no commit waits for a sync.
func (g *commitGroup) drain() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for g.syncing || g.durable < g.written && g.failed == nil {
		g.wake.Wait()
	}
}

// idle reports whether no commit waits for a sync.
func (g *commitGroup) idle() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return !g.syncing && (g.durable == g.written || g.failed != nil)
}

// settle makes c and all commits before it durable, and publishes its graph. It runs once at a time.
func (c *commit) settle(s *Store) error {
	if err := c.wal.syncTo(c.end); err != nil {
		return &Error{Reason: ErrIO, Path: showPath(s.dir), Err: err,
			What: "it is not known whether the transaction was stored", Do: "open the store again and look"}
	}
	if c.wal.f.Deleted() {
		return logDeleted(s.dir)
	}
	s.syncs.Add(1)
	c.publish(s)
	return nil
}

// finish returns when c is as durable as it is to be, and published.
func (c *commit) finish(s *Store) error {
	if c.number == 0 { // nothing to wait for
		c.publish(s)
		return nil
	}
	return s.group.wait(s, *c)
}

// publish has readers see the graph of c.
func (c *commit) publish(s *Store) {
	s.log.Store(c.log)
	s.cached.Store(c.snap)
	s.fold.consider(s, c.snap, *c.log)
}

func logDeleted(dir string) error {
	return &Error{Reason: ErrIO, Path: showPath(dir),
		What: "somebody deleted the files of the store while it was open", Do: "restore a backup, or load the graph again"}
}
