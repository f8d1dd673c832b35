package blobs

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/motifql/motif"
	"github.com/motifql/motif/storage"
)

// TestPushAndFetch changes random graphs and pushes them again and again. Every snapshot answers what the store answered when it was pushed.
func TestPushAndFetch(t *testing.T) {
	rng := random(t)
	for _, mapped := range []bool{false, true} {
		var opts []motif.Option
		if mapped {
			opts = append(opts, motif.WithMapping())
		}
		at := newStore(t, rng, 200, 1500, opts...)
		url, cache := "file://"+t.TempDir()+"/graph", t.TempDir()
		var urls, want []string
		for round := range 4 {
			p := push(t, at, url)
			urls, want = append(urls, p.URL), append(want, answers(t, at))
			if got := answers(t, fetch(t, url, cache)); got != want[round] {
				t.Errorf("round %d: the last snapshot answers otherwise than the store", round)
			}
			pulled := filepath.Join(t.TempDir(), "pulled.db")
			if err := Pull(t.Context(), url, pulled, nil); err != nil {
				t.Fatal(err)
			}
			change(t, rng, pulled, 1500, 30) // what is pulled can be written to
			if again := push(t, at, url); again.New != 0 || again.URL != p.URL {
				t.Errorf("round %d: the same graph pushed twice: %+v, then %+v", round, p, again)
			}
			change(t, rng, at, 1500, 30)
		}
		for i, url := range urls {
			if got := answers(t, fetch(t, url, cache)); got != want[i] {
				t.Errorf("snapshot %d answers otherwise than it did", i)
			}
			if got := answers(t, fetch(t, url, t.TempDir())); got != want[i] {
				t.Errorf("snapshot %d, fetched anew, answers otherwise than it did", i)
			}
		}
	}
}

// TestPushOfChanges changes 1 % of the relationships at random. The blocks of the base stay, and 24 bytes or less go up for each change.
func TestPushOfChanges(t *testing.T) {
	const relationships, changes = 300_000, 3000
	rng := random(t)
	at := newStore(t, rng, 30_000, relationships)
	url := "file://" + t.TempDir()
	first := push(t, at, url)
	before := blocksOf(t, strings.TrimPrefix(url, "file://"))
	with(t, at, func(db *motif.DB) error {
		ids := make([]any, changes/2)
		for i := range ids {
			ids[i] = rng.IntN(relationships)
		}
		slices.SortFunc(ids, func(a, b any) int { return a.(int) - b.(int) })
		ids = slices.Compact(ids)
		s, err := db.Exec(t.Context(), "MATCH (a)-[r:R]->(b) WHERE id(r) IN $ids CREATE (b)-[:R]->(a) DELETE r", motif.Params{"ids": ids})
		if n := s.Changes.RelationshipsCreated + s.Changes.RelationshipsDeleted; err == nil && int(n) != 2*len(ids) {
			t.Fatalf("%d relationships changed, wanted %d", n, 2*len(ids))
		}
		return err
	})
	second := push(t, at, url)
	t.Logf("base %d bytes in %d blocks; then %d bytes in %d new blocks", first.Bytes, first.Blocks, second.NewBytes, second.New)
	if per := float64(second.NewBytes) / changes; per > 24 {
		t.Errorf("%.1f bytes for each changed relationship", per)
	}
	after := blocksOf(t, strings.TrimPrefix(url, "file://"))
	for name, info := range before {
		if !os.SameFile(info, after[name]) || after[name].ModTime() != info.ModTime() {
			t.Errorf("block %s was written again", name)
		}
	}
	if answers(t, fetch(t, url, t.TempDir())) != answers(t, at) {
		t.Error("the second snapshot answers otherwise than the store")
	}
}

func blocksOf(t *testing.T, dir string) map[string]os.FileInfo {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(dir, "blocks"))
	if err != nil {
		t.Fatal(err)
	}
	infos := make(map[string]os.FileInfo)
	for _, e := range entries {
		if infos[e.Name()], err = e.Info(); err != nil {
			t.Fatal(err)
		}
	}
	return infos
}

// TestPushDuringCommits pushes while another goroutine commits, and several fetch into one cache. Each commit adds two nodes, so that a state
// between commits has an odd number.
func TestPushDuringCommits(t *testing.T) {
	rng := random(t)
	at := newStore(t, rng, 100, 300)
	url, cache := "file://"+t.TempDir(), t.TempDir()
	db, err := motif.Open(at, motif.WithSharing(), motif.WithDurability(motif.DurabilityRelaxed))
	if err != nil {
		t.Fatal(err)
	}
	stop, ended := make(chan struct{}), make(chan error)
	go func() {
		for {
			select {
			case <-stop:
				ended <- db.Close()
				return
			default:
				if _, err := db.Exec(t.Context(), "CREATE (:New), (:New)", nil); err != nil {
					t.Error(err)
				}
			}
		}
	}()
	for range 10 {
		p := push(t, at, url)
		var group sync.WaitGroup
		for range 3 {
			group.Go(func() {
				dir, err := Fetch(t.Context(), p.URL, cache)
				if err != nil {
					t.Error(err)
					return
				}
				copied, err := motif.Open(dir, motif.WithReadOnly())
				if err != nil {
					t.Error(err)
					return
				}
				defer copied.Close()
				rows, err := copied.Query(t.Context(), "MATCH (n:New) RETURN count(*) AS n", nil)
				if err != nil {
					t.Error(err)
					return
				}
				for row, err := range rows.All() {
					if err != nil || row.Values()[0].(int64)%2 != 0 {
						t.Errorf("new nodes: %v, %v", row.Values(), err)
					}
				}
			})
		}
		group.Wait()
	}
	close(stop)
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestPushRefuses(t *testing.T) {
	empty := t.TempDir()
	if _, err := Push(t.Context(), empty, "file://"+filepath.Join(empty, "x"), nil); !errors.Is(err, storage.ErrNotStore) {
		t.Errorf("an empty folder was pushed: %v", err)
	}
	if entries, err := os.ReadDir(empty); err != nil || len(entries) > 0 {
		t.Errorf("the push has left %v, %v", entries, err)
	}
	if _, err := Fetch(t.Context(), "file://"+empty, t.TempDir()); !errors.Is(err, ErrNoSnapshot) {
		t.Errorf("fetching from an empty place: %v", err)
	}
	if _, err := Fetch(t.Context(), "file://"+empty+"#abc", t.TempDir()); err == nil || !strings.Contains(err.Error(), "64 hexadecimal digits") {
		t.Errorf("a snapshot named abc: %v", err)
	}
	if _, err := Fetch(t.Context(), "ftp://host/graph", t.TempDir()); err == nil {
		t.Error("ftp was taken for object storage")
	}
	if dir, err := Fetch(t.Context(), empty, ""); dir != empty || err != nil {
		t.Errorf("a folder is not itself: %q, %v", dir, err)
	}
}

// TestNamesStayInside has manifests with names that lead out of the folder.
func TestNamesStayInside(t *testing.T) {
	for _, m := range []manifest{
		{Contents: map[string][]byte{"../HEAD": nil}},
		{Contents: map[string][]byte{"..": nil}},
		{Contents: map[string][]byte{"a/b": nil}},
		{Files: []file{{Name: "../x"}}},
		{Files: []file{{Name: "/etc/passwd"}}},
		{Files: []file{{Name: "x", Size: 1, Blocks: []block{{hashOf(nil), 2}}}}},
		{Files: []file{{Name: "x", Size: 9, Blocks: []block{{"short", 2}}}}},
		{Files: []file{{Name: "x", Size: 9, Blocks: []block{{hashOf(nil), -2}}}}},
	} {
		if err := m.check("m"); !errors.Is(err, ErrDamaged) {
			t.Errorf("%+v: %v", m, err)
		}
	}
}
