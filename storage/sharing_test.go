package storage

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/motifql/motif/internal/csr"
)

// sharedGraph reads the graph of a shared store, and sees that it is whole: the counter is the number of the last node.
func sharedGraph(t *testing.T, s *Store) *csr.Snapshot {
	t.Helper()
	g, err := s.Snapshot(t.Context())
	if err != nil {
		t.Error(err)
		return nil
	}
	if g.N() > 0 && counted(g) != int64(g.N())-1 {
		t.Errorf("counter %d after %d transactions", counted(g), g.N())
	}
	return g
}

// TestSharedReaders reads a store while another process commits to it, compacts it all the time, is killed and starts again. Each
// graph that a reader gets is whole, and none is older than the one before.
func TestSharedReaders(t *testing.T) {
	dir := t.TempDir()
	rng := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))
	mustClose(t, mustOpen(t, dir, Options{Create: true}))
	var stop atomic.Bool
	var group sync.WaitGroup
	readers := make([]*Store, 3)
	var seen [3]uint64
	var epochs atomic.Uint64
	for i := range readers {
		readers[i] = mustOpen(t, dir, Options{ReadOnly: true, Shared: true})
		group.Go(func() {
			for n := 0; !stop.Load() && !t.Failed(); n++ {
				g := sharedGraph(t, readers[i])
				if g == nil {
					return
				}
				if g.N() < seen[i] {
					t.Errorf("%d nodes after %d", g.N(), seen[i])
				}
				seen[i] = g.N()
				epochs.Store(readers[i].head.Load().epoch)
				if n%50 == 49 {
					if report, err := readers[i].Check(t.Context()); err != nil || !report.OK() {
						t.Errorf("%v, %+v", err, report)
					}
				}
			}
		})
	}
	begun := uint64(0)
	for range 4 {
		cmd, out := startHelper(t, "commit", dir)
		time.AfterFunc(time.Duration(300+rng.IntN(400))*time.Millisecond, func() { cmd.Process.Kill() })
		for lines := bufio.NewScanner(out); lines.Scan(); {
			var i uint64
			if n, _ := fmt.Sscanf(lines.Text(), "begin %d", &i); n == 1 {
				begun = i + 1
			}
		}
		cmd.Wait()
	}
	stop.Store(true)
	group.Wait()
	last, _ := verifyCommits(t, dir, true, 0, begun, "after all")
	for _, r := range readers {
		if g := sharedGraph(t, r); g != nil && g.N() != last {
			t.Errorf("a reader has %d of %d transactions", g.N(), last)
		}
		mustClose(t, r)
	}
	t.Logf("%d transactions, epoch %d", last, epochs.Load())
}

// TestSharedWriters has several stores open for writing at once, beside one that opens and closes the usual way. No transaction
// is lost or done twice.
func TestSharedWriters(t *testing.T) {
	dir := t.TempDir()
	opt := Options{Create: true, Shared: true, CompactAt: 3000}
	const each = 25
	var group sync.WaitGroup
	commits := func(open func() *Store, done func(*Store)) {
		group.Go(func() {
			rng := rand.New(rand.NewPCG(rand.Uint64(), 1))
			for range each {
				s := open()
				if err := countNext(s, Durability(rng.IntN(2))); err != nil {
					t.Error(err)
					return
				}
				done(s)
				if rng.IntN(3) == 0 {
					time.Sleep(time.Duration(rng.IntN(150)) * time.Millisecond)
				}
			}
		})
	}
	for range 2 {
		s := mustOpen(t, dir, opt)
		defer mustClose(t, s)
		commits(func() *Store { return s }, func(*Store) { sharedGraph(t, s) })
	}
	commits(func() *Store { return openWhenFree(t, dir) }, func(s *Store) { mustClose(t, s) })
	group.Wait()
	r := mustOpen(t, dir, Options{ReadOnly: true, Shared: true})
	defer mustClose(t, r)
	if g := sharedGraph(t, r); g.N() != 3*each {
		t.Errorf("%d transactions of %d", g.N(), 3*each)
	}
	mustBeClean(t, r)
}

// countNext adds the next number to the chain of count.
func countNext(s *Store, d Durability) error {
	for {
		tx, err := s.Begin(context.Background(), d)
		if errors.Is(err, ErrLocked) {
			time.Sleep(10 * time.Millisecond)
			continue
		}
		if err != nil {
			return err
		}
		defer tx.Rollback()
		draft, n := tx.Draft(), int64(tx.base.N())
		if _, err := draft.CreateNode([]string{"N"}, []csr.Prop{{Key: "i", Value: csr.IntCell(n)}}); err != nil {
			return err
		}
		v, _ := draft.NodeByID(0)
		if err := draft.SetNodeProps(v, csr.Prop{Key: "count", Value: csr.IntCell(n)}); err != nil {
			return err
		}
		return tx.Commit(context.Background())
	}
}

// openWhenFree opens a store for writing when others leave it alone.
func openWhenFree(t *testing.T, dir string) *Store {
	for {
		s, err := Open(dir, Options{CompactAt: -1})
		if err == nil {
			return s
		}
		if !errors.Is(err, ErrLocked) {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// TestSharedIdle sees that an idle shared store keeps nobody out, also after it has written, and that one in a transaction does.
func TestSharedIdle(t *testing.T) {
	dir := storeDir(t)
	s := mustOpen(t, dir, Options{Shared: true})
	defer mustClose(t, s)
	mustSnapshot(t, s)
	other := mustOpen(t, dir, Options{})
	n := mustSnapshot(t, other).N()
	tx, err := other.Begin(t.Context(), Sync)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Draft().CreateNode([]string{"New"}, nil); err != nil {
		t.Fatal(err)
	}
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if Loaded(s) != nil {
		t.Error("Loaded gives a graph that another store has changed")
	}
	if got := mustSnapshot(t, s).N(); got != n+1 {
		t.Errorf("%d nodes beside a writer that has committed, want %d", got, n+1)
	}
	if _, err := s.Begin(t.Context(), Sync); !errors.Is(err, ErrLocked) {
		t.Errorf("a transaction beside a writer: %v", err)
	}
	if err := other.SaveQuery(t.Context(), SavedQuery{Name: "q", Text: "RETURN 1"}); err != nil {
		t.Fatal(err)
	}
	mustPublish(t, other, rmat(t, 6, 4))
	if got := mustSnapshot(t, s).N(); got != mustSnapshot(t, other).N() {
		t.Errorf("%d nodes beside a writer that has loaded another graph", got)
	}
	time.Sleep(2 * stampDoubt)
	if mustSnapshot(t, s); Loaded(s) == nil {
		t.Error("Loaded gives no graph although nothing has changed")
	}
	if list, err := s.Queries(t.Context()); err != nil || len(list) != 1 {
		t.Errorf("saved queries: %v, %v", list, err)
	}
	mustClose(t, other)
	if tx, err = s.Begin(t.Context(), Sync); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	_, err = Open(dir, Options{})
	wantError(t, err, ErrLocked, dir, "this process")
	if waited := time.Since(began); waited < lockPatience {
		t.Errorf("waited only %v for a transaction to end", waited)
	}
	tx.Rollback()
	other = mustOpen(t, dir, Options{}) // waits for the lock to be given back
	count := mustSnapshot(t, other).N()
	mustClose(t, other)
	if got := mustSnapshot(t, s).N(); got != count {
		t.Errorf("%d nodes, want %d", got, count)
	}
}

// TestSharedCreates sees that a shared store makes one where there is none, and leaves no lock.
func TestSharedCreates(t *testing.T) {
	dir := t.TempDir() + "/new"
	s := mustOpen(t, dir, Options{Shared: true, Create: true})
	defer mustClose(t, s)
	if !s.Empty() {
		t.Error("the new store is not empty")
	}
	other := mustOpen(t, dir, Options{})
	mustClose(t, other)
	if _, err := Open(t.TempDir()+"/none", Options{Shared: true, ReadOnly: true}); !errors.Is(err, ErrNotStore) {
		t.Error(err)
	}
}

// TestSharedMemory sees that a store in memory, which no other process can write to, is read and written as if it were not shared.
func TestSharedMemory(t *testing.T) {
	for _, readOnly := range []bool{true, false} {
		s := mustOpen(t, Memory, Options{Shared: true, ReadOnly: readOnly})
		if g := mustSnapshot(t, s); g.N() != 0 {
			t.Errorf("%d nodes in a new store", g.N())
		}
		if !readOnly {
			count(t, s, 0, Sync)
			if g := mustSnapshot(t, s); g.N() != 1 {
				t.Errorf("%d nodes after one", g.N())
			}
		}
		mustClose(t, s)
	}
}

// TestSharedDamage sees that a shared store reports damage as others do.
func TestSharedDamage(t *testing.T) {
	dir := storeDir(t)
	truncateLog(t, dir)
	_, err := Open(dir, Options{Shared: true, ReadOnly: true})
	wantError(t, err, ErrCorrupt, dir, "log-000001")
}

func truncateLog(t *testing.T, dir string) {
	t.Helper()
	if err := os.Truncate(filepath.Join(dir, logName(1)), logHeaderLen); err != nil {
		t.Fatal(err)
	}
}

// TestSharedOldFiles sees that a store which was read right after it was written looks into its files only while they are young.
func TestSharedOldFiles(t *testing.T) {
	s := mustOpen(t, storeDir(t), Options{Shared: true})
	defer mustClose(t, s)
	mustSnapshot(t, s)
	for deadline := time.Now().Add(10 * time.Second); !s.sharing.followed.old(); time.Sleep(stampDoubt / 4) {
		if Loaded(s) == nil {
			t.Fatal("Loaded gives no graph although nothing has changed")
		}
		if time.Now().After(deadline) {
			t.Fatal("each look reads the files")
		}
	}
	if Loaded(s) == nil {
		t.Error("Loaded gives no graph although nothing has changed")
	}
}

// TestSharedSeesAtOnce reads right after each commit of another: the times of files are too coarse to tell, and the bytes must. Between
// commits the graph stays the same object, so nothing was read anew. Only once may it be, on a busy machine: the writer ends its log when it
// gives the lock back, a moment after a commit.
func TestSharedSeesAtOnce(t *testing.T) {
	dir := t.TempDir()
	mustClose(t, mustOpen(t, dir, Options{Create: true}))
	writer := mustOpen(t, dir, Options{Shared: true})
	reader := mustOpen(t, dir, Options{ReadOnly: true, Shared: true})
	for i := range int64(200) {
		count(t, writer, i, Durability(i%2))
		if i%50 == 49 {
			if err := writer.Compact(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		g := sharedGraph(t, reader)
		if g == nil || int64(g.N()) != i+1 {
			t.Fatalf("after %d commits: %v", i+1, g)
		}
		anew := 0
		for range 3 {
			if now := sharedGraph(t, reader); now != g {
				anew, g = anew+1, now
			}
		}
		if anew > 1 || int64(g.N()) != i+1 {
			t.Fatalf("after %d commits the graph was read anew %d times, and has %d nodes", i+1, anew, g.N())
		}
	}
	mustClose(t, reader)
	mustClose(t, writer)
}

// TestSharedReadsWhatItSaw has another store commit and close the log between a reader's look at the files and its reading of the
// log. The log's header then names an end behind the one that the reader knows.
func TestSharedReadsWhatItSaw(t *testing.T) {
	dir := t.TempDir()
	commit := func(i int64) {
		t.Helper()
		writer := mustOpen(t, dir, Options{Create: true})
		count(t, writer, i, Durability(i%2))
		mustClose(t, writer)
	}
	commit(0)
	for i := range int64(6) {
		reader := mustOpen(t, dir, Options{ReadOnly: true, Shared: true})
		commit(i + 1)
		before, err := reader.load(t.Context())
		if err != nil || int64(before.N()) != i+1 {
			t.Fatalf("the graph of the look at the files, after %d commits: %v", i+1, err)
		}
		if g := sharedGraph(t, reader); g == nil || int64(g.N()) != i+2 {
			t.Fatalf("the graph after %d commits: %v", i+2, g)
		}
		mustClose(t, reader)
	}
}
