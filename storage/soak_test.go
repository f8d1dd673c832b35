//go:build soak

package storage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/motifql/motif/internal/csr"
)

// The soak runs everything that a store does at once, on a disk that fails now and then, for as long as MOTIF_SOAK says.
//
// Every transaction, and every load, has a number, one above the last. The numbers define the graph: node 0 holds the number of
// the last transaction ("count") and of the load before it ("base"). Each transaction since then has left a node and a relationship.
const (
	soakNodes   = 1000 // a graph of so many nodes is replaced
	soakLog     = 30_000
	soakReaders = 3
	soakStep    = 2 * stepLimit // how long a step may take

	// What a round may leave behind, above what the first one did. Badger's memory maps leave an entry of some bytes each in a table of
	// golang.org/x/sys, which ristretto's munmap goes past: 56 KiB in 100 seconds with 1,200 epochs.
	soakHeap   = 4 << 20  // in any round
	soakGrowth = 2 << 20  // from the first third of the rounds to the last
	soakDisk   = 12 << 10 // the list of saved queries, and what a page of the disk rounds up
)

type soak struct {
	t    *testing.T
	seed uint64
	root string
	dir  string
	disk *faultDisk
	opt  Options

	store atomic.Pointer[Store]
	acked atomic.Int64 // the last transaction that was acknowledged
	begun atomic.Int64 // the last one that was begun

	calm    sync.Mutex         // held while calls fail, and while they must not
	queries map[string][]int64 // the versions of each saved query that may be stored; -1: none
	version int64

	mu     sync.Mutex
	counts map[string]int
}

func (k *soak) count(what string, n int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.counts[what] += n
}

// Write counts what the store tells its logger.
func (k *soak) Write(p []byte) (int, error) {
	k.count("lines logged", 1)
	return len(p), nil
}

func TestSoak(t *testing.T) {
	total := time.Hour
	if text := os.Getenv("MOTIF_SOAK"); text != "" {
		var err error
		if total, err = time.ParseDuration(text); err != nil {
			t.Fatal("MOTIF_SOAK: ", err)
		}
	}
	if end, ok := t.Deadline(); ok && time.Until(end) < total+total/4+time.Minute {
		t.Fatalf("go test ends tests after %s: give -timeout %s", time.Until(end).Round(time.Second), 2*total)
	}
	root := faultRoot(t)
	k := &soak{t: t, seed: faultSeed(t), root: root, dir: filepath.Join(root, "store"), queries: make(map[string][]int64), counts: make(map[string]int)}
	k.disk = newFaultDisk(k.seed)
	k.opt = Options{Create: true, CompactAt: soakLog, Workers: 2, Logger: slog.New(slog.NewTextHandler(k, nil))}
	k.acked.Store(-1)
	round, start := max(total/20, 4*time.Second), time.Now()
	var rounds []footprint
	for len(rounds) < 2 || time.Since(start) < total {
		k.round(len(rounds), round)
		rounds = append(rounds, k.settled(rounds))
		t.Logf("%6s round %d: %v", time.Since(start).Round(time.Second), len(rounds)-1, rounds[len(rounds)-1])
		if t.Failed() {
			break
		}
	}
	k.compare(rounds)
	seconds := time.Since(start).Seconds()
	for _, what := range slices.Sorted(maps.Keys(k.counts)) {
		t.Logf("%-32s %8d %9.1f a second", what, k.counts[what], float64(k.counts[what])/seconds)
	}
}

// round runs all workers for a while, and looks at the store when they have ended.
func (k *soak) round(number int, length time.Duration) {
	k.reopen(nil)
	k.load(k.next())
	ctx, cancel := context.WithTimeout(context.Background(), length)
	defer cancel()
	var workers sync.WaitGroup
	started := 0
	work := func(step func(ctx context.Context, rng *rand.Rand)) {
		started++
		rng := rand.New(rand.NewPCG(k.seed, uint64(number<<8|started)))
		workers.Go(func() {
			watchdog := time.AfterFunc(soakStep, func() {
				debug.SetTraceback("all")
				panic("a step of the soak takes longer than " + soakStep.String())
			})
			defer watchdog.Stop()
			for ctx.Err() == nil && !k.t.Failed() {
				watchdog.Reset(soakStep)
				step(ctx, rng)
			}
		})
	}
	work(k.write)
	work(k.maintain)
	work(k.fail)
	for range soakReaders {
		work(k.reader())
	}
	workers.Wait()
	k.disk.heal()
	k.reopen(nil)
	s := k.store.Load()
	if snap, err := s.Snapshot(k.t.Context()); !k.failed("reading", err) {
		k.see(snap, true)
	}
	k.listQueries(s)
	k.load(k.unpadded())
	if report, err := s.Check(k.t.Context()); err != nil || !report.OK() || report.Orphans > 0 {
		k.t.Errorf("check after round %d: %+v, %v", number, report, err)
	}
	k.close()
}

// failed sees that an error names the call that failed, or one of the causes that the caller expects.
func (k *soak) failed(doing string, err error, expected ...error) bool {
	k.t.Helper()
	if err == nil {
		return false
	}
	for _, e := range expected {
		if errors.Is(err, e) {
			return true
		}
	}
	var e *Error
	named := slices.ContainsFunc(faultErrors, func(cause syscall.Errno) bool { return errors.Is(err, cause) })
	if !errors.As(err, &e) || !named {
		k.t.Errorf("%s: the error does not say its cause: %v", doing, err)
	}
	k.count("errors: "+doing, 1)
	return true
}

// see checks that a snapshot is what the transactions up to some number have left, and returns that number.
func (k *soak) see(snap *csr.Snapshot, whole bool) int64 {
	k.t.Helper()
	base, count := soakProp(snap, "base"), counted(snap)
	if int64(snap.N()) != count-base+1 || snap.M() != snap.N()-1 {
		k.t.Errorf("%d nodes and %d relationships after transactions %d to %d", snap.N(), snap.M(), base, count)
	}
	if whole {
		k.count("graphs compared", 1)
		if have, want := modelOf(snap), soakModel(base, count); !sameModel(have, want) {
			d := modelDifference(want, have)
			k.t.Errorf("another graph after transactions %d to %d: %s", base, count, d[:min(len(d), 300)])
		}
	}
	return count
}

// reader is a worker that looks at snapshots: each has all that was acknowledged before, none goes back, and none changes.
func (k *soak) reader() func(context.Context, *rand.Rand) {
	last := int64(-1)
	var kept *csr.Snapshot
	return func(_ context.Context, rng *rand.Rand) {
		acked := k.acked.Load()
		snap, err := k.store.Load().Snapshot(context.Background())
		if k.failed("reading", err, ErrClosed) {
			time.Sleep(time.Millisecond)
			return
		}
		count := k.see(snap, rng.IntN(100) == 0)
		if begun := k.begun.Load(); count < max(acked, last) || count > begun {
			k.t.Errorf("the graph ends with transaction %d; %d is acknowledged, %d was seen, %d has begun", count, acked, last, begun)
		}
		last = count
		k.count("reads", 1)
		if kept == nil {
			kept = snap
		} else if rng.IntN(300) == 0 {
			k.see(kept, true)
			kept = nil
		}
		time.Sleep(time.Duration(rng.IntN(2000)) * time.Microsecond)
	}
}

// write is a worker that commits, and sometimes loads a new graph or opens the store again.
func (k *soak) write(_ context.Context, rng *rand.Rand) {
	s := k.store.Load()
	if s.usable() != nil || rng.IntN(500) == 0 {
		k.reopen(rng)
		return
	}
	snap, err := s.Snapshot(context.Background())
	switch {
	case k.failed("reading", err):
	case snap.N() > soakNodes || rng.IntN(2000) == 0:
		k.load(k.next())
	default:
		d := Durability(rng.IntN(2))
		k.end(s, "committing", k.commit(s, d), []string{"commits, synced", "commits, relaxed"}[d])
	}
}

// end notes how a transaction or a load has ended.
func (k *soak) end(s *Store, doing string, err error, done string) {
	k.t.Helper()
	switch {
	case !k.failed(doing, err):
		k.acked.Store(k.begun.Load())
		k.count(done, 1)
	case unknown(err, "the "):
		k.count("ends unknown", 1)
		if s.usable() == nil {
			k.t.Errorf("the store goes on after %v", err)
		}
	}
}

func (k *soak) commit(s *Store, d Durability) error {
	tx, err := s.Begin(context.Background(), d)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	i := k.next()
	k.begun.Store(i)
	draft := tx.Draft()
	if count := k.see(tx.base, false); count != i-1 {
		k.t.Errorf("a transaction begins after number %d, which has to be %d", count, i-1)
	}
	counter, _ := draft.NodeByID(0)
	last, _ := draft.NodeByID(csr.NodeID(tx.base.NextNode) - 1)
	v, err := draft.CreateNode([]string{"N"}, []csr.Prop{{Key: "i", Value: csr.IntCell(i)}})
	if err == nil {
		_, err = draft.CreateRel("NEXT", last, v, nil)
	}
	if err == nil {
		err = draft.SetNodeProps(counter, soakProps(soakProp(tx.base, "base"), i)...)
	}
	if err != nil {
		k.t.Error(err)
	}
	return tx.Commit(context.Background())
}

// next is the number of the next transaction.
func (k *soak) next() int64 { return k.acked.Load() + 1 }

// unpadded is the next number that makes no large transaction. Rounds end with such a load, so that all of them leave equally much.
func (k *soak) unpadded() int64 {
	i := k.next()
	for soakPad(i) != "" {
		i++
	}
	return i
}

// load replaces the graph by one with the counter only, as transaction i.
func (k *soak) load(i int64) {
	k.t.Helper()
	k.begun.Store(i)
	empty, err := csr.New(csr.Data{})
	var snap *csr.Snapshot
	if err == nil {
		draft := empty.Draft()
		if _, err = draft.CreateNode([]string{"Counter"}, soakProps(i, i)); err == nil {
			snap, err = draft.Snapshot(context.Background())
		}
	}
	if err != nil {
		k.t.Error(err)
		return
	}
	s := k.store.Load()
	_, err = s.Publish(context.Background(), snap, nil)
	k.end(s, "loading", err, "loads")
}

// close closes the store, after which it has no file open.
func (k *soak) close() {
	k.t.Helper()
	s := k.store.Load()
	if s == nil {
		return
	}
	epoch := s.head.Load().epoch
	k.failed("closing", s.Close())
	k.count("closed", 1)
	k.disk.mu.Lock()
	defer k.disk.mu.Unlock()
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, path := range k.disk.files {
		if strings.HasPrefix(path, k.dir+string(filepath.Separator)) {
			k.t.Errorf("a file stays open: %s", path)
		}
	}
	k.counts["epochs"] = int(epoch)
	k.counts["calls that failed"] += len(k.disk.failed)
	k.disk.failed = nil
}

// reopen closes the store and opens it again, and sees that it holds what was acknowledged. A disk that goes on failing is healed.
func (k *soak) reopen(rng *rand.Rand) {
	k.t.Helper()
	k.close()
	var s *Store
	for tries := 1; ; tries++ {
		if rng == nil || tries == 50 {
			k.disk.heal()
		}
		var err error
		if s, err = openOn(k.disk, k.dir, k.opt); !k.failed("opening", err) {
			break
		}
		if tries > 100 {
			k.t.Errorf("the store does not open: %v", err)
			runtime.Goexit()
		}
		time.Sleep(time.Millisecond)
	}
	snap, err := s.Snapshot(context.Background())
	for tries := 0; k.failed("reading", err) && tries < 100; tries++ {
		if tries == 50 {
			k.disk.heal()
		}
		time.Sleep(time.Millisecond)
		snap, err = s.Snapshot(context.Background())
	}
	if err == nil && k.acked.Load() >= 0 {
		count := k.see(snap, true)
		if acked, begun := k.acked.Load(), k.begun.Load(); count < acked || count > begun {
			k.t.Errorf("opened: the graph ends with transaction %d; %d is acknowledged, %d has begun", count, acked, begun)
		}
		k.acked.Store(count)
	}
	k.store.Store(s)
}

// fail is a worker that lets calls of the disk fail for a while.
func (k *soak) fail(_ context.Context, rng *rand.Rand) {
	time.Sleep(time.Duration(50+rng.IntN(400)) * time.Millisecond)
	k.calm.Lock()
	defer k.calm.Unlock()
	k.disk.mu.Lock()
	k.disk.odds, k.disk.err = 20+rng.IntN(400), faultErrors[rng.IntN(len(faultErrors))]
	k.disk.mu.Unlock()
	time.Sleep(time.Duration(20+rng.IntN(150)) * time.Millisecond)
	k.disk.heal()
}

// maintain is a worker that does what the keeper of a store does beside those who use it.
func (k *soak) maintain(_ context.Context, rng *rand.Rand) {
	s := k.store.Load()
	switch rng.IntN(5) {
	case 0:
		if !k.failed("compacting", s.Compact(context.Background()), ErrClosed, context.Canceled) {
			k.count("compactions asked for", 1)
		}
	case 1:
		k.saveQuery(s, fmt.Sprint("q", rng.IntN(5)), rng.IntN(3) == 0)
		k.listQueries(s)
	case 2:
		k.calm.Lock()
		report, err := s.Check(context.Background())
		if !k.failed("checking", err, ErrClosed) && !report.OK() {
			k.t.Errorf("check: %+v", report)
		}
		k.calm.Unlock()
		k.count("checks", 1)
	case 3:
		k.backup(s)
	case 4: // while calls may fail
		_, err := s.Check(context.Background())
		k.failed("checking", err, ErrClosed)
		k.count("checks", 1)
	}
	time.Sleep(time.Duration(rng.IntN(100)) * time.Millisecond)
}

// saveQuery saves a query or drops it.
func (k *soak) saveQuery(s *Store, name string, drop bool) {
	before := k.queries[name]
	if before == nil {
		before = []int64{-1}
	}
	k.version++
	after := k.version
	var err error
	if drop {
		after = -1
		_, err = s.DropQuery(context.Background(), name)
	} else {
		err = s.SaveQuery(context.Background(), SavedQuery{Name: name, Text: fmt.Sprint("RETURN ", after)})
	}
	switch {
	case !k.failed("saving a query", err, ErrClosed):
		k.queries[name] = []int64{after}
		k.count("queries saved", 1)
	case unknown(err, "the saved queries"):
		k.queries[name] = append(slices.Clone(before), after)
	}
}

// listQueries sees that the saved queries are those that were saved.
func (k *soak) listQueries(s *Store) {
	k.t.Helper()
	list, err := s.Queries(context.Background())
	if k.failed("listing the queries", err, ErrClosed) {
		return
	}
	found := make(map[string]int64)
	for _, q := range list {
		var version int64
		fmt.Sscanf(q.Text, "RETURN %d", &version)
		found[q.Name] = version
	}
	for name, want := range k.queries {
		have, there := found[name]
		if !there {
			have = -1
		}
		if !slices.Contains(want, have) {
			k.t.Errorf("query %s has version %d, want one of %d", name, have, want)
		}
		k.queries[name] = []int64{have}
		delete(found, name)
	}
	if len(found) > 0 {
		k.t.Errorf("queries that nobody saved: %v", found)
	}
}

// backup saves a backup and restores it into another directory.
func (k *soak) backup(s *Store) {
	acked := k.acked.Load()
	var out bytes.Buffer
	if _, err := s.Backup(context.Background(), &out); k.failed("saving a backup", err, ErrClosed) {
		return
	}
	k.count("backups", 1)
	dir := filepath.Join(k.root, "restored")
	defer os.RemoveAll(dir)
	other, err := openOn(k.disk, dir, k.opt)
	if k.failed("opening", err) {
		return
	}
	_, err = other.Restore(context.Background(), &out)
	restored := !k.failed("restoring", err)
	if k.failed("closing", other.Close()) || !restored {
		return
	}
	k.count("restores", 1)
	if other, err = Open(dir, Options{ReadOnly: true}); err != nil {
		k.t.Errorf("opening the restored store: %v", err)
		return
	}
	defer other.Close()
	snap, err := other.Snapshot(context.Background())
	if err != nil {
		k.t.Errorf("reading the restored graph: %v", err)
		return
	}
	if count := k.see(snap, true); count < acked {
		k.t.Errorf("the backup ends with transaction %d, %d was acknowledged", count, acked)
	}
	k.listQueries(other)
}
