//go:build cuda && cgo && linux

package cuda

import (
	"cmp"
	"slices"
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/kernels"
)

// Trussness is the CPU's, of all edges, of one k and of the largest.
func TestTrusses(t *testing.T) {
	d, r := device(t), seeds(t)
	taken := new(pattern.Tally)
	for name, s := range graphs(r) {
		if s.N() == 0 || s.N() > 400 && r.IntN(2) == 0 { // the large ones take the emulator long
			continue
		}
		for _, k := range [][]uint32{{0}, {uint32(1 + r.IntN(8))}, {pattern.KMax}, {uint32(1 + r.IntN(4)), pattern.KMax}}[r.IntN(4)] {
			q := &pattern.TrussRequest{K: k, Within: someVertices(r, s)}
			want, err := kernels.Trusses(background, s, q, env())
			if err != nil {
				t.Fatal(err)
			}
			e := without(r, pattern.TrussLast, pattern.TrussZero, pattern.TrussLevels, pattern.TrussBound, pattern.TrussCore, pattern.TrussCompact,
				pattern.TrussRestore, pattern.TrussRecount, pattern.TrussMarks, pattern.GPUAhead)
			got, err := d.Trusses(background, s, q, e)
			if err != nil || got.KMax != want.KMax || !slices.Equal(edgesOf(got), edgesOf(want)) {
				t.Fatalf("%s: k %d, off %v: %v\n got %v\nwant %v", name, k, e.Without, err, got, want)
			}
			taken.TakeOver(e.Tally)
		}
	}
	driven(t, taken, pattern.TrussLast, pattern.TrussZero, pattern.TrussLevels, pattern.TrussBound, pattern.TrussCore, pattern.TrussCompact,
		pattern.TrussRestore, pattern.TrussRecount, pattern.TrussMarks, pattern.GPUAhead)
}

// A dense core without triangles: the first lower bound is too high, and the search begins anew below it.
func TestTrussesRestart(t *testing.T) {
	d := device(t)
	s := testgraph.Graph(36, pairs(324, func(i uint32) (uint32, uint32) { return i / 18, 18 + i%18 }), true)
	e := env()
	got, err := d.Trusses(background, s, &pattern.TrussRequest{K: pattern.KMax}, e)
	if err != nil || got.KMax != 2 || len(got.Source) != 324 || e.Tally.Taken[pattern.TrussBound].Load() != 2 {
		t.Fatalf("kmax %d of %d edges after %d bounds, %v; want 2 of 324 after 2", got.KMax, len(got.Source), e.Tally.Taken[pattern.TrussBound].Load(), err)
	}
}

type trussEdge struct {
	source, target csr.VertexID
	truss          uint32
}

func edgesOf(t *pattern.Trusses) []trussEdge {
	list := make([]trussEdge, len(t.Source))
	for i := range list {
		list[i] = trussEdge{t.Source[i], t.Target[i], t.Truss[i]}
	}
	slices.SortFunc(list, func(a, b trussEdge) int {
		return cmp.Or(cmp.Compare(a.source, b.source), cmp.Compare(a.target, b.target))
	})
	return list
}
