package storage

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/testgraph"
)

// holes is a partial store in a folder of its own, and the flat file that it lacks parts of.
type holes struct {
	dir   string
	whole []byte
	flat  *FlatFile

	mu      sync.Mutex
	fetched []bool // by byte
	fail    error
	idle    bool // fetch brings nothing
}

func newHoles(t *testing.T, from string) *holes {
	t.Helper()
	h := &holes{dir: t.TempDir()}
	live, err := ReadLiveFiles(from)
	if err == nil {
		h.flat, err = ReadFlatFile(t.Context(), from, nil)
	}
	if err != nil || h.flat == nil {
		t.Fatal(h.flat, err)
	}
	if h.whole, err = os.ReadFile(filepath.Join(from, h.flat.Name)); err != nil {
		t.Fatal(err)
	}
	log, err := os.ReadFile(filepath.Join(from, live.Log))
	if err != nil {
		t.Fatal(err)
	}
	live.Replaced[live.Log], live.Replaced[h.flat.Name] = log, h.opening()
	for name, contents := range live.Replaced {
		if err := os.WriteFile(filepath.Join(h.dir, name), contents, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	h.fetched = make([]bool, len(h.whole))
	return h
}

// opening is the flat file with nothing but what opening reads.
func (h *holes) opening() []byte {
	b, at := make([]byte, len(h.whole)), int64(0)
	for _, p := range h.flat.Parts {
		if p.Name == "" {
			copy(b[at:at+p.Size], h.whole[at:])
		}
		at += p.Size
	}
	return b
}

func (h *holes) fetch(from, to uint64) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.fail != nil || h.idle {
		return h.fail
	}
	f, err := os.OpenFile(filepath.Join(h.dir, h.flat.Name), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(h.whole[from:to], int64(from))
	for i := from; i < to; i++ {
		h.fetched[i] = true
	}
	return errors.Join(err, f.Close())
}

func (h *holes) open(t *testing.T) *csr.Snapshot {
	t.Helper()
	s := mustOpen(t, h.dir, Options{ReadOnly: true, Shared: true, Flat: true, Partial: &Partial{Content: h.flat.Content, Fetch: h.fetch}})
	t.Cleanup(func() { mustClose(t, s) })
	return mustSnapshot(t, s)
}

// A partial store has the graph, and says so by its hash before anything was fetched but what opening reads.
func TestPartial(t *testing.T) {
	needFlat(t)
	seed := faultSeed(t)
	for i := range uint64(12) {
		g := randomGraph(t, seed+i, testgraph.Options{Vertices: []int{1, 30, 3000}[i%3], Edges: []int{0, 100, 9000}[i/3%3]})
		h := newHoles(t, flatStore(t, g))
		size := int64(0)
		for _, p := range h.flat.Parts {
			size += p.Size
		}
		if size != int64(len(h.whole)) {
			t.Fatalf("seed %d: parts of %d bytes, a file of %d", seed+i, size, len(h.whole))
		}
		snap := h.open(t)
		want, err := csr.ContentHash(t.Context(), g)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := csr.ContentHash(t.Context(), snap); err != nil || got != want {
			t.Errorf("seed %d: the content is %x, not %x: %v", seed+i, got, want, err)
		}
		for at, got := range h.fetched {
			if got && h.opening()[at] != h.whole[at] {
				t.Fatalf("seed %d: byte %d was fetched to open", seed+i, at)
			}
		}
		if d, err := compareGuarded(g, snap); d != "" || err != nil {
			t.Fatalf("seed %d: %s %v", seed+i, d, err)
		}
	}
}

// A type is fetched by its part alone, and the error of a fetch passes.
func TestPartialFetch(t *testing.T) {
	needFlat(t)
	seed := faultSeed(t)
	g := randomGraph(t, seed, testgraph.Options{Vertices: 300, Edges: 2000, Types: 3})
	dir := flatStore(t, g)
	h := newHoles(t, dir)
	snap := h.open(t)
	clear(h.fetched)
	broken := errors.New("the line is cut")
	h.fail = broken
	ends := func() error {
		return guardedRead(func() error { snap.Rels(1); return nil })
	}
	err := ends()
	if !errors.Is(err, ErrIO) || !errors.Is(err, broken) || !strings.Contains(err.Error(), snap.Types.Name(1)) {
		t.Errorf("a fetch that failed: %v", err)
	}
	h.fail = nil
	if err := ends(); err != nil {
		t.Fatal(err)
	}
	at := int64(0)
	for _, p := range h.flat.Parts {
		for i := at; i < at+p.Size; i++ {
			if h.fetched[i] && p.Name != TypePart(snap.Types.Name(1)) {
				t.Fatalf("seed %d: byte %d of %q was fetched", seed, i, p.Name)
			}
		}
		at += p.Size
	}
	other := newHoles(t, dir)
	other.idle = true
	if d, err := compareGuarded(g, other.open(t)); d != "" || !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), "fetch the graph again") {
		t.Errorf("seed %d: holes were read: %s %v", seed, d, err)
	}
}

// Damage of a part matters to who reads it.
func TestPartialDamage(t *testing.T) {
	needFlat(t)
	seed := faultSeed(t)
	rng := rand.New(rand.NewPCG(seed, 5))
	g := randomGraph(t, seed, testgraph.Options{Vertices: 300, Edges: 2000, Types: 3})
	dir := flatStore(t, g)
	for range 60 {
		h := newHoles(t, dir)
		at, part := int64(rng.IntN(len(h.whole))), ""
		end := int64(0)
		for _, p := range h.flat.Parts {
			if end += p.Size; at < end {
				part = p.Name
				break
			}
		}
		if part == "" {
			continue // opening reads it
		}
		h.whole[at] ^= 1 << rng.IntN(8)
		snap := h.open(t)
		for typ := range csr.TypeID(3) {
			err := guardedRead(func() error { snap.Rels(typ); return nil })
			if err != nil && (part != TypePart(snap.Types.Name(uint32(typ))) || !errors.Is(err, ErrCorrupt)) {
				t.Errorf("seed %d: byte %d of %q, and type %d: %v", seed, at, part, typ, err)
			}
		}
		if d, _ := compareGuarded(g, snap); d != "" {
			t.Fatalf("seed %d: byte %d of %q: %s", seed, at, part, d)
		}
	}
}

// A graph without a flat file has none to describe.
func TestNoFlatFile(t *testing.T) {
	dir := t.TempDir()
	s := mustOpen(t, dir, Options{Create: true})
	mustPublish(t, s, randomGraph(t, 1, testgraph.Options{Vertices: 30, Edges: 100}))
	mustClose(t, s)
	if f, err := ReadFlatFile(context.Background(), dir, nil); f != nil || err != nil {
		t.Errorf("%+v, %v", f, err)
	}
}
