package storage

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/spool"
)

// addRandom adds a random graph with labels, types, loops, parallel and reciprocal relationships and properties.
func addRandom(b *csr.Builder, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 5))
	n := 50 + r.IntN(300)
	for v := range n {
		if v%3 == 0 {
			b.AddVertex(b.Label("A"))
		} else {
			b.AddVertex()
		}
		b.External("", uint32(v), csr.IntCell(int64(1000-v)))
	}
	simple := b.Type("SIMPLE")
	b.DropRepeats(simple)
	for i := range 2000 + r.IntN(4000) {
		t := simple
		if r.IntN(3) == 0 {
			t = b.Type("MANY")
		}
		e := b.AddEdge(uint32(r.IntN(n)), uint32(r.IntN(n)), t)
		if seed%2 == 0 && r.IntN(2) == 0 {
			b.SetEdge(e, b.Key("w"), csr.IntCell(int64(i)))
		}
	}
}

// TestPublishSpooled compares the files of stores: of a graph from a spool, and of the same graph from memory.
func TestPublishSpooled(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	for i := range uint64(8) {
		plain := csr.NewBuilder()
		addRandom(plain, seed+i)
		snap, _, err := plain.Build(t.Context(), 2)
		if err != nil {
			t.Fatal(err)
		}
		want, got := t.TempDir(), t.TempDir()
		s := mustOpen(t, want, Options{Create: true})
		mustPublish(t, s, killGraph(1)) // so that the number of the epoch, which is in the keys, is the same
		mustPublish(t, s, snap)
		mustClose(t, s)

		s = mustOpen(t, got, Options{Create: true})
		mustPublish(t, s, killGraph(1)) // which goes
		if _, err := PublishSpooled(t.Context(), s, spooled(t, SpoolFolder(s), seed+i, 512), nil); err != nil {
			t.Fatalf("seed %d: %v", seed+i, err)
		}
		if d := difference(snap, mustSnapshot(t, s)); d != "" {
			t.Fatalf("seed %d: %s", seed+i, d)
		}
		mustBeClean(t, s)
		mustClose(t, s)
		if left, _ := filepath.Glob(filepath.Join(got, "*.spool")); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
		sameBlocks(t, want, got)
	}
}

// sameBlocks compares the tables of two stores with one graph each.
func sameBlocks(t *testing.T, want, got string) {
	t.Helper()
	a, _ := filepath.Glob(filepath.Join(want, "*", "*.sst"))
	b, _ := filepath.Glob(filepath.Join(got, "*", "*.sst"))
	if len(a) == 0 || len(a) != len(b) {
		t.Fatalf("%d and %d tables", len(a), len(b))
	}
	for i := range a {
		x, err := os.ReadFile(a[i])
		y, err2 := os.ReadFile(b[i])
		if err := errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(x, y) {
			t.Errorf("table %d differs", i)
		}
	}
}

func spooled(t *testing.T, folder string, seed uint64, at int) *csr.Spooled {
	t.Helper()
	b := csr.NewBuilder()
	b.SetSpool(func() (*spool.Spool, error) {
		s, err := spool.New(folder, nil)
		t.Cleanup(func() { s.Close() })
		return s, err
	}, at)
	addRandom(b, seed)
	g, _, err := b.BuildSpooled(t.Context(), 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	return g
}
