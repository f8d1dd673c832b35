//go:build cuda && cgo && linux

package cuda

import (
	"fmt"
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/bfs"
	"github.com/motifql/motif/kernels/diameter"
)

// Searches in one pass have reached, whenever the host looks, what searches of their own have at that depth.
func TestManySearches(t *testing.T) {
	d, r := device(t), seeds(t)
	taken := new(pattern.Tally)
	for name, s := range graphs(r) {
		if s.N() == 0 {
			continue
		}
		q := &pattern.Traversal{Direction: csr.Direction(r.IntN(3)), MaxDepth: r.IntN(8) - 2, Within: someVertices(r, s), Variant: pattern.Variant(r.IntN(4))}
		for range []int{1, 2, 31, 33, 64}[r.IntN(5)] {
			q.Sources = append(q.Sources, csr.VertexID(r.Uint64N(s.N())))
		}
		want, err := bfs.Depths(background, s, q, env())
		if err != nil {
			t.Fatal(err)
		}
		e := without(r, bfsTechniques...)
		d.bfs = bfsLimits{[]uint64{3, 20, 40}[r.IntN(3)], []int{1, 48}[r.IntN(2)], 64, 0}
		err = searchMany(background, d, s, q, e, func(b *search) error {
			return checkFarthest(q, want, b.farthest())
		}, func(b *search) error {
			masks := make([]uint64, s.N())
			if err := download(b.masks, masks); err != nil {
				return err
			}
			for v, mask := range masks {
				for i := range q.Sources {
					if reached := want[i][v] >= 0 && uint32(want[i][v]) <= b.level.level; mask>>i&1 != 0 != reached {
						return fmt.Errorf("at level %d search %d has reached vertex %d, at depth %d: %v", b.level.level, i, v, want[i][v], !reached)
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatalf("%s: %+v (off: %v): %v", name, q, e.Without, err)
		}
		taken.TakeOver(e.Tally)
	}
	driven(t, taken, pattern.BFSMask, pattern.BFSSwitch, pattern.BFSEarly, pattern.BFSPrivate, pattern.GPUHubs, pattern.GPUBlocks, pattern.GPULevels)
}

func checkFarthest(q *pattern.Traversal, depths [][]int32, far pattern.Diameter) error {
	deepest, there := int32(-1), false
	for i, depth := range depths {
		for _, x := range depth {
			deepest = max(deepest, x)
		}
		there = there || far.Length >= 0 && q.Sources[i] == far.From && depth[far.To] == far.Length
	}
	if far.Length != deepest || far.Length >= 0 && !there {
		return fmt.Errorf("the farthest is %+v, want %d away", far, deepest)
	}
	return nil
}

// The diameter is the CPU's.
func TestDiameter(t *testing.T) {
	d, r := device(t), seeds(t)
	taken := new(pattern.Tally)
	for name, s := range graphs(r) {
		if s.N() > 300 || r.IntN(5) > 0 {
			continue
		}
		q := &pattern.DiameterRequest{Direction: csr.Direction(r.IntN(3)), Within: someVertices(r, s)}
		if q.Direction != csr.Both && s.N() > 40 {
			q.Direction = csr.Both // from few vertices only
		}
		want, err := diameter.Exact(background, s, q, env())
		if err != nil {
			t.Fatal(err)
		}
		e := env()
		got, err := d.Diameter(background, s, q, e)
		if err != nil {
			t.Fatalf("%s: %+v: %v", name, q, err)
		}
		if got.Length != want.Length || (got.From == csr.NoVertex) != (want.From == csr.NoVertex) {
			t.Fatalf("%s: %+v: %+v, want %+v", name, q, got, want)
		}
		if got.From != csr.NoVertex {
			l, err := bfs.Search(background, s, &pattern.Traversal{Sources: []csr.VertexID{got.From}, Direction: q.Direction, MaxDepth: -1, Within: q.Within}, env())
			if err != nil {
				t.Fatal(err)
			}
			if l.Depth[got.To] != got.Length {
				t.Fatalf("%s: %+v: %+v are %d apart", name, q, got, l.Depth[got.To])
			}
		}
		taken.TakeOver(e.Tally)
	}
	driven(t, taken, pattern.BFSMask)
}
