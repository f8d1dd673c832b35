package temporal

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/motifql/motif/cmd/motif-cluster/blobs"
	"github.com/motifql/motif/cmd/motif-cluster/storetest"
)

// TestParts runs jobs on workers that share a cache and fetch what each query names.
func TestParts(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 1))
	t.Logf("seed %d", seed)
	folder, bucket, cache := storetest.Mapped(t, storetest.Random(t, r, 60, 300)), t.TempDir(), t.TempDir()
	if flat, err := filepath.Glob(filepath.Join(folder, "flat-*")); err != nil || len(flat) == 0 {
		t.Skip("this build maps no files")
	}
	pushed, err := blobs.Push(t.Context(), folder, "file://"+bucket, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, query := range queries {
		want := storetest.Answer(t, folder, query, nil)
		g := newGraphs(cache)
		a, _, err := runJob(t, g, Request{Snapshot: pushed.URL, Blobs: t.TempDir(), Query: query, Format: "csv", Slots: 2, Units: 7, Budget: 20 * time.Millisecond})
		if err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		if got := string(a.Rows.Data); got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
		if err := g.close(); err != nil {
			t.Error(err)
		}
	}
	if whole, err := os.ReadDir(filepath.Join(cache, "snapshots")); err != nil || len(whole) > 0 {
		t.Errorf("fetched as a whole: %v, %v", whole, err)
	}
}
