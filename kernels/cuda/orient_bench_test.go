//go:build cuda && cgo && linux

package cuda

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/kernels/clique"
	"github.com/motifql/motif/kernels/core"
)

// TestBenchOrient times how a graph is put in order for cliques, on the device and on the host, and the first count with nothing on
// the device; MOTIF_ORIENT_BENCH lists RMAT scales and edge factors, such as 18x16,20x16. Graphs and counts are compared.
func TestBenchOrient(t *testing.T) {
	sizes := rmatSizes(t, "MOTIF_ORIENT_BENCH")
	d := device(t)
	d.hubDegree = hubDegree
	orientAll(t)
	small := testgraph.Graph(300, testgraph.RMAT(8, 8, 3), true)
	four := (&pattern.Subgraph{}).Clique(4)
	if _, err := d.CountCliques(background, small, four, env()); err != nil { // the driver has compiled the kernels then
		t.Fatal(err)
	}
	if _, _, err := d.Triangles(background, small, nil, false, env()); err != nil {
		t.Fatal(err)
	}
	for _, z := range sizes {
		began := time.Now()
		s := largeRMAT(z.scale, z.factor)
		a := s.Adjacency(nil, csr.Both)
		fmt.Printf("rmat %s: %d vertices, %d edges, built in %v\n", z, s.N(), a.Len()/2, time.Since(began).Round(time.Millisecond))
		began = time.Now()
		core.Orientation(s, csr.TypeSet{0}, 1)
		alone := time.Since(began)
		began = time.Now()
		want := core.Orientation(s, nil, allCores().Workers)
		all := time.Since(began)
		fmt.Printf("  host: one worker %v, %d workers %v\n", alone.Round(time.Microsecond), allCores().Workers, all.Round(time.Microsecond))
		benchOriented(t, d, s, want)
		n, err := clique.Count(background, s, four, allCores())
		if err != nil {
			t.Fatal(err)
		}
		var even []csr.VertexID
		for v := csr.VertexID(0); uint64(v) < s.N(); v += 2 {
			even = append(even, v)
		}
		some := (&pattern.Subgraph{Within: pattern.NewCandidateSet(s.N(), even)}).Clique(4)
		m, err := clique.Count(background, s, some, allCores())
		if err != nil {
			t.Fatal(err)
		}
		for _, ask := range []struct {
			name  string
			q     *pattern.Clique
			want  pattern.Count128
			there bool // the neighbours
		}{{"nothing there", four, n, false}, {"neighbours there", four, n, true}, {"half of the vertices, nothing there", some, m, false}} {
			benchFirstCount(t, d, s, ask.name, ask.q, ask.want, ask.there)
		}
	}
}

// benchOriented makes the graph on the device, compares it, and says which kernels it took.
func benchOriented(t *testing.T, d *Device, s *csr.Snapshot, want *core.Oriented) {
	t.Helper()
	here := func() error {
		return d.run(background, func(q *task) error {
			if _, err := adjacencyOf(q, s, nil, csr.Both); err != nil {
				return err
			}
			if err := d.wait("upload"); err != nil {
				return err
			}
			began := time.Now()
			_, err := orientHere(q, background, s, nil, env())
			fmt.Printf("  device: %v, %d MB in use\n", time.Since(began).Round(time.Microsecond), d.memory.used>>20)
			return err
		})
	}
	if err := errors.Join(here(), here(), here(), d.TimeKernels(true), here()); err != nil {
		t.Fatal(err)
	}
	list, err := d.KernelTimes()
	if err != nil || d.TimeKernels(false) != nil {
		t.Fatal(err)
	}
	for _, k := range list {
		fmt.Printf("    %-18s %4d launches %10v\n", k.Kernel, k.Launches, k.Time.Round(time.Microsecond))
	}
	for range 2 {
		if err := d.run(background, func(q *task) error {
			began := time.Now()
			a, err := adjacencyOf(q, s, nil, csr.Both)
			if err != nil {
				return err
			}
			if err := d.wait("upload"); err != nil {
				return err
			}
			there := time.Now()
			if _, err = rank(q, a); err == nil {
				err = d.wait("ranking")
			}
			fmt.Printf("  for triangles: upload %v, ranks and lists %v\n", there.Sub(began).Round(time.Microsecond), time.Since(there).Round(time.Microsecond))
			return err
		}); err != nil {
			t.Fatal(err)
		}
		if err := d.Evict(); err != nil {
			t.Fatal(err)
		}
	}
	got, err := fetchOriented(d, func(q *task) (*oriented, error) { return orientHere(q, background, s, nil, env()) })
	if err != nil {
		t.Fatal(err)
	}
	same := slices.Equal(got.Vertex, want.Vertex) && slices.Equal(got.Offsets, want.Offsets) && slices.Equal(got.Targets, want.Targets)
	if fmt.Printf("  the same graph: %v\n", same); !same {
		t.Error("another graph than the host's")
	}
}

func benchFirstCount(t *testing.T, d *Device, s *csr.Snapshot, name string, q *pattern.Clique, want pattern.Count128, there bool) {
	t.Helper()
	var first, next time.Duration
	for range 3 {
		if err := d.Evict(); err != nil {
			t.Fatal(err)
		}
		if there {
			if err := d.run(background, func(q *task) error { _, err := adjacencyOf(q, s, nil, csr.Both); return err }); err != nil {
				t.Fatal(err)
			}
		}
		for _, to := range []*time.Duration{&first, &next} {
			began := time.Now()
			n, err := d.CountCliques(background, s, q, env())
			if took := time.Since(began); *to == 0 || took < *to {
				*to = took
			}
			if err != nil || n != want {
				t.Fatalf("%s: %v, %v; want %v", name, n, err, want)
			}
		}
	}
	fmt.Printf("  4-cliques %v: first %v, next %v, %s\n", want, first.Round(time.Microsecond), next.Round(time.Microsecond), name)
}
