package storage

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dgraph-io/badger/v4"

	"github.com/motifql/motif/internal/csr"
)

// Stores of formats 1 and 2 are no longer written. The tests of what they may look like after a crash write them as the
// programs of that time did: blocks in batches, the change log in Badger's transactions, and HEAD last.

// legacyWriter is a store of format 2 that is written to.
type legacyWriter struct {
	dir   string
	db    *badger.DB
	epoch uint64
	seq   uint64
}

func openLegacyWriter(dir string) (*legacyWriter, error) {
	db, err := badger.Open(badgerOptions(dir, false, badgerLog{}))
	if err != nil {
		return nil, err
	}
	w := &legacyWriter{dir: dir, db: db}
	return w, w.set(formatKey, sealAs(2, formatKey, []byte("motif"), true))
}

// set sets keys and their values in turns, in one transaction.
func (w *legacyWriter) set(pairs ...[]byte) error {
	return w.db.Update(func(txn *badger.Txn) error {
		for i := 0; i < len(pairs); i += 2 {
			if err := txn.Set(pairs[i], pairs[i+1]); err != nil {
				return err
			}
		}
		return nil
	})
}

// publish writes a graph as a new epoch, and drops the one before. settle is called when the blocks are written.
func (w *legacyWriter) publish(snap *csr.Snapshot, settle func()) error {
	if err := setDegeneracy(context.Background(), snap); err != nil {
		return err
	}
	batch := w.db.NewWriteBatch()
	defer batch.Cancel()
	blocks := &writer{epoch: w.epoch + 1, workers: 2, progress: noProgress, put: batch.Set}
	if err := blocks.run(context.Background(), &snap.Data); err != nil {
		return err
	}
	if err := batch.Flush(); err != nil {
		return err
	}
	settle()
	if err := w.reopen(); err != nil {
		return err
	}
	w.epoch++
	h := &head{epoch: w.epoch, published: 1, vertices: snap.N(), edges: snap.M(), bytes: blocks.bytes}
	value := sealAs(1, headKey(), h.encode(), true)
	if err := os.WriteFile(filepath.Join(w.dir, headName), value, 0o644); err != nil {
		return err
	}
	if err := w.set(headKey(), value); err != nil || w.epoch == 1 {
		return err
	}
	return w.db.DropPrefix(append(epochPrefixes(w.epoch-1), epochPrefix(kindChange, w.epoch-1))...)
}

func (w *legacyWriter) reopen() (err error) {
	if err = w.db.Close(); err == nil {
		w.db, err = badger.Open(badgerOptions(w.dir, false, badgerLog{}))
	}
	return err
}

// commit writes the changes of a transaction to the log.
func (w *legacyWriter) commit(changes []csr.Change, d Durability, at int64) error {
	enc := newChangeEncoder()
	for i := range changes {
		if err := enc.add(&changes[i]); err != nil {
			return err
		}
	}
	r := commitRecord{changes: uint64(len(changes)), bytes: uint64(len(enc.buf)), sum: checksum(nil, enc.buf), previous: w.seq, relaxed: d == Relaxed, time: at}
	w.seq++
	var pairs [][]byte
	for stream := enc.buf; len(stream) > 0; r.parts++ {
		n := min(len(stream), maxLogPart)
		key := changeKey(w.epoch, w.seq, uint32(r.parts))
		pairs = append(pairs, key, seal(key, stream[:n], false))
		stream = stream[n:]
	}
	key := changeKey(w.epoch, w.seq, lastPart)
	if err := w.set(append(pairs, key, seal(key, r.encode(), true))...); err != nil || d == Relaxed {
		return err
	}
	return w.db.Sync()
}

// countChanges are the changes of transaction number i of the chain that tryCount commits.
func countChanges(i int64) []csr.Change {
	pad := ""
	if i%10 == 0 {
		pad = strings.Repeat("pad.", 150_000)
	}
	return []csr.Change{
		{Kind: csr.CreateNode, ID: uint64(i), Labels: []string{"N"}, Props: []csr.Prop{{Key: "i", Value: csr.IntCell(i)}}},
		{Kind: csr.SetNodeProps, ID: 0, Props: []csr.Prop{{Key: "count", Value: csr.IntCell(i)}, {Key: "pad", Value: csr.StringCell(pad)}}},
	}
}

// helperLegacyCommit is helperCommit for a store of format 2.
func helperLegacyCommit(dir string) {
	w, err := openLegacyWriter(dir)
	for i := int64(0); err == nil; i++ {
		fmt.Println("begin", i)
		d := Durability(i % 2)
		if os.Getenv(syncVar) != "" {
			d = Sync
		}
		if err = w.commit(countChanges(i), d, i); err == nil {
			fmt.Println("done", i)
		}
	}
	fmt.Fprintln(os.Stderr, "helper:", err)
	os.Exit(1)
}

// helperLegacyLoad loads a graph into a store of format 2, and kills itself when its blocks are written.
func helperLegacyLoad(dir string) {
	w, err := openLegacyWriter(dir)
	if err == nil {
		w.epoch = 1
		err = w.publish(killGraph(2), func() {
			self, _ := os.FindProcess(os.Getpid())
			self.Kill()
			select {}
		})
	}
	fmt.Fprintln(os.Stderr, "helper:", err)
	os.Exit(1)
}

// legacyStore is a closed store of format 2 that holds the last of some graphs.
func legacyStore(t testing.TB, graphs ...*csr.Snapshot) string {
	t.Helper()
	dir := t.TempDir()
	w, err := openLegacyWriter(dir)
	for _, g := range graphs {
		if err == nil {
			err = w.publish(g, func() {})
		}
	}
	if err == nil {
		err = w.db.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestUpgrade writes to stores of format 2: the first write, whatever it is, makes them stores of this format, and nothing is lost.
func TestUpgrade(t *testing.T) {
	for name, write := range map[string]func(s *Store) error{
		"commit":  func(s *Store) error { return tryCount(s, 4, Sync, "") },
		"query":   func(s *Store) error { return s.SaveQuery(t.Context(), SavedQuery{Name: "new", Text: "RETURN 1"}) },
		"compact": func(s *Store) error { return s.Compact(t.Context()) },
		"publish": func(s *Store) error {
			g, err := s.Snapshot(t.Context())
			if err == nil {
				_, err = s.Publish(t.Context(), g, nil)
			}
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			w, err := openLegacyWriter(dir)
			for i := int64(0); i < 4 && err == nil; i++ {
				err = w.commit(countChanges(i), Durability(i%2), i)
			}
			key := queryKey("old")
			if err == nil {
				err = w.set(key, seal(key, []byte(`{"name":"old","text":"RETURN 2"}`), true))
			}
			if err == nil {
				err = w.db.Close()
			}
			if err != nil {
				t.Fatal(err)
			}
			before := contentsOf(t, dir)
			s := mustOpen(t, dir, Options{})
			if n := counted(mustSnapshot(t, s)); n != 3 {
				t.Fatalf("counter %d", n)
			}
			mustBeClean(t, s)
			mustClose(t, s)
			if after := contentsOf(t, dir); fmt.Sprint(after) != fmt.Sprint(before) {
				t.Fatal("reading changed the store")
			}
			s = mustOpen(t, dir, Options{})
			if err := write(s); err != nil {
				t.Fatal(err)
			}
			want := mustSnapshot(t, s)
			mustBeClean(t, s)
			mustClose(t, s)
			if old, _ := filepath.Glob(filepath.Join(dir, "*.sst")); len(old) > 0 {
				t.Errorf("%v are left", old)
			}
			s = mustOpen(t, dir, Options{ReadOnly: true})
			if d := modelDifference(modelOf(want), modelOf(mustSnapshot(t, s))); d != "" {
				t.Error(d)
			}
			queries, err := s.Queries(t.Context())
			if err != nil || len(queries) == 0 || queries[len(queries)-1].Name != "old" {
				t.Errorf("saved queries %v, %v", queries, err)
			}
			mustBeClean(t, s)
		})
	}
}
