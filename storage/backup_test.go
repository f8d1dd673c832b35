package storage

import (
	"bufio"
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/testgraph"
)

// changed is a store with a random graph and some transactions on top.
func changed(t *testing.T, dir string, seed uint64) *Store {
	t.Helper()
	s := mustOpen(t, dir, Options{Create: true, CompactAt: -1})
	mustPublish(t, s, randomGraph(t, seed, testgraph.Options{Vertices: 60, Edges: 200}))
	rng := rand.New(rand.NewPCG(seed, 21))
	m := modelOf(mustSnapshot(t, s))
	for range 4 {
		tx, err := s.Begin(t.Context(), Sync)
		if err != nil {
			t.Fatal(err)
		}
		for range 20 {
			randomChange(t, rng, tx.Draft(), m)
		}
		if err := tx.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func TestBackup(t *testing.T) {
	for seed := range uint64(4) {
		dir := Memory
		if seed%2 == 0 {
			dir = t.TempDir()
		}
		s := changed(t, dir, seed)
		before := mustSnapshot(t, s)
		var file bytes.Buffer
		tx, err := s.Begin(t.Context(), Sync) // a transaction in progress is not in the way
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tx.Draft().CreateNode([]string{"Later"}, nil); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Backup(t.Context(), &file); err != nil {
			t.Fatal(err)
		}
		tx.Rollback()
		to := filepath.Join(t.TempDir(), "copy")
		restored := mustOpen(t, to, Options{Create: true})
		if _, err := restored.Restore(t.Context(), &file); err != nil {
			t.Fatal(err)
		}
		mustClose(t, restored)
		restored = mustOpen(t, to, Options{ReadOnly: true})
		if d := modelDifference(modelOf(before), modelOf(mustSnapshot(t, restored))); d != "" {
			t.Errorf("seed %d: %s", seed, d)
		}
		if d := externalIDs(before, mustSnapshot(t, restored)); d != "" {
			t.Errorf("seed %d: %s", seed, d)
		}
		mustBeClean(t, restored)
		mustClose(t, restored)
		restored = mustOpen(t, to, Options{})
		_, err = restored.Restore(t.Context(), &file)
		wantError(t, err, ErrNotEmpty, to)
	}
}

// externalIDs compares the external ids of nodes by their stable ids.
func externalIDs(a, b *csr.Snapshot) string {
	for _, x := range a.External {
		for v := range a.N() {
			c, ok := x.IDs.Get(v)
			if !ok {
				continue
			}
			w, _ := b.VertexByNodeID(a.NodeID(csr.VertexID(v)))
			if at, found := scanExternal(b, x.Name, c); !found || at != w {
				return "external id " + cellWords(c)
			}
		}
	}
	return ""
}

// TestRestoreTakesQueriesBack makes one call after the other fail: a restore that ends with an error leaves the queries that were saved before.
func TestRestoreTakesQueriesBack(t *testing.T) {
	from := mustOpen(t, Memory, Options{Create: true})
	count(t, from, 1, Sync)
	if err := from.SaveQuery(t.Context(), SavedQuery{Name: "theirs", Text: "RETURN 1"}); err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if _, err := from.Backup(t.Context(), &file); err != nil {
		t.Fatal(err)
	}
	failures := 0
	for at := 1; ; at++ {
		d := newFaultDisk(uint64(at))
		d.tidy, d.err = true, syscall.ENOSPC
		s, err := openOn(d, filepath.Join(t.TempDir(), "store"), Options{Create: true, CompactAt: -1})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.SaveQuery(t.Context(), SavedQuery{Name: "ours", Text: "RETURN 2"}); err != nil {
			t.Fatal(err)
		}
		d.at = d.calls + at
		if _, err = s.Restore(t.Context(), bytes.NewReader(file.Bytes())); err == nil {
			mustClose(t, s)
			break
		}
		d.heal()
		list, listed := s.Queries(t.Context())
		if s.usable() == nil && (listed != nil || len(list) != 1 || list[0].Name != "ours") {
			t.Errorf("call %d, %v: queries %v, %v", at, d.failures(), list, listed)
		}
		failures++
		s.Close()
	}
	if failures < 20 {
		t.Errorf("%d failures", failures)
	}
}

// TestDamagedBackup cuts a backup and changes bytes of it: nothing is restored, and the store stays empty.
func TestDamagedBackup(t *testing.T) {
	s := changed(t, Memory, 1)
	var file bytes.Buffer
	if _, err := s.Backup(t.Context(), &file); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 22))
	dir := t.TempDir()
	to := mustOpen(t, dir, Options{Create: true})
	for i := range 60 {
		bad := bytes.Clone(file.Bytes())
		if i%2 == 0 {
			bad = bad[:rng.IntN(len(bad))]
		} else {
			bad[rng.IntN(len(bad))] ^= 1 << rng.IntN(8)
		}
		_, err := to.Restore(t.Context(), bytes.NewReader(bad))
		wantError(t, err, ErrCorrupt, dir, "nothing was restored")
		if !to.Empty() || len(epochs(t, to)) > 0 {
			t.Fatal("the store is not empty")
		}
	}
	if _, err := to.Restore(t.Context(), bytes.NewReader(append(bytes.Clone(file.Bytes()), 0))); err == nil {
		t.Error("a byte behind the end is not noticed")
	}
	if _, err := to.Restore(t.Context(), &file); err != nil {
		t.Fatal(err)
	}
	mustBeClean(t, to)
}

// TestSnapshotBesideWriter opens copies of a store while another process commits and compacts: each holds a prefix of
// its transactions, not less than was acknowledged before the copy was made.
func TestSnapshotBesideWriter(t *testing.T) {
	dir := t.TempDir()
	cmd, out := startHelper(t, "commit", dir)
	defer func() { cmd.Process.Kill(); cmd.Wait() }()
	lines := bufio.NewScanner(out)
	stored := uint64(0)
	done := func() uint64 {
		_, n := uint64(0), stored
		for n < stored+3 && lines.Scan() {
			if b := parseDone(lines.Text()); b > 0 {
				n = b
			}
		}
		return n
	}
	for range 8 {
		at := done()
		_, err := Open(dir, Options{ReadOnly: true})
		wantError(t, err, ErrLocked, dir, "writing")
		s, err := Open(dir, Options{Snapshot: true})
		if err != nil {
			t.Fatal(err)
		}
		g := mustSnapshot(t, s)
		if g.N() < at || counted(g) != int64(g.N())-1 {
			t.Errorf("%d transactions, counter %d, where %d were acknowledged", g.N(), counted(g), at)
		}
		mustBeClean(t, s)
		if _, err := s.Begin(context.Background(), Sync); err == nil {
			t.Error("a copy can be written to")
		}
		temp := s.temp
		mustClose(t, s)
		if _, err := os.Stat(temp); !os.IsNotExist(err) {
			t.Errorf("the copy was left: %v", err)
		}
		stored = at
		time.Sleep(10 * time.Millisecond)
	}
}

// parseDone is how many transactions are done by a line of helperCommit.
func parseDone(line string) uint64 {
	_, done := parseLine(line, 0, 0)
	if line == "done 0" || done > 0 {
		return done + 1
	}
	return 0
}
