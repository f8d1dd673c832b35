package storage

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/motifql/motif/internal/flat"
	"github.com/motifql/motif/internal/testgraph"
)

// A type that is sorted by target in several passes has the same rows as in one.
func TestFlatPasses(t *testing.T) {
	needFlat(t)
	seed := faultSeed(t)
	rng := rand.New(rand.NewPCG(seed, 23))
	for i := range uint64(6) {
		dir, _, whole := flatFile(t, randomGraph(t, seed+i, testgraph.Options{Vertices: 200, Edges: 900}))
		s := mustOpen(t, dir, Options{ReadOnly: true})
		f, err := os.Create(filepath.Join(t.TempDir(), "flat"))
		if err != nil {
			t.Fatal(err)
		}
		h := s.head.Load()
		w := &flatWriter{to: flat.NewWriter(f, flatOwner(h)), intoPass: 1 + rng.Uint64N(100)}
		err = s.readEpoch(h, func(from blockSource) error { return w.write(t.Context(), from, h.epoch) })
		if err := errors.Join(err, f.Close()); err != nil {
			t.Fatal(err)
		}
		mustClose(t, s)
		if got, err := os.ReadFile(f.Name()); err != nil || !bytes.Equal(got, whole) {
			t.Errorf("seed %d: another file by passes of %d, %v", seed+i, w.intoPass, err)
		}
	}
}

// copyFlat copies a flat file; change may replace the bytes of a section.
func copyFlat(t *testing.T, from, to string, owner flat.Owner, change func(name string, b []byte) []byte) {
	t.Helper()
	file, err := flat.Open(from, owner, 1)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(to)
	if err != nil {
		t.Fatal(err)
	}
	w := flat.NewWriter(f, owner)
	err = file.Each(func(name string, tag byte, _ uint64) error {
		b, err := file.Section(name)
		if err != nil {
			return err
		}
		return w.Add(name, tag, change(name, bytes.Clone(b)))
	})
	if err := errors.Join(err, w.Finish(), f.Close()); err != nil {
		t.Fatal(err)
	}
}

// Rows that are nonsense, though their checksums are right, are an error that names the file, or rows of nodes that the graph has.
func TestFlatNonsense(t *testing.T) {
	needFlat(t)
	seed := faultSeed(t)
	rng := rand.New(rand.NewPCG(seed, 24))
	g := randomGraph(t, seed, testgraph.Options{Vertices: 200, Edges: 600})
	dir, path, _ := flatFile(t, g)
	h, err := readHead(realDisk{}, dir)
	if err != nil {
		t.Fatal(err)
	}
	whole := filepath.Join(t.TempDir(), "whole")
	if err := os.Rename(path, whole); err != nil {
		t.Fatal(err)
	}
	copyFlat(t, whole, path, flatOwner(h), func(_ string, b []byte) []byte { return b })
	if d, err := readAgainst(g, dir, Options{ReadOnly: true, Flat: true}); d != "" || err != nil {
		t.Fatalf("seed %d: a copy differs: %s %v", seed, d, err)
	}
	reported := 0
	for i := range 150 {
		section := []string{flatRows(0), flatInto(0)}[i%2]
		copyFlat(t, whole, path, flatOwner(h), func(name string, b []byte) []byte {
			switch at := rng.IntN(max(1, len(b))); {
			case name != section:
			case i < 8:
				return [][]byte{nil, b[:at], b[at+1:], make([]byte, len(b))}[i/2]
			default:
				b[at] += 1 + byte(rng.IntN(255))
			}
			return b
		})
		_, err := readAgainst(g, dir, Options{ReadOnly: true, Flat: true})
		if err == nil && i < 8 || err != nil && !errors.Is(err, ErrCorrupt) {
			t.Fatalf("seed %d, case %d: %v", seed, i, err)
		}
		if err != nil {
			reported++
		}
	}
	if reported < 60 { // others change which nodes of the graph are related
		t.Errorf("seed %d: only %d of 150 were reported", seed, reported)
	}
}
