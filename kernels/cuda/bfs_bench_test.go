//go:build cuda && cgo && linux

package cuda

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"gorgonia.org/cu"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/kernels/bfs"
	"github.com/motifql/motif/kernels/components"
)

// TestSearchBench times breadth-first searches: MOTIF_GPU_BFS lists RMAT scales and edge factors, such as 20x16,21x48. It prints, by
// variant and with each technique left out, the time on the device from the first launch to the last (least of a few), that from the
// call to the answer, and edges a second of the former. Depths are compared with the CPU's. MOTIF_GPU_BFS_BRIEF leaves the variants out.
func TestSearchBench(t *testing.T) {
	sizes := rmatSizes(t, "MOTIF_GPU_BFS")
	d := device(t)
	d.hubDegree, d.bfs = hubDegree, defaultBFSLimits
	workers := runtime.GOMAXPROCS(0)
	for _, z := range sizes {
		began := time.Now()
		s := testgraph.Graph(1<<z.scale, testgraph.RMAT(z.scale, z.factor, 1), true)
		fmt.Printf("rmat %s: %d vertices, %d edges, built in %v\n", z, s.N(), s.M(), time.Since(began).Round(time.Millisecond))
		s.Adjacency(nil, csr.Both)
		for _, source := range []csr.VertexID{0, csr.VertexID(s.N() / 8), csr.VertexID(s.N() / 3)} {
			q := &pattern.Traversal{Sources: []csr.VertexID{source}, Direction: csr.Both, MaxDepth: -1}
			cpu := time.Hour
			var want *pattern.Levels
			for range 3 {
				e, began := &pattern.Env{Workers: workers, Tally: new(pattern.Tally), Memory: new(pattern.Memory)}, time.Now()
				var err error
				if want, err = bfs.Search(background, s, q, e); err != nil {
					t.Fatal(err)
				}
				cpu = min(cpu, time.Since(began))
			}
			fmt.Printf("from %d: depth %d, CPU %v\n", source, slices.Max(want.Depth), cpu.Round(10*time.Microsecond))
			benchSearch(t, d, s, q, want, 0, nil)
			printKernels(t, d, s, q)
			if source != 0 {
				continue
			}
			benchMany(t, d, s)
			benchComponents(t, d, s)
			if os.Getenv("MOTIF_GPU_BFS_BRIEF") != "" {
				continue
			}
			for _, m := range bfsTechniques {
				benchSearch(t, d, s, q, want, 0, []pattern.Technique{m})
			}
			for _, v := range []pattern.Variant{pattern.Push, pattern.Pull, pattern.EdgeCentric} {
				benchSearch(t, d, s, q, want, v, nil)
			}
		}
	}
}

// benchMany times 64 searches in one pass.
func benchMany(t *testing.T, d *Device, s *csr.Snapshot) {
	q := &pattern.Traversal{Direction: csr.Both, MaxDepth: -1}
	for i := range csr.VertexID(manyAtMost) {
		q.Sources = append(q.Sources, csr.VertexID(uint64(i)*s.N()/3/manyAtMost))
	}
	e := &pattern.Env{Workers: runtime.GOMAXPROCS(0), Tally: new(pattern.Tally), Memory: new(pattern.Memory)}
	began, deepest := time.Now(), int32(-1)
	err := bfs.Many(background, s, q, e, func(depth int32, v csr.VertexID, sources uint64) (bool, error) {
		deepest = max(deepest, depth)
		return true, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	cpu, gpu := time.Since(began), time.Hour
	for range 4 {
		began := time.Now()
		far, err := d.Farthest(background, s, q, e)
		if err != nil {
			t.Fatal(err)
		}
		if far.Length != deepest {
			t.Fatalf("the farthest of 64 searches is %d away, want %d", far.Length, deepest)
		}
		gpu = min(gpu, time.Since(began))
	}
	fmt.Printf("  64 searches to depth %d: call %v, CPU %v\n", deepest, gpu.Round(time.Microsecond), cpu.Round(time.Microsecond))
}

// benchComponents times weak components, with and without the first links.
func benchComponents(t *testing.T, d *Device, s *csr.Snapshot) {
	q := &pattern.ComponentRequest{}
	e := &pattern.Env{Workers: runtime.GOMAXPROCS(0), Tally: new(pattern.Tally), Memory: new(pattern.Memory)}
	cpu := time.Hour
	var want *pattern.Components
	for range 3 {
		began := time.Now()
		var err error
		if want, err = components.Find(background, s, q, e); err != nil {
			t.Fatal(err)
		}
		cpu = min(cpu, time.Since(began))
	}
	for _, off := range []pattern.Techniques{{}, pattern.Techniques{}.With(pattern.ComponentFirst)} {
		gpu := time.Hour
		for range 4 {
			began := time.Now()
			got, err := d.Components(background, s, q, &pattern.Env{Workers: e.Workers, Tally: e.Tally, Memory: e.Memory, Without: off})
			if err != nil {
				t.Fatal(err)
			}
			gpu = min(gpu, time.Since(began))
			if !slices.Equal(got.Of, want.Of) || !slices.Equal(got.Size, want.Size) {
				t.Fatal("wrong components")
			}
		}
		fmt.Printf("  %d components (off: %v): call %v, CPU %v\n", len(want.Size), off != pattern.Techniques{}, gpu.Round(time.Microsecond), cpu.Round(time.Microsecond))
	}
}

func benchSearch(t *testing.T, d *Device, s *csr.Snapshot, r *pattern.Traversal, want *pattern.Levels, v pattern.Variant, off []pattern.Technique) {
	q := *r
	q.Variant = v
	whole, onDevice := time.Hour, time.Hour
	var e *pattern.Env
	for range 8 {
		e = &pattern.Env{Workers: runtime.GOMAXPROCS(0), Tally: new(pattern.Tally), Memory: new(pattern.Memory)}
		for _, m := range off {
			e.Without = e.Without.With(m)
		}
		began := time.Now()
		got, err := d.BFS(background, s, &q, e)
		if err != nil {
			t.Fatal(err)
		}
		whole = min(whole, time.Since(began))
		if !slices.Equal(got.Depth, want.Depth) {
			t.Fatalf("%v without %v: wrong depths", v, off)
		}
		onDevice = min(onDevice, timeSearch(t, d, s, &q, e))
	}
	reached := uint64(0)
	a := s.Adjacency(nil, csr.Both)
	for w, depth := range want.Depth {
		if depth >= 0 {
			reached += uint64(a.Degree(csr.VertexID(w)))
		}
	}
	var taken []string
	for m := range pattern.AllTechniques() {
		if x := e.Tally.Taken[m].Load(); x > 0 {
			taken = append(taken, fmt.Sprint(m, " ", x/2))
		}
	}
	fmt.Printf("  %-13v without %-14v device %9v  call %9v  %7.1f GTEPS  %s\n", v, off, onDevice.Round(time.Microsecond), whole.Round(time.Microsecond),
		float64(reached/2)/float64(onDevice.Nanoseconds()), strings.Join(taken, ", "))
}

// printKernels prints what each kernel of a search takes.
func printKernels(t *testing.T, d *Device, s *csr.Snapshot, q *pattern.Traversal) {
	if err := d.TimeKernels(true); err != nil {
		t.Fatal(err)
	}
	timeSearch(t, d, s, q, env())
	list, err := d.KernelTimes()
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range list {
		fmt.Printf("    %s %d launches %v\n", k.Kernel, k.Launches, k.Time)
	}
	if err := d.TimeKernels(false); err != nil {
		t.Fatal(err)
	}
}

// timeSearch is how long a search takes on the device, by events around all of it.
func timeSearch(t *testing.T, d *Device, s *csr.Snapshot, q *pattern.Traversal, e *pattern.Env) (took time.Duration) {
	err := d.run(background, func(task *task) error {
		var events [2]cu.Event
		for i := range events {
			var err error
			if events[i], err = cu.MakeEvent(cu.DefaultEvent); err != nil {
				return err
			}
			defer cu.DestroyEvent(&events[i])
		}
		if err := events[0].Record(cu.Stream{}); err != nil {
			return err
		}
		b, err := newSearch(task, background, s, q, e, nil)
		if err != nil {
			return err
		}
		if err := b.begin(); err != nil {
			return err
		}
		if err := b.run(); err != nil {
			return err
		}
		if err := events[1].Record(cu.Stream{}); err != nil {
			return err
		}
		if err := events[1].Synchronize(); err != nil {
			return err
		}
		ms, err := events[0].Elapsed(events[1])
		took = time.Duration(ms * float64(time.Millisecond))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return took
}
