package storage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/internal/workgroup"
)

// TestRoundTrip stores random graphs and reads them back in a new process's place: from a store opened again.
func TestRoundTrip(t *testing.T) {
	dir := t.TempDir()
	for seed := range uint64(12) {
		o := testgraph.Options{}
		if seed%4 == 0 {
			o = testgraph.Options{Vertices: 9000, Edges: 30000} // several chunks of every column
		}
		g := randomGraph(t, seed, o)
		s := mustOpen(t, dir, Options{Create: true, Workers: 1 + int(seed%4)})
		info := mustPublish(t, s, g)
		if info.Epoch != seed+1 || info.Nodes != g.N() || info.Relationships != g.M() || info.GraphBytes == 0 || info.DiskBytes == 0 || info.Published.IsZero() {
			t.Fatalf("seed %d: info %+v", seed, info)
		}
		if mustSnapshot(t, s) != g {
			t.Fatalf("seed %d: Snapshot is not the graph that was published", seed)
		}
		mustClose(t, s)

		s = mustOpen(t, dir, Options{ReadOnly: seed%2 == 0})
		if d := difference(g, mustSnapshot(t, s)); d != "" {
			t.Fatalf("seed %d: %s", seed, d)
		}
		mustBeClean(t, s)
		mustClose(t, s)
	}
}

func TestMemory(t *testing.T) {
	s := mustOpen(t, Memory, Options{})
	if g := mustSnapshot(t, s); !s.Empty() || g.N() != 0 {
		t.Fatal("a new store is not empty")
	}
	for seed := range uint64(5) {
		g := randomGraph(t, seed, testgraph.Options{Vertices: 500, Edges: 2000})
		mustPublish(t, s, g)
		if d := difference(g, mustSnapshot(t, s)); d != "" {
			t.Fatalf("seed %d: %s", seed, d)
		}
		mustBeClean(t, s)
	}
	if info, err := s.Info(); err != nil || info.DiskBytes != 0 || info.Epoch != 5 {
		t.Errorf("info %+v, %v", info, err)
	}
	if _, err := os.Stat(Memory); err == nil {
		t.Error("a store in memory made a directory")
	}
}

func TestEmptyStore(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	mustClose(t, mustOpen(t, dir, Options{Create: true}))
	for _, opt := range []Options{{}, {ReadOnly: true}, {Create: true}} {
		s := mustOpen(t, dir, opt)
		if g := mustSnapshot(t, s); !s.Empty() || g.N() != 0 || g.M() != 0 {
			t.Errorf("%+v: not empty", opt)
		}
		mustBeClean(t, s)
		mustClose(t, s)
	}
	s := mustOpen(t, dir, Options{})
	mustPublish(t, s, newSnapshot(t, csr.Data{})) // a graph without vertices is not the same as none
	mustClose(t, s)
	s = mustOpen(t, dir, Options{ReadOnly: true})
	if s.Empty() || mustSnapshot(t, s).N() != 0 {
		t.Error("the empty graph is gone")
	}
	mustBeClean(t, s)
}

// TestReload loads twenty times into one store: what a store takes on disk depends on its graph alone.
func TestReload(t *testing.T) {
	dir := t.TempDir()
	graphs := []*csr.Snapshot{rmat(t, 12, 16), rmat(t, 12, 15)}
	var sizes []uint64
	for round := range 20 {
		s := mustOpen(t, dir, Options{Create: true})
		mustPublish(t, s, graphs[round%2])
		if round%5 == 4 { // several loads by one process too
			mustPublish(t, s, graphs[(round+1)%2])
			mustPublish(t, s, graphs[round%2])
		}
		if got := epochs(t, s); len(got) != 1 {
			t.Fatalf("round %d: epochs %v are left", round, got)
		}
		mustClose(t, s)
		size, err := diskBytes(dir)
		if err != nil {
			t.Fatal(err)
		}
		sizes = append(sizes, size)
	}
	t.Logf("bytes on disk after each load: %d", sizes)
	if first, last := slices.Max(sizes[:2]), slices.Max(sizes[10:]); last > first+first/10+64<<10 {
		t.Errorf("the store grew from %d to %d bytes", first, last)
	}
	s := mustOpen(t, dir, Options{ReadOnly: true})
	if d := difference(graphs[1], mustSnapshot(t, s)); d != "" {
		t.Error(d)
	}
	mustBeClean(t, s)
}

// TestPublishKeepsOld cancels a load at every step that reports progress: the graph before stays, in the store
// that is open and after opening again, and nothing is left of the other.
func TestPublishKeepsOld(t *testing.T) {
	dir := t.TempDir()
	before, after := rmat(t, 8, 8), rmat(t, 9, 8)
	s := mustOpen(t, dir, Options{Create: true})
	mustPublish(t, s, before)
	for at := 1; ; at++ {
		ctx, cancel := context.WithCancel(context.Background())
		calls := 0
		_, err := s.Publish(ctx, after, func(stage string, _, _ uint64) {
			if calls++; calls == at {
				cancel()
			}
			if stage == StageClean {
				calls = at // published: cancelling is too late
			}
		})
		cancel()
		if err == nil {
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("call %d: %v", at, err)
		}
		if s.head.Load().epoch != 1 || !slices.Equal(epochs(t, s), []uint64{1}) {
			t.Fatalf("call %d: epoch %d is live, blocks of epochs %v", at, s.head.Load().epoch, epochs(t, s))
		}
		s.cached.Store(nil)
		if d := difference(before, mustSnapshot(t, s)); d != "" {
			t.Fatalf("call %d: %s", at, d)
		}
	}
	mustClose(t, s)
	s = mustOpen(t, dir, Options{ReadOnly: true})
	if d := difference(after, mustSnapshot(t, s)); d != "" {
		t.Error(d)
	}
	mustBeClean(t, s)
}

// TestOrphans puts blocks of an unpublished load into a store: reading ignores them, and opening for writing removes them.
func TestOrphans(t *testing.T) {
	dir := t.TempDir()
	g := rmat(t, 8, 8)
	s := mustOpen(t, dir, Options{Create: true})
	mustPublish(t, s, g)
	orphan := *s.head.Load()
	orphan.epoch = 7
	if err := s.writeGraph(t.Context(), &orphan, g, noProgress); err != nil {
		t.Fatal(err)
	}
	mustClose(t, s)

	s = mustOpen(t, dir, Options{ReadOnly: true})
	report := mustCheck(t, s)
	if !report.OK() || report.Orphans == 0 {
		t.Errorf("report %+v", report)
	}
	if d := difference(g, mustSnapshot(t, s)); d != "" {
		t.Error(d)
	}
	mustClose(t, s)

	s = mustOpen(t, dir, Options{})
	if got := epochs(t, s); !slices.Equal(got, []uint64{1}) {
		t.Errorf("epochs %v are left", got)
	}
	if report := mustCheck(t, s); report.Orphans != 0 {
		t.Errorf("%d orphans are left", report.Orphans)
	}
}

func TestLookup(t *testing.T) {
	for seed := range uint64(5) {
		dir := Memory
		if seed > 0 {
			dir = t.TempDir()
		}
		s := mustOpen(t, dir, Options{Create: true})
		g := randomGraph(t, seed, testgraph.Options{Vertices: 20000, Edges: 100})
		ctx := context.Background()
		if _, ok, err := s.Lookup(ctx, "space0", csr.IntCell(1)); ok || err != nil {
			t.Fatalf("found something in an empty store: %v", err)
		}
		mustPublish(t, s, g)
		for _, space := range g.External {
			for v := range g.N() {
				cell, has := space.IDs.Get(v)
				if !has || v%211 != 0 {
					continue
				}
				got, ok, err := s.Lookup(ctx, space.Name, cell)
				if err != nil || !ok || uint64(got) != v {
					t.Fatalf("seed %d: %v is vertex %d, not %d: %v %v", seed, cell, v, got, ok, err)
				}
			}
			for _, cell := range []csr.Cell{csr.IntCell(2), csr.IntCell(-1 << 62), csr.StringCell(""), csr.StringCell("zzz"), csr.FloatCell(0.25), csr.BoolCell(true)} {
				if _, ok, err := s.Lookup(ctx, space.Name, cell); ok || err != nil {
					t.Fatalf("seed %d: found %v: %v", seed, cell, err)
				}
			}
		}
		if _, ok, err := s.Lookup(ctx, "nowhere", csr.IntCell(1)); ok || err != nil {
			t.Fatalf("found something in an unknown space: %v", err)
		}
		mustClose(t, s)
	}
}

func TestDuplicateExternalID(t *testing.T) {
	b := csr.NewBuilder()
	b.AddVertices(3)
	for v := range uint32(3) {
		b.External("people", v, csr.IntCell(int64(v/2)))
	}
	g, _, err := b.Build(context.Background(), 1)
	if err != nil {
		t.Fatal(err)
	}
	s := mustOpen(t, Memory, Options{})
	if _, err = s.Publish(context.Background(), g, nil); err == nil || !s.Empty() {
		t.Fatal("two nodes with one external id were stored")
	}
	t.Log(err)
}

func TestProgress(t *testing.T) {
	s := mustOpen(t, t.TempDir(), Options{Create: true})
	var stages []string
	last, most := uint64(0), uint64(0)
	_, err := s.Publish(context.Background(), rmat(t, 10, 8), func(stage string, done, total uint64) {
		if len(stages) == 0 || stages[len(stages)-1] != stage {
			stages = append(stages, stage)
			last = 0
		}
		if done < last || done > total {
			t.Errorf("%s: %d after %d of %d", stage, done, last, total)
		}
		if last = done; stage == StageWrite {
			most = total - done
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{StageCores, StageWrite, StageSync, StagePublish, StageClean}; !slices.Equal(stages, want) || most != 0 {
		t.Errorf("stages %v, %d left to write", stages, most)
	}
}

// TestConcurrent reads while graphs are published; it is for the race detector.
func TestConcurrent(t *testing.T) {
	s := mustOpen(t, t.TempDir(), Options{Create: true})
	graphs := []*csr.Snapshot{rmat(t, 8, 4), rmat(t, 9, 4)}
	for _, g := range graphs {
		setDegeneracy(t.Context(), g)
	}
	ctx, stop := context.WithCancel(context.Background())
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for ctx.Err() == nil {
				g, err := s.Snapshot(ctx)
				if err != nil && ctx.Err() == nil {
					t.Error(err)
				}
				if err == nil && g.N() != 0 && g.N() != 256 && g.N() != 512 {
					t.Errorf("a graph of %d nodes", g.N())
				}
				if _, err := s.Info(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for i := range 4 {
		mustPublish(t, s, graphs[i%2])
	}
	stop()
	readers.Wait()
	mustBeClean(t, s)
}

func TestNoGraph(t *testing.T) {
	dir := t.TempDir()
	helper("load", dir, atVar+"=3").Run() // killed in its first load
	s := mustOpen(t, dir, Options{ReadOnly: true})
	wantError(t, s.NoGraph(), ErrNoGraph, dir, "motif load")
	mustClose(t, s)
	s = mustOpen(t, dir, Options{Create: true})
	mustPublish(t, s, rmat(t, 6, 4))
	if err := s.NoGraph(); err != nil {
		t.Error(err)
	}
	mustClose(t, s)
}

// epochs lists the epochs that a store has files of.
func epochs(t testing.TB, s *Store) (found []uint64) {
	t.Helper()
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		var epoch uint64
		if n, _ := fmt.Sscanf(e.Name(), "log-%d", &epoch); n == 1 && epoch > 0 {
			found = append(found, epoch)
		}
		if n, _ := fmt.Sscanf(e.Name(), "epoch-%d", &epoch); n == 1 {
			found = append(found, epoch)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// TestWorkerPanics makes the goroutines that read and write blocks panic: the caller gets the panic, a compaction in the background
// reports it, and the store stays as it was.
func TestWorkerPanics(t *testing.T) {
	var log bytes.Buffer
	s := mustOpen(t, t.TempDir(), Options{Create: true, CompactAt: -1, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	g := rmat(t, 8, 8)
	mustPublish(t, s, g)
	panics := func(do func()) {
		t.Helper()
		workgroup.OnStart(func() { panic("planted") })
		defer func() {
			workgroup.OnStart(nil)
			if recover() == nil {
				t.Error("no panic")
			}
		}()
		do()
	}
	panics(func() { s.Publish(t.Context(), g, nil) })
	panics(func() { s.Check(t.Context()) })
	count(t, s, 0, Sync)
	var starts atomic.Int32
	workgroup.OnStart(func() {
		if starts.Add(1) > 1 { // the first is the commit itself
			panic("planted")
		}
	})
	s.opt.CompactAt = 1
	err := tryCount(s, 1, Sync, "")
	s.fold.wait()
	workgroup.OnStart(nil)
	if err != nil || !strings.Contains(log.String(), "planted") {
		t.Errorf("error %v, log %q", err, &log)
	}
	s.opt.CompactAt = -1
	mustPublish(t, s, rmat(t, 8, 8))
	mustBeClean(t, s)

	workgroup.OnStart(func() { panic("planted") })
	err = tryCount(s, 2, Sync, "")
	workgroup.OnStart(nil)
	if err == nil || tryCount(s, 3, Sync, "") == nil {
		t.Errorf("a commit whose sync panics gives %v, and the next one succeeds", err)
	}
}

// TestLabelChunksInOrder writes a label of several chunks many times: its blocks come in order of their keys.
func TestLabelChunksInOrder(t *testing.T) {
	ranges := []csr.Range{{Lo: 3, Hi: 5*labelChunk + 7}}
	for range 50 {
		var last []byte
		w := &writer{epoch: 1}
		err := w.emitLabel(ranges, 2, func(key, _ []byte) error {
			if bytes.Compare(key, last) <= 0 {
				return fmt.Errorf("key %x follows key %x", key, last)
			}
			last = key
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
