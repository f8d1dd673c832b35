package storage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/motifql/motif/internal/csr"
)

// faultRun is a run of a scenario, with what the store may hold.
type faultRun struct {
	t    testing.TB
	name string
	disk *faultDisk
	on   disk // of the store: disk, or one upon it
	opt  Options
	dir  string
	rng  *rand.Rand
	said *notes

	watchdog *time.Timer // starts anew with every step
	s        *Store
	created  bool       // the store was open once
	graphs   []*model   // of which the graph is one
	queries  [][]string // of which the names of the saved queries are one
	errs     []error    // that a caller got

	// What a loss of power may leave instead.
	older        []*model
	olderQueries [][]string

	backup        []byte
	backupGraph   *model
	backupQueries []string
	restored      string // the directory
}

// notes keep what a store tells its logger.
type notes struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (n *notes) Write(p []byte) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.text.Write(p)
}

func (n *notes) String() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.text.String()
}

// faultRoot is a folder for files that nobody needs to be durable.
func faultRoot(t testing.TB) string {
	if _, err := os.Stat("/dev/shm"); err != nil {
		return t.TempDir()
	}
	dir, err := os.MkdirTemp("/dev/shm", "motif-faults-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// faultSeed is the seed of a test, which it prints.
func faultSeed(t testing.TB) uint64 {
	seed, err := strconv.ParseUint(os.Getenv("MOTIF_FAULTS_SEED"), 10, 64)
	if err != nil {
		seed = rand.Uint64N(1 << 20)
	}
	t.Logf("MOTIF_FAULTS_SEED=%d", seed)
	return seed
}

// faultCount is how many cases to run: a number of its own by default.
func faultCount(few, all int) int {
	if os.Getenv("MOTIF_FAULTS") == "all" {
		return all
	}
	if n, err := strconv.Atoi(os.Getenv("MOTIF_FAULTS")); err == nil {
		few = n
	}
	return min(few, all)
}

func newFaultRun(t testing.TB, name, root string, seed uint64, d *faultDisk) *faultRun {
	r := &faultRun{t: t, name: name, disk: d, on: d, rng: rand.New(rand.NewPCG(seed, 3)), said: new(notes),
		dir: filepath.Join(root, "store"), restored: filepath.Join(root, "restored"), graphs: []*model{newModel()}, queries: [][]string{nil}}
	handler := slog.NewTextHandler(r.said, &slog.HandlerOptions{Level: slog.LevelWarn})
	r.opt = Options{Create: true, CompactAt: -1, Workers: 1, Logger: slog.New(handler), Flat: r.rng.IntN(2) == 0}
	return r
}

// errorf reports a failure of the case, with the calls of the disk that failed.
func (r *faultRun) errorf(format string, args ...any) {
	r.t.Helper()
	failed := r.disk.failures()
	r.t.Errorf("%s: %s; failed: %q", r.name, fmt.Sprintf(format, args...), failed[:min(len(failed), 3)])
}

// failed notes an error of a step, if there is one. Its cause is the call that failed.
func (r *faultRun) failed(err error) bool {
	r.t.Helper()
	if err == nil {
		return false
	}
	r.errs = append(r.errs, err)
	var e *Error
	if !errors.As(err, &e) || !errors.Is(err, r.disk.err) {
		r.errorf("the error does not say its cause: %v", err)
	}
	return true
}

// unknown reports whether nobody knows if a step has been taken.
func unknown(err error, what string) bool {
	return err != nil && strings.Contains(err.Error(), "it is not known whether "+what)
}

// sameModel reports whether two graphs are the same.
func sameModel(a, b *model) bool {
	byName := func(rules []csr.Rule) []csr.Rule {
		return slices.SortedFunc(slices.Values(rules), func(a, b csr.Rule) int { return strings.Compare(a.Name, b.Name) })
	}
	return a.nextNode == b.nextNode && a.nextRel == b.nextRel && reflect.DeepEqual(a.nodes, b.nodes) && reflect.DeepEqual(a.rels, b.rels) &&
		slices.EqualFunc(byName(a.rules), byName(b.rules), func(a, b csr.Rule) bool { return a.Name == b.Name && a.Same(&b) })
}

// amongModels sees that a graph is one of those that it may be, and says else how it differs from each.
func amongModels(have *model, want []*model) (differs string) {
	var list []string
	for _, m := range want {
		if sameModel(have, m) {
			return ""
		}
		d := modelDifference(m, have)
		list = append(list, d[:min(len(d), 300)])
	}
	return strings.Join(list, "; or ")
}

// see compares the graph of a store with those that it may be. From then on it is the one that it is.
func (r *faultRun) see(snap *csr.Snapshot) *model {
	r.t.Helper()
	have := modelOf(snap)
	if d := amongModels(have, r.graphs); d != "" {
		r.errorf("another graph: %s", d)
	}
	r.graphs = []*model{have}
	return have
}

func (r *faultRun) seeQueries(list []SavedQuery) {
	r.t.Helper()
	var names []string
	for _, q := range list {
		names = append(names, q.Name)
	}
	if !slices.ContainsFunc(r.queries, func(want []string) bool { return slices.Equal(want, names) }) {
		r.errorf("saved queries %q, want one of %q", names, r.queries)
	}
	if len(r.queries) > 1 {
		r.olderQueries = append(r.olderQueries, r.queries...)
	}
	r.queries = [][]string{names}
}

// isOpen opens the store unless it is open and usable, and reports whether it is then.
func (r *faultRun) isOpen() bool {
	r.t.Helper()
	r.watchdog.Reset(stepLimit)
	if r.s != nil && r.s.usable() == nil {
		return true
	}
	r.close()
	s, err := openOn(r.on, r.dir, r.opt)
	if r.failed(err) {
		return false
	}
	r.s, r.created = s, true
	r.older = nil // opening makes durable what it finds
	snap, err := s.Snapshot(context.Background())
	if !r.failed(err) {
		r.see(snap)
	}
	return true
}

func (r *faultRun) close() {
	r.t.Helper()
	if r.s != nil {
		if !r.failed(r.s.Close()) {
			r.older = nil
		}
		r.s = nil
	}
}

// commit commits a few changes, pad bytes long, and sometimes batches before them.
func (r *faultRun) commit(d Durability, pad int) {
	r.t.Helper()
	if !r.isOpen() {
		return
	}
	tx, err := r.s.Begin(context.Background(), d)
	if r.failed(err) {
		return
	}
	defer tx.Rollback()
	before := r.see(tx.base)
	batches := max(0, r.rng.IntN(6)-3)
	for range batches {
		after := r.change(tx.Draft(), before.clone(), 10)
		if !r.committed(tx.CommitBatch(context.Background()), before, after, d) {
			return
		}
		if before = after; r.rng.IntN(2) == 0 { // what readers see
			snap, err := r.s.Snapshot(context.Background())
			if !r.failed(err) {
				r.see(snap)
			}
		}
	}
	after := r.change(tx.Draft(), before.clone(), pad)
	if batches > 0 && r.rng.IntN(4) == 0 {
		return // without the last changes
	}
	r.committed(tx.Commit(context.Background()), before, after, d)
}

// committed notes how a commit has ended, and reports whether it has stored its changes.
func (r *faultRun) committed(err error, before, after *model, d Durability) bool {
	r.t.Helper()
	switch {
	case !r.failed(err):
		r.graphs, r.older = []*model{after}, append(r.older, before)
		if d == Sync {
			r.older = nil
		}
		return true
	case unknown(err, "the transaction"):
		r.graphs = []*model{before, after}
		if r.s.usable() == nil {
			r.errorf("the store goes on after %v", err)
		}
	default:
		r.graphs = []*model{before}
	}
	return false
}

func (r *faultRun) change(draft *csr.Draft, m *model, pad int) *model {
	for range 1 + r.rng.IntN(6) {
		randomChange(r.t, r.rng, draft, m)
	}
	n := len(draft.Changes())
	text := strings.Repeat("pad.", pad/4)
	if _, err := draft.CreateNode([]string{"P"}, []csr.Prop{{Key: "pad", Value: csr.StringCell(text)}}); err != nil {
		r.t.Fatal(err)
	}
	for _, c := range draft.Changes()[n:] {
		m.apply(&c)
	}
	return m
}

// load replaces the graph.
func (r *faultRun) load() {
	r.t.Helper()
	if !r.isOpen() {
		return
	}
	empty, err := csr.New(csr.Data{})
	if err != nil {
		r.t.Fatal(err)
	}
	draft := empty.Draft()
	r.change(draft, newModel(), 100)
	snap, err := draft.Snapshot(context.Background())
	if err != nil {
		r.t.Fatal(err)
	}
	_, err = r.s.Publish(context.Background(), snap, nil)
	switch {
	case !r.failed(err):
		r.graphs, r.older = []*model{modelOf(snap)}, nil
	case unknown(err, "the graph"):
		r.graphs = append(r.graphs, modelOf(snap))
		if r.s.usable() == nil {
			r.errorf("the store goes on after %v", err)
		}
	}
}

func (r *faultRun) compact() {
	r.t.Helper()
	if r.isOpen() && !r.failed(r.s.Compact(context.Background())) {
		r.older = nil
	}
}

func (r *faultRun) saveQuery(name string) {
	r.t.Helper()
	if !r.isOpen() {
		return
	}
	list, err := r.s.Queries(context.Background())
	if r.failed(err) {
		return
	}
	r.seeQueries(list)
	before := r.queries[0]
	after := slices.Compact(slices.Sorted(slices.Values(append(slices.Clone(before), name))))
	err = r.s.SaveQuery(context.Background(), SavedQuery{Name: name, Text: "MATCH (n) RETURN n"})
	switch {
	case !r.failed(err):
		r.queries, r.olderQueries = [][]string{after}, nil
	case unknown(err, "the saved queries"):
		r.queries = [][]string{before, after}
	}
}

func (r *faultRun) saveBackup() {
	r.t.Helper()
	if !r.isOpen() {
		return
	}
	snap, err := r.s.Snapshot(context.Background())
	if r.failed(err) {
		return
	}
	graph := r.see(snap)
	list, err := r.s.Queries(context.Background())
	if r.failed(err) {
		return
	}
	r.seeQueries(list)
	var out bytes.Buffer
	if _, err = r.s.Backup(context.Background(), &out); !r.failed(err) {
		r.backup, r.backupGraph, r.backupQueries = out.Bytes(), graph, r.queries[0]
	}
}

// restore restores the backup into another directory, and sees afterwards, on a healthy disk, that it is there or not at all.
func (r *faultRun) restore() (check func()) {
	r.t.Helper()
	if r.backup == nil {
		return func() {}
	}
	other := *r
	other.dir, other.s, other.created = r.restored, nil, false
	other.graphs, other.queries = []*model{newModel()}, [][]string{nil, r.backupQueries} // the queries come before the graph
	if other.isOpen() {
		_, err := other.s.Restore(context.Background(), bytes.NewReader(r.backup))
		switch {
		case !other.failed(err):
			other.graphs, other.queries = []*model{r.backupGraph}, [][]string{r.backupQueries}
		case unknown(err, "the graph"):
			other.graphs = append(other.graphs, r.backupGraph)
		}
		other.close()
	}
	r.errs = other.errs
	return other.finish
}

// finish sees on a healthy disk that the store holds what it may, and can be written to.
func (r *faultRun) finish() {
	r.t.Helper()
	r.close()
	for path := range r.disk.files {
		r.errorf("a file stays open: %s", r.disk.files[path])
	}
	if r.created && r.rng.IntN(2) == 0 {
		r.inspect(Options{ReadOnly: true, Workers: 1})
	}
	opt := Options{Create: !r.created, CompactAt: -1, Workers: 1}
	r.inspect(opt)
	if r.t.Failed() {
		return
	}
	s, err := Open(r.dir, Options{CompactAt: -1})
	if err != nil {
		r.errorf("opening once more: %v", err)
		return
	}
	r.s = s
	r.commit(Sync, 10)
	r.close()
	r.inspect(opt)
}

// inspect opens the store on a healthy disk and looks at all of it.
func (r *faultRun) inspect(opt Options) {
	r.t.Helper()
	r.watchdog.Reset(stepLimit)
	opt.Flat = r.rng.IntN(2) == 0
	s, err := Open(r.dir, opt)
	if err != nil {
		r.errorf("opening with %+v: %v", opt, err)
		return
	}
	defer s.Close()
	snap, err := s.Snapshot(context.Background())
	if err != nil {
		r.errorf("reading the graph: %v", err)
		return
	}
	r.see(snap)
	list, err := s.Queries(context.Background())
	if err != nil {
		r.errorf("reading the saved queries: %v", err)
	}
	r.seeQueries(list)
	report, err := s.Check(context.Background())
	if err != nil || !report.OK() || report.Orphans > 0 && !opt.ReadOnly {
		r.errorf("check: %+v, %v", report, err)
	}
}

// stepLimit is how long a step of a scenario may take.
const stepLimit = 30 * time.Second

// run runs a scenario, each step of which has to end.
func (r *faultRun) run(scenario func()) {
	r.watchdog = time.AfterFunc(stepLimit, func() {
		debug.SetTraceback("all")
		panic(r.name + ": a step takes longer than " + stepLimit.String())
	})
	defer r.watchdog.Stop()
	defer func() {
		if p := recover(); p != nil {
			r.errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	scenario()
}
