//go:build cuda && cgo && linux

package cuda

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/kernels/clique"
	"github.com/motifql/motif/kernels/core"
)

// TestCliqueBench times counts of cliques: MOTIF_GPU_CLIQUES lists RMAT scales and edge factors, the smallest and largest k, and
// for how many seconds a count may run, such as 16x16:4-9:5. MOTIF_SPLITS lists slices and
// shares to try. MOTIF_WITHOUT lists techniques to leave out, counts with and
// without them separated by semicolons. Answers are compared with the CPU's where that ends in time.
func TestCliqueBench(t *testing.T) {
	sizes := rmatSizes(t, "MOTIF_GPU_CLIQUES")
	d, cpu := device(t), allCores()
	for _, z := range sizes {
		var from, to, seconds int
		if _, err := fmt.Sscanf(z.options, ":%d-%d:%d", &from, &to, &seconds); err != nil {
			t.Fatal(err)
		}
		s := testgraph.Graph(1<<z.scale, testgraph.RMAT(z.scale, z.factor, 1), true)
		core.Orientation(s, nil, cpu.Workers)
		limit := time.Duration(seconds) * time.Second
		for k := from; k <= to; k++ {
			q := (&pattern.Subgraph{}).Clique(k)
			want, took, known := timed(limit, func(ctx context.Context) (pattern.Count128, error) { return clique.Count(ctx, s, q, cpu) })
			fmt.Printf("%v %d-cliques %v cpu %v\n", z, k, want, took.Round(10*time.Microsecond))
			d.slices, d.shares = 0, 0
			for split := range strings.SplitSeq(os.Getenv("MOTIF_SPLITS"), ",") {
				if _, err := fmt.Sscanf(split, "%dx%d", &d.slices, &d.shares); err == nil {
					benchCliques(t, d, limit, want, known, took, pattern.Techniques{}, "- split "+split, func(ctx context.Context, e *pattern.Env) (pattern.Count128, error) {
						return d.CountCliques(ctx, s, q, e)
					})
				}
			}
			d.slices, d.shares = 0, 0
			for without := range strings.SplitSeq(os.Getenv("MOTIF_WITHOUT"), ";") {
				off, err := pattern.ParseTechniques(without)
				if err != nil {
					t.Fatal(err)
				}
				benchCliques(t, d, limit, want, known, took, off, without, func(ctx context.Context, e *pattern.Env) (pattern.Count128, error) {
					return d.CountCliques(ctx, s, q, e)
				})
			}
		}
	}
}

// timed runs f for at most a time, and reports whether it ended.
func timed(limit time.Duration, f func(ctx context.Context) (pattern.Count128, error)) (n pattern.Count128, took time.Duration, ok bool) {
	ctx, cancel := context.WithTimeout(background, limit)
	defer cancel()
	began := time.Now()
	n, err := f(ctx)
	return n, time.Since(began), err == nil
}

func benchCliques(t *testing.T, d *Device, limit time.Duration, want pattern.Count128, known bool, cpu time.Duration, off pattern.Techniques, name string,
	count func(ctx context.Context, e *pattern.Env) (pattern.Count128, error)) {
	least := limit
	var e *pattern.Env
	for run := range 4 {
		e = env()
		e.Without = off
		ctx, cancel := context.WithTimeout(background, limit)
		began := time.Now()
		n, err := count(ctx, e)
		took := time.Since(began)
		cancel()
		if errors.Is(err, context.DeadlineExceeded) {
			fmt.Printf("   without %-24q over %v\n", name, limit)
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if known && n != want {
			t.Errorf("%v cliques, want %v", n, want)
		}
		want, known = n, true
		least = min(least, took)
		if run > 0 && took > limit/8 {
			break
		}
	}
	var taken []string
	for m := range pattern.AllTechniques() {
		if x := e.Tally.Taken[m].Load(); x > 0 {
			taken = append(taken, m.String()+" "+strconv.FormatUint(x, 10))
		}
	}
	fmt.Printf("   without %-24q gpu %12v ratio %8.1f  %v  %s\n", name, least.Round(time.Microsecond), float64(cpu)/float64(least), want, strings.Join(taken, ", "))
}

// TestCliqueListBench times lists of cliques up to a number of them: MOTIF_GPU_LISTS lists RMAT scales, edge factors, k and numbers,
// such as 16x16:4:10000000.
func TestCliqueListBench(t *testing.T) {
	sizes := rmatSizes(t, "MOTIF_GPU_LISTS")
	d, cpu := device(t), allCores()
	for _, z := range sizes {
		var k, most int
		if _, err := fmt.Sscanf(z.options, ":%d:%d", &k, &most); err != nil {
			t.Fatal(err)
		}
		s := testgraph.Graph(1<<z.scale, testgraph.RMAT(z.scale, z.factor, 1), true)
		q := (&pattern.Subgraph{}).Clique(k)
		took := func(list func(emit func([]csr.VertexID) (bool, error)) error) (n int, first, all time.Duration) {
			began := time.Now()
			if err := list(func([]csr.VertexID) (bool, error) {
				if n++; n == 1 {
					first = time.Since(began)
				}
				return n < most, nil
			}); err != nil {
				t.Fatal(err)
			}
			return n, first, time.Since(began)
		}
		for range 2 {
			n, first, all := took(func(emit func([]csr.VertexID) (bool, error)) error {
				return clique.List(background, s, q, cpu, emit)
			})
			fmt.Printf("%s list: cpu %d, first after %v, all after %v\n", z, n, first.Round(time.Microsecond), all.Round(time.Microsecond))
			n, first, gpu := took(func(emit func([]csr.VertexID) (bool, error)) error {
				return d.ListCliques(background, s, q, env(), emit)
			})
			fmt.Printf("%s list: gpu %d, first after %v, all after %v, ratio %.1f\n", z, n, first.Round(time.Microsecond), gpu.Round(time.Microsecond), float64(all)/float64(gpu))
		}
	}
}
