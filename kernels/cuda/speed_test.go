//go:build cuda && cgo && linux

package cuda

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"testing"
	"time"
	"unsafe"

	"gorgonia.org/cu"

	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/kernels/clique"
	"github.com/motifql/motif/kernels/triangle"
)

// TestSpeed measures what the layer above the driver costs, beside the driver's and the bindings' own ways, and what several devices gain. MOTIF_GPU_SPEED
// names the bytes of a long copy as a power of two, and the scale of an RMAT graph, such as 30,20.
func TestSpeed(t *testing.T) {
	var log, scale int
	if n, _ := fmt.Sscanf(os.Getenv("MOTIF_GPU_SPEED"), "%d,%d", &log, &scale); n != 2 {
		t.Skip("MOTIF_GPU_SPEED does not say how large the copies and the graph are")
	}
	d := device(t)
	for _, c := range []struct{ ways, bytes int }{{4, 4 << 20}, {8, 4 << 20}, {8, 8 << 20}, {8, 16 << 20}, {12, 16 << 20}} {
		fmt.Printf("halves of %d bytes, filled by %d threads\n", c.bytes, c.ways)
		copyWays = c.ways
		if err := d.do(func() error {
			d.staging.release()
			d.staging.bytes, d.staging.most = c.bytes, c.bytes
			return d.staging.prepare()
		}); err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{16, 1 << 18, 1 << log / 4} {
			if err := d.run(background, func(task *task) error { return copySpeed(task, n) }); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := d.run(background, func(task *task) error { return launchSpeed(task) }); err != nil {
		t.Fatal(err)
	}
	groupSpeed(t, scale)
}

// leastOf is the least time of a few runs.
func leastOf(runs int, f func() error) (least time.Duration, err error) {
	for i := range runs {
		began := time.Now()
		if err := f(); err != nil {
			return 0, err
		}
		if took := time.Since(began); i == 0 || took < least {
			least = took
		}
	}
	return least, nil
}

func copySpeed(t *task, n int) error {
	list, got := make([]uint32, n), make([]uint32, n)
	for i := range list {
		list[i] = uint32(i) * 2654435761
	}
	b, err := t.alloc(int64(4 * n))
	if err != nil {
		return err
	}
	bytes := int64(4 * n)
	for _, c := range []struct {
		name string
		f    func() error
	}{
		{"to the device, driver", func() error { return cu.MemcpyHtoD(b.at, unsafe.Pointer(&list[0]), bytes) }},
		{"to the device, pinned", func() error {
			if err := uploadTo(b, list); err != nil {
				return err
			}
			return t.d.wait("copying")
		}},
		{"to the host, driver", func() error { return cu.MemcpyDtoH(unsafe.Pointer(&got[0]), b.at, bytes) }},
		{"to the host, pinned", func() error { return download(b, got) }},
		{"to new memory, driver", func() error {
			fresh := make([]uint32, n)
			return cu.MemcpyDtoH(unsafe.Pointer(&fresh[0]), b.at, bytes)
		}},
		{"to new memory, pinned", func() error { return download(b, make([]uint32, n)) }},
	} {
		least, err := leastOf(5, c.f)
		if err != nil {
			return err
		}
		fmt.Printf("%-24s %12d bytes %12v %8.2f GB/s\n", c.name, bytes, least, float64(bytes)/float64(least))
	}
	if !slices.Equal(list, got) {
		return fmt.Errorf("%d words came back changed", n)
	}
	return nil
}

func launchSpeed(t *task) error {
	const launches = 10000
	b, err := t.zeros(4)
	if err != nil {
		return err
	}
	f, err := t.d.function("scan_sums")
	if err != nil {
		return err
	}
	args := []uint64{b.arg(), 0} // nothing to sum up
	var before, after runtime.MemStats
	for _, c := range []struct {
		name string
		f    func() error
	}{
		{"launch, bindings", func() error {
			pointers := make([]unsafe.Pointer, len(args))
			for i := range args {
				pointers[i] = unsafe.Pointer(&args[i])
			}
			return f.Launch(1, 1, 1, 128, 1, 1, 0, cu.Stream{}, pointers)
		}},
		{"launch, ours", func() error { return t.d.launch("scan_sums", 1, 128, 0, args...) }},
	} {
		runtime.ReadMemStats(&before)
		began := time.Now()
		for range launches {
			if err := c.f(); err != nil {
				return err
			}
		}
		took := time.Since(began)
		runtime.ReadMemStats(&after)
		if err := t.d.wait("launching"); err != nil {
			return err
		}
		fmt.Printf("%-24s %12d times %12v each, %d with its end, %d allocations\n", c.name, launches, took/launches, time.Since(began)/launches, (after.Mallocs-before.Mallocs)/launches)
	}
	return nil
}

// groupSpeed has 1, 2, 4 ... devices share counts.
func groupSpeed(t *testing.T, scale int) {
	there, err := Count()
	if err != nil {
		t.Fatal(err)
	}
	s := testgraph.Graph(1<<scale, testgraph.RMAT(scale, 16, 1), true)
	cpu := &pattern.Env{Workers: runtime.NumCPU(), Tally: new(pattern.Tally), Memory: new(pattern.Memory)}
	c := (&pattern.Subgraph{}).Clique(5)
	cliques, err := clique.Count(background, s, c, cpu)
	if err != nil {
		t.Fatal(err)
	}
	triangles, _, err := triangle.Count(background, s, nil, false, cpu)
	if err != nil {
		t.Fatal(err)
	}
	for n := 1; n <= there; n *= 2 {
		g := NewGroup(devices(t, n)...)
		for _, w := range []struct {
			name string
			f    func() (any, error)
			want any
		}{
			{"5-cliques", func() (any, error) { return g.CountCliques(background, s, c, env()) }, cliques},
			{"triangles", func() (any, error) { n, _, err := g.Triangles(background, s, nil, false, env()); return n, err }, triangles},
		} {
			first := time.Duration(0)
			least, err := leastOf(5, func() error {
				began := time.Now()
				got, err := w.f()
				if first == 0 {
					first = time.Since(began)
				}
				if err == nil && got != w.want {
					return fmt.Errorf("%s on %s: %v, not %v", w.name, g.Name(), got, w.want)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			fmt.Printf("%s of rmat %d on %-9s %12v, first %v\n", w.name, scale, g.Name(), least, first)
		}
	}
}
