//go:build cuda && cgo && linux

package cuda

import (
	"fmt"
	"os"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/kernels"
)

// best runs f a few times and returns its last answer and its least time. The first run, in which the graph goes to the device,
// is timed apart.
func best[T any](t *testing.T, runs int, f func() (T, error)) (answer T, first, least time.Duration) {
	for i := range runs {
		began := time.Now()
		x, err := f()
		took := time.Since(began)
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			first, least = took, took
		}
		answer, least = x, min(least, took)
	}
	return answer, first, least
}

// TestBench compares the device with all cores of the CPU on large graphs; MOTIF_GPU_BENCH lists RMAT scales and edge factors,
// such as 20x16,23x8.
func TestBench(t *testing.T) {
	list := os.Getenv("MOTIF_GPU_BENCH")
	if list == "" {
		t.Skip("MOTIF_GPU_BENCH names no graphs")
	}
	d := device(t)
	d.hubDegree = hubDegree
	cpu := &pattern.Env{Workers: runtime.NumCPU(), Tally: new(pattern.Tally), Memory: new(pattern.Memory)}
	for name := range strings.SplitSeq(list, ",") {
		a, b, _ := strings.Cut(name, "x")
		scale, _ := strconv.Atoi(a)
		factor, _ := strconv.Atoi(b)
		began := time.Now()
		s := testgraph.Graph(1<<scale, testgraph.RMAT(scale, factor, 1), true)
		fmt.Printf("rmat %s: %d vertices, %d edges, built in %v\n", name, s.N(), s.M(), time.Since(began).Round(time.Millisecond))
		s.Adjacency(nil, csr.Both)
		kernels.Orientation(s, nil)
		row := func(what string, gpu, want any, first, least, cpu time.Duration) {
			state := "ok"
			if !reflect.DeepEqual(gpu, want) {
				state = "WRONG"
				t.Errorf("%s: %.200v, want %.200v", what, fmt.Sprint(gpu), fmt.Sprint(want))
			}
			fmt.Printf("%-24s gpu %12v  first %12v  cpu %12v  ratio %6.1f  %s\n", what, least.Round(time.Microsecond), first.Round(time.Microsecond),
				cpu.Round(time.Microsecond), float64(cpu)/float64(least), state)
		}
		tri := func(f func() (uint64, []uint64, error)) func() (uint64, error) {
			return func() (uint64, error) { n, _, err := f(); return n, err }
		}
		g, first, least := best(t, 4, tri(func() (uint64, []uint64, error) { return d.Triangles(background, s, nil, false, env()) }))
		w, _, c := best(t, 2, tri(func() (uint64, []uint64, error) { return kernels.Triangles(background, s, nil, false, cpu) }))
		row("triangles", g, w, first, least, c)
		for _, variant := range []pattern.CoreVariant{pattern.CorePark, pattern.CoreRL, pattern.CoreES} {
			q := &pattern.CoreRequest{Direction: csr.Both, Variant: variant}
			g, first, least := best(t, 3, func() (*pattern.Cores, error) { return d.Cores(background, s, q, env()) })
			w, _, c := best(t, 2, func() (*pattern.Cores, error) {
				return kernels.CoreDecomposition(background, s, &pattern.CoreRequest{Direction: csr.Both}, cpu)
			})
			row(fmt.Sprintf("cores %v (kmax %d)", variant, w.Degeneracy), g.Core, w.Core, first, least, c)
		}
		for _, variant := range []pattern.Variant{pattern.Auto, pattern.Push, pattern.EdgeCentric} {
			q := &pattern.Traversal{Sources: []csr.VertexID{0}, Direction: csr.Both, MaxDepth: -1, Variant: variant}
			g, first, least := best(t, 6, func() (*pattern.Levels, error) { return d.BFS(background, s, q, env()) })
			w, _, c := best(t, 3, func() (*pattern.Levels, error) {
				return kernels.BFS(background, s, &pattern.Traversal{Sources: q.Sources, Direction: csr.Both, MaxDepth: -1}, cpu)
			})
			row("bfs "+variant.String(), g.Depth, w.Depth, first, least, c)
		}
		if scale <= 20 || os.Getenv("MOTIF_GPU_TRUSS") != "" {
			q := &pattern.TrussRequest{K: pattern.KMax}
			g, first, least := best(t, 2, func() (*pattern.Trusses, error) { return d.Trusses(background, s, q, env()) })
			w, _, c := best(t, 1, func() (*pattern.Trusses, error) { return kernels.Trusses(background, s, q, cpu) })
			row(fmt.Sprintf("kmax truss (%d)", w.KMax), len(g.Source), len(w.Source), first, least, c)
			q = &pattern.TrussRequest{}
			g, first, least = best(t, 2, func() (*pattern.Trusses, error) { return d.Trusses(background, s, q, env()) })
			w, _, c = best(t, 1, func() (*pattern.Trusses, error) { return kernels.Trusses(background, s, q, cpu) })
			row("all trusses", edgesOf(g), edgesOf(w), first, least, c)
		}
		for k := 4; k <= 8 && (scale < 18 || scale <= 20 && k <= 5); k++ {
			q := (&pattern.Subgraph{}).Clique(k)
			g, first, least := best(t, 2, func() (pattern.Count128, error) { return d.CountCliques(background, s, q, env()) })
			w, _, c := best(t, 1, func() (pattern.Count128, error) { return kernels.CountCliques(background, s, q, cpu) })
			row(fmt.Sprintf("%d-cliques %v", k, w), g, w, first, least, c)
			if least > time.Second {
				break
			}
		}
	}
}
