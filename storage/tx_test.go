package storage

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/testgraph"
)

// TestChangesRoundTrip encodes the changes of random drafts and reads them back.
func TestChangesRoundTrip(t *testing.T) {
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 5))
		snap, err := csr.New(csr.Data{})
		if err != nil {
			t.Fatal(err)
		}
		d, m := snap.Draft(), newModel()
		for range rng.IntN(200) {
			randomChange(t, rng, d, m)
		}
		e := newChangeEncoder()
		for _, c := range d.Changes() {
			if err := e.add(&c); err != nil {
				t.Fatal(err)
			}
		}
		back, err := decodeChanges(e.buf, uint64(len(d.Changes())))
		if err != nil || len(back) != len(d.Changes()) {
			t.Fatalf("seed %d: %d of %d changes: %v", seed, len(back), len(d.Changes()), err)
		}
		for i, c := range d.Changes() {
			if fmt.Sprintf("%+v %+v", c, c.Rule) != fmt.Sprintf("%+v %+v", back[i], back[i].Rule) {
				if c.Rule == nil || !reflect.DeepEqual(c.Rule, back[i].Rule) {
					t.Fatalf("seed %d: %+v became %+v", seed, c, back[i])
				}
			}
		}
	}
}

// reader is a snapshot with what it has to hold as long as it is kept.
type reader struct {
	snap *csr.Snapshot
	want *model
}

// TestHistories runs random histories of transactions, rollbacks, compactions, loads and reopenings beside a model.
func TestHistories(t *testing.T) {
	few := map[string]string{"rapid.checks": "15", "rapid.steps": "20"} // of 100 and 30: every step writes files
	flag.Visit(func(f *flag.Flag) { delete(few, f.Name) })
	for name, value := range few {
		flag.Set(name, value)
	}
	rapid.Check(t, func(rt *rapid.T) { history(t, rt) })
}

func history(t *testing.T, rt *rapid.T) {
	seed := rapid.Uint64().Draw(rt, "seed")
	rng := rand.New(rand.NewPCG(seed, 7))
	dir := t.TempDir()
	open := func() *Store {
		s, err := Open(dir, Options{Create: true, CompactAt: -1, Workers: 1, Flat: rng.IntN(2) == 0})
		if err != nil {
			rt.Fatal(err)
		}
		return s
	}
	s, have := open(), newModel()
	defer func() { s.Close() }()
	var readers []reader
	must := func(err error) {
		if err != nil {
			rt.Fatal(err)
		}
	}
	transaction := func(end func(tx *Tx, after *model)) {
		tx, err := s.Begin(context.Background(), Durability(rng.IntN(2)))
		must(err)
		after := have.clone()
		for range rng.IntN(30) {
			randomChange(t, rng, tx.Draft(), after)
			if rng.IntN(10) == 0 {
				snap, err := tx.Draft().Snapshot(context.Background())
				must(err)
				if d := modelDifference(after, modelOf(snap)); d != "" {
					rt.Fatalf("seed %d, within a transaction: %s", seed, d)
				}
			}
		}
		end(tx, after)
	}
	rt.Repeat(map[string]func(*rapid.T){
		"commit": func(*rapid.T) {
			transaction(func(tx *Tx, after *model) { must(tx.Commit(context.Background())); have = after })
		},
		"roll back": func(*rapid.T) {
			transaction(func(tx *Tx, _ *model) { tx.Rollback() })
		},
		"compact": func(*rapid.T) { must(s.Compact(context.Background())) },
		"load": func(*rapid.T) {
			g := randomGraph(t, rng.Uint64(), testgraph.Options{Vertices: 1 + rng.IntN(20), Edges: rng.IntN(40)})
			_, err := s.Publish(context.Background(), g, nil)
			must(err)
			have = modelOf(g)
		},
		"reopen": func(*rapid.T) { must(s.Close()); s = open() },
		"read": func(*rapid.T) {
			snap, err := s.Snapshot(context.Background())
			must(err)
			readers = append(readers, reader{snap, have.clone()})
		},
		"": func(rt *rapid.T) {
			snap, err := s.Snapshot(context.Background())
			must(err)
			if d := modelDifference(have, modelOf(snap)); d != "" {
				rt.Fatalf("seed %d: %s", seed, d)
			}
			for _, r := range readers {
				if d := modelDifference(r.want, modelOf(r.snap)); d != "" {
					rt.Fatalf("seed %d: a reader's graph changed: %s", seed, d)
				}
			}
			report, err := s.Check(context.Background())
			must(err)
			if !report.OK() || report.Orphans > 0 {
				rt.Fatalf("seed %d: %+v", seed, report)
			}
		},
	})
}

// TestReadersSeePrefix lets readers look while one goroutine commits and the store compacts: every transaction adds
// one to a counter and one node, so that each graph they see tells how many transactions it holds.
func TestReadersSeePrefix(t *testing.T) {
	s := mustOpen(t, t.TempDir(), Options{Create: true, CompactAt: 500})
	const commits = 150
	ctx, cancel := context.WithCancel(context.Background())
	var group sync.WaitGroup
	for range 3 {
		group.Go(func() {
			for last := int64(0); ctx.Err() == nil; time.Sleep(time.Millisecond) {
				snap, err := s.Snapshot(context.Background())
				if err != nil {
					t.Error(err)
					return
				}
				n := counted(snap)
				if n < last {
					t.Errorf("a reader saw %d transactions after %d", n, last)
				}
				if snap.N() > 0 && n != int64(snap.N())-1 {
					t.Errorf("counter %d in a graph of %d nodes", n, snap.N())
				}
				last = n
			}
		})
	}
	for i := range commits {
		count(t, s, int64(i), Durability(i%2))
	}
	cancel()
	group.Wait()
	s.fold.wait()
	if epoch := s.head.Load().epoch; epoch == 0 {
		t.Error("the log was never compacted")
	} else {
		t.Logf("%d compactions", epoch)
	}
	if n := counted(mustSnapshot(t, s)); n != commits-1 {
		t.Errorf("counter %d after %d commits", n, commits)
	}
	mustBeClean(t, s)
}

// count commits transaction number i of a chain: it sets the counter to i and adds a node, the first the counter itself.
func count(t testing.TB, s *Store, i int64, d Durability) {
	t.Helper()
	if err := tryCount(s, i, d, ""); err != nil {
		t.Fatal(err)
	}
}

func tryCount(s *Store, i int64, d Durability, pad string) error {
	tx, err := s.Begin(context.Background(), d)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := addCount(tx.Draft(), i, pad); err != nil {
		return err
	}
	return tx.Commit(context.Background())
}

// addCount makes the changes of tryCount.
func addCount(draft *csr.Draft, i int64, pad string) error {
	if _, err := draft.CreateNode([]string{"N"}, []csr.Prop{{Key: "i", Value: csr.IntCell(i)}}); err != nil {
		return err
	}
	v, ok := draft.NodeByID(0)
	if !ok {
		return errors.New("the counter is gone")
	}
	return draft.SetNodeProps(v, csr.Prop{Key: "count", Value: csr.IntCell(i)}, csr.Prop{Key: "pad", Value: csr.StringCell(pad)})
}

// counted reads the counter.
func counted(snap *csr.Snapshot) int64 {
	v, ok := snap.VertexByNodeID(0)
	k, known := snap.Keys.Lookup("count")
	if !ok || !known {
		return 0
	}
	c, _ := snap.VertexProp(v, csr.KeyID(k))
	return int64(c.Num)
}

// TestOneWriter sees that a transaction waits for the one before, that its context ends the wait, and that readers do not wait.
func TestOneWriter(t *testing.T) {
	s := mustOpen(t, Memory, Options{})
	first, err := s.Begin(context.Background(), Sync)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if _, err := s.Begin(ctx, Sync); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("a second transaction began: %v", err)
	}
	if mustSnapshot(t, s).N() != 0 {
		t.Error("the graph is not empty")
	}
	began := make(chan *Tx)
	go func() {
		tx, err := s.Begin(context.Background(), Sync)
		if err != nil {
			t.Error(err)
		}
		began <- tx
	}()
	if _, err := first.Draft().CreateNode(nil, nil); err != nil {
		t.Fatal(err)
	}
	select {
	case <-began:
		t.Fatal("two transactions at a time")
	case <-time.After(20 * time.Millisecond):
	}
	if err := first.Commit(context.Background()); err != nil {
		t.Fatal(err)
	}
	second := <-began
	if n := second.Draft().Base().N(); n != 1 {
		t.Errorf("the second transaction sees %d nodes", n)
	}
	if err := first.Commit(context.Background()); !errors.Is(err, ErrTxDone) {
		t.Errorf("a transaction was committed twice: %v", err)
	}
	first.Rollback() // must not give away the turn of the second
	second.Rollback()
	if err := second.Commit(context.Background()); !errors.Is(err, ErrTxDone) {
		t.Errorf("a transaction was committed after its rollback: %v", err)
	}
	count(t, s, 1, Sync)
}

// TestTxReadOnly sees that a store opened read-only begins no transaction.
func TestTxReadOnly(t *testing.T) {
	dir := storeDir(t)
	s := mustOpen(t, dir, Options{ReadOnly: true})
	_, err := s.Begin(context.Background(), Sync)
	wantError(t, err, ErrReadOnly, dir)
	mustClose(t, s)
	s = mustOpen(t, dir, Options{})
	tx, err := s.Begin(context.Background(), Sync)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Draft().CreateNode(nil, nil); err != nil {
		t.Fatal(err)
	}
	mustClose(t, s)
	wantError(t, tx.Commit(context.Background()), ErrClosed, dir)
	_, err = s.Begin(context.Background(), Sync)
	wantError(t, err, ErrClosed, dir)
}

// TestDurability counts how often what was written is made durable: once for a synchronous commit of any length, and never
// for a relaxed one.
func TestDurability(t *testing.T) {
	s := mustOpen(t, t.TempDir(), Options{Create: true, CompactAt: -1})
	syncs := func(do func()) uint64 {
		before := s.syncs.Load()
		do()
		return s.syncs.Load() - before
	}
	for _, c := range []struct {
		d    Durability
		pad  int
		want uint64
	}{{Sync, 0, 1}, {Sync, 2_000_000, 1}, {Relaxed, 0, 0}, {Relaxed, 2_000_000, 0}} {
		n := syncs(func() {
			if err := tryCount(s, 1, c.d, strings.Repeat("x", c.pad)); err != nil {
				t.Fatal(err)
			}
		})
		if n != c.want {
			t.Errorf("%+v: synced %d times", c, n)
		}
	}
}

// TestLongTextInPieces sees that the log takes a long text in pieces, and gives it back whole.
func TestLongTextInPieces(t *testing.T) {
	dir := t.TempDir()
	s := mustOpen(t, dir, Options{Create: true, CompactAt: -1})
	text := strings.Repeat("0123456789abcdef.", 8<<20/17)
	log, err := createLog(s.disk, t.TempDir(), newStoreID(), 1)
	if err != nil {
		t.Fatal(err)
	}
	defer log.close()
	w := newLogWriter(log, 1, 0)
	changes := []csr.Change{{Kind: csr.CreateNode, Props: []csr.Prop{{Key: "a", Value: csr.StringCell(text)}, {Key: "b", Value: csr.StringCell(text[:maxLogPart])}}}}
	if err := w.addAll(t.Context(), changes); err != nil {
		t.Fatal(err)
	}
	if n := cap(w.enc.buf); n > 4*maxLogPart {
		t.Errorf("%d bytes for %d bytes of text", n, len(text))
	}
	if err := tryCount(s, 1, Sync, text); err != nil {
		t.Fatal(err)
	}
	want := modelOf(mustSnapshot(t, s))
	mustClose(t, s)
	if have := modelOf(mustSnapshot(t, mustOpen(t, dir, Options{}))); !sameModel(have, want) {
		t.Error("the store holds another text")
	}
}

// TestNoCompactionAfterClose sees that no compaction starts once Close has stopped the one that ran. It would go on without the
// store's lock, and in the end remove files of the same number that another opener has made.
func TestNoCompactionAfterClose(t *testing.T) {
	s := mustOpen(t, t.TempDir(), Options{Create: true, CompactAt: 1 << 20})
	count(t, s, 0, Relaxed)
	s.opt.CompactAt = 1
	s.busy <- struct{}{} // so that Close waits after it has stopped compactions
	closing := make(chan error)
	go func() { closing <- s.Close() }()
	for stopped := false; !stopped; time.Sleep(time.Millisecond) {
		s.fold.mu.Lock()
		stopped = s.fold.closed
		s.fold.mu.Unlock()
	}
	count(t, s, 1, Relaxed)
	s.fold.mu.Lock()
	if s.fold.running() {
		t.Error("a transaction has started a compaction")
	}
	s.fold.mu.Unlock()
	wantError(t, s.Compact(context.Background()), ErrClosed, s.dir)
	s.release()
	if err := <-closing; err != nil {
		t.Error(err)
	}
}

// TestDeletedFolder deletes a store's files under it: no commit is acknowledged afterwards.
func TestDeletedFolder(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows deletes no open file")
	}
	for _, d := range []Durability{Sync, Relaxed} {
		dir := filepath.Join(t.TempDir(), "store")
		s := mustOpen(t, dir, Options{Create: true})
		count(t, s, 1, d)
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		wantError(t, tryCount(s, 2, d, ""), ErrIO, dir, "deleted")
		wantError(t, tryCount(s, 3, d, ""), ErrIO, dir, "deleted")
		s.Close()
	}
}
