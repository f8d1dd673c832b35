package storage

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/dgraph-io/badger/v4"

	"github.com/motifql/motif/internal/csr"
)

// logKeys lists the keys of a log.
func logKeys(db *badger.DB, epoch uint64) (keys [][]byte) {
	txn := db.NewTransaction(false)
	defer txn.Discard()
	it := txn.NewIterator(badger.IteratorOptions{Prefix: epochPrefix(kindChange, epoch)})
	defer it.Close()
	for it.Rewind(); it.Valid(); it.Next() {
		keys = append(keys, it.Item().KeyCopy(nil))
	}
	return keys
}

// TestDamagedLog removes each value of a log, and changes bits of it: the graph cannot be read then, and Check finds it.
func TestDamagedLog(t *testing.T) {
	dir := t.TempDir()
	s := mustOpen(t, dir, Options{Create: true, CompactAt: -1})
	for i := range int64(6) {
		if err := tryCount(s, i, Sync, string(make([]byte, 300_000*(i%2)))); err != nil {
			t.Fatal(err)
		}
	}
	keys := logKeys(s.db, 0)
	if len(keys) != 6+3+6 {
		t.Fatalf("%d keys", len(keys))
	}
	rng := rand.New(rand.NewPCG(1, 31))
	for i, key := range keys {
		_, seq, part, _ := parseChangeKey(key)
		var value []byte
		s.db.View(func(txn *badger.Txn) (err error) { value, err = get(txn, key); return err })
		for _, damaged := range [][]byte{nil, flip(rng, value), value[:len(value)-1]} {
			err := s.db.Update(func(txn *badger.Txn) error {
				if damaged == nil {
					return txn.Delete(key)
				}
				return txn.Set(key, damaged)
			})
			if err != nil {
				t.Fatal(err)
			}
			s.cached.Store(nil)
			snap, err := s.Snapshot(t.Context())
			report := mustCheck(t, s)
			if damaged == nil && part == lastPart && seq == 6 { // as if the last had not been committed
				if err != nil || counted(snap) != 4 || report.Orphans == 0 {
					t.Errorf("without the last commit record: %v, %+v", err, report)
				}
				continue
			}
			if !errors.Is(err, ErrCorrupt) || report.OK() {
				t.Errorf("key %d of %d, %s: error %v, report %+v", i, len(keys), new(names).describe(key), err, report)
			}
			if _, err := s.Begin(t.Context(), Sync); !errors.Is(err, ErrCorrupt) {
				t.Errorf("a transaction began on a damaged graph: %v", err)
			}
		}
		if err := s.db.Update(func(txn *badger.Txn) error { return txn.Set(key, value) }); err != nil {
			t.Fatal(err)
		}
	}
	s.cached.Store(nil)
	mustBeClean(t, s)
	if n := counted(mustSnapshot(t, s)); n != 5 {
		t.Errorf("counter %d", n)
	}
}

func flip(rng *rand.Rand, value []byte) []byte {
	value = bytes.Clone(value)
	value[rng.IntN(len(value))] ^= 1 << rng.IntN(8)
	return value
}

// TestRelaxedGap takes transactions out of a log as a loss of power may: of relaxed ones, those before stay; where one
// after was synced, the log is damaged.
func TestRelaxedGap(t *testing.T) {
	for _, last := range []Durability{Relaxed, Sync} {
		dir := t.TempDir()
		s := mustOpen(t, dir, Options{Create: true, CompactAt: -1})
		for i := range int64(6) {
			d := Relaxed
			if i == 5 {
				d = last
			}
			count(t, s, i, d)
		}
		if err := s.deleteKeys([][]byte{changeKey(0, 3, 0), changeKey(0, 3, lastPart)}); err != nil {
			t.Fatal(err)
		}
		mustClose(t, s)
		s = mustOpen(t, dir, Options{})
		snap, err := s.Snapshot(t.Context())
		if last == Sync {
			if !errors.Is(err, ErrCorrupt) || mustCheck(t, s).OK() {
				t.Errorf("a synced transaction vouches for none before: %v", err)
			}
			continue
		}
		if err != nil || counted(snap) != 1 {
			t.Fatalf("%v, counter %d", err, counted(snap))
		}
		if report := mustCheck(t, s); !report.OK() || report.Orphans > 0 || len(logKeys(s.db, 0)) != 4 {
			t.Errorf("%+v", report)
		}
		count(t, s, 2, Sync)
		mustClose(t, s)
		s = mustOpen(t, dir, Options{})
		if n := counted(mustSnapshot(t, s)); n != 2 {
			t.Errorf("counter %d", n)
		}
	}
}

// TestCutManifestLog cuts the MANIFEST of a store whose log is spread over several tables at every length: it is refused,
// or has every transaction.
func TestCutManifestLog(t *testing.T) {
	whole := t.TempDir()
	for i := range int64(4) {
		s := mustOpen(t, whole, Options{Create: true, CompactAt: -1})
		if i == 2 {
			if err := s.Compact(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		count(t, s, i, Sync)
		mustClose(t, s)
	}
	data, err := os.ReadFile(filepath.Join(whole, manifestName))
	if err != nil {
		t.Fatal(err)
	}
	refused := 0
	for n := range data {
		dir := copyStore(t, whole)
		if err := os.Truncate(filepath.Join(dir, manifestName), int64(n)); err != nil {
			t.Fatal(err)
		}
		s, err := Open(dir, Options{ReadOnly: n%2 == 0})
		if err != nil {
			if !errors.Is(err, ErrCorrupt) {
				t.Fatalf("%d bytes: %v", n, err)
			}
			refused++
			continue
		}
		if c := counted(mustSnapshot(t, s)); c != 3 {
			t.Fatalf("%d of %d bytes of the MANIFEST: counter %d", n, len(data), c)
		}
		mustClose(t, s)
	}
	t.Logf("%d of %d cuts were refused", refused, len(data))
	if refused == 0 {
		t.Error("no cut was refused")
	}
}

// TestDamagedLeftovers changes bits in the log of writes that a killed process left: the store is refused and left as it is,
// or opens with every transaction but perhaps the last, which cannot be told from one that was being written. Where the last is a
// relaxed one, the damaged one before may be lost with it: a loss of power leaves two relaxed transactions like that.
func TestDamagedLeftovers(t *testing.T) {
	t.Run("synced", func(t *testing.T) { damageLeftovers(t, false) })
	t.Run("relaxed in turns", func(t *testing.T) { damageLeftovers(t, true) })
}

func damageLeftovers(t *testing.T, relaxed bool) {
	whole, env := t.TempDir(), []string{compactVar + "=-1"}
	if !relaxed {
		env = append(env, syncVar+"=1")
	}
	cmd := helper("commit", whole, env...)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	done := uint64(0)
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if n := parseDone(lines.Text()); n > 0 {
			done = n
		}
		if done >= 5 { // the tenth is padded: if it were there, most damage would be to the last transaction
			cmd.Process.Kill()
		}
	}
	cmd.Wait()
	logs := logFiles(whole, ".mem")
	if len(logs) != 1 {
		t.Fatalf("%d logs are left", len(logs))
	}
	path := filepath.Join(whole, logs[0].Name())
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	used, _ := soundPart(data)
	seed := uint64(time.Now().UnixNano())
	rng := rand.New(rand.NewPCG(seed, 32))
	refused, rounds, last := 0, 12, 12
	if testing.Short() {
		rounds, last = 4, 4
	}
	for round := range rounds + last {
		at := walHeader + rng.IntN(used-walHeader)
		switch {
		case round >= rounds: // the entries that record and end the last two transactions
			at = used - 1 - rng.IntN(300)
		case round%2 == 0: // most of the log is padding of one transaction
			at = used - 1 - rng.IntN(2000)
		}
		dir := copyStore(t, whole)
		bad := slices.Clone(data)
		bad[at] ^= 1 << rng.IntN(8)
		if err := os.WriteFile(filepath.Join(dir, logs[0].Name()), bad, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := Open(dir, Options{ReadOnly: round%3 == 0})
		when := fmt.Sprintf("seed %d, byte %d of %d", seed, at, used)
		if err != nil {
			if !errors.Is(err, ErrCorrupt) {
				t.Fatalf("%s: %v", when, err)
			}
			if left, err := os.ReadFile(filepath.Join(dir, logs[0].Name())); err != nil || !bytes.Equal(left, bad) {
				t.Fatalf("%s: the log was changed: %v", when, err)
			}
			refused++
			continue
		}
		g, err := s.Snapshot(t.Context())
		if err != nil {
			t.Fatalf("%s: %v", when, err)
		}
		least := done - 1
		if relaxed && Durability((done-1)%2) == Relaxed { // see helperCommit
			least--
		}
		if g.N() < least || counted(g) != int64(g.N())-1 {
			t.Fatalf("%s: %d transactions of %d, counter %d", when, g.N(), done, counted(g))
		}
		mustClose(t, s)
	}
	t.Logf("%d of %d were refused", refused, rounds+last)
	if refused == 0 {
		t.Error("none was refused")
	}
}

// TestMillionChanges commits a transaction of a million changes, in far more bytes than Badger takes at once.
func TestMillionChanges(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped with -short, since a million changes take seconds")
	}
	dir := t.TempDir()
	s := mustOpen(t, dir, Options{Create: true, CompactAt: -1})
	tx, err := s.Begin(t.Context(), Sync)
	if err != nil {
		t.Fatal(err)
	}
	const n = 500_000
	d := tx.Draft()
	var last csr.VertexID
	for i := range n {
		v, err := d.CreateNode([]string{"N"}, []csr.Prop{{Key: "i", Value: csr.IntCell(int64(i))}})
		if err == nil {
			_, err = d.CreateRel("R", last, v, nil)
		}
		if err != nil {
			t.Fatal(err)
		}
		last = v
	}
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	info, err := s.Info()
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d changes in %d bytes, %d parts", 2*n, info.LogBytes, len(logKeys(s.db, 0))-1)
	mustClose(t, s)
	s = mustOpen(t, dir, Options{})
	if g := mustSnapshot(t, s); g.N() != n || g.M() != n {
		t.Errorf("%d nodes, %d relationships", g.N(), g.M())
	}
	if err := s.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	mustBeClean(t, s)
}

// TestCommitCancelled sees that a commit whose context ends leaves nothing.
func TestCommitCancelled(t *testing.T) {
	s := mustOpen(t, t.TempDir(), Options{Create: true})
	count(t, s, 0, Sync)
	tx, err := s.Begin(t.Context(), Sync)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Draft().CreateNode(nil, nil); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := tx.Commit(ctx); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	count(t, s, 1, Sync)
	if n := mustSnapshot(t, s).N(); n != 2 || len(logKeys(s.db, 0)) != 4 {
		t.Errorf("%d nodes, %d keys", n, len(logKeys(s.db, 0)))
	}
}

// TestDiskBounded commits and compacts many times: what the store takes on disk does not grow with the number of times.
func TestDiskBounded(t *testing.T) {
	dir := t.TempDir()
	var sizes []uint64
	for round := range int64(24) {
		s := mustOpen(t, dir, Options{Create: true, CompactAt: -1})
		for i := range int64(4) {
			tx, err := s.Begin(t.Context(), Relaxed)
			if err != nil {
				t.Fatal(err)
			}
			d := tx.Draft()
			if v, ok := d.NodeByID(csr.NodeID(round*4 + i - 1)); ok { // the one that the transaction before made
				err = d.DeleteNode(v)
			}
			if err == nil {
				_, err = d.CreateNode([]string{"N"}, []csr.Prop{{Key: "pad", Value: csr.StringCell(string(make([]byte, 400_000)))}})
			}
			if err == nil {
				err = tx.Commit(t.Context())
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Compact(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := epochs(s.db); len(got) != 1 {
			t.Fatalf("round %d: epochs %v are left", round, got)
		}
		mustClose(t, s)
		size, err := diskBytes(dir)
		if err != nil {
			t.Fatal(err)
		}
		sizes = append(sizes, size)
	}
	t.Logf("bytes on disk: %d", sizes)
	if first, last := slices.Max(sizes[:3]), slices.Max(sizes[20:]); last > first+first/5+256<<10 {
		t.Errorf("the store grew from %d to %d bytes", first, last)
	}
}
