// Package bench measures whole paths through the embedding API. Run with
//
//	go test ./bench -run '^$' -bench . -count 6 | tee new.txt
//
// and compare with benchstat. Benchmarks on the large real graphs skip where those are not.
package bench

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/motifql/motif"
	"github.com/motifql/motif/internal/shared"
	"github.com/motifql/motif/storage/importer"
)

var graphs = []struct {
	name, file string
	directed   bool
}{
	{"slashdot", "soc-Slashdot0902.txt.zst", false},
	{"cnr2000", "cnr-2000.graph-txt.zst", false},
	{"duckdb", "gitdag-duckdb.graph-txt.zst", true},
}

func load(b *testing.B, path, file string, directed bool) *motif.DB {
	db, err := motif.Open(path, motif.WithCreate())
	if err != nil {
		b.Fatal(err)
	}
	spec := importer.Spec{Files: []string{file}, Directed: directed, Undirected: !directed}
	if _, err := db.Load(context.Background(), spec, motif.LoadOptions{}); err != nil {
		b.Fatal(err)
	}
	return db
}

// BenchmarkLoad loads a graph file into a new store: text to published epoch. It reports bytes on disk per edge.
func BenchmarkLoad(b *testing.B) {
	for _, g := range graphs {
		b.Run(g.name, func(b *testing.B) {
			file := shared.File(b, "data", g.file)
			for b.Loop() {
				path := filepath.Join(b.TempDir(), "db")
				db := load(b, path, file, g.directed)
				edges := edgesOf(b, db)
				if err := db.Close(); err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(diskUse(b, path))/float64(edges), "B/edge")
			}
		})
	}
}

// BenchmarkOpen opens a store and reads its graph into memory.
func BenchmarkOpen(b *testing.B) {
	for _, g := range graphs {
		b.Run(g.name, func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "db")
			if err := load(b, path, shared.File(b, "data", g.file), g.directed).Close(); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				db, err := motif.Open(path)
				if err != nil {
					b.Fatal(err)
				}
				if edgesOf(b, db) == 0 {
					b.Fatal("empty")
				}
				db.Close()
			}
		})
	}
}

// BenchmarkTimeout runs a pattern that would take minutes with a limit of 300 ms: what is over 300 ms is how long a
// query takes to notice.
func BenchmarkTimeout(b *testing.B) {
	db := load(b, filepath.Join(b.TempDir(), "db"), shared.File(b, "data", "soc-Slashdot0902.txt.zst"), false)
	defer db.Close()
	for b.Loop() {
		rows, err := db.Query(context.Background(),
			"MATCH DIFFERENT NODES (a)--(b)--(c)--(d)--(e)--(f)--(g)--(a) WHERE a.id + d.id > f.id RETURN count(*)",
			nil, motif.WithTimeout(300*time.Millisecond))
		if err != nil {
			b.Fatal(err)
		}
		if _, err := motif.One[int64](rows); !errors.Is(err, context.DeadlineExceeded) {
			b.Fatal(err)
		}
	}
}

func diskUse(b *testing.B, dir string) (bytes int64) {
	err := filepath.Walk(dir, func(_ string, info os.FileInfo, err error) error {
		if err == nil && !info.IsDir() {
			bytes += info.Size()
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return bytes
}

func edgesOf(b *testing.B, db *motif.DB) uint64 {
	s, err := db.Schema(context.Background())
	if err != nil {
		b.Fatal(err)
	}
	var n uint64
	for _, t := range s.Types {
		n += t.Count
	}
	return n
}
