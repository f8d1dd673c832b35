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

	"github.com/motifql/motif/internal/csr"
)

// entryAt is where an entry of a log stands in its file.
type entryAt struct {
	at, end int64
	seq     uint64
	part    uint32
}

// logEntriesOf lists the entries of a store's log.
func logEntriesOf(t testing.TB, s *Store) (list []entryAt) {
	t.Helper()
	h := s.head.Load()
	f, err := realDisk{}.Open(filepath.Join(s.dir, logName(h.epoch)), false)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	size, _ := f.Size()
	scan := &logScan{end: logHeaderLen, size: size}
	err = scan.read(t.Context(), f, h.epoch, func(key, value []byte) error {
		_, seq, part, _ := parseChangeKey(key)
		list = append(list, entryAt{scan.end, scan.end + int64(entryHead+len(value)), seq, part})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// leftLog is a store of transactions as a process leaves it that is killed, and the entries of its log.
func leftLog(t *testing.T, n int64, pad int, how func(i int64) Durability) (dir string, entries []entryAt) {
	t.Helper()
	whole := t.TempDir()
	s := mustOpen(t, whole, Options{Create: true, CompactAt: -1})
	for i := range n {
		if err := tryCount(s, i, how(i), string(make([]byte, pad*int(i%2)))); err != nil {
			t.Fatal(err)
		}
	}
	entries = logEntriesOf(t, s)
	dir = copyStore(t, whole)
	os.Remove(filepath.Join(dir, lockName))
	mustClose(t, s)
	return dir, entries
}

func synced(int64) Durability { return Sync }

// TestDamagedLog overwrites and changes each entry of a log of synced transactions: only the last of them may be taken for one that was
// being written. Everything else is damage, and the store is refused and left as it is.
func TestDamagedLog(t *testing.T) {
	whole, entries := leftLog(t, 6, 300_000, synced)
	if len(entries) != 6+3+6 {
		t.Fatalf("%d entries", len(entries))
	}
	name := logName(0)
	data, err := os.ReadFile(filepath.Join(whole, name))
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 31))
	for i, e := range entries {
		for how, change := range []func(entry []byte){
			func(entry []byte) { clear(entry) },
			func(entry []byte) { entry[rng.IntN(len(entry))] ^= 1 << rng.IntN(8) },
			func(entry []byte) { entry[logKeyLen] ^= 1 }, // the length
		} {
			dir := copyStore(t, whole)
			bad := slices.Clone(data)
			change(bad[e.at:e.end])
			edit(t, filepath.Join(dir, name), func([]byte) []byte { return bad })
			for _, opt := range []Options{{ReadOnly: true}, {}} {
				s, err := Open(dir, opt)
				if e.seq == 6 {
					if err != nil || counted(mustSnapshot(t, s)) != 4 {
						t.Errorf("entry %d, %d: without the last transaction: %v", i, how, err)
					}
					mustBeClean(t, s)
					mustClose(t, s)
					continue
				}
				wantError(t, err, ErrCorrupt, dir)
				if left, _ := os.ReadFile(filepath.Join(dir, name)); !bytes.Equal(left, bad) {
					t.Errorf("entry %d, %d: the log was changed", i, how)
				}
			}
		}
	}
}

// TestDamageBeforeZeros damages a transaction whose successor is a commit record that ends in a zero. Zeros also fill what is reserved of
// the log, and must not hide that record.
func TestDamageBeforeZeros(t *testing.T) {
	whole := t.TempDir()
	s := mustOpen(t, whole, Options{Create: true, CompactAt: -1})
	var end int64
	var data []byte
	for i := int64(1); end == 0 || data[end-1] != 0; i++ {
		if err := tryCount(s, i, Sync, ""); err != nil {
			t.Fatal(err)
		}
		data, end = readLog(t, whole), s.log.Load().end
	}
	entries := logEntriesOf(t, s)
	dir := copyStore(t, whole)
	os.Remove(filepath.Join(dir, lockName))
	mustClose(t, s)
	before := entries[len(entries)-3] // the commit record of the transaction before the last
	clear(data[before.at:before.end])
	edit(t, filepath.Join(dir, logName(0)), func([]byte) []byte { return data })
	_, err := Open(dir, Options{})
	wantError(t, err, ErrCorrupt, dir)
}

func readLog(t testing.TB, dir string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, logName(0)))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestClosedLog changes each byte of the end of a log that was closed: every damage shows, for closing says what has to be there.
func TestClosedLog(t *testing.T) {
	whole := t.TempDir()
	s := mustOpen(t, whole, Options{Create: true, CompactAt: -1})
	for i := range int64(3) {
		count(t, s, i, Durability(i%2))
	}
	entries := logEntriesOf(t, s)
	mustClose(t, s)
	for at := logHeaderLen; at < int(entries[len(entries)-1].end); at++ {
		dir := copyStore(t, whole)
		edit(t, filepath.Join(dir, logName(0)), func(b []byte) []byte { b[at] ^= 0x41; return b })
		_, err := Open(dir, Options{ReadOnly: at%2 == 0})
		if !errors.Is(err, ErrCorrupt) {
			t.Errorf("byte %d: %v", at, err)
		}
	}
}

// TestClosedLogRanges clears and removes each range of a closed log that begins in the last transaction. No opening loses it. One range may hit the last
// commit record and the entry of closing: then only the header tells that the transaction was committed.
func TestClosedLogRanges(t *testing.T) {
	whole := t.TempDir()
	s := mustOpen(t, whole, Options{Create: true, CompactAt: -1})
	for i := range int64(2) {
		count(t, s, i, Sync)
	}
	last := logEntriesOf(t, s)
	mustClose(t, s)
	path := filepath.Join(whole, logName(0))
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	edit(t, path, func(b []byte) []byte { clear(b[logReachAt : logReachAt+logReachLen]); return b })
	mustClose(t, mustOpen(t, whole, Options{ReadOnly: true})) // a loss of power may take what the header says
	end := last[len(last)-1].end
	for at := last[len(last)-2].at; at < end; at++ {
		for _, n := range []int64{1, 2, 5, 12, 20, 30, 45, 63} {
			for name, damaged := range map[string][]byte{
				"cleared": slices.Concat(data[:at], make([]byte, n), data[at+n:]),
				"removed": slices.Concat(data[:at], data[at+n:]),
			} {
				if err := os.WriteFile(path, damaged, 0o644); err != nil {
					t.Fatal(err)
				}
				if s, err := Open(whole, Options{ReadOnly: true}); err == nil {
					if c := counted(mustSnapshot(t, s)); c != 1 {
						t.Errorf("%d bytes %s at byte %d: counter %d", n, name, at, c)
					}
					mustClose(t, s)
				} else if !errors.Is(err, ErrCorrupt) {
					t.Fatal(err)
				}
			}
		}
	}
}

// TestShortLog cuts a log at every length, and removes it: the store is refused or has every transaction.
func TestShortLog(t *testing.T) {
	for _, pad := range []int{0, 300_000} {
		whole, entries := leftLog(t, 4, pad, synced)
		path := filepath.Join(whole, logName(0))
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		used := int(entries[len(entries)-1].end)
		rng := rand.New(rand.NewPCG(uint64(pad), 33))
		for n := used + 300; n >= 0; n -= 1 + rng.IntN(1+used/200) {
			edit(t, path, func([]byte) []byte { return data[:n] })
			s, err := Open(whole, Options{ReadOnly: true})
			if err == nil {
				if c := counted(mustSnapshot(t, s)); c != 3 {
					t.Fatalf("%d of %d bytes: counter %d", n, used, c)
				}
				mustClose(t, s)
			} else if !errors.Is(err, ErrCorrupt) {
				t.Fatalf("%d bytes: %v", n, err)
			} else if n > used {
				t.Fatalf("%d of %d bytes: %v", n, used, err)
			}
		}
		os.Remove(path)
		_, err = Open(whole, Options{})
		wantError(t, err, ErrCorrupt, whole, logName(0), "missing")
	}
}

// TestMixedStores puts files of one store into another: that is refused.
func TestMixedStores(t *testing.T) {
	a, b := storeDir(t), storeDir(t)
	for _, name := range []string{headName, logName(1), filepath.Join(epochFolder(1), "000001.sst")} {
		dir := copyStore(t, a)
		data, err := os.ReadFile(filepath.Join(b, name))
		if err != nil {
			t.Fatal(err)
		}
		edit(t, filepath.Join(dir, name), func([]byte) []byte { return data })
		s, err := Open(dir, Options{})
		if err == nil {
			_, err = s.Snapshot(t.Context())
			mustClose(t, s)
		}
		if name == filepath.Join(epochFolder(1), "000001.sst") && err == nil {
			continue // the same graph is written as the same bytes
		}
		wantError(t, err, ErrCorrupt, dir)
	}
}

// TestRelaxedGap overwrites a transaction in a log as a loss of power may: of relaxed ones, those before stay; where two after
// were synced, the log is damaged.
func TestRelaxedGap(t *testing.T) {
	for synced := range int64(3) {
		dir, entries := leftLog(t, 6, 0, func(i int64) Durability {
			if i >= 6-synced {
				return Sync
			}
			return Relaxed
		})
		edit(t, filepath.Join(dir, logName(0)), func(b []byte) []byte { clear(b[entries[4].at:entries[5].end]); return b })
		s, err := Open(dir, Options{})
		if synced == 2 {
			wantError(t, err, ErrCorrupt, dir)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if n := counted(mustSnapshot(t, s)); n != 1 {
			t.Fatalf("counter %d", n)
		}
		if report := mustCheck(t, s); !report.OK() || report.Orphans > 0 || len(logEntriesOf(t, s)) != 4 {
			t.Errorf("%+v", report)
		}
		count(t, s, 2, Sync)
		mustClose(t, s)
		s = mustOpen(t, dir, Options{})
		if n := counted(mustSnapshot(t, s)); n != 2 {
			t.Errorf("counter %d", n)
		}
		mustClose(t, s)
	}
}

// TestDamagedLeftovers changes bits in the log that a killed process left: the store is refused and left as it is, or opens with
// every transaction but perhaps the last, which cannot be told from one that was being written. Where that is a relaxed
// one, the relaxed ones before it may be lost with it: a loss of power leaves such a log.
func TestDamagedLeftovers(t *testing.T) {
	t.Run("synced", func(t *testing.T) { damageLeftovers(t, false) })
	t.Run("relaxed in turns", func(t *testing.T) { damageLeftovers(t, true) })
}

func damageLeftovers(t *testing.T, relaxed bool) {
	whole, done := killedStore(t, relaxed)
	path := filepath.Join(whole, logName(0))
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	used := len(bytes.TrimRight(data, "\x00"))
	seed := uint64(time.Now().UnixNano())
	rng := rand.New(rand.NewPCG(seed, 32))
	refused, rounds := 0, 60
	for round := range rounds {
		at := rng.IntN(used)
		switch round % 3 { // most of the log is padding of one transaction
		case 0:
			at = used - 1 - rng.IntN(2000)
		case 1:
			at = used - 1 - rng.IntN(300)
		}
		dir := copyStore(t, whole)
		bad := slices.Clone(data)
		bad[at] ^= 1 << rng.IntN(8)
		edit(t, filepath.Join(dir, logName(0)), func([]byte) []byte { return bad })
		s, err := Open(dir, Options{ReadOnly: round%2 == 0})
		when := fmt.Sprintf("seed %d, byte %d of %d", seed, at, used)
		if err != nil {
			if !errors.Is(err, ErrCorrupt) {
				t.Fatalf("%s: %v", when, err)
			}
			if left, err := os.ReadFile(filepath.Join(dir, logName(0))); err != nil || !bytes.Equal(left, bad) {
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
		if relaxed { // see helperCommit: the last synced one may have been being written, and the one before it is relaxed
			least -= 2
		}
		if g.N() < least || counted(g) != int64(g.N())-1 {
			t.Fatalf("%s: %d transactions of %d, counter %d", when, g.N(), done, counted(g))
		}
		mustClose(t, s)
	}
	t.Logf("%d of %d were refused", refused, rounds)
	if refused == 0 {
		t.Error("none was refused")
	}
}

// killedStore is what a process leaves that is killed after some commits, and how many it had done.
func killedStore(t *testing.T, relaxed bool) (dir string, done uint64) {
	t.Helper()
	dir = t.TempDir()
	env := []string{compactVar + "=-1"}
	if !relaxed {
		env = append(env, syncVar+"=1")
	}
	cmd, out := startHelper(t, "commit", dir, env...)
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if n := parseDone(lines.Text()); n > 0 {
			done = n
		}
		if done >= 5 { // the tenth is padded: if it were there, most damage would be to the last transaction
			cmd.Process.Kill()
		}
	}
	cmd.Wait()
	return dir, done
}

// TestMillionChanges commits a transaction of a million changes, of many parts.
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
	t.Logf("%d changes in %d bytes, %d parts", 2*n, info.LogBytes, len(logEntriesOf(t, s))-1)
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
	if n := mustSnapshot(t, s).N(); n != 2 || len(logEntriesOf(t, s)) != 4 {
		t.Errorf("%d nodes, %d entries", n, len(logEntriesOf(t, s)))
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
	t.Logf("bytes on disk: %d", sizes)
	if first, last := slices.Max(sizes[:3]), slices.Max(sizes[20:]); last > first+first/5+256<<10 {
		t.Errorf("the store grew from %d to %d bytes", first, last)
	}
}
