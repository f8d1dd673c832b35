//go:build cuda && cgo && linux

package cuda

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"testing"

	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/kernels/clique"
	"github.com/motifql/motif/kernels/triangle"
)

// emulatorName is what the emulator calls its devices.
const emulatorName = "SIMT emulator"

// onEmulator runs the test again, in a process of its own where the emulator is told something by variables of the environment.
// It returns false where there is a card, not the emulator.
func onEmulator(t *testing.T, variables ...string) bool {
	t.Helper()
	if d := device(t); d.info.Name != emulatorName {
		return false
	}
	c := exec.Command(os.Args[0], "-test.run", "^"+t.Name()+"$", "-test.timeout", "60s")
	if *seedFlag > 0 {
		c.Args = append(c.Args, "-seed", fmt.Sprint(*seedFlag))
	}
	c.Env = append(os.Environ(), variables...)
	if log, err := c.CombinedOutput(); err != nil {
		t.Fatalf("with %v: %v\n%s", variables, err, log)
	}
	return true
}

// devices opens n devices, the same ones several times where there are fewer.
func devices(t *testing.T, n int) (list []*Device) {
	t.Helper()
	for i := range n {
		there, err := Count()
		if err != nil {
			device(t) // which says what to do then
		}
		d, err := Open(i % there)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(d.Close)
		list = append(list, d)
	}
	return list
}

// What devices count together is what the CPU counts, whichever number of them there is.
func TestGroup(t *testing.T) {
	if os.Getenv("MOTIF_SIMT_DEVICES") == "" && onEmulator(t, "MOTIF_SIMT_DEVICES=3") {
		return
	}
	all, r := devices(t, 3), seeds(t)
	dealt := new(pattern.Tally)
	for name, s := range graphs(r) {
		n := 1 + r.IntN(3)
		g, k := NewGroup(all[:n]...), 3+r.IntN(4)
		c := (&pattern.Subgraph{Within: someVertices(r, s)}).Clique(k)
		e := without(r, pattern.GPUDeal, pattern.CliqueWord)
		if want, err := clique.Count(background, s, c, env()); err == nil && want.Hi == 0 && want.Lo < 2_000_000 {
			got, err := g.CountCliques(background, s, c, e)
			if err != nil || got != want {
				t.Fatalf("%s: %d-cliques on %s: %v, %v; want %v", name, k, g.Name(), got, err, want)
			}
			parts, err := all[0].CliqueParts(background, s, c, 4, env())
			sum := pattern.Count128{}
			for _, p := range parts {
				sum.Lo += p.Count.Lo
			}
			if err != nil || len(parts) != 4 || sum != want {
				t.Fatalf("%s: parts %v, %v; want %v in all", name, parts, err, want)
			}
		}
		want, wantBy, err := triangle.Count(background, s, nil, true, env())
		if err != nil {
			t.Fatal(err)
		}
		got, by, err := g.Triangles(background, s, nil, true, e)
		if err != nil || got != want || !slices.Equal(by, wantBy) {
			t.Fatalf("%s: %d triangles on %s, %v; want %d\nby vertex %v\nwant      %v", name, got, g.Name(), err, want, by, wantBy)
		}
		dealt.TakeOver(e.Tally)
	}
	driven(t, dealt, pattern.GPUDeal)
	for _, c := range []struct {
		ordinals []int
		want     string
	}{{[]int{0}, "cuda:0"}, {[]int{2, 0, 1}, "cuda:0-2"}, {[]int{0, 3, 4, 6}, "cuda:0,3-4,6"}} {
		g := &Group{}
		for _, o := range c.ordinals {
			g.devices = append(g.devices, &Device{info: Info{Ordinal: o}})
		}
		if g = NewGroup(g.devices...); g.Name() != c.want {
			t.Errorf("devices %v are called %s, not %s", c.ordinals, g.Name(), c.want)
		}
	}
}

// What one of several devices has no room for is left to the CPU, and what ends for one ends for all.
func TestGroupFails(t *testing.T) {
	all := devices(t, 3)
	s := testgraph.Graph(512, testgraph.RMAT(9, 8, 1), true)
	c := (&pattern.Subgraph{}).Clique(4)
	g := NewGroup(all...)
	all[1].memory.limit = all[1].memory.used + 100
	all[1].memory.fixed = true
	if _, err := g.CountCliques(background, s, c, env()); !errors.Is(err, ErrDeclined) {
		t.Errorf("without room on one device: %v", err)
	}
	ended, end := context.WithCancel(background)
	end()
	if _, err := g.CountCliques(ended, s, c, env()); !errors.Is(err, context.Canceled) {
		t.Errorf("after its end: %v", err)
	}
	failure := errors.New("failed")
	for _, errs := range [][]error{{nil, failure, ErrDeclined}, {context.Canceled, ErrDeclined, failure}, {failure, context.Canceled, nil}, {ErrDeclined, failure, context.Canceled}} {
		if err := firstOf(background, errs); err != failure {
			t.Errorf("of %v, %v", errs, err)
		}
	}
	if err := firstOf(background, []error{context.Canceled, ErrDeclined, nil}); err != ErrDeclined {
		t.Error(err)
	}
}

// Many devices are for large graphs.
func TestPays(t *testing.T) {
	for _, c := range []struct {
		devices int
		edges   uint64
		want    int
	}{{1, 1 << 30, 1}, {8, 1 << 20, 1}, {8, 1 << 22, 2}, {8, 1 << 30, 8}} {
		if got := Pays(c.devices, c.edges); got != c.want {
			t.Errorf("%d of %d devices for %d edges, not %d", got, c.devices, c.edges, c.want)
		}
	}
}
