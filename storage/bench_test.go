package storage

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/motifql/motif/internal/csr"
)

// benchScales are RMAT graphs with 2^scale vertices and ten times as many relationships: 0.65 M, 5.2 M and, if
// asked for by MOTIF_BENCH_LARGE, 21 M.
func benchScales() []int {
	if os.Getenv("MOTIF_BENCH_LARGE") != "" {
		return []int{16, 19, 21}
	}
	return []int{16, 19}
}

func benchDir(b *testing.B, g *csr.Snapshot) (string, Info) {
	dir := b.TempDir()
	s := mustOpen(b, dir, Options{Create: true})
	info := mustPublish(b, s, g)
	mustClose(b, s)
	return dir, info
}

// BenchmarkPublish loads over and over into one store.
func BenchmarkPublish(b *testing.B) {
	for _, scale := range benchScales() {
		g := rmat(b, scale, 10)
		b.Run(fmt.Sprintf("edges=%d", g.M()), func(b *testing.B) {
			s := mustOpen(b, b.TempDir(), Options{Create: true})
			var info Info
			for b.Loop() {
				info = mustPublish(b, s, g)
			}
			b.ReportMetric(info.BytesPerRelationship, "B/edge")
			b.ReportMetric(float64(info.DiskBytes)/float64(info.Relationships), "disk-B/edge")
		})
	}
}

// BenchmarkOpen opens a store in this process, where everything is warm.
func BenchmarkOpen(b *testing.B) {
	for _, scale := range benchScales() {
		g := rmat(b, scale, 10)
		dir, _ := benchDir(b, g)
		b.Run(fmt.Sprintf("edges=%d", g.M()), func(b *testing.B) {
			for b.Loop() {
				s := mustOpen(b, dir, Options{ReadOnly: true})
				mustSnapshot(b, s)
				mustClose(b, s)
			}
		})
	}
}

// BenchmarkOpenCold opens a store in a process of its own.
func BenchmarkOpenCold(b *testing.B) {
	for _, scale := range benchScales() {
		g := rmat(b, scale, 10)
		dir, _ := benchDir(b, g)
		b.Run(fmt.Sprintf("edges=%d", g.M()), func(b *testing.B) {
			var wall, least, cpu float64
			for b.Loop() {
				cmd := helper("open", dir)
				out, err := cmd.Output()
				if err != nil {
					b.Fatal(err)
				}
				var read float64
				var peak, rss, graph int
				if _, err := fmt.Sscan(string(out), &read, &peak, &rss, &graph); err != nil {
					b.Fatalf("%q: %v", out, err)
				}
				if wall += read; least == 0 || read < least {
					least = read
				}
				cpu += (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
				b.ReportMetric(float64(peak), "peak-MiB")
				b.ReportMetric(float64(rss), "rss-MiB")
				b.ReportMetric(float64(graph), "graph-MiB")
			}
			b.ReportMetric(1000*wall/float64(b.N), "open-ms/op")
			b.ReportMetric(1000*least, "least-open-ms")
			b.ReportMetric(1000*cpu/float64(b.N), "cpu-ms/op")
		})
	}
}

// BenchmarkCommit is a transaction of two changes on a graph of 1,024 nodes.
func BenchmarkCommit(b *testing.B) {
	for _, c := range []struct {
		name string
		d    Durability
	}{{"sync", Sync}, {"relaxed", Relaxed}} {
		b.Run(c.name, func(b *testing.B) {
			s := mustOpen(b, b.TempDir(), Options{Create: true})
			mustPublish(b, s, rmat(b, 10, 16))
			for i := int64(0); b.Loop(); i++ {
				count(b, s, i, c.d)
			}
		})
	}
}

// BenchmarkCommitByEight is a durable commit of one of eight writers at once.
func BenchmarkCommitByEight(b *testing.B) {
	s := mustOpen(b, b.TempDir(), Options{Create: true})
	mustPublish(b, s, rmat(b, 10, 16))
	before := s.syncs.Load()
	var next atomic.Int64
	var writers sync.WaitGroup
	b.ResetTimer()
	for range 8 {
		writers.Go(func() {
			for i := next.Add(1); i <= int64(b.N); i = next.Add(1) {
				if err := tryCount(s, i, Sync, ""); err != nil {
					b.Error(err)
				}
			}
		})
	}
	writers.Wait()
	b.ReportMetric(float64(s.syncs.Load()-before)/float64(b.N), "syncs/op")
}
