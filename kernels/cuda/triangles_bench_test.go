//go:build cuda && cgo && linux

package cuda

import (
	"fmt"
	"testing"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/kernels/triangle"
)

// TestTriangleBench times triangles on RMAT graphs, with and without each technique, and says what the first answer waits for.
// MOTIF_GPU_TRIANGLES lists scales and edge factors, such as 20x16,22x16.
func TestTriangleBench(t *testing.T) {
	sizes := rmatSizes(t, "MOTIF_GPU_TRIANGLES")
	began := time.Now()
	d := device(t)
	fmt.Printf("device open in %v\n", time.Since(began).Round(time.Millisecond))
	cpu := allCores()
	for _, z := range sizes {
		began := time.Now()
		s := testgraph.Graph(1<<z.scale, testgraph.RMAT(z.scale, z.factor, 1), true)
		made := time.Since(began)
		began = time.Now()
		s.Adjacency(nil, csr.Both)
		fmt.Printf("rmat %s: %d vertices, %d edges, made in %v, adjacency %v\n", z, s.N(), s.M(), made.Round(time.Millisecond), time.Since(began).Round(time.Millisecond))
		want, wantBy, err := triangle.Count(background, s, nil, true, cpu)
		if err != nil {
			t.Fatal(err)
		}
		w, _, cpuTime := quickest(t, 3, func() (uint64, error) { n, _, err := triangle.Count(background, s, nil, false, cpu); return n, err })
		fmt.Printf("  cpu, %d workers: %d triangles in %v\n", cpu.Workers, w, cpuTime.Round(time.Microsecond))
		for _, off := range []pattern.Technique{0, pattern.DenseRows, pattern.HubBits, pattern.GPUWarp} {
			e, what := env(), "all techniques"
			if off > 0 {
				e.Without, what = e.Without.With(off), "without "+off.String()
			}
			n, first, least := quickest(t, 6, func() (uint64, error) { n, _, err := d.Triangles(background, s, nil, false, e); return n, err })
			state := "ok"
			if n != want {
				state = "WRONG"
				t.Errorf("%d triangles, want %d", n, want)
			}
			fmt.Printf("  %-24s %10v  %6.2f G edges/s  first %10v  cpu/gpu %5.1f  %s\n", what, least.Round(time.Microsecond),
				float64(s.M())/least.Seconds()/1e9, first.Round(time.Microsecond), float64(cpuTime)/float64(least), state)
		}
		e := env()
		e.Without = e.Without.With(pattern.HubCounts)
		_, _, slow := quickest(t, 3, func() ([]uint64, error) { _, by, err := d.Triangles(background, s, nil, true, e); return by, err })
		_, _, here := quickest(t, 2, func() ([]uint64, error) {
			_, by, err := triangle.Count(background, s, nil, true, cpu)
			return by, err
		})
		fmt.Printf("  per vertex: without hub-counts %v, CPU %v\n", slow.Round(time.Microsecond), here.Round(time.Microsecond))
		by, _, least := quickest(t, 3, func() ([]uint64, error) { _, by, err := d.Triangles(background, s, nil, true, env()); return by, err })
		for v := range wantBy {
			if by[v] != wantBy[v] {
				t.Errorf("vertex %d is in %d triangles, want %d", v, by[v], wantBy[v])
				break
			}
		}
		fmt.Printf("  %-24s %10v\n", "per vertex", least.Round(time.Microsecond))
	}
}
