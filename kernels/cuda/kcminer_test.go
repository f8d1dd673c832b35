//go:build cuda && cgo && linux

package cuda

import (
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/kernels/clique"
	"github.com/motifql/motif/kernels/core"
)

var kcTechniques = []pattern.Technique{pattern.GPUTaskQueue, pattern.GPURing3, pattern.GPURing4, pattern.GPURing5, pattern.GPUTaskSmall, pattern.GPUTaskWarp,
	pattern.GPUTaskBlock, pattern.CliqueLevel2, pattern.CliqueLevel3}

// Counts one by one are the CPU's, whatever techniques are off and wherever bitmaps are built.
func TestKCMiner(t *testing.T) {
	d, r := device(t), seeds(t)
	taken := new(pattern.Tally)
	off := kcTechniques
	check := func(name string, s *csr.Snapshot, k int) {
		c := (&pattern.Subgraph{Within: someVertices(r, s)}).Clique(k)
		e := without(r, off...)
		e.Without = e.Without.With(pattern.CliquePivot)
		want, err := clique.Count(background, s, c, env())
		if err != nil || want.Hi > 0 || want.Lo > 100_000 {
			return
		}
		d.blockTask = 20 + r.IntN(20)
		d.SetLambda(float64(r.IntN(3)-1)/3, r.Float64())
		got, err := d.CountCliques(background, s, c, e)
		if err != nil || got != want {
			t.Fatalf("%s: %d-cliques: %v, %v; want %v (off: %v, lambda %v, blocks from %d)", name, k, got, err, want, e.Without, d.lambda, d.blockTask)
		}
		taken.TakeOver(e.Tally)
	}
	for name, s := range graphs(r) {
		if r.IntN(2) == 0 {
			check(name, s, 3+r.IntN(6))
		}
	}
	for range *roundFlag {
		check("planted", testgraph.Graph(90, planted(r, 90, 30+r.Uint32N(20)), true), 5+r.IntN(3))
		n := 13 + r.IntN(5)
		check("complete", testgraph.Graph(n, testgraph.Cliques(1, n), true), 7+r.IntN(3))
		check("complete 40", testgraph.Graph(40, testgraph.Cliques(1, 40), true), 3+r.IntN(2))
	}
	off = nil
	for k := range 12 * *roundFlag / 4 { // with all techniques
		check("complete, all on", testgraph.Graph(17, testgraph.Cliques(1, 17), true), 7+k%3)
	}
	driven(t, taken, kcTechniques...)
}

// An edge with more than 1,024 candidates is a block's, and a root's bitmap may have any width. In the order that graphs
// are uploaded in, that takes a core as large; in this one, hubs come first.
func TestManyCandidates(t *testing.T) {
	d := device(t)
	const n = 1064 // 0 and 1 see all the others, which are three paths
	o := &core.Oriented{Offsets: []uint64{0}}
	for v := uint32(0); v < n; v++ {
		for w := v + 1; w < n; w++ {
			if v < 2 || w == v+3 {
				o.Targets = append(o.Targets, w)
			}
		}
		o.Offsets = append(o.Offsets, uint64(len(o.Targets)))
	}
	const edges, paths = 2*(n-2) + 1 + (n - 5), n - 5
	for k, want := range []uint64{0, 0, 0, n - 2 + 2*paths, paths, 0} {
		for _, pivots := range []bool{true, false} {
			e := env()
			if !pivots {
				e.Without = e.Without.With(pattern.CliquePivot)
			}
			var got pattern.Count128
			err := d.run(background, func(t *task) error {
				g, err := uploadOriented(t, o)
				if err == nil && k >= 3 {
					got, err = (&cliqueCount{task: t, env: e, g: g, k: k, part: whole}).count()
				}
				return err
			})
			if err != nil || got != pattern.Count(want) || edges != len(o.Targets) {
				t.Errorf("%d-cliques, by pivots %v: %v, %v; want %d", k, pivots, got, err, want)
			}
			if !pivots && k >= 3 && k < 5 && e.Tally.Taken[pattern.GPUTaskBlock].Load() != 1 {
				t.Errorf("the hubs' edge was not a block's")
			}
		}
	}
}

// With the rings, more lanes have work when a warp takes a step.
func TestActiveLanes(t *testing.T) {
	d := device(t)
	s := testgraph.Graph(256, testgraph.RMAT(8, 8, 1), true)
	c := (&pattern.Subgraph{}).Clique(5)
	mean := func(off ...pattern.Technique) float64 {
		before, e := d.Active(), env()
		for _, m := range append(off, pattern.CliquePivot) {
			e.Without = e.Without.With(m)
		}
		if _, err := d.CountCliques(background, s, c, e); err != nil {
			t.Fatal(err)
		}
		after := d.Active()
		return Active{after.Lanes - before.Lanes, after.Slots - before.Slots}.PerWarp()
	}
	with, alone := mean(), mean(pattern.GPURing3, pattern.GPURing4, pattern.GPURing5)
	if with <= alone || with > 32 || alone <= 0 {
		t.Errorf("%.1f lanes of a warp have work with the rings, %.1f without", with, alone)
	}
}
