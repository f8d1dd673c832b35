package storage

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/motifql/motif/internal/csr"
)

// gateDisk is the real disk, on which the syncs of files wait at a gate. It counts those that have begun.
type gateDisk struct {
	disk
	syncs  atomic.Int64
	closed atomic.Bool
	gate   chan error // an answer for each sync that waits
}

func (d *gateDisk) Create(path string) (file, error) {
	f, err := d.disk.Create(path)
	return &gateFile{f, d}, err
}

func (d *gateDisk) Open(path string, write bool) (file, error) {
	f, err := d.disk.Open(path, write)
	return &gateFile{f, d}, err
}

type gateFile struct {
	file
	disk *gateDisk
}

func (f *gateFile) Sync() error {
	f.disk.syncs.Add(1)
	if f.disk.closed.Load() {
		if err := <-f.disk.gate; err != nil {
			return err
		}
	}
	return f.file.Sync()
}

// gated opens a store whose counter is 0, and closes the gate.
func gated(t *testing.T) (*Store, *gateDisk, string) {
	dir := t.TempDir()
	d := &gateDisk{disk: realDisk{}, gate: make(chan error)}
	s, err := openOn(d, dir, Options{Create: true, CompactAt: -1})
	if err != nil {
		t.Fatal(err)
	}
	count(t, s, 0, Sync)
	d.syncs.Store(0)
	d.closed.Store(true)
	return s, d, dir
}

// waiting starts commits of the counters from 1 to n, one after the other, and returns when all are written and none is durable.
func waiting(t *testing.T, s *Store, n int, d Durability) (ended chan error) {
	ended = make(chan error, n)
	for i := 1; i <= n; i++ {
		go func() { ended <- tryCount(s, int64(i), d, "") }()
		written(t, s, uint64(i)+1)
	}
	return ended
}

// written waits until so many commits have written their entries.
func written(t *testing.T, s *Store, n uint64) {
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		s.group.mu.Lock()
		now := s.group.written
		s.group.mu.Unlock()
		if now == n {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%d commits are written, not %d", now, n)
		}
	}
}

// Commits that come while the log is being synced share the next sync. None returns, and no reader sees one, before it is durable.
func TestGroupCommit(t *testing.T) {
	s, d, _ := gated(t)
	ended := waiting(t, s, 8, Sync)
	select {
	case err := <-ended:
		t.Fatalf("a commit returned before its sync: %v", err)
	case <-time.After(20 * time.Millisecond):
	}
	if n := counted(mustSnapshot(t, s)); n != 0 {
		t.Errorf("a reader sees the counter at %d before the sync", n)
	}
	d.gate <- nil // for the first
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if n := counted(mustSnapshot(t, s)); n < 1 {
		t.Errorf("a reader sees the counter at %d after the first commit", n)
	}
	d.gate <- nil // for all others
	for range 7 {
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
	}
	if n := d.syncs.Load(); n != 2 {
		t.Errorf("8 commits took %d syncs", n)
	}
	if n := counted(mustSnapshot(t, s)); n != 8 {
		t.Errorf("the counter is at %d", n)
	}
	d.closed.Store(false)
	mustClose(t, s)
}

// A sync that fails fails all commits that wait for it, and those after them. Readers still see the graph as it was before.
func TestGroupCommitFails(t *testing.T) {
	s, d, dir := gated(t)
	ended := waiting(t, s, 5, Sync)
	d.gate <- nil
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	before := counted(mustSnapshot(t, s))
	d.gate <- syscall.EIO
	for range 4 {
		wantError(t, <-ended, ErrIO, dir, "not known")
	}
	if n := counted(mustSnapshot(t, s)); n != before {
		t.Errorf("a reader sees the counter at %d, and %d before", n, before)
	}
	d.closed.Store(false)
	if err := tryCount(s, 9, Sync, ""); !errors.Is(err, ErrIO) {
		t.Errorf("a broken store takes a transaction: %v", err)
	}
	if err := s.Close(); !errors.Is(err, ErrIO) {
		t.Errorf("closing a broken store: %v", err)
	}
	s = mustOpen(t, dir, Options{})
	if n := counted(mustSnapshot(t, s)); n < before || n > 5 {
		t.Errorf("the counter is at %d after opening", n)
	}
	mustBeClean(t, s)
}

// A commit may be published between two looks of the next one at the log. The next one must still follow it.
func TestGroupCommitPublishedMeanwhile(t *testing.T) {
	s, d, dir := gated(t)
	first := waiting(t, s, 1, Sync)
	tx, err := s.Begin(t.Context(), Sync)
	if err != nil {
		t.Fatal(err)
	}
	v, _ := tx.Draft().NodeByID(0)
	if err := tx.Draft().SetNodeProps(v, csr.Prop{Key: "count", Value: csr.IntCell(2)}); err != nil {
		t.Fatal(err)
	}
	before := s.log.Load()
	s.group.mu.Lock() // the second commit waits for it when it asks for the first
	second := make(chan error, 1)
	go func() { second <- tx.Commit(context.Background()) }()
	time.Sleep(20 * time.Millisecond)
	d.closed.Store(false)
	d.gate <- nil
	for s.log.Load() == before {
		time.Sleep(time.Millisecond)
	}
	s.group.durable = s.group.written // what the first does next, but the second must not come before it
	s.group.mu.Unlock()
	for _, ended := range []chan error{first, second} {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	mustClose(t, s)
	s = mustOpen(t, dir, Options{})
	if n := counted(mustSnapshot(t, s)); n != 2 {
		t.Errorf("the counter is at %d", n)
	}
	mustBeClean(t, s)
	mustClose(t, s)
}

// A transaction without changes has seen those of the commit before it, and may not end well before that one is durable.
func TestGroupCommitWithoutChanges(t *testing.T) {
	s, d, _ := gated(t)
	first := waiting(t, s, 1, Sync)
	tx, err := s.Begin(t.Context(), Sync)
	if err != nil {
		t.Fatal(err)
	}
	second := make(chan error, 1)
	go func() { second <- tx.Commit(context.Background()) }()
	select {
	case err := <-second:
		t.Errorf("it ended before the sync: %v", err)
		second <- err
	case <-time.After(20 * time.Millisecond):
	}
	d.gate <- syscall.EIO
	for _, ended := range []chan error{first, second} {
		if err := <-ended; !errors.Is(err, ErrIO) {
			t.Errorf("after a sync that failed: %v", err)
		}
	}
	d.closed.Store(false)
	s.Close()
}

// A relaxed commit after one that waits for its sync waits, too: it has seen the changes of that one.
func TestGroupCommitRelaxed(t *testing.T) {
	s, d, _ := gated(t)
	first := waiting(t, s, 1, Sync)
	second := make(chan error, 1)
	go func() { second <- tryCount(s, 2, Relaxed, "") }()
	written(t, s, 3)
	select {
	case err := <-second:
		t.Fatalf("the relaxed commit returned before the sync: %v", err)
	case <-time.After(20 * time.Millisecond):
	}
	d.gate <- nil
	if err := <-first; err != nil {
		t.Fatal(err)
	}
	d.gate <- nil
	if err := <-second; err != nil {
		t.Fatal(err)
	}
	d.closed.Store(false)
	mustClose(t, s)
}

// Load, compaction and Close wait for the commits that wait for a sync.
func TestGroupCommitAndClose(t *testing.T) {
	for name, do := range map[string]func(*Store) error{
		"close":   (*Store).Close,
		"compact": func(s *Store) error { return s.Compact(t.Context()) },
		"publish": func(s *Store) error { _, err := s.Publish(t.Context(), rmat(t, 4, 4), nil); return err },
	} {
		s, d, dir := gated(t)
		ended := waiting(t, s, 4, Sync)
		done := make(chan error, 1)
		go func() { done <- do(s) }()
		select {
		case err := <-done:
			t.Fatalf("%s did not wait: %v", name, err)
		case <-time.After(30 * time.Millisecond):
		}
		d.closed.Store(false)
		d.gate <- nil // for the sync that waits already
		for range 4 {
			if err := <-ended; err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if err := <-done; err != nil {
			t.Errorf("%s: %v", name, err)
		}
		mustClose(t, s)
		s = mustOpen(t, dir, Options{})
		if n := counted(mustSnapshot(t, s)); name != "publish" && n != 4 {
			t.Errorf("%s: the counter is at %d", name, n)
		}
		mustBeClean(t, s)
		mustClose(t, s)
	}
}

// A loss of power may take any of the transactions that waited for one sync, and leave later ones. The store then opens with those
// before the first that is gone.
func TestGroupCommitLossOfPower(t *testing.T) {
	s, d, dir := gated(t)
	ended := waiting(t, s, 4, Sync)
	log := filepath.Join(dir, logName(0))
	image, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	var ends []int64 // of the transactions 0 to 4
	f, err := realDisk{}.Open(log, false)
	if err != nil {
		t.Fatal(err)
	}
	scan := &logScan{end: logHeaderLen, size: int64(len(image))}
	if err := scan.read(t.Context(), f, 0, func(key, value []byte) error {
		if _, _, part, _ := parseChangeKey(key); part == lastPart {
			ends = append(ends, scan.end+int64(entryHead+len(value)))
		}
		return nil
	}); err != nil || len(ends) < 5 {
		t.Fatal(len(ends), err)
	}
	f.Close()
	d.closed.Store(false)
	d.gate <- nil
	for range 4 {
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
	}
	mustClose(t, s)
	first := len(ends) - 5 // the graph may have been made by a transaction of its own
	for gone := 1; gone <= 4; gone++ {
		for _, torn := range []int64{0, 30} { // bytes of it that stay
			broken := append([]byte(nil), image...)
			clear(broken[min(ends[first+gone-1]+torn, ends[first+gone]):ends[first+gone]])
			if err := os.WriteFile(log, broken, 0o666); err != nil {
				t.Fatal(err)
			}
			s := mustOpen(t, dir, Options{})
			if n := counted(mustSnapshot(t, s)); n != int64(gone-1) {
				t.Errorf("without transaction %d the counter is at %d", gone, n)
			}
			mustBeClean(t, s)
			count(t, s, 9, Sync)
			mustClose(t, s)
			s = mustOpen(t, dir, Options{})
			if n := counted(mustSnapshot(t, s)); n != 9 {
				t.Errorf("without transaction %d the counter is at %d after another", gone, n)
			}
			mustClose(t, s)
		}
	}
}

// Many goroutines write with and without waiting for the disk while the log is compacted. No change is lost.
func TestGroupCommitConcurrently(t *testing.T) {
	dir := t.TempDir()
	s := mustOpen(t, dir, Options{Create: true, CompactAt: 2000})
	count(t, s, 0, Sync)
	const writers, each = 8, 20
	var group sync.WaitGroup
	for w := range writers {
		group.Go(func() {
			for i := range each {
				if err := tryCount(s, int64(w*each+i), Durability(w%4/3), ""); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	if n := mustSnapshot(t, s).N(); n != writers*each+1 {
		t.Errorf("%d nodes", n)
	}
	mustClose(t, s)
	s = mustOpen(t, dir, Options{})
	if n := mustSnapshot(t, s).N(); n != writers*each+1 {
		t.Errorf("%d nodes after opening", n)
	}
	mustBeClean(t, s)
	mustClose(t, s)
}

// Transactions that commit batches run beside others. Each builds on the commit before it, and a reader sees no batch by half.
func TestCommitBatches(t *testing.T) {
	s, err := Open(t.TempDir(), Options{Create: true, CompactAt: 3000})
	if err != nil {
		t.Fatal(err)
	}
	defer mustClose(t, s)
	count(t, s, 0, Sync)
	const workers, rounds, batches = 4, 10, 3
	work := func(d Durability) error {
		tx, err := s.Begin(t.Context(), d)
		if err != nil {
			return err
		}
		defer tx.Rollback()
		for range batches {
			if err := errors.Join(addCount(tx.Draft(), counted(tx.base)+1, ""), tx.CommitBatch(t.Context())); err != nil {
				return err
			}
			if snap, err := s.Snapshot(t.Context()); err != nil || snap != tx.Draft().Base() || len(tx.Draft().Changes()) != 0 {
				return fmt.Errorf("a reader sees another graph, or changes are left: %w", err)
			}
		}
		return addCount(tx.Draft(), -1, "") // which is rolled back
	}
	var group sync.WaitGroup
	for w := range workers {
		group.Go(func() {
			for i := range rounds {
				if err := work(Durability((w + i) % 2)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	seen := int64(0)
	for done := false; !done; {
		snap, err := s.Snapshot(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		now := counted(snap)
		if now < seen || snap.N() != uint64(now)+1 {
			t.Fatalf("counter %d after %d, with %d nodes", now, seen, snap.N())
		}
		seen, done = now, now == workers*rounds*batches || t.Failed()
	}
	group.Wait()
	ctx, stop := context.WithCancel(t.Context())
	tx, err := s.Begin(ctx, Sync)
	if err != nil {
		t.Fatal(err)
	}
	if stop(); !errors.Is(errors.Join(addCount(tx.Draft(), 9, ""), tx.CommitBatch(ctx)), context.Canceled) || !errors.Is(tx.CommitBatch(t.Context()), ErrTxDone) {
		t.Error("a transaction goes on after a batch that was not stored")
	}
	count(t, s, workers*rounds*batches+1, Sync)
}
