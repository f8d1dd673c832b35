package storage

import (
	"cmp"
	"context"
	"path/filepath"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/kernels/core"
)

// The stages that Publish reports, in this order. Only StageWrite has a total.
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
// If Publish fails or the process dies, the graph before stays. After an error of the very last steps nobody knows which graph
// is live: then the store cannot be used until it is opened again. A transaction's commit is in tx.go.
func (s *Store) Publish(ctx context.Context, snap *csr.Snapshot, progress func(stage string, done, total uint64)) (Info, error) {
	return Rewrite(ctx, s, func(context.Context) (*csr.Snapshot, error) { return snap, nil }, progress)
}

// Rewrite publishes the graph that next returns, as Publish does. No transaction commits between the call of next, which may read
// the graph that there is, and the publication.
func Rewrite(ctx context.Context, s *Store, next func(context.Context) (*csr.Snapshot, error), progress func(stage string, done, total uint64)) (Info, error) {
	if progress == nil {
		progress = noProgress
	}
	return rewriteGraph(ctx, s, func() (func() error, error) {
		snap, err := next(ctx)
		return func() error { return s.publish(ctx, snap, progress) }, err
	})
}

// rewriteGraph calls next while no transaction commits, and what it returns while nobody reads the files.
func rewriteGraph(ctx context.Context, s *Store, next func() (publish func() error, err error)) (Info, error) {
	if err := s.writable(); err != nil {
		return Info{}, err
	}
	if err := s.lockWriter(ctx); err != nil {
		return Info{}, err
	}
	defer s.unlockWriter()
	s.fold.stop()
	publish, err := next()
	if err != nil {
		return Info{}, err
	}
	if err := s.acquire(ctx); err != nil {
		return Info{}, err
	}
	defer s.release()
	if err := publish(); err != nil {
		return Info{}, err
	}
	return infoAfter(s), nil
}

// infoAfter describes the graph after it was replaced. That is done, also if what the files take cannot be told.
func infoAfter(s *Store) Info {
	info, err := s.Info()
	if err != nil {
		s.say("the size of the store's files is not known", "why", err)
	}
	return info
}

func (s *Store) publish(ctx context.Context, snap *csr.Snapshot, progress func(stage string, done, total uint64)) error {
	snap, err := snap.Compact(ctx)
	if err != nil {
		return err
	}
	progress(StageCores, 0, 0)
	if err := setDegeneracy(ctx, snap); err != nil {
		return err
	}
	next := s.nextHead(snap)
	if s.inMemory() {
		w := &writer{epoch: next.epoch, workers: s.opt.Workers, progress: progress, put: func(_, _ []byte) error { return nil }}
		if err := w.run(ctx, &snap.Data); err != nil { // which finds what no store could hold
			return err
		}
		next.bytes = w.bytes
		s.head.Store(next)
		s.cached.Store(snap)
		s.log.Store(new(logState))
		return nil
	}
	return replaceGraph(ctx, s, next, snap, func() error { return s.writeGraph(ctx, next, snap, progress) }, progress)
}

// replaceGraph makes the graph that write writes the live one. snap is that graph, or nil: then it is read when it is asked for.
func replaceGraph(ctx context.Context, s *Store, next *head, snap *csr.Snapshot, write func() error, progress func(stage string, done, total uint64)) error {
	var fresh *logFile
	err := write()
	if err == nil {
		fresh, err = createLog(s.disk, s.dir, next.store, next.epoch)
	}
	if err == nil {
		progress(StagePublish, 0, 0)
		if err = ctx.Err(); err == nil {
			err = s.setHead(next)
		}
	}
	if err != nil {
		return s.abandon(next, fresh, wrap(s.dir, "publishing the graph", err))
	}
	s.cached.Store(snap)
	s.take(next, fresh, &logState{end: fresh.end}, progress)
	return nil
}

// setDegeneracy computes what csr leaves to the store, on the simple undirected graph over all types.
func setDegeneracy(ctx context.Context, snap *csr.Snapshot) error {
	degeneracy, err := degeneracyOf(ctx, snap)
	if err == nil && snap.Stats.Degeneracy != degeneracy {
		snap.Stats.Degeneracy = degeneracy
	}
	return err
}

func degeneracyOf(ctx context.Context, snap *csr.Snapshot) (uint32, error) {
	adj, err := snap.View(ctx, nil, csr.Both)
	if err != nil {
		return 0, err
	}
	_, _, degeneracy, err := core.ByBins(ctx, adj, snap.N())
	return degeneracy, err
}

// nextHead is the head of the next epoch, without its tables. No number is used twice. The caller has the store's token.
func (s *Store) nextHead(snap *csr.Snapshot) *head { return headOf(s, &snap.Data) }

// headOf is nextHead for the data of a graph.
func headOf(s *Store, d *csr.Data) *head {
	live := s.head.Load()
	s.claimed = max(live.epoch, s.claimed) + 1
	next := &head{store: live.store, format: formatOf(&d.Schema), epoch: s.claimed, vertices: d.Vertices, edges: d.Edges, published: time.Now().UnixNano()}
	if next.store == (storeID{}) {
		next.store = newStoreID()
	}
	return next
}

// writeGraph writes the blocks of a graph as the database of h's epoch, and returns when they would survive a loss of power and were
// read back.
func (s *Store) writeGraph(ctx context.Context, h *head, snap *csr.Snapshot, progress func(stage string, done, total uint64)) error {
	return writeData(ctx, s, h, &snap.Data, nil, progress)
}

// writeData is writeGraph for the data of a graph. spooled has its relationships if it is not nil.
func writeData(ctx context.Context, s *Store, h *head, d *csr.Data, spooled *csr.Spooled, progress func(stage string, done, total uint64)) error {
	to, err := newEpochWriter(ctx, s.disk, filepath.Join(s.dir, epochFolder(h.epoch)))
	if err != nil {
		return err
	}
	w := &writer{epoch: h.epoch, workers: s.opt.Workers, spooled: spooled, progress: progress, put: to.add, records: to.restart}
	if err := w.run(ctx, d); err != nil {
		return err
	}
	progress(StageSync, 0, 0)
	if err := to.finish(); err != nil {
		return err
	}
	h.bytes, h.tables = w.bytes, to.tables
	makeFlat(ctx, s, h)
	return nil
}

// setHead publishes an epoch, all of which is durable. An error of the last steps breaks the store: nobody knows which epoch
// the next open will find.
func (s *Store) setHead(next *head) error {
	next.format = max(next.format, s.head.Load().format) // its log may hold what needs the live one's
	if s.old != nil {
		queries, err := s.old.queries()
		if err == nil && len(queries) > 0 {
			_, err = replaceFile(s.disk, s.dir, queriesName, encodeQueries(next.store, queries))
		}
		if err != nil {
			return err
		}
	}
	unsure, err := replaceHead(s.disk, s.dir, next)
	if err != nil && unsure {
		return s.breakdown(&Error{Reason: ErrIO, Path: showPath(s.dir), Err: err,
			What: "it is not known whether the graph was published", Do: "open the store again and look"})
	}
	return err
}

// replaceHead replaces the file HEAD. Before, it makes the names of the files durable that the new one speaks of: else a loss
// of power might keep the new HEAD and not them.
func replaceHead(d disk, dir string, next *head) (unsure bool, err error) {
	if err := d.SyncDir(dir); err != nil {
		return false, err
	}
	return replaceFile(d, dir, headName, next.encodeFile())
}

// abandon removes what was written of an epoch that was not published.
func (s *Store) abandon(next *head, fresh *logFile, err error) error {
	if fresh != nil {
		err = cmp.Or(err, fresh.close())
	}
	if s.broken.Load() == nil { // else it may be the live one
		s.dropEpoch(next.epoch)
	}
	return err
}

// take makes a published epoch the live one in this process, and removes the one before.
func (s *Store) take(next *head, fresh *logFile, log *logState, progress func(stage string, done, total uint64)) {
	before := s.head.Load()
	s.head.Store(next)
	s.log.Store(log)
	s.seq = 0
	s.appending.Lock()
	last := s.wal
	s.wal = fresh
	s.appending.Unlock()
	progress(StageClean, 0, 0)
	if last != nil {
		if err := last.close(); err != nil {
			s.say("closing the old change log", "why", err)
		}
	}
	if s.old == nil {
		s.dropEpoch(before.epoch)
		return
	}
	if err := s.old.close(); err != nil {
		s.say("closing the files of an older format", "why", err)
	}
	s.old = nil
	if err := s.tidyUp(next); err != nil {
		s.say("files of an older format are left in the store", "why", err)
	}
}

// upgrade replaces a store of an older format by one of this, before anything else is written to it. The caller has the writer's
// token.
func (s *Store) upgrade(ctx context.Context) error {
	if s.old == nil {
		return nil
	}
	snap, err := s.Snapshot(ctx)
	if err == nil {
		err = s.acquire(ctx)
	}
	if err != nil {
		return err
	}
	defer s.release()
	if !s.Empty() {
		flat, err := flatten(ctx, snap)
		if err != nil {
			return err
		}
		return s.publish(ctx, flat, noProgress)
	}
	next := &head{store: newStoreID()}
	fresh, err := createLog(s.disk, s.dir, next.store, 0)
	if err == nil {
		err = s.setHead(next)
	}
	if err != nil {
		return s.abandon(next, fresh, wrap(s.dir, "upgrading the store", err))
	}
	s.take(next, fresh, &logState{end: fresh.end}, noProgress)
	return nil
}

func noProgress(string, uint64, uint64) {}
