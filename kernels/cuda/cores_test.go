//go:build cuda && cgo && linux

package cuda

import (
	"slices"
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/kernels/core"
)

// Coreness is the CPU's in every way to find it.
func TestCores(t *testing.T) {
	d, r := device(t), seeds(t)
	taken := new(pattern.Tally)
	for name, s := range graphs(r) {
		if s.N() == 0 {
			continue
		}
		for i, variant := range []pattern.CoreVariant{[]pattern.CoreVariant{pattern.CoreAuto, pattern.CorePark}[r.IntN(2)], []pattern.CoreVariant{pattern.CoreRL, pattern.CoreES}[r.IntN(2)]} {
			q := &pattern.CoreRequest{Direction: []csr.Direction{csr.Both, csr.Both, csr.Out, csr.In}[(i+r.IntN(4))%4], Within: someVertices(r, s), Variant: variant, K: uint32(max(0, r.IntN(8)-4))}
			want, err := core.Decompose(background, s, q, env())
			if err != nil {
				t.Fatal(err)
			}
			e := without(r, pattern.GPUHubs, pattern.CoreSkip, pattern.CoreShrink, pattern.CoreActivate, pattern.CoreRestore,
				pattern.CoreFlags, pattern.GPUCascade, pattern.GPUAhead)
			got, err := d.Cores(background, s, q, e)
			if err != nil || !slices.Equal(got.Core, want.Core) || !slices.Equal(got.Members, want.Members) || q.K == 0 && got.Degeneracy != want.Degeneracy {
				t.Fatalf("%s by %v, off %v: %v\n got %v\nwant %v", name, variant, e.Without, err, got, want)
			}
			taken.TakeOver(e.Tally)
		}
	}
	// Decrements that pass the level take lanes that meet at a vertex: not every order of them does.
	for i := 0; i < 40 && taken.Taken[pattern.CoreRestore].Load() == 0; i++ {
		e := env()
		if _, err := d.Cores(background, testgraph.Graph(512, testgraph.RMAT(9, 8, r.Uint64()), true), &pattern.CoreRequest{Direction: csr.Both}, e); err != nil {
			t.Fatal(err)
		}
		taken.TakeOver(e.Tally)
	}
	driven(t, taken, pattern.GPUHubs, pattern.CoreRestore, pattern.CoreSkip, pattern.CoreShrink, pattern.CoreFlags, pattern.CoreActivate,
		pattern.GPUCascade, pattern.GPUAhead)
}
