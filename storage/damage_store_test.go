package storage

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/motifql/motif/internal/testgraph"
)

// damageRounds is how many damages TestDamagedStores makes: MOTIF_DAMAGES, or a few.
func damageRounds() int {
	if n, err := strconv.Atoi(os.Getenv("MOTIF_DAMAGES")); err == nil {
		return n
	}
	return 100
}

// TestDamagedStores damages a random file of a closed store: bits, ranges, lengths, names, and files of another store. The store
// is refused with a reason, or has its whole graph and saved queries. Check finds what an answer hides.
func TestDamagedStores(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	rng := rand.New(rand.NewPCG(seed, 41))
	wholes := []string{damageable(t, 1), damageable(t, 2)}
	s := mustOpen(t, wholes[0], Options{ReadOnly: true})
	want := modelOf(mustSnapshot(t, s))
	mustClose(t, s)
	files := slices.Sorted(maps.Keys(relative(t, wholes[0])))
	outcome := make(map[string]int)
	for round := range damageRounds() {
		dir := copyStore(t, wholes[0])
		name := files[rng.IntN(len(files))]
		how := damageFile(t, rng, dir, wholes[1], name)
		when := fmt.Sprintf("seed %d, round %d: %s of %s", seed, round, how, name)
		var e *Error
		s, err := Open(dir, Options{ReadOnly: round%2 == 0})
		if err != nil {
			if !errors.As(err, &e) || e.Do == "" {
				t.Fatalf("%s: %v", when, err)
			}
			outcome["refused"]++
			os.RemoveAll(dir)
			continue
		}
		report := mustCheck(t, s)
		g, err := s.Snapshot(t.Context())
		queries, qerr := s.Queries(t.Context())
		switch {
		case err != nil || qerr != nil:
			if err = errors.Join(err, qerr); !errors.As(err, &e) || report.OK() {
				t.Fatalf("%s: %v, report %+v", when, err, report)
			}
			outcome["not read"]++
		default:
			if d := modelDifference(want, modelOf(g)); d != "" {
				t.Fatalf("%s: %s", when, d)
			}
			if len(queries) != 2 && (name != queriesName || how != "loss") { // a store without the file has no saved queries
				t.Fatalf("%s: %d saved queries", when, len(queries))
			}
			outcome["whole"]++
		}
		mustClose(t, s)
		os.RemoveAll(dir)
	}
	t.Logf("seed %d: %v", seed, outcome)
}

// TestDamagedLeftStores damages stores that a crash left: none was closed, and two have no loaded graph. Every way of opening
// refuses the store with a reason, or gives the whole graph. Only the last transaction may be missing, if the log is damaged.
func TestDamagedLeftStores(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	rng := rand.New(rand.NewPCG(seed, 43))
	stores := []*leftStore{leaveStore(t, 1, true), leaveStore(t, 2, true), leaveStore(t, 3, false), leaveStore(t, 4, false)}
	ways := []Options{{ReadOnly: true}, {}, {Create: true}, {Shared: true}, {ReadOnly: true, Shared: true}, {Snapshot: true, ReadOnly: true}}
	outcome := make(map[string]int)
	for round := range damageRounds() {
		left := stores[round%len(stores)]
		other := stores[(round%len(stores))^1] // which has the same files
		dir := copyStore(t, left.dir)
		name := left.files[rng.IntN(len(left.files))]
		how := damageFile(t, rng, dir, other.dir, name)
		opt := ways[rng.IntN(len(ways))]
		when := fmt.Sprintf("seed %d, round %d, %+v: %s of %s", seed, round, opt, how, name)
		what := left.check(t, dir, opt, when, name)
		outcome[what]++
		os.RemoveAll(dir)
	}
	t.Logf("seed %d: %v", seed, outcome)
}

// leftStore is a store as a crash left it, and its graphs after each of its transactions.
type leftStore struct {
	dir    string
	files  []string
	graphs []*model
}

func leaveStore(t *testing.T, seed uint64, loaded bool) *leftStore {
	t.Helper()
	s := mustOpen(t, t.TempDir(), Options{Create: true, CompactAt: -1})
	if loaded {
		mustPublish(t, s, randomGraph(t, seed, testgraph.Options{Vertices: 200, Edges: 500}))
	} else if err := tryCount(s, 0, Sync, ""); err != nil {
		t.Fatal(err)
	}
	left := &leftStore{}
	for i := range int64(4) {
		if err := tryCount(s, i, Sync, ""); err != nil {
			t.Fatal(err)
		}
		left.graphs = append(left.graphs, modelOf(mustSnapshot(t, s)))
	}
	left.dir = copyStore(t, s.dir)
	os.Remove(filepath.Join(left.dir, lockName))
	mustClose(t, s)
	left.files = slices.Sorted(maps.Keys(relative(t, left.dir)))
	return left
}

// check opens a damaged copy of the store, and says what came of it.
func (l *leftStore) check(t *testing.T, dir string, opt Options, when, name string) string {
	t.Helper()
	var e *Error
	s, err := Open(dir, opt)
	if err != nil {
		if !errors.As(err, &e) || e.Do == "" {
			t.Fatalf("%s: %v", when, err)
		}
		return "refused"
	}
	defer mustClose(t, s)
	report := mustCheck(t, s)
	g, err := s.Snapshot(t.Context())
	if err != nil {
		if !errors.As(err, &e) || report.OK() {
			t.Fatalf("%s: %v, report %+v", when, err, report)
		}
		return "not read"
	}
	n := len(l.graphs)
	switch have := modelOf(g); {
	case sameModel(have, l.graphs[n-1]):
		return "whole"
	case sameModel(have, l.graphs[n-2]) && strings.HasPrefix(name, "log-"):
		return "without the last transaction"
	default:
		d := modelDifference(l.graphs[n-1], have)
		t.Fatalf("%s: %s", when, d[:min(len(d), 300)])
	}
	return ""
}

// damageable is a closed store with everything a store may hold.
func damageable(t *testing.T, seed uint64) (dir string) {
	t.Helper()
	dir = t.TempDir()
	s := mustOpen(t, dir, Options{Create: true, CompactAt: -1})
	mustPublish(t, s, randomGraph(t, seed, testgraph.Options{Vertices: 300, Edges: 900}))
	for i := range int64(3) {
		tx, err := s.Begin(t.Context(), Durability(i%2))
		if err == nil {
			_, err = tx.Draft().CreateNode([]string{"N"}, nil)
		}
		if err == nil {
			err = tx.Commit(t.Context())
		}
		if err == nil && i < 2 {
			err = s.SaveQuery(t.Context(), SavedQuery{Name: fmt.Sprint("q", i), Text: "RETURN 1"})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	mustClose(t, s)
	return dir
}

// relative lists the files of a store with their paths below it.
func relative(t *testing.T, dir string) map[string]int64 {
	t.Helper()
	sizes := make(map[string]int64)
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		sizes[name] = info.Size()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return sizes
}

// damageFile damages a file and says how.
func damageFile(t *testing.T, rng *rand.Rand, dir, other, name string) (how string) {
	t.Helper()
	path := filepath.Join(dir, name)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	used := len(data) // of a log, most damage shall be to its entries
	if used > 4096 && rng.IntN(4) > 0 && filepath.Dir(name) == "." {
		used = 1024
	}
	at := rng.IntN(used)
	n := 1 + rng.IntN(min(64, len(data)-at))
	switch rng.IntN(8) {
	case 0, 1:
		data[at] ^= 1 << rng.IntN(8)
		how = fmt.Sprintf("a bit of byte %d", at)
	case 2:
		clear(data[at : at+n])
		how = fmt.Sprintf("zeros from byte %d on, %d of them,", at, n)
	case 3:
		data = data[:at]
		how = fmt.Sprintf("a cut at byte %d", at)
	case 4:
		data = append(data, data[at:at+n]...)
		how = fmt.Sprintf("%d bytes more", n)
	case 5:
		data = slices.Delete(data, at, at+n)
		how = fmt.Sprintf("%d bytes less at byte %d", n, at)
	case 6:
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		return "loss"
	case 7:
		if data, err = os.ReadFile(filepath.Join(other, name)); err != nil {
			t.Fatal(err)
		}
		how = "the file of another store in place"
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return how
}
