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
