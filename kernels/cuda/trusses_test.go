//go:build cuda && cgo && linux

package cuda

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/kernels/core"
	"github.com/motifql/motif/kernels/truss"
)

// Trussness is the CPU's, of all edges, of one k and of the largest.
func TestTrusses(t *testing.T) {
	d, r := device(t), seeds(t)
	taken := new(pattern.Tally)
	for name, s := range graphs(r) {
		if s.N() == 0 || s.N() == 512 && r.IntN(4) > 0 { // the largest ones take the emulator long
			continue
		}
		for _, k := range [][]uint32{{0}, {uint32(1 + r.IntN(8))}, {pattern.KMax}, {uint32(1 + r.IntN(4)), pattern.KMax}}[r.IntN(4)] {
			q := &pattern.TrussRequest{K: k, Within: someVertices(r, s)}
			want, err := truss.Decompose(background, s, q, env())
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

// Cores and trusses stop when they are told to, at any moment, and the device goes on with the next request.
func TestPeelStops(t *testing.T) {
	d, r := device(t), seeds(t)
	s := testgraph.Graph(512, testgraph.RMAT(9, 8, r.Uint64()), true)
	for i := range 8 {
		ctx, cancel := context.WithTimeout(background, time.Duration(i*i)*time.Millisecond)
		var err error
		if i%2 == 0 {
			_, err = d.Trusses(ctx, s, &pattern.TrussRequest{}, env())
		} else {
			_, err = d.Cores(ctx, s, &pattern.CoreRequest{Direction: csr.Both, Variant: pattern.CorePark + pattern.CoreVariant(i/2%3)}, env())
		}
		if late := ctx.Err(); err != nil && (late == nil || !errors.Is(err, late)) {
			t.Errorf("after %d ms: %v", i*i, err)
		}
		cancel()
	}
	want, err := core.Decompose(background, s, &pattern.CoreRequest{Direction: csr.Both}, env())
	if err != nil {
		t.Fatal(err)
	}
	got, err := d.Cores(background, s, &pattern.CoreRequest{Direction: csr.Both}, env())
	if err != nil || !slices.Equal(got.Core, want.Core) {
		t.Fatalf("cores after stops: %v", err)
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
