package storage

import (
	"bufio"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/testgraph"
)

var killGraphs = sync.OnceValue(func() [3]*csr.Snapshot {
	var graphs [3]*csr.Snapshot
	for i := range graphs {
		graphs[i] = testgraph.Random(uint64(i), testgraph.Options{Vertices: 3000 + 1000*i, Edges: 40000, Labels: 3, Types: 2, Flat: true})
	}
	return graphs
})

// killGraph is the graph that the helper stores in an epoch.
func killGraph(epoch uint64) *csr.Snapshot { return killGraphs()[epoch%3] }

// killRounds is how often the tests below kill a process: MOTIF_KILL_ROUNDS, or a few times.
func killRounds() int {
	if n, err := strconv.Atoi(os.Getenv("MOTIF_KILL_ROUNDS")); err == nil {
		return n
	}
	return 6
}

// TestKillCommits kills a process that commits and compacts, at random moments. Whatever the moment, the store then
// has every transaction that was acknowledged and at most one more, all whole.
func TestKillCommits(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	rng := rand.New(rand.NewPCG(seed, 2))
	dir := t.TempDir()
	stored, epochs := uint64(0), uint64(0)
	for round := range killRounds() {
		cmd, out := startHelper(t, "commit", dir)
		begun, done := stored, stored // how many transactions were
		lines := bufio.NewScanner(out)
		read := func() bool {
			if !lines.Scan() {
				return false
			}
			var verb string
			var i uint64
			if n, _ := fmt.Sscan(lines.Text(), &verb, &i); n == 2 && verb == "begin" {
				begun = i + 1
			} else if n == 2 && verb == "done" {
				done = i + 1
			}
			return true
		}
		if rng.IntN(4) > 0 { // else it may be killed while it opens the store, too
			read()
		}
		timer := time.AfterFunc(time.Duration(rng.IntN(250_000))*time.Microsecond, func() { cmd.Process.Kill() })
		for read() {
		}
		cmd.Wait()
		timer.Stop()
		stored, epochs = verifyCommits(t, dir, round%2 == 0, done, begun, fmt.Sprintf("seed %d, round %d", seed, round))
	}
	t.Logf("%d transactions, %d compactions", stored, epochs)
}

// verifyCommits opens a store whose writer was killed, and returns how many transactions and compactions it holds.
func verifyCommits(t *testing.T, dir string, readOnly bool, done, begun uint64, when string) (stored, epoch uint64) {
	t.Helper()
	s, err := Open(dir, Options{ReadOnly: readOnly})
	if errors.Is(err, ErrNotStore) && done == 0 {
		return 0, 0 // killed before there was a store
	}
	if err != nil {
		t.Fatalf("%s: %v", when, err)
	}
	defer mustClose(t, s)
	g, err := s.Snapshot(t.Context())
	if err != nil {
		t.Fatalf("%s: %v", when, err)
	}
	stored = g.N()
	if stored < done || stored > begun {
		t.Fatalf("%s: %d transactions; %d were done, %d begun", when, stored, done, begun)
	}
	if stored > 0 && counted(g) != int64(stored)-1 {
		t.Fatalf("%s: counter %d after %d transactions", when, counted(g), stored)
	}
	report := mustCheck(t, s)
	if !report.OK() || !readOnly && report.Orphans > 0 {
		t.Fatalf("%s: %+v", when, report)
	}
	return stored, s.head.Load().epoch
}

// TestKill kills a process that loads again and again, at random moments, MOTIF_KILL_ROUNDS times. Whatever
// the moment, the store then has the last graph whose load was reported done, or the one after it, whole.
func TestKill(t *testing.T) {
	rounds := killRounds()
	seed := uint64(time.Now().UnixNano())
	rng := rand.New(rand.NewPCG(seed, 1))
	dir := t.TempDir()
	published, last := 0, uint64(0)
	for round := range rounds {
		cmd, out := startHelper(t, "load", dir)
		begin, done := last, last
		lines := bufio.NewScanner(out)
		if rng.IntN(4) > 0 { // else it may be killed while it opens the store, too
			lines.Scan()
			begin, done = parseLine(lines.Text(), begin, done)
		}
		timer := time.AfterFunc(time.Duration(rng.IntN(250_000))*time.Microsecond, func() { cmd.Process.Kill() })
		for lines.Scan() {
			begin, done = parseLine(lines.Text(), begin, done)
		}
		cmd.Wait()
		timer.Stop()
		last = verifyKilled(t, dir, round%2 == 0, done, begin, fmt.Sprintf("seed %d, round %d", seed, round))
		if last == begin {
			published++
		}
	}
	t.Logf("killed %d loads: %d left the graph before, %d the new one", rounds, rounds-published, published)
}

// parseLine reads a line of helperLoad.
func parseLine(line string, begin, done uint64) (uint64, uint64) {
	var verb string
	var epoch uint64
	if n, _ := fmt.Sscan(line, &verb, &epoch); n != 2 {
		return begin, done // cut short by the kill
	}
	if verb == "begin" {
		return epoch, done
	}
	return begin, epoch
}

// verifyKilled opens a store whose writer was killed and returns its epoch.
func verifyKilled(t *testing.T, dir string, readOnly bool, done, begin uint64, when string) uint64 {
	t.Helper()
	s, err := Open(dir, Options{ReadOnly: readOnly})
	if errors.Is(err, ErrNotStore) && begin == 0 {
		return 0 // killed before there was a store
	}
	if err != nil {
		t.Fatalf("%s: %v", when, err)
	}
	defer mustClose(t, s)
	live := s.head.Load().epoch
	if live < done || live > begin {
		t.Fatalf("%s: epoch %d is live; %d was done, %d begun", when, live, done, begin)
	}
	g, err := s.Snapshot(t.Context())
	if err != nil {
		t.Fatalf("%s: %v", when, err)
	}
	if live > 0 {
		want := killGraph(live)
		setDegeneracy(t.Context(), want)
		if d := difference(want, g); d != "" {
			t.Fatalf("%s: epoch %d: %s", when, live, d)
		}
	}
	report := mustCheck(t, s)
	if !report.OK() || !readOnly && report.Orphans > 0 {
		t.Fatalf("%s: %+v", when, report)
	}
	return live
}

// TestKillAtStages kills a process at every point where a load reports progress.
func TestKillAtStages(t *testing.T) {
	dir := t.TempDir()
	s := mustOpen(t, dir, Options{Create: true})
	mustPublish(t, s, killGraph(1))
	mustClose(t, s)
	live := uint64(1)
	for at := 1; live == 1 && at < 1000; at++ {
		cmd := helper("load", dir, atVar+"="+strconv.Itoa(at))
		cmd.Run()
		live = verifyKilled(t, dir, at%2 == 0, 1, 2, fmt.Sprintf("progress call %d", at))
	}
	if live != 2 {
		t.Errorf("the load was never published")
	}
}
