package storage

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// TestCutManifestLog cuts the MANIFEST of a store whose log is spread over several tables at every length: it is refused,
// or has every transaction.
func TestCutManifestLog(t *testing.T) {
	whole := t.TempDir()
	w, err := openLegacyWriter(whole)
	for i := int64(0); i < 4 && err == nil; i++ {
		if err = w.commit(countChanges(i), Sync, i); err == nil {
			err = w.reopen()
		}
	}
	if err == nil {
		err = w.db.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(whole, markName))
	if err != nil {
		t.Fatal(err)
	}
	refused := 0
	for n := range data {
		dir := copyStore(t, whole)
		if err := os.Truncate(filepath.Join(dir, markName), int64(n)); err != nil {
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

// TestLegacyDamagedLeftovers changes bits in the log of writes that a killed process left: the store is refused and left as it is,
// or opens with every transaction but perhaps the last, which cannot be told from one that was being written. Where the last is a
// relaxed one, the damaged one before may be lost with it: a loss of power leaves two relaxed transactions like that.
func TestLegacyDamagedLeftovers(t *testing.T) {
	t.Run("synced", func(t *testing.T) { damageLegacyLeftovers(t, false) })
	t.Run("relaxed in turns", func(t *testing.T) { damageLegacyLeftovers(t, true) })
}

func damageLegacyLeftovers(t *testing.T, relaxed bool) {
	whole := t.TempDir()
	var env []string
	if !relaxed {
		env = append(env, syncVar+"=1")
	}
	cmd, out := startHelper(t, "legacy commit", whole, env...)
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
